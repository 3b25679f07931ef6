from __future__ import annotations

from pathlib import Path

from page_texts import two_files
from running import running
from selenium.webdriver import Chrome, Keys
from used_page import opened

import calque


def test_a_token_is_asked_for_and_the_page_goes_on(browser: Chrome, fluent_model: calque.Model) -> None:
    guarded = running("--model", fluent_model.path, environment={"CALQUE_TOKEN": "secret-1"})
    with guarded as server, opened(browser, server.url) as page:
        page.until(lambda: page.find("#token").is_displayed())
        assert page.active("id") == "token-field"
        assert page.text("#token .problem") == ""
        page.keys("another", Keys.ENTER)
        page.until(lambda: "does not take this token" in page.text("#token .problem"))
        page.keys("with spaces", Keys.ENTER)
        assert "no spaces" in page.text("#token .problem")
        page.fill("#token-field", "secret-1")
        page.find("#token button").click()
        page.until(lambda: page.all("#matrix button") and page.all(".contributions"))
        page.until(lambda: "Bearer $CALQUE_TOKEN" in page.text("#curl"))
        assert not page.find("#token").is_displayed()
        page.open()
        page.until(lambda: page.all("#matrix button"))
        assert not page.find("#token").is_displayed()
        assert page.run("return [localStorage.length, document.cookie]") == [0, ""]
        # This server has no index.
        page.until(lambda: page.find("#no-index").is_displayed())
        assert "calque search build corpus.txt --out index\ncalque serve --index index" in page.text("#no-index")
        assert not page.find("#search-form").is_displayed()


def test_limits_and_a_server_that_has_gone_are_said_in_place(
    browser: Chrome, fluent_model: calque.Model, tmp_path: Path
) -> None:
    narrow = running("--model", fluent_model.path, "--max-lines", 100, "--max-body", "20k")
    with narrow as server, opened(browser, server.url) as page:
        page.until(lambda: page.all("#matrix button"))
        page.choose(*two_files(tmp_path, 150))
        page.until(lambda: "150 lines are more than the 100" in page.text("#mine-problem"))
        page.choose(*two_files(tmp_path, 900))
        page.until(lambda: "larger than 20,480 bytes" in page.text("#mine-problem"))
        assert page.text("#mine-status") == ""
        server.stop()
        page.type_sentences("Is anybody there?")
        page.until(lambda: "does not answer" in page.text("#compare .problem"))
        assert page.all("#matrix.stale")
        page.find("#mine-form .row button").click()
        page.until(lambda: "does not answer" in page.text("#mine-problem"))
