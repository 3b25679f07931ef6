"""How the model in the box is made: what follows from its recipe, and what may not be in its text."""

from __future__ import annotations

import lzma
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from calque.model import Model

BOX = Path(__file__).parents[2] / "box"


@pytest.fixture(autouse=True)
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BOX))
    for name in ("plan", "overlap", "judge", "scores", "trials", "held_out"):
        monkeypatch.delitem(sys.modules, name, raising=False)


def write_bitext(folder: Path, name: str, *pairs: tuple[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with lzma.open(folder / f"{name}.tsv.xz", "wt", encoding="utf-8") as file:
        file.writelines(f"{one}\t{two}\n" for one, two in pairs)
    with (folder / "COUNTS.tsv").open("a", encoding="utf-8") as counts:
        counts.write(f"{name}\t{len(pairs)}\t0\n")


RECIPE: dict[str, Any] = {
    "held_out": ["speeches.en-da"],
    "languages": {"en": ["English"], "es": ["Spanish", "spa"], "da": ["Danish", "dan"]},
    "licences": {"speeches": "free", "phrases": "CC-BY"},
    "weights": {"speeches.*": 0.5},
    "balance": {"pairs": 8, "power": 0.5},
    "emphasis": {"es": 3},
}


def test_weights_follow_from_source_and_language(tmp_path: Path) -> None:
    """A language with few pairs is seen more often, and one that the recipe dwells on."""
    from plan import corpora, weights  # type: ignore[import-not-found]

    write_bitext(tmp_path, "speeches.en-es", *[("a", "b")] * 8)
    write_bitext(tmp_path, "phrases.en-es", *[("a", "b")] * 8)
    write_bitext(tmp_path, "phrases.en-da", *[("a", "b")] * 2)
    chosen = corpora(tmp_path, RECIPE)
    assert weights(chosen, RECIPE) == {"speeches.en-es": 1.5, "phrases.en-es": 3.0, "phrases.en-da": 2.0}


def test_what_is_held_out_is_not_learnt_from(tmp_path: Path) -> None:
    from plan import corpora

    write_bitext(tmp_path, "speeches.en-da", ("a", "b"))
    write_bitext(tmp_path, "phrases.en-da", ("a", "b"))
    assert [corpus.name for corpus in corpora(tmp_path, RECIPE)] == ["phrases.en-da"]


def test_a_language_that_the_recipe_does_not_name_is_left_out(tmp_path: Path) -> None:
    from plan import corpora

    write_bitext(tmp_path, "phrases.en-es", ("a", "b"))
    write_bitext(tmp_path, "phrases.en-tlh", ("a", "b"))
    assert [corpus.name for corpus in corpora(tmp_path, RECIPE)] == ["phrases.en-es"]


def test_text_without_a_licence_may_not_be_used(tmp_path: Path) -> None:
    from plan import corpora

    write_bitext(tmp_path, "films.en-es", ("a", "b"))
    with pytest.raises(SystemExit, match="no licence of films"):
        corpora(tmp_path, RECIPE)


@pytest.mark.parametrize("side", ["A dog RUNS in the park", "Un perro corre por el parque."])
def test_a_sentence_of_an_evaluation_set_in_the_text_stops_everything(tmp_path: Path, side: str) -> None:
    from overlap import require_no_overlap  # type: ignore[import-not-found]
    from plan import corpora

    (tmp_path / "eval").mkdir()
    (tmp_path / "eval" / "sts.tsv").write_text(f"3.5\t{side}\tSomething else\n", encoding="utf-8")
    write_bitext(
        tmp_path, "phrases.en-es", ("Hello there", "Hola"), ("A dog runs in the park.", "Un perro corre por el parque")
    )
    with pytest.raises(SystemExit, match=r"phrases\.en-es\.tsv\.xz, line 2"):
        require_no_overlap(corpora(tmp_path, RECIPE), tmp_path / "eval")


def test_numbers_and_words_of_a_few_letters_are_no_overlap(tmp_path: Path) -> None:
    from overlap import require_no_overlap
    from plan import corpora

    (tmp_path / "eval").mkdir()
    (tmp_path / "eval" / "sts.tsv").write_text("3.5\tJa!\tA cat sleeps.\n", encoding="utf-8")
    write_bitext(tmp_path, "phrases.en-da", ("Yes!", "Ja!"), ("3.5", "3.5"))
    assert require_no_overlap(corpora(tmp_path, RECIPE), tmp_path / "eval") == 1


def test_every_language_of_the_recipe_has_a_name_and_training_options_that_exist() -> None:
    from calque.training import TrainingConfig
    from plan import read_recipe

    recipe = read_recipe()
    assert all(names for names in recipe["languages"].values())
    TrainingConfig.of(**recipe["training"])


def test_the_card_tells_an_oracles_threshold_from_the_automatic_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from calque.evaluation.evaluate import Evaluation
    from calque.evaluation.mining import AUTOMATIC, CANNOT_TELL, ORACLE
    from calque.evaluation.result import Result

    for name in ("judge", "page"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import page  # type: ignore[import-not-found]
    from judge import Report  # type: ignore[import-not-found]

    def row(name: str, measure: str, source: str | None = None) -> Result:
        scores = {} if source == f"{CANNOT_TELL}, too few" else {measure: 93.61}
        return Result(name, 1038, "", scores, {}, {"threshold_from": source} if source else {})

    tracks = ("1.ar-ar", "2.ar-en", "3.es-es", "4a.es-en", "4b.es-en", "5.en-en", "6.tr-en")
    pooled = (row("sts:mean:pooled", "pearson"), row("sts:mean", "pearson"))
    mined = (
        row("bucc:de-en.sample:ratio", "f1", ORACLE),
        row("bucc:de-en.sample:ratio:auto", "f1", AUTOMATIC),
        row("bucc:de-en.sample:cosine:auto", "f1", f"{CANNOT_TELL}, too few"),
    )
    packed = {
        "sts17": Evaluation("m", "sts17", tuple(row(f"sts17:track{each}", "pearson") for each in tracks), ()),
        "sts": Evaluation("m", "sts", (), pooled),
        "bucc": Evaluation("m", "bucc", mined, ()),
    }
    assert page._tests(Report(packed, {}, {}, {})).splitlines()[-5:] == [
        "| sts:mean:pooled | 1,038 | 93.6 |  |",
        "| sts:mean | 1,038 | 93.6 |  |",
        "| bucc:de-en.sample:ratio, oracle threshold | 1,038 | 93.6 |  |",
        "| bucc:de-en.sample:ratio, automatic threshold | 1,038 | 93.6 |  |",
        "| bucc:de-en.sample:cosine, automatic threshold | 1,038 | cannot tell |  |",
    ]


def test_the_folder_gets_the_quality_that_tatoeba_shows(measured_model: Model, tmp_path: Path) -> None:
    from calque.evaluation.evaluate import Evaluation
    from calque.evaluation.result import Result
    from calque.model.folder import record_quality
    from judge import Report, qualities  # type: ignore[import-not-found]

    rows = [
        Result(f"tatoeba:{pair}", n, "", {"accuracy": value, "forward": value - 1, "backward": value + 1})
        for pair, n, value in (("spa-eng", 1000, 95.5), ("dan-eng", 300, 50.0), ("khm-eng", 700, 1.0))
    ]
    report = Report({"tatoeba": Evaluation("box", "tatoeba", tuple(rows), ())}, {}, {}, {})
    made = qualities(report, RECIPE, "2026-03-01")
    assert [(each.language, each.found, each.n, each.set) for each in made] == [
        ("es", 95.5, 1000, "tatoeba:spa-eng"),
        ("da", 50.0, 300, "tatoeba:dan-eng"),
    ]
    folder = Path(shutil.copytree(str(measured_model.path), tmp_path / "packed"))
    again = record_quality(folder, made)
    assert again.about.quality == tuple(made)
    assert (again.tier("es"), again.checksum) == ("strong", measured_model.checksum)
    assert again.about.data == measured_model.about.data


def test_a_trial_changes_the_recipe_table_by_table_and_its_patterns_come_last() -> None:
    from trials import changed  # type: ignore[import-not-found]

    recipe = {"weights": {"a.en-es": 0.3, "b.*": 1}, "training": {"epochs": 4}}
    trial = {"name": "more of a", "only": ["es"], "weights": {"a.*": 0.5, "a.en-es": 2}}
    assert changed(recipe, trial) == {"weights": {"b.*": 1, "a.*": 0.5, "a.en-es": 2}, "training": {"epochs": 4}}
    assert list(changed(recipe, trial)["weights"]) == ["b.*", "a.*", "a.en-es"]


def test_every_trial_changes_what_the_recipe_has() -> None:
    from calque.toml import loads
    from calque.training import TrainingConfig
    from plan import read_recipe
    from trials import HERE, changed

    listed = loads((HERE / "trials.toml").read_text(encoding="utf-8"))
    assert len({trial["name"] for trial in listed["trial"]}) == len(listed["trial"])
    base = changed(read_recipe(), listed["base"])
    for trial in listed["trial"]:
        made = changed(base, trial)
        assert made != base or "only" in trial, trial["name"]
        TrainingConfig.of("calque", **made["training"])


def test_pairs_of_a_language_without_a_test_set_are_kept_out_of_its_text(tmp_path: Path) -> None:
    from held_out import PAIRS, keep_out, tests_in  # type: ignore[import-not-found]
    from plan import corpora

    pairs = [(f"This is sentence {number}.", f"Dette er setning {number}.") for number in range(3 * PAIRS)]
    write_bitext(tmp_path, "phrases.en-da", *pairs, ("This is sentence 0!", "Noe annet."))
    write_bitext(tmp_path, "phrases.en-es", ("This is sentence 3.", "Una frase."))
    write_bitext(
        tmp_path, "books.en-da", *((f"Other {number}.", target) for number, (_, target) in enumerate(pairs[:50]))
    )
    recipe = RECIPE | {"tests": {"da": "phrases.en-da"}, "licences": {"phrases": "CC-BY", "books": "CC0"}}
    chosen = corpora(tmp_path, recipe)
    books, rest, other = sorted(keep_out(chosen, recipe, tmp_path / "out"), key=lambda each: str(each.name))
    assert [each.name for each in (books, rest, other)] == ["books.en-da", "phrases.en-da", "phrases.en-es"]
    assert {books, other} < set(chosen)
    (folder,) = tests_in(tmp_path / "out").values()
    english, danish = ((folder / f"test.{language}").read_text().splitlines() for language in ("en", "da"))
    test = list(zip(english, danish, strict=True))
    assert len(test) == PAIRS
    assert set(test) <= set(pairs[50:])  # what another bitext of the language has is no test
    learnt = [tuple(line.split("\t")) for line in rest.path.read_text().splitlines()]
    assert len(learnt) == rest.pairs
    assert set(learnt) == {*pairs, ("This is sentence 0!", "Noe annet.")} - set(test)


def test_too_few_pairs_to_keep_some_out_stop_everything(tmp_path: Path) -> None:
    from held_out import keep_out
    from plan import corpora

    write_bitext(tmp_path, "phrases.en-da", ("Hello.", "Hei."))
    recipe = RECIPE | {"tests": {"da": "phrases.en-da"}}
    with pytest.raises(SystemExit, match="1 sentences of its own are too few"):
        keep_out(corpora(tmp_path, recipe), recipe, tmp_path / "out")
