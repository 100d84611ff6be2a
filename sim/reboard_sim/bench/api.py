"""The operations of the bench, which its OpenAPI description has, and the bodies that they take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NotRequired, TypedDict

from reboard.vocabulary.limits import Between, Length
from reboard.vocabulary.schema import Schema, Schemas
from reboard.web.api_description import STREAM, SVG, Answer, Operation, Problem, an_object, path_parameter, problem_of
from reboard_sim.bench.pace import Pace
from reboard_sim.plays.play_language import LARGEST_NUMBER
from reboard_sim.session import exports

MOST_LINES = 200
"""The maximum number of play lines in one request."""

MOST_SCENE_LINES = 10_000
"""The maximum number of play lines in a setup request. A play has the same limit."""

LONGEST_QUEUE = 60
LONGEST_NAME = 200

INFO = {
    "title": "reboard's bench",
    "version": "1",
    "license": {"name": "MIT", "identifier": "MIT"},
    "description": "The HTTP interface of `reboard-sim`, for this machine only. Requests run side by side. Without an "
    "answer after 600 s, or if the client disconnects, the rest of the lines is dropped, and held keys are released.",
}


class LineProblem(Problem):
    """An error in a request of the bench."""

    line: Annotated[int | None, "the number of the play line that is to blame; null if none is"]
    is_set: NotRequired[Annotated[bool, "true: the new table is kept, although a line of its setup failed"]]


class OfBench(TypedDict):
    """What the bench adds to the table."""

    powered: Annotated[bool, "whether the table is switched on"]
    pins: Annotated[Mapping[str, Any], "the level and the direction of each pin in the config"]


class Lines(TypedDict):
    """Lines of a play to carry out."""

    lines: Annotated[Sequence[str], Length(0, MOST_LINES), "such as press block and wait 5"]
    hand: NotRequired[Annotated[str, Length(0, LONGEST_QUEUE), "a queue, whose lines run after its earlier ones"]]


class Demo(TypedDict):
    """A demo to play, or to end."""

    accessory: str
    stop: NotRequired[Annotated[bool, "true: do the rest without its waits"]]


class Clock(TypedDict):
    """The pace of the clock to choose, or one step."""

    pace: NotRequired[Annotated[Pace, "virtual seconds per second; 0 pauses"]]
    step: NotRequired[Annotated[bool, "true: run to the next event or level change, then pause"]]


class ClockNow(TypedDict):
    """The clock of the table."""

    t: float
    pace: Pace | str
    rate: Annotated[float, "virtual seconds per second"]


class ToJoin(TypedDict):
    """What a phone needs to join."""

    code: Annotated[str, "the code, or empty if no phone can join"]


class LetIn(TypedDict):
    """Whether phones may open the table page."""

    let_in: Annotated[bool, "true: the page listens on the network; false: on this machine only"]


class Page(TypedDict):
    """The table page beside the bench."""

    url: Annotated[str, "its address on this machine"]
    pin: Annotated[str, "the host's PIN"]
    lets_in: Annotated[bool, "whether other devices can open it"]
    can_let_in: Annotated[bool, "whether the bench can change that"]


class SetupFile(TypedDict):
    """A ``table.toml``."""

    name: str
    text: str


class SetupBody(TypedDict):
    """A setup of the table to load."""

    edition: NotRequired[Annotated[str, Length(0, LONGEST_NAME), "by default that of the config"]]
    wiring: NotRequired[Annotated[str | SetupFile, "own, config for that of -c, or a table.toml; by default own"]]
    left: NotRequired[Annotated[str | None, "a kind of reader, or none"]]
    right: NotRequired[Annotated[str | None, "a kind of reader, or none"]]
    seed: NotRequired[Annotated[int | None, Between(0, LARGEST_NUMBER), "by default random"]]
    lines: NotRequired[Annotated[Sequence[str], Length(0, MOST_SCENE_LINES), "to carry out at the new table"]]
    check: NotRequired[Annotated[bool, "true: only check the setup"]]


class Rows(TypedDict):
    """The latest rows of the ledger."""

    columns: Sequence[str]
    rows: Annotated[Sequence[Sequence[Any]], "the newest first"]
    problem: Annotated[str | None, "why the ledger cannot be read"]


def _table(_: Schemas) -> Schema:
    return {"$ref": "#/components/schemas/Table"}


DONE = Answer("The table, after the lines were done.", _table)
REFUSED: Mapping[int, Answer] = {
    400: Answer("The request is wrong, or (as text) the name in the header Host.", LineProblem, "text/plain"),
    408: Answer("The body did not arrive in time.", LineProblem),
    409: Answer("Another setup has replaced the table, or a demo is running.", LineProblem),
    413: Answer("The body is too long, or has too many lines.", LineProblem),
    415: Answer("The content type is not application/json.", LineProblem),
    503: Answer("Too many requests are waiting, or the bench is shutting down.", LineProblem),
}
PAGE = Operation("page", "The page.", {200: Answer("HTML.", None, "text/html")})
DESCRIPTION = Operation("description", "This description.", {200: Answer("OpenAPI 3.1.", an_object)})
TABLE = Operation("table", "The table now, with its pins.", {200: Answer("The table.", _table)})
EVENTS = Operation(
    "events",
    "Every event, as server-sent events.",
    {200: Answer("The table's events.", None, STREAM), 503: problem_of("Too many streams are open.")},
)
CHOICES = Operation(
    "choices", "The choices: editions, readers, faults, acts.", {200: Answer("The choices.", an_object)}
)
LEDGER = Operation("ledger", "The latest rows of the ledger.", {200: Answer("The rows.", Rows)})
EXPORT = Operation(
    "export",
    f"A download: {', '.join(exports())}.",
    {
        200: Answer("The file.", None, *{media.partition(";")[0]: None for media, _ in exports().values()}),
        404: problem_of("There is no such file."),
    },
    parameters=[path_parameter("name")],
)
WIRING = Operation(
    "wiring", "The wiring as a drawing.", {200: Answer("SVG.", None, SVG), 404: problem_of("It cannot be drawn.")}
)
DO = Operation(
    "do",
    "Carry out lines of a play.",
    {200: DONE, 202: Answer("The clock is paused: the lines wait.", _table), **REFUSED},
    body=Lines,
)
DEMO = Operation("demo", "Play the demo of an accessory.", {200: DONE, **REFUSED}, body=Demo)
TIME = Operation("time", "Choose the pace of the clock.", {200: Answer("The clock.", ClockNow), **REFUSED}, body=Clock)
PHONES = Operation("phones", "The code with which a phone joins.", {200: Answer("The code.", ToJoin)})
LET_IN = Operation(
    "letIn",
    "Let phones open the table page, or only this machine.",
    {
        200: Answer("The page, at the address that it has now.", Page),
        404: Answer("The bench has no such page.", LineProblem),
        **REFUSED,
    },
    body=LetIn,
)
SCENE = Operation("scene", "The setup of the table, and the choices for another.", {200: Answer("It.", an_object)})
SET_SCENE = Operation("setScene", "Load a setup, with an empty ledger.", {200: DONE, **REFUSED}, body=SetupBody)
