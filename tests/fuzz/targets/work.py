"""What long work leaves in a folder to go on from, and what a user writes: training, mining, calque.toml."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import click
import xxhash
from mending import mend_tensors
from structures import json_mutated, tensors_mutated
from target import Mutate, Targets, Trial

import calque
from calque.cli import calque as command_line
from calque.cli.settings import read_settings
from calque.demo import sentences
from calque.mining import Mining, MiningConfig
from calque.mining.mine import Text
from calque.model import load
from calque.tasks.train import Watcher
from calque.training import large_corpus, token_file
from mutations import STRIKING, mutated
from targets.models import plain

SETTINGS = """\
model = "models/en-es"
threads = 2
quiet = true

[train]
epochs = 5
learning-rate = 0.001
recipe = "paper"

[corpus.clean]
preset = "strict"
rule = ["length", "duplicates"]
"""


class Enough(Exception):
    """Training would go on for long."""


def _stop(progress: object) -> None:
    raise Enough


def training(name: str, mutate: Mutate) -> Callable[[Path], Trial]:
    def made(folder: Path) -> Trial:
        text = sentences()
        bitext = folder / "demo.en-es.tsv"
        pairs = zip(text["en"][:60], text["es"][:60], strict=True)
        bitext.write_text("".join(f"{one}\t{two}\n" for one, two in pairs), encoding="utf-8")
        out = folder / "out"
        begin(bitext, out)
        whole = {path: path.read_bytes() for path in out.iterdir()}

        def attempt(content: bytes) -> None:
            shutil.rmtree(out)
            out.mkdir()
            for path, before in whole.items():
                path.write_bytes(content if path.name == name else before)
            if name.endswith(".safetensors"):
                mend_tensors(out / name)
            elif name.endswith(".bin") and content[0] % 2:  # as if killed before the first one
                (out / "checkpoint.safetensors").unlink()
            with contextlib.suppress(Enough):
                calque.resume(out, threads=1, watcher=Watcher(progress=_stop))

        return Trial([whole[out / name]], attempt, mutate)

    return made


def large_training(folder: Path) -> Trial:
    """Tokens that wait in a file, with the first checkpoint or before it."""
    with mock.patch.object(large_corpus, "MOST_BYTES", 2000), mock.patch.object(token_file, "_PAIRS", 20):
        trial = training("tokens.bin", tokens_mutated)(folder)

    def attempt(content: bytes) -> None:
        with mock.patch.object(large_corpus, "MOST_BYTES", 2000):
            trial.attempt(content)

    return Trial(trial.seeds, attempt, trial.mutate)


def tokens_mutated(whole: bytes, chance: random.Random) -> bytes:
    """Ids and lengths, or what is said of them; checksums are made right again."""
    size = int.from_bytes(whole[-8:], "little")
    blocks, described = bytearray(whole[: -8 - size]), whole[-8 - size : -8]
    if chance.random() < 0.6:
        described = json_mutated(described, chance)
    else:
        for _ in range(chance.choice([1, 2, 8])):
            blocks[chance.randrange(len(blocks))] = chance.randrange(256)
    with contextlib.suppress(ValueError, KeyError, TypeError, OverflowError, AttributeError):
        about = json.loads(described)
        width = {"uint16": 2, "uint32": 4}[about["id_type"]]
        for block in about["blocks"]:
            length = 8 * block["pairs"] + width * sum(block["tokens"])
            block["checksum"] = xxhash.xxh3_64_hexdigest(bytes(blocks[block["begin"] : block["begin"] + length]))
        described = json.dumps(about).encode()
    return bytes(blocks) + described + len(described).to_bytes(8, "little")


def begin(bitext: Path, out: Path) -> None:
    """A run that was stopped after two mega-batches, each of which left a checkpoint."""
    seen: list[object] = []

    def stop_at_the_third(progress: object) -> None:
        seen.append(progress)
        if len(seen) == 3:
            raise Enough

    options = {"vocabulary_size": 150, "dimension": 32, "epochs": 30, "batch_size": 8}
    try:
        calque.train(
            bitext, out, threads=1, watcher=Watcher(progress=stop_at_the_third, checkpoint_minutes=0), **options
        )
    except Enough:
        assert (out / "checkpoint.safetensors").exists()


def mining(name: str, mutate: Mutate = mutated) -> Callable[[Path], Trial]:
    def made(folder: Path) -> Trial:
        model = load(plain(folder / "model"))
        texts = [Text(language, lambda language=language: sentences()[language][:40]) for language in ("en", "es")]
        work = folder / "work"

        def mine() -> None:
            _, mined = Mining(model, MiningConfig(threads=1), work).run(*texts)
            for _ in mined:
                pass

        mine()
        whole = {path: path.read_bytes() for path in work.rglob("*") if path.is_file()}

        def attempt(content: bytes) -> None:
            for path, before in whole.items():
                path.write_bytes(content if path == work / name else before)
            if name.endswith(".safetensors"):
                mend_tensors(work / name)
            mine()

        return Trial([whole[work / name]], attempt, mutate)

    return made


def settings(folder: Path) -> Trial:
    path = folder / "calque.toml"

    def attempt(content: bytes) -> None:
        path.write_bytes(content)
        read = read_settings(path)
        root = click.Context(command_line, info_name="calque")
        for names in (["train"], ["corpus", "clean"], ["mine"]):
            context = root
            for name in names:
                assert isinstance(context.command, click.Group)
                found = context.command.get_command(context, name)
                assert found is not None
                context = click.Context(found, info_name=name, parent=context)
            read.defaults(context)
        read.shared("model")

    def mutate(whole: bytes, chance: object) -> bytes:
        words = [b"[", b"]", b"[[", b"=", b"'''", b'"""', b"\n[train]\n", b"\n[a.b]\n", b"1979-05-27", b"inf", b"0x1f"]
        return mutated(whole, chance, [*STRIKING, *words])  # type: ignore[arg-type]

    return Trial([SETTINGS.encode()], attempt, mutate)


TARGETS: Targets = {
    "training-checkpoint": training("checkpoint.safetensors", tensors_mutated),
    "training-run": training("training.json", json_mutated),
    "training-tokens": large_training,
    "mining-job": mining("mining.json", json_mutated),
    "mining-summary": mining("source.json", json_mutated),
    "mining-sentences": mining("source.sentences"),
    "mining-text": mining("target.text"),
    "mining-vectors": mining("target.vectors"),
    "mining-neighbours": mining("exact/neighbours.safetensors", tensors_mutated),
    "settings": settings,
}
