"""What the documents quote of other programs and products, of examples, and of names that the code puts together."""

FOREIGN = {
    # Linux, its kernel and systemd
    "RestartSteps=",
    "dmix",
    "fg",
    "gpio-sim",
    "raspi-config nonint do_hostname reboard",
    "sudo nano /etc/reboard/table.toml",
    "sudo ls -l /var/lib/reboard",
    "sudo usermod -aG reboard,reboard-control $USER",
    "dtoverlay=uart3",
    "http://raspberrypi.local:8080",
    # mosquitto
    "/etc/mosquitto/conf.d/hall.conf",
    "mosquitto_sub -h 192.168.1.10 -v -t 'reboard/#'",
    "sudo systemctl restart mosquitto",
    "-p 8883 --cafile ca.crt -u NAME -P PASSWORD",
    # Home Assistant
    "recorder.purge_entities",
    # browsers and phones
    "HttpOnly",
    "SameSite=Strict",
    "Sec-Fetch-Site",
    # Python
    ". .venv/bin/activate",
    "PYTHONPATH=/usr/lib/reboard python3 dance.py",
    "python3 traffic_light.py",
    "from reboard import ScoringBuzzer",
    "help(QuestionBlock)",
    "looptime",
    "pynput",
    # what is printed on parts
    "CR80",
    "TK4100",
    # a release: GitHub's and PyPI's names, and the tag
    "pypi",
    "release.yml",
    "## [Unreleased]",
    "git tag v0.3.0 && git push origin v0.3.0",
    # examples
    "1379",
    "berlin-3",
    "level_mv",
    "table-1.password",
    "?edition=world&do=press+block",
    'edition = "grandmas-rules.toml/evening"',
    # an accessory of one's own
    "[outcomes.buzzer]",
    'class Score(Request, do="buzzer_score")',
    'game.speaker.play("horn")',
    "led = { red = 5, green = 6, blue = 26 }",
    "reboard_buzzer/accessory.py",
    "reboard_buzzer/panel/picture.svg",
    "reboard_buzzer/sounds/horn.wav",
    "tests/buzzer.play",
    'WIN = OutcomeKind("win", "a win")',
    # names that the code puts together
    "/var/lib/reboard.before-read-only",
    "REBOARD_PICTURES=1",
    "artefacts/",
    "display.fails",
    "display.hangs",
    "finger_gaps.check",
    "ledger.db.backup-1",
    "ledger.db.damaged-1",
    "ledger.db.lock",
    "reboard.kit.Accessory",
}
"""What is not in our code under this name."""
