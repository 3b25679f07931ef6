"""Encodings that old catalogues and XML files name."""

from __future__ import annotations

import codecs
import re

# Python knows more, and some of them are no encodings of text, or slow on purpose-made input.
_OF_TEXT = re.compile(
    r"utf-(8|16|32)(-[bl]e|-sig)?|ascii|iso8859-\d+|cp\d+|koi8-[rtu]|shift_jis\w*|euc_\w+|gbk|gb2312|gb18030|big5\w*"
    r"|johab|iso2022_\w+|hz|tis-620|mac-\w+|kz1048|ptcp154"
)


def codec_named(charset: str) -> str | None:
    """What Python calls an encoding, or None if it does not know it.

    >>> codec_named("Latin1"), codec_named("EUC-JP"), codec_named("rot13")
    ('iso8859-1', 'euc_jp', None)
    """
    if not re.fullmatch(r"[A-Za-z][\w.:+-]{0,40}", charset, re.ASCII):
        return None
    try:
        name = codecs.lookup(charset).name
    except LookupError:
        return None
    return name if _OF_TEXT.fullmatch(name) else None
