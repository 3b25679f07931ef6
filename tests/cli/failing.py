"""What a failing command leaves behind."""

from __future__ import annotations

import re

import pytest

from calque.cli import main


def fail(capsys: pytest.CaptureFixture[str], *arguments: str, after_others: bool = False) -> tuple[int, str, str]:
    """Exit code, message and hint of a call that must fail, with nothing on standard output, nor other lines before.

    `after_others` allows such lines.
    """
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    seen = capsys.readouterr()
    assert seen.out == ""
    said = re.sub(r"\A.*?^(?=error: )", "", seen.err, flags=re.DOTALL | re.MULTILINE) if after_others else seen.err
    shape = re.fullmatch(r"error: (.+?)\n(?:\nhint: ([^\n]+)\n)?", said, re.DOTALL)
    assert shape, f"not an error and a hint: {seen.err!r}"
    assert isinstance(ended.value.code, int)
    return ended.value.code, shape[1], shape[2] or ""
