"""The reason codes of MQTT 5, and sentences for what can go wrong with a broker. It needs no MQTT library."""

from __future__ import annotations

import socket
import ssl
from datetime import UTC, datetime
from enum import StrEnum

from reboard.config.mqtt import BrokerAddress
from reboard.errors import ReboardError

DELIVERED = 0x00
NO_SUBSCRIBER = 0x10
"""The reason code of a message that the broker dropped, because no client subscribes to its topic. It is below 0x80."""
FORBIDDEN = 0x87
"""The reason code of a message that the broker's access list forbids."""

FIRST_FAILURE = 0x80
TAKEN_OVER = 0x8E

REASONS = {
    0x00: "Success",
    0x10: "No matching subscribers",
    0x80: "Unspecified error",
    0x82: "Protocol error",
    0x83: "Implementation specific error",
    0x84: "Unsupported protocol version",
    0x85: "Client identifier not valid",
    0x86: "Bad user name or password",
    0x87: "Not authorized",
    0x88: "Server unavailable",
    0x89: "Server busy",
    0x8A: "Banned",
    0x8B: "Server shutting down",
    0x8D: "Keep alive timeout",
    0x8E: "Session taken over",
    0x8F: "Topic filter invalid",
    0x90: "Topic name invalid",
    0x93: "Receive maximum exceeded",
    0x95: "Packet too large",
    0x97: "Quota exceeded",
    0x98: "Administrative action",
    0x99: "Payload format invalid",
    0x9F: "Connection rate exceeded",
}
"""The names of the reason codes, keyed by code."""

# Results of OpenSSL's X509_verify_cert.
NOT_YET_VALID, EXPIRED, OTHER_NAME, OTHER_ADDRESS = 9, 10, 62, 64


class Cause(StrEnum):
    """Why a broker cannot be used."""

    UNREACHABLE = "unreachable"
    CERTIFICATE = "certificate"
    CLOCK = "clock"
    """The clock of this machine, or the dates of the broker's certificate."""
    LOGIN = "login"
    OTHER = "other"


class BrokerError(ReboardError, ConnectionError):
    """The error raised if the broker cannot be used, or the connection is lost. *cause* is the kind of problem."""

    def __init__(self, sentence: str, cause: Cause = Cause.OTHER) -> None:
        super().__init__(sentence)
        self.cause = cause


def reason(code: int) -> str:
    """Return a reason code of MQTT 5 with its name, such as ``0x87, Not authorized``."""
    return f"0x{code:02x}, {REASONS.get(code, 'unknown')}"


def unreachable(address: BrokerAddress, error: OSError | ValueError) -> BrokerError:
    """Return the error for a connection that could not be made because of *error*."""
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    match error:
        case ssl.SSLCertVerificationError(verify_code=code) if code == NOT_YET_VALID:
            return BrokerError(
                f"the certificate of the broker at {address} is not valid yet, because this machine's clock shows "
                f"{today}. Set the clock: `timedatectl` shows whether it is synchronized",
                Cause.CLOCK,
            )
        case ssl.SSLCertVerificationError(verify_code=code) if code == EXPIRED:
            return BrokerError(
                f"the certificate of the broker at {address} has expired, or this machine's clock is wrong: it shows "
                f"{today}. Set the clock, or renew the certificate",
                Cause.CLOCK,
            )
        case ssl.SSLCertVerificationError(verify_code=code) if code in (OTHER_NAME, OTHER_ADDRESS):
            return BrokerError(
                f"the certificate of the broker at {address} is for another name: write the name from the certificate "
                f"as the broker's address, or make a certificate with {address.host} as subjectAltName",
                Cause.CERTIFICATE,
            )
        case ssl.SSLCertVerificationError():
            return BrokerError(
                f"the certificate of the broker at {address} is not signed by the authority in `ca`: use the file of "
                f"the authority that signed it ({error.verify_message})",
                Cause.CERTIFICATE,
            )
        case ssl.SSLError() | ConnectionResetError() if address.ca:
            return BrokerError(
                f"the program at {address} does not use TLS: correct the port, or remove `ca`", Cause.CERTIFICATE
            )
        case socket.gaierror():
            return BrokerError(
                f"the name {address.host} of the broker is unknown in this network: correct it, or write the broker's "
                "address instead",
                Cause.UNREACHABLE,
            )
        case ConnectionRefusedError():
            return BrokerError(
                f"no broker listens at {address}: start it there, or correct the address and the port. mosquitto "
                "without a `listener` line listens only to its own machine",
                Cause.UNREACHABLE,
            )
        case TimeoutError():
            return BrokerError(
                f"the broker at {address} does not answer: check that it is on, in the same network, and that no "
                "firewall is between",
                Cause.UNREACHABLE,
            )
    why = getattr(error, "strerror", None) or str(error)
    return BrokerError(f"the broker at {address} cannot be reached: {why}", Cause.UNREACHABLE)


def rejected(address: BrokerAddress, code: int) -> BrokerError:
    """Return the error for a broker that answered to the connection with the reason *code*."""
    match code:
        case 0x86 | 0x87 if address.user is None:
            return BrokerError(
                f"the broker at {address} accepts only known users: set a user and a password file", Cause.LOGIN
            )
        case 0x86 | 0x87:
            return BrokerError(
                f"the broker at {address} does not accept user {address.user} with this password: correct the user or "
                f"{address.password_file}, or add the user to the broker",
                Cause.LOGIN,
            )
        case 0x84:
            return BrokerError(f"the broker at {address} is too old: it does not support MQTT 5. Update the broker")
    return BrokerError(f"the broker at {address} does not accept this client ({reason(code)})")


def ended(address: BrokerAddress, client_id: str, code: int | None, *, was_connected: bool) -> BrokerError:
    """Return the error for a connection of *client_id* that ended.

    *code* is the broker's reason, or ``None`` if the broker did not end it. It is 0 if paho has not read the reason:
    version 2.1.0 reads only one that has properties.
    """
    if code == TAKEN_OVER:
        return BrokerError(
            f"another client at the broker {address} uses the name {client_id}: give each table its own name, and each "
            "hall its own store"
        )
    if code == 0:
        return BrokerError(
            f"the broker at {address} ended the connection. If that happens again, check its log, and that no other "
            f"client uses the name {client_id}"
        )
    if code is not None:
        return BrokerError(f"the broker at {address} ended the connection ({reason(code)})")
    if was_connected:
        return BrokerError(f"the connection to the broker at {address} was lost", Cause.UNREACHABLE)
    hint = "" if address.ca else ". A broker on port 8883 usually needs TLS: set `ca`"
    return BrokerError(
        f"the program at {address} closed the connection without an answer: check the port{hint}", Cause.UNREACHABLE
    )
