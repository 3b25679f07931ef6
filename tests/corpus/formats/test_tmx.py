"""Translation memories: what the tools write, what is a pair, and what comes back from the writer."""

from __future__ import annotations

import tracemalloc
from itertools import count
from pathlib import Path

import pytest
from markup import opened, pairs_of, written
from translate.storage.tmx import tmxfile

from calque.corpus import Bitext, find_bitexts
from calque.corpus.formats import detect
from calque.corpus.pair import Pair
from calque.demo import sentences
from calque.errors import CorpusError, UsageError

OMEGAT = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx11.dtd">
<tmx version="1.1">
  <header creationtool="OmegaT" o-tmf="OmegaT TMX" adminlang="EN-US" datatype="plaintext"
    creationtoolversion="5.7.1" segtype="sentence" srclang="EN-US"/>
  <body>
<!-- Default translations -->
    <tu>
      <tuv lang="EN-US">
        <seg>Don't panic &amp; carry a towel.</seg>
      </tuv>
      <tuv lang="ES-ES" changeid="marta" changedate="20240102T101500Z">
        <seg>No se asuste y lleve una toalla.</seg>
      </tuv>
    </tu>
<!-- Alternative translations -->
    <tu>
      <prop type="file">guide.odt</prop>
      <note>the second edition</note>
      <tuv lang="EN-US"><seg>Mostly harmless.</seg></tuv>
      <tuv lang="ES-ES"><seg>Fundamentalmente inofensiva.</seg></tuv>
    </tu>
  </body>
</tmx>
"""

TRADOS = """<?xml version="1.0" encoding="utf-8"?>
<tmx version="1.4">
  <header creationtool="SDL Language Platform" creationtoolversion="8.1" o-tmf="SDL TM8 Format" datatype="xml"
    segtype="sentence" adminlang="en-US" srclang="en-US" creationdate="20240101T000000Z" creationid="me">
    <prop type="x-Recognizers">RecognizeAll</prop>
  </header>
  <body>
    <tu creationdate="20240101T000000Z" creationid="me" usagecount="3">
      <prop type="x-Origin">TM</prop>
      <tuv xml:lang="en-US"><seg>Press <bpt i="1" type="bold">&lt;b&gt;</bpt>Start<ept i="1">&lt;/b&gt;</ept>, then
        wait<ph x="2" type="image">{img <sub>alternative text</sub>}</ph>.</seg></tuv>
      <tuv xml:lang="es-ES"><seg>Pulse <bpt i="1" type="bold">&lt;b&gt;</bpt><hi type="x">Inicio</hi><ept
        i="1">&lt;/b&gt;</ept> y espere.<ut>{\\par}</ut><it pos="end">&lt;/i&gt;</it></seg></tuv>
    </tu>
  </body>
</tmx>
"""


def memory(*units: str, source: str = "en") -> str:
    return f'<tmx version="1.4"><header srclang="{source}"/><body>\n' + "\n".join(units) + "\n</body></tmx>\n"


def unit(*variants: tuple[str, str]) -> str:
    return "<tu>" + "".join(f'<tuv xml:lang="{tag}"><seg>{text}</seg></tuv>' for tag, text in variants) + "</tu>"


DOG = unit(("en", "A dog."), ("es", "Un perro."))


def test_a_memory_of_omegat() -> None:
    reading = opened("tmx", OMEGAT)
    assert reading.languages == ("en-US", "es-ES")
    assert list(reading.batches) == [
        [
            Pair("Don't panic & carry a towel.", "No se asuste y lleve una toalla."),
            Pair("Mostly harmless.", "Fundamentalmente inofensiva."),
        ]
    ]


def test_a_memory_of_trados_loses_its_codes_and_keeps_its_text() -> None:
    assert pairs_of("tmx", TRADOS) == [Pair("Press Start, then wait.", "Pulse Inicio y espere.")]


@pytest.mark.parametrize("sample", [OMEGAT, TRADOS, memory(DOG)])
def test_it_is_found_by_content(sample: str) -> None:
    assert detect(sample.encode()) == detect(sample.encode("utf-16")) == "tmx"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "iso-8859-1", "windows-1252"])
def test_encodings_are_those_of_the_mark_or_the_declaration(encoding: str) -> None:
    declared = encoding.removesuffix("-sig").removesuffix("-le")
    text = f'<?xml version="1.0" encoding="{declared}"?>\n' + memory(unit(("en", "naïve"), ("es", "¿Señor?")))
    assert pairs_of("tmx", text.encode(encoding)) == [Pair("naïve", "¿Señor?")]


def test_a_declaration_of_utf_16_in_a_file_of_bytes_is_not_believed() -> None:
    text = '<?xml version="1.0" encoding="utf-16"?>\n' + memory(unit(("en", "naïve"), ("es", "señor")))
    assert pairs_of("tmx", text.encode()) == [Pair("naïve", "señor")]


def test_bytes_of_another_encoding_are_an_error_with_their_line() -> None:
    with pytest.raises(CorpusError, match=r"a\.file, line 2: not UTF-8 \(byte 0xef\)"):
        pairs_of("tmx", memory(unit(("en", "naïve"), ("es", "x"))).encode("latin-1"))
    with pytest.raises(CorpusError, match=r"line 1: no encoding 'rot13' is known"):
        pairs_of("tmx", '<?xml version="1.0" encoding="rot13"?>' + memory(DOG))


def test_line_breaks_with_their_indentation_are_one_space_and_other_space_stays() -> None:
    text = memory(unit(("en", "\n   A  dog\tand\n      a cat \n"), ("es", "Un\u00a0perro\u2028 y\r\n\r\n un gato")))
    assert pairs_of("tmx", text) == [Pair("A  dog\tand a cat", "Un\u00a0perro\u2028 y un gato")]


def test_entities_of_xml_numbers_and_cdata_are_text() -> None:
    text = memory(unit(("en", "&lt;&#98;&#x3E;&quot;&apos;&amp;amp;"), ("es", "<![CDATA[<b>&amp;]]>")))
    assert pairs_of("tmx", text) == [Pair("<b>\"'&amp;", "<b>&amp;")]


@pytest.mark.parametrize("plain", [True, False])
def test_the_source_language_of_the_header_comes_first(plain: bool) -> None:
    between = "" if plain else "<!-- -->"
    units = [unit(("es", f"Uno{between}"), ("en", "One")), unit(("en", "Two"), ("es", f"Dos{between}"))]
    reading = opened("tmx", memory(*units, source="en"))
    assert reading.languages == ("en", "es")
    assert list(reading.batches) == [[Pair("One", "Uno"), Pair("Two", "Dos")]]


@pytest.mark.parametrize("source", ["*all*", "fr", ""])
def test_without_a_usable_source_language_the_first_variant_is_the_source(source: str) -> None:
    assert opened("tmx", memory(unit(("es", "Uno"), ("en", "One")), source=source)).languages == ("es", "en")


def test_wanted_languages_choose_among_more_and_the_way_round() -> None:
    text = memory(
        unit(("en-US", "One"), ("de", "Eins"), ("es-MX", "Uno")),
        unit(("en-GB", "Two"), ("de", "Zwei")),
        unit(("fr", "Trois"), ("es", "Tres"), ("eng", "Three")),
    )
    assert pairs_of("tmx", text, ("en", "es")) == [Pair("One", "Uno"), Pair("Three", "Tres")]
    assert pairs_of("tmx", text, ("es", "en")) == [Pair("Uno", "One"), Pair("Tres", "Three")]
    assert pairs_of("tmx", text, ("en-GB", "de")) == [Pair("Two", "Zwei")]
    assert opened("tmx", text, ("en", "es")).languages == ("en", "es")


def test_the_variant_that_fits_best_is_taken() -> None:
    text = memory(unit(("en", "One"), ("es-MX", "Uno, pues"), ("es", "Uno")))
    assert pairs_of("tmx", text, ("en", "es")) == [Pair("One", "Uno")]
    assert pairs_of("tmx", text, ("en", "es-MX")) == [Pair("One", "Uno, pues")]


def test_each_translation_of_a_unit_goes_with_its_first_source() -> None:
    text = memory(unit(("en", "Hello"), ("en", "Hi"), ("es", "Hola"), ("es", "Buenas")))
    expected = [Pair("Hello", "Hola"), Pair("Hello", "Buenas")]
    assert pairs_of("tmx", text) == pairs_of("tmx", text, ("en", "es")) == expected


def test_two_variants_of_one_language_are_a_pair_if_wanted() -> None:
    text = memory(
        unit(("en", "Hello"), ("en", "Hi"), ("es", "Hola")), unit(("pt-BR", "ônibus"), ("pt-PT", "autocarro"))
    )
    assert pairs_of("tmx", text, ("en", "en")) == [Pair("Hello", "Hi")]
    assert pairs_of("tmx", text, ("pt", "pt-BR")) == [Pair("autocarro", "ônibus")]


@pytest.mark.parametrize("before", [0, 1, 1500])
def test_a_third_language_is_an_error_with_its_line_wherever_it_comes(before: int) -> None:
    text = memory(*[DOG] * before, unit(("en", "One"), ("es", "Uno"), ("de", "Eins")))
    with pytest.raises(CorpusError) as problem:
        pairs_of("tmx", text)
    assert problem.value.message == f"a.file, line {before + 2}: more than two languages: en, es, de"
    assert problem.value.hint == "say which two: --languages en es"


def test_a_third_language_in_a_plain_unit_is_an_error_with_its_line() -> None:
    with pytest.raises(CorpusError, match="line 4: more than two languages: en, es, en-GB"):
        pairs_of("tmx", memory(DOG, DOG, unit(("en-GB", "One"), ("es", "Uno")), DOG))


def test_a_third_language_is_an_error_though_the_first_units_told_two(tmp_path: Path) -> None:
    path = tmp_path / "memory.tmx"
    path.write_text(memory(*[DOG] * 5000, unit(("en", "One"), ("de", "Eins"))))
    (bitext,) = find_bitexts([str(path)])
    assert bitext.languages == ("en", "es")
    with pytest.raises(CorpusError, match="line 5002: more than two languages: en, es, de"):
        list(bitext.pairs())
    (bitext,) = find_bitexts([str(path)], languages=("en", "de"))
    assert list(bitext.pairs()) == [Pair("One", "Eins")]


def test_languages_that_are_not_there_are_an_error_that_lists_those_that_are() -> None:
    with pytest.raises(CorpusError, match="no unit in en and fr; it holds en, es"):
        pairs_of("tmx", memory(DOG), ("en", "fr"))
    with pytest.raises(CorpusError, match="no unit in two languages; it holds en"):
        pairs_of("tmx", memory(unit(("en", "One"))))


@pytest.mark.parametrize("odd", ["zh-min-1an", "de-CHi_901", "art-loj-3in", "x-klingon", "???", "en-US-en-US-en-US"])
def test_odd_language_codes_are_languages_like_any_other(odd: str) -> None:
    text = memory(unit(("en", "One"), (odd, "x")), unit(("en", "Two"), (odd, "y")))
    assert pairs_of("tmx", text) == [Pair("One", "x"), Pair("Two", "y")]
    with pytest.raises(CorpusError, match="no unit in en and es"):
        pairs_of("tmx", text, ("en", "es"))


def test_a_memory_without_units_has_no_pairs() -> None:
    assert pairs_of("tmx", memory()) == pairs_of("tmx", memory(), ("en", "es")) == []


def test_units_that_lack_a_language_are_left_out_and_blank_sides_are_not() -> None:
    text = memory(unit(("en", "One")), unit(("en", "Two"), ("es", " ")), "<tu><tuv xml:lang='en'/></tu>", "<tu/>")
    assert pairs_of("tmx", text) == [Pair("Two", "")]


def test_units_inside_a_comment_are_not_there() -> None:
    assert (
        pairs_of("tmx", memory(DOG, f"<!-- {DOG} {DOG} -->", DOG, f"<?old {DOG}?>"))
        == [Pair("A dog.", "Un perro.")] * 2
    )


def test_a_unit_is_read_the_same_with_and_without_the_parser() -> None:
    shapes = [
        '\n<tu tuid="1">\n  <tuv xml:lang="en">\n<seg>{}</seg>\n</tuv>\n'
        '<tuv xml:lang="es"  changeid=\'a "b"\' ><seg>{}</seg></tuv></tu>',
        '<tu><tuv lang="en"><seg>{}</seg></tuv><tuv lang="es"><seg>{}</seg></tuv></tu>',
    ]
    texts = [
        "One",
        " a &amp; b ",
        "&amp;lt;",
        "a > b",
        "é\u00a0",
        "x\n  y",
        "x\r\ny",
        "",
        "&#65;",
        "a&apos;s &quot;b&quot;",
    ]
    for shape in shapes:
        for text in texts:
            plain = shape.format(text, text)
            parsed = plain.replace("<seg>", "<seg ><!-- not plain -->")
            assert pairs_of("tmx", memory(DOG, plain)) == pairs_of("tmx", memory(DOG, parsed)), plain


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (memory(DOG, DOG, "<tu><tuv xml:lang='en'></tu>"), "line 4: not well-formed XML .mismatched tag, at column 26"),
        (memory(DOG, DOG.replace("dog", "d\x01g")), "line 3: not well-formed XML"),
        (memory(DOG, DOG.replace("dog", "]]>")), "line 3: not well-formed XML"),
        (memory(DOG, DOG.replace("dog", "a & b")), "line 3: not well-formed XML"),
        (memory(DOG, DOG)[:-30], "line 3: the file ends before its elements do"),
        (memory(DOG, "<tu><tuv><seg>One</seg></tuv></tu>"), "line 3: a <tuv> that does not say its language"),
        ("<html><body/></html>", "line 1: the root element is <html>, not <tmx>"),
        ("", "line 1: the file ends before its elements do"),
    ],
)
def test_a_broken_file_is_an_error_with_its_line(broken: str, message: str) -> None:
    with pytest.raises(CorpusError, match=rf"a\.file, {message}"):
        pairs_of("tmx", broken)


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "large.tmx"
    odd = unit(("en", "A <ph>x</ph>dog."), ("es", "Un perro."))
    with path.open("w") as file:
        file.write('<tmx version="1.4"><header srclang="en"/><body>\n')
        for _ in range(20):
            file.write(f"{DOG}\n" * 2000 + f"{odd}\n" * 500)
        file.write("</body></tmx>")
    tracemalloc.start()
    with Bitext((str(path),)).open() as reading:
        found = sum(map(len, reading.batches))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == 50_000
    assert peak < path.stat().st_size < 8 << 20


def test_what_is_written_is_read_back_by_calque_and_by_the_translate_toolkit(tmp_path: Path) -> None:
    text = sentences()
    pairs = [Pair(*pair) for pair in zip(text["en"], text["de"], strict=True)]
    path = tmp_path / "demo.tmx"
    path.write_bytes(written("tmx", pairs, ("en", "de")))
    with Bitext((str(path),)).open() as reading:
        assert reading.languages == ("en", "de")
        assert [pair for batch in reading.batches for pair in batch] == pairs
    units = tmxfile.parsefile(str(path)).units
    assert [(unit.source, unit.target) for unit in units] == pairs


def test_what_the_translate_toolkit_writes_is_read(tmp_path: Path) -> None:
    text = sentences()
    store = tmxfile()
    for source, target in zip(text["en"], text["fr"], strict=True):
        store.addtranslation(source, "en", target, "fr", comment="demo")
    path = tmp_path / "toolkit.tmx"
    store.savefile(str(path))
    assert list(Bitext((str(path),)).pairs()) == list(zip(text["en"], text["fr"], strict=True))


def test_the_writer_escapes_and_replaces_what_xml_cannot_hold() -> None:
    pairs = [Pair('a < b & c > d ]]> "e"', "\x00tab\tbell\x07 \ud800 \ufffe \x85 \U0010ffff")]
    assert pairs_of("tmx", written("tmx", pairs)) == [
        Pair('a < b & c > d ]]> "e"', "\ufffdtab\tbell\ufffd \ufffd \ufffd \x85 \U0010ffff")
    ]


def test_the_header_is_complete() -> None:
    head = written("tmx", []).decode()
    for part in (
        '<tmx version="1.4">',
        'creationtool="calque"',
        "creationtoolversion=",
        'segtype="sentence"',
        "o-tmf=",
    ):
        assert part in head
    for part in ('adminlang="en"', 'srclang="en"', 'datatype="plaintext"'):
        assert part in head


def test_writing_needs_the_languages() -> None:
    with pytest.raises(UsageError) as problem:
        written("tmx", [], None)
    assert "--languages en es" in str(problem.value.hint)


def test_the_writer_streams() -> None:
    made = count()

    class Counting:
        def write(self, data: bytes) -> int:
            return next(made) and len(data)

    from calque.corpus.formats import format_named

    format_named("tmx").write(Counting(), ([Pair("a", "b")] for _ in range(5)), ("en", "es"))  # type: ignore[arg-type]
    assert next(made) == 7  # head, five batches, end
