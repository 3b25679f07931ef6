"""The model that the package holds: small, quick to open, and as good as its card says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import calque
from calque.demo.look import sentences
from calque.encoder import CODE_BITS

MOST_BYTES = 16_000_000
MOST_DIMENSIONS = 256

ENGLISH = ["I am hungry.", "Where is the station?", "The book is on the table.", "It is raining today."]
TRANSLATIONS = {
    "it": ["Ho fame.", "Dov'è la stazione?", "Il libro è sul tavolo.", "Oggi piove."],
    "pt": ["Estou com fome.", "Onde fica a estação?", "O livro está na mesa.", "Está a chover hoje."],
    "nl": ["Ik heb honger.", "Waar is het station?", "Het boek ligt op de tafel.", "Het regent vandaag."],
    "ar": ["أنا جائع.", "أين المحطة؟", "الكتاب على الطاولة.", "إنها تمطر اليوم."],
    "tr": ["Ben açım.", "İstasyon nerede?", "Kitap masanın üstünde.", "Bugün yağmur yağıyor."],
    "cs": ["Mám hlad.", "Kde je nádraží?", "Kniha je na stole.", "Dnes prší."],
    "ru": ["Я голоден.", "Где находится вокзал?", "Книга на столе.", "Сегодня идёт дождь."],
    "zh": ["我饿了。", "车站在哪里？", "书在桌子上。", "今天下雨。"],
    "ja": ["お腹が空いています。", "駅はどこですか。", "本はテーブルの上にあります。", "今日は雨が降っています。"],
}


@pytest.fixture
def model(real_box: Path) -> calque.Model:
    return calque.load()


def test_it_keeps_to_its_budget(model: calque.Model, real_box: Path) -> None:
    assert sum(path.stat().st_size for path in real_box.iterdir()) <= MOST_BYTES
    assert model.dimension <= MOST_DIMENSIONS
    assert model.encoder.bits in CODE_BITS
    assert {path.name for path in real_box.iterdir()} == {
        "config.json",
        "model.safetensors",
        "sentencepiece.model",
        "README.md",
    }


OPENING = """
import sys, threading
from pathlib import Path
import calque
calque.load(PATH)  # imports
before = int(Path("/proc/self/io").read_text().split()[1]), set(sys.modules), threading.active_count()
model = calque.load(PATH)
read = int(Path("/proc/self/io").read_text().split()[1]) - before[0]
print(read, len(set(sys.modules) - before[1]), threading.active_count() - before[2])
"""


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="looks into /proc, which Linux has")
def test_opening_it_again_maps_its_rows_and_imports_and_starts_nothing(real_box: Path) -> None:
    code = OPENING.replace("PATH", repr(str(real_box)))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    read, modules, threads = map(int, done.stdout.split())
    rows = (real_box / "model.safetensors").stat().st_size
    others = sum(path.stat().st_size for path in real_box.iterdir()) - rows
    assert read < 3 * others < rows
    assert (modules, threads) == (0, 0)


@pytest.mark.parametrize("language", ["es", "de", "fr"])
def test_sentences_find_their_translations_among_hundreds(model: calque.Model, language: str) -> None:
    text = sentences()
    english, other = (model.encode(text[each], normalize=True) for each in ("en", language))
    found = np.argmax(english @ other.T, axis=1) == np.arange(len(english))
    assert found.mean() > 0.97


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_it_knows_simple_sentences_of_every_large_language(model: calque.Model, language: str) -> None:
    english, other = (model.encode(texts, normalize=True) for texts in (ENGLISH, TRANSLATIONS[language]))
    assert list(np.argmax(english @ other.T, axis=1)) == list(range(len(ENGLISH)))
    assert language in model.languages


@pytest.mark.data
def test_its_card_tells_what_is_measured(model: calque.Model, real_box: Path, real_data: Path) -> None:
    card = (real_box / "README.md").read_text(encoding="utf-8")
    measured = calque.evaluate(model, "sts17", real_data / "eval/sts17")
    assert len(measured.results) == 7
    for result in measured.results:
        assert f"| {result.name} | {result.n} | {result.values['pearson']:.1f} |" in card
