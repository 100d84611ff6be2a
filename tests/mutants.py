"""Measure what the tests catch: change firmware or simulator in one place at a time, and run the tests of that line.

``python -m tests.mutants --seed 15`` measures the commit that is checked out, in copies below ``build/mutants``.
The first run of a commit records which test runs which line. This file is also the pytest plugin for that.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import accumulate, count
from pathlib import Path
from typing import Any

import pytest
from coverage import Coverage, CoverageData

FIRMWARE, SIMULATOR = "firmware/reboard", "sim/reboard_sim"
LEDGER = (
    "announcements backup database game_history game_record game_settings ledger* migrations open_files schema verify"
)
BANK = "accessories/banker_unit"
BELOW_FIRMWARE = {
    "ledger": [f"{BANK}/{name}.py" for name in LEDGER.split()],
    "deal timer": [f"{BANK}/deal_timer.py"],
    "bank": [f"{BANK}/*.py"],
    "outcomes": ["accessories/question_block/*.py"],
    "motor": ["devices/motor.py", "accessories/worm_apple/*.py", "devices/gpio/motor_guard.py", "service/motor_off.py"],
    "contacts": ["devices/contact.py", "devices/keypad.py"],
    "readers": ["devices/readers/**/*.py"],
    "config": ["table_config.py", "config/*.py"],
    "control socket": ["control/*.py"],
    "mqtt": ["mqtt/*.py"],
    "hall": ["hall/*.py"],
    "web": ["web/*.py"],
    "display": ["devices/*display*/**/*.py", "devices/*display*.py", "devices/matrix.py"],
    "sound": ["devices/audio/*.py", "devices/speaker.py", "sounds/*.py"],
    "editions": ["editions/*.py", "languages/*.py", "cards/*.py"],
    "wiring": ["wiring/*.py", "netlist/*.py", "devices/circuits/*.py"],
    "setup and doctor": ["setup/*.py", "doctor/*.py", "commands/setup*.py", "commands/doctor.py"],
    "plug-ins": ["accessories/*.py", "kit.py", "vocabulary/*.py", "strict_json.py", "accessory_context.py"],
    "other devices": ["devices/**/*.py"],
    "table and service": ["**/*.py"],
}
AREAS = {
    **{area: [f"{FIRMWARE}/{pattern}" for pattern in patterns] for area, patterns in BELOW_FIRMWARE.items()},
    "simulator": [f"{SIMULATOR}/**/*.py"],
}
"""Patterns of source files. A file belongs to the first area that has it, so the last ones have all that is left."""

MUTANTS_PER_AREA = 18
TEST_BUDGET_S = 90
FIRST_TESTS = 40
WORKERS = 2
LEFT_OUT = (
    "tests/soak",
    "tests/hardware/housings",
    "tests/systemd",
    "tests/test_benchmarks.py",
    "tests/test_debian_control.py",
    "tests/documents",
)
PYTEST = [sys.executable, *["-m", "pytest", "-q", "-p", "tests.mutants", "-p", "no:cacheprovider"]]
# a mutant may loop for ever, or fill the memory
IN_BOUNDS = ["prlimit", "--as=8000000000", "timeout", "--kill-after=5", "900"]
NO_HANGING = ["-o", "faulthandler_timeout=60", "-o", "faulthandler_exit_on_timeout=true"]
OTHER_OPERATORS = {
    "Lt": ("LtE", "GtE"), "LtE": ("Lt", "Gt"), "Gt": ("GtE", "LtE"), "GtE": ("Gt", "Lt"), "Eq": ("NotEq",),
    "NotEq": ("Eq",), "Is": ("IsNot",), "IsNot": ("Is",), "In": ("NotIn",), "NotIn": ("In",),
    "Add": ("Sub",), "Sub": ("Add",), "And": ("Or",), "Or": ("And",),
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    area: str
    kind: str
    file: str
    line: int
    old: str
    new: str
    span: tuple[int, int]
    # the lines of the statement; none outside functions, where a line runs at import and in no test
    lines: tuple[int, ...]


def replacements(node: Any, function: str | None) -> Iterator[tuple[Any, str]]:
    """Yield each part of the node that can be changed, with what takes its place."""
    match node:
        case ast.BinOp(ast.Constant(str()) | ast.JoinedStr()) | ast.BinOp(right=ast.Constant(str()) | ast.JoinedStr()):
            return
        case (
            ast.Compare(ops=[operator]) | ast.BinOp(op=operator) | ast.BoolOp(op=operator) | ast.AugAssign(op=operator)
        ):
            for other in OTHER_OPERATORS.get(type(operator).__name__, ()):
                new = getattr(ast, other)()
                changed = {"ops": [new]} if isinstance(node, ast.Compare) else {"op": new}
                text = ast.unparse(type(node)(**{**dict(ast.iter_fields(node)), **changed}))
                yield node, text if isinstance(node, ast.stmt) else f"({text})"
        case ast.Constant(bool(value)):
            yield node, str(not value)
        case ast.Constant(int(value) | float(value)):
            yield node, repr(value + 1)
            yield node, repr(value - 1)
        case ast.UnaryOp(ast.Not(), operand):
            yield node, f"({ast.unparse(operand)})"
        case ast.If(test) | ast.IfExp(test):
            yield test, "False"
            yield test, "True"
        case ast.Expr(ast.Call() | ast.Await()) | ast.Raise():
            yield node, "pass"
        case ast.Assign([ast.Attribute(ast.Name("self"))]) if function != "__init__":
            yield node, "pass"
        case ast.Return(ast.expr() as value) if not (isinstance(value, ast.Constant) and not value.value):
            # `return None` instead of None or False changes nothing
            yield node, "return None"


def is_left_alone(node: ast.AST) -> bool:
    """Return whether the node is about log texts, types or the command line, and not about what the firmware does."""
    match node:
        case ast.Call(ast.Attribute(ast.Name("log"))) | ast.Expr(ast.Call(ast.Attribute(ast.Name("log")))):
            return True
        case ast.If(ast.Name("TYPE_CHECKING") | ast.Compare(ast.Name("__name__"))) | ast.Assert() | ast.JoinedStr():
            return True
    return isinstance(node, ast.FunctionDef) and node.name in ("__repr__", "__str__")


def mutants_of(area: str, path: Path) -> Iterator[Mutant]:
    """Yield every mutant of one file."""
    source = path.read_bytes()
    offsets = [0, *accumulate(len(line) for line in source.splitlines(keepends=True))]

    def walk(node: Any, function: str | None, lines: tuple[int, ...]) -> Iterator[Mutant]:
        if is_left_alone(node):
            return
        if isinstance(node, ast.stmt) and function:
            body = getattr(node, "body", [])
            head: Any = getattr(node, "subject", node)
            last = body[0].lineno - 1 if body else head.end_lineno
            lines = tuple(range(node.lineno, max(node.lineno, last) + 1))
        for part, new in replacements(node, function):
            span = offsets[part.lineno - 1] + part.col_offset, offsets[part.end_lineno - 1] + part.end_col_offset
            old = source[slice(*span)].decode()
            yield Mutant(area, type(node).__name__, str(path), part.lineno, old, new, span, lines)
        for field, value in ast.iter_fields(node):
            if field not in ("annotation", "decorator_list", "returns"):
                is_body = field == "body" and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        yield from walk(child, node.name if is_body else function, lines)

    yield from walk(ast.parse(source), None, ())


def sample(seed: int, each: int) -> list[Mutant]:
    """Return the mutants to try: as many in each area, of every kind in turn, and no two on a line."""
    chosen: dict[tuple[str, int], Mutant] = {}
    taken: set[Path] = set()
    for place, (area, patterns) in enumerate(AREAS.items(), start=1):
        files = {path for pattern in patterns for path in Path().glob(pattern)} - taken
        taken |= files
        mutants = [mutant for path in sorted(files) for mutant in mutants_of(area, path)]
        random.Random(f"{seed} {area}").shuffle(mutants)
        seen: dict[str, count[int]] = defaultdict(count)
        for mutant in sorted(mutants, key=lambda mutant: next(seen[mutant.kind])):
            if len(chosen) < place * each:
                chosen.setdefault((mutant.file, mutant.line), mutant)
    return list(chosen.values())


class Plugin:
    """What pytest does with each test: it runs the chosen ones only, or records which lines each one runs."""

    def __init__(self, out: Path, chosen: list[str], records: bool) -> None:
        self.out, self.chosen = out, chosen
        self.seconds: dict[str, float] = {}
        self.failed: list[str] = []
        files = [f"{Path.cwd()}/{folder}/*" for folder in (FIRMWARE, SIMULATOR)]
        self.coverage = Coverage(data_file=out / "lines", data_suffix=True, include=files) if records else None
        if self.coverage:
            self.coverage.start()

    def attribute_to(self, test: str) -> None:
        if self.coverage:
            self.coverage.switch_context(test)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        found = {item.nodeid: item for item in items}
        items[:] = [found[test] for test in self.chosen or found if test in found]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.attribute_to(item.nodeid)
        before = sum(os.times()[:4])
        result = yield
        self.seconds[item.nodeid] = sum(os.times()[:4]) - before
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Iterator[None]:
        if fixturedef.scope == "module":
            self.attribute_to(request.node.nodeid)
        result = yield
        if fixturedef.scope == "module":
            self.attribute_to(os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0])
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        if self.coverage:
            self.coverage.stop()
            self.coverage.save()
        (self.out / f"report.{os.getpid()}").write_text(json.dumps([self.seconds, self.failed]))


def pytest_configure(config: pytest.Config) -> None:
    out = Path(os.environ["MUTANTS_OUT"])
    chosen = out / "chosen"
    tests = json.loads(chosen.read_text()) if chosen.exists() else []
    config.pluginmanager.register(Plugin(out, tests, records=not tests and hasattr(config, "workerinput")))


def run_pytest(copy: Path, out: Path, *command: str) -> tuple[bool, float]:
    """Run pytest in a copy; return whether all passed, and the seconds of processor time."""
    places = f"{copy}:{copy}/firmware:{copy}/sim"
    environment = {**os.environ, "PYTHONPATH": places, "MUTANTS_OUT": str(out)}
    if not (out / "chosen").exists():
        environment["REBOARD_BROWSER"] = "none"  # a recording would take too long
    with (out / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=copy, env=environment, stdout=log, stderr=log)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # what a test that hung has left running
    return process.returncode == 0, usage.ru_utime + usage.ru_stime


def run_chosen(copy: Path, tests: list[str]) -> tuple[bool, str | None, float]:
    """Run these tests until one fails; return whether all passed, the one that did not, and the seconds."""
    with tempfile.TemporaryDirectory() as directory:
        out = Path(directory)
        (out / "chosen").write_text(json.dumps(tests))
        files = dict.fromkeys(file_of(test) for test in tests)
        command = [*IN_BOUNDS, *PYTEST, *NO_HANGING, "-x", "--hypothesis-seed=15", *files]
        passed, seconds = run_pytest(copy, out, *command)
        failed = [test for report in out.glob("report.*") for test in json.loads(report.read_text())[1]]
    return passed, failed[0] if failed else None, seconds


def file_of(test: str) -> str:
    return test.partition("::")[0]


class Recording:
    """Which tests run a line, and how long each one takes."""

    def __init__(self, out: Path, copy: Path) -> None:
        reports = [json.loads(path.read_text()) for path in out.glob("report.*")]
        self.failed = {test for _, failed in reports for test in failed}
        self.seconds = {test: s for seconds, _ in reports for test, s in seconds.items() if test not in self.failed}
        self.texts = {file: (copy / file).read_text() for file in {file_of(test) for test in self.seconds}}
        data = CoverageData(no_disk=True)
        for path in out.glob("lines.*"):
            part = CoverageData(basename=str(path))
            part.read()
            data.update(part)
        self.lines = {
            str(Path(file).relative_to(copy)): data.contexts_by_lineno(file) for file in data.measured_files()
        }

    def of(self, *mutants: Mutant) -> set[str]:
        lines = {(mutant.file, line) for mutant in mutants for line in mutant.lines}
        return {test for file, line in lines for test in self.lines.get(file, {}).get(line, ()) if test}

    def tests_of(self, mutant: Mutant) -> list[str]:
        """Return the tests to run: those of the files that name its module, then others that run the line.

        The cheapest come first. Where no test runs the line, at import or in another process, the others are those that
        run any function of its file.
        """
        path = Path(mutant.file)
        named = {
            file
            for file, text in self.texts.items()
            if Path(file).stem == f"test_{path.stem}" or re.search(rf"\.{path.stem}\b", text)
        }
        found = (self.of(mutant) or self.of(*mutants_of(mutant.area, path))) | named
        tests = [test for test in self.seconds if test in found or file_of(test) in found]
        tests.sort(key=lambda test: (file_of(test) not in named, self.seconds[test]))
        spent = list(accumulate(self.seconds[test] for test in tests))
        tests = tests[: bisect_right(spent, TEST_BUDGET_S)]
        cost: dict[str, float] = defaultdict(float)
        for test in tests:
            cost[file_of(test)] += self.seconds[test]
        return sorted(tests, key=lambda test: (file_of(test) not in named, cost[file_of(test)], file_of(test)))


times = count(int(time.time()))


def write(path: Path, source: bytes) -> None:
    """Write a source file with a time of its own, so that no compiled file is taken for it."""
    path.write_bytes(source)
    os.utime(path, (next(times),) * 2)


def attempt(mutant: Mutant, tests: list[str], copy: Path) -> dict[str, Any]:
    """Put the mutant into the copy, run its tests, and take it out again; return what came of it."""
    caught, by, spent = False, None, 0.0
    path = copy / mutant.file
    source = path.read_bytes()
    write(path, source[: mutant.span[0]] + mutant.new.encode() + source[mutant.span[1] :])
    batches = [tests[FIRST_TESTS:], tests[:FIRST_TESTS]]
    while batches and not caught:
        if batch := batches.pop():
            passed, by, seconds = run_chosen(copy, batch)
            spent += seconds
            if by:
                # a test that fails only now and then has caught nothing
                passed, _, seconds = run_chosen(copy, [by])
                spent += seconds
                batches.append(batch[batch.index(by) + 1 :])
            caught = not passed
    write(path, source)
    result = asdict(mutant) | {"caught": caught, "by": by if caught else None, "seconds": spent, "tests": len(tests)}
    outcome = f"caught by {by or 'a stop, a hang or a failed import'}" if caught else "SURVIVED"
    print(f"{mutant.file}:{mutant.line}  {mutant.old!r} -> {mutant.new!r}  {outcome}, {spent:.0f} s", flush=True)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=15)
    parser.add_argument("--each", type=int, default=MUTANTS_PER_AREA, help="how many to try in an area")
    parser.add_argument("--tests", nargs="+", default=["tests"], help="the only tests to record and to run")
    parser.add_argument("--area", choices=AREAS, action="append", help="only this one; may be given more than once")
    parser.add_argument("--json", type=Path, help="write every result to this file")
    options = parser.parse_args()
    commit = subprocess.check_output(["git", "rev-parse", "--short", "HEAD"], text=True).strip()
    out = Path("build/mutants").absolute() / "-".join([commit, *options.tests]).replace("/", ".")
    copies = [out / f"copy-{number}" for number in range(WORKERS)]
    if not (out / "recorded").exists():
        for copy in copies:
            subprocess.run(["git", "clone", "-q", ".", copy], check=True)
        everything = [f"-n{WORKERS}", "--dist=loadfile", *options.tests, *(f"--ignore={path}" for path in LEFT_OUT)]
        run_pytest(copies[0], out, *PYTEST, *everything)
        (out / "recorded").touch()
    recording = Recording(out, copies[0])
    print(
        f"{len(recording.seconds)} tests recorded. Left out, because they failed: {sorted(recording.failed)}",
        flush=True,
    )
    areas = options.area or AREAS
    mutants = [mutant for mutant in sample(options.seed, options.each) if mutant.area in areas]

    def work(number: int) -> list[dict[str, Any]]:
        share = mutants[number::WORKERS]
        return [attempt(mutant, recording.tests_of(mutant), copies[number]) for mutant in share]

    with ThreadPoolExecutor(WORKERS) as pool:
        results = [result for share in pool.map(work, range(WORKERS)) for result in share]
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    print("| area | mutants | caught | seconds | caught a minute |\n|---|---|---|---|---|")
    for area in areas:
        of_area = [result for result in results if result["area"] == area]
        caught = sum(result["caught"] for result in of_area)
        seconds = sum(result["seconds"] for result in of_area)
        print(f"| {area} | {len(of_area)} | {caught} | {seconds:.0f} | {60 * caught / seconds:.1f} |")


if __name__ == "__main__":
    main()
