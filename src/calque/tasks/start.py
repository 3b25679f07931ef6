"""A model to start a training from: what is taken over from it, which languages it may be given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..corpus import Bitext, PlainText
from ..corpus.languages import best_fit, require_code
from ..errors import CorpusError, UsageError
from ..model import Model, load
from ..model.box import NAME as BOX
from ..vocabulary import Vocabulary
from ..vocabulary.build import count_words
from ..vocabulary.extension import extended
from ..vocabulary.sentencepiece import SentencePieceVocabulary
from .inputs import sides

ADD_PIECES = 8000
_TAKEN = ("vocabulary", "vocabulary_size", "sharing", "dimension", "encoder")


@dataclass(frozen=True)
class Start:
    """The model, opened, and what is to be added to it."""

    model: Model
    added: tuple[str, ...]
    pieces: int

    @property
    def recipe(self) -> str:
        """The defaults that suit it; where rows cannot be frozen, those of a new model."""
        if not _can_freeze(self.model):
            return "calque"
        return "extend" if self.added else "adapt"

    def taken(self, options: dict[str, Any]) -> dict[str, Any]:
        """What training has to take over from the model.

        Raises:
            UsageError: an option asks for something else.
        """
        model = self.model
        has = {name: model.about.training.get(name) for name in _TAKEN}
        has |= {"encoder": model.encoder.name, "dimension": model.dimension}
        for name, value in has.items():
            value = value or model.vocabulary.size  # a size of 0 asked for the default one
            if options.get(name) not in (None, value):
                raise UsageError(
                    f"{_called(model)} has the {name.replace('_', ' ')} {value}, and {options[name]} cannot start from "
                    "it",
                    hint=f"leave out --{name.replace('_', '-')}, or say {value}",
                )
        return has | {name: self._once(name, options.get(name) or 0.0) for name in ("inverse_frequency", "damping")}

    def _once(self, name: str, asked: float) -> float:
        """None unless asked for, whatever the recipe: rows must be weighed and damped once only.

        Raises:
            UsageError: it is asked for where it has been done, or where rows are to stay as they are.
        """
        option = name.replace("_", "-")
        if asked and self.added:
            raise UsageError(f"{option} would change what the model knows", hint="leave it out")
        if asked and self.model.about.training.get(name):
            raise UsageError(
                f"{_called(self.model)}: {option} has been applied to its rows already", hint="leave it out"
            )
        return asked

    def vocabulary(self, bitexts: Sequence[Bitext | PlainText], recipe: str) -> Vocabulary:
        """The model's, with pieces for each added language that are held to cut no other text anew.

        Raises:
            UsageError: the bitext is not one to add these languages from, or to adapt the model to.
        """
        if not self.added:
            if recipe == "adapt":  # whoever asks for another may try what they like
                for bitext in bitexts:
                    _require_known(bitext, bitext.languages or (), self.model)
            return self.model.vocabulary
        _require_anchors(bitexts, self.model, self.added)
        return _vocabulary_with(self.model, bitexts, self.added, self.pieces)


def open_start(init: str | Path | None, add_languages: Sequence[str] | str, add_pieces: int | None) -> Start | None:
    """
    Raises:
        UsageError: the model is not one of Calque's own, or languages or pieces are to be added to nothing, or to a
            model that cannot take them.
    """
    model = load(init) if init is not None else None
    if model and model.about.library:
        raise UsageError(
            f"{_called(model)} comes from {model.about.library}: training cannot go on from it, as Calque learns by "
            f"vocabularies of its own, and its is a {model.vocabulary.kind}",
            hint="leave out --init, or start from a model that calque train made",
        )
    added = _require_new([add_languages] if isinstance(add_languages, str) else add_languages, model)
    if add_pieces is not None and not added:
        raise UsageError("--add-pieces means nothing without --add-language")
    if add_pieces is not None and add_pieces < 1:
        raise UsageError(f"add-pieces: expected at least 1, got {add_pieces}")
    return Start(model, added, add_pieces or ADD_PIECES) if model else None


def _require_new(languages: Sequence[str], start: Model | None) -> tuple[str, ...]:
    """The languages to add, in their usual form.

    Raises:
        UsageError: there is no model to add to, or it is not one that can take them, or knows one already.
    """
    if not languages:
        return ()
    if start is None:
        raise UsageError(
            "--add-language needs a model to add to",
            hint="pass --init MODEL; without one, every language of the bitext is learnt anyway",
        )
    if not _can_freeze(start):
        raise UsageError(
            f"{_called(start)}: languages can be added to averages of SentencePiece pieces that all languages share, "
            f"and this is {start.encoder.kind} with sharing {start.about.training.get('sharing', 'unknown')}",
            hint="train a model on all the bitext instead",
        )
    made = []
    for language in languages:
        code = require_code(language)
        if best_fit(code, start.languages) is not None:
            raise UsageError(
                f"{_called(start)} knows {code} already", hint="leave out --add-language to train further what it knows"
            )
        made.append(code)
    return tuple(dict.fromkeys(made))


def _require_anchors(bitexts: Sequence[Bitext | PlainText], start: Model, added: Sequence[str]) -> None:
    """Every bitext must bring an added language, every added language be beside one that the model knows.

    Raises:
        UsageError: one does not.
    """
    anchored = set()
    for bitext in bitexts:
        name, languages = bitext.paths[0], bitext.languages
        if languages is None:
            raise UsageError(
                f"{name}: its languages are not known, so neither is the side that is new",
                hint="pass --languages en eo, or name the file like corpus.en-eo.tsv",
            )
        new = [language for language in languages if best_fit(language, added) is not None]
        others = [language for language in languages if language not in new]
        _require_known(bitext, others, start)
        if not new:
            raise UsageError(
                f"{name} is {'-'.join(languages)}, without {' or '.join(added)}",
                hint="leave it out: the languages that the model knows do not learn while others are added",
            )
        anchored |= {best_fit(language, added) for language in new if others}
    for at, language in enumerate(added):
        if at not in anchored:
            raise UsageError(
                f"no bitext has {language} beside a language that {_called(start)} knows",
                hint=f"it knows {', '.join(start.languages)}",
            )


def _require_known(bitext: Bitext | PlainText, languages: Sequence[str], start: Model) -> None:
    """
    Raises:
        UsageError: the model has never seen one of these languages of the bitext.
    """
    if unknown := [each for each in languages if start.languages and best_fit(each, start.languages) is None]:
        has = "-".join(bitext.languages or ())
        raise UsageError(
            f"{bitext.paths[0]} is {has}, and {_called(start)} knows {', '.join(start.languages)}",
            hint=f"add --add-language {unknown[0]}, or leave this bitext out",
        )


def _vocabulary_with(
    start: Model, bitexts: Sequence[Bitext | PlainText], added: Sequence[str], most: int
) -> Vocabulary:
    """One language after the other: the words of those before count among what must not be cut anew."""
    vocabulary = start.vocabulary
    assert isinstance(vocabulary, SentencePieceVocabulary)  # _require_new has seen to it
    which = {language: best_fit(language, added) for bitext in bitexts for language in bitext.languages or ()}
    known = count_words(text for language, text in sides(bitexts) if which[str(language)] is None)
    for at, name in enumerate(added):
        words = count_words(text for language, text in sides(bitexts) if which[str(language)] == at)
        if not words:
            raise CorpusError(
                f"the bitext holds no words of {name}", hint="is that side blank? --columns says which to read"
            )
        vocabulary = extended(vocabulary, words, known, most)
        known += words
    return vocabulary


def _can_freeze(model: Model) -> bool:
    """Whether its vocabulary tells how common a piece was, and its rows are all there is to learn."""
    return isinstance(model.vocabulary, SentencePieceVocabulary) and model.encoder.name == "average"


def _called(model: Model) -> str:
    return "the model in the box" if model.name == BOX else str(model.path)
