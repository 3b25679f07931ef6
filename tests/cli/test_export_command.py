"""`calque export`: what it writes and says, and what is said of mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest
from failing import fail

import calque
from calque.cli import export as command
from calque.cli import main
from calque.encoder import BlstmEncoder, random_parameters
from calque.model import Model, save
from calque.tasks.export import BITS, FORMATS


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_model: Model) -> str:
    """Its folder; the working folder holds something already."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CALQUE_MODEL", raising=False)
    Path("full").mkdir()
    Path("full/mine").write_text("mine")
    return str(small_model.path)


@pytest.mark.parametrize(
    ("to", "loading"),
    [
        ("sentence-transformers", "model = SentenceTransformer('out')"),
        ("word2vec", "vectors = KeyedVectors.load_word2vec_format('out', binary=False)"),
        ("onnx", "session = onnxruntime.InferenceSession('out/model.onnx')"),
        ("quantised", "model = calque.load('out')"),
    ],
)
def test_it_says_what_was_written_and_how_to_open_it(
    model: str, capsys: pytest.CaptureFixture[str], to: str, loading: str
) -> None:
    main(["export", "--model", model, "--to", to, "-o", "out"])
    seen = capsys.readouterr()
    said, empty, first, second = seen.err.splitlines()
    assert seen.out == empty == ""
    out = Path("out")
    size = sum(path.stat().st_size for path in ([out] if out.is_file() else out.iterdir()))
    assert said == f"out: {size / 1e6:,.1f} MB"
    assert first.startswith(("import ", "from "))
    assert second == loading


def test_rows_go_to_standard_output(model: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    main(["export", "-m", model, "--to", "word2vec", "-o", "-"])
    text = capfdbinary.readouterr()
    main(["export", "-m", model, "--to", "word2vec", "-o", "rows.txt"])
    assert (text.out, text.err) == (Path("rows.txt").read_bytes(), b"")
    capfdbinary.readouterr()
    main(["export", "-m", model, "--to", "word2vec", "--binary", "-o", "-"])
    assert capfdbinary.readouterr().out.startswith(b"999 64\n")


def test_the_model_in_the_box_is_the_default(box: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    main(["export", "--to", "sentence-transformers", "-o", "out"])
    assert calque.load("out").vocabulary_checksum == calque.load(box).vocabulary_checksum


def test_bits_reach_the_model(model: str) -> None:
    main(["export", "-m", model, "--to", "quantised", "--bits", "8", "-o", "eight"])
    main(["export", "-m", "eight", "--to", "quantised", "-o", "four"])
    assert [calque.load(name).encoder.bits for name in ("eight", "four")] == [8, 4]


@pytest.mark.parametrize(
    ("arguments", "code", "message", "hint"),
    [
        ("-m MODEL -o out", 2, "--to", "calque export --help"),
        ("-m MODEL --to onnx", 2, "--output", "calque export --help"),
        ("-m MODEL --to gguf -o out", 2, "gguf", "calque export --help"),
        ("--to onnx -o out", 2, "no model given", "--model DIR or set CALQUE_MODEL"),
        ("-m nowhere --to onnx -o out", 1, "there is no model at nowhere", "calque train"),
        ("-m MODEL --to onnx -o full", 2, "full exists and is not an empty folder", "choose another place"),
        ("-m MODEL --to quantised -o full/mine", 2, "full/mine exists and is not an empty folder", ""),
        ("-m MODEL --to sentence-transformers -o MODEL", 2, "exists and is not an empty folder", ""),
        ("-m MODEL --to onnx -o -", 2, "onnx is a folder, which standard output cannot take", "name a folder"),
        ("-m MODEL --to onnx -o out --bits 4", 2, "bits are for quantised models, not for onnx", "leave out --bits"),
        ("-m MODEL --to quantised -o out --bits 2", 2, "2", "calque export --help"),
        ("-m MODEL --to quantised -o out --binary", 2, "binary is a kind of word2vec file", "leave out --binary"),
        ("-m MODEL --to word2vec -o full", 1, "cannot write full: Is a directory", ""),
        ("-m MODEL --to word2vec -o no/where", 1, "cannot write no/where: No such file", ""),
        ("-m MODEL --to quantised -o full/mine/out", 1, "cannot write full/mine/out: Not a directory", ""),
        ("-m MODEL --to onnx out", 2, "out", "calque export --help"),
    ],
)
def test_mistakes_end_in_an_error_and_a_hint(
    model: str, capsys: pytest.CaptureFixture[str], arguments: str, code: int, message: str, hint: str
) -> None:
    got_code, got_message, got_hint = fail(capsys, "export", *arguments.replace("MODEL", model).split())
    assert message in got_message
    assert hint in got_hint
    assert got_code == code
    assert sorted(path.name for path in Path().rglob("*")) == ["full", "mine"]


def test_bits_that_the_model_has_already_are_no_gain(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["export", "-m", model, "--to", "quantised", "-o", "four"])
    capsys.readouterr()
    for bits in ("4", "8"):
        code, message, hint = fail(capsys, "export", "-m", "four", "--to", "quantised", "--bits", bits, "-o", "out")
        assert (code, message[:46]) == (2, "the model has 4 bits a number already; " + f"{bits} would")
        assert "copy its folder" in hint


@pytest.mark.parametrize("to", FORMATS)
def test_a_blstm_can_be_exported_to_nothing(
    model: str, small_model: Model, capsys: pytest.CaptureFixture[str], to: str
) -> None:
    encoder = BlstmEncoder(small_model.vocabulary, random_parameters("blstm", 1000, 64, 1, 0))
    save("blstm", encoder, small_model.about)
    code, message, hint = fail(capsys, "export", "-m", "blstm", "--to", to, "-o", "out")
    assert code == 2
    assert "this model is a BLSTM" in message
    assert "--encoder average, the default" in hint
    assert not Path("out").exists()


def test_help_tells_the_true_formats_and_defaults() -> None:
    shown = {parameter.name: parameter for parameter in command.export.params}
    assert list(shown["to"].type.choices) == list(FORMATS)  # type: ignore[attr-defined]
    assert f"[default: {BITS}]" in shown["bits"].help  # type: ignore[attr-defined]
