"""The tables of what can be built: costs, wires and configs of the guides, the pieces of housings, what to buy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from docs.tables.markdown import lines, table
from hardware.making.builds import BUILDS, GUIDES
from hardware.making.cables import harness
from hardware.making.checklist import steps
from hardware.making.drawings import FOLDER
from hardware.making.housings.pieces import PIECES
from hardware.making.housings.printing import printed
from hardware.making.parts_files import order_lines
from hardware.making.parts_list import PIS, REASONS, USUAL_PI, Item, cost_eur, items
from reboard.devices.keypad import LEGEND
from reboard.devices.readers.reader_kind import READER_KINDS


def guides() -> str:
    """Return the table of what can be built."""
    rows = (
        (
            f"[{build.title}](guides/{build.config.removesuffix('.toml')}.md)",
            build.time,
            _euros(cost_eur(name)),
            f"[checklist](checklists/{name}.pdf), [order](orders/{name}.csv)",
        )
        for name, build in BUILDS.items()
    )
    return table("guide | time | parts --: | what to buy", rows)


def safety(build: str) -> str:
    """Return the first rules of the guide for a *build*, and where the others are."""
    rest = (
        "Besides [the rules for every accessory](before-you-begin.md#safety), those [for a motor](worm-apple.md) hold."
        if BUILDS[build].turns
        else "Pull the Pi's plug before each change of a wire, and let no wire with 5 V touch a pin. "
        "[All rules](before-you-begin.md#safety)."
    )
    return lines(f"**{BUILDS[build].warning}** {rest}", before="> ")


def costs(build: str) -> str:
    """Return what to read before a *build*, how long it takes, what its parts cost, and where to read on."""
    alone, with_pi = round(cost_eur(build)), round(cost_eur(build, USUAL_PI))
    return lines(
        f"Do [Before you begin](before-you-begin.md) first. It takes {BUILDS[build].time}. "
        f"The parts cost about {alone} €, with the Pi about {with_pi} €: "
        f"[checklist to print](../checklists/{build}.pdf), [alternatives and other Pis](../parts-list.md)."
    )


def wires(place: str) -> str:
    """Return the wires of a device of a build, such as ``block: lamp``. Raises ``KeyError`` for an unknown one."""
    build, _, title = place.partition(": ")
    step = {step.title: step for step in steps(harness(build).circuit)}[title]
    joins = table("net | joins", ((join.at, ", ".join(join.terminals)) for join in step.joins))
    texts = [lines("; ".join(step.parts)), joins]
    if title == "speaker":
        texts.append(lines("[Connect the speaker](before-you-begin.md#connect-the-speaker) and do its check."))
    return "\n\n".join(texts)


def drawing(build: str) -> str:
    """Return the sheets of the drawing of a *build*, and links to print them."""
    sheets = [build, *sorted(file.stem for file in FOLDER.glob(f"{build}-[0-9].svg"))]
    several = [f"sheet {number} of the drawing" for number, _ in enumerate(sheets, start=1)]
    names = several if sheets[1:] else ["the drawing"]
    pictures = [f"![{name.capitalize()}](../drawings/{sheet}.png)" for name, sheet in zip(names, sheets, strict=True)]
    to_print = (f"[{name}](../drawings/{sheet}.svg)" for name, sheet in zip(names, sheets, strict=True))
    return "\n\n".join([*pictures, f"To print: {', '.join(to_print)}."])


def key_labels() -> str:
    """Return the table of the keys at each row and column of the keypad."""
    columns = [f"C{number}" for number in range(1, len(LEGEND[0]) + 1)]
    return table(" | ".join(["", *columns]), ((f"**R{number}**", *row) for number, row in enumerate(LEGEND, start=1)))


def config(build: str) -> str:
    """Return how the Pi of a *build* is set up: the config and its place."""
    file = GUIDES / BUILDS[build].config
    command = f"sudo cp /usr/share/doc/reboard/examples/{file.name} /etc/reboard/table.toml"
    texts = [
        "Follow [Set up the Pi](before-you-begin.md#set-up-the-pi) with this config:",
        f"```sh\n{command}\n```",
        f"```toml\n{file.read_text(encoding='utf-8').rstrip()}\n```",
    ]
    return "\n\n".join(texts)


def pieces(housing: str) -> str:
    """Return how the pieces of a *housing* lie on the printer's bed, and their plastic and time."""
    rows = (
        (f"[{name}](housings/{housing}-{name}.stl)", piece.use, piece.lies_on, piece.material, *printed(housing, name))
        for name, piece in PIECES[housing].items()
    )
    return table("print | for | lies on its | of | g --: | h --:", rows)


def costs_of_builds() -> str:
    """Return the table of what each build costs, alone and with each Pi."""
    head = ["build", "parts --:", *(f"with a {model.name} --:" for model in PIS.values())]
    rows = (
        (build.title, *map(_euros, (cost_eur(name), *(cost_eur(name, pi) for pi in PIS))))
        for name, build in BUILDS.items()
    )
    return table(" | ".join(head), rows)


def _euros(price: float) -> str:
    return f"{round(price)} €"


def parts(build: str) -> str:
    """Return the lists of what to buy for a *build* with the usual Pi."""
    bought = [item for item in items() if item.quantity[build] and USUAL_PI in item.pi]
    lists = {
        "": [item for item in bought if not item.is_the_pis and not item.only_if],
        "For the Pi:": [item for item in bought if item.is_the_pis],
        **{f"Only if {why}:": [item for item in bought if item.only_if == why] for why in REASONS.values() if why},
    }
    lines_of_order = order_lines(build)
    numbered = sum(bool(line.mpn) for line in lines_of_order)
    order = f"[Order](orders/{build}.csv): {numbered} of {len(lines_of_order)} lines have a part number."
    texts = (text for title, some in lists.items() if some for text in (title, _list(build, some)) if text)
    return "\n\n".join([order, *texts])


def _list(build: str, some: Iterable[Item]) -> str:
    rows = (
        (
            item.amount(build),
            ": ".join(filter(None, [f"{item.function}, {item.value}", item.named_in(build)])),
            item.order_number,
            f"{item.price_eur:.2f} €",
            item.look_for,
            item.instead,
        )
        for item in some
    )
    return table("pieces | part | order number | each --: | what to look for | instead", rows)


def other_pis() -> str:
    """Return the table of the parts that only other Pis need."""
    rows = (
        (
            ", ".join(PIS[pi].name for pi in item.pi),
            f"{item.function}, {item.value}",
            item.order_number,
            f"{item.price_eur:.2f} €",
            item.look_for,
            item.instead,
        )
        for item in items()
        if USUAL_PI not in item.pi
    )
    return table("for a | part | order number | each --: | what to look for | instead", rows)


def pis() -> str:
    """Return the table of the settings of each Pi of the guides, and of its supply's plug."""
    rows = ((model.name, f'`"{name}"`', f"`{model.supply_a}`", model.plug) for name, model in PIS.items())
    return table("Pi | `pi` | `supply_a` | its supply's plug", rows)


def readers() -> str:
    """Return the table of the kinds of card readers."""
    rows = ((f"`{name}`", kind.title, kind.cards.reads) for name, kind in READER_KINDS.items())
    return table("kind | reader | reads", rows)


TABLES: Mapping[str, Callable[..., str]] = {
    "guides": guides,
    "safety": safety,
    "costs": costs,
    "drawing of": drawing,
    "wires": wires,
    "key labels": key_labels,
    "config": config,
    "pieces of": pieces,
    "costs of builds": costs_of_builds,
    "parts of": parts,
    "other Pis": other_pis,
    "Pis": pis,
    "readers": readers,
}
