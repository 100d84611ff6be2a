from reboard.trouble import Trouble


def test_a_fault_is_told_when_it_begins_when_its_cause_changes_and_when_it_is_over() -> None:
    told: list[tuple[str, dict[str, object]]] = []
    trouble = Trouble("keypad", lambda name, /, **fields: told.append((name, fields)))
    news = [trouble.tell(cause) for cause in (None, "loose", "loose", "shorted", "shorted", None, None, "loose")]
    assert news == [False, True, False, True, False, True, False, True]
    assert told == [
        ("fault", {"part": "keypad", "cause": "loose"}),
        ("fault", {"part": "keypad", "cause": "shorted"}),
        ("recovered", {"part": "keypad"}),
        ("fault", {"part": "keypad", "cause": "loose"}),
    ]
    assert trouble.cause == "loose"
