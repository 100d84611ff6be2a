from __future__ import annotations

import pytest

from reboard.events import COMMON_EVENTS, REMEMBERED, EmittedEvent, Events, FaultState
from tests.virtual import Recorder


def test_a_listener_that_raises_does_not_stop_the_others(caplog: pytest.LogCaptureFixture) -> None:
    times = iter([5.0, 6.5, 7.0])
    events = Events(lambda: next(times), COMMON_EVENTS)
    received: list[EmittedEvent] = []

    def fail(event: EmittedEvent) -> None:
        raise ZeroDivisionError

    events.listen(fail)
    stop = events.listen(received.append)
    events.emit("lamp", device="block.lamp", on=True)
    stop()
    stop()
    events.emit("volume", level=3)
    assert [event.as_json() for event in received] == [{"t": 1.5, "event": "lamp", "device": "block.lamp", "on": True}]
    assert [event.name for event in events.recent] == ["volume"], "lamp is too frequent to be kept"
    assert "ZeroDivisionError" in caplog.text


def test_the_latest_events_are_kept_and_unknown_ones_are_rejected() -> None:
    events = Events(lambda: 0.0, COMMON_EVENTS)
    for level in range(2 * REMEMBERED):
        events.emit("volume", level=level)
    assert [event.fields["level"] for event in events.recent] == list(range(REMEMBERED, 2 * REMEMBERED))
    for name, fields in (("bang", {}), ("volume", {}), ("volume", {"level": 1, "loud": True})):
        with pytest.raises(LookupError, match=name):
            events.emit(name, **fields)


def test_a_fault_is_emitted_when_its_cause_changes() -> None:
    emit = Recorder()
    fault = FaultState("keypad", emit)
    changed = [fault.set(cause) for cause in (None, "loose", "loose", "shorted", None, None, "loose")]
    assert changed == [False, True, False, True, True, False, True]
    assert emit.events == [
        ("fault", {"part": "keypad", "cause": "loose"}),
        ("fault", {"part": "keypad", "cause": "shorted"}),
        ("recovered", {"part": "keypad"}),
        ("fault", {"part": "keypad", "cause": "loose"}),
    ]
    assert fault.cause == "loose"
