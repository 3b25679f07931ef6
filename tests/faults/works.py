"""What is disturbed: a command, what goes on with it, and how its result is told from half of one."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from place import Tree, hashed, tree
from process import Call

import calque
from calque.demo import sentences
from calque.tasks.saved_input import NAME as SAVED_INPUT
from calque.training.checkpoint import NAME as CHECKPOINT
from calque.training.large_corpus import NAME as TOKENS


@dataclass(frozen=True)
class Work:
    """Commands are run from the folder that they write to."""

    name: str
    command: Call
    again: tuple[Call, ...]  # tried in turn until one ends well
    result: Callable[[Path], Tree]  # what a reader is shown: nothing, or all of it
    when_whole: Call  # goes on where there is nothing left to do, which it may refuse
    compared: Callable[[Path], Tree] = tree  # all that the folder holds in the end, but for what may differ
    state: tuple[str, ...] = ()  # what is kept to go on from, beside files of the result: names, or folders of any
    before: Call | str | None = None  # makes the old result: a command, or the file that is there

    def is_state(self, name: str) -> bool:
        """Nobody goes on from half a file: whoever had time to clear away has not left one, wherever it is."""
        inside = any(name == each or (each.endswith("/") and name.startswith(each)) for each in self.state)
        return inside and not name.endswith(".unfinished")


@dataclass(frozen=True)
class Size:
    """How much there is to do; `SMALL` takes a blink after the interpreter has started, `LARGE` some seconds."""

    pairs: int
    lines: int
    many: int  # pairs and lines for what is fast
    epochs: int


SMALL = Size(pairs=300, lines=300, many=300, epochs=2)
LARGE = Size(pairs=12_000, lines=6_000, many=80_000, epochs=4)
MODEL = {"vocabulary_size": 600, "dimension": 64, "seed": 1, "threads": 1}


def write_inputs(folder: Path, size: Size) -> None:
    """The demonstration's sentences, joined by two and three until there are enough, and a small model of them."""
    text, draw = sentences(), random.Random(1)
    folder.mkdir()
    english, spanish = _joined([text["en"], text["es"]], max(size.pairs, size.many), draw)
    _write(folder / "many.en", english[: size.many])
    _write(folder / "many.en-es.tsv", [f"{one}\t{two}" for one, two in zip(english, spanish, strict=True)][: size.many])
    english, spanish = english[: size.pairs], spanish[: size.pairs]
    _write(folder / "text.en-es.tsv", [f"{one}\t{two}" for one, two in zip(english, spanish, strict=True)])
    wrong = [two if number % 5 else english[number] for number, two in enumerate(spanish)]
    _write(folder / "noisy.en-es.tsv", [f"{one}\t{two}" for one, two in zip(english, wrong, strict=True)])
    for language, lines in zip(("en", "de"), _joined([text["en"], text["de"]], size.lines, draw), strict=True):
        draw.shuffle(lines)
        _write(folder / f"pile.{language}", lines)
    _write(folder / "few.en", text["en"][:50])
    calque.train(folder / "text.en-es.tsv", folder / "model", epochs=1, **MODEL)  # type: ignore[arg-type]


def works(inputs: Path, size: Size) -> dict[str, Work]:
    bitext, noisy, model = (str(inputs / name) for name in ("text.en-es.tsv", "noisy.en-es.tsv", "model"))
    pile, other, few = (str(inputs / name) for name in ("pile.en", "pile.de", "few.en"))
    many, many_pairs, by = str(inputs / "many.en"), str(inputs / "many.en-es.tsv"), ("--model", model)
    learn = ("--vocabulary-size", "600", "--dimension", "64", "--epochs", str(size.epochs), "--checkpoint-minutes", "0")
    piped = Call(("train", "-", "--out", "model", "--languages", "en", "es", *learn), Path(bitext))
    build = ("search", "build", *by, "-o", "index", "--overwrite")
    made = [
        _training("train", Call(("train", bitext, "--out", "model", *learn))),
        _training("train from a pipe", piped),
        _training("train, large", Call(("train", bitext, "--out", "model", *learn), program=_large(size))),
        _file("encode", Call(("encode", many, *by, "-o", "vectors.npy")), "vectors.npy"),
        _file("mine", Call(("mine", pile, other, *by, "-o", "pairs.tsv")), "pairs.tsv", state=("pairs.tsv.mining/",)),
        _indexing("index", Call((*build, many)), few, by),
        _indexing("index with clusters", Call((*build, pile, "--approximate")), few, by),
        _adding(Call(("search", "add", "index", many, *by)), few, by),
        _file("filter", Call(("filter", noisy, *by, "-o", "kept.tsv")), "kept.tsv"),
        _file("filter from a pipe", Call(("filter", "-", *by, "-o", "kept.tsv"), Path(noisy)), "kept.tsv"),
        _file("dedup", Call(("dedup", pile, *by, "-o", "kept.txt")), "kept.txt"),
        _file("clean", Call(("corpus", "clean", noisy, "--preset", "strict", "-o", "kept.tsv.gz")), "kept.tsv.gz"),
        _file("convert", Call(("corpus", "convert", many_pairs, "-o", "text.tmx")), "text.tmx"),
    ]
    return {work.name: work for work in made}


def _file(name: str, command: Call, out: str, state: tuple[str, ...] = ()) -> Work:
    """One file, made by a command that is simply run again."""

    def result(folder: Path) -> Tree:
        return {out: hashed((folder / out).read_bytes())} if (folder / out).exists() else {}

    return Work(name, command, (command,), result, command, state=state, before=out)


def _large(size: Size) -> tuple[str, ...]:
    """Calque with room for a quarter of the pairs or so, in blocks of 50: windows as of a corpus of gigabytes."""
    code = f"""
import calque.cli
run = calque.cli.calque.main
def with_little_room(*given, **options):  # inside of what tells where memory is short
    import calque.training.corpus, calque.training.large_corpus, calque.training.token_file
    calque.training.corpus._BATCH = 200
    calque.training.large_corpus.MOST_BYTES = {50 * size.pairs}
    calque.training.token_file._PAIRS = 50
    return run(*given, **options)
calque.cli.calque.main = with_little_room
calque.cli.main()
"""
    return (sys.executable, "-c", code)


def _training(name: str, command: Call) -> Work:
    resume = Call(("train", "--resume", "model", "--checkpoint-minutes", "0"), program=command.program)

    def result(folder: Path) -> Tree:
        """A folder without a config.json is not taken for a model, whatever else it holds."""
        if not (folder / "model" / "config.json").exists():
            return {}
        under_way = (*state, "model/.", "model/training.")
        return {name: file for name, file in _trained(folder).items() if not name.startswith(under_way)}

    state = tuple(f"model/{name}" for name in (CHECKPOINT, TOKENS, SAVED_INPUT))
    return Work(name, command, (resume, command), result, resume, _trained, state)


def _trained(folder: Path) -> Tree:
    """The seconds that were spent differ with every run, and the log tells how each part of it went, some twice."""
    files, model = tree(folder), folder / "model"
    if not (model / "config.json").exists():
        return files
    config = json.loads((model / "config.json").read_text())
    config["about"]["seconds"] = 0
    lines = map(json.loads, (model / "training.jsonl").read_text().splitlines())
    ended = sorted({line["epoch"] for line in lines if line["ends_epoch"]})
    return files | {
        "model/config.json": json.dumps(config),
        "model/training.jsonl": json.dumps(ended),
        "model/training.json": (model / "training.json").read_text().replace(str(folder.resolve()), "here"),
    }


def _indexing(name: str, command: Call, few: str, by: Sequence[str]) -> Work:
    before = Call(("search", "build", few, *by, "-o", "index"))
    return Work(name, command, (command,), _index, command, _numbered_anew, before=before)


def _adding(command: Call, few: str, by: Sequence[str]) -> Work:
    """To add once more would add twice; but every writer clears away, also one that has nothing to delete."""
    nothing = Call(("search", "delete", "index", "--id", "999999999"))
    before = Call(("search", "build", few, *by, "-o", "index"))
    return Work("index, adding", command, (command,), _index, nothing, _numbered_anew, before=before)


def _index(folder: Path) -> Tree:
    """An index is what its manifest names."""
    manifest = folder / "index" / "index.json"
    if not manifest.exists():
        return {}
    named = tuple(f"index/{segment['name']}/" for segment in json.loads(manifest.read_text())["segments"])
    return {name: file for name, file in _numbered_anew(folder, named).items()}


def _numbered_anew(folder: Path, named: tuple[str, ...] | None = None) -> Tree:
    """Every writing takes a new number for its segment, so a second try has a higher one; they are counted from 1."""
    manifest = folder / "index" / "index.json"
    files = tree(folder)
    if not manifest.exists():
        return files
    described: dict[str, Any] = json.loads(manifest.read_text())
    numbers = {segment["name"]: f"segment {number}" for number, segment in enumerate(described["segments"], 1)}
    del described["next_number"]
    files["index/index.json"] = json.dumps(described)
    if named is not None:
        files = {name: file for name, file in files.items() if name == "index/index.json" or name.startswith(named)}
    return {_renamed(name, numbers): _renamed(file, numbers) for name, file in files.items()}


def _renamed(text: str, numbers: dict[str, str]) -> str:
    for name, number in numbers.items():
        text = text.replace(name, number)
    return text


def _joined(sides: list[list[str]], count: int, draw: random.Random) -> list[list[str]]:
    chosen = [draw.sample(range(len(sides[0])), 1 + number % 3) for number in range(count)]
    return [[" ".join(side[at] for at in places) for places in chosen] for side in sides]


def _write(path: Path, lines: Sequence[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
