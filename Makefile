# make install   a .venv with fsoft, every engine and the development tools
# make demo      a first look: one buggy program, its Program and its counterexample
# make test      the whole test suite          make lint   ruff, mypy, import order
# make docs      docs/cli.md, made from the code
# make bench     how fast C becomes a Program (FOLDERS=... to choose the C files)
# make fuzz      N random C programs against gcc, N broken files, N faults of each kind for each command

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
JOBS ?= 2
FOLDERS ?= models
N ?= 1000
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: install tools demo test lint docs bench fuzz clean
.DEFAULT_GOAL := install

install: $(STAMP)

# A machine for which some solver has no wheel still gets everything else.
$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --config-settings editable_mode=compat -e '.[all,dev]' \
	  || { echo "make: not every solver installs here; fsoft works without those that did not"; \
	       $(PIP) install --config-settings editable_mode=compat -e '.[dev]'; \
	       for extra in sat smt bdd aiger; do $(PIP) install --config-settings editable_mode=compat -e ".[$$extra]" || true; done; }
	@$(PIP) install --config-settings editable_mode=compat -e '.[pyeda]' >/dev/null 2>&1 || echo "make: pyeda does not build here; the engine bdd uses dd"
	@env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m compileall -q fsoft checkers || true
	touch $@

# Programs that tests compare with: csmith and a 32-bit gcc for C semantics, abc for circuits, chromium for reports. Tests that
# need a missing one skip and say so.
tools:
	@missing=""; \
	command -v csmith >/dev/null 2>&1 || missing="$$missing csmith"; \
	ls -d /usr/include/csmith* >/dev/null 2>&1 || missing="$$missing libcsmith-dev"; \
	command -v gdb >/dev/null 2>&1 || missing="$$missing gdb"; \
	command -v berkeley-abc >/dev/null 2>&1 || missing="$$missing berkeley-abc"; \
	command -v chromium >/dev/null 2>&1 || missing="$$missing chromium fonts-dejavu-core"; \
	echo 'int main(void){return 0;}' | gcc -m32 -x c -o /dev/null - >/dev/null 2>&1 || missing="$$missing gcc gcc-multilib libc6-dev"; \
	[ -z "$$missing" ] && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	  export DEBIAN_FRONTEND=noninteractive; \
	  { apt-get update -qq && apt-get install -y -qq --no-install-recommends $$missing; } >/dev/null 2>&1 \
	    || echo "make: could not install$$missing; tests that need them are skipped"; \
	else \
	  echo "make: not installed:$$missing; tests that need them are skipped (as root: apt-get install$$missing)"; \
	fi

# Programs with bugs and their repairs: the verdicts must be FALSE (exit code 10) and TRUE (0).
demo: install
	@set -e; run() { echo; echo "\$$ fsoft $$*"; code=0; $(BIN)/fsoft "$$@" || code=$$?; }; \
	run show models/classic/account.c -D UNLOCKED; \
	run check models/classic/account.c -D UNLOCKED --data-races-check; test $$code -eq 10; \
	run check models/sync/lost_wakeup.c -D GAP --deadlock-check; test $$code -eq 10; \
	run check models/sync/lost_wakeup.c --deadlock-check; test $$code -eq 0; \
	run check models/parametric/own_cells.c --data-races-check; test $$code -eq 0; \
	run check models/parametric/own_cells.c -D SHARED --data-races-check --no-trace; test $$code -eq 10; \
	if command -v gcc >/dev/null 2>&1; then run test models/sync/lost_wakeup.c -D GAP; test $$code -eq 10; fi

test: install tools
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal tests

lint: install
	$(BIN)/ruff check fsoft checkers tests benchmarks docs setup.py
	$(BIN)/ruff format --check --quiet fsoft checkers tests benchmarks docs setup.py
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

docs: install
	$(BIN)/python -m fsoft.cli.reference docs/cli.md

bench: install
	$(BIN)/python benchmarks/lowering.py $(FOLDERS)

fuzz: install tools
	$(BIN)/python -m tests.fuzz.compare --count $(N)
	$(BIN)/python -m tests.fuzz.broken_files --count $(N)
	$(BIN)/python -m tests.fuzz.faults --count $(N)
	$(BIN)/python -m tests.fuzz.library_calls $(N)

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
