"""Generators for property tests, in one place."""

from __future__ import annotations

import sys

from hypothesis import strategies as st

WHITE_SPACE = [chr(point) for point in range(sys.maxunicode) if chr(point).isspace()]
# Characters that look like space or take none, and that normalisation treats each in its own way.
NEARLY_SPACE = ["\u00ad", "\u180e", "\u200b", "\u200c", "\u200d", "\u2060", "\u2581", "\u3164", "\ufeff", "\0", "\x7f"]
# Characters whose compatibility form begins with, ends with or is a space.
SPACE_INSIDE = ["\u00a8", "\u00b4", "\u037a", "\u0384", "\u2017", "\u203e", "\ufe49", "\ufdfa", "\uffe3"]
EMOJI = ["🙂", "👩‍👩‍👧‍👦", "🇪🇸", "👍🏽", "❤️", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"]
WORDS = [
    "dog",
    "Dog",
    "DOG",
    "perro,",
    "¿Cuándo",
    "Straße",
    "STRASSE",
    "ﬁsh",
    "Ａｂｃ",
    "İstanbul",
    "H\u0331",
    "ςΣ",
    "naïve",
]

any_character = st.characters(exclude_categories=[])  # lone surrogates and unassigned code points too
combining = st.characters(categories=["Mn", "Mc", "Me"])
marked = st.builds(lambda base, marks: base + "".join(marks), any_character, st.lists(combining, max_size=4))

spaces = st.text(st.sampled_from([" ", *WHITE_SPACE, *NEARLY_SPACE, *SPACE_INSIDE]), min_size=1, max_size=4)
long_runs = st.builds(
    lambda unit, times: unit * times, st.text(any_character, min_size=1, max_size=5), st.integers(1, 60)
)
words = st.one_of(
    st.sampled_from(WORDS + EMOJI),
    st.text(any_character, max_size=10),
    st.text("abAB é", max_size=8),
    marked,
    long_runs,
)

texts = st.lists(st.one_of(words, spaces, st.just(" ")), max_size=16).map("".join)


def id_lists(rows: int, longest: int = 12, most: int = 20) -> st.SearchStrategy[list[list[int]]]:
    """Sentences as lists of row numbers, some of them empty."""
    return st.lists(st.lists(st.integers(0, rows - 1), max_size=longest), max_size=most)
