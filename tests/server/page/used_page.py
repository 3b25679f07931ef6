"""The page in a browser, as it is used."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from page_browser import DESKTOP, prefer, resize
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import ActionChains, Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait


class Page:
    """What is on it, and what is done to it."""

    def __init__(self, browser: Chrome, url: str) -> None:
        self.browser = browser
        self.url = url

    def open(self) -> None:
        self.browser.get(self.url)

    def until(self, holds: Callable[[], object]) -> None:
        """Waits for it; what is replaced in the very moment it is looked at is looked at again."""
        WebDriverWait(self.browser, 20, 0.05, [StaleElementReferenceException]).until(lambda _: holds())

    def find(self, selector: str) -> WebElement:
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        return self.find(selector).text

    def texts(self, selector: str) -> list[str]:
        """Of those that can be seen, as they can be seen."""
        script = "return [...document.querySelectorAll(arguments[0])].map((each) => each.innerText).filter(Boolean)"
        return [str(each).strip() for each in self.run(script, selector)]

    def value(self, selector: str) -> str:
        return str(self.find(selector).get_attribute("value"))

    def numbers(self, selector: str) -> list[int]:
        return [int(each.replace(",", "")) for each in re.findall(r"\d[\d,]*", self.text(selector))]

    def matrix(self) -> list[list[str]]:
        """The numbers as they are written."""
        cells, columns = self.texts("#matrix td button"), len(self.all("#matrix th[scope=col]"))
        return [cells[at : at + columns] for at in range(0, len(cells), columns or 1)]

    def run(self, script: str, *given: object) -> Any:
        return self.browser.execute_script(script, *given)  # type: ignore[no-untyped-call]

    def run_async(self, script: str) -> Any:
        return self.browser.execute_async_script(script)  # type: ignore[no-untyped-call]

    def active(self, name: str) -> str:
        return str(self.run(f"return document.activeElement.{name}") or "")

    def keys(self, *keys: str) -> None:
        """Pressed wherever the focus is."""
        for key in keys:
            ActionChains(self.browser).send_keys(key).perform()

    def fill(self, selector: str, content: str) -> None:
        """As if pasted: the keyboard of the driver knows no characters beyond the first 65,536, and takes its time."""
        self.run(
            "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', { bubbles: true }))",
            self.find(selector),
            content,
        )

    def type_sentences(self, *sentences: str) -> None:
        self.fill("#sentences", "\n".join(sentences))

    def drop(self, selector: str, files: dict[str, str], events: Sequence[str] = ("dragover", "drop")) -> None:
        self.run(
            """
            const [target, files, kinds] = arguments;
            const dataTransfer = new DataTransfer();
            for (const [name, content] of Object.entries(files)) dataTransfer.items.add(new File([content], name));
            for (const kind of kinds)
              target.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
            """,
            self.find(selector),
            files,
            list(events),
        )

    def choose(self, source: Path, target: Path | None = None) -> None:
        """Files to mine, by their buttons."""
        self.find("#source [type=file]").send_keys(str(source))
        if target is not None:
            self.find("#target [type=file]").send_keys(str(target))

    def focusable(self) -> list[dict[str, Any]]:
        """What the keyboard can reach, as the browser tells it to screen readers."""
        tree = self.browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        return [node for node in tree if _is_focusable(node) and node["role"]["value"] != "RootWebArea"]

    def contrasts(self) -> list[dict[str, Any]]:
        """Of all text that can be seen, with what lies behind it, as WCAG counts it."""
        found: list[dict[str, Any]] = self.run(_CONTRASTS)
        return found

    def hosts(self) -> set[str]:
        """All that anything was asked of since the log was last read."""
        messages = (json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance"))
        sent = [each["params"]["request"]["url"] for each in messages if each["method"] == "Network.requestWillBeSent"]
        return {urlsplit(url).netloc for url in sent}


@contextlib.contextmanager
def opened(browser: Chrome, url: str) -> Iterator[Page]:
    """On a desk, in light. Whatever is done to it, nothing may fail unseen, and nothing be fetched from elsewhere."""
    resize(browser, DESKTOP)
    prefer(browser, "light", "reduce")
    browser.get("about:blank")
    for kind in ("browser", "performance"):
        browser.get_log(kind)
    page = Page(browser, url)
    page.open()
    yield page
    # Answers that are errors are logged by the browser itself; the page shows them.
    assert [entry for entry in browser.get_log("browser") if entry["source"] != "network"] == []
    assert page.hosts() <= {"", urlsplit(url).netloc}


def _is_focusable(node: dict[str, Any]) -> bool:
    return any(each["name"] == "focusable" and each["value"]["value"] for each in node.get("properties", []))


_CONTRASTS = """
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const bytes = (colour) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const linear = (byte) => (byte <= 10 ? byte / 3294.6 : ((byte / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  const behind = (shown) => {
    for (let each = shown; each; each = each.parentElement) {
      const colour = bytes(getComputedStyle(each).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const field = "input:not([type=range], [type=radio], [type=file]), textarea";
  const written = (each) => [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  return [...document.body.querySelectorAll("*")]
    .filter((each) => (written(each) || each.matches(field)) && each.checkVisibility())
    .map((each) => {
      const [text, ground] = [bytes(getComputedStyle(each).color), behind(each)];
      const [darker, lighter] = [luminance(text), luminance(ground)].sort((a, b) => a - b);
      const contrast = (lighter + 0.05) / (darker + 0.05);
      return { class: each.className, text: each.textContent.slice(0, 40), contrast, background: ground.join() };
    });
"""
