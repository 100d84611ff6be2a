"""What the documents quote is in the code: names, commands, files, settings, lines of plays, and what pages say."""

from pathlib import Path

import pytest

from tests.documents.lookups import is_said, kind_of
from tests.documents.quotations import DOCUMENTS, TREE, blocks, code, texts

HISTORY = TREE / "CHANGELOG.md"
"""It quotes older versions."""

FOREIGN = {
    # Linux, its kernel and systemd
    "/var/cache/apt/archives/*.deb",
    "/var/log/cloud-init-output.log",
    "RestartSteps=",
    "dmix",
    "fg",
    "gpio-sim",
    "snd-aloop",
    "ssh",
    "sudo nano /etc/reboard/table.toml",
    # mosquitto
    "-p 8883 --cafile ca.crt -u NAME -P PASSWORD",
    "/etc/mosquitto/conf.d/hall.conf",
    "/etc/mosquitto/reboard/ca.crt",
    "mosquitto_sub -h 192.168.1.10 -v -t 'reboard/#'",
    "sudo systemctl restart mosquitto",
    "table-1.password",
    # browsers and phones
    "Add to Home Screen",
    "Add to home screen",
    "HttpOnly",
    "SameSite=Strict",
    "Sec-Fetch-Site",
    # Python
    ". .venv/bin/activate",
    "looptime",
    "os.fork",
    "pynput",
    # what is printed on parts
    "CR80",
    "TK4100",
    # examples
    "1379",
    "backticks",
    "berlin-3",
    "level_mv",
    "scp anna@reboard.local:reboard-copy.tar.gz .",
    "volume 1, by maria over MQTT",
    # an accessory of one's own
    "[outcomes.buzzer]",
    'await game.book("win")',
    'class Score(Request, do="buzzer_score")',
    "expect buzzer.lamp on",
    "fault stuck buzzer.left",
    'game.speaker.play("horn")',
    "insert sound_box.reader tag 04A2B3C4D0",
    "led = { red = 5, green = 6, blue = 26 }",
    "press buzzer.left",
    "reboard_buzzer/accessory.py",
    "reboard_buzzer/panel/picture.svg",
    "reboard_buzzer/sounds/horn.wav",
    "tests/buzzer.play",
    'WIN = OutcomeKind("win", "a win")',
    # names that the code puts together
    "/run/reboard-table",
    "/var/lib/reboard.before-read-only",
    "0x7265626f",
    "artefacts/",
    "artefacts/on-a-real-kernel.md",
    "display.fails",
    "display.hangs",
    "finger_gaps.check",
    "ledger.db.backup-1",
    "ledger.db.damaged-1",
    "ledger.db.lock",
    "reboard-carrier.kicad_*",
    "reboard.kit.Accessory",
    "table.toml.before-setup",
}
"""What is not in our code under this name."""

CHECKED = [document for document in DOCUMENTS if document != HISTORY]
each_document = pytest.mark.parametrize("document", CHECKED, ids=lambda path: str(path.relative_to(TREE)))


@each_document
def test_what_is_quoted_is_in_the_code(document: Path) -> None:
    # what a page's own blocks define can be quoted, too
    own = "".join(block.text for block in blocks(document))
    missing = [f"{text} (what is in quotes)" for text in texts(document) if not is_said(text.text)]
    missing += [
        f"{quotation} ({kind.name})"
        for quotation in code(document)
        if not (kind := kind_of(quotation.text)).lookup(quotation.text) and quotation.text not in own
    ]
    assert [each for each in missing if each.split(": ", 1)[1].rpartition(" (")[0] not in FOREIGN] == []


def test_each_foreign_name_is_quoted() -> None:
    quoted = {quotation.text for document in CHECKED for of in (code, texts) for quotation in of(document)}
    assert sorted(FOREIGN - quoted) == []
