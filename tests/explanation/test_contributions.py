"""What pieces add makes up the score, whatever the text and the vocabulary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings

from calque import Model
from calque.demo import sentences
from calque.encoder import AverageEncoder, random_embeddings
from calque.errors import UsageError
from calque.explanation import Explanation, contributions, split_similarity
from calque.model.about import About
from calque.vocabulary import VocabularySpec, build_vocabulary
from calque.vocabulary.build import Kind, Sharing
from strategies import texts

SIZES: dict[Kind, int] = {"sp": 300, "word": 400, "trigram": 500}
MODELS: list[tuple[Kind, Sharing]] = [
    *((kind, "joint") for kind in SIZES),
    ("sp", "separate"),
    ("trigram", "separate-unshared"),
]
LANGUAGES = ("en", "es")


@pytest.fixture(scope="module")
def models() -> dict[tuple[Kind, Sharing], Model]:
    labelled = [(language, line) for language in LANGUAGES for line in sentences()[language]]
    made = {}
    for kind, sharing in MODELS:
        vocabulary = build_vocabulary(VocabularySpec(kind, SIZES[kind], sharing), lambda: labelled)
        encoder = AverageEncoder(vocabulary, random_embeddings(vocabulary.size, 24, seed=1))
        made[kind, sharing] = Model(encoder, About(languages=LANGUAGES))
    return made


def exact_cosine(model: Model, first: str, second: str) -> float:
    """The slow twin: the mean of the rows that the vocabulary gives, then the cosine."""
    means = []
    for text, language in zip((first, second), LANGUAGES, strict=True):
        rows = model.embeddings[model.vocabulary.encode([text], language)[0]].astype(np.float64)
        means.append(rows.mean(axis=0) if len(rows) else np.zeros(model.dimension))
    lengths = [float(np.linalg.norm(mean)) for mean in means]
    return float(means[0] @ means[1]) / (lengths[0] * lengths[1]) if all(lengths) else 0.0


@pytest.mark.parametrize("which", MODELS, ids="-".join)
@given(first=texts, second=texts)
@example(first="", second="The dog runs.")
@example(first="", second="")
@example(first="☃ ☃", second="漢字 The")
@example(first="the the the dog the", second="the the")
@example(first="我喜欢狗。 ▁ ▁dog", second="\ud800 x\udfff A\u00a0dog\u3000runs")
@settings(max_examples=60)
def test_contributions_add_up_to_the_exact_cosine(
    models: dict[tuple[Kind, Sharing], Model], which: tuple[Kind, Sharing], first: str, second: str
) -> None:
    explained = split_similarity(models[which], first, second, LANGUAGES)
    assert explained.score == pytest.approx(exact_cosine(models[which], first, second), abs=1e-6)
    for shown in (explained, explained.by_word()):
        assert shown.contributions.shape == (len(shown.first), len(shown.second))
        assert shown.score == explained.score
        for numbers in (shown.contributions, shown.first_totals, shown.second_totals):
            assert numbers.sum() == pytest.approx(shown.score, abs=1e-6)
        for parts, totals in ((shown.first, shown.first_totals), (shown.second, shown.second_totals)):
            assert not any(total for part, total in zip(parts, totals, strict=True) if not part.known)


@pytest.fixture(scope="module")
def explained(small_model: Model) -> Explanation:
    return split_similarity(small_model, "Two dogs run.", "The dogs ☃.")


def test_a_cell_is_the_product_of_two_pieces_over_the_lengths_of_the_sums(
    explained: Explanation, small_model: Model
) -> None:
    vocabulary = small_model.vocabulary
    ids = [vocabulary.encode([text])[0] for text in explained.texts]
    rows = [small_model.embeddings[each].astype(np.float64) for each in ids]
    lengths = np.prod([np.linalg.norm(each.sum(axis=0)) for each in rows])
    known = [[part.known for part in parts] for parts in (explained.first, explained.second)]
    cells = explained.contributions[np.ix_(*known)]
    assert cells == pytest.approx(rows[0] @ rows[1].T / lengths, abs=1e-12)


def test_the_score_is_the_model_s_similarity_but_for_its_rounding(small_model: Model) -> None:
    for first, second in zip(sentences()["en"][:150], sentences()["es"][:150], strict=True):
        score = split_similarity(small_model, first, second).score
        assert score == pytest.approx(small_model.similarity(first, second), abs=2e-5)


def test_by_word_adds_up_the_pieces_of_each_word(explained: Explanation) -> None:
    words = explained.by_word()
    assert [part.text for part in words.first] == ["Two", "dogs", "run."]
    assert [part.text for part in words.second] == ["The", "dogs", "☃."]
    for row in range(3):
        for column in range(3):
            cells = [
                explained.contributions[at, other]
                for at, one in enumerate(explained.first)
                for other, two in enumerate(explained.second)
                if (one.word, two.word) == (row, column)
            ]
            assert words.contributions[row, column] == pytest.approx(sum(cells))


def test_what_the_vocabulary_does_not_know_is_named(explained: Explanation, small_model: Model) -> None:
    assert explained.unknown == explained.by_word().unknown == ("☃",)
    assert [part.text.lstrip("\u2581") for part in explained.second if not part.known] == ["☃"]
    assert split_similarity(small_model, "Two dogs", "The dogs").unknown == ()


def test_chinese_keeps_its_pieces_by_word(small_model: Model) -> None:
    words = split_similarity(small_model, "dog 狗, dog", "x").by_word().first
    assert [(part.text, part.word) for part in words] == [("dog", 0), ("狗", 1), (",", 1), ("dog", 2)]


def test_a_word_that_normalisation_leaves_nothing_of_is_unknown(small_model: Model) -> None:
    assert [part.known for part in split_similarity(small_model, "dog \u200b", "x").by_word().first] == [True, False]


def test_the_strongest_come_first_whichever_way_they_pull(explained: Explanation) -> None:
    listed = explained.strongest(10_000)
    amounts = [abs(pairing.contribution) for pairing in listed]
    assert amounts == sorted(amounts, reverse=True)
    assert len(listed) == np.count_nonzero(explained.contributions)
    assert explained.strongest(2) == listed[:2]
    for first, second, amount in listed:
        assert explained.contributions[first, second] == amount


@pytest.mark.parametrize(
    ("first", "second", "empty"), [("", "dog", True), ("dog", "\U00013000", False), ("", "", True), ("a", "b", False)]
)
def test_a_text_without_known_pieces_leaves_nothing_to_explain(
    small_model: Model, first: str, second: str, empty: bool
) -> None:
    assert split_similarity(small_model, first, second).empty is empty


def test_documents_are_refused_before_the_table_is_made(small_model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contributions, "MOST_CELLS", 8)
    split_similarity(small_model, "a a", "a a a a")
    with pytest.raises(UsageError, match="texts of 3 and 3 pieces are too long to explain"):
        split_similarity(small_model, "a a a", "a a a")
