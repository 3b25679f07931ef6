"""What a file's first bytes say about its format."""

from __future__ import annotations

import codecs
import json
import re

from ..files import COMPRESSED

TEXT = "text"  # lines without tabs: one side of a parallel corpus

_MAGIC = {
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",  # a stream, which has no name in it
}
_BEFORE_ROOT = re.compile(r"\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[[^\]]*\]\s*)?>", re.DOTALL)
_ROOT = re.compile(r"<(?:\w+:)?(\w+)")
_PO = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*(?:msgid|msgctxt|domain)[ \t]*\"")
_OBJECT = re.compile(r'(?:\[\s*)?\{\s*"[^"\\\n]*"\s*:')
_LIST = re.compile(r'\[\s*"')
_CSV = re.compile(rf"\.csv(?:\.(?:{'|'.join(COMPRESSED)}))*$", re.IGNORECASE)


def detect(head: bytes, name: str = "") -> str:
    """The format of a file that begins so: a name of `formats`, or "text".

    >>> detect(b"A dog runs.\\tUn perro corre.\\n"), detect(b"# comment\\nmsgid \\"\\"\\n"), detect(b"A dog runs.\\n")
    ('tsv', 'po', 'text')
    """
    for magic, found in _MAGIC.items():
        if head.startswith(magic):
            return found
    text = _decoded(head)
    root = _xml_root(text)
    if root in ("tmx", "xliff"):
        return root
    if _PO.match(text):
        return "po"
    if _is_json(text.lstrip()):
        return "jsonl"
    if _CSV.search(name):
        return "csv"
    return "tsv" if "\t" in text.partition("\n")[0] else TEXT


def _decoded(head: bytes) -> str:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head.decode("utf-16", "ignore")
    return head.removeprefix(codecs.BOM_UTF8).decode("utf-8", "ignore")


def _xml_root(text: str) -> str | None:
    at = 0
    while before := _BEFORE_ROOT.match(text, at):
        at = before.end()
    root = _ROOT.match(text, at)
    return root[1] if root else None


def _is_json(text: str) -> bool:
    """An object, a list of texts, or a list of objects (of which the reader says that it is not JSON Lines)."""
    line = text.partition("\n")[0]
    if _OBJECT.match(text) and ("\t" not in line or _parses(line)):
        return True
    return bool(_LIST.match(text)) and (_parses(line) or line == text)


def _parses(line: str) -> bool:
    try:
        return bool(json.loads(line))
    except (ValueError, RecursionError):
        return False
