from __future__ import annotations

import os
import pty
import subprocess
import sys
import tomllib

import pytest

from reboard.config.host_pin import HostPin
from tests.waiting import PATIENCE_S

COMMAND = [sys.executable, "-m", "reboard", "pin"]


def piped(text: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(COMMAND, input=text, capture_output=True, timeout=PATIENCE_S, check=False)


def test_a_piped_pin_becomes_a_line_of_the_config() -> None:
    done = piped(b"471108\n")
    assert done.returncode == 0
    (pin,) = tomllib.loads(done.stdout.decode()).values()
    assert HostPin.parse(pin).is_opened_by("471108")
    assert b"[page]" in done.stderr


@pytest.mark.parametrize("text", [b"", b"0" * 1000, b"\xff\xfe12345\n"])
def test_a_wrong_pin_is_not_repeated(text: bytes) -> None:
    done = piped(text)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr == b"reboard: a PIN has 4 to 12 digits and no other characters\n"


@pytest.mark.realtime
@pytest.mark.parametrize(("again", "code"), [(b"4711", 0), (b"4712", 1)])
def test_a_typed_pin_is_entered_twice_and_hidden(again: bytes, code: int) -> None:
    ours, theirs = pty.openpty()
    asking = subprocess.Popen(
        COMMAND, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    assert asking.stderr
    assert asking.stdout
    shown = b""
    # what is typed before it asks is thrown away
    for question, answer in ((b"PIN: ", b"4711"), (b"Repeat the PIN: ", again)):
        while not shown.endswith(question):
            shown += asking.stderr.read(1)
        os.write(ours, answer + b"\n")
    printed, rest = asking.communicate(timeout=PATIENCE_S)
    assert asking.returncode == code
    os.set_blocking(ours, False)
    with pytest.raises(BlockingIOError):
        os.read(ours, 1000)
    os.close(ours)
    os.close(theirs)
    if code:
        assert b"the two PINs are different" in rest
        assert printed == b""
    else:
        (pin,) = tomllib.loads(printed.decode()).values()
        assert HostPin.parse(pin).is_opened_by("4711")
