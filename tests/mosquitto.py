"""A real mosquitto of a test's own: its port, users, access list and certificates. Tests kill, start and pause it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from reboard.config.mqtt import BrokerAddress
from tests.waiting import PATIENCE_S

MOSQUITTO = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
REQUIRED = os.environ.get("REBOARD_MOSQUITTO") == "required"

SETTINGS = """
per_listener_settings false
listener {port} 127.0.0.1
persistence true
persistence_location {directory}/
# a killed broker loses what came since it saved last
autosave_interval 2
max_queued_messages 100000
persistent_client_expiration 14d
log_dest file {directory}/mosquitto.log
log_type error
log_type warning
log_type notice
"""


class Mosquitto:
    """A mosquitto that listens at 127.0.0.1, with its files in *directory*.

    *users* are the passwords by user; without, everyone may connect. *acl* is the text of an access list. *tls* makes
    it listen with a certificate for *names*; `ca` is the authority's file. *settings* are more lines of its file.
    """

    def __init__(
        self,
        directory: Path,
        *,
        users: Mapping[str, str] | None = None,
        acl: str = "",
        tls: bool = False,
        names: str = "IP:127.0.0.1,DNS:localhost",
        settings: str = "",
    ) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.directory = directory
        self.port = free_port()
        self.ca = directory / "ca.crt" if tls else None
        self._process: subprocess.Popen[bytes] | None = None
        lines = [SETTINGS.format(port=self.port, directory=directory), settings]
        lines += [f"allow_anonymous {'false' if users else 'true'}"]
        if users:
            lines.append(f"password_file {self._passwords(users)}")
        if acl:
            lines.append(f"acl_file {self._private('acl', acl)}")
        if tls:
            make_authority(directory)
            make_certificate(directory, "server", names)
            lines.append(f"certfile {directory}/server.crt\nkeyfile {directory}/server.key")
        if os.geteuid() == 0:
            # otherwise it becomes the user mosquitto, who may not read a test's directory
            lines.append("user root")
        (directory / "mosquitto.conf").write_text("\n".join(lines) + "\n")

    def address(self, user: str | None = None, password: str | None = None) -> BrokerAddress:
        """Return the address for *user*, by default with the right password."""
        file = None
        if user is not None:
            file = self.directory / f"password-of-{user}"
            if password is not None:
                file = self._private(f"another-password-of-{user}", f"{password}\n")
        return BrokerAddress("127.0.0.1", self.port, str(self.ca) if self.ca else None, user, file)

    def start(self) -> None:
        """Start it, and wait until it listens."""
        assert MOSQUITTO
        self._process = subprocess.Popen([MOSQUITTO, "-c", self.directory / "mosquitto.conf"])
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                assert self._process.poll() is None, self.log()
                assert time.monotonic() < end, self.log()
                time.sleep(0.02)
            else:
                return

    def kill(self) -> None:
        """Kill it, as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Stop it in good order."""
        self._end(signal.SIGTERM)

    def pause(self) -> None:
        """Let it hang: its connections stay open, and it does nothing."""
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it continue."""
        self.process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        """Kill it if it is running."""
        if self._process:
            self.kill()

    def log(self) -> str:
        """Return its log."""
        file = self.directory / "mosquitto.log"
        return file.read_text() if file.exists() else ""

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The running process."""
        assert self._process
        return self._process

    def _end(self, signal_: signal.Signals) -> None:
        process, self._process = self.process, None
        process.send_signal(signal_)
        if signal_ != signal.SIGKILL:
            process.send_signal(signal.SIGCONT)
        process.wait(PATIENCE_S)

    def _passwords(self, users: Mapping[str, str]) -> Path:
        file = self._private("passwords", "".join(f"{user}:{password}\n" for user, password in users.items()))
        subprocess.run(["mosquitto_passwd", "-U", file], check=True)
        for user, password in users.items():
            self._private(f"password-of-{user}", f"{password}\n")
        return file

    def _private(self, name: str, content: str) -> Path:
        file = self.directory / name
        file.touch(mode=0o600)
        file.write_text(content)
        return file


def free_port() -> int:
    """Return a port of 127.0.0.1 that is free now."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


def make_authority(directory: Path) -> None:
    """Make a certificate authority: ``ca.crt`` and ``ca.key``."""
    openssl(
        directory,
        *("req", "-x509", *NEW_KEY, "-keyout", "ca.key", "-out", "ca.crt", "-days", "3650", "-subj", "/CN=club CA"),
        *("-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign,cRLSign"),
    )


def make_certificate(directory: Path, name: str, names: str, *dates: str) -> None:
    """Make ``<name>.crt`` and ``<name>.key`` for *names*, signed by the authority in *directory*.

    *dates* are options of ``openssl x509`` or ``openssl ca``, by default two years from now.
    """
    openssl(directory, "req", *NEW_KEY, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", "/CN=broker")
    (directory / "names").write_text(f"subjectAltName={names}\nextendedKeyUsage=serverAuth\n")
    openssl(
        directory,
        *("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial"),
        *("-out", f"{name}.crt", "-extfile", "names", *(dates or ("-days", "730"))),
    )


NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


def openssl(directory: Path, *arguments: str) -> None:
    """Run ``openssl`` in *directory*."""
    subprocess.run(["openssl", *arguments], cwd=directory, check=True, capture_output=True)


MakeMosquitto = Callable[..., Mosquitto]


@pytest.fixture
def make_mosquitto(tmp_path: Path) -> Iterator[MakeMosquitto]:
    """Return a function that makes and starts a `Mosquitto` with the given settings.

    A test that needs it is skipped where mosquitto is not installed, and fails with ``REBOARD_MOSQUITTO=required``.
    """
    if MOSQUITTO is None:
        missing = "mosquitto is not installed: sudo apt install mosquitto"
        if REQUIRED:
            pytest.fail(missing)
        pytest.skip(missing)
    made: list[Mosquitto] = []

    def make(**settings: object) -> Mosquitto:
        broker = Mosquitto(tmp_path / f"broker-{len(made)}", **settings)  # type: ignore[arg-type]
        made.append(broker)
        broker.start()
        return broker

    yield make
    for broker in made:
        broker.close()
