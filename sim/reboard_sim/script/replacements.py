"""Replacements of functions, which ask which thread calls them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from reboard_sim.script.scheduler import here


def only_here(real: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator: the function gets the thread of a program that calls it. Other threads call *real*."""

    def decorate(virtual: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(real)
        def function(*args: Any, **kwargs: Any) -> Any:
            thread = here()
            return virtual(thread, *args, **kwargs) if thread else real(*args, **kwargs)

        return function

    return decorate


def here_or(real: Callable[..., Any], virtual: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls *virtual* in the threads of a program, and *real* in all others."""
    return only_here(real)(lambda thread, *args, **kwargs: virtual(*args, **kwargs))
