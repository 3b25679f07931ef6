"""Runs the documentation's pages; with --write, puts in what was printed and drawn where the pages show other.

python docs/making/run.py                       all pages, and README.md
python docs/making/run.py --write docs/tour.md
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from blocks import pages
from compare import agrees
from page import Differs, Page

DOCS = Path(__file__).resolve().parent.parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", type=Path, help="which; all if none is named")
    parser.add_argument("--write", action="store_true", help="mend what is shown, and keep the pictures")
    given = parser.parse_args()
    untrue = 0
    for path in given.pages or [DOCS.parent / "README.md", *pages(DOCS)]:
        with tempfile.TemporaryDirectory() as folder:
            page = Page(path.resolve(), Path(folder))
            try:
                page.run()
                print(f"{path}: true")
            except Differs as problem:
                untrue += 1
                print(f"{path}: not true\n\n{problem}\n")
            if given.write:
                _write(page)
    sys.exit(untrue > 0)


def _write(page: Page) -> None:
    """From the last output to the first, so that line numbers hold."""
    lines = page.path.read_text(encoding="utf-8").splitlines()
    for shown in sorted(page.shown, key=lambda each: each.lines.start, reverse=True):
        if not agrees("\n".join(lines[shown.lines.start : shown.lines.stop]), shown.printed):
            lines[shown.lines.start : shown.lines.stop] = [
                line.rstrip() for line in shown.printed.strip("\n").splitlines()
            ]
    page.path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for picture in (*page.folder.glob("*.svg"), *page.folder.glob("*.png")):
        if picture.name in page.path.read_text(encoding="utf-8"):
            shutil.copy(picture, DOCS / "pictures" / picture.name)


if __name__ == "__main__":
    main()
