# `make demo` and `make test` need Python 3.11 or newer, make and a package index; they set up the rest.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
# Files stay whole, so that what their tests share is made once; the slow ones come first. One thread for each process.
PYTEST := OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses 3 --dist loadfile --no-loadscope-reorder
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo papers test check fuzz bench docs clean setup help

help:
	@echo "make demo   measure the embedded model and write a report (a few minutes)"
	@echo "make papers run a small study of each of the four papers (less than an hour; stopped, it goes on)"
	@echo "make test   run every test"
	@echo "make check  lint, types and the fast tests"
	@echo "make fuzz   feed spoilt files to every reader (a few minutes; fails where one does not refuse in a sentence)"
	@echo "make bench  compare speed with other tools; needs minutes and a second environment"
	@echo "make docs   build the documentation into site/"
	@echo "make clean  remove everything that was built"

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "tiltmeter needs Python 3.11 or newer; set PYTHON=…"; exit 2; }
	@echo "setting up $(VENV) (once; the model library is a large download)"
	$(PYTHON) -m venv $(VENV)
	$(PIP) --constraint constraints.txt --editable '.[dev]'
	@touch $@

demo: $(STAMP)
	$(BIN)/tiltmeter demo

papers: $(STAMP)
	@for study in examples/papers/*.toml; do \
		$(BIN)/tiltmeter run $$study --out runs/papers/$$(basename $$study .toml) || exit; \
	done

test: $(STAMP)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(PYTEST)

check: $(STAMP)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(PYTEST) -m "not slow" --quiet

fuzz: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.fuzz --report docs/fuzz-report.md

docs: $(STAMP)
	$(PIP) --constraint constraints.txt --editable '.[docs]'
	$(BIN)/mkdocs build --strict

bench:
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[all]' \
		--requirement benchmarks/requirements.txt
	.venv-bench/bin/python benchmarks/pairs.py
	.venv-bench/bin/python benchmarks/generation.py --requests 8
	.venv-bench/bin/python benchmarks/harness.py

clean:
	rm -rf $(VENV) .venv-bench build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis src/*.egg-info
