"""The commands one after the other, as somebody would type them."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import calque
from calque.cli import main
from calque.demo import sentences

COMMAND = [sys.executable, "-c", "from calque.cli import main; main()"]


def run(*arguments: str, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    done = subprocess.run([*COMMAND, *arguments], input=stdin, capture_output=True, env=os.environ | environment)
    assert done.returncode == 0, done.stderr.decode()
    return done


@pytest.fixture(scope="module")
def trained(demo_bitext: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("chain") / "model"
    options = ["--vocabulary-size", "500", "--dimension", "32", "--epochs", "2", "--seed", "3", "--threads", "1"]
    done = run("train", str(demo_bitext["en-es"]), "--out", str(out), *options)
    assert done.stdout == b""
    told = done.stderr.decode().splitlines()
    assert [re.sub(r"[\d.,]+", "N", line) for line in told[:2]] == ["epoch N/N  loss N  N pairs/s  mega-batch N"] * 2
    assert told[2].startswith(f"{out}: 500 rows of 32 dimensions, trained in ")
    assert told[3] == f'try: calque similarity --model {out} "one sentence" "another"'
    return out


def test_training_by_command_and_by_function_are_the_same(
    trained: Path, demo_bitext: dict[str, Path], tmp_path: Path
) -> None:
    options = {"vocabulary_size": 500, "dimension": 32, "epochs": 2, "seed": 3, "threads": 1}
    assert calque.train(demo_bitext["en-es"], tmp_path / "model", **options).checksum == calque.load(trained).checksum


def test_info_shows_the_model(trained: Path) -> None:
    shown = dict(line.split(maxsplit=1) for line in run("info", str(trained)).stdout.decode().splitlines())
    assert shown["path"] == str(trained)
    assert (shown["languages"], shown["vocabulary"], shown["rows"], shown["dimension"]) == ("en, es", "sp", "500", "32")
    assert (shown["recipe"], shown["data"], shown["epoch"]) == ("calque", "demo.en-es:920", "2")


def test_info_as_json_says_the_same(trained: Path) -> None:
    shown = json.loads(run("info", "--json", CALQUE_MODEL=str(trained)).stdout)
    model = calque.load(trained)
    assert shown["checksum"] == model.checksum
    assert shown["languages"] == ["en", "es"]
    assert (shown["rows"], shown["dimension"], shown["sharing"]) == (500, 32, "joint")


def test_similarity_of_two_texts_is_one_number(trained: Path) -> None:
    done = run("similarity", "--model", str(trained), "A dog runs.", "Un perro corre.")
    expected = calque.load(trained).similarity("A dog runs.", "Un perro corre.")
    assert done.stdout.decode() == f"{expected:.4f}\n"
    assert done.stderr == b""


def test_similarity_as_json_names_the_texts(trained: Path) -> None:
    done = run("similarity", "-m", str(trained), "--json", "A dog runs.", "Él corre.")
    shown = json.loads(done.stdout)
    assert (shown["first"], shown["second"]) == ("A dog runs.", "Él corre.")
    assert shown["score"] == pytest.approx(calque.load(trained).similarity("A dog runs.", "Él corre."), abs=1e-6)


def test_similarity_of_pairs_adds_a_column(trained: Path, demo_bitext: dict[str, Path]) -> None:
    lines = run("similarity", "-m", str(trained), "--pairs", str(demo_bitext["en-es"])).stdout.decode().splitlines()
    rows = [line.split("\t") for line in lines]
    assert [row[:2] for row in rows] == [list(p) for p in zip(sentences()["en"], sentences()["es"], strict=True)]
    scores = calque.load(trained).similarities(sentences()["en"], sentences()["es"])
    np.testing.assert_allclose([float(row[2]) for row in rows], scores, atol=6e-5)


def test_similarity_of_pairs_as_json_is_one_object_a_line(trained: Path, demo_bitext: dict[str, Path]) -> None:
    done = run("similarity", "-m", str(trained), "--pairs", str(demo_bitext["en-es"]), "--json", "--columns", "2,1")
    rows = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert [(row["second"], row["first"]) for row in rows[:9]] == list(
        zip(sentences()["en"][:9], sentences()["es"][:9], strict=True)
    )


def test_encode_writes_a_file_and_says_what(trained: Path, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("A dog runs.\nUn perro corre.\n", encoding="utf-8")
    done = run("encode", str(tmp_path / "text.txt"), "--model", str(trained), "-o", str(tmp_path / "vectors.npy"))
    assert done.stdout == b""
    assert done.stderr.decode() == f"{tmp_path / 'vectors.npy'}: 2 × 32\n"
    expected = calque.load(trained).encode(["A dog runs.", "Un perro corre."])
    np.testing.assert_array_equal(np.load(tmp_path / "vectors.npy"), expected)


def test_encode_goes_from_standard_input_to_standard_output(trained: Path) -> None:
    done = run("encode", "--model", str(trained), "--normalize", stdin="A dog runs.\nÉl corre.".encode())
    assert done.stderr == b""
    vectors = np.frombuffer(done.stdout, "<f4").reshape(2, 32)
    np.testing.assert_array_equal(vectors, calque.load(trained).encode(["A dog runs.", "Él corre."], normalize=True))


def test_a_file_may_be_a_dash(trained: Path, tmp_path: Path) -> None:
    piped = run("similarity", "-m", str(trained), "--pairs", "-", stdin=b"A dog runs.\tUn perro corre.\n").stdout
    assert re.fullmatch(r"A dog runs\.\tUn perro corre\.\t-?0\.\d{4}\n", piped.decode())
    encoded = run("encode", "-", "-m", str(trained), "-o", "-", stdin=b"one\ntwo\n").stdout
    assert len(encoded) == 2 * 32 * 4


def test_arguments_that_are_not_utf8_are_scored_all_the_same(trained: Path) -> None:
    done = subprocess.run([*COMMAND, "similarity", "-m", str(trained), b"caf\xe9 dog", "dog"], capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert float(done.stdout) > 0


def test_output_is_utf8_safe_in_a_plain_locale(trained: Path, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("Él corre.\t漢字\n", encoding="utf-8")
    pairs = ["similarity", "-m", str(trained), "--pairs", str(tmp_path / "pairs.tsv")]
    assert run(*pairs, LC_ALL="C").stdout.decode().startswith("Él corre.\t漢字\t")


def test_the_environment_names_the_model(
    trained: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CALQUE_MODEL", str(trained))
    main(["similarity", "one", "one"])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"one\tone\n")))
    main(["similarity", "--pairs", "-"])
    assert capsys.readouterr().out == "1.0000\none\tone\t1.0000\n"


def test_models_with_a_vocabulary_for_each_language_are_told_the_languages(
    demo_bitext: dict[str, Path], tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    out = str(tmp_path / "model")
    main(["train", str(demo_bitext["en-es"]), "--out", out, "--sharing", "separate", "--vocabulary", "word"])
    main(["similarity", "-m", out, "--languages", "en", "es", "The dog.", "El perro."])
    (tmp_path / "text.txt").write_text("El perro.\n")
    main(["encode", "-m", out, "--language", "es", str(tmp_path / "text.txt")])
    printed = capfdbinary.readouterr().out
    score, vector = printed.split(b"\n", maxsplit=1)
    model = calque.load(out)
    assert float(score) == pytest.approx(model.similarity("The dog.", "El perro.", ("en", "es")), abs=6e-5)
    assert vector == model.encode(["El perro."], language="es").tobytes()


def test_a_mistake_ends_in_two_lines_and_no_traceback(tmp_path: Path) -> None:
    bitext = tmp_path / "wide.tsv"
    bitext.write_text("a\tb\na\tb\t0.5\n")
    arguments = ["train", str(bitext), "--out", str(tmp_path / "model")]
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"error: {bitext}, line 2: expected 2 columns, got 3\n\n"
        "hint: pass --columns 1,2 (or others of the 3) to say which hold the source and the target\n"
    )
