"""Makes the model in the box: bitext in, the packed folder with its card out.

python box/make.py DATA OUT, where DATA holds bitext/ and eval/. A run that was stopped goes on where it was. The packed
folder is OUT/packed, and OUT/exact the same model with its rows as floats.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import Any

import calque
from calque.model import Model, save
from calque.model.folder import record_quality
from calque.model.quantise import quantised
from calque.tasks.held_out import today
from calque.tasks.train import Watcher
from calque.tasks.trained import trained
from calque.training import Progress
from held_out import keep_out, tests_in
from judge import judged, qualities
from overlap import require_no_overlap
from page import card
from plan import corpora, read_recipe, weights

MOST_BYTES = 16_000_000
IN_THE_SOURCE = Path(__file__).parents[1] / "src" / "calque" / "box"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("--install", action="store_true", help="put it into the source tree, in place of what is there")
    chosen = parser.parse_args()
    recipe = read_recipe()
    exact = exact_model(chosen.data, chosen.out / "exact", recipe)
    packed = packed_folder(exact, chosen.out / "packed", recipe["rows"]["bits"])
    small = calque.load(packed)
    report = judged(small, exact, chosen.data / "eval", tests_in(chosen.out))
    small = record_quality(packed, qualities(report, recipe, today()))
    (packed / "README.md").write_text(card(small, recipe, report), encoding="utf-8")
    size = sum(path.stat().st_size for path in packed.iterdir())
    print(f"{packed}: {size:,} bytes")
    if size > MOST_BYTES:
        raise SystemExit(f"expected at most {MOST_BYTES:,} bytes")
    if chosen.install:
        shutil.rmtree(IN_THE_SOURCE, ignore_errors=True)
        shutil.copytree(packed, IN_THE_SOURCE)


def exact_model(data: Path, folder: Path, recipe: dict[str, Any]) -> Model:
    watcher = Watcher(stage=print, progress=_say)

    def begin() -> Model:
        bitexts = keep_out(corpora(data / "bitext", recipe), recipe, folder.parent)
        sentences = require_no_overlap(bitexts, data / "eval")
        print(f"none of the {sentences:,} sentences of the evaluation sets is in the bitext")
        paths = [str(each.path) for each in bitexts]
        return calque.train(paths, folder, weights=weights(bitexts, recipe), watcher=watcher, **recipe["training"])

    return trained(folder, begin, watcher=watcher)


def packed_folder(exact: Model, folder: Path, bits: int) -> Path:
    if not (folder / "config.json").exists():
        small = quantised(exact, bits)
        save(folder, small.encoder, small.about)
    return folder


def _say(progress: Progress) -> None:
    if progress.ends_epoch:
        speed = f"{progress.pairs_per_second:,.0f} pairs/s"
        print(f"epoch {progress.epoch} of {progress.epochs}: loss {progress.loss:.4f}, {speed}", flush=True)


if __name__ == "__main__":
    main()
