# Two commands are all one needs: `make run` opens the bench, `make test` passes every test.
# Each target sets up what it needs in a virtual environment of its own beside this file.

working = $(firstword $(foreach p,$(1),$(shell $(p) -c 'import os, sys; print(os.path.realpath(sys.executable)) if sys.version_info >= (3, 11) else None' 2>/dev/null)))

PYTHON ?= $(call working,python3 python3.11 python3.12 python3.13 $(wildcard $(HOME)/.pyenv/versions/3.1[1-9]*/bin/python))
PYTHON313 ?= $(call working,python3.13 $(wildcard $(HOME)/.pyenv/versions/3.13*/bin/python))
# where the first Python is that of 3.13, the tests do not run twice
ANOTHER313 := $(filter-out $(PYTHON),$(PYTHON313))
VENV := .venv
VENV313 := .venv-3.13
VENV_CAD := .venv-cad
# the versions that the tests passed with, each held to its hash; setuptools too, which builds reboard itself
PINNED := --constraints constraints.txt --build-constraints constraints.txt
# the certificates of the system, as pip does
UV_INSTALL := $(VENV)/bin/uv pip install --quiet --system-certs --python
SETTING_UP = @echo "Setting up $(@D): the first time this takes a minute or two."
# a file of tests is never split: a browser, a sound card or a port is shared within it. Pages are waited for more than
# they are computed, so three files more are begun than there are processors. tests/conftest.py has their order
# a process that dies ends the run: its successor can wait for ever for a file of tests that is done
TEST_FLAGS ?= --max-worker-restart=0 --numprocesses=$(shell expr $$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN) + 3) --dist=loadfile --no-loadscope-reorder
# many tests start Python again and again: without stored bytecode each start compiles every module, which takes a second
unexport PYTHONDONTWRITEBYTECODE
# five minutes, after which a test counts as hanging, are too short for a machine that starts, for apt, and for all plays
PATIENT := --override-ini=faulthandler_timeout=3600

.PHONY: help deb deb-source card packaging-tools run environments test test-3.13 test-gpiozero test-lowest test-newest test-deb test-built-deb test-dist test-vm test-vm-arm test-raspi3b test-home-assistant test-static test-hardware hardware-tools lint power-cuts explore soak chaos bench translations parts drawings harness housings board sounds spice docs site site-documents static-bench format constraints upgrade dist release-files release-rehearsal clean mutants

help:
	@echo "make run           open the bench: all three accessories on a virtual Pi, in your browser"
	@echo "make deb           build the Debian package that puts reboard on a Raspberry Pi: build/reboard_VERSION_all.deb"
	@echo "make deb-source    build its source package, for Debian: build/reboard_VERSION.dsc"
	@echo "make card          collect all files of a memory card that installs reboard without a network: build/card"
	@echo "make test          run the tests, and what depends on Python most on 3.13 too, where it is installed; not those of test-deb, test-vm, test-raspi3b, test-home-assistant, spice and housings"
	@echo "make test-gpiozero run gpiozero's own tests on our pins, and the examples of its documentation on the bench"
	@echo "make test-lowest   run make test with the lowest versions that pyproject.toml allows of other packages"
	@echo "make test-newest   run make test with their newest versions"
	@echo "make test-deb      install the Debian package in a clean Debian, upgrade, go back, purge; needs root and mmdebstrap"
	@echo "make test-vm       install it on an emulated Pi with Debian trixie and a real kernel, and play there; on Debian 12"
	@echo "make test-vm-arm   most of that on a 64-bit Arm processor; slow"
	@echo "make test-raspi3b  start unmodified Debian on an emulated Raspberry Pi 3, with a real one's drivers"
	@echo "make test-home-assistant  show a table in the real Home Assistant; needs Python 3.13 and mosquitto"
	@echo "make test-static   build the bench in a browser, compare its plays with Python's, and visit it; needs Node.js and npm"
	@echo "make lint          ruff, mypy --strict, the import rules, oxlint for the scripts of the pages, reuse for the licences, and zizmor for the workflows"
	@echo "make power-cuts    simulate a power cut at every write; some minutes"
	@echo "make explore       try every sequence of keys and cards at the banker unit; hours, or ARGS=\"--depth 5 --seconds 600\""
	@echo "make soak          random people at tables where everything breaks; all night, or SOAK_MINUTES=…"
	@echo "make chaos         kill MQTT broker, bridges, hall and tables during an evening; no transfer is lost; ten minutes"
	@echo "make mutants       put mistakes into firmware and simulator, one at a time, and count those that the tests catch; some hours"
	@echo "make bench         measure, and print the figures as tables"
	@echo "make translations  bring the catalogue of each language up to date with the code"
	@echo "make parts         write the orders, the checklists and the spreadsheet of all parts from the data in hardware/"
	@echo "make drawings      draw the wiring as SVG and as pictures, and the perforated boards as SVG"
	@echo "make harness       draw the cables with WireViz; needs graphviz"
	@echo "make housings      build the housings with build123d (1 GB), as STL, 3MF, STEP and pictures, and test them"
	@echo "make board         route the carrier board and export it, with KiCad 9 or, as root, in a Debian that is made for it"
	@echo "make sounds        compose the sounds, and write their WAV files"
	@echo "make test-hardware build and test all of hardware/ again: housings, board, cables, circuits; as root; half an hour"
	@echo "make spice         simulate the circuits with ngspice, and compare the figures in the documents"
	@echo "make docs          write the tables of the documents, and the schema of MQTT, from code and data"
	@echo "make site          build the documents and the bench as a site, build/site; each broken link is an error"
	@echo "make format        let ruff lay out the code"
	@echo "make constraints   write constraints.txt after a change of the dependencies in pyproject.toml"
	@echo "make upgrade       write constraints.txt with the newest version of each package"
	@echo "make dist          build the wheel and the source archive"
	@echo "make test-dist     run the source archive's own tests with the wheel"
	@echo "make release-rehearsal  make all files of a release from a copy of the commit, twice, and install them; the package as root, with mmdebstrap"
	@echo "make clean         remove all files that these targets have made, but not build/*.deb"

run: $(VENV)/sim.installed
	$(VENV)/bin/reboard-sim $(ARGS)

# The commit, as version.py has it, in which a ZIP from GitHub has it. A copy without either counts as a commit of now.
VERSION_PY := firmware/reboard/version.py
COMMIT := $(or $(shell test -e .git && git log -1 --format="$$(sed -n 's/^COMMIT = "$$Format:\(.*\)$$"$$/\1/p' $(VERSION_PY))" \
    2>/dev/null || sed -n 's/^COMMIT = "\([0-9].*\)"$$/\1/p' $(VERSION_PY)),$(shell date +%s) unknown)
# debian/rules builds the package in build/deb. The changelog's date is that of the commit, so that each build of it is
# the same. A commit without the version's tag gets a higher version, so that apt installs it as an upgrade. Older packages stay.
# Debian 12 cannot satisfy Build-Depends: what Python needs is in a virtual environment.
PACKAGE = $(shell $(PYTHON) -c 'import sys; exec(sys.stdin.read()); print(build(sys.argv[1]))' '$(COMMIT)' <$(VERSION_PY))
PACKAGED := firmware sim systemd examples debian pyproject.toml setup.py constraints.txt README.md LICENSE CHANGELOG.md
PACKAGING := build-essential, debhelper-compat (= 13), dh-python
deb deb-source: packaging-tools $(VENV)/deb.installed
	rm -rf build/deb $(if $(filter deb,$@),build/reboard_$(PACKAGE)_*)
	mkdir -p build/deb/tests build/deb/hardware/guides
	cp -r $(PACKAGED) build/deb
	cp -r tests/plays build/deb/tests
	sed -i 's|^COMMIT = .*|COMMIT = "$(COMMIT)"|' build/deb/$(VERSION_PY)
	cp hardware/guides/*.toml build/deb/hardware/guides
	cp hardware/original-cards.toml build/deb/hardware
	find build/deb \( -name __pycache__ -o -name '*.egg-info' \) -prune -exec rm -rf {} +
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --only-binary :all: \
	    --require-hashes -r debian/vendored.txt --target build/deb/vendored
	rm -rf build/deb/vendored/bin build/deb/vendored/*.dist-info/INSTALLER build/deb/vendored/*.dist-info/REQUESTED
	$(if $(findstring +,$(PACKAGE)),{ printf 'reboard (%s) unstable; urgency=medium\n\n  * Built from a commit between two releases.\n\n -- %s  %s\n\n' \
	    '$(PACKAGE)' "$$(sed -n 's/^Maintainer: //p' debian/control)" "$$(date -R -d @$(firstword $(COMMIT)))"; \
	    cat debian/changelog; } >build/deb/debian/changelog)
	umask 022 && cd build/deb && DEB_BUILD_OPTIONS=nocheck PYTHON=$(abspath $(VENV))/bin/python \
	    dpkg-buildpackage --no-check-builddeps --no-sign --build=$(if $(filter deb,$@),binary,source)
	@echo "$(if $(filter deb,$@),To install it: sudo apt install --no-install-recommends ./build/reboard_$(PACKAGE)_all.deb,Built: build/reboard_$(PACKAGE).dsc)"

# apt needs no network on a 64-bit Pi with these files
card: deb
	rm -rf build/card
	sh systemd/card/collect.sh build/reboard_$(PACKAGE)_all.deb arm64 build/card/packages
	cp systemd/card/vendor-data build/reboard_$(PACKAGE)_all.deb build/card
	@echo "Copy the content of build/card to the boot partition of a card with Raspberry Pi OS Lite: docs/install.md"

packaging-tools:
	@dpkg-checkbuilddeps -d '$(PACKAGING)' debian/control || \
	    { echo "make deb needs: sudo apt install python3-venv build-essential debhelper dh-python"; exit 1; }

test: $(VENV)/test.installed
	$(VENV)/bin/python -m pytest $(TEST_FLAGS)
ifneq ($(ANOTHER313),)
	$(MAKE) --no-print-directory test-3.13
endif

# of make test
environments: $(VENV)/test.installed
ifneq ($(ANOTHER313),)
environments: $(VENV313)/test.installed
endif

# what depends on Python most: processes, threads, signals, files, SQLite, libraries; ci.yml runs all on 3.11 to 3.14
DEPENDS_ON_PYTHON := $(addprefix tests/reboard/,test_cli.py test_record.py test_aiotools.py \
    test_faulty_accessories.py service control config devices/audio devices/gpio devices/test_voice.py \
    devices/readers/test_pyserial.py devices/readers/test_input_device.py mqtt accessories/banker_unit/test_ledger.py \
    accessories/banker_unit/test_ledger_file.py accessories/banker_unit/test_backup.py web/test_app.py web/test_http_server.py)
test-3.13: $(VENV313)/test.installed
	$(VENV313)/bin/python -m pytest $(TEST_FLAGS) $(DEPENDS_ON_PYTHON)

# gpiozero's own tests, on our pins instead of its mock pins
test-gpiozero: $(VENV)/test.installed $(VENV)/gpiozero-suite $(VENV)/gpiozero-source
	$(VENV)/bin/python -m pytest tests/gpiozero_suite tests/examples/test_gpiozero_examples.py

$(VENV)/gpiozero-suite: tests/gpiozero_suite/requirements.txt | $(VENV)/test.installed
	rm -rf $@ $@.archive
	$(VENV)/bin/python -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: --no-build-isolation \
	    --require-hashes -r $< -d $@.archive
	mkdir $@
	tar --extract --gzip --strip-components=1 --directory $@ --file $@.archive/*.tar.gz

# no archive of gpiozero on PyPI has its examples, or the tests of release 2
GPIOZERO_SOURCE ?= https://github.com/gpiozero/gpiozero
$(VENV)/gpiozero-source:
	rm -rf $@ $@.clone
	git -c advice.detachedHead=false clone --quiet --depth 1 --branch v2.0.1.post3 $(GPIOZERO_SOURCE) $@.clone
	test "$$(git -C $@.clone rev-parse HEAD)" = 993d6a5e30a782f6ad080718e95d666125534b21
	mv $@.clone $@

test-lowest: VERSIONS = --resolution=lowest-direct
test-newest: VERSIONS = --upgrade
test-lowest test-newest: test-%: .venv-%/bin/python $(VENV)/bin/uv
	$(UV_INSTALL) $< $(VERSIONS) -e '.[sim]' --group test
	$< -m pytest $(TEST_FLAGS)

# What is needed is made once, and kept in ~/.cache/reboard-vm. A machine is waited for as much as it computes, so there is
# one more of them than processors.
VM_FLAGS ?= --max-worker-restart=0 --numprocesses=$(shell expr $$(nproc) + 1) --dist=loadfile --no-loadscope-reorder
test-vm: VM_TESTS = tests/vm
test-vm-arm: export REBOARD_VM = arm64
test-vm-arm: VM_TESTS = tests/vm/test_play.py tests/vm/test_install.py

test-vm test-vm-arm: $(VENV)/test.installed
	$(VENV)/bin/python -m tests.vm.making.packages vm
	$(VENV)/bin/python -m tests.vm.making.at_play
	$(VENV)/bin/python -m pytest $(PATIENT) $(VM_TESTS) $(VM_FLAGS)

test-raspi3b: $(VENV)/test.installed
	$(VENV)/bin/python -m tests.vm.making.packages raspi3b
	$(VENV)/bin/python -m pytest $(PATIENT) tests/raspi3b

# needs root and mmdebstrap; the clean Debian is kept in ~/.cache/reboard-vm
test-deb: deb
	$(MAKE) --no-print-directory test-built-deb

test-built-deb: $(VENV)/test.installed
	$(VENV)/bin/python -m pytest $(PATIENT) tests/deb

# the real Home Assistant, which takes 700 MB and a minute to install, is kept in ~/.cache/reboard-home-assistant
HOME_ASSISTANT := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/reboard-home-assistant
test-home-assistant: $(VENV)/test.installed $(HOME_ASSISTANT)/installed
	$(VENV)/bin/python -m pytest tests/home_assistant

$(HOME_ASSISTANT)/installed: tests/home_assistant/requirements.txt $(VENV)/bin/uv
	@test -n "$(PYTHON313)" || { echo "Home Assistant needs Python 3.13; name one: make PYTHON313=/path/to/python3.13"; exit 1; }
	$(SETTING_UP)
	$(PYTHON313) -m venv --clear $(@D)/venv
	$(UV_INSTALL) $(@D)/venv/bin/python -r $<
	@touch $@

power-cuts: $(VENV)/test.installed
	$(VENV)/bin/python -m tests.reboard.accessories.banker_unit.power_cuts

explore: $(VENV)/test.installed
	$(VENV)/bin/python -m tests.reboard.accessories.banker_unit.exploration $(ARGS)

translations: $(VENV)/test.installed
	$(VENV)/bin/python -m tests.translations

docs: $(VENV)/test.installed
	$(VENV)/bin/python -m docs.tables

# the board needs KiCad 9: where it is not installed, it is put into ~/.cache/reboard-hardware/trixie; as root, with
# mmdebstrap and 1.5 GB. The harness needs Graphviz
harness: $(VENV)/harness.installed
parts drawings harness board sounds: $(VENV)/test.installed
	$(VENV)/bin/python -m hardware.making $@

# build123d takes a gigabyte, so it has an environment of its own; `make test` reads the files that are kept
housings: $(VENV_CAD)/cad.installed
	$(VENV_CAD)/bin/python -m hardware.making housings
	$(VENV_CAD)/bin/python -m pytest tests/cad

# all that the heavy tools make, again: what they make must be what is kept. Another browser draws other pictures
test-hardware: hardware-tools housings docs parts drawings harness spice board
	@changed="$$(git status --porcelain -- hardware ':!*.png')"; test -z "$$changed" || \
	    { echo "$$changed"; echo "hardware/ is not as it was committed: it is stale, or has changes to commit."; exit 1; }

# each as program:package of Debian
HARDWARE_TOOLS := ngspice:ngspice dot:graphviz mmdebstrap:mmdebstrap
hardware-tools:
	@for tool in $(HARDWARE_TOOLS); do command -v $${tool%:*} >/dev/null || missing="$$missing $${tool#*:}"; done; \
	for browser in chromium-headless-shell chromium chromium-browser google-chrome; do \
	    command -v $$browser >/dev/null && found=$$browser; done; \
	test -n "$$found" || missing="$$missing chromium-headless-shell"; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ]; then apt-get update && apt-get install --yes $$missing; \
	else echo "make test-hardware needs: sudo apt install$$missing"; exit 1; fi

# after a change of a circuit or the code: .venv/bin/python -m hardware.making spice keeps the new figures
spice: $(VENV)/test.installed
	@command -v ngspice >/dev/null || { echo "make spice needs ngspice: sudo apt install ngspice"; exit 1; }
	$(VENV)/bin/python -m pytest $(TEST_FLAGS) --dist=load tests/spice

site: site-documents static-bench
	cp -r build/static-bench build/site/bench
	@echo "Open build/site/index.html. The bench in it needs a web server: python3 -m http.server -d build/site"

# without the bench, which takes half a minute and needs Node.js
site-documents: $(VENV)/site.installed
	rm -rf build/site
	$(VENV)/bin/sphinx-build -q -W --keep-going -E -c docs/site -d build/site-read . build/site

# the bench in a browser, without a server
static-bench: $(VENV)/sim.installed $(VENV)/browser.packages $(VENV)/pyodide.packages
	$(VENV)/bin/python -m docs.static_bench $(VENV)/browser $(VENV)/pyodide/node_modules/pyodide build/static-bench

# its plays are compared with those of Python, which takes some minutes
test-static: $(VENV)/test.installed static-bench
	$(VENV)/bin/python -m pytest $(PATIENT) tests/static_bench

# each is a wheel without machine code, so that it runs in WebAssembly
$(VENV)/browser.packages: pyproject.toml constraints.txt $(VENV)/bin/uv
	rm -rf $(VENV)/browser
	$(VENV)/bin/uv pip install --quiet --system-certs --target $(VENV)/browser --python-platform wasm32-pyodide2025 \
	    --python-version 3.14 --only-binary :all: $(PINNED) -r pyproject.toml --group browser
	@touch $@

$(VENV)/pyodide.packages: docs/static_bench/package.json docs/static_bench/package-lock.json | $(VENV)/bin/python
	@command -v node >/dev/null && command -v npm >/dev/null || \
	    { echo "make site needs Node.js 18 or newer, with npm: sudo apt install nodejs npm"; exit 1; }
	mkdir -p $(VENV)/pyodide
	cp $^ docs/static_bench/.npmrc $(VENV)/pyodide
	cd $(VENV)/pyodide && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# SOAK_SEED=… plays those evenings again
soak: $(VENV)/test.installed
	$(VENV)/bin/python -m tests.soak.night

# ARGS="--seed 7" kills at the same times again
chaos: $(VENV)/test.installed
	$(VENV)/bin/python -m tests.chaos $(ARGS)

# ARGS="--area motor --json build/motor.json" measures one area and keeps every result
mutants: $(VENV)/test.installed
	$(VENV)/bin/python -m tests.mutants $(ARGS)

lint: $(VENV)/lint.installed
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports
	$(VENV)/bin/oxlint --deny-warnings firmware sim
	$(VENV)/bin/reuse lint --quiet
	$(VENV)/bin/zizmor --quiet --offline .

format: $(VENV)/lint.installed
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

bench: $(VENV)/bench.installed
	$(VENV)/bin/python -m benchmarks

upgrade: UPGRADE = --upgrade
constraints upgrade: $(VENV)/bin/uv
	printf 'setuptools\nuv\n' | $(VENV)/bin/uv pip compile --quiet $(UPGRADE) --universal --python-version 3.11 \
	    --all-extras $(GROUPS:%=--group %) --generate-hashes --no-annotate --no-emit-index-url --no-emit-find-links \
	    --custom-compile-command 'make constraints' --output-file constraints.txt pyproject.toml -

# The same commit makes the same files in each folder: setuptools takes SOURCE_DATE_EPOCH for a wheel, but no date for a
# source archive. That has the commit's files, and the wheel is made from it, so both have the same modes.
dist: export SOURCE_DATE_EPOCH = $(firstword $(COMMIT))
dist: $(VENV)/bin/uv
	rm -rf dist build/dist
	$(VENV)/bin/uv build --quiet --build-constraints constraints.txt --sdist --out-dir build/dist
	cd build/dist && tar -xf *.tar.gz && sed -i 's|^COMMIT = .*|COMMIT = "$(COMMIT)"|' */$(VERSION_PY)
	mkdir dist
	cd build/dist && tar -c --sort=name --mtime=@$$SOURCE_DATE_EPOCH --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
	    --format=ustar */ | gzip -n >../../dist/$$(echo *.tar.gz)
	umask 022 && $(VENV)/bin/uv build --quiet --build-constraints constraints.txt --wheel dist/*.tar.gz
	@echo "Built:" dist/*

# the source archive's own tests, on the wheel: what is tested is what is published
test-dist: $(VENV)/bin/uv
	rm -rf build/archive
	mkdir -p build/archive
	tar -xf dist/*.tar.gz --strip-components=1 --directory build/archive
	$(PYTHON) -m venv build/archive/.venv
	$(UV_INSTALL) build/archive/.venv/bin/python $(PINNED) "$$(echo dist/*.whl)[sim]" --group test
	cd build/archive && .venv/bin/python -m pytest $(TEST_FLAGS) $(DIST_TESTS)

# What is published, in build/release. The software bills of materials (CycloneDX) have what is installed with the wheel and
# the extra sim, and what the Debian package brings; what that takes from Debian is in its Depends.
SBOM := $(VENV)/bin/cyclonedx-py environment --output-reproducible build/sbom --output-file build/release
release-files: dist deb $(VENV)/release.installed
	rm -rf build/release build/sbom
	mkdir -p build/release
	cp dist/*.whl dist/*.tar.gz build/reboard_$(PACKAGE)_all.deb build/release
	$(VENV)/bin/uv venv --quiet --python $(VENV)/bin/python build/sbom
	PYTHONPATH=build/deb/debian/reboard/usr/lib/reboard $(SBOM)/reboard_$(PACKAGE)_all.deb.cdx.json
	$(UV_INSTALL) build/sbom/bin/python $(PINNED) --find-links dist 'reboard[sim]==$(firstword $(subst +, ,$(PACKAGE)))'
	$(SBOM)/$$(basename dist/*.whl).cdx.json
	cd build/release && sha256sum * >SHA256SUMS

# all steps of a release but the last, on a copy of the commit
release-rehearsal: $(VENV)/bin/uv
	$(PYTHON) -m release.rehearsal build/rehearsal

# packages for a Pi stay: an older one is the way back
clean:
	rm -rf $(VENV) $(VENV313) $(VENV_CAD) .venv-lowest .venv-newest $(filter-out %.deb,$(wildcard build/*)) dist artefacts *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -rf .import_linter_cache firmware/*.egg-info sim/*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "reboard needs Python 3.11 or newer; name one: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "On Debian and Ubuntu: sudo apt install python3-venv"; rm -rf $(VENV); exit 1; }

$(VENV313)/bin/python:
	$(PYTHON313) -m venv $(VENV313)

.venv-lowest/bin/python .venv-newest/bin/python $(VENV_CAD)/bin/python:
	$(PYTHON) -m venv $(@D:/bin=)

# pip cannot hold an editable install to hashes, uv can
$(VENV)/bin/uv: constraints.txt | $(VENV)/bin/python
	@sed -n '/^uv==/,/[^\]$$/p' $< | \
	    $(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r /dev/stdin
	@touch $@

# one of pyproject.toml's extras, or of its groups, in a virtual environment
GROUPS := test lint site browser cad harness deb release public-drivers
.SECONDEXPANSION:
%.installed: pyproject.toml setup.py $(VENV)/bin/uv | $$(@D)/bin/python
	$(SETTING_UP)
	$(UV_INSTALL) $(@D)/bin/python $(PINNED) $(if $(filter $(GROUPS),$(*F)),-e '.[sim]' --group $(*F),-e '.[$(*F)]')
	@touch $@

# libraries for comparison; one that cannot be installed is left out, and the table says so
$(VENV)/bench.installed: pyproject.toml setup.py $(VENV)/bin/uv
	$(SETTING_UP)
	$(UV_INSTALL) $(@D)/bin/python $(PINNED) -e '.[sim]' --group test
	@for rival in pyalsaaudio "simpleaudio; python_version < '3.12'"; do \
	    $(UV_INSTALL) $(@D)/bin/python $(PINNED) "$$rival" >>$(VENV)/rivals.log 2>&1 || \
	    echo "$${rival%%;*} cannot be installed here, so it is not measured. $(VENV)/rivals.log has the reason."; done
	@touch $@
