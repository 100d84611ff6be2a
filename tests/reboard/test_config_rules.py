from __future__ import annotations

from pathlib import Path

import pytest

from reboard.config import SLOT_KINDS, BankConfig, load_config
from reboard.errors import ConfigError
from reboard.settings.kinds import Section

PIN = "must be a pin, by its BCM number from 2 to 27, and is"
QUOTES = 'must be a text in "quotes", one line of 1 to 200 characters, and is'


HASHED_PIN = f"scrypt${22 * 'A'}==${43 * 'A'}="
BLOCK = "[block]\nbutton = 17\n"
APPLE = "[apple]\nlever = 22\n"
SLOT_KINDS_NAMED = " or ".join(f'"{kind}"' for kind in SLOT_KINDS)
SLOT = 'reader = "rdm6300", port = "/dev/a"'
KEYPAD = "keypad = {{ rows = {rows}, columns = [4, 5, 6, 7] }}"

RULES: dict[str, tuple[str, str, str]] = {
    # the rule: what it allows, what it does not, and what is told about that
    "a pin has a number": (
        "[block]\nbutton = 27",
        "[block]\nbutton = 28",
        f"2: block.button {PIN} 28",
    ),
    "a pin is not below 0": ("[block]\nbutton = 2", "[block]\nbutton = -1", f"2: block.button {PIN} -1"),
    "a pin is a whole number": ("[block]\nbutton = 4", "[block]\nbutton = 4.0", f"2: block.button {PIN} 4.0"),
    "true is no pin": ("[block]\nbutton = 4", "[block]\nbutton = true", f"2: block.button {PIN} true"),
    "a word is no pin": ("[block]\nbutton = 4", '[block]\nbutton = "GPIO4"', f'2: block.button {PIN} "GPIO4"'),
    "pins 0 and 1 are taken": (
        "[block]\nbutton = 2",
        "[block]\nbutton = 1",
        f"2: block.button {PIN} 1: pins 0 and 1 belong to the memory chip of add-on boards (HATs)",
    ),
    "a lamp has a pin of its own": (
        BLOCK + "lamp = 18",
        BLOCK + "lamp = 17",
        "3: block.lamp takes pin 17, which block.button (line 2) has already",
    ),
    "two accessories do not share a pin, whichever comes first": (
        "[apple]\nlever = 22\n[block]\nbutton = 17",
        "[apple]\nlever = 17\n[block]\nbutton = 17",
        "4: block.button takes pin 17, which apple.lever (line 2) has already",
    ),
    "a button is needed": ("[block]\nbutton = 4", "[block]\nlamp = 4", '1: [block] needs the key "button"'),
    "a lever is needed": ("[apple]\nlever = 4", "[apple]\nseconds = 9", '1: [apple] needs the key "lever"'),
    "a section is a table": (
        "block = { button = 4 }",
        "block = 4",
        "1: block must be a table with the keys button, lamp, odds, bag, quiet, linked, and is 4",
    ),
    "a flag is true or false": (
        BLOCK + "bag = true",
        BLOCK + "bag = 1",
        "3: block.bag must be true or false, and is 1",
    ),
    "quiet is a flag too": (
        BLOCK + "quiet = false",
        BLOCK + 'quiet = "no"',
        '3: block.quiet must be true or false, and is "no"',
    ),
    "what the block brings is booked by a bank": (
        'edition = "super-mario"\n[bank]\n' + BLOCK + "linked = true",
        'edition = "super-mario"\n' + BLOCK + "linked = true",
        "4: block.linked books on the banker unit's cards, and there is no [bank]",
    ),
    "what the block brings is booked in an edition that says how much": (
        'edition = "super-mario"\n[bank]\n' + BLOCK + "linked = true",
        'edition = "world"\n[bank]\n' + BLOCK + "linked = true",
        "5: block.linked needs an edition that says in its [block] what to book, as super-mario does, and this is "
        "world",
    ),
    "a bank that is wrong is there all the same": (
        'edition = "super-mario"\n[bank]\n' + BLOCK + "linked = true",
        'edition = "super-mario"\nbank = 1\n' + BLOCK + "linked = true",
        f"2: bank must be a table with the keys {', '.join(Section(BankConfig).keys)}, and is 1",
    ),
    "an edition that there is not says nothing of the block": (
        'edition = "super-mario"\n[bank]\n' + BLOCK + "linked = true",
        'edition = "super-marios"\n[bank]\n' + BLOCK + "linked = true",
        "1: edition must be classic-de, classic-de/speed-die, nintendo, nintendo/short, squishmallows, super-mario, "
        "world, world/quick, or the path of a file that ends "
        'in .toml, and is "super-marios"; did you mean "super-mario"?',
    ),
    "a block that is not linked needs no bank": (
        BLOCK + "linked = false",
        BLOCK + "linked = 1",
        "3: block.linked must be true or false, and is 1",
    ),
    "a weight is no more than 1000": (
        BLOCK + "odds.laugh = 1000",
        BLOCK + "odds.laugh = 1001",
        "3: block.odds.laugh must be a whole number from 0 to 1000, and is 1001",
    ),
    "a weight is not true": (
        BLOCK + "odds.game_over = 1",
        BLOCK + "odds.game_over = true",
        "3: block.odds.game_over must be a whole number from 0 to 1000, and is true",
    ),
    "coins are weighed up to six": (
        BLOCK + "odds = { coins = [1, 2, 3, 4, 5, 6] }",
        BLOCK + "odds = { coins = [1, 2, 3, 4, 5, 6, 7] }",
        "3: block.odds.coins must be a list of 1 to 6, and is a list of 7",
    ),
    "coins are weighed at all": (
        BLOCK + "odds = { coins = [1] }",
        BLOCK + "odds = { coins = [] }",
        "3: block.odds.coins must be a list of 1 to 6, and is a list of 0",
    ),
    "an entry that is wrong makes nothing else wrong": (
        BLOCK + "odds = { coins = [1], laugh = 0, power_up = 0, game_over = 0 }",
        BLOCK + "odds = { coins = [-1], laugh = 0, power_up = 0, game_over = 0 }",
        "3: block.odds.coins entry 1 must be a whole number from 0 to 1000, and is -1",
    ),
    "an entry of a list is told by its number and line": (
        BLOCK + "odds.coins = [\n1,\n2,\n]",
        BLOCK + "odds.coins = [\n1,\n-2,\n]",
        "5: block.odds.coins entry 2 must be a whole number from 0 to 1000, and is -2",
    ),
    "the apple's motor stays still while a Pi starts": (
        APPLE + "motor = 9",
        APPLE + "motor = 8",
        "3: apple.motor must be a pin from 9 to 27, and is 8: "
        "a Pi pulls pins 0 to 8 high while it starts, and the worms would dance on their own",
    ),
    "the apple takes 5 s or more": (
        APPLE + "seconds = 5",
        APPLE + "seconds = 4.9",
        "3: apple.seconds must be a number from 5 to 120 seconds, and is 4.9",
    ),
    "the apple takes 120 s or less": (
        APPLE + "seconds = 120.0",
        APPLE + "seconds = inf",
        "3: apple.seconds must be a number from 5 to 120 seconds, and is inf",
    ),
    "seconds are a number": (
        APPLE + "seconds = 5.5",
        APPLE + "seconds = nan",
        "3: apple.seconds must be a number from 5 to 120 seconds, and is nan",
    ),
    "true is no number": (
        APPLE + "pattern = [[1, 1]]",
        APPLE + "pattern = [[true, 1]]",
        "3: apple.pattern entry 1 entry 1 must be a number from 0.2 to 1 of full power, and is true",
    ),
    "a step is a pair": (
        APPLE + "pattern = [[1, 1]]",
        APPLE + "pattern = [[1]]",
        "3: apple.pattern entry 1 must be [level, seconds], and is a list of 1",
    ),
    "a step is strong enough to turn the motor": (
        APPLE + "pattern = [[0.2, 1]]",
        APPLE + "pattern = [[0.1, 1]]",
        "3: apple.pattern entry 1 entry 1 must be a number from 0.2 to 1 of full power, and is 0.1",
    ),
    "a step is not too short": (
        APPLE + "pattern = [[1, 0.1]]",
        APPLE + "pattern = [[1, 0.01]]",
        "3: apple.pattern entry 1 entry 2 must be a number from 0.1 to 10 seconds, and is 0.01",
    ),
    "a pattern has up to 32 steps": (
        APPLE + f"pattern = {[[1, 1]] * 32}",
        APPLE + f"pattern = {[[1, 1]] * 33}",
        "3: apple.pattern must be a list of 1 to 32, and is a list of 33",
    ),
    "a slot says what reads it": (
        f"[bank]\nleft = {{ {SLOT} }}",
        '[bank]\nleft = { port = "/dev/a" }',
        f'2: [bank.left] needs the key "reader", which is {SLOT_KINDS_NAMED}',
    ),
    "an empty table is no slot": (
        f"[bank]\nleft = {{ {SLOT} }}",
        "[bank]\nleft = {}",
        f'2: [bank.left] needs the key "reader", which is {SLOT_KINDS_NAMED}',
    ),
    "a slot is a table": (
        f"[bank]\nleft = {{ {SLOT} }}",
        "[bank]\nleft = 'rdm6300'",
        '2: bank.left must be a table like { reader = "rdm6300", … }, and is "rdm6300"',
    ),
    "a reader is one we know": (
        f"[bank]\nright = {{ {SLOT} }}",
        '[bank]\nright = { reader = "RDM630", port = "/dev/a" }',
        f'2: bank.right.reader must be {SLOT_KINDS_NAMED}, and is "RDM630"; did you mean "rdm6300"?',
    ),
    "original cards are felt by three switches": (
        '[bank]\nleft = { reader = "bumps", pins = [7, 8, 9] }',
        '[bank]\nleft = { reader = "bumps", pins = [7, 8] }',
        "2: bank.left.pins must be a list of 3, and is a list of 2",
    ),
    "a reader that types is a device file": (
        '[bank]\nleft = { reader = "keyboard", device = "/dev/input/event0" }',
        '[bank]\nleft = { reader = "keyboard", device = "event0" }',
        '2: bank.left.device must be a device file like "/dev/input/by-id/usb-…-event-kbd", and is "event0"',
    ),
    "two slots have two readers that type": (
        '[bank]\nleft = { reader = "keyboard", device = "/dev/input/event0" }',
        '[bank]\nleft = { reader = "keyboard", device = "/dev/k" }\nright = { reader = "keyboard", device = "/dev/k" }',
        "3: bank.right.device takes the device /dev/k, which bank.left.device (line 2) has already",
    ),
    "no two card switches share a pin": (
        '[bank]\nleft = { reader = "bumps", pins = [7, 8, 9] }',
        '[bank]\nleft = { reader = "bumps", pins = [7, 8, 9] }\nright = { reader = "bumps", pins = [9, 10, 11] }',
        "3: bank.right.pins entry 1 takes pin 9, which bank.left.pins entry 3 (line 2) has already",
    ),
    "a reader has a port": (
        f"[bank]\nright = {{ {SLOT} }}",
        '[bank]\nright = { reader = "rdm6300" }',
        '2: [bank.right] needs the key "port"',
    ),
    "a port is a device file": (
        f"[bank]\nright = {{ {SLOT} }}",
        '[bank]\nright = { reader = "rdm6300", port = "ttyUSB0" }',
        '2: bank.right.port must be a device file like "/dev/ttyUSB0", and is "ttyUSB0"',
    ),
    "a card is not held for ever": (
        f"[bank]\nright = {{ {SLOT}, hold_s = 5 }}",
        f"[bank]\nright = {{ {SLOT}, hold_s = 6 }}",
        "2: bank.right.hold_s must be a number from 0.1 to 5 seconds, and is 6",
    ),
    "a reader that hears no removal has no time to wait for one": (
        '[bank]\nleft = { reader = "pn532", port = "/dev/a", hold_s = 1 }',
        '[bank]\nleft = { reader = "id12", port = "/dev/a", hold_s = 1 }',
        '2: [bank.left] has no key "hold_s": its keys are reader, port',
    ),
    "a port serves one slot, whatever reads it": (
        '[bank]\nleft = { reader = "id12", port = "/dev/a" }\nright = { reader = "pn532", port = "/dev/b" }',
        '[bank]\nleft = { reader = "id12", port = "/dev/a" }\nright = { reader = "pn532", port = "/dev/a" }',
        "3: bank.right.port takes the port /dev/a, which bank.left.port (line 2) has already",
    ),
    "a port serves one slot": (
        f'[bank]\nleft = {{ {SLOT} }}\nright = {{ reader = "rdm6300", port = "/dev/b" }}',
        f"[bank]\nleft = {{ {SLOT} }}\nright = {{ {SLOT} }}",
        "3: bank.right.port takes the port /dev/a, which bank.left.port (line 2) has already",
    ),
    "the header's serial port serves one slot under all its names": (
        '[bank.left]\nreader = "rdm6300"\nport = "/dev/ttyAMA0"\n[bank.right]\nreader = "rdm6300"\nport = "/dev/b"',
        '[bank.left]\nreader = "rdm6300"\nport = "/dev/ttyAMA0"\n[bank.right]\nreader = "rdm6300"\nport = "/dev/ttyS0"',
        "6: bank.right.port takes pin 14, which bank.left.port (line 3) has already: "
        "pins 14 and 15 are the serial port /dev/ttyAMA0",
    ),
    "a reader on the header takes its pins": (
        f"[block]\nbutton = 15\n[bank]\nleft = {{ {SLOT} }}",
        '[block]\nbutton = 15\n[bank]\nleft = { reader = "rdm6300", port = "/dev/serial0" }',
        "4: bank.left.port takes pin 15, which block.button (line 2) has already: "
        "pins 14 and 15 are the serial port /dev/serial0",
    ),
    "a display on bus 1 takes its pins": (
        '[bank]\ndisplay = { driver = "hd44780-i2c", bus = 3 }\n[block]\nbutton = 3',
        '[bank]\ndisplay = { driver = "hd44780-i2c", bus = 1 }\n[block]\nbutton = 3',
        "4: block.button takes pin 3, which bank.display (line 2) has already: pins 2 and 3 are I²C bus 1",
    ),
    "a display takes them when its bus goes without saying": (
        '[bank]\ndisplay = { driver = "hd44780-i2c", bus = 3 }\n[block]\nbutton = 2',
        '[bank]\ndisplay = { driver = "hd44780-i2c" }\n[block]\nbutton = 2',
        "4: block.button takes pin 2, which bank.display (line 2) has already: pins 2 and 3 are I²C bus 1",
    ),
    "a display has a driver": (
        '[bank]\ndisplay = { driver = "hd44780-i2c" }',
        '[bank]\ndisplay = { driver = "hd44780" }',
        '2: bank.display.driver must be "hd44780-i2c", and is "hd44780"; did you mean "hd44780-i2c"?',
    ),
    "a bus has a number": (
        '[bank]\ndisplay = { driver = "hd44780-i2c", bus = 0 }',
        '[bank]\ndisplay = { driver = "hd44780-i2c", bus = "/dev/i2c-1" }',
        '2: bank.display.bus must be a whole number from 0 to 255, and is "/dev/i2c-1"',
    ),
    "a display's address is one a PCF8574 can have": (
        '[bank]\ndisplay = { driver = "hd44780-i2c", address = 0x20 }',
        '[bank]\ndisplay = { driver = "hd44780-i2c", address = 0x28 }',
        "2: bank.display.address must be 0x20 to 0x27 (PCF8574) or 0x38 to 0x3F (PCF8574A), and is 40, which is 0x28",
    ),
    "a display's address is not written without its 0x": (
        '[bank]\ndisplay = { driver = "hd44780-i2c", address = 0x27 }',
        '[bank]\ndisplay = { driver = "hd44780-i2c", address = 27 }',
        "2: bank.display.address must be 0x20 to 0x27 (PCF8574) or 0x38 to 0x3F (PCF8574A), and is 27; "
        "did you mean 0x27?",
    ),
    "a keypad has four rows": (
        "[bank]\n" + KEYPAD.format(rows=[8, 9, 10, 11]),
        "[bank]\n" + KEYPAD.format(rows=[8, 9, 10]),
        "2: bank.keypad.rows must be a list of 4, and is a list of 3",
    ),
    "a keypad's wires are all different": (
        "[bank]\n" + KEYPAD.format(rows=[8, 9, 10, 11]),
        "[bank]\n" + KEYPAD.format(rows=[8, 9, 8, 11]),
        "2: bank.keypad.rows entry 3 takes pin 8, which bank.keypad.rows entry 1 (line 2) has already",
    ),
    "a keypad has columns": (
        "[bank]\n" + KEYPAD.format(rows=[8, 9, 10, 11]),
        "[bank]\nkeypad.rows = [8, 9, 10, 11]",
        '2: [bank.keypad] needs the key "columns"',
    ),
    "a tag is hex": (
        '[bank]\ncards = ["62E3086CED"]',
        '[bank]\ncards = ["62E3086CEX"]',
        '2: bank.cards entry 1 must be a card\'s tag, 4 to 20 hex digits or "bumps-1" to "bumps-7", '
        'and is "62E3086CEX"',
    ),
    "an original card has one of seven codes": (
        '[bank]\ncards = ["bumps-7"]',
        '[bank]\ncards = ["bumps-8"]',
        '2: bank.cards entry 1 must be a card\'s tag, 4 to 20 hex digits or "bumps-1" to "bumps-7", and is "bumps-8"',
    ),
    "a card has one number": (
        '[bank]\ncards = ["62E3086CED", "62E3086CEE"]',
        '[bank]\ncards = ["62E3086CED", "62e3086ced"]',
        "2: bank.cards entry 2 takes the card 62E3086CED, which bank.cards entry 1 (line 2) has already",
    ),
    "a name fits beside an amount": (
        '[bank]\nnames = ["Gwendola"]',
        '[bank]\nnames = ["Gwendolyn"]',
        '2: bank.names entry 1 must be a name of at most 8 characters that the display can show, and is "Gwendolyn"',
    ),
    "a name can be shown": (
        '[bank]\nnames = ["Zoë", "Jürgen", "Weiß"]',
        '[bank]\nnames = ["安娜"]',
        '2: bank.names entry 1 must be a name of at most 8 characters that the display can show, and is "安娜"',
    ),
    "a name is not blank": (
        '[bank]\nnames = ["A B"]',
        '[bank]\nnames = [" "]',
        '2: bank.names entry 1 must be a name of at most 8 characters that the display can show, and is " "',
    ),
    "a name is not the bank's": (
        '[bank]\nnames = ["Banker", "Frank"]',
        '[bank]\nnames = ["Anna", "Bank"]',
        '2: bank.names entry 2 must be other than the names of bank, pot and cards, and is "Bank"',
    ),
    "a name is no card's": (
        '[bank]\nnames = ["Cardigan", "Karte"]',
        '[bank]\nnames = ["CARD 5"]',
        '2: bank.names entry 1 must be other than the names of bank, pot and cards, and is "CARD 5"',
    ),
    "a name is no card's in another language or with an accent": (
        '[bank]\nnames = ["Karla"]',
        '[bank]\nnames = ["Kàrte 5"]',
        '2: bank.names entry 1 must be other than the names of bank, pot and cards, and is "Kàrte 5"',
    ),
    "two players have two names": (
        '[bank]\nnames = ["Anna", "Ben"]',
        '[bank]\nnames = ["Anna", "Anna"]',
        "2: bank.names entry 2 takes the name Anna, which bank.names entry 1 (line 2) has already",
    ),
    "the display speaks two languages": (
        '[bank]\nlanguage = "de"',
        '[bank]\nlanguage = "fr"',
        '2: bank.language must be "en" or "de", and is "fr"',
    ),
    "there are eight cards at most": (
        f"[bank]\ncards = {[f'000{n}' for n in range(8)]}",
        f"[bank]\ncards = {[f'000{n}' for n in range(9)]}",
        "2: bank.cards must be a list of 0 to 8, and is a list of 9",
    ),
    "a sound library is one we know": (
        BLOCK + '[speaker]\nlibrary = "silent"',
        BLOCK + '[speaker]\nlibrary = "asla"',
        '4: speaker.library must be "alsa" or "aplay" or "sounddevice" or "simpleaudio" or "silent", and is "asla"; '
        'did you mean "alsa"?',
    ),
    "a device is a text": (
        BLOCK + '[speaker]\ndevice = "plughw:1,0"',
        BLOCK + "[speaker]\ndevice = 1",
        f"4: speaker.device {QUOTES} 1",
    ),
    "a device has a name": (
        BLOCK + f'[speaker]\ndevice = "{"x" * 200}"',
        BLOCK + f'[speaker]\ndevice = "{"x" * 201}"',
        f"4: speaker.device {QUOTES} a text of 201 characters",
    ),
    "the volume goes up to 4": (
        BLOCK + "[speaker]\nvolume = 4",
        BLOCK + "[speaker]\nvolume = 5",
        "4: speaker.volume must be a whole number from 0 to 4, and is 5",
    ),
    "a folder has a name": (
        BLOCK + '[speaker]\nfolder = "my sounds"',
        BLOCK + '[speaker]\nfolder = ""',
        f'4: speaker.folder {QUOTES} ""',
    ),
    "a page has a port": (
        BLOCK + '[page]\nlisten = "table.local:65535"',
        BLOCK + '[page]\nlisten = "localhost"',
        '4: page.listen must be an address and a port from 1 to 65535, like "127.0.0.1:8080", and is "localhost"; '
        '"0.0.0.0:8080" lets everybody in your home network in',
    ),
    "a port is no more than 65535": (
        BLOCK + '[page]\nlisten = "localhost:65535"',
        BLOCK + '[page]\nlisten = "localhost:65536"',
        '4: page.listen must be an address and a port from 1 to 65535, like "127.0.0.1:8080", '
        'and is "localhost:65536"; "0.0.0.0:8080" lets everybody in your home network in',
    ),
    "a port is no less than 1": (
        BLOCK + '[page]\nlisten = "localhost:1"',
        BLOCK + '[page]\nlisten = "localhost:0"',
        '4: page.listen must be an address and a port from 1 to 65535, like "127.0.0.1:8080", '
        'and is "localhost:0"; "0.0.0.0:8080" lets everybody in your home network in',
    ),
    "a page has an address": (
        BLOCK + '[page]\nlisten = "[fe80::1]:8080"',
        BLOCK + '[page]\nlisten = "[fe80:::1]:8080"',
        '4: page.listen must be an address and a port from 1 to 65535, like "127.0.0.1:8080", '
        'and is "[fe80:::1]:8080"; "0.0.0.0:8080" lets everybody in your home network in',
    ),
    "a PIN does not stand in the file": (
        BLOCK + f'[page]\npin = "{HASHED_PIN}"',
        BLOCK + '[page]\npin = "4711"',
        "4: page.pin must be what `reboard pin` prints: a PIN does not stand here as it is typed",
    ),
    "nor does it as a number": (
        BLOCK + f'[page]\npin = "{HASHED_PIN}"',
        BLOCK + "[page]\npin = 4711",
        "4: page.pin must be what `reboard pin` prints: a PIN does not stand here as it is typed",
    ),
    "a directory is a text of one line": (
        BLOCK + '[state]\ndirectory = "/srv/table"',
        BLOCK + '[state]\ndirectory = "a\\nb"',
        f'4: state.directory {QUOTES} "a\\nb"',
    ),
    "an edition is in the box": (
        'edition = "classic-de"\n' + BLOCK,
        'edition = "Word"\n' + BLOCK,
        "1: edition must be classic-de, classic-de/speed-die, nintendo, nintendo/short, squishmallows, super-mario, "
        "world, world/quick, or the path of a file that ends "
        'in .toml, and is "Word"; did you mean "world"?',
    ),
    "a key is one we know": (
        BLOCK + "lamp = 27",
        BLOCK + "lamb = 27",
        '3: [block] has no key "lamb"; did you mean "lamp"?',
    ),
    "a key far from all others brings the list of them": (
        APPLE + "motor = 9",
        APPLE + "colour = 9",
        '3: [apple] has no key "colour": its keys are lever, motor, seconds, pattern',
    ),
    "a section is one we know": (
        BLOCK + APPLE,
        BLOCK + "[appel]\nlever = 22",
        '3: the file has no key "appel"; did you mean "apple"?',
    ),
    "a slot's keys are known too": (
        f"[bank]\nleft = {{ {SLOT}, hold_s = 1 }}",
        f"[bank]\nleft = {{ {SLOT}, hold = 1 }}",
        '2: [bank.left] has no key "hold"; did you mean "hold_s"?',
    ),
    "a motor that is held fast takes no less than one that turns": (
        BLOCK + "[wiring.motor]\nrunning_ma = 300\nstalled_ma = 300",
        BLOCK + "[wiring.motor]\nrunning_ma = 300\nstalled_ma = 299",
        "5: wiring.motor.stalled_ma must be at least running_ma, which is 300, and is 299: "
        "a motor takes most when it starts and when it is held fast",
    ),
    "what a motor takes is held against what is usual for the other state": (
        BLOCK + "[wiring]\nmotor = { stalled_ma = 160 }",
        BLOCK + "[wiring]\nmotor = { stalled_ma = 159 }",
        "4: wiring.motor.stalled_ma must be at least running_ma, which is 160 when it is left out, and is 159: "
        "a motor takes most when it starts and when it is held fast",
    ),
    "a motor that takes much while it turns takes more when it is held fast": (
        BLOCK + "[wiring.motor]\ndriver = 'mosfet'\nrunning_ma = 1500",
        BLOCK + "[wiring.motor]\ndriver = 'mosfet'\nrunning_ma = 1501",
        "5: wiring.motor.running_ma must be no more than stalled_ma, which is 1500 when it is left out, and is 1501: "
        "a motor takes most when it starts and when it is held fast",
    ),
    "something is plugged in": (
        "[bank]",
        'edition = "world"',
        "1: nothing is plugged in: there is no [block], no [apple] and no [bank]",
    ),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "table.toml"


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_lets_through_what_it_should(rule: str, file: Path) -> None:
    allowed, _, _ = RULES[rule]
    file.write_text(allowed, encoding="utf-8")
    load_config(file)


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_tells_what_is_wrong_and_nothing_else(rule: str, file: Path) -> None:
    _, forbidden, told = RULES[rule]
    file.write_text(forbidden, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_config(file)
    assert str(caught.value) == f"{file}:{told}"
