from __future__ import annotations

from pathlib import Path

from page_texts import two_files
from selenium.webdriver import Keys
from used_page import Page


def test_the_keyboard_reaches_a_cell_and_its_explanation(page: Page) -> None:
    page.until(lambda: page.all("#matrix button"))
    page.keys(Keys.TAB)
    assert page.active("textContent") == "Skip to the sentences"
    page.keys(Keys.ENTER, Keys.TAB)
    assert page.active("id") == "sentences"
    page.keys(Keys.TAB, Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert (page.active("dataset.row"), page.active("dataset.column")) == ("2", "2")
    page.keys(Keys.END, Keys.ARROW_RIGHT)
    last = str(len(page.all("#matrix tbody tr")) - 1)
    assert (page.active("dataset.row"), page.active("dataset.column")) == ("2", last)
    scores = [page.active("textContent")]
    page.keys(Keys.ENTER)
    page.until(lambda: page.text("#explanation-title") == f"Why {scores[0]}?")
    page.keys(Keys.HOME)
    scores.append(page.active("textContent"))
    page.keys(Keys.SPACE)
    page.until(lambda: page.text("#explanation-title") == f"Why {scores[1]}?")
    assert page.all("#matrix button[tabindex='0']") == [page.browser.switch_to.active_element]
    page.keys(Keys.TAB)
    assert page.active("value") == "word"
    page.keys(Keys.ARROW_RIGHT)
    page.until(lambda: any("▁" in head for head in page.texts(".contributions th")))


def test_everything_that_takes_the_focus_shows_it_and_has_a_name(page: Page, tmp_path: Path) -> None:
    page.choose(*two_files(tmp_path))
    page.until(lambda: page.all(".pairs td"))
    page.run("document.activeElement.blur(); document.querySelector('.skip').focus()")
    seen = []
    while page.active("tagName") != "BODY":
        seen.append(page.active("id") or page.active("name") or page.active("className") or page.active("textContent"))
        assert page.run(OUTLINED), seen[-1]
        page.keys(Keys.TAB)
        assert len(seen) < 60, "the focus goes round in circles"
    assert {"sentences", "by", "query", "threshold", "threshold-number", "download", "copy", "curl"} <= set(seen)
    nameless = [node for node in page.focusable() if not node.get("name", {}).get("value")]
    assert nameless == []


OUTLINED = """
  const shown = document.activeElement.closest(".button, .switch") ?? document.activeElement;
  const style = getComputedStyle(shown);
  return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
"""
