"""A corpus larger than memory: windows of it, read from a file, hold every pair once an epoch."""

from __future__ import annotations

import json
import os
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calque.corpus import Bitext
from calque.encoder import random_embeddings
from calque.errors import CalqueError, CorpusError
from calque.training import (
    Checkpoint,
    Corpus,
    TrainingConfig,
    TrainingCorpus,
    first_state,
    tokenise,
    tokenise_beside,
    train_parameters,
)
from calque.training.corpus import Part, Sides, share
from calque.training.large_corpus import NAME, LargeCorpus, dealt
from calque.training.mega_batches import Course, MegaBatch, Place
from calque.training.token_file import Block
from calque.vocabulary.words import WordVocabulary

WORDS = WordVocabulary([f"w{number}" for number in range(300)])
Pairs = list[tuple[list[int], list[int]]]


@pytest.fixture
def bitexts(tmp_path: Path) -> list[Bitext]:
    """47 pairs of one language pair, 30 of another, each pair with words that no other has; the fifth is unknown."""
    made = []
    for name, first, count in (("en-es", 0, 48), ("en-de", 50, 30)):
        lines = [f"w{2 * at} w1\tw{2 * at + 1} w1 w2\n" for at in range(first, first + count)]
        if name == "en-es":
            lines[4] = "unknown\tw1\n"
        path = tmp_path / f"some.{name}.tsv"
        path.write_text("".join(lines))
        made.append(Bitext((str(path),), tuple(name.split("-"))))  # type: ignore[arg-type]
    return made


@pytest.fixture
def small_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four windows for the bitexts above, in blocks of 5 pairs."""
    monkeypatch.setattr("calque.training.large_corpus.MOST_BYTES", 850)
    monkeypatch.setattr("calque.training.token_file._PAIRS", 5)
    monkeypatch.setattr("calque.training.corpus._BATCH", 12)


def read(folder: Path, bitexts: list[Bitext], weights: tuple[float, ...] = ()) -> LargeCorpus:
    corpus = tokenise_beside(folder, bitexts, WORDS, threads=1, weights=weights)
    assert isinstance(corpus, LargeCorpus)
    return corpus


def as_lists(sides: Sides) -> Pairs:
    return [(sides.source[at].tolist(), sides.target[at].tolist()) for at in range(len(sides.source))]


def epoch_of(corpus: Corpus, epoch: int) -> list[Pairs]:
    return [as_lists(corpus.window(number, epoch, seed=1)) for number in range(corpus.windows)]


def test_a_corpus_that_fits_is_in_memory_and_no_file_is_made(tmp_path: Path, bitexts: list[Bitext]) -> None:
    corpus = tokenise_beside(tmp_path, bitexts, WORDS, threads=1)
    assert isinstance(corpus, TrainingCorpus)
    assert corpus.digest == tokenise(bitexts, WORDS, threads=1).digest
    assert not (tmp_path / NAME).exists()


@pytest.mark.parametrize(("room", "windows"), [(3600, 0), (3599, 2), (1800, 2), (1799, 3), (360, 10)])
def test_short_sentences_take_room_for_their_places_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int, windows: int
) -> None:
    """100 pairs of a word of two bytes on either side, and 32 bytes for each pair; 0: all of it is in memory."""
    monkeypatch.setattr("calque.training.large_corpus.MOST_BYTES", room)
    path = tmp_path / "words.en-es.tsv"
    path.write_text("".join(f"w{at}\tw{at + 1}\n" for at in range(100)))
    corpus = tokenise_beside(tmp_path, [Bitext((str(path),), ("en", "es"))], WORDS, threads=1)
    assert isinstance(corpus, LargeCorpus) == bool(windows)
    assert corpus.windows == max(windows, 1)


@pytest.mark.usefixtures("small_memory")
def test_the_windows_of_an_epoch_hold_every_pair_once_in_equal_shares(tmp_path: Path, bitexts: list[Bitext]) -> None:
    corpus, whole = read(tmp_path, bitexts), tokenise(bitexts, WORDS, threads=1)
    assert (corpus.parts, corpus.windows) == (whole.parts, 4)
    windows = epoch_of(corpus, 0)
    assert sorted(chain(*windows)) == sorted(as_lists(whole.window(0, 0, 1)))
    assert [len(window) for window in windows] == [11 + 7, 12 + 8, 12 + 7, 12 + 8]
    german = [[source[0] >= 100 for source, _ in window] for window in windows]
    assert all(sorted(window) == window for window in german)  # a part's pairs follow one another


@pytest.mark.usefixtures("small_memory")
def test_each_epoch_and_each_seed_deals_the_blocks_anew(tmp_path: Path, bitexts: list[Bitext]) -> None:
    corpus = read(tmp_path, bitexts)
    assert epoch_of(corpus, 0) == epoch_of(corpus, 0)
    assert set(map(str, epoch_of(corpus, 0)[0])) != set(map(str, epoch_of(corpus, 1)[0]))
    assert as_lists(corpus.window(0, 0, seed=2)) != as_lists(corpus.window(0, 0, seed=1))


@pytest.mark.usefixtures("small_memory")
def test_tokens_are_counted_as_in_memory(tmp_path: Path, bitexts: list[Bitext]) -> None:
    weights = (0.5, 3.0)
    filed, held = read(tmp_path, bitexts, weights), tokenise(bitexts, WORDS, threads=1, weights=weights)
    for found, expected in zip(filed.sides(300), held.sides(300), strict=True):
        assert (found.number, found.language, found.weight) == (expected.number, expected.language, expected.weight)
        np.testing.assert_array_equal(found.counts, expected.counts)
        assert found.counts.sum() > 0


@given(st.lists(st.integers(1, 9), max_size=12), st.integers(1, 5))
def test_blocks_are_dealt_without_gaps_or_repeats(sizes: list[int], windows: int) -> None:
    blocks = [Block(0, number, pairs, (0, 0), "") for number, pairs in enumerate(sizes)]
    found = [
        (cut.block.begin, pair)
        for number in range(windows)
        for cut in dealt(blocks, share(sum(sizes), number, windows))
        for pair in range(cut.begin, cut.end)
    ]
    assert found == [(number, pair) for number, pairs in enumerate(sizes) for pair in range(pairs)]


PLANS = st.tuples(
    st.lists(
        st.tuples(
            st.sampled_from([("en", "es"), ("en", "de"), None]),
            st.integers(0, 40),
            st.one_of(st.sampled_from([0.0, 0.5, 1.0, 2.0]), st.floats(0, 4)),
        ),
        min_size=1,
        max_size=4,
    ).filter(lambda parts: any(round(weight * count) for _, count, weight in parts)),
    st.builds(
        TrainingConfig.of,
        batch_size=st.integers(1, 20),
        mega_batch=st.integers(1, 6),
        annealing=st.integers(1, 10),
        epochs=st.integers(1, 3),
        mixing=st.sampled_from(["one-pair", "mixed"]),
    ),
    st.integers(1, 7),
)


def course_of(plan: Any) -> Course:
    parts, config, windows = plan
    return Course([Part(*part[:2]) for part in parts], config, [weight for *_, weight in parts], windows)


def as_plain(batches: list[MegaBatch]) -> list[Any]:
    return [(batch.window, batch.pairs.tolist(), batch.rates.tolist(), batch.after) for batch in batches]


@given(PLANS)
@settings(max_examples=30)
def test_in_any_number_of_windows_an_epoch_sees_as_many_pairs_of_each_part_as_its_weight_says(plan: Any) -> None:
    parts, config, windows = plan
    batches = list(course_of(plan).mega_batches(Place()))
    assert sum(batch.ends_epoch for batch in batches) == config.epochs
    assert batches[-1].after == Place(config.epochs, (), course_of(plan).steps)
    for epoch in range(config.epochs):
        found = [0] * len(parts)
        for batch in batches:
            begins = np.cumsum([0, *(len(share(count, batch.window, windows)) for _, count, _ in parts)])
            if batch.epoch == epoch:
                for part, (begin, end) in enumerate(pairwise(begins)):
                    found[part] += int(((batch.pairs >= begin) & (batch.pairs < end)).sum())
        assert found == [round(weight * count) for _, count, weight in parts]


@given(PLANS, st.data())
@settings(max_examples=30)
def test_going_on_from_any_place_gives_the_rest_of_the_sequence(plan: Any, data: st.DataObject) -> None:
    batches = list(course_of(plan).mega_batches(Place()))
    stop = data.draw(st.integers(0, len(batches)))
    place = Place.from_dict(batches[stop - 1].after.as_dict()) if stop else Place()
    assert as_plain(list(course_of(plan).mega_batches(place))) == as_plain(batches[stop:])


@pytest.mark.usefixtures("small_memory")
def test_training_learns_from_every_window_and_gives_the_same_bytes_on_any_number_of_threads(
    tmp_path: Path, bitexts: list[Bitext]
) -> None:
    corpus = read(tmp_path, bitexts)
    start = random_embeddings(300, 16, 1, unknown=None)

    def rows(threads: int) -> Any:
        config = TrainingConfig.of(dimension=16, batch_size=8, mega_batch=3, annealing=2, epochs=2)
        begin = Checkpoint(Place(), first_state("average", {"embeddings": start}), "")
        return train_parameters(corpus, config, begin, threads=threads).parameters["embeddings"]

    found = rows(1)
    for threads in (2, 3):
        assert rows(threads).tobytes() == found.tobytes()
    used = sorted({id for sides in epoch_of(corpus, 0) for pair in sides for ids in pair for id in ids})
    assert (found[used] != start[used]).any(axis=1).all()


@pytest.mark.usefixtures("small_memory")
def test_a_file_of_unchanged_bitext_is_used_again_without_reading_the_bitext(
    tmp_path: Path, bitexts: list[Bitext], monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = read(tmp_path, bitexts).digest

    def unexpected(*_: Any) -> None:
        raise AssertionError("the bitext is read")

    with monkeypatch.context() as patch:
        patch.setattr("calque.training.large_corpus.read_chunks", unexpected)
        assert read(tmp_path, bitexts).digest == digest
        os.utime(bitexts[0].paths[0], (1, 1))
        with pytest.raises(AssertionError):
            read(tmp_path, bitexts)
    assert read(tmp_path, bitexts).digest == digest  # another time, but the same text
    path = Path(bitexts[0].paths[0])
    path.write_text(path.read_text().replace("w8", "w9"))
    assert read(tmp_path, bitexts).digest != digest


@pytest.mark.usefixtures("small_memory")
@pytest.mark.parametrize("cut", [3, 300])
def test_a_file_cut_short_is_made_again(tmp_path: Path, bitexts: list[Bitext], cut: int) -> None:
    digest = read(tmp_path, bitexts).digest
    whole = (tmp_path / NAME).read_bytes()
    (tmp_path / NAME).write_bytes(whole[:-cut])
    assert read(tmp_path, bitexts).digest == digest
    assert (tmp_path / NAME).read_bytes() == whole


@pytest.mark.usefixtures("small_memory")
@pytest.mark.parametrize(
    "forged",
    [
        {"tokens": [1 << 40, 1]},  # once, days of dealing windows
        {"tokens": [3]},
        {"pairs": 0},
        {"begin": 7},
        {"part": 5},
        {"part": -1},
        {"checksum": None},
    ],
)
def test_a_file_that_says_what_cannot_be_is_made_again(
    tmp_path: Path, bitexts: list[Bitext], forged: dict[str, Any]
) -> None:
    expected = read(tmp_path, bitexts)
    whole = (tmp_path / NAME).read_bytes()
    size = int.from_bytes(whole[-8:], "little")
    about = json.loads(whole[-8 - size : -8])
    about["blocks"][1] |= forged
    described = json.dumps(about).encode()
    (tmp_path / NAME).write_bytes(whole[: -8 - size] + described + len(described).to_bytes(8, "little"))
    assert read(tmp_path, bitexts) == expected
    assert (tmp_path / NAME).read_bytes() == whole


@pytest.mark.usefixtures("small_memory")
def test_a_changed_block_is_an_error_that_names_the_way_out(tmp_path: Path, bitexts: list[Bitext]) -> None:
    corpus = read(tmp_path, bitexts)
    data = bytearray((tmp_path / NAME).read_bytes())
    data[60] ^= 1
    (tmp_path / NAME).write_bytes(data)
    with pytest.raises(CalqueError, match=r"tokens\.bin has changed since it was written") as caught:
        epoch_of(corpus, 0)
    assert str(tmp_path) in str(caught.value.hint)
    (tmp_path / NAME).unlink()
    with pytest.raises(CalqueError, match=r"tokens\.bin cannot be read: No such file"):
        epoch_of(corpus, 0)


@pytest.mark.usefixtures("small_memory")
def test_weights_that_leave_nothing_are_an_error_here_too(tmp_path: Path, bitexts: list[Bitext]) -> None:
    with pytest.raises(CorpusError, match="too small for an epoch to see a single pair"):
        read(tmp_path, bitexts, (0.0, 0.001))
