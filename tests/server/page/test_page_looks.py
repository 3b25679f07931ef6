from __future__ import annotations

import json
from pathlib import Path

import pytest
from page_browser import PHONE, prefer, resize
from page_texts import TEXT, two_files
from selenium.webdriver import Keys
from used_page import Page

import calque


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_can_be_read(page: Page, tmp_path: Path, scheme: str) -> None:
    prefer(page.browser, scheme, "reduce")
    page.choose(*two_files(tmp_path))
    page.find("#query").send_keys(TEXT["en"][3], Keys.ENTER)
    page.until(lambda: page.all(".hits li") and page.all(".pairs td") and page.all(".contributions"))
    ground = page.run("return getComputedStyle(document.body).backgroundColor")
    assert (sum(int(part) for part in ground[4:-1].split(",")) > 384) == (scheme == "light")
    assert [found for found in page.contrasts() if found["contrast"] < 4.5] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_numbers_can_be_read_on_every_colour_of_the_scale(page: Page, scheme: str) -> None:
    prefer(page.browser, scheme)
    page.run_async("""
      import("/scale.js").then(({ tint }) => {
        const cells = Array.from({ length: 401 }, (_, at) => {
          const cell = tint(document.createElement("span"), at / 200 - 1);
          cell.textContent = at / 200 - 1;
          return cell;
        });
        document.querySelector("main").replaceChildren(...cells);
        arguments[arguments.length - 1]();
      });
    """)
    found = [each for each in page.contrasts() if "tinted" in each["class"]]
    assert len(found) == 401
    assert min(each["contrast"] for each in found) >= 4.5
    assert len({each["background"] for each in found}) > 300


def test_a_phone_need_not_scroll_sideways(page: Page, tmp_path: Path) -> None:
    resize(page.browser, PHONE)
    page.type_sentences("x" * 300, *TEXT["en"][:12])
    page.choose(*two_files(tmp_path))
    page.find("#query").send_keys(TEXT["en"][3], Keys.ENTER)
    page.until(lambda: page.all(".hits li") and page.all(".pairs td") and len(page.all("#matrix tr")) == 14)
    assert page.run("return [innerWidth, document.scrollingElement.scrollWidth]") == [PHONE[0], PHONE[0]]
    page.until(
        lambda: page.run("const box = document.querySelector('#matrix'); return box.scrollWidth > box.clientWidth")
    )


def test_text_from_right_to_left_is_set_so(page: Page) -> None:
    page.type_sentences("الأطفال يلعبون في الحديقة.", "Hello.")
    page.until(lambda: len(page.all("#matrix button")) == 4)
    directions = (
        "return [...document.querySelectorAll('#matrix .sentence')].map((each) => getComputedStyle(each).direction)"
    )
    assert page.run(directions) == ["rtl", "ltr"]
    page.until(lambda: page.run("return getComputedStyle(document.querySelector('.words')).direction") == "rtl")


def test_the_page_is_built_from_landmarks_and_labels(page: Page) -> None:
    page.until(lambda: page.all(".contributions") and page.text("#about"))
    assert page.run(RULES) == []


RULES = """
  const all = (selector) => [...document.querySelectorAll(selector)];
  const broken = [];
  const rule = (holds, said, where = "") => holds || broken.push(`${said} ${where.id || where.outerHTML || where}`);
  rule(document.documentElement.lang === "en", "the page's language");
  for (const one of ["main", "h1", "body > header", "body > footer", "nav[aria-label]", "title"])
    rule(all(one).length === 1, "there is one", one);
  for (const field of all("input, textarea"))
    rule(field.labels.length || field.ariaLabel, "a field has a label", field);
  for (const button of all("button:not([hidden])"))
    rule(button.textContent.trim() || button.ariaLabel || button.id === "suggested", "a button has a name", button);
  for (const image of all("img")) rule(image.hasAttribute("alt"), "an image has a text", image);
  for (const head of all("th")) rule(head.scope, "a table's head says of what", head);
  for (const table of all("table")) rule(table.caption || table.tHead, "a table says what it is", table);
  for (const part of all("main > section, section section"))
    rule(document.getElementById(part.getAttribute("aria-labelledby")), "a section has a title", part);
  const ids = all("[id]").map((each) => each.id);
  rule(new Set(ids).size === ids.length, "ids are unique");
  for (const name of ["aria-controls", "aria-describedby", "aria-labelledby", "for"])
    for (const each of all(`[${name}]`)) rule(ids.includes(each.getAttribute(name)), `${name} leads somewhere`, each);
  for (const link of all("a[href^='#']")) rule(ids.includes(link.hash.slice(1)), "a link leads somewhere", link);
  const levels = all("h1, h2, h3").map((each) => Number(each.tagName[1]));
  rule(levels.every((level, at) => level <= (levels[at - 1] ?? 0) + 1), "headings skip no level", levels.join());
  for (const each of all("main .problem, footer .problem"))
    rule(each.role === "alert" || each.closest("noscript"), "problems are alerts", each);
  for (const each of all("#matrix .sentence, textarea, #query, .words"))
    rule(each.lang === "" && each.dir === "auto", "others' text has an open language and direction", each);
  return broken;
"""


def test_the_footer_tells_of_the_model_and_how_programs_ask(page: Page, fluent_model: calque.Model) -> None:
    page.until(lambda: page.text("#about"))
    assert page.text("#about") == f"Model model · {fluent_model.dimension} dimensions · Calque {calque.__version__}"
    assert f"curl {page.url}/v1/embeddings" in page.text("#curl")
    assert "Authorization" not in page.text("#curl")
    page.browser.execute_cdp_cmd(
        "Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    )
    page.find("#copy").click()
    page.until(lambda: page.text("#copy") == "Copied")
    body = page.text("#curl").rpartition("-d '")[2].removesuffix("'")
    assert json.loads(body)["model"] == "model"
