from __future__ import annotations

from pathlib import Path

import pytest
from page_texts import MARKUP, TEXT, two_files
from selenium.webdriver import Keys
from used_page import Page


def test_two_files_that_are_chosen_are_mined(page: Page, tmp_path: Path) -> None:
    english, spanish = two_files(tmp_path)
    page.choose(english, spanish)
    page.until(lambda: page.all(".pairs td"))
    assert page.texts(".chosen .name") == ["text.en, 300 lines", "text.es, 300 lines"]
    score, source, target = page.texts(".pairs tbody tr:first-child td")
    at = TEXT["en"].index(source.splitlines()[0])
    assert source.split("\n\n") == [TEXT["en"][at], f"line {at + 1}"]
    assert target.split("\n\n") == [TEXT["es"][at], f"line {300 - at}"]
    scores = [float(each) for each in page.texts(".pairs .score")]
    assert scores == sorted(scores, reverse=True)
    assert page.text("#suggested") == f"Suggested: {page.value('#threshold-number')}"
    assert "are expected to be right" in page.text("#threshold-note")
    kept = page.numbers("#mine-status")
    page.find("#more-pairs").click()
    assert len(page.all(".pairs tbody tr")) == min(kept[0], 120)
    assert float(score) == scores[0]


def test_the_threshold_keeps_fewer_and_those_are_downloaded(page: Page, tmp_path: Path) -> None:
    page.browser.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path / "downloads")}
    )
    page.choose(*two_files(tmp_path))
    page.until(lambda: page.all(".pairs td"))
    kept, all_pairs = page.numbers("#mine-status")
    threshold = float(page.texts(".pairs tbody tr:nth-child(6) .score")[0])
    field = page.find("#threshold-number")
    field.clear()
    field.send_keys(str(threshold))
    page.until(lambda: page.numbers("#mine-status")[0] < kept)
    assert all(float(score) >= threshold for score in page.texts(".pairs .score"))
    assert float(page.value("#threshold")) == threshold
    before = page.numbers("#mine-status")
    assert before[1] == all_pairs
    page.find("#download").click()
    file = tmp_path / "downloads" / "pairs.tsv"
    page.until(file.exists)
    rows = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == before[0]
    assert all(float(score) >= threshold for score, _, _ in rows)
    assert rows[0][1:] == [cell.splitlines()[0] for cell in page.texts(".pairs tbody tr:first-child td")[1:]]
    page.find("#threshold").send_keys(Keys.HOME)
    page.until(lambda: page.numbers("#mine-status") == [all_pairs, all_pairs])
    page.find("#suggested").click()
    page.until(lambda: page.numbers("#mine-status") == [kept, all_pairs])


def test_files_can_be_dropped_one_by_one_or_both_at_once(page: Page) -> None:
    english, spanish = "\n".join(TEXT["en"][:5]), "\n".join(TEXT["es"][:5])
    page.drop("#source", {"a.txt": english})
    page.until(lambda: page.texts("#source .name") == ["a.txt, 5 lines"])
    page.drop("#target textarea", {"b.txt": spanish})
    page.until(lambda: page.all(".pairs td"))
    assert "too few sentences" in page.text("#threshold-note")
    page.find("#source .chosen button").click()
    assert not page.find("#mined").is_displayed()
    page.drop("#target", {"c.txt": spanish, "d.txt": english})
    page.until(lambda: page.texts(".chosen .name") == ["d.txt, 5 lines", "c.txt, 5 lines"])
    page.until(lambda: page.all(".pairs td"))


def test_lines_end_where_calque_mine_ends_them(page: Page) -> None:
    page.drop("#source", {"a.txt": "one\rstill one\r\ntwo\u0085still two\n\u2028three\x0cstill three"})
    page.until(lambda: page.texts("#source .name") == ["a.txt, 3 lines"])


def test_lines_can_be_pasted_and_an_example_filled_in(page: Page) -> None:
    page.find("#mine-form .row button").click()
    assert page.texts(".side .problem") == ["There are no lines here yet."] * 2
    page.fill("#source textarea", TEXT["en"][0] + "\n\n" + TEXT["en"][1])
    page.fill("#target textarea", TEXT["es"][1] + "\r\n" + MARKUP)
    assert page.texts(".side .problem") == []
    page.find("#mine-form .row button").click()
    page.until(lambda: page.all(".pairs td"))
    assert "line 3" in page.text(".pairs")
    assert page.all(".pairs img, .pairs b") == []
    page.find("#mine-example").click()
    page.until(lambda: "bakery" in page.text(".pairs"))
    assert "bakery" in page.value("#source textarea")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "bad.txt is empty."),
        (b" \n\n", "bad.txt is empty."),
        ("Grüße\n".encode("utf-16"), "bad.txt is not text in UTF-8."),
        ("Grüße\n".encode("latin-1"), "bad.txt is not text in UTF-8."),
        (b"a\0b\n", "bad.txt is not text: it holds zero bytes."),
    ],
)
def test_a_file_that_cannot_be_read_is_said_beside_it(page: Page, tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "bad.txt").write_bytes(content)
    page.choose(tmp_path / "bad.txt")
    page.until(lambda: page.text("#source .problem").startswith(message))
    page.choose(two_files(tmp_path)[0])
    page.until(lambda: page.texts("#source .problem") == [])


def test_pointing_at_a_file_over_a_side_lights_it_up(page: Page) -> None:
    page.drop("#source", {"a.txt": "One."}, events=["dragover"])
    assert page.all("#source.over")
    page.drop("#target", {"a.txt": "One."}, events=["dragover"])
    assert page.all("#target.over")
    assert not page.all("#source.over")
