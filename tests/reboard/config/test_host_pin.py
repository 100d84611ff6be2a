from __future__ import annotations

import base64

import pytest

from reboard.config.host_pin import HASH_BYTES, SALT_BYTES, HostPin, is_pin


def test_only_the_same_pin_matches_its_hash_which_hides_it() -> None:
    pin = HostPin.of("4711")
    assert pin.is_opened_by("4711")
    assert not pin.is_opened_by("4712")
    assert not pin.is_opened_by("")
    assert str(pin) != str(HostPin.of("4711")), "the hash has a salt"
    assert "4711" not in repr(pin) + str(pin)


@pytest.mark.parametrize("text", ["", "123", "1234567890123", "12 34", "12a4", "١٢٣٤", "1234\n", "²²²²"])
def test_a_pin_is_4_to_12_digits(text: str) -> None:
    assert not is_pin(text)
    with pytest.raises(ValueError, match="a PIN has 4 to 12 digits and no other characters"):
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
def test_a_damaged_hash_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        HostPin.parse(text)
