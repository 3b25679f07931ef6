"""Translation units of TMX that a regular expression reads as a parser would, several times as fast.

Such a unit has two variants, each with a segment that holds no markup but a format's own codes, and perhaps properties
and notes. An attribute that is given twice is forgiven here.
"""

from __future__ import annotations

import re

from .xml import BLANK, NATIVE, tidy

_S = r"[ \t\r\n]*"
_CONTROL = r"\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff"
_VALUE = rf"{_S}={_S}(?:\"[^\"<&{_CONTROL}]*\"|'[^'<&{_CONTROL}]*')"
_ATTRIBUTE = rf"[ \t\r\n]{_S}[A-Za-z_][\w:.-]*{_VALUE}"
_OTHER = rf"[ \t\r\n]{_S}(?!(?:xml:)?lang[ \t\r\n=])[A-Za-z_][\w:.-]*{_VALUE}"  # than the language


def _element(*names: str) -> str:
    """One of these elements, with nothing but text inside."""
    inside = rf"(?:{_ATTRIBUTE})*{_S}>[^<>&{_CONTROL}]*</"
    return "(?:" + "|".join(rf"<{name}{inside}{name}{_S}>" for name in names) + ")"


_BESIDE = rf"(?:{_element('prop', 'note')}{_S})*"  # what tools say of a unit or a variant
_CODES = rf"(?:{_element(*sorted(NATIVE))}|<(?:{'|'.join(sorted(NATIVE))})(?:{_ATTRIBUTE})*{_S}/>)"
_VARIANT = (
    rf"<tuv(?:{_OTHER})*[ \t\r\n]{_S}(?:xml:)?lang=\"([A-Za-z0-9_-]{{1,40}})\"(?:{_OTHER})*{_S}>"
    rf"{_S}{_BESIDE}<seg>([^<]*(?:{_CODES}[^<]*)*)</seg>{_S}</tuv>{_S}"
)
PLAIN_UNIT = re.compile(rf"{_S}<tu(?:{_ATTRIBUTE})*{_S}>{_S}{_BESIDE}{_VARIANT}{_VARIANT}</tu>", re.ASCII)

NOT_XML = re.compile(rf"[{_CONTROL}\ud800-\udfff]")  # characters that XML cannot hold
_NATIVE_CODES = re.compile(_CODES, re.ASCII)
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos);")


def plain_text(written: str) -> str | None:
    """The text of a segment, or None if there is something in it that the parser should see."""
    if "<" in written:
        written = _NATIVE_CODES.sub("", written)
    if written.isprintable():  # no line break, and nothing that XML cannot hold
        text = written.strip(BLANK)
    elif NOT_XML.search(written):
        return None
    else:
        text = tidy(written)
    if ">" in text and "]]>" in text:
        return None
    if "&" in text:
        if text.count("&") != len(_ENTITY.findall(text)):
            return None
        for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&")):
            text = text.replace(entity, character)
    return text
