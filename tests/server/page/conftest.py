from __future__ import annotations

from collections.abc import Iterator

import pytest
from page_browser import browsing, why_not
from page_texts import MARKUP, TEXT
from running import Running, running
from selenium.webdriver import Chrome
from used_page import Page, opened

import calque


@pytest.fixture(scope="session")
def browser() -> Iterator[Chrome]:
    if problem := why_not():
        pytest.skip(problem)
    with browsing() as driver:
        yield driver


@pytest.fixture(scope="session")
def served(fluent_model: calque.Model, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """With an index of Spanish from a file, whose last line looks like HTML."""
    folder = tmp_path_factory.mktemp("searched")
    corpus = folder / "corpus.txt"
    corpus.write_text("\n".join([*TEXT["es"], MARKUP]), encoding="utf-8")
    index = calque.Index.build([corpus], folder / "index", fluent_model)
    with running("--model", fluent_model.path, "--index", index.path) as server:
        yield server


@pytest.fixture
def page(browser: Chrome, served: Running) -> Iterator[Page]:
    with opened(browser, served.url) as page:
        yield page
