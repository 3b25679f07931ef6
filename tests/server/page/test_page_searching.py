from __future__ import annotations

from page_texts import MARKUP, TEXT
from selenium.webdriver import Keys
from used_page import Page


def test_the_index_is_searched_in_any_language(page: Page) -> None:
    page.until(lambda: page.find("#query").is_displayed())
    assert page.text("#search-status") == f"{len(TEXT['es']) + 1} entries"
    page.find("#query").send_keys(TEXT["en"][3], Keys.ENTER)
    page.until(lambda: len(page.all(".hits li")) == 10)
    texts = page.texts(".hits p")
    assert TEXT["es"][3] in texts
    place = page.texts(".hits .place")[texts.index(TEXT["es"][3])]
    assert place.endswith("corpus.txt:4")
    page.find("#more-hits").click()
    page.until(lambda: len(page.all(".hits li")) == 50)
    assert not page.find("#no-index").is_displayed()


def test_markup_in_an_entry_is_shown_as_text(page: Page) -> None:
    page.until(lambda: page.find("#query").is_displayed())
    page.find("#query").send_keys(MARKUP, Keys.ENTER)
    page.until(lambda: page.texts(".hits p")[:1] == [MARKUP])
    assert page.all(".hits img, .hits b") == []
