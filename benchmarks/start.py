"""How long a command takes from nothing: the interpreter, the imports, the model."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from common import best_of, machine, print_table

import calque
from calque.demo import sentences


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        text = sentences()
        bitext = Path(folder) / "demo.en-es.tsv"
        pairs = zip(text["en"], text["es"], strict=True)
        bitext.write_text("".join(f"{source}\t{target}\n" for source, target in pairs), encoding="utf-8")
        model = calque.train(bitext, Path(folder) / "model", epochs=1, vocabulary_size=1000)
        program = str(Path(sys.executable).parent / "calque")
        commands = {
            'python -c ""': [sys.executable, "-c", ""],
            "calque --help": [program, "--help"],
            'calque similarity "a" "b"': [program, "similarity", "--model", str(model.path), "a", "b"],
        }
        print(machine())
        rows = [
            [name, f"{1000 * best_of(10, lambda command=command: run(command)):.0f} ms"]
            for name, command in commands.items()
        ]
        print_table("Cold start, the best of ten", ["command", "time"], rows)


def run(command: list[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
