"""The login at a broker: the password's file, and TLS with a certificate authority."""

from __future__ import annotations

import ssl

from reboard.config.mqtt import SYSTEM, BrokerAddress
from reboard.mqtt.broker_errors import BrokerError, Cause

LONGEST_PASSWORD_BYTES = 1024


def password(address: BrokerAddress) -> str | None:
    """Return the password for the broker at *address*, or ``None`` if it has none. Raises `BrokerError`."""
    if address.password_file is None:
        return None
    try:
        with address.password_file.open("rb") as file:
            # editors on Windows begin a file with a byte order mark
            return file.read(LONGEST_PASSWORD_BYTES).decode("utf-8-sig").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8"
        raise BrokerError(
            f"the password of the broker cannot be read from {address.password_file}: {why}. Correct the file, or "
            "name another password file",
            Cause.LOGIN,
        ) from None


class _TlsSocket(ssl.SSLSocket):
    """A socket that closes itself if the handshake fails, because paho leaves it open."""

    def do_handshake(self, block: bool = False) -> None:
        try:
            super().do_handshake(block)
        except BaseException:
            self.close()
            raise


def tls(ca: str) -> ssl.SSLContext:
    """Return the settings of TLS with the certificate authorities in the file *ca*. Raises `BrokerError`."""
    try:
        context = ssl.create_default_context(cafile=None if ca == SYSTEM else ca)
        context.sslsocket_class = _TlsSocket
        return context
    except (OSError, ValueError) as error:
        # an ssl.SSLError is an OSError whose strerror names a place in OpenSSL
        is_not_pem = isinstance(error, ssl.SSLError) or not isinstance(error, OSError)
        why = "it has no certificate in PEM format" if is_not_pem else getattr(error, "strerror", None) or str(error)
        raise BrokerError(
            f"the file with the certificate authority, {ca}, cannot be used: {why}. Correct the file, or name "
            "another file as `ca`",
            Cause.CERTIFICATE,
        ) from None
