"""Mistakes end in an error and a hint, with 2 for usage and 1 for data, and never in a traceback."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from failing import fail

from calque.model import Model


@pytest.fixture(autouse=True)
def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder to work in with some good and some bad files, and no model in the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CALQUE_MODEL", raising=False)
    Path("good.tsv").write_text("a dog\tun perro\n" * 50)
    Path("wide.tsv").write_text("a\tb\na\tb\t0.5\n")
    Path("latin.tsv").write_bytes(b"a\tb\ncaf\xe9\tcafe\n")
    Path("empty.tsv").touch()
    Path("side.en").write_text("one\ntwo\n")
    Path("side.es").write_text("uno\n")
    Path("folder").mkdir()
    Path("outer/model").mkdir(parents=True)
    Path("outer/model/config.json").write_text("{}")
    for name in ("a.en", "b.en", "a.es", "b.es"):
        Path(name).write_text("one\n")
    Path("foreign").mkdir()
    Path("foreign/config.json").write_text('{"model_type": "bert"}')


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        ("translate", "translate", "calque --help"),
        ("train good.tsv --out m --cake 1", "--cake", "calque train --help"),
        ("train good.tsv --out m --epoch", "--epoch", "calque train --help"),
        ("train good.tsv --out m --epochs many", "many", "calque train --help"),
        ("train good.tsv --out m --recipe cake", "cake", "calque train --help"),
        ("train good.tsv --out m --vocabulary syllable", "syllable", "calque train --help"),
        ("train good.tsv --out m --checkpoint-minutes -1", "-1", "calque train --help"),
        ("train good.tsv --out m --languages en", "--languages.* requires 2 arguments", ""),
        ("train", "no bitext given", "calque train --help"),
        ("train good.tsv", "no folder for the model given", "--out DIR"),
        ("train nowhere.tsv --out m", "cannot read .*nowhere.tsv: No such file", ""),
        ("train folder --out m", "cannot read .*folder: Is a directory", ""),
        ("train good.tsv --out folder/../good.tsv", "exists and is not an empty folder", "choose another --out"),
        ("train good.tsv --out foreign", "exists and is not an empty folder", "choose another --out"),
        ("train good.tsv --out m --threads -1", "threads: expected 1 or more, got -1", ""),
        ("train good.tsv --out m --threads 0", "threads: expected 1 or more, got 0", ""),
        ("train good.tsv --out m --dimension 0", "dimension: expected at least 1, got 0", ""),
        ("train good.tsv --out m --dimension 9000", "dimension: expected less than 8193, got 9000", ""),
        ("train good.tsv --out m --margin nan", "margin: expected at least 0, got nan", ""),
        ("train good.tsv --out m --dropout 1", "dropout: expected less than 1, got 1.0", ""),
        ("train good.tsv --out m --vocabulary-size -5", "vocabulary-size: expected at least 0, got -5", ""),
        ("train good.tsv --out m --columns 1", "two numbers like 1,2, or two names like en,es, got '1'", "--help"),
        ("train good.tsv --out m --columns 0,1", "two different columns, counted from 1, got 0,1", "--help"),
        ("train good.tsv --out m --columns 2,2", "two different columns, counted from 1, got 2,2", "--help"),
        ("train good.tsv --out m --sharing separate", "need to know the languages", "--languages en es"),
        ("train - - --out m", "standard input can be read once only", ""),
        ("train --resume folder", "holds no training to resume", ""),
        ("train --resume nowhere", "holds no training to resume", ""),
        ("train --resume folder --epochs 3", "--resume goes on with the options", "leave the others out"),
        ("train good.tsv --resume folder", "--resume goes on with the options", "leave the others out"),
        ("train --resume folder --out m", "--resume goes on with the options", "leave the others out"),
        ("train --resume folder --no-decay", "--resume goes on with the options", "leave the others out"),
        ("info", "no model given", "--model DIR or set CALQUE_MODEL"),
        ("info a b", "unexpected extra argument: b", 'calque info "a b"; calque info --help'),
        ("search query idx where is it", "arguments: is it", 'quotation marks: calque search query idx "where is it";'),
        ("search query idx where is it -k 3", "arguments: is it", 'calque search query idx "where is it" -k 3;'),
        ("search query idx where -k 3 is it", "arguments: is it", "needs quotation marks; see calque search query --h"),
        ("search delete idx --text a dog", "argument: dog", 'calque search delete idx --text "a dog";'),
        ("encode A dog runs.", "arguments: dog runs.", 'calque encode "A dog runs.";'),
        ("completion zsh $HOME now", "arguments: .HOME now", "calque completion 'zsh $HOME now';"),
        ("similarity A dog runs. Un perro.", "got 5 texts", 'calque similarity "A dog runs." "Un perro.", or'),
        (
            "similarity a dog un perro",
            "got 4 texts",
            'each text, calque similarity "A dog runs." "Un perro corre.", or',
        ),
        ("explain A dog? Un perro?", "expected two texts, got 4", 'around each: calque explain "A dog?" "Un perro?"'),
        ("corpus convert good.tsv -o good.tsv", "good.tsv is what is read", "name another file"),
        ("corpus clean good.tsv -o ./good.tsv", "good.tsv is what is read", "name another file"),
        ("similarity side.en side.es", "side.en and side.es are files", "paste side.en side.es | calque similarity --"),
        ("explain side.en side.es", "side.en and side.es are files", "paste side.en side.es | calque similarity --"),
        ("train a.en b.en a.es b.es --out m", "a.en and .*b.en stand side by side", "a.en .*a.es .*b.en .*b.es"),
        ("similarity a b", "no model given", "--model DIR or set CALQUE_MODEL"),
        ("encode side.en", "no model given", "--model DIR or set CALQUE_MODEL"),
        ("demo --out foreign", "foreign exists already", "choose another --out"),
        ("demo --sample folder", "folder exists already", "choose another --sample"),
        ("demo --sample a --out b", "--sample trains nothing", "leave out one"),
        ("demo --threads -1", "threads: expected 1 or more, got -1", ""),
    ],
)
def test_mistakes_of_usage(capsys: pytest.CaptureFixture[str], arguments: str, message: str, hint: str) -> None:
    code, got_message, got_hint = fail(capsys, *arguments.split())
    assert re.search(message, got_message), got_message
    assert re.search(hint if ".*" in hint else re.escape(hint), got_hint), got_hint
    assert code == 2


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        ("train wide.tsv --out m", "wide.tsv, line 2: expected 2 columns, got 3", "--columns 1,2"),
        ("train latin.tsv --out m", "latin.tsv, line 2: not UTF-8 .byte 0xe9 at position 4", "iconv"),
        ("train empty.tsv --out m", "empty.tsv is empty", "holds sentence pairs"),
        ("train side.en --out m", "side.en, line 1: no tab", "two parallel files"),
        ("train side.en side.es --out m", "side.es has 1 lines, but .*side.en has 2", "line n"),
        ("train good.tsv --out m --vocabulary-size 900", r"supports at most \d+ pieces, not 900", "--vocabulary-size"),
        ("train good.tsv --columns 1,x --out m", "line 1: no column 'x' among a dog, un perro", "--columns 1,2"),
        ("train good.tsv --columns 1,3 --out m", "good.tsv, line 1: no column 3, only 2", ""),
        ("train good.tsv --out m --init folder", "folder is not a model folder", ""),
        ("info folder", "folder is not a model folder", "calque train"),
        ("info outer", "outer is not a model folder", "did you mean outer/model?"),
        ("info nowhere", "there is no model at nowhere", "calque train"),
        ("info foreign", "foreign holds a model of type 'bert'", "Calque opens its own models"),
        ("info good.tsv", "good.tsv is not a model folder", ""),
        ("similarity -m nowhere a b", "there is no model at nowhere", "calque train"),
        ("encode -m folder good.tsv -o out.npy", "folder is not a model folder", ""),
    ],
)
def test_mistakes_in_the_data(capsys: pytest.CaptureFixture[str], arguments: str, message: str, hint: str) -> None:
    code, got_message, got_hint = fail(capsys, *arguments.split())
    assert re.search(message, got_message), got_message
    assert re.search(hint if ".*" in hint else re.escape(hint), got_hint), got_hint
    assert code == 1
    assert not Path("m").exists()
    assert not Path("out.npy").exists()


@pytest.mark.parametrize("texts", [["one"], ["one", "two", "three"], []])
def test_similarity_needs_two_texts(capsys: pytest.CaptureFixture[str], small_model: Model, texts: list[str]) -> None:
    code, message, _ = fail(capsys, "similarity", "-m", str(small_model.path), *texts)
    many = "1 text" if len(texts) == 1 else f"{len(texts)} texts"
    assert (code, message) == (2, f"expected two texts or --pairs FILE, got {many}")


def test_similarity_takes_texts_or_pairs_but_not_both(capsys: pytest.CaptureFixture[str], small_model: Model) -> None:
    code, message, _ = fail(capsys, "similarity", "-m", str(small_model.path), "a", "b", "--pairs", "good.tsv")
    assert (code, message) == (2, "expected two texts or --pairs FILE, got 2 texts and --pairs")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("similarity --pairs nowhere.tsv", 2, "cannot read nowhere.tsv"),
        ("similarity --pairs side.en", 1, "side.en, line 1: no column 2, only 1"),
        ("similarity --pairs good.tsv --columns 7,1", 1, "good.tsv, line 1: no column 7, only 2"),
        ("similarity --pairs good.tsv --columns a,b", 2, "expected two numbers like 1,2"),
        ("encode nowhere.txt -o out.npy", 2, "cannot read nowhere.txt"),
        ("encode latin.tsv -o out.npy", 1, "latin.tsv, line 2: not UTF-8"),
        ("encode side.en -o out.vectors", 2, "does not say which format to write"),
        ("encode side.en --format npy", 2, "npy begins with the number of lines"),
        ("encode side.en -o nowhere/out.npy", 1, "cannot write nowhere/out.npy: No such file"),
        ("encode side.en -o out.npy --threads 0", 2, "threads: expected 1 or more, got 0"),
        ("encode side.en -o out.npy --format text", 2, "text"),
    ],
)
def test_mistakes_with_a_good_model(
    capsys: pytest.CaptureFixture[str], small_model: Model, arguments: str, code: int, message: str
) -> None:
    command, *rest = arguments.split()
    got_code, got_message, _ = fail(capsys, command, "--model", str(small_model.path), *rest)
    assert message in got_message
    assert got_code == code
    assert not Path("out.npy").exists()


def test_words_that_were_quoted_apart_are_not_joined(capsys: pytest.CaptureFixture[str]) -> None:
    code, message, hint = fail(capsys, "search", "query", "index", "where is it", "what is it")
    assert (code, message) == (2, "unexpected extra argument: what is it")
    assert hint == "a text or a name with spaces needs quotation marks; see calque search query --help"


def test_a_text_in_place_of_a_file_is_shown_its_way(capsys: pytest.CaptureFixture[str]) -> None:
    code, message, hint = fail(capsys, "encode", "A dog runs.")
    assert (code, message) == (2, "cannot read A dog runs.: No such file or directory")
    assert 'echo "A dog runs." | calque encode' in hint
    *_, hint = fail(capsys, "encode", "my sentences.txt", "-m", "nowhere")
    assert "echo" not in hint


def test_an_output_that_cannot_be_made_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    code, message, _ = fail(
        capsys, "train", "good.tsv", "--out", "good.tsv/model", "--vocabulary", "word", "--epochs", "0"
    )
    assert code in (1, 2)
    assert "good.tsv/model" in message
