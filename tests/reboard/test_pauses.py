from reboard.pauses import Pauses


def test_pauses_double_up_to_the_longest_and_begin_anew_when_it_went_well() -> None:
    pauses = Pauses(1.0, 30.0)
    assert [pauses.next() for _ in range(7)] == [1, 2, 4, 8, 16, 30, 30]
    pauses.reset()
    assert [pauses.next() for _ in range(2)] == [1, 2]
