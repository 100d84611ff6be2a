"""The host's PIN, stored as a salted hash."""

from __future__ import annotations

import base64
import os

from reboard.record import Record

LEAST_DIGITS = 4
MOST_DIGITS = 12
KIND = "scrypt"
COST, BLOCK_SIZE, PARALLEL = 2**14, 8, 1
"""The parameters of scrypt. Each hash needs 16 MB of memory, and takes 0.05 s on a laptop."""
SALT_BYTES = 16
HASH_BYTES = 32


def is_pin(text: str) -> bool:
    """Return whether *text* has the form of a PIN: 4 to 12 digits."""
    return text.isascii() and text.isdigit() and LEAST_DIGITS <= len(text) <= MOST_DIGITS


class HostPin(Record):
    """A salted scrypt hash of a PIN. Its text is ``scrypt$SALT$HASH``, with salt and hash in base64."""

    salt: bytes
    hashed: bytes

    @classmethod
    def of(cls, pin: str) -> HostPin:
        """Return the hash of *pin* with a new random salt. Raises ``ValueError`` if *pin* is not 4 to 12 digits."""
        if not is_pin(pin):
            raise ValueError(f"a PIN has {LEAST_DIGITS} to {MOST_DIGITS} digits and no other characters")
        salt = os.urandom(SALT_BYTES)
        return cls(salt, _hashed(pin, salt))

    @classmethod
    def parse(cls, text: str) -> HostPin:
        """Return the hash from its text form. Raises ``ValueError`` if *text* does not have this form."""
        kind, *parts = text.split("$")
        salt, hashed = (base64.b64decode(part, validate=True) for part in parts)
        if (kind, len(salt), len(hashed)) != (KIND, SALT_BYTES, HASH_BYTES):
            raise ValueError("a part of the hash is missing: copy the whole line that `reboard pin` prints")
        return cls(salt, hashed)

    def __str__(self) -> str:
        return "$".join([KIND, *(base64.b64encode(part).decode() for part in (self.salt, self.hashed))])

    def is_opened_by(self, guess: str) -> bool:
        """Return whether *guess* is the PIN. The comparison takes constant time."""
        import hmac  # as below

        return hmac.compare_digest(self.hashed, _hashed(guess, self.salt))


def _hashed(pin: str, salt: bytes) -> bytes:
    import hashlib  # it loads OpenSSL, 4 MB; a table reads the PIN from its config, and checks none

    return hashlib.scrypt(pin.encode(), salt=salt, n=COST, r=BLOCK_SIZE, p=PARALLEL, dklen=HASH_BYTES)
