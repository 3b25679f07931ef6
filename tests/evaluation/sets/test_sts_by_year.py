"""STS 2012–2016, as TSVs by year, as SemEval published it, and as SentEval lays it out; and anybody's own TSVs."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from calque.errors import CorpusError, UsageError
from calque.evaluation.sets.sts import SimilaritySet, find_sts
from evaluation.sets.files import lines, put

TSV = lines("4.5\tA goat eats.\tThe goat is eating.", "0\tA goat eats.\tSnow fell.")
SENTENCES = lines("A goat eats.\tThe goat is eating.", "A goat eats.\tSnow fell.")
SCORES = lines("4.5", "0")


def names(sets: list[SimilaritySet]) -> list[str]:
    return [one.name for one in sets]


def official(*sets: str) -> dict[str, str]:
    """{"2012/MSRpar": …} as the two files of each."""
    return {
        f"{folder}/STS.{kind}.{name}.txt": content
        for folder, _, name in (one.rpartition("/") for one in sets)
        for kind, content in (("input", SENTENCES), ("gs", SCORES))
    }


def test_tsvs_in_folders_of_years_are_grouped_by_year(tmp_path: Path) -> None:
    put(tmp_path, {"2013/OnWN.tsv": TSV, "2012/surprise.OnWN.tsv": TSV, "2012/MSRpar.tsv": TSV, "2012/README": "!"})
    first, *others = find_sts(tmp_path)
    assert first == SimilaritySet(
        "2012.MSRpar",
        "2012",
        ("en", "en"),
        [4.5, 0.0],
        ["A goat eats.", "A goat eats."],
        ["The goat is eating.", "Snow fell."],
    )
    assert [(one.name, one.group) for one in others] == [("2012.surprise.OnWN", "2012"), ("2013.OnWN", "2013")]


def test_a_year_and_a_single_set_can_be_pointed_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, {"2013/OnWN.tsv": TSV, "2012/MSRpar.tsv": TSV})
    assert names(find_sts(tmp_path / "2012")) == ["2012.MSRpar"]
    assert names(find_sts(tmp_path / "2012" / "MSRpar.tsv")) == ["2012.MSRpar"]
    monkeypatch.chdir(tmp_path / "2013")
    assert names(find_sts(".")) == ["2013.OnWN"]


def test_other_suites_and_training_sets_in_the_same_place_are_left_alone(tmp_path: Path) -> None:
    put(tmp_path / "eval" / "sts", {"2012/MSRpar.tsv": TSV})
    put(tmp_path / "eval", {"sts17/track5.en-en.tsv": TSV, "stsb/en-dev.tsv": TSV, "sts-train/2012.MSRpar.tsv": TSV})
    put(tmp_path / "eval", {"tatoeba/deu-eng.tsv": "Ja.\tYes.\n", "bucc/de-en/de-en.sample.gold": "de-1\ten-1\n"})
    put(tmp_path / "eval", {"counts.tsv": "no\tscores\n"})
    put(
        tmp_path,
        official(
            "STS2012-en-train/MSRpar", "sts-2014-es-test/news", "STS2017.eval/track5.en-en", "tracks/track3.es-es"
        ),
    )
    put(tmp_path, {"sts160/x.tsv": "no scores\n", "2012-reports/x.tsv": "no scores\n"})
    for folder in (tmp_path, tmp_path / "eval", tmp_path / "eval" / "sts"):
        assert names(find_sts(folder)) == ["2012.MSRpar"]


def test_semeval_s_folders_tell_the_year(tmp_path: Path) -> None:
    put(tmp_path, official("STS2012-en-test/test-gold/MSRpar", "2013/FNWN", "sts-en-test-gs-2014/images"))
    put(tmp_path, official("STS2015-en-test/test_evaluation_task2a/belief"))
    put(tmp_path / "sts2016-english-with-gs-v1.0", {"STS2016.input.plagiarism.txt": SENTENCES})
    put(tmp_path / "sts2016-english-with-gs-v1.0", {"STS2016.gs.plagiarism.txt": SCORES})
    found = find_sts(tmp_path)
    assert names(found) == ["2012.MSRpar", "2013.FNWN", "2014.images", "2015.belief", "2016.plagiarism"]
    assert [one.group for one in found] == ["2012", "2013", "2014", "2015", "2016"]
    assert {one.languages for one in found} == {("en", "en")}
    assert found[0].gold == [4.5, 0.0]
    assert found[0].second == ["The goat is eating.", "Snow fell."]
    assert names(find_sts(tmp_path / "STS2012-en-test" / "test-gold")) == ["2012.MSRpar"]


def test_senteval_s_folders_tell_the_year(tmp_path: Path) -> None:
    put(tmp_path / "STS", official("STS12-en-test/surprise.SMTnews", "STS16-en-test/headlines"))
    assert names(find_sts(tmp_path)) == ["2012.surprise.SMTnews", "2016.headlines"]


def test_a_year_alone_may_be_named_by_files_only(tmp_path: Path) -> None:
    put(tmp_path, {"STS2016.input.headlines.txt": SENTENCES, "STS2016.gs.headlines.txt": SCORES})
    assert names(find_sts(tmp_path)) == ["2016.headlines"]
    assert names(find_sts(tmp_path / "STS2016.input.headlines.txt")) == ["2016.headlines"]


def test_what_comes_along_with_the_sets_becomes_none(tmp_path: Path) -> None:
    along = {"STS.gs.ALL.txt": SCORES, "STS.input.ALL.txt": SENTENCES, "STS.input.ALL": SENTENCES, "00-readme.txt": "!"}
    put(tmp_path / "STS2012-en-test", {**along, "correlation.pl": "#!", "._STS.input.MSRpar.txt": "\0"})
    put(tmp_path / "STS2012-en-test", {"__MACOSX/STS.input.MSRpar.txt": "\0"})
    put(tmp_path, official("STS2012-en-test/MSRpar"))
    assert names(find_sts(tmp_path)) == ["2012.MSRpar"]


def test_scores_whose_sentences_may_not_be_passed_on_are_no_set(tmp_path: Path) -> None:
    put(tmp_path, official("2013/OnWN") | {"2013/STS.gs.SMT.txt": SCORES})
    assert names(find_sts(tmp_path)) == ["2013.OnWN"]
    put(tmp_path, official("2013/SMT"))
    assert names(find_sts(tmp_path)) == ["2013.OnWN", "2013.SMT"]


def test_pairs_without_a_score_are_left_out(tmp_path: Path) -> None:
    sentences = lines("a one\ta two", "no tab, but no score either", "c one\tc two", "\t", "e one\te two")
    put(tmp_path / "2015", {"STS.input.belief.txt": sentences, "STS.gs.belief.txt": lines("1", "", "2.5", " ", "3")})
    [found] = find_sts(tmp_path)
    assert (found.gold, found.first) == ([1.0, 2.5, 3.0], ["a one", "c one", "e one"])


def test_quotes_odd_line_ends_further_columns_and_empty_sentences_are_taken_as_they_are(tmp_path: Path) -> None:
    sentences = '"Quoted\t"" too"\thttp://one\thttp://two\r\nline\u2028separator\t\tx\ty\r\n'
    put(tmp_path, {"STS2016.input.headlines.txt": sentences, "STS2016.gs.headlines.txt": "5\r\n0\r\n"})
    [found] = find_sts(tmp_path)
    assert found.first == ['"Quoted', "line\u2028separator"]
    assert found.second == ['"" too"', ""]


def test_compressed_files_are_read_too(tmp_path: Path) -> None:
    put(tmp_path, official("2012/MSRvid"))
    for path in [*(tmp_path / "2012").iterdir()]:
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    (tmp_path / "2012" / "MSRpar.tsv.gz").write_bytes(gzip.compress(TSV.encode()))
    assert names(find_sts(tmp_path)) == ["2012.MSRpar", "2012.MSRvid"]


def test_sentences_that_are_there_again_without_scores_do_not_matter(tmp_path: Path) -> None:
    put(tmp_path, official("2012/test-gold/MSRpar") | {"2012/test/STS.input.MSRpar.txt": SENTENCES})
    assert names(find_sts(tmp_path)) == ["2012.MSRpar"]


def test_scores_may_lie_in_another_folder_of_the_year(tmp_path: Path) -> None:
    put(tmp_path, {"2014/test/STS.input.images.txt": SENTENCES, "2014/gold/STS.gs.images.txt": SCORES})
    put(tmp_path, {"2015/gold/STS.gs.images.txt": lines("only one")})
    assert names(find_sts(tmp_path)) == ["2014.images"]


def test_sentences_without_scores_are_an_error(tmp_path: Path) -> None:
    put(tmp_path, official("2012/MSRpar") | {"2012/STS.input.MSRvid.txt": SENTENCES})
    with pytest.raises(CorpusError) as problem:
        find_sts(tmp_path)
    place = tmp_path / "2012" / "STS.input.MSRvid.txt"
    assert problem.value.message == f"{place}: expected its scores in STS.gs.MSRvid.txt, and no such file is there"


def test_a_year_that_nothing_tells_is_an_error(tmp_path: Path) -> None:
    put(tmp_path, official("tests12/MSRpar"))
    with pytest.raises(UsageError, match=r"STS\.input\.MSRpar\.txt: cannot tell the year") as problem:
        find_sts(tmp_path)
    assert "STS12-en-test" in str(problem.value.hint)


def test_sentences_and_scores_must_have_as_many_lines(tmp_path: Path) -> None:
    put(tmp_path, {"2012/STS.input.MSRpar.txt": SENTENCES, "2012/STS.gs.MSRpar.txt": lines("1", "2", "3")})
    with pytest.raises(CorpusError, match=r"STS\.input\.MSRpar\.txt has 2 lines, and .*STS\.gs\.MSRpar\.txt has 3\n"):
        find_sts(tmp_path)


@pytest.mark.parametrize(
    ("sentences", "scores", "message"),
    [
        (lines("a\tb", "no tab"), lines("1", "2"), "STS.input.x.txt, line 2: expected 2 columns or more, got 1"),
        (lines("a\tb", "c\td"), lines("1", "high"), "STS.gs.x.txt, line 2: expected a number in column 1, got 'high'"),
        (lines("a\tb", "c\td"), lines("nan", "1"), "STS.gs.x.txt, line 1: expected a number in column 1, got 'nan'"),
        (lines("a\tb", "c\td"), lines("1", ""), "STS.gs.x.txt: expected at least two scores, got 1"),
        ("", "", "STS.gs.x.txt: expected at least two scores, got 0"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path: Path, sentences: str, scores: str, message: str) -> None:
    put(tmp_path / "2012", {"STS.input.x.txt": sentences, "STS.gs.x.txt": scores})
    with pytest.raises(CorpusError) as problem:
        find_sts(tmp_path)
    assert problem.value.message == f"{tmp_path / '2012'}/{message}"


def test_a_set_in_two_places_is_an_error(tmp_path: Path) -> None:
    put(tmp_path, official("STS12-en-test/MSRpar") | {"sts/2012/MSRpar.tsv": TSV})
    with pytest.raises(UsageError, match=r"2012\.MSRpar is there twice: .*STS12-en-test.* and .*sts/2012/MSRpar\.tsv"):
        find_sts(tmp_path)


def test_any_scored_tsv_will_do(tmp_path: Path) -> None:
    put(tmp_path, {"medical.tsv": TSV, "legal.en-de.tsv": TSV, "track4b.es-en.tsv": TSV, "2012.MSRpar.tsv": TSV})
    put(tmp_path, {"notes.md": "!", "my-dev.tsv": TSV, "more/below.tsv": TSV})
    assert [(one.name, one.group, one.languages) for one in find_sts(tmp_path)] == [
        ("legal.en-de", "", ("en", "de")),
        ("medical", "", None),
        ("my-dev", "", None),
        ("track4b.es-en", "", ("en", "es")),
        ("2012.MSRpar", "2012", ("en", "en")),
    ]
    put(tmp_path, {"judged.txt": TSV})
    assert names(find_sts(str(tmp_path / "judged.txt"))) == ["judged"]


def test_a_tsv_that_is_not_scored_is_an_error_with_its_line(tmp_path: Path) -> None:
    put(tmp_path, {"deu-eng.tsv": lines("Ja.\tYes.", "Nein.\tNo.")})
    with pytest.raises(CorpusError, match=r"deu-eng\.tsv, line 1: expected 3 columns, got 2"):
        find_sts(tmp_path)


def test_a_folder_without_any_says_what_was_looked_for(tmp_path: Path) -> None:
    put(tmp_path, {"stsb/sts-dev.csv": "", "README": ""})
    with pytest.raises(UsageError) as problem:
        find_sts(tmp_path)
    assert problem.value.message.startswith(f"{tmp_path}: no files of the suite sts: looked for STS.input.NAME.txt")
    assert "YEAR/NAME.tsv" in problem.value.message
    assert "calque corpus download sts12" in str(problem.value.hint)
