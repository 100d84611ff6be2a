"""Tests that are coroutines run on the virtual clock."""

from __future__ import annotations

import inspect

import pytest

from tests.virtual import in_virtual_time


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    in_virtual_time(pyfuncitem.obj)(**{name: pyfuncitem.funcargs[name] for name in names})
    return True
