# The two commands of the README: `make demo` and `make test`. Both make .venv and install into it first, and what they
# need of Debian's packages where that takes no question.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# one more than there are cores: windows and browsers are waited for
JOBS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
# tests start the program hundreds of times: it is compiled once; two workers on two cores leave no core to others
unexport PYTHONDONTWRITEBYTECODE
test fast soak: export OPENBLAS_NUM_THREADS ?= 1

.PHONY: demo test fast soak coverage versions lint page man docs app lock clean

demo: $(STAMP)
	@.ci/packages run
	@$(BIN)/teeter demo --force

# types are checked beside the tests: that takes one core a minute
test: $(STAMP) .types
	@.ci/packages run test
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@$(BIN)/mypy & types=$$!; $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal -m "not soak"; tests=$$?; \
		wait $$types && exit $$tests

fast: $(STAMP)
	$(BIN)/python -m pytest -q -n $(JOBS) -m "not slow and not soak"

# what takes many minutes: its tables are printed and kept; `make soak ONLY=test_soak_noise.py` runs a part
soak: $(STAMP)
	$(BIN)/python -m pytest -q -n $(JOBS) -m soak --tables tests/soak $(addprefix tests/,$(ONLY))

# which lines the tests run, in this process and in those they start; the rules leave none out. In random order
coverage: $(STAMP)
	$(BIN)/python -m coverage erase
	$(BIN)/python -m pytest -q --random-order -n $(JOBS) --dist worksteal -m "not soak" --cov --cov-report=
	$(BIN)/python -m coverage report --include="engine/*,games/*" --skip-covered --show-missing --fail-under=93
	$(BIN)/python -m coverage report --include="games/*/rules*.py,games/core/rules.py" --fail-under=100

# the same with the oldest packages that pyproject.toml allows, and with the newest
versions: $(STAMP)
	PYTHON=$(abspath $(BIN)/python) JOBS=$(JOBS) .ci/versions

lint: $(STAMP) .types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# links for mypy: the folders as the one package they are installed as
.types:
	@mkdir -p .types/teeter
	@ln -sfn $(addprefix ../../,engine games models scenes $(wildcard teeter/*.py) teeter/py.typed) .types/teeter/

# bundles the script of HTML pages; commit it with its sources
page: $(STAMP)
	@$(BIN)/python tests/page_bundle.py

# the manual page; commit it with what it is made of
man: $(STAMP)
	@$(BIN)/python docs/man.py > docs/teeter.1

# the documentation as a site in site/: guides, gallery, reference
docs: $(STAMP)
	@$(BIN)/python docs/build.py site

# a folder for players, dist/app/teeter, that needs no Python where it goes
app: $(STAMP)
	@$(BIN)/python -m pip install -qq "pyinstaller>=6.11"
	@$(BIN)/python -m pip install -qq --upgrade --no-deps --target build/app .
	@# not from here, where the folders of the checkout would be taken for packages, and build/ for one of them
	@cd build && PYTHONPATH=app ../$(BIN)/pyinstaller --noconfirm --log-level ERROR --distpath ../dist/app \
		--workpath pyinstaller ../docs/app/teeter.spec
	@# nine tenths of it are symbols
	@strip --strip-unneeded dist/app/teeter/_internal/pybullet*.so || true

# the lock file pins every package that `make` installs, with its hashes left to the index
lock: $(STAMP)
	$(BIN)/pip freeze --exclude-editable --exclude teeter > requirements.lock

$(STAMP): pyproject.toml requirements.lock
	@echo "installing teeter and what it needs into $(VENV) (some minutes the first time)"
	@.ci/packages install
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || python3 -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --upgrade pip
	@# errors only: setuptools warns of every editable install. What is imported is compiled then, not all of it here
	@$(BIN)/python -m pip install -qq --no-compile --constraint requirements.lock --editable ".[dev]"
	@touch $(STAMP)

clean:
	rm -rf $(VENV) build dist site *.egg-info
