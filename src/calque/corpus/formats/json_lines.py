"""JSON Lines: an object a line that names the two texts, `{"en": …, "es": …}`, or a list of two.

The object may lie inside another as "translation", as in Hugging Face's datasets. Other keys are passed over; of a key
that comes twice, the last counts; null is a blank text; half a surrogate pair becomes U+FFFD; blank lines are skipped.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import IO, Any, NamedTuple

from ...errors import CorpusError
from ...surrogates import without_surrogates
from ..fields import by_number, choose_fields, names_for, wrong_width
from ..lines import line_batches
from ..pair import Languages, Pair, Reading, Wanted

NESTED = "translation"
_RULE = 'one object a line, like {"en": "A dog runs.", "es": "Un perro corre."}'
_ARRAY = f"{_RULE}; from an array of objects: jq -c '.[]' OLD > NEW"
_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}


class _Shape(NamedTuple):
    """Where the texts lie in a line's value, as the first line tells."""

    kind: Any  # dict or list
    nested: bool
    first: Any  # a key, or a place from 0
    second: Any
    exactly: int  # how long a list must be; 0: long enough
    languages: Languages | None


def read(file: io.BufferedReader, name: str, wanted: Wanted) -> Reading:
    batches = line_batches(file, name)
    number = 0
    for lines in batches:
        for at, line in enumerate(lines):
            if line and not line.isspace():
                place = f"{name}, line {number + at + 1}"
                shape = _shape(_value(line, place), wanted, place)
                return Reading(shape.languages, _pairs(chain([lines], batches), number, shape, name))
        number += len(lines)
    return Reading(wanted.languages, iter(()))


def _value(line: str, place: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as problem:
        hint = _ARRAY if line.lstrip()[:1] in ("[", "{", "]", "}") else _RULE
        raise CorpusError(f"{place}: not JSON ({problem.msg} at position {problem.pos + 1})", hint=hint) from problem
    except RecursionError as problem:
        raise CorpusError(f"{place}: JSON that is nested too deeply", hint=_RULE) from problem
    except ValueError as problem:  # a number of thousands of digits
        raise CorpusError(f"{place}: not JSON that can be read ({problem})", hint=_RULE) from problem


def _shape(value: Any, wanted: Wanted, place: str) -> _Shape:
    if isinstance(value, list):
        if any(isinstance(element, dict) for element in value):
            raise CorpusError(f"{place}: a list of objects", hint=_ARRAY)
        if wanted.columns and any(isinstance(column, str) for column in wanted.columns):
            raise CorpusError(f"{place}: a list, which names no columns", hint="numbers work: --columns 1,2")
        chosen = by_number(value, wanted, place)
        return _Shape(list, False, chosen.first, chosen.second, 0 if wanted.columns else 2, chosen.languages)
    if not isinstance(value, dict):
        raise CorpusError(f"{place}: expected an object, got {_kind(value)}", hint=_RULE)
    nested = isinstance(value.get(NESTED), dict)
    record = value[NESTED] if nested else value
    # Without the user's word, what is no text here is passed over: identifiers, scores.
    keys = [key for key in record if wanted.columns or record[key] is None or isinstance(record[key], str)]
    chosen = choose_fields(keys, wanted, place)
    return _Shape(dict, nested, keys[chosen.first], keys[chosen.second], 0, chosen.languages)


def _pairs(batches: Iterable[list[str]], number: int, shape: _Shape, name: str) -> Iterator[list[Pair]]:
    for lines in batches:
        batch: list[Pair] = []
        try:
            for line in lines:
                number += 1
                pair = _quick_pair(line, shape) or _pair(line, shape, f"{name}, line {number}")
                if pair:
                    batch.append(pair)
        except CorpusError:
            yield batch
            raise
        yield batch


_decode = json.JSONDecoder().raw_decode


def _quick_pair(line: str, shape: _Shape) -> Pair | None:
    """The pair of an ordinary line; None: look again, slowly."""
    kind, nested, first, second, exactly, _ = shape
    try:
        record, end = _decode(line)
        if nested:
            record = record[NESTED]
        source, target = record[first], record[second]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    ordinary = end == len(line) and type(record) is kind and type(source) is type(target) is str and "\\u" not in line
    return Pair(source, target) if ordinary and (not exactly or len(record) == exactly) else None


def _pair(line: str, shape: _Shape, place: str) -> Pair | None:
    if not line or line.isspace():
        return None
    record = _record(_value(line, place), shape, place)
    source, target = _text(record, shape.first, place), _text(record, shape.second, place)
    return Pair(without_surrogates(source), without_surrogates(target))


def _record(value: Any, shape: _Shape, place: str) -> Any:
    """The object or list that holds both texts."""
    if shape.nested:
        if not isinstance(value, dict) or NESTED not in value:
            raise CorpusError(f'{place}: no object "{NESTED}", which the first line has', hint=_RULE)
        value = value[NESTED]
    if type(value) is not shape.kind:
        raise CorpusError(
            f"{place}: expected {_KINDS[shape.kind]} as on the first line, got {_kind(value)}", hint=_RULE
        )
    if shape.kind is list:
        last = max(shape.first, shape.second)
        if len(value) <= last or (shape.exactly and len(value) != shape.exactly):
            raise wrong_width(place, len(value), last, shape.exactly, _RULE)
        return value
    for key in (shape.first, shape.second):
        if key not in value:
            raise CorpusError(
                f"{place}: no key {key!r}", hint="the first line says which keys hold the texts; null stands for none"
            )
    return value


def _text(record: Any, at: Any, place: str) -> str:
    text = record[at]
    if text is None:
        return ""
    if isinstance(text, str):
        return text
    where = repr(at) if isinstance(at, str) else f"column {at + 1}"
    raise CorpusError(f"{place}: expected a text in {where}, got {_kind(text)}", hint="--columns chooses other keys")


def _kind(value: Any) -> str:
    return _KINDS.get(type(value), "null")


def write(file: IO[bytes], batches: Iterable[list[Pair]], languages: Languages | None = None) -> None:
    """An object a line, its keys the languages if they are known and differ."""
    first, second = map(json.dumps, names_for(languages))
    encode = json.JSONEncoder(ensure_ascii=False).encode
    for batch in filter(None, batches):
        lines = [f"{{{first}: {encode(source)}, {second}: {encode(target)}}}\n" for source, target in batch]
        file.write("".join(lines).encode("utf-8", "replace"))
