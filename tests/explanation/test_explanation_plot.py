"""Heat maps that name every word, in any script, and come out the same again."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from calque.errors import UsageError
from calque.explanation import Explanation, Part
from calque.explanation.fonts import FIRST, families_for
from calque.explanation.plot import MOST_PARTS, plot_explanation

pytest.importorskip("matplotlib")


def explanation(first: str, second: str) -> Explanation:
    parts = [tuple(Part(word, word != "☃", at) for at, word in enumerate(text.split())) for text in (first, second)]
    cells = np.random.default_rng(1).normal(size=tuple(map(len, parts))) / 10
    return Explanation((first, second), parts[0], parts[1], cells, float(cells.sum()))


def texts(svg: Path) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg.read_text(encoding="utf-8"))


ODD = explanation("It costs $5 and $6, ☃ كتاب שלום", "我喜欢狗。 🙂 a\u200bb x^2 _{i}")


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_any_script_is_drawn_without_a_warning(tmp_path: Path, ending: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plot_explanation(ODD, tmp_path / f"a.{ending}")
    assert (tmp_path / f"a.{ending}").stat().st_size > 1000


def test_every_word_and_the_score_are_in_the_picture(tmp_path: Path) -> None:
    plot_explanation(ODD, tmp_path / "a.svg")
    words = {part.text for part in (*ODD.first, *ODD.second)} - {"a\u200bb"}
    assert words | {"a\ufffdb", f"similarity {ODD.score:.3f}"} <= set(texts(tmp_path / "a.svg"))


def test_numbers_are_written_where_there_is_room(tmp_path: Path) -> None:
    small = Explanation(("a b", "c"), (Part("a", True, 0), Part("b", True, 1)), (Part("c", True, 0),), np.eye(2, 1), 1)
    small.contributions[:, 0] = (0.41, -0.12)
    plot_explanation(small, tmp_path / "small.svg")
    assert {".41", "−.12"} <= set(texts(tmp_path / "small.svg"))
    plot_explanation(explanation("a b", "word " * 20), tmp_path / "large.svg")
    assert not [text for text in texts(tmp_path / "large.svg") if re.fullmatch(r"−?\.\d\d", text)]


def test_the_same_explanation_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        plot_explanation(ODD, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_nothing_and_too_much_cannot_be_drawn(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing to draw"):
        plot_explanation(explanation("☃", "a"), tmp_path / "a.svg")
    with pytest.raises(UsageError, match=f"a picture of {MOST_PARTS + 1} rows or columns cannot be read"):
        plot_explanation(explanation("a", "b " * (MOST_PARTS + 1)), tmp_path / "a.svg")
    assert not list(tmp_path.iterdir())


def test_further_fonts_are_looked_for_only_if_the_first_lacks_something() -> None:
    assert families_for(["Ein Hund", "собака", "\u200b"]) == [FIRST]
    assert families_for(["\U0010ffff 我"])[0] == FIRST
