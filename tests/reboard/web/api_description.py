"""Compares the answers of page and bench with their OpenAPI descriptions."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
from jsonschema import Draft202012Validator

from reboard.web.responses import EventStreams
from reboard.web.table_page import described_api, make_app


class Description:
    """An OpenAPI description, with which answers are compared."""

    def __init__(self, doc: Mapping[str, Any]) -> None:
        self.doc = doc
        self._paths = {re.compile(re.sub(r"\\{\w+\\}", ".+", re.escape(path))): path for path in doc["paths"]}

    def path(self, path: str) -> str | None:
        """Return the path of the description that *path* matches."""
        return next((name for pattern, name in self._paths.items() if pattern.fullmatch(path)), None)

    def check_answer(self, method: str, path: str, status: int, headers: Mapping[str, str], body: bytes | None) -> None:
        """Raise ``AssertionError`` for an answer that is not described. A *body* of ``None`` was not read."""
        what = f"{method} {path}: {status}"
        operations = self.doc["paths"].get(self.path(path), {})
        operation = operations.get({"HEAD": "get"}.get(method, method.lower()))
        if operation is None:
            # a path that is not described does not exist; the checks of host and origin come first
            assert status in {400, 403, 405 if operations else 404}, what
            if status == 405:
                allowed = {name.upper() for name in operations} | ({"HEAD"} if "get" in operations else set())
                assert set(headers["allow"].split(", ")) == allowed, what
            return
        assert str(status) in operation["responses"], f"{what} is not described"
        answer = operation["responses"][str(status)]
        for name, header in answer.get("headers", {}).items():
            assert name in headers, f"{what} has no {name}"
            self._validate(header["schema"], _number_or_text(headers[name]), what)
        kind = headers.get("content-type", "").partition(";")[0]
        if "content" not in answer:
            assert not body, f"{what} should be empty"
            return
        assert kind in answer["content"], f"{what} is {kind!r}, and {[*answer['content']]} is described"
        if kind == "application/json" and body and method != "HEAD":
            self._validate(answer["content"][kind]["schema"], json.loads(body), what)

    def _validate(self, schema: Any, value: object, what: str) -> None:
        # the references of the schema lead into the description
        problems = list(Draft202012Validator({**self.doc, "allOf": [schema]}).iter_errors(value))
        assert not problems, f"{what}: {problems[0].json_path}: {problems[0].message}"


PAGE = Description(described_api(make_app(Path("no.sock"), EventStreams(), names=())))
DOC, check_answer = PAGE.doc, PAGE.check_answer


def _number_or_text(text: str) -> int | str:
    return int(text) if text.isdecimal() else text


class Described(httpx.AsyncBaseTransport):
    """Passes requests on, and checks each answer."""

    def __init__(self, transport: httpx.AsyncBaseTransport) -> None:
        self._transport = transport

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        answer = await self._transport.handle_async_request(request)
        body = await answer.aread()
        check_answer(request.method, request.url.path, answer.status_code, answer.headers, body)
        return answer
