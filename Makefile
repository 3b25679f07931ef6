# make demo: a first look.  make quick: the core's tests.  make test: the whole suite.  make check: the linters, exactly as CI runs them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt $(shell find src kernel -name '*.py' -o -name '*.pyi' -o -name '*.cpp' -o -name '*.hpp' -o -name '*.tsv' \
	-o -name '*.html' -o -name '*.css' -o -name '*.js' -o -name '*.svg') \
	$(wildcard src/calque/box/*)

.PHONY: demo box quick test lock faults check audit docs format benchmarks fuzz sanitize screenshots wheel clean

demo: $(VENV)/installed
	$(BIN)/calque demo

# The core, with few dependencies: about three minutes from nothing. Tests that need other packages skip, and say so.
QUICK := $(addprefix tests/,alignment deduplication encoder explanation filtering kernel mining model neighbours thresholds training vocabulary)
quick: $(VENV)/installed-quick
	$(BIN)/python -m pytest -n auto --dist worksteal $(QUICK)

test: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n auto --dist worksteal

# The versions of all that is installed for tests, in dependencies/; asks the package index. To take the newest: make lock LOCK=--upgrade
lock: $(VENV)/tools
	$(BIN)/python dependencies/lock.py $(LOCK)

# Commands disturbed at hundreds of random points, and gone on with; root can also fill a disk. Some 15 minutes on two cores.
FAULTS ?= --seed 1
faults: $(VENV)/installed-dev
	$(BIN)/python tests/faults/run.py $(FAULTS)

check: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/bandit --quiet --configfile pyproject.toml --recursive src box dependencies release docs/making benchmarks

# Known weak spots of what Calque is built on, in the versions that are installed; asks the package index. What it does not know is an error.
audit: check
	mkdir -p build
	$(BIN)/pip freeze --local --exclude calque-nlp > build/audit.txt
	$(BIN)/pip-audit --strict --disable-pip --no-deps --progress-spinner off --desc off -r build/audit.txt

# The documentation as a site in build/site; a dead link or anything else that mkdocs warns of is an error.
docs: $(VENV)/installed-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

format: $(VENV)/installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The model in the box, from the real text under CALQUE_DATA: about half an hour on two cores (box/README.md).
CALQUE_DATA ?= ../shared/data
box: $(VENV)/installed
	$(BIN)/python box/make.py $(CALQUE_DATA) build/box --install

# Side by side with peers, on the real text under CALQUE_DATA; prints ratios.
benchmarks: $(VENV)/installed-dev
	$(BIN)/python benchmarks/encode.py
	$(BIN)/python benchmarks/foreign.py
	$(BIN)/python benchmarks/train.py
	$(BIN)/python benchmarks/corpus.py
	$(BIN)/python benchmarks/mine.py
	$(BIN)/python benchmarks/estimates.py
	$(BIN)/python benchmarks/search.py
	$(BIN)/python benchmarks/align.py
	$(BIN)/python benchmarks/dedup.py
	$(BIN)/python benchmarks/filter.py
	$(BIN)/python benchmarks/start.py
	$(BIN)/python benchmarks/serve.py

# Every reader of bytes from elsewhere, tried with damaged ones; what is found is kept in build/fuzz.
FUZZ_SECONDS ?= 120
FUZZ_SEED ?= 1
fuzz: $(VENV)/installed-dev
	$(BIN)/python tests/fuzz/run.py --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED) $(FUZZ_TARGETS)

# The kernel as gcc watches it for memory that is not its own and for undefined behaviour, under what calls it hardest.
# No leaks are looked for: CPython itself keeps much to its end.
WATCHED := build/sanitize/package
sanitize: $(VENV)/installed-dev
	cmake -S . -B build/sanitize -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_COMPILER=g++ -DPython_EXECUTABLE=$(abspath $(BIN)/python) \
		-DCALQUE_SANITIZE=address,undefined,float-cast-overflow -Dnanobind_DIR=$$($(BIN)/python -m nanobind --cmake_dir)
	cmake --build build/sanitize
	rm -rf $(WATCHED) && mkdir -p $(WATCHED) && cp -r src/calque $(WATCHED) && rm -f $(WATCHED)/calque/_kernel.*.so
	cmake --install build/sanitize --prefix $(WATCHED)
	PYTHON=$(abspath $(BIN)/python) FUZZ_SECONDS=$(FUZZ_SECONDS) tests/fuzz/sanitized.sh $(WATCHED)

# The page of calque serve, with the model in the box; needs chromium and chromium-driver.
screenshots: $(VENV)/installed-dev
	PYTHONPATH=tests/server $(BIN)/python tests/server/page/screenshots.py build/screenshots

# dist/: a wheel and a source archive, each tried in an environment of its own.
wheel:
	$(PYTHON) release/make.py

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# For installing, and for building the kernel in place, so that a change compiles only what it concerns.
$(VENV)/tools: dependencies/quick.txt | $(BIN)/python
	$(BIN)/pip install --quiet --constraint $< cmake nanobind ninja scikit-build-core uv
	touch $@

$(VENV)/wheel: $(VENV)/tools $(SOURCES)
	@echo "building Calque, about a minute"
	rm -rf build/wheel
	$(BIN)/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/wheel .
	touch $@

# uv is several times faster, but knows nothing of how pip is configured: where it finds no index, pip installs the same.
install = $(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --requirement $(1) \
	|| $(BIN)/pip install --quiet --no-compile --no-deps --requirement $(1)

$(VENV)/quick-dependencies: dependencies/quick.txt $(VENV)/tools
	$(call install,$<)
	touch $@

# torch comes through pip, whose configuration may name a build of it without GPU libraries. A build that needs them gets them at the end.
$(VENV)/dev-dependencies: dependencies/dev.txt $(VENV)/tools
	$(BIN)/pip install --quiet --no-compile --no-deps --constraint $< torch
	$(call install,$<)
	$(BIN)/pip install --quiet --constraint $< torch
	touch $@

# The kernel is compiled while the dependencies are downloaded.
$(VENV)/installed-%: dependencies/%.txt $(SOURCES)
	@$(MAKE) --no-print-directory --jobs=2 $(VENV)/$*-dependencies $(VENV)/wheel
	$(BIN)/pip install --quiet --no-deps --force-reinstall build/wheel/*.whl
	touch $@

$(VENV)/installed: $(VENV)/wheel dependencies/quick.txt
	$(BIN)/pip install --quiet --force-reinstall --constraint dependencies/quick.txt build/wheel/*.whl
	touch $@

clean:
	rm -rf $(VENV) build dist
