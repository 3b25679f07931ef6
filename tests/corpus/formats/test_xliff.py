"""XLIFF of both kinds: what the tools write, and which units are finished translations."""

from __future__ import annotations

from pathlib import Path

import pytest
from markup import opened, pairs_of
from translate.storage.xliff import xlifffile
from translate.storage.xliff2 import Xliff2File

from calque.corpus import Bitext
from calque.corpus.formats import detect
from calque.corpus.pair import Pair
from calque.demo import sentences
from calque.errors import CorpusError

TRADOS = """<?xml version="1.0" encoding="utf-8"?>
<xliff xmlns:sdl="http://sdl.com/FileTypes/SdlXliff/1.0" xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"
  sdl:version="1.0">
  <file original="guide.docx" datatype="x-sdlfilterframework2" source-language="en-US" target-language="es-ES">
    <header>
      <reference><internal-file form="base64">UEsDBBQA</internal-file></reference>
      <tag-defs xmlns="http://sdl.com/FileTypes/SdlXliff/1.0"><tag id="1"><bpt name="cf">bold</bpt></tag></tag-defs>
    </header>
    <body>
      <trans-unit id="a1" translate="no"><source>Heading 1</source><target>Heading 1</target></trans-unit>
      <trans-unit id="a2">
        <source><g id="1">Press Start.</g> Then wait. <x id="2"/>Never seen.</source>
        <seg-source><g id="1"><mrk mtype="seg" mid="1">Press Start.</mrk></g> <mrk mtype="seg" mid="2">Then
          wait.</mrk> <mrk mtype="seg" mid="3"><x id="2"/>Never seen.</mrk></seg-source>
        <target><g id="1"><mrk mtype="seg" mid="1">Pulse Inicio.</mrk></g> <mrk mtype="seg" mid="2">Luego
          <mrk mtype="x-term">espere</mrk>.</mrk> <mrk mtype="seg" mid="3"/></target>
        <sdl:seg-defs><sdl:seg id="1" conf="Translated"><sdl:value key="x">text</sdl:value></sdl:seg></sdl:seg-defs>
      </trans-unit>
    </body>
  </file>
</xliff>
"""

MEMOQ = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2" xmlns:mq="MQXliff">
<file original="menu.txt" source-language="en" target-language="de" datatype="x-memoq" mq:guid="1">
<header></header>
<body>
<trans-unit id="1" mq:status="ManuallyConfirmed" mq:lastchanginguser="me">
  <source xml:space="preserve">Open <bpt id="1" ctype="bold">{}</bpt>file<ept id="1">{}</ept>…</source>
  <target xml:space="preserve">Datei <bpt id="1" ctype="bold">{}</bpt>öffnen<ept id="1">{}</ept>…</target>
  <mq:minorversions><mq:historical-unit><source>Old</source><target>Alt</target></mq:historical-unit></mq:minorversions>
  <alt-trans match-quality="70%"><source>Open folder…</source><target>Ordner öffnen…</target></alt-trans>
</trans-unit>
<trans-unit id="2" mq:status="NotStarted"><source xml:space="preserve">Close</source><target/></trans-unit>
</body>
</file>
</xliff>
"""

OKAPI = """<?xml version="1.0" encoding="UTF-8"?>
<x:xliff xmlns:x="urn:oasis:names:tc:xliff:document:2.0" xmlns:mtc="urn:oasis:names:tc:xliff:matches:2.0"
  version="2.0" srcLang="en-US" trgLang="fr">
 <x:file id="f1" original="page.html">
  <x:notes><x:note>for the page</x:note></x:notes>
  <x:unit id="u1">
   <mtc:matches>
    <mtc:match ref="#s1" similarity="71.5"><x:source>Hello you</x:source><x:target>Salut toi</x:target></mtc:match>
   </mtc:matches>
   <x:originalData><x:data id="d1">&lt;b></x:data></x:originalData>
   <x:segment id="s1" state="final">
    <x:source>Hello <x:pc id="1" dataRefStart="d1">big</x:pc> <x:mrk id="m1" type="term">world</x:mrk>.</x:source>
    <x:target>Bonjour<x:ph id="2"/> le <x:sc id="3"/>grand<x:ec startRef="3"/> monde<x:cp hex="0021"/></x:target>
   </x:segment>
   <x:ignorable><x:source> </x:source><x:target> </x:target></x:ignorable>
   <x:segment id="s2"><x:source>Bye.</x:source><x:target>Au revoir.</x:target></x:segment>
   <x:segment id="s3" state="initial"><x:source>Bye.</x:source><x:target>Bye.</x:target></x:segment>
   <x:segment id="s4"><x:source>Left.</x:source></x:segment>
  </x:unit>
  <x:group id="g" translate="no">
   <x:unit id="u2"><x:segment><x:source>No</x:source><x:target>No</x:target></x:segment></x:unit>
   <x:unit id="u3" translate="yes"><x:segment><x:source>Yes</x:source><x:target>Oui</x:target></x:segment></x:unit>
  </x:group>
 </x:file>
</x:xliff>
"""


def document(
    *files: tuple[str, str], units: str = "<trans-unit><source>A</source><target>B</target></trans-unit>"
) -> str:
    parts = (
        f"<file source-language='{source}'{f' target-language={target!r}' if target else ''}>\n"
        f"<body>{units}</body></file>"
        for source, target in files or [("en", "es")]
    )
    return "<xliff version='1.2'>" + "\n".join(parts) + "</xliff>"


def of_units(units: str) -> list[Pair]:
    return pairs_of("xliff", document(units=units))


def test_segments_of_trados_are_paired_by_their_marks() -> None:
    reading = opened("xliff", TRADOS)
    assert reading.languages == ("en-US", "es-ES")
    assert list(reading.batches) == [[Pair("Press Start.", "Pulse Inicio."), Pair("Then wait.", "Luego espere.")]]


def test_units_of_memoq_lose_codes_and_suggestions() -> None:
    assert pairs_of("xliff", MEMOQ) == [Pair("Open file…", "Datei öffnen…")]


def test_version_2_is_read_by_the_segment_whatever_the_prefix() -> None:
    reading = opened("xliff", OKAPI)
    assert reading.languages == ("en-US", "fr")
    assert list(reading.batches) == [
        [Pair("Hello big world.", "Bonjour le grand monde!"), Pair("Bye.", "Au revoir."), Pair("Yes", "Oui")]
    ]
    assert pairs_of("xliff", OKAPI.replace("x:", "").replace("xmlns:x=", "xmlns=")) == pairs_of("xliff", OKAPI)


@pytest.mark.parametrize("sample", [TRADOS, MEMOQ, OKAPI])
def test_it_is_found_by_content(sample: str) -> None:
    assert detect(sample.encode()) == "xliff"
    assert pairs_of("xliff", sample.replace("utf-8", "utf-16").encode("utf-16")) == pairs_of("xliff", sample)


def assert_left_out(unit: str) -> None:
    done = "<trans-unit><source>C</source><target>D</target></trans-unit>"
    assert of_units(unit + done) == [Pair("C", "D")]
    with pytest.raises(CorpusError, match="nothing in it is translated"):
        of_units(unit)


@pytest.mark.parametrize(
    "state", ["new", "needs-translation", "needs-adaptation", "needs-l10n", "needs-review-translation"]
)
def test_states_that_are_not_finished_are_left_out(state: str) -> None:
    assert_left_out(f"<trans-unit><source>A</source><target state='{state}'>B</target></trans-unit>")


@pytest.mark.parametrize(
    "attributes",
    [
        "",
        "state='final'",
        "state='translated' state-qualifier='fuzzy-match'",
        "state='needs-review-l10n'",
        "state='x-own'",
    ],
)
def test_other_states_stay(attributes: str) -> None:
    unit = f"<trans-unit approved='no'><source>A</source><target {attributes}>B</target></trans-unit>"
    assert of_units(unit) == [Pair("A", "B")]


def test_a_fuzzy_match_without_a_state_is_left_out() -> None:
    assert_left_out("<trans-unit><source>A</source><target state-qualifier='fuzzy-match'>B</target></trans-unit>")


@pytest.mark.parametrize(
    "unit",
    [
        "<trans-unit><source>A</source></trans-unit>",
        "<trans-unit><source>A</source><target/></trans-unit>",
        "<trans-unit><source>A</source><target> \n </target></trans-unit>",
        "<trans-unit><source>A</source><target><x id='1'/></target></trans-unit>",
        "<group translate='no'><trans-unit><source>A</source><target>B</target></trans-unit></group>",
        "<bin-unit><bin-source/><trans-unit><source>A</source><target>B</target></trans-unit></bin-unit>",
    ],
)
def test_what_is_not_translated_is_left_out(unit: str) -> None:
    assert_left_out(unit)


def test_a_unit_is_one_pair_if_only_its_source_is_cut() -> None:
    cut = "<mrk mtype='seg' mid='1'>A.</mrk> <mrk mtype='seg' mid='2'>B.</mrk>"
    unit = f"<trans-unit><source>A. B.</source><seg-source>{cut}</seg-source>"
    assert of_units(f"{unit}<target>C. D.</target></trans-unit>") == [Pair("A. B.", "C. D.")]


def test_sub_flows_and_codes_are_dropped() -> None:
    unit = "<source>A<ph id='1'>&lt;img alt='<sub>picture</sub>'></ph> dog<it id='2' pos='open'>x</it></source>"
    assert of_units(f"<trans-unit>{unit}<target>Un<bx id='1'/> perro<ex id='1'/></target></trans-unit>") == [
        Pair("A dog", "Un perro")
    ]


def test_wanted_languages_choose_among_files_and_the_way_round() -> None:
    text = document(("en", "es"), ("en", "de"))
    assert pairs_of("xliff", text, ("en", "de")) == [Pair("A", "B")]
    assert pairs_of("xliff", text, ("es", "en")) == [Pair("B", "A")]
    assert pairs_of("xliff", document(("en-GB", "es-ES"), ("en-US", "es-MX")), ("en", "es")) == [Pair("A", "B")] * 2
    with pytest.raises(CorpusError, match="nothing in en and fr; it holds en-es, en-de"):
        pairs_of("xliff", text, ("en", "fr"))


def test_different_languages_are_an_error_with_a_line_if_none_are_wanted() -> None:
    with pytest.raises(CorpusError) as problem:
        pairs_of("xliff", document(("en", "es"), ("en", "de")))
    assert problem.value.message == "a.file, line 4: more than one pair of languages: en-es, en-de"
    assert problem.value.hint == "say which: --languages en es"


def test_a_missing_target_language_may_be_the_targets_own() -> None:
    own = "<trans-unit><source>A</source><target xml:lang='pt-BR'>B</target></trans-unit>"
    assert opened("xliff", document(("en", ""), units=own)).languages == ("en", "pt-BR")
    assert opened("xliff", document(("en", ""))).languages is None
    assert pairs_of("xliff", document(("en", "")), ("en", "es")) == [Pair("A", "B")]


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (TRADOS[:-90], "line 17: the file ends before its elements do"),
        ("<xliff version='1.2'><y:file/></xliff>", "line 1: not well-formed XML .unbound prefix"),
        ("<tmx/>", "line 1: the root element is <tmx>, not <xliff>"),
    ],
)
def test_a_broken_file_is_an_error_with_its_line(broken: str, message: str) -> None:
    with pytest.raises(CorpusError, match=rf"a\.file, {message}"):
        pairs_of("xliff", broken)


@pytest.mark.parametrize(("kind", "store"), [("1.1", xlifffile), ("2.0", Xliff2File)])
def test_what_the_translate_toolkit_writes_is_read(tmp_path: Path, kind: str, store: type) -> None:
    text = sentences()
    pairs = list(zip(text["en"], text["es"], strict=True))
    made = store()
    made.setsourcelanguage("en")
    made.settargetlanguage("es")
    for number, (source, target) in enumerate(pairs):
        unit = made.addsourceunit(source)
        unit.setid(str(number))
        unit.target = target
    path = tmp_path / "toolkit.xlf"
    made.savefile(str(path))
    assert f'version="{kind}"' in path.read_text(encoding="utf-8")
    with Bitext((str(path),)).open() as reading:
        assert reading.languages == ("en", "es")
        assert [pair for batch in reading.batches for pair in batch] == pairs


def test_what_the_translate_toolkit_calls_fuzzy_is_left_out(tmp_path: Path) -> None:
    made = xlifffile()
    made.setsourcelanguage("en")
    made.settargetlanguage("es")
    for source, fuzzy in (("One", False), ("Two", True)):
        unit = made.addsourceunit(source)
        unit.target = source.upper()
        unit.markfuzzy(fuzzy)
    assert pairs_of("xliff", bytes(made)) == [Pair("One", "ONE")]


def test_version_2_1_is_read_as_2_0() -> None:
    newer = OKAPI.replace('version="2.0" srcLang', 'version="2.1" srcLang')
    assert newer != OKAPI
    assert pairs_of("xliff", newer) == pairs_of("xliff", OKAPI) != []
