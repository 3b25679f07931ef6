"""Catalogues of gettext: entries, plurals, escapes, encodings; and all of Django's against the translate-toolkit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import django
import pytest
from markup import opened, pairs_of
from translate.storage.pypo import pofile

from calque.corpus import Bitext
from calque.corpus.formats import detect
from calque.corpus.pair import Pair
from calque.demo import sentences
from calque.errors import CorpusError

WEBLATE = r"""# Spanish translations for a program.
# Copyright (C) 2024
#, fuzzy
msgid ""
msgstr ""
"Project-Id-Version: program 1.0\n"
"PO-Revision-Date: 2024-02-03 10:00+0000\n"
"Last-Translator: Ana <ana@example.com>\n"
"Language: es_MX\n"
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Content-Transfer-Encoding: 8bit\n"
"Plural-Forms: nplurals=2; plural=n != 1;\n"
"X-Generator: Weblate 5.4\n"

#: main.c:10 main.c:20
#, c-format
msgid "Open %s"
msgstr "Abrir %s"

#. a note to the translator
#: main.c:30
#, fuzzy, c-format
#| msgid "Save %d"
msgid "Save %s"
msgstr "Guardar %d"

msgctxt "menu"
msgid ""
"A long message\n"
"on two \"lines\"."
msgstr ""
"Un mensaje largo\n"
"en dos «líneas»."

msgid "%d file"
msgid_plural "%d files"
msgstr[0] "%d archivo"
msgstr[1] "%d archivos"

msgid "Not yet"
msgstr ""

#, fuzzy
#~ msgid "Old"
#~ msgstr "Viejo"

msgid "Last"
msgstr "Último"
"""

HEADER = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset={}\\n"\n"Language: {}\\n"\n{}\n'


def catalogue(*entries: str, charset: str = "UTF-8", language: str = "es", more: str = "") -> str:
    return "\n".join([HEADER.format(charset, language, more), *entries]) + "\n"


ONE = 'msgid "One"\nmsgstr "Uno"'


def test_a_catalogue_of_weblate() -> None:
    reading = opened("po", WEBLATE)
    assert reading.languages == ("en", "es-MX")
    assert list(reading.batches) == [
        [
            Pair("Open %s", "Abrir %s"),
            Pair('A long message\non two "lines".', "Un mensaje largo\nen dos «líneas»."),
            Pair("%d file", "%d archivo"),
            Pair("%d files", "%d archivos"),
            Pair("Last", "Último"),
        ]
    ]


def test_line_ends_and_a_mark_make_no_difference() -> None:
    assert detect(WEBLATE.encode()) == "po"
    for data in (WEBLATE.replace("\n", "\r\n").encode(), WEBLATE.encode("utf-8-sig"), WEBLATE.rstrip("\n").encode()):
        assert pairs_of("po", data) == pairs_of("po", WEBLATE)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (r"tab\tquote\"backslash\\n", 'tab\tquote"backslash\\n'),
        (r"\a\b\f\v\r\n", "\a\b\f\v\r\n"),
        (r"caf\303\251 \x41", "café A"),
        (r"\0end\61", "\0end1"),
        (r"\\\\\"", '\\\\"'),
        ('a" "b"  "c', "abc"),
        ('a\\""  "b', 'a"b'),
        ("tab\there", "tab\there"),
        ("# no comment", "# no comment"),
    ],
)
def test_escapes_are_those_of_gettext(written: str, text: str) -> None:
    assert pairs_of("po", catalogue(f'msgid "x"\nmsgstr "{written}"')) == [Pair("x", text)]


@pytest.mark.parametrize(
    ("charset", "language", "text"),
    [
        ("ISO-8859-1", "es", "¿Señor?"),
        ("KOI8-R", "ru", "Привет"),
        ("EUC-JP", "ja", "表示する"),
        ("Shift_JIS", "ja", "表示ソフト"),  # some of its characters end in a byte that is a backslash elsewhere
        ("GB2312", "zh_CN", "你好"),
        ("Big5", "zh_TW", "功能"),
        ("windows-1256", "ar", "مرحبا"),
        ("UTF-8", "el", "Γειά"),
        ("CHARSET", "el", "Γειά"),
    ],
)
def test_the_header_names_the_encoding(charset: str, language: str, text: str) -> None:
    made = catalogue(f'# {text}\nmsgid "x"\nmsgstr "{text}"', charset=charset, language=language)
    assert pairs_of("po", made.encode("utf-8" if charset == "CHARSET" else charset)) == [Pair("x", text)]


def test_an_encoding_that_is_not_known_or_not_kept_is_an_error() -> None:
    for charset in ("klingon", "rot13", "utf-16", "unicode_escape"):
        with pytest.raises(CorpusError, match=f"the header's charset '{charset}' is not known"):
            pairs_of("po", catalogue(ONE, charset=charset))
    with pytest.raises(CorpusError, match=r"a\.file, line 8: not UTF-8 \(byte 0xfa\)"):
        pairs_of("po", catalogue('msgid "x"\nmsgstr "ú"').encode("latin-1"))


def test_plural_forms_go_with_the_plural_and_each_only_once() -> None:
    entry = 'msgid "a day"\nmsgid_plural "days"\nmsgstr[0] "день"\nmsgstr[1] "дня"\nmsgstr[2] "дней"\nmsgstr[3] "дня"'
    forms = '"Plural-Forms: nplurals=4; plural=0;\\n"'
    expected = [Pair("a day", "день"), Pair("days", "дня"), Pair("days", "дней")]
    assert pairs_of("po", catalogue(entry, more=forms)) == pairs_of("po", catalogue(entry)) == expected


def test_a_language_without_plural_has_the_plural_message() -> None:
    entry = 'msgid "a day"\nmsgid_plural "%d days"\nmsgstr[0] "%d日"'
    one = '"Plural-Forms: nplurals=1; plural=0;\\n"'
    assert pairs_of("po", catalogue(entry, more=one)) == pairs_of("po", catalogue(entry)) == [Pair("%d days", "%d日")]


def test_forms_that_are_not_translated_are_left_out() -> None:
    entry = 'msgid "a day"\nmsgid_plural "days"\nmsgstr[0] "{}"\nmsgstr[1] "{}"'
    assert pairs_of("po", catalogue(ONE, entry.format("", "días"))) == [Pair("One", "Uno"), Pair("days", "días")]
    assert pairs_of("po", catalogue(ONE, entry.format("día", ""))) == [Pair("One", "Uno"), Pair("a day", "día")]


def test_fuzzy_is_said_of_one_entry_only() -> None:
    entries = ['#, c-format, fuzzy\nmsgid "A"\nmsgstr "B"', ONE, '#,fuzzy\n#: x.c\nmsgid "C"\nmsgstr "D"', ONE]
    assert pairs_of("po", catalogue(*entries)) == [Pair("One", "Uno")] * 2
    assert pairs_of("po", catalogue('#, no-fuzzy-format\nmsgid "A"\nmsgstr "B"')) == [Pair("A", "B")]


def test_domains_and_entries_without_blank_lines_between_are_understood() -> None:
    assert pairs_of("po", catalogue(f'domain "other"\n{ONE}\n{ONE}\nmsgctxt "x"\n{ONE}')) == [Pair("One", "Uno")] * 3


def test_languages_are_those_of_the_header() -> None:
    assert opened("po", catalogue(ONE, language="sr@latin")).languages == ("en", "sr-Latn")
    assert opened("po", catalogue(ONE, more='"X-Source-Language: de\\n"')).languages == ("de", "es")
    assert opened("po", catalogue(ONE, language="")).languages is None
    assert opened("po", ONE).languages is None


def test_wanted_languages_turn_a_catalogue_or_refuse_it() -> None:
    assert pairs_of("po", catalogue(ONE), ("fr", "es")) == pairs_of("po", ONE, ("en", "de")) == [Pair("One", "Uno")]
    assert pairs_of("po", catalogue(ONE), ("es", "en")) == [Pair("Uno", "One")]
    with pytest.raises(CorpusError, match=r"a\.file: nothing in en and de; it holds .*es"):
        pairs_of("po", catalogue(ONE), ("en", "de"))


@pytest.mark.parametrize("entries", ['msgid "A"\nmsgstr ""', '#, fuzzy\nmsgid "A"\nmsgstr "B"', ""])
def test_nothing_translated_is_an_error_that_says_so(entries: str) -> None:
    for wanted in (None, ("en", "es")):
        with pytest.raises(CorpusError, match=r"a\.file: no translated entries; a template\?"):
            pairs_of("po", catalogue(entries), wanted)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('msgid "A\nmsgstr "B"', 'line 6: a text without end: msgid "A'),
        ('msgid "A"\nmsgstr "B" C', "line 7: a text without end"),
        ('msgid "A"\nmsgstr B', "line 7: neither a keyword nor a text: msgstr B"),
        ('msgid "A"\nmsgstr "\\q"', r"line 7: no such escape: \\q"),
        ('msgid "A"\nmsgstr "\\377"', r"line 7: \\377 is not UTF-8"),
        ('# new\n"A"', "line 7: a text that belongs to no keyword"),
        ('msgstr "A"', "line 6: a second msgstr in one entry"),
        ('# new\nmsgstr "A"', "line 7: msgstr without msgid"),
        ('msgid "A"\nmsgid "B"', "line 7: a second msgid in one entry"),
        ('msgid "A"\nmsgstr[0] "B"', r"line 7: expected msgid_plural before msgstr"),
        ('msgid "A"\nmsgid_plural "B"\nmsgstr "C"', r"line 8: expected msgstr\[0\], because of msgid_plural"),
        ('msgid "A"\nmsgid_plural "B"\nmsgstr[999999999] "C"', "line 8: a plural form with the number 999999999"),
        ('msgid[0] "A"', "line 6: msgid with a number"),
        ('msgctxt "x"\nmsgid_plural "A"', "line 7: msgid_plural without msgid"),
        ('msgid "A"', "line 6: the file ends before the last entry has its msgstr"),
        ("<<<<<<< HEAD", "line 6: neither a keyword nor a text: <<<<<<< HEAD"),
    ],
)
def test_a_mistake_is_an_error_with_its_line(lines: str, message: str) -> None:
    text = HEADER.format("UTF-8", "es", "").rstrip("\n") + "\n\n" + lines
    with pytest.raises(CorpusError, match=rf"a\.file, {message}"):
        pairs_of("po", text)


def test_an_entry_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calque.corpus.formats.po_entry._LARGEST", 1000)
    with pytest.raises(CorpusError, match="line 99: an entry of more than 0 MB"):
        pairs_of("po", catalogue('msgid "A"\nmsgstr ""', *['"123456789"'] * 1000))


DJANGO = Path(django.__file__).parent
CATALOGUES = sorted(DJANGO.glob("conf/locale/*/LC_MESSAGES/*.po")) + sorted(
    DJANGO.glob("contrib/admin/locale/*/LC_MESSAGES/*.po")
)


def by_the_toolkit(path: Path) -> Iterator[tuple[str, str]]:
    """The same choice of entries, made with the translate-toolkit's own Python parser."""
    for unit in pofile.parsefile(str(path)).units:
        if unit.isheader() or unit.isobsolete() or unit.isfuzzy() or not unit.istranslated():
            continue
        if not unit.hasplural():
            yield str(unit.source), str(unit.target)
            continue
        singular, plural = map(str, unit.source.strings)
        forms = list(map(str, unit.target.strings))
        if len(forms) == 1:
            yield plural, forms[0]
            continue
        if forms[0]:
            yield singular, forms[0]
        yield from ((plural, form) for form in dict.fromkeys(filter(None, forms[1:])))


def test_djangos_catalogues_are_read_as_the_translate_toolkit_reads_them() -> None:
    assert len(CATALOGUES) > 200
    read = 0
    for path in CATALOGUES:
        expected = list(by_the_toolkit(path))
        if not expected:
            with pytest.raises(CorpusError, match="no translated entries"):
                list(Bitext((str(path),)).batches())
            continue
        found = [pair for batch in Bitext((str(path),)).batches() for pair in batch]
        assert found == expected, path
        read += len(found)
    assert read > 30_000


def test_djangos_catalogues_tell_their_language() -> None:
    told, untold = {}, []
    for path in CATALOGUES:
        if path.parent.parent.name != "en" and path.name == "django.po" and "conf" in path.parts:
            try:
                with Bitext((str(path),)).open() as reading:
                    told[path.parent.parent.name] = reading.languages
            except CorpusError as problem:
                untold.append(problem.message)
    assert all("no translated entries" in message for message in untold)
    assert told["pt_BR"] == ("en", "pt-BR")
    assert told["sr_Latn"] == ("en", "sr-Latn")
    assert len(told) > 80
    assert None not in told.values()


def test_what_the_translate_toolkit_writes_is_read(tmp_path: Path) -> None:
    text = sentences()
    pairs = list(zip(text["en"], text["fr"], strict=True))
    store = pofile()
    store.updateheader(add=True, Language="fr", Content_Type="text/plain; charset=UTF-8")
    for source, target in pairs:
        store.addsourceunit(source).target = target
    path = tmp_path / "toolkit.po"
    store.savefile(str(path))
    with Bitext((str(path),)).open() as reading:
        assert reading.languages == ("en", "fr")
        assert [pair for batch in reading.batches for pair in batch] == pairs
