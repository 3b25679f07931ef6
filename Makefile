# make demo: a first look.  make test: the whole suite.  make check: the linters, exactly as CI runs them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt $(shell find src kernel -name '*.py' -o -name '*.pyi' -o -name '*.cpp' -o -name '*.hpp' -o -name '*.tsv' \
	-o -name '*.html' -o -name '*.css' -o -name '*.js' -o -name '*.svg') \
	$(wildcard src/calque/box/*)

.PHONY: demo box test faults check audit docs format benchmarks fuzz sanitize screenshots wheel clean

demo: $(VENV)/installed
	$(BIN)/calque demo

test: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n auto --dist loadfile

# Commands disturbed at hundreds of random points, and gone on with; root can also fill a disk. Some 15 minutes on two cores.
FAULTS ?= --seed 1
faults: $(VENV)/installed-dev
	$(BIN)/python tests/faults/run.py $(FAULTS)

check: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/bandit --quiet --configfile pyproject.toml --recursive src box release docs/making benchmarks

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
	$(BIN)/pip install --quiet --upgrade pip

$(VENV)/installed: $(BIN)/python $(SOURCES)
	@echo "building Calque, about two minutes"
	$(BIN)/pip install --quiet .
	touch $@

$(VENV)/installed-dev: $(BIN)/python $(SOURCES)
	$(BIN)/pip install --quiet '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist
