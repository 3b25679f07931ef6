"""Tokenizers of all kinds, and folders of other libraries: made by those libraries from the demonstration's text."""

from __future__ import annotations

import os

os.environ["HF_HUB_OFFLINE"] = "1"  # before any library can ask a hub for anything

import io
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from string import punctuation
from typing import Any

import numpy as np
import numpy.typing as npt
import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

from calque.demo import sentences
from calque.vocabulary import VocabularySpec, build_vocabulary
from calque.vocabulary.tokenizer_writing import tokenizer_json

EVERY = [line for lines in sentences().values() for line in lines]
SIZE = 900

BERT = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
XLM = ["<unk>", "<s>", "</s>"]


@cache
def sentencepiece_model(rule: str = "nmt_nfkc") -> Any:
    """Pieces and compiled rules of normalisation, from which tokenizers of the XLM-R kind are made."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(EVERY),
        model_writer=model,
        vocab_size=SIZE,
        normalization_rule_name=rule,
        minloglevel=2,
    )
    return sentencepiece_model_pb2.ModelProto.FromString(model.getvalue())  # type: ignore[attr-defined]


def trained(model: Any, trainer: Any, normalizer: Any, pre_tokenizer: Any) -> Tokenizer:
    tokenizer = Tokenizer(model)
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    if pre_tokenizer is not None:
        tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.train_from_iterator(EVERY, trainer)
    return tokenizer


def wordpiece(lowercase: bool = True) -> Tokenizer:
    return trained(
        models.WordPiece(unk_token="[UNK]"),
        trainers.WordPieceTrainer(vocab_size=SIZE, special_tokens=BERT, show_progress=False),
        normalizers.BertNormalizer(lowercase=lowercase),
        pre_tokenizers.BertPreTokenizer(),
    )


def unigram(*steps: Any, pre_tokenizer: Any = None) -> Tokenizer:
    pieces = [(piece.piece, piece.score) for piece in sentencepiece_model().pieces]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(list(steps))
    tokenizer.pre_tokenizer = pre_tokenizer or pre_tokenizers.Metaspace()
    tokenizer.add_special_tokens([*XLM, AddedToken("<mask>", lstrip=True)])
    return tokenizer


def bpe(normalizer: Any, pre_tokenizer: Any, **options: Any) -> Tokenizer:
    trainer = trainers.BpeTrainer(
        vocab_size=SIZE,
        special_tokens=["<unk>"],
        show_progress=False,
        end_of_word_suffix=options.get("end_of_word_suffix", ""),
    )
    return trained(models.BPE(unk_token="<unk>", **options), trainer, normalizer, pre_tokenizer)


def word_level() -> Tokenizer:
    return trained(
        models.WordLevel(unk_token="[UNK]"),
        trainers.WordLevelTrainer(vocab_size=SIZE, special_tokens=["[UNK]"], show_progress=False),
        normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase(), normalizers.StripAccents()]),
        pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True)]),
    )


def precompiled(rule: str = "nmt_nfkc") -> Any:
    return normalizers.Precompiled(bytes(sentencepiece_model(rule).normalizer_spec.precompiled_charsmap))


def squeeze(to: str = " ", pattern: str = " {2,}") -> Any:
    return normalizers.Replace(Regex(pattern), to)


def strip_right() -> Any:
    return normalizers.Strip(left=False, right=True)


def unsplit_unigram() -> Tokenizer:
    """As model2vec made them to allow for tokens of several words: punctuation set apart, texts not split."""
    apart = [normalizers.Replace(mark, f" {mark} ") for mark in punctuation]
    tokenizer = unigram(precompiled(), *apart, squeeze(pattern=r"\s+"), normalizers.Strip())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(split=False)
    return tokenizer


def unsplit_bpe() -> Tokenizer:
    steps = normalizers.Sequence([normalizers.NFKC(), squeeze(), strip_right()])
    tokenizer = bpe(steps, pre_tokenizers.Metaspace(), byte_fallback=True, fuse_unk=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(split=False)
    return tokenizer


def own_tokenizer() -> Tokenizer:
    """The one that Calque writes beside its own models."""
    vocabulary = build_vocabulary(VocabularySpec("sp", SIZE), lambda: [(None, line) for line in EVERY])
    return Tokenizer.from_str(str(tokenizer_json(vocabulary)))


def gpt2() -> Tokenizer:
    return bpe(None, pre_tokenizers.ByteLevel(add_prefix_space=False))


split_then_mark = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
lowered = [normalizers.NFKC(), normalizers.Lowercase(), normalizers.StripAccents(), normalizers.Strip(), squeeze()]

BY_WORDS: dict[str, Callable[[], Tokenizer]] = {
    "bert": wordpiece,
    "cased-bert": lambda: wordpiece(lowercase=False),
    "xlm-r": lambda: unigram(precompiled(), squeeze(), pre_tokenizer=split_then_mark),
    "new-xlm-r": lambda: unigram(precompiled(), strip_right(), squeeze("▁")),
    "marks-kept": lambda: unigram(*lowered),  # "▁" in a text is not normalized away
    "unsplit-unigram": unsplit_unigram,
    "unsplit-bpe": unsplit_bpe,
    "bpe": lambda: bpe(normalizers.Lowercase(), pre_tokenizers.WhitespaceSplit(), end_of_word_suffix="</w>"),
    "bytes-of-words": lambda: bpe(
        None, pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.ByteLevel()])
    ),
    "words": word_level,
    "calque": own_tokenizer,
}
WHOLE: dict[str, Callable[[], Tokenizer]] = {
    "gpt2": gpt2,
    "first-marked": lambda: unigram(*lowered, pre_tokenizer=pre_tokenizers.Metaspace(prepend_scheme="first")),
    "spaces-kept": lambda: unigram(precompiled()),
}
FOLDING = ["bert", "marks-kept", "bpe", "words", "calque"]


@cache
def tokenizer_text(kind: str) -> str:
    return (BY_WORDS | WHOLE)[kind]().to_str()


def tokenizer(kind: str) -> Tokenizer:
    return Tokenizer.from_str(tokenizer_text(kind))


def random_rows(count: int, dimension: int = 32, seed: int = 1) -> npt.NDArray[np.float32]:
    return np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)


def rows_for(made: Tokenizer, dimension: int = 32) -> npt.NDArray[np.float32]:
    return random_rows(made.get_vocab_size(), dimension)


def static_model(kind: str, **options: Any) -> Any:
    """A model2vec.StaticModel."""
    from model2vec import StaticModel

    made = tokenizer(kind)
    return StaticModel(options.pop("vectors", rows_for(made)), made, **options)


def static_embedding(kind: str, folder: Path, normalize: bool = False, **options: Any) -> Any:
    """A SentenceTransformer that has been saved into the folder."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, StaticEmbedding

    made = tokenizer(kind)
    modules = [StaticEmbedding(made, embedding_weights=options.pop("vectors", rows_for(made)))]
    model = SentenceTransformer(modules=[*modules, *([Normalize()] if normalize else [])], device="cpu", **options)
    model.save(str(folder))
    return model


def assert_same_vectors(
    ours: npt.NDArray[Any], theirs: Any, lengths: float = 1e-4, texts: Sequence[str] | None = None
) -> None:
    """Cosines to 1e-5, and lengths, relatively; text of nothing has no direction."""
    theirs = np.asarray(theirs, np.float64)
    one, two = np.linalg.norm(ours, axis=1), np.linalg.norm(theirs, axis=1)
    nothing = two == 0
    np.testing.assert_array_equal(one == 0, nothing)
    cosines = np.einsum("ij,ij->i", ours[~nothing], theirs[~nothing]) / (one * two)[~nothing]
    np.testing.assert_allclose(cosines, 1, atol=1e-5)
    np.testing.assert_allclose(one, two, rtol=lengths)
