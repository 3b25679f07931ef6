"""What a bitext is like, against counting by hand."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
import sentencepiece

from calque.corpus import Pair
from calque.corpus.cleaning import PRESETS
from calque.demo import sentences
from calque.errors import CorpusError, UsageError
from calque.tasks.stats import EDGES, Stats, piece_overlap, stats


def write(path: Path, lines: list[tuple[str, str]]) -> Path:
    path.write_text("".join(f"{source}\t{target}\n" for source, target in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("pair", ["en-es", "de-fr"])
def test_figures_are_those_counted_by_hand(demo_bitext: dict[str, Path], pair: str) -> None:
    found = stats(demo_bitext[pair], pieces=0)
    text = sentences()
    assert found.pairs == len(text["en"])
    for language, side in zip(pair.split("-"), (found.source, found.target), strict=True):
        lines = text[language]
        assert side.language == language
        assert side.characters == sum(map(len, lines))
        assert side.words == sum(len(line.split()) for line in lines)
        assert side.mean_characters == pytest.approx(side.characters / len(lines))
        assert side.mean_words == pytest.approx(side.words / len(lines))
        assert side.longest == max(map(len, lines))
        for at, edge in enumerate(EDGES):
            end = EDGES[at + 1] if at + 1 < len(EDGES) else 1 << 30
            assert side.lengths[at] == sum(edge <= len(line) < end for line in lines)


def test_lengths_at_the_edges_fall_into_the_bin_that_begins_there(tmp_path: Path) -> None:
    found = stats(write(tmp_path / "a.tsv", [("x" * edge, "y" * (edge + 1)) for edge in EDGES]), pieces=0)
    assert found.source.lengths == (1,) * len(EDGES)
    assert found.target.lengths == (1,) * len(EDGES)
    assert sum(found.source.lengths) == found.pairs


def test_noise_is_counted_by_each_rule_for_itself(tmp_path: Path) -> None:
    lines = [("A dog runs.", "Un perro corre.")] * 3 + [("", ""), ("same", "SAME"), ("same", "SAME"), ("dog", "собака")]
    found = stats(write(tmp_path / "a.en-es.tsv", lines), pieces=0)
    assert found.noise.keys() == PRESETS["strict"].keys() - {"wrong-language"}
    counted = {name: noise.count for name, noise in found.noise.items() if noise.count}
    expected = {
        "empty": 1,
        "identical": 3,
        "too-few-letters": 1,
        "wrong-script": 1,
        "duplicate": 3,
        "near-duplicate": 3,
    }
    assert counted == expected
    assert found.noise["wrong-script"].examples == [("dog", "собака")]


def test_what_cannot_be_judged_without_the_languages_is_told(tmp_path: Path) -> None:
    found = stats(write(tmp_path / "a.tsv", [("dog", "собака")]), pieces=0)
    assert "wrong-script" not in found.noise
    assert found.skipped == {"wrong-script": "needs the languages: pass --languages, like en es"}


def naive_pieces(lines: list[str], size: int) -> list[str]:
    """As SentencePiece learns and segments by itself, from words and their counts as the package feeds it."""
    from collections import Counter

    words = Counter(word for line in lines for word in line.split(" ") if word)
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=(f"{word}\t{count}" for word, count in sorted(words.items())),
        input_format="tsv",
        model_writer=model,
        vocab_size=size,
        bos_id=-1,
        eos_id=-1,
        pad_id=-1,
        normalization_rule_name="nmt_nfkc_cf",
        minloglevel=2,
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    return [piece for line in processor.encode(lines, out_type=str) for piece in line]


@pytest.mark.parametrize("languages", [("en", "es"), ("fr", "de")])
def test_the_overlap_is_about_that_of_sentencepiece_by_itself(languages: tuple[str, str]) -> None:
    text = sentences()
    one, two = (list(text[language]) for language in languages)
    source, target = naive_pieces(one, 900), naive_pieces(two, 900)
    found = piece_overlap(list(map(Pair, one, two)), 900, threads=1)
    assert found is not None
    assert (found.size, found.pairs) == (900, len(one))
    assert found.share == pytest.approx(len({*source} & {*target}) / len({*source}), abs=0.03)
    shared = sum(piece in {*target} for piece in source)
    assert found.token_share == pytest.approx(shared / len(source), abs=0.03)
    assert found.tokens[0] == pytest.approx(len(source), rel=0.03)
    assert found.tokens[1] == pytest.approx(len(target), rel=0.03)


def test_the_same_text_on_both_sides_overlaps_wholly() -> None:
    found = piece_overlap([Pair(line, line) for line in sentences()["en"]], 500, threads=1)
    assert found is not None
    assert (found.share, found.token_share) == (1, 1)


def test_scripts_that_differ_hardly_overlap(tmp_path: Path) -> None:
    greek = str.maketrans("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "αβψδεφγηιξκλμνοπϙρστθωϝχυζ" * 2)
    lines = [(line, line.translate(greek)) for line in sentences()["en"]]
    found = stats(write(tmp_path / "a.tsv", lines), pieces=500).overlap
    assert found is not None
    assert found.share < 0.1


def test_both_sides_have_as_many_pieces_even_if_one_supports_fewer() -> None:
    pairs = [Pair(line, "ab cd"[: 2 + at % 4]) for at, line in enumerate(sentences()["en"])]
    found = piece_overlap(pairs, 1000, threads=1)
    assert found is None or found.size < 100


@pytest.mark.parametrize("lines", [[("dog", "perro")], [("", "")] * 3, [(" ", "\u3000")], [("a", "b")] * 5])
def test_tiny_corpora_have_figures_and_perhaps_no_overlap(tmp_path: Path, lines: list[tuple[str, str]]) -> None:
    found = stats(write(tmp_path / "a.tsv", lines))
    assert found.pairs == len(lines)
    assert found.source.characters == sum(len(source) for source, _ in lines)
    assert found.overlap is None or found.overlap.size < 100
    assert json.loads(json.dumps(found.as_dict()))["pairs"] == len(lines)


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"a\.tsv is empty"):
        stats(write(tmp_path / "a.tsv", []))


def test_a_header_alone_is_no_pair(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"no sentence pairs in .*a\.tsv"):
        stats(write(tmp_path / "a.tsv", [("source", "target")]))


def test_too_few_pieces_are_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="pieces: expected 0, or 16 or more, got 5"):
        stats(write(tmp_path / "a.tsv", [("dog", "perro")]), pieces=5)


def test_several_bitexts_and_threads_give_the_same_figures(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    lines = demo_bitext["en-es"].read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "one.en-es.tsv").write_text("".join(lines[:300]), encoding="utf-8")
    (tmp_path / "two.en-es.tsv").write_text("".join(lines[300:]), encoding="utf-8")

    def figures(*paths: Path, threads: int) -> Stats:
        return stats(list(paths), pieces=300, threads=threads)

    whole = figures(demo_bitext["en-es"], threads=1)
    assert figures(tmp_path / "one.en-es.tsv", tmp_path / "two.en-es.tsv", threads=3) == whole
    assert whole.overlap is not None
