# Two commands are all one needs: `make run` opens the bench, `make test` passes every test.
# Each target sets up what it needs in a virtual environment of its own beside this file.

working = $(firstword $(foreach p,$(1),$(shell $(p) -c 'import sys; print(sys.executable) if sys.version_info >= (3, 11) else None' 2>/dev/null)))

PYTHON ?= $(call working,python3 python3.11 python3.12 python3.13 $(wildcard $(HOME)/.pyenv/versions/3.1[1-9]*/bin/python))
PYTHON313 ?= $(call working,python3.13 $(wildcard $(HOME)/.pyenv/versions/3.13*/bin/python))
VENV := .venv
VENV313 := .venv-3.13
PIP := -m pip install --quiet --disable-pip-version-check
SETTING_UP = @echo "Setting up $(@D): the first time this takes a minute or two."
# a file of tests is never split: a browser, a sound card or a port is shared within it. Pages are waited for more than
# they are computed, so one file more is begun than there are processors
TEST_FLAGS ?= --numprocesses=$(shell expr $$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN) + 1) --dist=loadfile

.PHONY: help install run test test-3.13 test-vm test-vm-arm lint power-cuts soak bench translations parts drawings housings sounds format clean mutants

help:
	@echo "make run           open the bench: all three accessories on a virtual Pi, in your browser"
	@echo "sudo make install  put reboard on this Raspberry Pi, or upgrade it; ARGS=--help shows the options"
	@echo "make test          run every test, on Python 3.13 too where it is installed"
	@echo "make test-vm       install it on an emulated Pi with a real kernel, and play there; Debian 12"
	@echo "make test-vm-arm   most of that on a 64-bit Arm processor; slow"
	@echo "make lint          ruff, mypy --strict and the import rules"
	@echo "make power-cuts    simulate a power cut at every write; some minutes"
	@echo "make soak          random people at tables where everything breaks; all night, or SOAK_MINUTES=…"
	@echo "make mutants       put mistakes into the firmware, one at a time, and count those that the tests catch; about an hour"
	@echo "make bench         measure, and print the figures as tables"
	@echo "make translations  compile the display's other languages"
	@echo "make parts         generate the parts list and the tables of the guides from the data in hardware/"
	@echo "make drawings      draw the wiring, as SVG and as pictures"
	@echo "make housings      build the housings, as STL to print and as pictures"
	@echo "make sounds        compose the sounds, and write their WAV files"
	@echo "make format        let ruff lay out the code"
	@echo "make clean         remove all files that these targets have made"

run: $(VENV)/sim.installed
	$(VENV)/bin/reboard-sim $(ARGS)

install:
	@systemd/install $(ARGS)

test: $(VENV)/test.installed
	$(VENV)/bin/python -m pytest $(TEST_FLAGS)
ifneq ($(PYTHON313),)
	$(MAKE) --no-print-directory test-3.13
endif

# which Python serves a page is nothing to a browser, and which one makes a housing nothing to a printer: pages are worked
# and housings made once, on the first Python
test-3.13: $(VENV313)/test.installed
	REBOARD_BROWSER=none $(VENV313)/bin/python -m pytest $(TEST_FLAGS) --ignore=tests/hardware/housings

# What is needed is made once, and kept in ~/.cache/reboard-vm. A machine is waited for as much as it computes, so there is
# one more of them than processors.
VM_FLAGS ?= --numprocesses=$(shell expr $$(nproc) + 1) --dist=loadfile --no-loadscope-reorder
test-vm: VM_TESTS = tests/vm
test-vm-arm: export REBOARD_VM = arm64
test-vm-arm: VM_TESTS = tests/vm/test_play.py tests/vm/test_install.py

test-vm test-vm-arm: $(VENV)/test.installed
	$(VENV)/bin/python -m tests.vm.making.packages
	$(VENV)/bin/python -m tests.vm.making.at_play
	$(VENV)/bin/python -m pytest $(VM_TESTS) $(VM_FLAGS)

power-cuts: $(VENV)/test.installed
	$(VENV)/bin/python -m tests.reboard.accessories.banker_unit.power_cuts

translations: $(VENV)/test.installed
	$(VENV)/bin/pybabel compile --domain reboard --directory firmware/reboard/accessories/banker_unit/locale

parts: $(VENV)/test.installed
	$(VENV)/bin/python -m hardware.making parts guides

drawings: $(VENV)/test.installed
	$(VENV)/bin/python -m hardware.making drawings

housings: $(VENV)/test.installed
	$(VENV)/bin/python -m hardware.making housings

sounds: $(VENV)/test.installed
	$(VENV)/bin/python -m hardware.making sounds

# SOAK_SEED=… plays those evenings again
soak: $(VENV)/test.installed
	$(VENV)/bin/python -m tests.soak.night

# ARGS="--area motor --json build/motor.json" measures one area and keeps every result
mutants: $(VENV)/test.installed
	$(VENV)/bin/python -m tests.mutants $(ARGS)

lint: $(VENV)/lint.installed
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

format: $(VENV)/lint.installed
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

bench: $(VENV)/bench.installed
	$(VENV)/bin/python -m benchmarks

clean:
	rm -rf $(VENV) $(VENV313) build artefacts *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -rf .import_linter_cache firmware/*.egg-info sim/*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "reboard needs Python 3.11 or newer; name one: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV) || { echo "On Debian and Ubuntu: sudo apt install python3-venv"; rm -rf $(VENV); exit 1; }

$(VENV313)/bin/python:
	$(PYTHON313) -m venv $(VENV313)

$(VENV)/sim.installed: pyproject.toml setup.py | $(VENV)/bin/python
	$(SETTING_UP)
	$(VENV)/bin/python $(PIP) -e '.[sim]'
	@touch $@

$(VENV)/test.installed $(VENV313)/test.installed: %/test.installed: pyproject.toml setup.py | %/bin/python
	$(SETTING_UP)
	$*/bin/python $(PIP) -e '.[test]'
	@touch $@

# mypy reads the tests as well, so it needs their packages
$(VENV)/lint.installed: pyproject.toml setup.py | $(VENV)/bin/python
	$(SETTING_UP)
	$(VENV)/bin/python $(PIP) -e '.[test,lint]'
	@touch $@

# libraries for comparison; one that cannot be installed is left out, and the table says so
$(VENV)/bench.installed: pyproject.toml setup.py | $(VENV)/bin/python
	$(SETTING_UP)
	$(VENV)/bin/python $(PIP) -e '.[test]'
	@for rival in pyalsaaudio "simpleaudio; python_version < '3.12'"; do \
	    $(VENV)/bin/python $(PIP) "$$rival" >>$(VENV)/rivals.log 2>&1 || \
	    echo "$${rival%%;*} cannot be installed here, so it is not measured. $(VENV)/rivals.log has the reason."; done
	@touch $@
