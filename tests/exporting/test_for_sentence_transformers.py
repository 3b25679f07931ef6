"""A folder that three libraries open, with the same vectors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calque
from calque.demo import sentences
from calque.errors import UsageError
from calque.exporting import write_sentence_transformers
from calque.model import Model
from calque.surrogates import without_surrogates
from other_libraries import LIBRARIES, ODD, Encode, cosines, opened
from strategies import texts as odd_texts

BOX = Path(calque.__file__).parent / "box"
EVERY = [line for lines in sentences().values() for line in lines]
MANY_LANGUAGES = [
    "Сегодня идёт дождь, но мы всё равно пойдём гулять.",
    "今日は雨が降っていますが、散歩に行きます。ｶﾞｰﾄﾞ～",
    "今天下雨，可是我们还是要去散步。",
    "오늘은 비가 오지만 산책을 갈 거예요. ㅋㅋ",
    "إنها تمطر اليوم، مُدَرِّس ومُعَلِّمٌ.",
    "היום יורד גשם, שָׁלוֹם עֲלֵיכֶם.",
    "आज बारिश हो रही है, ज़रा ठहरिए।",
    "Trời hôm nay mưa nhưng chúng tôi vẫn đi dạo.",
    "Bugün yağmur yağıyor, İstanbul'da ışık az.",
    "Σήμερα βρέχει, αλλά θα πάμε βόλτα. ΆΝΘΡΩΠΟΣ",
    "วันนี้ฝนตก น้ำ ทำ",
    "আজ বৃষ্টি হচ্ছে, কো কৌ।",
    "இன்று மழை பெய்கிறது, கொடு கோ கௌ.",
    "Dziś pada, więc zostańmy w domu: zażółć gęślą jaźń.",
    "დღეს წვიმს.",
    "Այսօր անձրև է գալիս, եւ ցուրտ է։",
]


@pytest.fixture(scope="module")
def folder(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("exported") / "model"
    write_sentence_transformers(model, out)
    return out


@pytest.fixture(scope="module", params=LIBRARIES)
def encode(request: pytest.FixtureRequest, folder: Path) -> Encode:
    return opened(request.param, folder)


def test_sentences_and_odd_text_have_the_same_vectors(model: Model, encode: Encode) -> None:
    texts = [*EVERY, *(text[::-1] for text in EVERY), *ODD]
    np.testing.assert_allclose(cosines(model.encode(texts), encode(texts)), 1, atol=1e-5)


@given(texts=st.lists(odd_texts.map(without_surrogates), min_size=1, max_size=8))
def test_any_text_has_the_same_vector(model: Model, encode: Encode, texts: list[str]) -> None:
    ours, theirs = model.encode(texts), encode(texts)
    known = ours.any(axis=1)
    np.testing.assert_allclose(cosines(ours[known], theirs[known]), 1, atol=1e-5)
    assert not theirs[~known].any()


def test_it_stays_a_calque_model_with_the_same_vectors_and_history(model: Model, folder: Path) -> None:
    again = calque.load(folder)
    assert again.encode(EVERY).tobytes() == model.encode(EVERY).tobytes()
    assert (again.about, again.encoder.bits) == (model.about, 32)
    assert {"tokenizer.json", "modules.json", "README.md"} <= {path.name for path in folder.iterdir()}


@pytest.fixture(scope="module")
def exported_box(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("box") / "model"
    write_sentence_transformers(calque.load(BOX), out)
    return out


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_model_in_the_box_is_the_same_elsewhere(exported_box: Path, library: str) -> None:
    texts = [*EVERY[::3], *MANY_LANGUAGES, *ODD]
    theirs = opened(library, exported_box)(texts)
    np.testing.assert_allclose(cosines(calque.load(BOX).encode(texts), theirs), 1, atol=1e-5)


def test_credits_of_the_card_are_kept(exported_box: Path) -> None:
    said = (exported_box / "README.md").read_text(encoding="utf-8")
    assert said.startswith("---\nlibrary_name: calque\n")
    assert "| numbers | float32 |" in said
    assert "It credits Europarl, Tatoeba and LibreOffice" in said
    assert said.count("library_name:") == 1


def test_a_card_that_training_wrote_is_not_repeated(small_model: Model, tmp_path: Path) -> None:
    write_sentence_transformers(small_model, tmp_path / "out")
    assert (tmp_path / "out/README.md").read_bytes() == (Path(str(small_model.path)) / "README.md").read_bytes()


def test_words_trigrams_and_separate_vocabularies_are_refused(odd_model: Model, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"tokenizer\.json, which cannot say how this model cuts text: ") as raised:
        write_sentence_transformers(odd_model, tmp_path / "out")
    assert "--vocabulary sp" in str(raised.value.hint)
    assert not list(tmp_path.iterdir())


def test_a_blstm_is_refused(blstm: Model, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="this model is a BLSTM, which does more than add up rows"):
        write_sentence_transformers(blstm, tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_a_config_that_other_libraries_read_cuts_no_text_short(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    assert (config["normalize"], config["max_length"]) == (False, None)
