"""Text that was read in the wrong encoding is mended, and text that only looks a little like it is left alone."""

from __future__ import annotations

import pytest

from calque.corpus import Pair
from calque.corpus.cleaning.measures import Batch
from calque.corpus.cleaning.mojibake import repair
from calque.demo import sentences

GOOD = {
    "es": "¿Dónde está la estación? Mañana iré al café con el niño.",
    "de": "Die Straße über den Fluss führt nach Köln – „schön“, sagte er.",
    "fr": "L’été dernier, j’ai mangé des crêpes à la crème fraîche.",
    "ru": "Собака бежит по улице, а кошка спит на окне.",
    "zh": "今天天气很好，我们去公园散步吧。",
}


def mended(text: str) -> str:
    """What a text becomes, as source and as target of a pair."""
    found = repair(Batch([Pair(text, "plain"), Pair("plain", text)]))
    results = {found[at][at] if at in found else text for at in (0, 1)}
    assert len(results) == 1
    assert all("plain" in pair for pair in found.values())
    return results.pop()


def as_windows_1252(text: str) -> str:
    """UTF-8 read as Windows-1252, whose five holes stay control characters, as browsers do it."""
    return "".join(
        bytes([byte]).decode("cp1252") if byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D) else chr(byte)
        for byte in text.encode()
    )


def as_latin_1(text: str) -> str:
    return text.encode().decode("latin-1")


@pytest.mark.parametrize("language", GOOD)
@pytest.mark.parametrize("damage", [as_windows_1252, as_latin_1])
@pytest.mark.parametrize("times", [1, 2])
def test_damage_is_mended(language: str, damage: object, times: int) -> None:
    text = GOOD[language]
    for _ in range(times):
        text = damage(text)  # type: ignore[operator]
    assert text != GOOD[language]
    assert mended(text) == GOOD[language]


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ("cafÃ©", "café"),
        ("itâ€™s", "it’s"),
        ("â€œquotedâ€\x9d", "“quoted”"),
        ("naÃ¯ve", "naïve"),
        ("50Â\u00a0â‚¬", "50\u00a0€"),
    ],
)
def test_a_little_damage_is_mended(broken: str, whole: str) -> None:
    assert mended(broken) == whole


LEGITIMATE = [
    "NÃO É VERDADE, NÃO HÁ SOLUÇÃO.",
    "AMANHÃ ÀS 10H, IRMÃ; MAÇÃS E AVELÃS.",
    "“NÃO”, disse a IRMÃ… CORAÇÃO®",
    "Â",
    "L’ÂME ET L’ÂGE « DU BÂTIMENT »",
    "Le mot « Âge » s’écrit avec un Â.",
    "Ã",
    "Ã é uma letra.",
    "Trường Đại học Bách khoa Hà Nội là một trường tốt.",
    "TÔI KHÔNG BIẾT ĐÂU; ÂN HUỆ VÀ ÊM ÁI.",
    "Það er gott veður í dag, sagði maðurinn. ÞETTA ER ÐAÐ.",
    "3 × 4 ÷ 2 ± 1 = 6 ± 1, ½ ¼ ¾ und 5 µm, 20 °C",
    "“Smart quotes” and ‘single ones’ — dashes – and… dots™",
    "👩‍👩‍👧‍👦 🇪🇸 👍🏽 ❤️ 1️⃣",
    "ÖSTERREICH – ÄÖÜ “ß” ÀÉ’s",
    "Å”ngström",
    "CITROËN™ ET NOËL…",
    "PELÍCULA Nº 5 – 2ª EDICIÓN",
    "Ø£ på norsk",
]


@pytest.mark.parametrize("text", LEGITIMATE)
def test_text_with_the_same_letters_is_left_alone(text: str) -> None:
    assert mended(text) == text


MANY_LANGUAGES = [
    "Ο σκύλος τρέχει στον κήπο και η γάτα κοιμάται.",
    "Pies biegnie przez łąkę, a źrebię śpi.",
    "Pes běží přes louku a kůň spí v stáji.",
    "Pes beží cez lúku a kôň spí vo vôni sena.",
    "A kutya átfut a réten, és az őz alszik a fűben.",
    "Câinele aleargă pe pajiște, iar șoarecele doarme în pădure.",
    "Kucheto tiča prez polyanata; Кучето тича през поляната.",
    "Собака біжить через луг, а їжак спить у ґаю.",
    "Пас трчи преко ливаде, а ђак учи ћирилицу.",
    "Köpek çayırda koşuyor, ördek gölde yüzüyor, ağaç gölgeli.",
    "Hunden løper over engen, og østersen ligger på øya.",
    "Hunden springer över ängen på andra sidan ån.",
    "Koira juoksee niityn yli ja pöllö nukkuu.",
    "Koer jookseb üle aasa ja öökull magab õues.",
    "Suns skrien pāri pļavai, un ķēniņš guļ.",
    "Šuo bėga per pievą, o žąsis miega.",
    "O cão corre pelo campo e a irmã não vê a maçã.",
    "O can corre polo prado e a nena come unha mazá.",
    "El gos corre pel prat i l’ocell col·labora.",
    "Il cane corre per il prato perché è felice così.",
    "Con chó chạy qua đồng cỏ và con mèo đang ngủ.",
    "الكلب يركض في الحقل والقطة نائمة.",
    "سگ در چمنزار می\u200cدود و گربه خوابیده است.",
    "הכלב רץ בשדה והחתול ישן.",
    "कुत्ता मैदान में दौड़ रहा है और बिल्ली सो रही है।",
    "কুকুরটি মাঠে দৌড়াচ্ছে।",
    "நாய் புல்வெளியில் ஓடுகிறது.",
    "สุนัขวิ่งอยู่ในทุ่งหญ้าและแมวกำลังหลับ",
    "ძაღლი მინდორში დარბის.",
    "Շունը վազում է մարգագետնով։",
    "犬が野原を走り、猫は眠っている。",
    "개가 들판을 달리고 고양이는 잔다.",
    "狗在草地上奔跑，猫在睡觉。",
    "Hundurinn hleypur yfir túnið og örninn sefur.",
    "Ritheann an madra trasna an mhóinéir, agus tá sé ina chodladh.",
]


def test_good_text_in_many_languages_is_never_changed() -> None:
    texts = [*MANY_LANGUAGES, *GOOD.values(), *(text for side in sentences().values() for text in side)]
    texts += [text.upper() for text in texts]
    assert repair(Batch([Pair(text, text) for text in texts])) == {}


def test_a_cure_that_leaves_holes_is_none() -> None:
    assert mended("cafÃ© Ã\ufffd") in ("cafÃ© Ã\ufffd", "café Ã\ufffd")


def test_markup_and_escapes_are_not_touched() -> None:
    assert mended("&eacute; &amp; <b>cafÃ©</b>") == "&eacute; &amp; <b>café</b>"
