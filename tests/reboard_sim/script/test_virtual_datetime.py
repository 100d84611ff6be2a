"""The calendar of a program is that of the virtual Pi."""

import datetime
from pathlib import Path

from reboard_sim.cli import main

PROGRAM = """
from datetime import UTC, date, datetime, timedelta
from time import sleep
begin = datetime.now(UTC)
sleep(16 * 3600)
now = datetime.now(UTC)
print(now, now - begin == timedelta(hours=16), date.today() == datetime.utcnow().date())
print(isinstance(now, datetime), isinstance(date.today(), datetime), issubclass(datetime, date))
import copy, pickle, sqlite3, warnings
made = datetime(2026, 1, 5), datetime.strptime("2026", "%Y"), datetime.fromisoformat("2026-01-05"), now + timedelta(1)
for each in (now, *made):
    assert pickle.loads(pickle.dumps(each)) == copy.deepcopy(each) == each, each
with warnings.catch_warnings(action="ignore"):  # Python 3.12 advises against it
    print("stored", *sqlite3.connect(":memory:").execute("select ?", (datetime.utcnow(),)).fetchone())
class Holiday(datetime):
    pass
print(isinstance(now, Holiday), isinstance(Holiday.now(), Holiday))
"""
PLAY = """
wait 57601
expect printed "2026-01-06 00:00:00+00:00 True True"
expect printed "True False True"
expect printed "stored 2026-01-06 00:00:00"
expect printed "False True"
expect program ended
"""


def test_a_program_sees_the_date_of_the_virtual_pi(tmp_path: Path) -> None:
    (tmp_path / "game.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "test.play").write_text(PLAY, encoding="utf-8")
    real = datetime.datetime
    assert main(["script", f"{tmp_path}/game.py", "--play", f"{tmp_path}/test.play"]) == 0
    assert datetime.datetime is real
