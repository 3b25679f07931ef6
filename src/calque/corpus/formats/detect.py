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
    first = text.partition("\n")[0]
    if _is_json(text.lstrip().partition("\n")[0]):
        return "jsonl"
    if _CSV.search(name):
        return "csv"
    return "tsv" if "\t" in first else TEXT


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


def _is_json(line: str) -> bool:
    """An object or a list of texts; a line too long to be seen whole counts if it begins as one."""
    if not re.match(r"\{\s*\"|\[\s*\"", line):
        return False
    try:
        return isinstance(json.loads(line), dict | list)
    except ValueError as problem:
        return isinstance(problem, json.JSONDecodeError) and problem.pos >= len(line) - 8
    except RecursionError:
        return False
