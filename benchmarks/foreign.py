"""Folders of other libraries: the same folder encoded by the library that wrote it and by Calque, on two threads.

Calque meets the text for the first time, and then encodes it again, when it remembers the words.

The tokenizers are of the kinds that static models have, learnt from the text itself; the rows are random, as their
values make no difference to the speed.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from common import best_of, english, fresh, machine, print_table
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

import calque
from calque.model import Model

THREADS, TOKENS = 2, 30_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=100_000)
    parser.add_argument("--dimension", type=int, default=256)
    arguments = parser.parse_args()
    for name in ("RAYON_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(name, str(THREADS))
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    print(machine())
    for name in ("tatoeba.en-es", "europarl.en-es"):
        texts = english(name, arguments.sentences)
        rows = [row for kind in KINDS for row in compare(kind, texts, arguments.dimension)]
        words = sum(text.count(" ") + 1 for text in texts) / len(texts)
        title = f"{name}, {len(texts):,} English sentences of {words:.0f} words, {arguments.dimension} dimensions"
        columns = ["folder of", "tokenizer", "its library"]
        columns += ["Calque, first time", "faster", "Calque, again", "faster"]
        print_table(f"{title}: sentences/s", columns, rows)


def compare(kind: str, texts: list[str], dimension: int) -> list[list[str]]:
    tokenizer = KINDS[kind](texts)
    vectors = np.random.default_rng(1).normal(size=(tokenizer.get_vocab_size(), dimension)).astype(np.float32)
    rows = []
    for library, write in LIBRARIES.items():
        with tempfile.TemporaryDirectory() as folder:
            theirs = write(tokenizer, vectors, Path(folder) / "model")
            model = calque.load(Path(folder) / "model")
            require_same(model, theirs, texts[:200])
            peer = best_of(2, lambda theirs=theirs: theirs(texts))
            os.environ["TOKENIZERS_PARALLELISM"] = "true"  # model2vec has turned it off for everybody
            first = best_of(2, lambda model=model: fresh(model).encode(texts, threads=THREADS))
            again = best_of(5, lambda model=model: model.encode(texts, threads=THREADS))
        cells = [cell for ours in (first, again) for cell in (f"{len(texts) / ours:,.0f}", f"{peer / ours:.1f}×")]
        rows.append([library, kind, f"{len(texts) / peer:,.0f}", *cells])
    return rows


def require_same(model: Model, theirs: Callable[[list[str]], Any], texts: list[str]) -> None:
    """A comparison of speeds means nothing if the vectors differ."""
    worst = np.abs(model.encode(texts) - theirs(texts)).max()
    if worst > 1e-3:
        raise SystemExit(f"the library's own vectors differ by {worst}")


def word_piece(texts: list[str]) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))  # nosec B106 # no password
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=TOKENS, special_tokens=["[PAD]", "[UNK]"], show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def unigram(texts: list[str]) -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram())
    squeeze = normalizers.Replace(Regex(" {2,}"), " ")
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Strip(), squeeze])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(  # nosec B106 # no password
        vocab_size=TOKENS // 3, unk_token="<unk>", special_tokens=["<unk>"], show_progress=False
    )
    tokenizer.train_from_iterator(texts[:20_000], trainer)  # it takes long
    return tokenizer


def byte_pairs(texts: list[str]) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=TOKENS, show_progress=False))
    return tokenizer


def write_model2vec(tokenizer: Tokenizer, vectors: Any, folder: Path) -> Callable[[list[str]], Any]:
    from model2vec import StaticModel

    StaticModel(vectors, tokenizer).save_pretrained(folder)
    return StaticModel.from_pretrained(folder).encode


def write_static_embedding(tokenizer: Tokenizer, vectors: Any, folder: Path) -> Callable[[list[str]], Any]:
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    torch.set_num_threads(THREADS)
    SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_weights=vectors)], device="cpu").save(str(folder))
    model = SentenceTransformer(str(folder), device="cpu")
    return lambda texts: model.encode(texts, batch_size=1024)


KINDS = {
    "WordPiece, as BERT's": word_piece,
    "Unigram, as XLM-R's": unigram,
    "byte-level BPE, read whole": byte_pairs,
}
LIBRARIES = {"model2vec": write_model2vec, "sentence-transformers": write_static_embedding}


if __name__ == "__main__":
    main()
