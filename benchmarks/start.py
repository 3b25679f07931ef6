"""How long a command takes from nothing: the interpreter, the imports, the model. `start.py MODEL` opens that model."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from common import best_of, machine, print_table

import calque
from calque.demo import sentences
from calque.model.box import has_box

# numpy's own start is left out: whoever has vectors has it already.
OPENING = """
import json, sys, time
import numpy
begun = time.perf_counter()
import calque
opener = calque.load
imported = time.perf_counter()
model = opener(sys.argv[1])
opened = time.perf_counter()
model.encode(["A dog runs."], threads=1)
encoded = time.perf_counter()
opener(sys.argv[1])
again = time.perf_counter()
print(json.dumps([opened - begun, imported - begun, opened - imported, again - encoded, encoded - opened]))
"""
PARTS = [
    "import calque and load",
    "… of that, the imports",
    "… of that, load",
    "load again",
    "the first sentence, for which SentencePiece opens the vocabulary",
]


def main() -> None:
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        model = sys.argv[1] if len(sys.argv) > 1 else "box" if has_box() else small_model(Path(folder))
        commands(model)
        opening(model)


def small_model(folder: Path) -> str:
    text = sentences()
    bitext = folder / "demo.en-es.tsv"
    pairs = zip(text["en"], text["es"], strict=True)
    bitext.write_text("".join(f"{source}\t{target}\n" for source, target in pairs), encoding="utf-8")
    return str(calque.train(bitext, folder / "model", epochs=1, vocabulary_size=1000).path)


def commands(model: str) -> None:
    program = str(Path(sys.executable).parent / "calque")
    timed = {
        'python -c ""': [sys.executable, "-c", ""],
        'python -c "import numpy"': [sys.executable, "-c", "import numpy"],
        "calque --help": [program, "--help"],
        'calque similarity "a" "b"': [program, "similarity", "--model", model, "a", "b"],
    }
    rows = [
        [name, f"{1000 * best_of(10, lambda command=command: run(command)):.0f} ms"] for name, command in timed.items()
    ]
    print_table("Cold start, the best of ten", ["command", "time"], rows)


def opening(model: str) -> None:
    runs = [json.loads(run([sys.executable, "-c", OPENING, model])) for _ in range(10)]
    rows = [[name, f"{1000 * min(run[at] for run in runs):.1f} ms"] for at, name in enumerate(PARTS)]
    opened = calque.load(model)
    what = f"{opened.vocabulary.size:,} rows of {opened.dimension} numbers in {opened.encoder.bits} bits"
    print_table(f"Opening {what} in a fresh process, after numpy, the best of ten", ["part", "time"], rows)


def run(command: list[str]) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    main()
