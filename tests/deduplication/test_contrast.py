"""Lines that a negation, an opposite or a number tells apart, in each language of the lists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given

import calque
from calque.deduplication import lexicon as module
from calque.deduplication.contrast import REASONS, Contrast, contrast
from calque.deduplication.lexicon import entries, languages, lexicon
from calque.model.readable import Readable
from strategies import texts

# Of each language: a line, its negation, and one with an opposite in it, if the list has more than negations.
LINES: dict[str, tuple[str, str, str, str]] = {
    "en": ("You can save the file.", "You can't save the file.", "Open the window.", "Close the window."),
    "es": ("El tren llega hoy.", "El tren no llega hoy.", "Gira a la izquierda.", "Gira a la derecha."),
    "de": ("Der Zug kommt heute.", "Der Zug kommt heute nicht.", "Mindestens zehn Zeichen", "Höchstens zehn Zeichen"),
    "fr": ("Le train arrive.", "Le train n’arrive pas.", "Ouvrez la fenêtre.", "Fermez la fenêtre."),
    "it": ("Il treno arriva.", "Il treno non arriva.", "Gira a sinistra.", "Gira a destra."),
    "pt": ("O trem chega hoje.", "O trem não chega hoje.", "Pelo menos dez letras", "No máximo dez letras"),
    "nl": ("De trein komt.", "De trein komt niet.", "Ten minste tien tekens", "Ten hoogste tien tekens"),
    "ca": ("El tren arriba.", "El tren no arriba.", "Obre la finestra.", "Tanca la finestra."),
    "gl": ("O tren chega.", "O tren non chega.", "Xira á esquerda.", "Xira á dereita."),
    "ro": ("Trenul vine azi.", "Trenul nu vine azi.", "Deschide fereastra.", "Închide fereastra."),
    "sv": ("Tåget kommer.", "Tåget kommer inte.", "Öppna fönstret.", "Stäng fönstret."),
    "da": ("Toget kommer.", "Toget kommer ikke.", "Åbn vinduet.", "Luk vinduet."),
    "nb": ("Toget kommer.", "Toget kommer ikke.", "Åpne vinduet.", "Lukk vinduet."),
    "pl": ("Pociąg przyjedzie.", "Pociąg nie przyjedzie.", "Otwórz okno.", "Zamknij okno."),
    "cs": ("Vlak je tady.", "Vlak není tady.", "Otevřete okno.", "Zavřete okno."),
    "sk": ("Vlak je tu.", "Vlak nie je tu.", "Otvor okno.", "Zatvor okno."),
    "ru": ("Поезд придёт.", "Поезд не придёт.", "Откройте окно.", "Закройте окно."),
    "uk": ("Потяг прийде.", "Потяг не прийде.", "Відкрийте вікно.", "Закрийте вікно."),
    "be": ("Цягнік прыйдзе.", "Цягнік не прыйдзе.", "Перад абедам", "Пасля абеду"),
    "bg": ("Влакът идва.", "Влакът не идва.", "Отвори прозореца.", "Затвори прозореца."),
    "mk": ("Возот доаѓа.", "Возот не доаѓа.", "Отвори го прозорецот.", "Затвори го прозорецот."),
    "hr": ("Vlak je ovdje.", "Vlak nije ovdje.", "Otvori prozor.", "Zatvori prozor."),
    "sr": ("Воз је овде.", "Воз није овде.", "Отвори прозор.", "Затвори прозор."),
    "sl": ("Vlak je tukaj.", "Vlak ni tukaj.", "Pred kosilom", "Po kosilu"),
    "el": ("Το τρένο έρχεται.", "Το τρένο δεν έρχεται.", "Στρίψε αριστερά.", "Στρίψε δεξιά."),
    "tr": ("Tren geliyor.", "Tren gelmiyor.", "En az on harf", "En fazla on harf"),
    "az": ("Bu yaxşıdır.", "Bu yaxşı deyil.", "Yeməkdən əvvəl", "Yeməkdən sonra"),
    "fi": ("Juna tulee.", "Juna ei tule.", "Avaa ikkuna.", "Sulje ikkuna."),
    "et": ("Rong tuleb.", "Rong ei tule.", "Ava aken.", "Sulge aken."),
    "hu": ("A vonat jön.", "A vonat nem jön.", "Fordulj balra.", "Fordulj jobbra."),
    "lt": ("Tai yra gerai.", "Tai nėra gerai.", "Atidarykite langą.", "Uždarykite langą."),
    "he": ("הרכבת מגיעה היום.", "הרכבת לא מגיעה היום.", "פנה שמאלה.", "פנה ימינה."),
    "ar": ("يصل القطار اليوم.", "لا يصل القطار اليوم.", "قبل الغداء", "بعد الغداء"),
    "fa": ("قطار اینجا است.", "قطار اینجا نیست.", "قبل از ناهار", "بعد از ناهار"),
    "hi": ("ट्रेन आज आएगी।", "ट्रेन आज नहीं आएगी।", "खाने से पहले", "खाने के बाद"),
    "mr": ("हे खरे आहे.", "हे खरे नाही.", "जेवणाच्या आधी", "जेवणाच्या नंतर"),
    "bn": ("আমি আজ যাব।", "আমি আজ যাব না।", "খাওয়ার আগে", "খাওয়ার পরে"),
    "zh": ("火车今天来。", "火车今天不来。", "打开窗户。", "关闭窗户。"),
    "ja": ("電車は今日来ます。", "電車は今日来ません。", "窓を開けてください。", "窓を閉めてください。"),
    "ko": ("기차가 옵니다.", "기차가 오지 않습니다.", "왼쪽으로 도세요.", "오른쪽으로 도세요."),
    "th": ("รถไฟมาวันนี้", "รถไฟไม่มาวันนี้", "เปิดหน้าต่าง", "ปิดหน้าต่าง"),
    "id": ("Kereta datang.", "Kereta tidak datang.", "Buka jendela.", "Tutup jendela."),
    "vi": ("Tàu đến hôm nay.", "Tàu không đến hôm nay.", "Rẽ trái.", "Rẽ phải."),
    "af": ("Die trein kom.", "Die trein kom nie.", "Draai links.", "Draai regs."),
    "is": ("Lestin kemur.", "Lestin kemur ekki.", "Beygðu til vinstri.", "Beygðu til hægri."),
    "la": ("Marcus venit.", "Marcus non venit.", "Ante cenam", "Post cenam"),
    "eo": ("La trajno venas.", "La trajno ne venas.", "Antaŭ la manĝo", "Post la manĝo"),
    "tl": ("Darating ang tren.", "Hindi darating ang tren.", "Bago kumain", "Pagkatapos kumain"),
}
ALIASES = {"no": "nb", "nn": "nb", "sh": "hr", "ms": "id"}  # written in the same rows


def test_every_language_of_the_lists_is_tried() -> None:
    assert set(LINES) | set(ALIASES) == languages()
    heading = next(line for line in _file().splitlines() if line.startswith("# LANGUAGES: "))
    assert set(heading.split()[2:]) == languages()


@pytest.mark.parametrize("language", sorted(LINES))
def test_a_negation_and_an_opposite_in_each_language(language: str) -> None:
    plain, negated, one, other = LINES[language]
    words = lexicon(language)
    assert contrast(plain, negated, words) == contrast(negated, plain, words) == "negation"
    assert contrast(one, other, words) == contrast(other, one, words) == "opposite"
    for line in (plain, negated, one, other):
        assert contrast(line, line.upper() + "!", words) is None or language == "tr"  # capital I has two small ones


@pytest.mark.parametrize("language", sorted(set(LINES) - {"vi"}))  # "phải", right, is also "must": for known text only
def test_where_the_language_is_unknown_all_lists_count(language: str) -> None:
    plain, negated, one, other = LINES[language]
    assert contrast(plain, negated, lexicon()) in ("negation", "opposite")
    assert contrast(one, other, lexicon()) is not None


@pytest.mark.parametrize(
    ("one", "two", "reason"),
    [
        ("at most five people", "at least five people", "opposite"),
        ("no more than ten letters", "up to ten letters", None),
        ("no more than ten letters", "not less than ten letters", "opposite"),
        ("The option is enabled.", "The option is disabled.", "opposite"),
        ("This is possible.", "This is impossible.", "opposite"),
        ("A careful driver", "A careless driver", "opposite"),
        ("He came in March.", "He came in without a word in March.", "negation"),
        ("Nobody came.", "No one came.", None),
        ("I do not know.", "I don’t know.", None),
        ("I cannot see.", "I can't see it.", None),
        ("Clo~se", "~Open", "opposite"),
        ("Two dogs run.", "Three dogs run.", "number"),
        ("It has twenty pages.", "It has thirty pages.", "number"),
        ("It cost half a million dollars.", "It cost half a billion dollars.", "number"),
        ("I can find the file.", "I cant find the file.", "negation"),
        ("We wont sell it.", "We won't sell it.", None),
        ("Hello, %s!", "Hello, %d!", "number"),
        ("Hello, {0}!", "Hello, {name}!", "number"),
        ("Use $(ARG1) here", "Use $(ARG2) here", "number"),
        ("It is 100% sure.", "It is surely 100 %.", None),
        ("The left lane before the house", "Before the house, the left lane", None),
        ("He opened the window.", "He opened the big window.", None),
    ],
)
def test_english(one: str, two: str, reason: str | None) -> None:
    assert contrast(one, two, lexicon("en")) == contrast(two, one, lexicon("en")) == reason


@pytest.mark.parametrize(
    ("language", "one", "two"),
    [
        ("de", "Er ist dreizehn Jahre alt.", "Er ist achtzehn Jahre alt."),
        ("fr", "Il a soixante ans.", "Il a soixante-dix ans."),
        ("fr", "Il a quatre-vingts ans.", "Il a vingt ans."),
        ("es", "Costó mil millones.", "Costó un millón."),
        ("it", "Ha venti anni.", "Ha trent'anni, anzi quaranta."),
        ("pt", "São dezesseis horas.", "São dezessete horas."),
        ("nl", "Het kostte een miljoen.", "Het kostte een miljard."),
        ("sv", "Han är tjugo år.", "Han är trettio år."),
        ("ru", "Ему двадцать лет.", "Ему тридцать лет."),
        ("uk", "Йому п'ятдесят років.", "Йому шістдесят років."),
        ("pl", "Ma dwadzieścia lat.", "Ma trzydzieści lat."),
        ("tr", "Yirmi kişi geldi.", "Otuz kişi geldi."),
        ("tr", "On iki kişi geldi.", "On üç kişi geldi."),
    ],
)
def test_numbers_beyond_twelve_in_words(language: str, one: str, two: str) -> None:
    assert contrast(one, two, lexicon(language)) == contrast(one, two, lexicon()) == "number"


@pytest.mark.parametrize(
    ("language", "one", "two"),
    [
        ("es", "No vino nadie.", "Nadie vino."),
        ("fr", "Je ne sais pas.", "Je sais pas."),
        ("ru", "Никто не пришёл.", "Не пришёл никто."),
        ("zh", "这个不错。", "这个很好。"),
        ("zh", "你是不是学生?", "你是学生吗?"),
        ("ja", "行かなければなりません。", "行くべきだ。"),
        ("ko", "물 아니면 차", "물 또는 차"),
        ("tr", "Güzel, değil mi?", "Güzel mi?"),
    ],
)
def test_what_is_negated_once_or_not_at_all(language: str, one: str, two: str) -> None:
    assert contrast(one, two, lexicon(language)) is None


def test_translations_with_the_same_negation_are_not_told_apart() -> None:
    assert contrast("Do not open the door.", "Öffnen Sie die Tür nicht.", lexicon()) is None
    assert contrast("Open the door.", "Schließen Sie die Tür.", lexicon()) == "opposite"
    assert contrast("Two dogs", "Drei Hunde", lexicon()) == "number"


def test_a_word_that_is_common_elsewhere_counts_only_where_the_language_is_known() -> None:
    one, two = "Minä en tule.", "Minä tule."
    assert contrast(one, two, lexicon("fi")) == "negation"
    assert contrast(one, two, lexicon()) is None
    assert contrast("Vive en casa.", "Vive casa.", lexicon()) is None


def test_the_code_of_a_language_may_name_a_place_and_an_unknown_one_takes_all_lists() -> None:
    assert contrast("Ik kom.", "Ik kom niet.", lexicon("nl_BE")) == "negation"
    assert contrast("Ik kom.", "Ik kom niet.", lexicon("en-GB")) is None
    assert contrast("Ik kom.", "Ik kom niet.", lexicon("xx")) == "negation"


def test_of_pairs_either_side_tells_apart() -> None:
    rows = [("A dog.", "Un perro."), ("A dog.", "No es un perro."), ("Not a dog.", "Un perro.")]
    codes = Contrast(("en", "es")).codes([rows[0]] * 3, rows)
    assert [REASONS[code - 1] if code else None for code in codes] == [None, "negation", "negation"]


def test_lines_whose_letters_the_model_does_not_know_are_told_apart(small_model: calque.Model) -> None:
    khmer, more = "ខ្ញុំចូលចិត្តឆ្កែ", "គាត់បានសរសេរសៀវភៅ"
    reads = Readable(small_model)
    assert not reads(khmer)
    assert not reads(f"{khmer} dog")
    assert reads(f"{khmer[:3]} the dog runs in the street")
    assert reads("12:30 – %")
    for words in (True, False):
        codes = Contrast((None,), reads, words=words).codes([(khmer,), ("A dog.",)], [(more,), ("The dog.",)])
        assert [REASONS[code - 1] if code else None for code in codes] == ["unread", None]
    found = calque.dedup([khmer, more, khmer + "!"], small_model, threshold=0.5)
    assert found.kept == [0, 1]


@given(texts, texts)
def test_it_does_not_matter_which_text_comes_first(one: str, two: str) -> None:
    assert contrast(one, one, lexicon()) is None
    assert contrast(one, two, lexicon()) == contrast(two, one, lexicon())


def test_the_lists_are_well_formed() -> None:
    for entry in entries():
        groups = {"negation": (1, 2), "neutral": (1,), "prefix": (1,), "suffix": (2,), "number": (9, 11, 31)}
        assert len(entry.groups) in groups.get(entry.kind, (2,)), entry
        for group in entry.groups:
            assert all(word == word.strip() and re.fullmatch(r"\*?[^*?]+\*?\??", word) for word in group), entry
        if entry.kind not in groups:
            assert not set(entry.groups[0]) & set(entry.groups[1]), entry


def _file() -> str:
    return Path(module.__file__).with_name("opposites.tsv").read_text(encoding="utf-8")
