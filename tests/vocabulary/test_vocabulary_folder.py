"""A vocabulary written to a folder and read again encodes as before."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from calque.demo import sentences
from calque.errors import ModelError
from calque.vocabulary import Vocabulary, VocabularySpec, build_vocabulary, read_vocabulary, write_vocabulary
from calque.vocabulary.spec import Kind, Sharing

TEXT = {language: lines[:200] for language, lines in sentences().items() if language in ("en", "de")}
SIZES = {"sp": 300, "word": 400, "trigram": 500}
SHARINGS: list[Sharing] = ["joint", "separate", "separate-unshared"]


def build(kind: Kind, sharing: Sharing) -> Vocabulary:
    spec = VocabularySpec(kind, SIZES[kind], sharing)
    return build_vocabulary(spec, lambda: ((language, text) for language in TEXT for text in TEXT[language]))


@pytest.mark.parametrize("kind", SIZES)
@pytest.mark.parametrize("sharing", SHARINGS)
def test_what_was_written_encodes_as_before(tmp_path: Path, kind: Kind, sharing: Sharing) -> None:
    vocabulary = build(kind, sharing)
    again = read_vocabulary(tmp_path, write_vocabulary(tmp_path, vocabulary))
    assert again.pieces == vocabulary.pieces
    assert (again.kind, again.size, again.unknown) == (kind, vocabulary.size, vocabulary.unknown)
    for language, texts in TEXT.items():
        before, after = vocabulary.encode(texts, language), again.encode(texts, language)
        assert before.ids.tolist() == after.ids.tolist()
        assert before.offsets.tolist() == after.offsets.tolist()


@pytest.mark.parametrize(
    ("kind", "sharing", "files"),
    [
        ("sp", "joint", {"sentencepiece.model", "vocab.txt"}),
        ("word", "joint", {"vocab.txt"}),
        ("trigram", "joint", {"vocab.txt"}),
        ("sp", "separate", {"sentencepiece.en.model", "sentencepiece.de.model", "vocab.txt"}),
        ("word", "separate-unshared", {"vocab.en.txt", "vocab.de.txt", "vocab.txt"}),
    ],
)
def test_the_files_are_those_documented(tmp_path: Path, kind: Kind, sharing: Sharing, files: set[str]) -> None:
    vocabulary = build(kind, sharing)
    description = write_vocabulary(tmp_path, vocabulary)
    assert {path.name for path in tmp_path.iterdir()} == files
    assert set(description["files"].values()) <= files
    assert (tmp_path / "vocab.txt").read_text(encoding="utf-8").split("\n") == [*vocabulary.pieces, ""]


@pytest.mark.parametrize("kind", ["word", "trigram"])
@given(st.lists(st.text(), min_size=1))
@example(["\r a\rb \x85 \u2028 \0 \x1c"])
@settings(max_examples=50)
def test_any_text_makes_a_vocabulary_that_can_be_written(
    tmp_path_factory: pytest.TempPathFactory, kind: Kind, texts: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    vocabulary = build_vocabulary(VocabularySpec(kind, 1000), lambda: ((None, text) for text in [*texts, "the dog"]))
    assert read_vocabulary(folder, write_vocabulary(folder, vocabulary)).pieces == vocabulary.pieces


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "syllable"},
        {"kind": ["sp"]},
        {"sharing": "sometimes"},
        {"files": {}},
        {"files": None},
        {"files": {"": 5}},
        {"files": {"": "nowhere.model"}},
        {"files": {"": ""}},
    ],
)
def test_a_description_that_makes_no_sense_is_an_error(tmp_path: Path, change: dict[str, object]) -> None:
    description = write_vocabulary(tmp_path, build("word", "joint"))
    with pytest.raises(ModelError):
        read_vocabulary(tmp_path, description | change)


@given(noise=st.binary(min_size=1, max_size=100))
def test_noise_is_not_a_sentencepiece_model(tmp_path_factory: pytest.TempPathFactory, noise: bytes) -> None:
    folder = tmp_path_factory.getbasetemp()
    (folder / "sentencepiece.model").write_bytes(noise)
    with pytest.raises(ModelError):
        read_vocabulary(folder, {"kind": "sp", "sharing": "joint", "files": {"": "sentencepiece.model"}})


def test_a_word_list_that_is_not_utf8_is_an_error_that_names_it(tmp_path: Path) -> None:
    description = write_vocabulary(tmp_path, build("word", "joint"))
    (tmp_path / "vocab.txt").write_bytes(b"caf\xe9\n")
    with pytest.raises(ModelError, match=r"vocab\.txt is damaged"):
        read_vocabulary(tmp_path, description)


@pytest.mark.parametrize(("kind", "line"), [("trigram", "four"), ("trigram", "ab"), ("trigram", "")])
def test_a_line_that_is_no_trigram_is_an_error_that_names_the_file(tmp_path: Path, kind: Kind, line: str) -> None:
    description = write_vocabulary(tmp_path, build(kind, "joint"))
    (tmp_path / "vocab.txt").write_text(f"abc\n{line}\n")
    with pytest.raises(ModelError, match=r"vocab\.txt is damaged"):
        read_vocabulary(tmp_path, description)
