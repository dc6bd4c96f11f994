# make play   the web app in the browser        make test   all tests
# make check  lint, types, direction of imports  make warm   compile everything once
# Tests compile one level below the usual (NUMBA_OPT=3): a fifth less time, and they compile nearly everything once.
# Both set up .venv on a fresh machine (Debian or Ubuntu with Python 3.11 or newer).

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml constraints.txt
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: play test check warm format clean

play: $(VENV)/play.done
	$(BIN)/spielwerk serve

test: $(VENV)/dev.done
	NUMBA_OPT=2 $(BIN)/python -m pytest -n 2 --dist loadgroup -m "not slow" --durations=20

check: $(VENV)/dev.done
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/dev.done
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

warm: $(VENV)/play.done
	$(BIN)/spielwerk warm

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("Spielwerk needs Python 3.11 or newer; set PYTHON=…" if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv $(VENV) || { echo "venv is missing: apt-get install python3-venv"; rm -rf $(VENV); exit 1; }

$(VENV)/play.done: $(BIN)/python $(SOURCES)
	$(INSTALL) -e '.[web]'
	@touch $@

$(VENV)/dev.done: $(BIN)/python $(SOURCES)
	$(INSTALL) -e '.[web,bridges,reference,learn,dev]'
	@touch $@
