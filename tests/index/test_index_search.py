"""What an index finds after any adding and deleting, against a plain list of texts."""

from __future__ import annotations

import shutil
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import calque
from calque.demo import sentences as sentences_of_the_demo
from calque.errors import ModelError, UsageError
from calque.index import Hit
from strategies import texts as any_text

WORDS = ["dog", "perro", "cat", "gato", "house", "Haus", "runs", "sleeps", "red", "rojo"]
sentences = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join), st.sampled_from(["", " ", "\t"]), any_text
)
additions = st.lists(sentences, max_size=6)


def ranked(model: calque.Model, entries: dict[int, str], query: str, k: int) -> list[tuple[int, float]]:
    """The slow twin: every cosine in double precision, sorted, the smaller id first."""
    asked = model.encode([query], normalize=True)[0].astype(float)
    if not asked.any():
        return []
    vectors = model.encode(list(entries.values()), normalize=True).astype(float)
    scores = zip(entries, (vectors @ asked).astype(np.float32).tolist(), strict=True)
    return sorted(scores, key=lambda each: (-each[1], each[0]))[:k]


def assert_finds(index: calque.Index, entries: dict[int, str], query: str, k: int) -> None:
    (hits,) = index.search([query], k)
    expected = ranked(index.model, entries, query, k)
    # Sums in another order may differ in the last bit, and so may the order of those that nearly tie.
    assert [hit.score for hit in hits] == pytest.approx([score for _, score in expected], abs=1e-6)
    assert {hit.id: hit.text for hit in hits}.items() <= entries.items()
    for hit in hits:
        exact = dict(ranked(index.model, entries, query, len(entries)))
        assert hit.score == pytest.approx(exact[hit.id], abs=1e-6)
    for one, two in pairwise(hits):
        assert (-one.score, one.id) < (-two.score, two.id)


@given(data=st.data(), start=additions, query=sentences, k=st.sampled_from([1, 3, 50]))
@settings(max_examples=30)
def test_after_any_adding_and_deleting_the_nearest_are_found(
    small_model: calque.Model, data: st.DataObject, start: list[str], query: str, k: int
) -> None:
    folder = Path(tempfile.mkdtemp()) / "index"
    try:
        start = ["dog", *start]
        index = calque.Index.build(start, folder, small_model, threads=1)
        entries, next_id = {}, 1 + len(start)
        entries.update({id: index_text(text) for id, text in numbered(start, 1)})
        for _ in range(data.draw(st.integers(0, 4))):
            if data.draw(st.booleans()) and entries:
                gone = data.draw(st.lists(st.sampled_from(sorted(entries)), min_size=1, unique=True))
                assert index.delete(gone) == len(gone)
                entries = {id: text for id, text in entries.items() if id not in gone}
            else:
                more = ["cat", *data.draw(additions)]
                new = dict((id, index_text(text)) for id, text in numbered(more, next_id))
                assert index.add(more) == len(new)
                entries.update(new)
                next_id += len(more)
        assert len(index) == len(entries)
        assert_finds(index, entries, query, k)
        assert_finds(calque.Index.open(folder), entries, "a dog", 100)
        index.check()
    finally:
        shutil.rmtree(folder.parent)


def numbered(texts: list[str], first: int) -> list[tuple[int, str]]:
    return [(first + at, text) for at, text in enumerate(texts) if text and not text.isspace()]


def index_text(text: str) -> str:
    """A lone surrogate cannot be stored, and counts as U+FFFD."""
    return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)


def test_ids_are_places_and_blank_texts_are_not_indexed(index: calque.Index) -> None:
    (hits,) = index.search(["dog"], k=100)
    assert sorted(hit.id for hit in hits) == [1, 2, 4, 5, 6, 7]
    assert len(index) == 6


def test_of_equal_entries_the_smaller_id_comes_first(index: calque.Index) -> None:
    (hits,) = index.search(["A dog runs."], k=2)
    assert [(hit.id, hit.text) for hit in hits] == [(1, "A dog runs."), (6, "A dog runs.")]
    assert hits[0].score == pytest.approx(1, abs=1e-6)


def test_equals_in_different_segments_come_in_the_order_of_their_ids(index: calque.Index) -> None:
    index.add(["A dog runs."])
    assert index.describe()["segments"] == 2
    assert [hit.id for hit in index.search(["A dog runs."], k=3)[0]] == [1, 6, 8]


def test_a_query_of_nothing_known_finds_nothing(index: calque.Index) -> None:
    assert index.search(["", " \t"], k=3) == [[], []]
    assert index.search([]) == []


def test_many_queries_get_what_each_gets_alone(small_model: calque.Model, tmp_path: Path) -> None:
    texts = [f"{one} {two}" for one in WORDS for two in WORDS]
    index = calque.Index.build(texts, tmp_path / "index", small_model)
    together = index.search(texts, k=5)
    assert together == [index.search([text], k=5)[0] for text in texts]


def test_more_than_there_are_gives_all(index: calque.Index) -> None:
    assert len(index.search(["dog"], k=1_000_000)[0]) == 6


@pytest.mark.parametrize("k", [0, -1])
def test_fewer_than_one_is_a_mistake(index: calque.Index, k: int) -> None:
    with pytest.raises(UsageError, match=f"k: expected 1 or more, got {k}"):
        index.search(["dog"], k)


def test_one_query_must_stand_in_a_list(index: calque.Index) -> None:
    with pytest.raises(UsageError, match="list of queries"):
        index.search("dog")


def test_hits_from_files_name_file_and_line(small_model: calque.Model, tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("A dog runs.\n\nThe cat sleeps.\n")
    two.write_text("\nUn perro corre.\n")
    index = calque.Index.build([one, two], tmp_path / "index", small_model)
    index.add(["from Python"])
    index.add(two)
    places = {hit.id: (hit.text, hit.file, hit.line) for hit in index.search(["dog"], k=9)[0]}
    assert places == {
        1: ("A dog runs.", str(one), 1),
        3: ("The cat sleeps.", str(one), 3),
        5: ("Un perro corre.", str(two), 2),
        6: ("from Python", None, None),
        8: ("Un perro corre.", str(two), 2),
    }


def test_texts_are_kept_as_they_are(small_model: calque.Model, tmp_path: Path) -> None:
    texts = ["two\nlines", "tab\there", "dog \ud800 perro", "naïve 語 🙂", "NUL \0 dog"]
    index = calque.Index.build(iter(texts), tmp_path / "index", small_model)
    hits = sorted(index.search(["dog"], k=9)[0], key=lambda hit: hit.id)
    assert [hit.text for hit in hits] == ["two\nlines", "tab\there", "dog \ufffd perro", "naïve 語 🙂", "NUL \0 dog"]


def test_an_index_can_be_emptied_and_filled_again(index: calque.Index) -> None:
    index.delete([1, 2, 4, 5, 6, 7])
    assert (len(index), index.search(["dog"])) == (0, [[]])
    assert calque.Index.open(index.path).search(["dog"]) == [[]]
    index.add(["dog"])
    assert [hit.id for hit in index.search(["dog"])[0]] == [8]


@pytest.mark.parametrize("ids", [[3], [8], [0], [-1], [1 << 70], [1, 99]], ids=str)
def test_deleting_what_is_not_there_deletes_nothing(index: calque.Index, ids: list[int]) -> None:
    with pytest.raises(UsageError, match=f"no entry has the id {ids[-1]}"):
        index.delete(ids)
    assert len(index) == 6


def test_deleting_nothing_changes_nothing(index: calque.Index) -> None:
    before = (index.path / "index.json").read_bytes()
    assert index.delete([]) == 0
    assert (index.path / "index.json").read_bytes() == before


def test_deleting_twice_says_so(index: calque.Index) -> None:
    index.delete([1])
    with pytest.raises(UsageError, match="it was deleted before; nothing was deleted"):
        index.delete([1])


def test_entries_are_found_by_their_exact_text(index: calque.Index) -> None:
    assert index.ids_of("A dog runs.") == [1, 6]
    assert index.ids_of("A dog runs") == []
    index.delete([1])
    assert index.ids_of("A dog runs.") == [6]


def test_an_open_index_stays_as_it_was_until_it_is_refreshed(index: calque.Index) -> None:
    other = calque.Index.open(index.path)
    for _ in range(3):
        index.add(["dog"] * 20)  # small segments are joined, and their files go
    index.delete([1, 2, 4])
    assert len(other) == 6
    assert other.search(["A dog runs."], k=1)[0][0].text == "A dog runs."
    other.refresh()
    assert len(other) == 63


def test_approximate_search_finds_and_forgets_like_the_exact_one(small_model: calque.Model, tmp_path: Path) -> None:
    pytest.importorskip("faiss")
    texts = [f"{one} {two} {three}" for one in WORDS for two in WORDS for three in WORDS]
    exact = calque.Index.build(texts, tmp_path / "exact", small_model)
    near = calque.Index.build(texts, tmp_path / "near", small_model, approximate=True, threads=1)
    assert exact.recall is None
    assert near.recall is not None
    assert near.recall >= 0.95
    assert near.describe()["search"] == "approximate"
    opened = calque.Index.open(tmp_path / "near")
    assert opened.recall == near.recall
    queries = ["a red house", "the dog runs", "gato"]
    found, wanted = opened.search(queries, 5, threads=1), exact.search(queries, 5, threads=1)
    assert [hits[0] for hits in found] == [hits[0] for hits in wanted]
    near.delete([wanted[0][0].id], threads=1)
    assert wanted[0][0].id not in [hit.id for hit in near.search(queries, 5, threads=1)[0]]
    near.add(["a red house indeed"], threads=1)
    assert near.search(["a red house indeed"], 1, threads=1)[0][0].id == 1001


@pytest.mark.parametrize("value", [np.nan, np.inf, 5.0])
def test_approximate_search_does_not_pass_over_forged_vectors(
    small_model: calque.Model, tmp_path: Path, value: float
) -> None:
    pytest.importorskip("faiss")
    texts = [f"{one} {two} {three}" for one in WORDS for two in WORDS for three in WORDS]
    index = calque.Index.build(texts, tmp_path / "near", small_model, approximate=True, threads=1)
    path = index.path / "segment-000001/vectors.f32"
    vectors = np.fromfile(path, "f4").reshape(len(texts), -1)
    vectors[150] = value
    path.write_bytes(vectors.tobytes())
    with pytest.raises(ModelError, match="has not the length 1"):
        calque.Index.open(index.path).search([texts[150]], 3)


def test_a_hit_is_a_plain_tuple() -> None:
    assert Hit(0.5, 1, "text") == (0.5, 1, "text", None, None)


@pytest.mark.parametrize("language", ["xx", "fi"])
def test_a_language_that_the_model_has_never_seen_is_refused(
    index: calque.Index, small_model: calque.Model, tmp_path: Path, language: str
) -> None:
    with pytest.raises(UsageError, match=f"not {language}"):
        calque.Index.build(["a"], tmp_path / "other", small_model, language=language)
    with pytest.raises(UsageError, match=f"not {language}"):
        index.search(["a"], language=language)
    with pytest.raises(UsageError, match=f"not {language}"):
        index.add(["a"], language=language)
    assert not (tmp_path / "other").exists()


def test_a_query_finds_its_translation(small_model: calque.Model, tmp_path: Path) -> None:
    """Which the model was trained on; what matters here is that index and query speak of the same vectors."""
    text = sentences_of_the_demo()
    index = calque.Index.build(text["en"], tmp_path / "index", small_model, language="en")
    found = index.search(text["es"], k=5, language="es")
    among_five = [at + 1 in [hit.id for hit in hits] for at, hits in enumerate(found)]
    assert np.mean(among_five) > 0.1  # seven times what chance would find


@given(
    additions=st.lists(
        st.lists(st.sampled_from(["a dog", "a cat", "  ", "A dog", "é", "e\u0301", "x\ud800", "x?"]), max_size=6),
        min_size=1,
        max_size=5,
    ),
    gone=st.sets(st.integers(1, 20)),
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_repeats_are_the_entries_whose_text_an_earlier_one_has(
    small_model: calque.Model, tmp_path_factory: pytest.TempPathFactory, additions: list[list[str]], gone: set[int]
) -> None:
    index = calque.Index.build(["a dog"], tmp_path_factory.mktemp("repeats") / "index", small_model)
    entries, firsts = {1: "a dog"}, [1]
    for texts in additions:
        first = index.next_id
        if any(text.strip() for text in texts):
            index.add(texts)
            entries |= {first + at: text.replace("\ud800", "\ufffd") for at, text in enumerate(texts) if text.strip()}
            firsts.append(first)
    dropped = sorted(gone & entries.keys() - {1})
    index.delete(dropped)
    for id in dropped:
        del entries[id]
    ids = sorted(entries)
    for since in firsts:
        repeated = [entries[id] in [entries[one] for one in ids[:at]] for at, id in enumerate(ids) if id >= since]
        assert index.repeats(since) == sum(repeated)
    assert index.repeats(index.next_id) == 0
