"""The mistakes that keep a server from starting."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest
from failing import fail

import calque
from calque.model import Model


def served(model: Model | Path, *arguments: str) -> list[str]:
    path = model.path if isinstance(model, Model) else model
    return ["serve", "--model", str(path), *arguments]


def test_a_port_in_use_is_named_with_the_way_out(small_model: Model, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, message, hint = fail(capsys, *served(small_model, "--port", str(port)))
    assert (code, message) == (2, f"cannot listen on 127.0.0.1, port {port}: Address already in use")
    assert "--port 0" in hint


def test_an_address_of_another_machine_cannot_be_listened_on(
    small_model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    code, message, hint = fail(capsys, *served(small_model, "--host", "192.0.2.1"))
    assert code == 2
    assert "cannot listen on 192.0.2.1" in message
    assert "0.0.0.0" in hint


def test_a_name_that_is_no_address_is_said_to_be_none(small_model: Model, capsys: pytest.CaptureFixture[str]) -> None:
    code, message, _ = fail(capsys, *served(small_model, "--host", "no.such.host.invalid"))
    assert code == 2
    assert "cannot listen on no.such.host.invalid" in message


def test_a_folder_that_is_no_model_is_told_before_anything_is_served(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, message, _ = fail(capsys, *served(tmp_path, "--port", "0"))
    assert code == 1
    assert "is not a model folder" in message


def test_an_index_of_another_model_is_refused(
    small_model: Model, fluent_model: Model, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    calque.Index.build(iter(["Un perro corre."]), tmp_path / "index", fluent_model)
    code, message, _ = fail(capsys, *served(small_model, "--port", "0", "--index", str(tmp_path / "index")))
    assert code == 1
    assert "was built with another model" in message


def test_no_index_there_is_told(small_model: Model, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, message, _ = fail(capsys, *served(small_model, "--port", "0", "--index", str(tmp_path / "none")))
    assert code == 1
    assert str(tmp_path / "none") in message


def test_a_model_with_a_vocabulary_for_each_language_is_not_served(
    demo_bitext: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = {"vocabulary_size": 500, "dimension": 16, "epochs": 1, "threads": 1, "sharing": "separate"}
    model = calque.train([demo_bitext["en-es"]], tmp_path / "model", **options)
    code, message, _ = fail(capsys, *served(model, "--port", "0"))
    assert code == 2
    assert "a vocabulary for each language" in message


@pytest.mark.parametrize("token", ["", " \n", "two words", "é"])
def test_a_token_that_no_client_could_send_is_refused(
    small_model: Model, tmp_path: Path, token: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "token").write_text(token, encoding="utf-8")
    code, message, _ = fail(capsys, *served(small_model, "--port", "0", "--token-file", str(tmp_path / "token")))
    assert code == 2
    assert "expected a token" in message
    assert token.strip() == "" or token.strip() not in message


def test_without_its_packages_the_extra_is_named(
    small_model: Model, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    code, message, hint = fail(capsys, *served(small_model, "--port", "0"))
    assert (code, hint) == (2, "pip install 'calque-nlp[serve]'")
    assert "uvicorn" in message
