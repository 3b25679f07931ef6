"""Pictures of the page with the model in the box, to look at: make screenshots"""

from __future__ import annotations

import base64
import os
import sys
import tempfile
from pathlib import Path

from page_browser import DESKTOP, PHONE, browsing, prefer, resize, why_not
from page_texts import TEXT
from running import running
from used_page import Page

import calque

SIZES = {"desktop": (DESKTOP, 1.0), "phone": (PHONE, 2.0)}
QUERY = "Who has seen my keys?"
RIGHT_TO_LEFT = "#matrix [data-row='6'][data-column='7']"  # Hebrew with Chinese


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        os.chdir(temporary)  # so that hits are shown with short names
        files = [_write("corpus.es.txt", TEXT["es"]), _write("a.en.txt", TEXT["en"][:600])]
        files.append(_write("b.de.txt", TEXT["de"][899:200:-1]))  # in another order, and some lines have no counterpart
        index = calque.Index.build([files[0]], Path("index"), calque.load())
        with running("--index", index.path) as server, browsing() as browser:
            for scheme in ("light", "dark"):
                for name, (size, scale) in SIZES.items():
                    resize(browser, size, scale)
                    prefer(browser, scheme, "reduce")
                    _take_all(Page(browser, server.url), size, folder / f"{name}-{scheme}", files[1:])
    print(*sorted(path.name for path in folder.glob("*.png")), sep="\n")


def _write(name: str, lines: list[str]) -> Path:
    path = Path(name)
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def _take_all(page: Page, size: tuple[int, int], name: Path, files: list[Path]) -> None:
    page.open()
    page.until(lambda: page.all(".contributions") and page.find("#query").is_displayed())
    _take(page, f"{name}-first", size[0], size[1])
    page.find(RIGHT_TO_LEFT).click()
    page.until(lambda: page.find(".words").value_of_css_property("direction") == "rtl")
    _take(page, f"{name}-explanation", size[0], selector="#explanation")
    page.find("#query").send_keys(QUERY + "\n")
    page.until(lambda: page.all(".hits li"))
    _take(page, f"{name}-search", size[0], selector="#search")
    _take(page, f"{name}-before-mining", size[0], selector="#mine")
    page.choose(*(path.absolute() for path in files))
    page.until(lambda: page.all(".pairs td"))
    _take(page, f"{name}-mining", size[0], selector="#mine")
    _take(page, f"{name}-foot", size[0], selector="footer")


def _take(page: Page, name: str, width: int, height: int | None = None, selector: str = "html") -> None:
    page.run("document.activeElement.blur(); window.scrollTo(0, 0)")
    place = page.find(selector).rect
    box = {"x": 0, "y": place["y"], "width": width, "height": height or place["height"], "scale": 1}
    taken = page.browser.execute_cdp_cmd("Page.captureScreenshot", {"clip": box, "captureBeyondViewport": True})
    Path(f"{name}.png").write_bytes(base64.b64decode(taken["data"]))


if __name__ == "__main__":
    if problem := why_not():
        sys.exit(problem)
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/screenshots").absolute())
