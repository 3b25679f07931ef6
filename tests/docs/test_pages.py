"""What the documentation shows is what happens: every block of every page is run, and what it prints compared."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent.parent
DOCS = REPOSITORY / "docs"
sys.path.insert(0, str(DOCS / "making"))

from blocks import blocks_of, pages  # noqa: E402
from compare import agrees  # noqa: E402
from page import Differs, Page  # noqa: E402

PAGES = [REPOSITORY / "README.md", *pages(DOCS)]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_a_page_is_true(path: Path, tmp_path: Path, real_box: Path) -> None:
    Page(path, tmp_path).run()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_every_picture_of_a_page_is_there(path: Path) -> None:
    import re

    for target in re.findall(r"!\[[^\]]*\]\(([^)\s]+)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).is_file(), f"{path.name} shows {target}"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_no_example_splits_lines_where_no_command_does(path: Path) -> None:
    for block in blocks_of(path.read_text(encoding="utf-8")):
        assert ".splitlines()" not in block.text, f"{path.name}, line {block.line}: use calque.read_lines"


def page(folder: Path, text: str) -> Page:
    (folder / "page.md").write_text(text)
    (folder / "work").mkdir()
    return Page(folder / "page.md", folder / "work")


@pytest.mark.parametrize(
    "text",
    [
        "```python\n1 + 1\n```\n```text\n3\n```\n",
        "```python\nnot_there\n```\n",
        "```console\n$ echo one\ntwo\n```\n",
        "```console\n$ false\n```\n",
        "```console\n$ exit 141\n```\n",
        "```console\n$ echo error: fine\nerror: fine\n```\n",
        "```sh\nfalse\ntrue\n```\n",
        "```sh\ntrue\nfalse\n```\n",
        "```sh\nmake no-such-target\n```\n",
        "```sh\npip install '.[cake]'\n```\n",
        "```cobol\nDISPLAY 1.\n```\n",
        "```text\nout of nowhere\n```\n",
    ],
)
def test_a_page_that_is_not_true_is_found_out(tmp_path: Path, text: str) -> None:
    with pytest.raises(Differs):
        page(tmp_path, text).run()


def test_a_pipe_whose_reader_has_enough_is_true(tmp_path: Path) -> None:
    page(tmp_path, "```console\n$ yes | head -n 1\ny\n```\n").run()


def test_blocks_of_a_page_build_on_each_other(tmp_path: Path) -> None:
    page(
        tmp_path,
        '```text title="notes/a.txt"\nhello\n```\n```console\n$ export NAME=you\n$ cat notes/a.txt; \\\n  echo $NAME\n'
        'hello\nyou\n```\n```python\nfrom pathlib import Path\ntext = Path("notes/a.txt").read_text()\n```\n'
        "```python\nprint(len(text))\ntext\n```\n```text\n6\n'hello\\n'\n```\n",
    ).run()


def test_code_that_nobody_would_run_is_refused() -> None:
    with pytest.raises(ValueError, match="line 3: indented code"):
        blocks_of("Type this:\n\n    calque demo\n")
    with pytest.raises(ValueError, match="line 1: a fence that is not closed"):
        blocks_of("```python\n1\n")


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("0.938", "0.94", True),
        ("0.938", "0.90", False),
        ("12 pairs", "13 pairs", False),
        ("took … s", "took 12 s", True),
        ("a  b", "a b", True),
        ("a\n…\nz", "a\nb\nc\nz", True),
        ("a\n…\nz", "a\nb\nc\ny", False),
        ("a", "a\nb", False),
        ("a\nb", "a", False),
    ],
)
def test_output_is_compared(shown: str, printed: str, same: bool) -> None:
    assert agrees(shown, printed) is same
