"""Waits of destructors, which the garbage collector can run at any moment."""

from pathlib import Path

from reboard_sim.cli import main

WAITS_AS_IT_BEGINS_TO_WAIT = """
from time import monotonic, sleep
class Seconds(float):
    # this stands for a destructor: it runs in the middle of the sleep that it is given to
    def __radd__(self, now):
        sleep(0.5)
        [monotonic() for _ in range(200)]
        return now + float(self)
for _ in range(3):
    sleep(Seconds(1))
print("done")
"""


def test_a_thread_can_wait_while_it_begins_to_wait(tmp_path: Path) -> None:
    (tmp_path / "game.py").write_text(WAITS_AS_IT_BEGINS_TO_WAIT, encoding="utf-8")
    (tmp_path / "test.play").write_text("wait 9\nexpect printed done\nexpect program ended", encoding="utf-8")
    assert main(["script", f"{tmp_path}/game.py", "--play", f"{tmp_path}/test.play"]) == 0
