from __future__ import annotations

import base64
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reboard.host_pin import HASH_BYTES, SALT_BYTES, HostPin, is_pin


def test_a_pin_opens_what_was_made_of_it_and_another_does_not() -> None:
    pin = HostPin.of("4711")
    assert pin.is_opened_by("4711")
    assert not pin.is_opened_by("4712")
    assert not pin.is_opened_by("")


def test_what_is_kept_says_nothing_of_the_pin_and_is_another_each_time() -> None:
    first, second = HostPin.of("4711"), HostPin.of("4711")
    assert str(first) != str(second)
    assert "4711" not in repr(first) + str(first)


def test_what_is_kept_can_be_read_back() -> None:
    pin = HostPin.of("123456789012")
    assert HostPin.parse(str(pin)) == pin


@pytest.mark.parametrize("text", ["", "123", "1234567890123", "12 34", "12a4", "١٢٣٤", "1234\n", "²²²²"])
def test_a_pin_is_4_to_12_digits(text: str) -> None:
    assert not is_pin(text)
    with pytest.raises(ValueError, match="a PIN has 4 to 12 digits, and nothing else"):
        HostPin.of(text)


SALT = base64.b64encode(bytes(SALT_BYTES)).decode()
HASHED = base64.b64encode(bytes(HASH_BYTES)).decode()


@pytest.mark.parametrize(
    "text",
    [
        "4711",
        f"scrypt${SALT}",
        f"scrypt${SALT}${HASHED}$",
        f"md5${SALT}${HASHED}",
        f"scrypt${HASHED}${SALT}",
        f"scrypt${SALT}${HASHED[:-4]}",
        f"scrypt${SALT}${HASHED}\n",
        f"scrypt$ä{SALT}${HASHED}",
    ],
)
def test_what_was_not_made_of_a_pin_is_none(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        HostPin.parse(text)


@given(st.text(max_size=120))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(ValueError):
        assert str(HostPin.parse(f"scrypt${text}")) == f"scrypt${text}"
