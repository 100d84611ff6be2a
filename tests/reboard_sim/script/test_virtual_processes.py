"""Child processes of a program. They take real time, and the play waits for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reboard_sim.script.test_programs import play

OUTPUT = """
import subprocess
command = "sleep 0.1; echo out; echo error >&2; exec 2>&-; sleep 0.1; echo late"
both = subprocess.run(command, shell=True, capture_output=True, text=True)
print(repr(" ".join(both.stdout.split())), repr(both.stderr.strip()))
print(subprocess.check_output(command, shell=True, text=True, timeout=60, stderr=subprocess.DEVNULL).split())
"""
WAITS = """
import subprocess, time
def sleeper(seconds):
    return subprocess.Popen(["sleep", str(seconds)])
def since(begin):
    return round(time.monotonic() - begin)
begin = time.monotonic()
print("run", subprocess.run(["sleep", "0.1"], timeout=50).returncode, since(begin))
print("wait", sleeper(0.1).wait(), since(begin))
child = sleeper(0.1)
while child.poll() is None:
    time.sleep(0.02)
print("poll", child.returncode, since(begin))
child = sleeper(50)
try:
    child.wait(timeout=1)
except subprocess.TimeoutExpired:
    child.kill()
    print("expired", child.wait(), since(begin))
"""
CHILDREN = """
import multiprocessing, time
def work(queue, lock):
    with lock:
        time.sleep(0.1)
        queue.put("result")
def since(begin):
    return round(time.monotonic() - begin)
multiprocessing.set_start_method("fork")  # the default before Python 3.14: the others run this file again
queue, lock = multiprocessing.Queue(), multiprocessing.Lock()
begin = time.monotonic()
try:
    queue.get(timeout=2)
except Exception as error:
    print(type(error).__name__, since(begin))
child = multiprocessing.Process(target=work, args=(queue, lock))
child.start()
print(queue.get(timeout=50), since(begin))
child.join(timeout=50)
print("exit code", child.exitcode, since(begin))
lock.acquire()
print("lock", lock.acquire(timeout=1), since(begin))
with multiprocessing.Pool(2) as pool:
    print(pool.map(abs, [-1, -2]))
"""

PLAYS = {
    "output": (
        OUTPUT,
        "wait 20\nexpect printed \"'out late' 'error'\"\nexpect printed \"['out', 'late']\"\nexpect program ended",
    ),
    "waits": (
        WAITS,
        "wait 9\nexpect printed 'run 0 0'\nexpect printed 'wait 0 0'\nexpect printed 'poll 0 0'\n"
        "expect printed 'expired -9 1'\nexpect program ended",
    ),
    "multiprocessing": (
        CHILDREN,
        "wait 20\nexpect printed 'Empty 2'\nexpect printed 'result 2'\nexpect printed 'exit code 0 2'\n"
        "expect printed 'lock False 3'\nexpect printed '[1, 2]'\nexpect program ended",
    ),
}


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # it has threads and forks, as many programs do
@pytest.mark.parametrize(("program", "lines"), PLAYS.values(), ids=PLAYS)
def test_a_play_waits_for_the_child_processes_of_a_program(program: str, lines: str, tmp_path: Path) -> None:
    assert play(tmp_path, program, lines) == 0
