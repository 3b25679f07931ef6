"""A vocabulary as files of a model folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..atomic import write_text, writing
from ..errors import ModelError
from ..regular import read_bytes, read_text
from .protocol import Vocabulary
from .sentencepiece import SentencePieceVocabulary
from .sharing import SeparateVocabularies
from .tokenizer_json import TokenizerVocabulary
from .trigrams import TrigramVocabulary
from .words import WordVocabulary

TOKENIZER = "tokenizer.json"  # what Hugging Face's tokenizers and those that build on it call it

_LISTED: dict[str, type[WordVocabulary] | type[TrigramVocabulary]] = {
    "word": WordVocabulary,
    "trigram": TrigramVocabulary,
}


def write_vocabulary(folder: Path, vocabulary: Vocabulary, listing: bool = True) -> dict[str, Any]:
    """Writes the files and returns what config.json has to say so that `read_vocabulary` finds them.

    `listing` adds vocab.txt, the pieces for eyes, where nothing reads it.
    """
    if isinstance(vocabulary, SeparateVocabularies):
        files = {language: _write(folder, member, f".{language}") for language, member in vocabulary.members.items()}
        if listing:
            write_text(folder / "vocab.txt", _listing(vocabulary.pieces))
        sharing = "separate" if vocabulary.shared else "separate-unshared"
        return {"kind": vocabulary.kind, "sharing": sharing, "files": files}
    file = _write(folder, vocabulary, "")
    if listing and vocabulary.kind == "sp":
        write_text(folder / "vocab.txt", _listing(vocabulary.pieces))
    left_out = {"left_out": vocabulary.unknown} if isinstance(vocabulary, TokenizerVocabulary) else {}
    return {"kind": vocabulary.kind, "sharing": "joint", "files": {"": file}, **left_out}


def read_vocabulary(folder: Path, description: dict[str, Any], size: int | None = None) -> Vocabulary:
    """With the `size` it is known to have, a vocabulary that takes long to open is opened only for its first text."""
    try:
        kind, sharing, files = description["kind"], description["sharing"], dict(description["files"])
        if sharing not in ("joint", "separate", "separate-unshared"):
            raise ValueError(f"sharing {sharing!r}")
        if kind == TokenizerVocabulary.kind:
            return _read_tokenizer(folder / files[""], description["left_out"], size)
        if sharing == "joint":
            return _read(folder / files[""], kind, size)
        members = {language: _read(folder / file, kind) for language, file in files.items()}
    except (KeyError, TypeError, ValueError) as problem:
        raise ModelError(
            f"{folder / 'config.json'}: the vocabulary's description is not understood: {problem!r}"
        ) from problem
    return SeparateVocabularies(members, shared=sharing == "separate")


def _write(folder: Path, vocabulary: Vocabulary, suffix: str) -> str:
    if isinstance(vocabulary, SentencePieceVocabulary):
        name = f"sentencepiece{suffix}.model"
        with writing(folder / name) as file:
            file.write(vocabulary.model)
    elif isinstance(vocabulary, TokenizerVocabulary):
        name = TOKENIZER
        with writing(folder / name) as file:
            file.write(vocabulary.bare_definition)
    else:
        name = f"vocab{suffix}.txt"
        write_text(folder / name, _listing(vocabulary.pieces))
    return name


def _read(path: Path, kind: str, size: int | None = None) -> Vocabulary:
    try:
        if kind == "sp":
            return SentencePieceVocabulary(read_bytes(path), size)
        return _LISTED[kind](read_text(path).removesuffix("\n").split("\n"))
    except OSError as problem:
        raise ModelError(f"cannot read {path}: {problem.strerror}") from problem
    except ModelError as problem:
        raise ModelError(f"{path} is damaged: {problem.message}") from problem
    except ValueError as problem:
        raise ModelError(f"{path} is damaged: {problem}") from problem


def _read_tokenizer(path: Path, left_out: Any, size: int | None) -> TokenizerVocabulary:
    if left_out is not None and (type(left_out) is not int or left_out < 0):
        raise ValueError(f"left_out {left_out!r}")
    try:
        return TokenizerVocabulary(read_bytes(path), left_out, size)
    except OSError as problem:
        raise ModelError(f"cannot read {path}: {problem.strerror}") from problem


def _listing(pieces: list[str]) -> str:
    return "".join(f"{piece}\n" for piece in pieces)
