"""Uses an installed Calque as somebody does who has nothing else, from an empty folder.

python -I release/try_installed.py
"""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

DISTRIBUTION = "calque-nlp"
SOURCE = Path(__file__).resolve().parents[1]
CALQUE = Path(sysconfig.get_path("scripts")) / ("calque.exe" if sys.platform == "win32" else "calque")
ANIMALS = {"dog": "perro", "cat": "gato", "horse": "caballo", "bird": "pájaro", "wolf": "lobo", "bear": "oso"}
DOINGS = {"runs": "corre", "sleeps": "duerme", "eats": "come", "drinks": "bebe", "waits": "espera", "plays": "juega"}
PLACES = {"here": "aquí", "today": "hoy", "at home": "en casa", "in the garden": "en el jardín", "now": "ahora"}


def main() -> None:
    print("  from:", installed_from())
    print("  version:", same_version())
    print("  public names:", public_names())
    print("  licence:", licence())
    print("  similarity:", meanings_agree())
    print("  demo:", demo())
    print("  training:", train_and_use())
    print("  without extras:", extras_are_asked_for())


def installed_from() -> Path:
    """Not from the source tree, or all the rest would prove nothing."""
    import calque

    folder = Path(calque.__file__).resolve().parent
    assert SOURCE / "src" not in folder.parents, f"{folder} is the source"
    return folder


def same_version() -> str:
    stated = (SOURCE / "src" / "calque" / "_version.py").read_text(encoding="utf-8")
    said = command("--version").split()[-1]
    assert f'"{said}"' in stated, f"calque --version says {said}, and the source:\n{stated}"
    assert importlib.metadata.version(DISTRIBUTION) == said
    return said


def public_names() -> int:
    import calque

    for name in calque.__all__:
        assert getattr(calque, name) is not None, name
    return len(calque.__all__)


def licence() -> str:
    files = importlib.metadata.files(DISTRIBUTION) or []
    (file,) = [file for file in files if file.name == "LICENSE"]
    assert "Apache License" in file.read_text()
    return str(importlib.metadata.metadata(DISTRIBUTION)["License-Expression"])


def meanings_agree() -> str:
    """With the model in the box."""
    same = float(command("similarity", "A dog runs.", "Un perro corre."))
    other = float(command("similarity", "A dog runs.", "El precio del petróleo sube."))
    assert -1 <= other < same <= 1, f"{same} for a translation, {other} for another sentence"
    return f"{same} for a translation, {other} for another sentence"


def demo() -> str:
    lines = command("demo").splitlines()
    assert len(lines) > 10, lines
    return f"{len(lines)} lines"


def train_and_use() -> str:
    pairs = [
        (f"The {animal} {doing} {place}.", f"El {animal_es} {doing_es} {place_es}.")
        for animal, animal_es in ANIMALS.items()
        for doing, doing_es in DOINGS.items()
        for place, place_es in PLACES.items()
    ]
    text = "".join(f"{english}\t{spanish}\n" for english, spanish in pairs)
    Path("tiny.en-es.tsv").write_text(text, encoding="utf-8")
    command("train", "tiny.en-es.tsv", "--out", "tiny-model", "--vocabulary-size", "50", "--dimension", "32")
    english, spanish = pairs[7]
    same = float(command("similarity", "--model", "tiny-model", english, spanish))
    other = float(command("similarity", "--model", "tiny-model", english, "El lobo come ahora."))
    assert -1 <= other < same <= 1, f"{same} for a pair it has seen, {other} for no pair"
    return f"{same} for a pair it has seen, {other} for no pair"


def extras_are_asked_for() -> str:
    """What needs another package says which, instead of a traceback."""
    try:
        importlib.metadata.version("uvicorn")
    except importlib.metadata.PackageNotFoundError:
        done = run("serve")
        found = re.search(r"pip install '?calque-nlp\[serve\]", done.stderr)
        assert done.returncode == 2, done
        assert found, done.stderr
        return found[0]
    return "uvicorn is here, so nothing to see"


def command(*arguments: str) -> str:
    done = run(*arguments)
    assert done.returncode == 0, f"calque {' '.join(arguments)} ended with {done.returncode}:\n{done.stderr}"
    return done.stdout


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(CALQUE), *arguments], capture_output=True, encoding="utf-8")


if __name__ == "__main__":
    main()
