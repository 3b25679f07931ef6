from __future__ import annotations

from page_texts import MARKUP, TEXT, written
from used_page import Page

import calque


def test_there_is_something_to_see_at_first_sight(page: Page) -> None:
    rows = len(page.find("#sentences").get_attribute("value").splitlines())
    page.until(lambda: len(page.all("#matrix button")) == rows**2)
    page.until(lambda: page.all(".contributions"))
    assert page.run("return document.querySelector('#matrix').getBoundingClientRect().top < innerHeight / 2")


def test_typed_sentences_are_compared_each_with_each(page: Page, fluent_model: calque.Model) -> None:
    typed = [TEXT["en"][0], TEXT["es"][0], TEXT["de"][7]]
    page.type_sentences(*typed)
    vectors = fluent_model.encode(typed, normalize=True)
    expected = [[written(value) for value in row] for row in (vectors @ vectors.T).tolist()]
    page.until(lambda: page.matrix() == expected)
    assert page.texts("#matrix tbody th .sentence") == typed


def test_blank_lines_are_no_sentences_and_none_at_all_is_no_error(page: Page) -> None:
    page.type_sentences("One.", "", "  ", "Two.")
    page.until(lambda: len(page.all("#matrix button")) == 4)
    page.type_sentences("")
    page.until(lambda: page.all("#matrix button") == [])
    assert page.text("#matrix-status") == "Write a sentence on each line."
    assert not page.find("#explanation").is_displayed()


def test_more_sentences_than_can_be_looked_at_are_cut_with_a_word(page: Page) -> None:
    page.type_sentences(*TEXT["en"][:50])
    page.until(lambda: len(page.all("#matrix tbody tr")) == 40)
    assert "first 40 of 50" in page.text("#matrix-status")


def test_an_answer_that_comes_late_does_not_replace_a_newer_one(page: Page) -> None:
    page.run("""
      const real = window.fetch;
      let asked = 0;
      window.held = false;
      window.fetch = async (...given) => {
        const late = given[0] === "v1/similarity" && asked++ === 0;
        const answer = await real(given[0], late ? { ...given[1], signal: undefined } : given[1]);
        if (late) await new Promise((resolve) => setTimeout(resolve, 900));
        window.held ||= late;
        return answer;
      };
    """)
    page.type_sentences("First.", "Second.", "Third.")
    page.until(lambda: page.run("return performance.getEntriesByName(location.origin + '/v1/similarity').length > 1"))
    page.type_sentences("Newer.")
    page.until(lambda: page.texts("#matrix .sentence") == ["Newer."])
    page.until(lambda: page.run("return window.held"))
    assert page.texts("#matrix .sentence") == ["Newer."]


def test_half_a_character_that_a_paste_left_behind_is_no_error(page: Page) -> None:
    page.run("""
      const field = document.querySelector("#sentences");
      field.value = "\\ud83d Good morning.\\nHola.";
      field.dispatchEvent(new Event("input"));
    """)
    page.until(lambda: len(page.all("#matrix button")) == 4)
    assert page.text("#compare .problem") == ""


def test_markup_in_a_sentence_is_shown_as_text(page: Page) -> None:
    page.type_sentences(MARKUP, "Buenas noches")
    page.until(lambda: page.texts("#matrix .sentence")[:1] == [MARKUP])
    page.until(lambda: "<b>Buenas</b>" in page.text(".contributions"))
    assert page.all("main b:not(.sum b), main img") == []
    assert page.browser.title == "Calque"


def test_a_cell_that_is_clicked_is_explained_word_by_word(page: Page, fluent_model: calque.Model) -> None:
    first, second = TEXT["en"][1], TEXT["es"][1]
    page.type_sentences(first, second)
    page.until(lambda: len(page.all("#matrix button")) == 4)
    page.find("#matrix tbody tr:nth-child(2) td:nth-child(2) button").click()
    explained = calque.explain(second, first, fluent_model).by_word()
    page.until(lambda: page.texts(".contributions tbody th")[:-1] == [part.text for part in explained.first])
    assert page.texts(".contributions thead th")[:-1] == [part.text for part in explained.second]
    assert page.text("#explanation-title") == f"Why {written(explained.score)}?"
    totals = page.texts(".contributions tbody tr:not(:last-child) td:last-child")
    assert totals == [written(total) for total in explained.first_totals]
    assert page.text(".contributions tr:last-child td:last-child") == written(explained.score)
    strongest = explained.strongest(1)[0]
    pair = f"{explained.first[strongest.first].text} · {explained.second[strongest.second].text}"
    assert page.texts(".sum li")[0].splitlines() == [written(strongest.contribution), pair]
    assert page.texts(".sum .result b") == [written(explained.score)]


def test_pieces_can_be_seen_instead_of_words(page: Page, fluent_model: calque.Model) -> None:
    first, second = TEXT["en"][1], TEXT["es"][1]
    page.type_sentences(first, second)
    pieces = [part.text for part in calque.explain(first, second, fluent_model).first]
    page.until(lambda: page.texts("#matrix .sentence") == [first, second])
    page.find(".switch label:last-of-type").click()
    page.until(lambda: page.texts(".contributions tbody th")[:-1] == pieces)


def test_what_the_model_does_not_know_is_marked(page: Page) -> None:
    page.type_sentences(f"{TEXT['en'][0]} 漢字", TEXT["es"][0])
    page.until(lambda: "Not known to the model" in page.text("#explained"))
    assert "漢" in "".join(page.texts(".contributions th .unknown"))


def test_sentences_without_anything_to_compare_are_not_summed_up(page: Page) -> None:
    said = page.run_async("""
      const part = (known) => ({ text: "x", word: 0, known });
      const explained = { first: [part(false)], second: [part(true)], contributions: [[0]], score: 0, unknown: ["x"] };
      import("/sum.js").then(({ sumOf }) => arguments[arguments.length - 1](sumOf(explained).textContent));
    """)
    assert "nothing in it that the model knows" in said


def test_a_text_too_long_to_explain_is_said_in_place(page: Page) -> None:
    page.type_sentences("word " * 500, "Hello.")
    page.until(lambda: "more than the 2,000" in page.text("#explanation .problem"))
    page.type_sentences("Hello.", "Hola.")
    page.until(lambda: page.text("#explanation .problem") == "")
