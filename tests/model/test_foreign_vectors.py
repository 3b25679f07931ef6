"""Folders of model2vec and sentence-transformers open in Calque with the vectors of the library that wrote them."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings

import calque
from calque.encoder import CodedRows, WeightedRows
from calque.model import Model, load
from foreign_folders import (
    EVERY,
    assert_same_vectors,
    random_rows,
    rows_for,
    static_embedding,
    static_model,
    tokenizer,
)
from strategies import texts

pytest.importorskip("model2vec")
pytest.importorskip("sentence_transformers")

KINDS = ["bert", "cased-bert", "xlm-r", "new-xlm-r", "unsplit-unigram", "words", "gpt2"]
ODD = [
    "",
    " ",
    "\u3000",
    "the  dog   runs ",
    "\ttabs\tand\nlines\r\n",
    "MiXeD cAsE",
    "漢字 and かな dog漢字cat",
    "\U0001f3f3\ufe0f\u200d\U0001f308 flag",
    "a\u00a0b\u3000c\u200bd",
    "İstanbul, Straße, ΣΊΣΥΦΟΣ",
    "the \u2581 sign",
    "nul\0inside",
    "[MASK] <mask> [UNK] <unk> [PAD]",
    "x" * 300,
    "漢",
]
SHORT = [text for text in EVERY if len(text) < 120]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("foreign")


class Opened:
    """A model in its own library and in Calque."""

    def __init__(self, theirs: Any, ours: Model) -> None:
        self.theirs, self.ours = theirs, ours

    def agree(self, several: list[str], lengths: float = 1e-4) -> None:
        assert_same_vectors(self.ours.encode(several), self.theirs.encode(several), lengths)


@cache
def opened(library: str, kind: str, folder: Path, normalize: bool = False) -> Opened:
    path = folder / f"{library}-{kind}-{normalize}"
    if library == "model2vec":
        from model2vec import StaticModel

        static_model(kind, normalize=normalize).save_pretrained(path)
        return Opened(StaticModel.from_pretrained(path), load(path))
    return Opened(static_embedding(kind, path, normalize), load(path))


@pytest.mark.parametrize("library", ["model2vec", "sentence-transformers"])
@pytest.mark.parametrize("kind", KINDS)
class TestEveryKind:
    def test_sentences_have_the_same_vectors(self, folder: Path, library: str, kind: str) -> None:
        opened(library, kind, folder).agree(EVERY[::4])

    def test_words_that_training_never_saw_do_too(self, folder: Path, library: str, kind: str) -> None:
        opened(library, kind, folder).agree([f"{text[::-1]} {text.upper()}?!" for text in EVERY[::20]])

    def test_odd_text_does_too(self, folder: Path, library: str, kind: str) -> None:
        opened(library, kind, folder).agree(ODD)


@pytest.mark.parametrize("library", ["model2vec", "sentence-transformers"])
@pytest.mark.parametrize("kind", ["bert", "new-xlm-r", "gpt2"])
@given(text=texts.filter(lambda text: not any("\ud800" <= mark <= "\udfff" for mark in text)))
@example(text="\u0301 \u0301a \u200d\u0301b")
@settings(max_examples=40)
def test_any_text_has_the_same_vector(folder: Path, library: str, kind: str, text: str) -> None:
    both = opened(library, kind, folder)
    whole = {"max_length": None} if library == "model2vec" else {}
    np.testing.assert_allclose(both.ours.encode([text]), both.theirs.encode([text], **whole), atol=5e-4)


@pytest.mark.parametrize("library", ["model2vec", "sentence-transformers"])
def test_a_model_that_normalizes_gives_vectors_of_length_1(folder: Path, library: str) -> None:
    both = opened(library, "bert", folder, normalize=True)
    both.agree([*SHORT[:200], *ODD])
    assert both.ours.encoder.normalizes
    np.testing.assert_allclose(np.linalg.norm(both.ours.encode(SHORT[:9], normalize=False), axis=1), 1, rtol=1e-5)


def test_model2vec_leaves_the_unknown_token_out_and_sentence_transformers_counts_it(folder: Path) -> None:
    text = ["the 漢 dog"]
    out, counted = (opened(library, "bert", folder).ours for library in ("model2vec", "sentence-transformers"))
    both = tokenizer("bert").encode("the dog", add_special_tokens=False).ids
    rows = rows_for(tokenizer("bert"))
    np.testing.assert_allclose(out.encode(text)[0], rows[both].mean(axis=0), atol=1e-4)
    np.testing.assert_allclose(counted.encode(text)[0], (rows[both].sum(axis=0) + rows[1]) / 3, atol=1e-4)
    assert (out.vocabulary.unknown, counted.vocabulary.unknown) == (1, None)
    assert not out.embeddings[1].any()


def test_texts_are_read_to_their_end(folder: Path) -> None:
    """Where model2vec by default stops after 512 tokens: its `max_length=None` is what Calque does."""
    both = opened("model2vec", "bert", folder)
    long = [" ".join(EVERY[:300]), " ".join(EVERY[300:500])]
    assert_same_vectors(both.ours.encode(long), both.theirs.encode(long, max_length=None))
    assert np.abs(both.ours.encode(long) - both.theirs.encode(long)).max() > 1e-3


@pytest.mark.parametrize("type", ["float16", "float32", "float64", "int8"])
def test_numbers_of_every_type(tmp_path: Path, type: str) -> None:
    from model2vec import StaticModel

    static_model("bert").save_pretrained(tmp_path / "float")
    StaticModel.from_pretrained(tmp_path / "float", quantize_to=type).save_pretrained(tmp_path / type)
    both = Opened(StaticModel.from_pretrained(tmp_path / type), load(tmp_path / type))
    both.agree(SHORT[:300], lengths=2e-3 if type == "float16" else 1e-4)  # model2vec rounds to what it stores


@pytest.mark.parametrize("type", ["float16", "float32", "int8"])
@pytest.mark.parametrize("normalize", [True, False])
def test_a_quantised_vocabulary_with_its_mapping_and_weights(tmp_path: Path, type: str, normalize: bool) -> None:
    pytest.importorskip("sklearn")
    from model2vec import StaticModel

    static_model("bert", normalize=normalize).save_pretrained(tmp_path / "all")
    small = StaticModel.from_pretrained(tmp_path / "all", vocabulary_quantization=64, quantize_to=type)
    small.save_pretrained(tmp_path / "small")
    assert small.embedding.shape == (64, 32)
    both = Opened(StaticModel.from_pretrained(tmp_path / "small"), load(tmp_path / "small"))
    both.agree(SHORT[:300], lengths=2e-3 if type == "float16" else 1e-4)


def test_weights_without_a_mapping(tmp_path: Path) -> None:
    weights = np.random.default_rng(2).random(len(rows_for(tokenizer("bert")))).astype(np.float32)
    theirs = static_model("bert", weights=weights)
    theirs.save_pretrained(tmp_path)
    Opened(theirs, load(tmp_path)).agree(SHORT[:300])


def test_half_precision_in_sentence_transformers(tmp_path: Path) -> None:
    rows = rows_for(tokenizer("bert")).astype(np.float16)
    theirs = static_embedding("bert", tmp_path, vectors=rows)
    Opened(theirs, load(tmp_path)).agree(SHORT[:300], lengths=2e-3)


@pytest.mark.parametrize("dimension", [1, 7, 16, 100])
def test_any_dimension(tmp_path: Path, dimension: int) -> None:
    made = static_model("bert", vectors=rows_for(tokenizer("bert"), dimension))
    made.save_pretrained(tmp_path)
    np.testing.assert_allclose(load(tmp_path).encode(SHORT[:50]), made.encode(SHORT[:50]), atol=5e-4)


def test_rows_beyond_the_tokens_are_no_harm_in_sentence_transformers(tmp_path: Path) -> None:
    rows = random_rows(1024)
    theirs = static_embedding("bert", tmp_path, vectors=rows)
    ours = load(tmp_path)
    assert ours.vocabulary.size == len(ours.embeddings) == tokenizer("bert").get_vocab_size()
    Opened(theirs, ours).agree(SHORT[:100])


OLD, NEW = "sentence_transformers.models.", "sentence_transformers.sentence_transformer.modules."


@pytest.mark.parametrize("place", ["", ".", "0_StaticEmbedding"])
@pytest.mark.parametrize("prefix", [OLD, f"{NEW}static_embedding.", NEW])
def test_every_layout_that_sentence_transformers_has_written(tmp_path: Path, place: str, prefix: str) -> None:
    from sentence_transformers import SentenceTransformer

    static_embedding("bert", tmp_path / "model")
    (module,) = json.loads((tmp_path / "model" / "modules.json").read_text())
    source, out = tmp_path / "model" / module["path"], tmp_path / "again"
    (out / place).mkdir(parents=True)
    for name in ("model.safetensors", "tokenizer.json"):
        shutil.copy(source / name, out / place / name)
    listed = [{"idx": 0, "name": "0", "path": place, "type": f"{prefix}StaticEmbedding"}]
    (out / "modules.json").write_text(json.dumps(listed))
    ours = load(out).encode(SHORT[:50])
    np.testing.assert_array_equal(ours, load(tmp_path / "model").encode(SHORT[:50]))
    if prefix != NEW:  # which only a reader of class names takes
        assert_same_vectors(ours, SentenceTransformer(str(out), device="cpu").encode(SHORT[:50]))


def test_a_module_of_sentence_transformers_with_the_tensors_of_model2vec(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    static_model("bert", weights=np.linspace(0, 1, 900, dtype=np.float32)).save_pretrained(tmp_path)
    (tmp_path / "config.json").unlink()  # nobody but sentence-transformers opens it now, which counts unknown tokens
    Opened(SentenceTransformer(str(tmp_path), device="cpu"), load(tmp_path)).agree([*SHORT[:100], "the 漢 dog"])


def test_vectors_cut_to_their_first_numbers(tmp_path: Path) -> None:
    theirs = static_embedding("bert", tmp_path, truncate_dim=20)
    ours = load(tmp_path)
    assert ours.dimension == 20
    Opened(theirs, ours).agree(SHORT[:100])


def test_prompts_that_nobody_asks_for_are_no_harm(tmp_path: Path) -> None:
    theirs = static_embedding("bert", tmp_path, prompts={"query": "Find this: ", "document": ""})
    Opened(theirs, load(tmp_path)).agree(SHORT[:20])


def test_a_folder_of_model2vec_before_it_wrote_modules(folder: Path, tmp_path: Path) -> None:
    static_model("bert").save_pretrained(tmp_path)
    for name in ("modules.json", "README.md"):
        (tmp_path / name).unlink()
    (tmp_path / "config.json").write_text('{"model_type": "model2vec", "normalize": null}')
    np.testing.assert_array_equal(
        load(tmp_path).encode(SHORT[:20]), opened("model2vec", "bert", folder).ours.encode(SHORT[:20])
    )


def test_rows_that_begin_at_an_odd_byte(tmp_path: Path) -> None:
    theirs = static_model("bert")
    theirs.save_pretrained(tmp_path)
    content = (tmp_path / "model.safetensors").read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = content[8 : 8 + length].rstrip() + b" "
    header += b" " * (1 - len(header) % 2)
    (tmp_path / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + content[8 + length :])
    Opened(theirs, load(tmp_path)).agree(SHORT[:50])


@pytest.mark.parametrize(("type", "rows", "bits"), [("int8", CodedRows, 8), ("float16", WeightedRows, 32)])
def test_small_numbers_stay_as_they_are_stored(tmp_path: Path, type: str, rows: type, bits: int) -> None:
    from model2vec import StaticModel

    static_model("bert").save_pretrained(tmp_path / "float")
    StaticModel.from_pretrained(tmp_path / "float", quantize_to=type).save_pretrained(tmp_path / type)
    model = load(tmp_path / type)
    model.encode(EVERY)
    held: Any = model.encoder.__getstate__()["rows"]  # type: ignore[attr-defined]
    assert isinstance(held, rows)
    assert "floats" not in vars(held)
    assert model.encoder.bits == bits
    assert model.encoder.nbytes < model.embeddings.nbytes


def test_what_is_not_known_of_it_is_left_open(folder: Path) -> None:
    model = opened("model2vec", "bert", folder).ours
    assert model.languages == ()
    model.require_languages(["en", "xx"])
    assert model.about.library == "model2vec"
    signature = model.signature("stsb:dev", 5)
    assert signature.startswith(
        "stsb:dev|n:5|tokenizer:900|dim:32|recipe:imported=model2vec-bert-False|data:|epochs:0|seed:|v:"
    )
    assert model.checksum.startswith("xxh3:")
    assert model.vocabulary_checksum != opened("sentence-transformers", "bert", folder).ours.vocabulary_checksum


def test_a_similarity_is_explained_by_its_words(folder: Path) -> None:
    model = opened("model2vec", "bert", folder).ours
    explained = calque.explain("The dog runs.", "A dog sleeps.", model)
    assert explained.score == pytest.approx(model.similarity("The dog runs.", "A dog sleeps."), abs=1e-4)
    assert [part.text for part in explained.by_word().first] == ["The", "dog", "runs."]


def test_a_copy_by_pickle_gives_the_same_vectors(folder: Path) -> None:
    import pickle

    for library in ("model2vec", "sentence-transformers"):
        model = opened(library, "bert", folder, normalize=True).ours
        again = pickle.loads(pickle.dumps(model.encoder))
        np.testing.assert_array_equal(again.encode(SHORT[:50]), model.encode(SHORT[:50]))


@pytest.mark.data
def test_real_text_in_many_languages_has_the_same_vectors(folder: Path, real_data: Path) -> None:
    several = []
    for path in sorted((real_data / "eval" / "tatoeba").glob("*"))[:40]:
        lines = path.read_text(encoding="utf-8").splitlines()[:40]
        several += [side for line in lines for side in line.split("\t")]
    assert len(several) > 1000
    for kind in ("bert", "new-xlm-r", "unsplit-unigram"):
        opened("model2vec", kind, folder).agree(several)
