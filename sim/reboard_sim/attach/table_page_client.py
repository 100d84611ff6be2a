"""A client of the table page of a real table: it signs in as the host and reads the signals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any

from reboard.config.pins_and_ports import Listen
from reboard.errors import ReboardError

DEFAULT_PORT = 8080
TIMEOUT_S = 6.0
"""The time limit for an answer and between two messages, in seconds. A healthy table sends ten a second."""

LONGEST_MESSAGE_BYTES = 2 * 1024 * 1024
MOST_BYTES = 2 * 1024 * 1024
PREFIX = b"data:"


class AttachError(ReboardError):
    """An error for a real table that cannot be shown.

    *retry_s* is the minimum time before the next attempt, in seconds. ``None`` means that no attempt can succeed.
    """

    def __init__(self, problem: str, retry_s: float | None = 0.0) -> None:
        super().__init__(problem)
        self.retry_s = retry_s


class TablePageClient:
    """A host's session at the table page on *host* and *port*, with the host's *pin*."""

    def __init__(self, host: str, port: int, pin: str) -> None:
        self.name = host if port == DEFAULT_PORT else str(Listen(host, port))
        self._host = host
        self._port = port
        self._pin = pin
        self._cookie = ""
        self._streaming: HTTPConnection | None = None

    def signals(self) -> Iterator[dict[str, Any]]:
        """Yield the answers to ``watch_signals``. Raises `AttachError` when the connection fails, ends or is closed."""
        connection, response = self._as_host("GET", "/api/host/signals")
        self._streaming = connection
        try:
            while line := response.readline(LONGEST_MESSAGE_BYTES):
                if line.startswith(PREFIX) and (message := _parsed(line.removeprefix(PREFIX), self.name)):
                    yield message
        except (OSError, HTTPException, AttributeError) as error:  # AttributeError: `close` came in between
            raise AttachError(f"the connection to {self.name} was lost: {_cause(error)}") from None
        finally:
            response.close()
            connection.close()
        raise AttachError(f"{self.name} ended the connection")

    def read(self, name: str) -> Any:
        """Return the table's answer to *name*, a request that changes nothing. Raises `AttachError` if it fails."""
        connection, response = self._as_host("GET", f"/api/host/read/{name}")
        try:
            return _parsed(response.read(MOST_BYTES), self.name).get("ok")
        except (OSError, HTTPException) as error:
            raise AttachError(f"the connection to {self.name} was lost: {_cause(error)}") from None
        finally:
            response.close()
            connection.close()

    def close(self) -> None:
        """End `signals`. Any thread can call this method."""
        if (streaming := self._streaming) and streaming.sock:
            with suppress(OSError):
                streaming.sock.shutdown(2)

    def _as_host(self, method: str, path: str) -> tuple[HTTPConnection, HTTPResponse]:
        for is_last in (False, True):
            if not self._cookie:
                self._sign_in()
            connection, response = self._send(method, path)
            if response.status == 200:
                return connection, response
            problem = _problem(response)
            connection.close()
            if response.status != 401 or is_last:
                break
            self._cookie = ""  # the session has ended
        if response.status == 404:
            raise AttachError(
                f"reboard on {self.name} is older than this simulator and cannot send signals: update reboard there"
            )
        raise AttachError(f"{self.name}: {problem}")

    def _sign_in(self) -> None:
        connection, response = self._send("POST", "/api/host/session", {"pin": self._pin})
        problem = _problem(response) if response.status != 204 else ""
        connection.close()
        match response.status:
            case 204:
                self._cookie = (response.getheader("set-cookie") or "").partition(";")[0]
            case 403:
                raise AttachError(f"{self.name} rejected the PIN: use the PIN of its host", retry_s=None)
            case 404 | 405:
                if (bench := self._bench()) is not None:
                    where = f": its table page is at {bench}" if bench else " without a table page"
                    raise AttachError(f"{self.name} is a bench{where}", retry_s=None)
                raise AttachError(
                    f"{self.name} has no host: add the line that `reboard pin` prints to [page] in its config, "
                    "and restart `reboard page`"
                )
            case 429:
                wait_s = float(response.getheader("retry-after") or 60)
                raise AttachError(f"{self.name} got too many wrong PINs: try again in {wait_s:g} s", wait_s)
            case _:
                raise AttachError(f"{self.name}: {problem}")

    def _bench(self) -> str | None:
        """Return the URL of the table page if this is a bench (``""``: it has none), or ``None`` if it is not."""
        connection, response = self._send("GET", "/api/bench")
        try:
            choices = json.loads(response.read(MOST_BYTES))
            return str((choices["table_page"] or {}).get("url", "")) if response.status == 200 else None
        except (OSError, HTTPException, ValueError, LookupError, TypeError, AttributeError):
            return None
        finally:
            connection.close()

    def _send(self, method: str, path: str, body: object = None) -> tuple[HTTPConnection, HTTPResponse]:
        connection = HTTPConnection(self._host, self._port, timeout=TIMEOUT_S)
        headers = {"Cookie": self._cookie} if self._cookie else {}
        if body is not None:
            headers["Content-Type"] = "application/json"
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            return connection, connection.getresponse()
        except (OSError, HTTPException) as error:
            connection.close()
            raise AttachError(
                f"there is no table page at {self._host}, port {self._port}: {_cause(error)}. Check the address, that "
                f'`reboard page` is running there, and that its config has listen = "0.0.0.0:{self._port}" in [page]'
            ) from None


def _parsed(text: bytes, name: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise AttachError(f"{name} sent an answer that is not from a table page: check the address")
    return value


def _problem(response: HTTPResponse) -> str:
    with suppress(OSError, HTTPException):
        text = response.read(MOST_BYTES)
        try:
            return str(json.loads(text)["error"])
        except (ValueError, LookupError, TypeError):
            return text.decode(errors="replace").strip()[:200] or f"HTTP {response.status}"
    return f"HTTP {response.status}"


def _cause(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer within {TIMEOUT_S:g} s"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
