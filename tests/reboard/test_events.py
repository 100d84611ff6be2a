from __future__ import annotations

import pytest

from reboard.accessories.question_block.vocabulary import Pressed
from reboard.devices.lamp import LampSwitched
from reboard.devices.speaker import VolumeSet
from reboard.events import REMEMBERED, EmittedEvent, Events, FaultState
from tests.virtual import Recorder

DECLARED = {"lamp": LampSwitched, "volume": VolumeSet}


def test_a_listener_that_raises_does_not_stop_the_others(caplog: pytest.LogCaptureFixture) -> None:
    times = iter([5.0, 6.5, 7.0])
    events = Events(lambda: next(times), DECLARED)
    received: list[EmittedEvent] = []

    def fail(event: EmittedEvent) -> None:
        raise ZeroDivisionError

    events.listen(fail)
    stop = events.listen(received.append)
    events.emit(LampSwitched(True, device="block.lamp"))
    stop()
    stop()
    events.emit(VolumeSet(3))
    assert [event.as_json() for event in received] == [{"t": 1.5, "event": "lamp", "device": "block.lamp", "on": True}]
    assert [event.name for event in events.recent] == ["volume"], "lamp is too frequent to be kept"
    assert "ZeroDivisionError" in caplog.text


def test_the_latest_events_are_kept_and_unknown_ones_are_rejected() -> None:
    events = Events(lambda: 0.0, DECLARED)
    for level in range(2 * REMEMBERED):
        events.emit(VolumeSet(level))
    assert [event.fields["level"] for event in events.recent] == list(range(REMEMBERED, 2 * REMEMBERED))
    with pytest.raises(LookupError, match="Pressed"):
        events.emit(Pressed())


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
