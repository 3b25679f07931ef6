"""The language study behind table 5 and figure 1: one model of English with each language, all else alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .._version import __version__
from ..errors import CorpusError, UsageError
from ..model import Model
from .distances import distances
from .library import Corpus, stand_in_notes
from .measures import sts_mean
from .overlap import piece_overlap
from .table import Row
from .workshop import SEED, Experiment, Score, Scores, Workshop, pairs_of

FEWEST = 3  # languages that a correlation is worth printing for
SHARING = {"shared": "separate", "prefixed": "separate-unshared"}  # coinciding pieces have one row, or none coincide
STAND_INS = ("tatoeba", "tatoeba-pivot")  # of one kind of text: what differs should be the language

# At a smaller scale come first: languages near and far, with the alphabet of English and without.
_FIRST = ("de", "ru", "fr", "el", "nl", "he", "es", "ja", "it", "ar", "fi", "zh", "hu", "tr")


class Study(NamedTuple):
    studied: tuple[Studied, ...]
    left_out: dict[str, str]  # by language, why


@dataclass(frozen=True)
class Studied:
    """A language, what English learnt beside it, and how near it is."""

    language: str
    score: Score  # mean of STS 2012–2016
    prefixed: Score  # the same with no parameter shared between the languages
    overlap: float  # share of the English text's pieces that its text has, too
    type_overlap: float  # the same, each piece counted once
    distances: dict[str, float] | None  # from English, by kind


def check(workshop: Workshop) -> None:
    """Raises what would end the study."""
    distances("en")  # needs lang2vec
    workshop.require_sets("sts", select=True)
    if not chosen_corpora(workshop):
        raise UsageError(
            f"{workshop.library.data}: no bitext opensubtitles.en-XX.tsv or {STAND_INS[0]}.en-XX.tsv has the "
            f"{workshop.scale.language_pairs:,} pairs of English and another language that this scale takes",
            hint="a smaller --scale takes fewer; --data is the folder with bitext/ and eval/",
        )


def study(workshop: Workshop) -> Study:
    """Every chosen language, but for those whose text does not yield a vocabulary of the size that all have."""
    studied, left_out = [], {}
    for corpus in chosen_corpora(workshop):
        try:
            studied.append(_study(workshop, corpus))
            workshop.rows_done([Row(f"en-{studied[-1].language}", {"STS": studied[-1].score})])
        except CorpusError as problem:
            left_out[corpus.languages[1]] = problem.message
            workshop.say(f"languages en-{corpus.languages[1]}: left out: {problem.message}")
    return Study(tuple(studied), left_out)


def chosen_corpora(workshop: Workshop) -> list[Corpus]:
    """Every language with enough pairs, or the first few of them."""
    library, scale = workshop.library, workshop.scale
    languages: Sequence[str] = library.languages(("opensubtitles",)) or library.languages(STAND_INS)
    if scale.languages is not None:
        order = {language: place for place, language in enumerate(_FIRST)}
        languages = sorted(languages, key=lambda language: order.get(language, len(order)))
    chosen: list[Corpus] = []
    for language in languages:
        corpus = library.corpus("OpenSubtitles", language, STAND_INS)
        if corpus and workshop.size(corpus) >= scale.language_pairs:
            chosen.append(corpus)
        if len(chosen) == scale.languages:
            break
    return sorted(chosen, key=lambda corpus: corpus.languages[1])


def notes(workshop: Workshop, found: Study) -> list[str]:
    scale = workshop.scale
    unknown = [each.language for each in found.studied if each.distances is None]
    return [
        f"{len(found.studied)} languages, {scale.language_pairs:,} pairs each, {scale.language_pieces:,} pieces or as "
        f"many as the text supports, {_epochs(workshop)} epochs; the epoch kept is the best on STS 2017 en-en, as in "
        "the paper.",
        *(f"{language} is left out: {reason}." for language, reason in found.left_out.items()),
        *stand_in_notes(chosen_corpora(workshop)),
        "SP overlap: how much of the English text consists of pieces that the other text has, too; of types: each "
        "piece counted once. Each language is segmented by its own SentencePiece model.",
        "Language distance: the angle between URIEL's feature vectors (lang2vec) of syntax, phonology and inventory, "
        "gaps filled in from a language's neighbours; `calque.paper.distances` says how each kind is computed.",
        *([f"URIEL knows nothing of {', '.join(unknown)}: left out where distance counts."] if unknown else []),
    ]


def _study(workshop: Workshop, corpus: Corpus) -> Studied:
    shared = _scores(workshop, corpus, "shared")
    prefixed = _scores(workshop, corpus, "prefixed")
    return Studied(
        corpus.languages[1],
        shared["mean"],
        prefixed["mean"],
        shared["overlap"].value,
        shared["overlap of types"].value,
        distances(corpus.languages[1]),
    )


def recipe(workshop: Workshop) -> str:
    """What all models of the study have in common, for signatures."""
    scale = workshop.scale
    parts = (
        f"sp:{scale.language_pieces}",
        "recipe:paper",
        f"pairs:{scale.language_pairs}",
        f"epochs:{_epochs(workshop)}",
    )
    return "|".join((*parts, f"seed:{SEED}", f"v:{__version__}"))


def _scores(workshop: Workshop, corpus: Corpus, variant: str) -> Scores:
    scale = workshop.scale
    options = {
        "recipe": "paper",
        "epochs": _epochs(workshop),
        "sharing": SHARING[variant],
        "vocabulary_size": scale.language_pieces,
    }
    experiment = Experiment(
        f"languages en-{corpus.languages[1]} {variant}", corpus, scale.language_pairs, options, select=True
    )
    return workshop.scores(
        experiment, lambda model: sts_mean(model, workshop.library) | _overlap(workshop, model, corpus), "sts"
    )


def _epochs(workshop: Workshop) -> int:
    return workshop.scale.epochs_of(workshop.scale.language_pairs)


def _overlap(workshop: Workshop, model: Model, corpus: Corpus) -> Scores:
    paths = workshop.bitext(corpus, workshop.scale.language_pairs)
    pairs = list(pairs_of(paths, corpus.languages))
    english = model.vocabulary.encode([pair.source for pair in pairs], corpus.languages[0])
    other = model.vocabulary.encode([pair.target for pair in pairs], corpus.languages[1])
    found = piece_overlap(english, other)
    return {"overlap": Score(found.tokens), "overlap of types": Score(found.types)}
