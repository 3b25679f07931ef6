"""The same seed on the same machine: the same bytes in every file, whatever the number of threads.

What differs, and between what, is told in docs/concepts/determinism.md.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import calque
from calque import _kernel
from calque.mining import MiningConfig
from calque.model import save
from calque.model.quantise import quantised
from calque.tasks.filter import filter_file
from calque.tasks.mine import mine_files
from calque.tasks.search import build_index

LOGS = {"training.json", "training.jsonl"}  # of the run: where its bitext lay, how fast it went
SMALL: dict[str, Any] = {"dimension": 24, "epochs": 2, "batch_size": 32, "mega_batch": 4, "annealing": 3}

Files = dict[str, bytes]


def files_in(folder: Path) -> Files:
    found = {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    if "config.json" in found:
        about = json.loads(found["config.json"])
        assert about["about"].pop("seconds") >= 0
        for quality in about["about"].get("quality", []):
            assert quality.pop("date")
        found["config.json"] = json.dumps(about).encode()
    return {name: data for name, data in found.items() if name not in LOGS}


TRAININGS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "pieces": (["en-es"], {"vocabulary_size": 300}),
    "development": (["en-es"], {"vocabulary": "word", "dev": "dev"}),
    "held out": (["en-es"], {"vocabulary": "word", "dev": "held"}),
    "separate words": (["en-es", "en-de"], {"vocabulary": "word", "sharing": "separate"}),
    "trigrams": (["en-es"], {"vocabulary": "trigram"}),
    "mixed": (["en-es", "en-de"], {"vocabulary": "word", "mixing": "mixed", "weights": {"demo.en-de": 1.6}}),
    "one language": (["en-en"], {"vocabulary": "word"}),
    "the paper's recipe": (["en-es"], {"vocabulary": "word", "recipe": "paper"}),
    "adapted": (["en-es"], {"init": "small"}),
    "extended": (["en-it"], {"init": "small", "add_languages": ["it"], "add_pieces": 60}),
}


@pytest.fixture(scope="module")
def inputs(
    demo_bitext: dict[str, Path], small_model: calque.Model, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("inputs")
    lines = demo_bitext["en-es"].read_text(encoding="utf-8").splitlines()[:300]
    english, spanish = zip(*(line.split("\t") for line in lines), strict=True)
    made = {
        "dev": "".join(f"{len(one) % 6}\t{one}\t{other}\n" for one, other in zip(english, spanish, strict=True)),
        "en": "\n".join(english) + "\n",
        # Enough for more than a hundred clusters; tests/neighbours has vectors whose clusters a rounding decides.
        "many": "".join(f"{english[at % 300]} {english[at * 7 % 299]}\n" for at in range(6000)),
        "es": "\n".join(spanish) + "\n",
        "held.en-es.tsv": "".join(f"{one}\t{other}\n" for one, other in zip(english, spanish, strict=True)),
        "demo.en-en.tsv": "".join(f"{one}\t{one.lower()}!\n" for one in english),
        "demo.en-it.tsv": "".join(f"{one}\t{other[::-1]}\n" for one, other in zip(english, spanish, strict=True)),
    }
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")
    paths = {name: str(folder / name) for name in ("dev", "en", "es", "many")}
    paths["held"] = str(folder / "held.en-es.tsv")
    paths |= {pair: str(path) for pair, path in demo_bitext.items()}
    paths |= {pair: str(folder / f"demo.{pair}.tsv") for pair in ("en-en", "en-it")}
    return paths | {"small": str(small_model.path)}


def trained(inputs: dict[str, str], name: str, out: Path, threads: int) -> Files:
    pairs, options = TRAININGS[name]
    named = {option: inputs.get(value, value) if isinstance(value, str) else value for option, value in options.items()}
    size = {"dimension": 64} if "init" in options else {}  # the model's
    calque.train([inputs[pair] for pair in pairs], out, threads=threads, **SMALL | named | size)
    return files_in(out)


def used(inputs: dict[str, str], folder: Path, threads: int) -> Files:
    """What a model is used for, as files."""
    model = calque.load(inputs["small"])
    small = quantised(model, 4)
    save(folder / "quantised", small.encoder, small.about)
    mine_files(inputs["en"], inputs["es"], folder / "mined.tsv", model, MiningConfig(threads=threads))
    filter_file(model, inputs["en-es"], [str(folder / "filtered.tsv")], threads=threads)
    build_index([inputs["en"]], folder / "index", model, threads=threads)
    if find_spec("faiss"):
        build_index([inputs["many"]], folder / "approximate", model, approximate=True, threads=threads)
        approximately = MiningConfig(threads=threads, search="approximate")
        mine_files(inputs["en"], inputs["es"], folder / "most.tsv", model, approximately)
    assert all((folder / name).stat().st_size for name in ("mined.tsv", "filtered.tsv"))
    return {f"{path.parent.name}/{path.name}": path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", TRAININGS)
def test_a_model_is_the_same_bytes_on_any_number_of_threads(inputs: dict[str, str], tmp_path: Path, name: str) -> None:
    first = trained(inputs, name, tmp_path / "1", threads=1)
    assert {"model.safetensors", "config.json", "README.md"} <= first.keys()
    for threads in (2, 3, 4):
        assert trained(inputs, name, tmp_path / str(threads), threads) == first


def test_what_a_model_is_used_for_gives_the_same_bytes_on_any_number_of_threads(
    inputs: dict[str, str], tmp_path: Path
) -> None:
    first, *others = (used(inputs, tmp_path / str(threads) / "used", threads) for threads in (1, 2, 3, 4))
    for other in others:
        assert other == first


SCRIPT = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import test_determinism as tests
inputs, folder = json.loads(sys.argv[2]), Path(sys.argv[3])
for threads in (1, 3):
    tests.trained(inputs, "separate words", folder / f"model{threads}", threads)
    tests.used(inputs, folder / f"used{threads}" / "used", threads)
print(tests._kernel.target())
"""


@pytest.mark.parametrize("target", ["baseline", "avx2", "avx512"])
def test_threads_do_not_matter_to_any_instruction_set(inputs: dict[str, str], tmp_path: Path, target: str) -> None:
    if target == _kernel.target():
        pytest.skip("this machine's own, compared above")
    command = [sys.executable, "-c", SCRIPT, str(Path(__file__).parent), json.dumps(inputs), str(tmp_path)]
    done = subprocess.run(command, env=os.environ | {"CALQUE_KERNEL": target}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    if done.stdout.strip() != target:
        pytest.skip(f"this machine has no {target}")
    assert files_in(tmp_path / "model1") == files_in(tmp_path / "model3")
    assert files_in(tmp_path / "used1") == files_in(tmp_path / "used3")
