"""calque.toml: found nearest first, below the command line and the environment, and checked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from every import LEAVES
from failing import fail

from calque.cli import calque, main
from calque.cli.settings import find_settings
from calque.errors import UsageError
from calque.model import Model

Write = Callable[[str], Path]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, below another, and no settings but those that a test writes."""
    here = tmp_path / "project" / "inner"
    here.mkdir(parents=True)
    monkeypatch.chdir(here)
    for name in ("CALQUE_CONFIG", "CALQUE_MODEL", "CALQUE_DATA", "CALQUE_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(click, "get_app_dir", lambda name: str(tmp_path / "home" / name))
    return tmp_path


@pytest.fixture
def write(project: Path) -> Write:
    def write(text: str) -> Path:
        path = project / "project" / "calque.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """What a command would be called with."""

    def parsed(*arguments: str) -> dict[str, Any]:
        seen: dict[str, Any] = {}
        path = " ".join(arguments[:2]) if " ".join(arguments[:2]) in LEAVES else arguments[0]
        monkeypatch.setattr(LEAVES[path], "callback", lambda **given: seen.update(given))
        calque.main(list(arguments), prog_name="calque", standalone_mode=False)
        return seen

    return parsed


Parsed = Callable[..., dict[str, Any]]


def test_the_nearest_file_counts_alone(project: Path, write: Write) -> None:
    home = project / "home" / "calque"
    home.mkdir(parents=True)
    assert find_settings() is None
    (home / "calque.toml").touch()
    assert find_settings() == home / "calque.toml"
    above = write("")
    assert find_settings() == above
    Path("calque.toml").touch()
    assert find_settings() == Path.cwd() / "calque.toml"


def test_calque_config_names_another_or_none(
    project: Path, write: Write, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write("")
    monkeypatch.setenv("CALQUE_CONFIG", "other.toml")
    assert find_settings() == Path("other.toml")
    code, message, hint = fail(capsys, "info")
    assert (code, message) == (2, "cannot read other.toml: No such file or directory")
    assert "CALQUE_CONFIG" in hint
    monkeypatch.setenv("CALQUE_CONFIG", "")
    assert find_settings() is None


def test_tables_are_for_commands_and_the_top_is_for_all(write: Write, parsed: Parsed) -> None:
    write(
        'model = "box"\nthreads = 3\n[train]\nepochs = 5\nvocabulary_size = 800\n[corpus.clean]\npreset = "strict"\n'
        "[encode]\nthreads = 1\n"
    )
    trained = parsed("train", "a.tsv", "--out", "m")
    assert (trained["epochs"], trained["vocabulary_size"], trained["threads"]) == (5, 800, 3)
    assert parsed("corpus", "clean", "a.tsv", "-o", "b.tsv")["preset"] == "strict"
    encoded = parsed("encode", "a.txt")
    assert (encoded["model"], encoded["threads"]) == ("box", 1)
    assert parsed("info")["model"] == "box"


def test_the_command_line_beats_the_environment_beats_the_file(
    write: Write, parsed: Parsed, monkeypatch: pytest.MonkeyPatch, project: Path
) -> None:
    assert parsed("encode", "a.txt")["model"] is None
    write('model = "m"\n')
    assert parsed("encode", "a.txt")["model"] == str(project / "project" / "m")
    monkeypatch.setenv("CALQUE_MODEL", "from-environment")
    assert parsed("encode", "a.txt")["model"] == "from-environment"
    assert parsed("encode", "a.txt", "--model", "given")["model"] == "given"


def test_paths_are_relative_to_the_file(write: Write, parsed: Parsed, project: Path) -> None:
    folder = write(
        'data = "data"\ncache = "/var/cache"\n[train]\ndev = "dev.tsv"\nout = "-"\n[evaluate]\n'
        'compare = ["random-sp", "other", "box"]\n[filter]\nrejected = "dropped.tsv"\ncalibrate = "~/known.tsv"\n'
    ).parent
    trained = parsed("train", "a.tsv")
    assert (trained["dev"], trained["out"], trained["bitext"]) == ((str(folder / "dev.tsv"),), "-", ("a.tsv",))
    evaluated = parsed("evaluate", "--suite", "sts")
    assert evaluated["data"] == str(folder / "data")
    assert evaluated["compare"] == ("random-sp", str(folder / "other"), "box")
    assert parsed("corpus", "download")["cache"] == "/var/cache"
    filtered = parsed("filter", "a.tsv", "-o", "b.tsv")
    assert (filtered["rejected"], filtered["calibrate"]) == (
        str(folder / "dropped.tsv"),
        str(Path.home() / "known.tsv"),
    )


def test_options_with_several_values_take_lists(write: Write, parsed: Parsed) -> None:
    write(
        '[train]\nlanguages = ["en", "es"]\nweight = ["europarl=0.5", "tatoeba=2"]\ndecay = false\n'
        '[corpus.clean]\nrule = "length-ratio=2"\n[mine]\nk = 8\nthreshold = 0.9\nmemory = "1G"\n'
    )
    trained = parsed("train", "a.tsv", "--out", "m")
    assert trained["languages"] == ("en", "es")
    assert trained["weights"] == (("europarl", 0.5), ("tatoeba", 2.0))
    assert trained["decay"] is False
    assert parsed("corpus", "clean", "a.tsv", "-o", "b.tsv")["rules"] == ("length-ratio=2",)
    mined = parsed("mine", "a", "b")
    assert (mined["k"], mined["threshold"], mined["memory"]) == (8, 0.9, 2**30)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("[trian]\n", "[trian]: there is no such command", "did you mean train?"),
        ("[corpus.claen]\n", "[corpus.claen]: there is no such command", "did you mean clean?"),
        ("[train.more]\n", "[train.more]: there is no such command", ""),
        ("modle = 'x'\n", "modle: no such key", "did you mean model?"),
        ("[encode]\nnormalise = true\n", "[encode] normalise: calque encode has no such option", "mean normalize?"),
        ("train = 3\n", "train: expected a table, got 3", "[train]"),
        ("[corpus]\npreset = 'light'\n", "[corpus] preset: corpus is a group of commands", "[corpus.convert]"),
        ("threads = '4'\n", "threads: expected a whole number, got '4'", "without quotation marks"),
        ("threads = 1.5\n", "threads: expected a whole number, got 1.5", ""),
        ("quiet = 1\n", "quiet: expected true or false, got 1", ""),
        ("model = true\n", "model: expected a value, got true", ""),
        ("model = ['a', 'b']\n", "model: expected one value, got a list", ""),
        ("[encode]\nformat = 'csv'\n", "[encode] format: 'csv' is not one of 'npy', 'raw'", ""),
        ("[encode]\nnormalize = 'yes'\n", "[encode] normalize: expected true or false, got 'yes'", ""),
        ("threads = \n", "Invalid value", "epochs = 5"),
        ("quiet = true\nverbose = true\n", "--quiet and --verbose contradict each other", "choose one"),
    ],
)
def test_mistakes_name_the_file_the_key_and_the_way_out(
    capsys: pytest.CaptureFixture[str], write: Write, text: str, message: str, hint: str
) -> None:
    path = write(text)
    command = ["corpus", "convert", "a", "-o", "b.tsv"] if text.startswith("[corpus]") else ["encode", "a.txt"]
    code, got, got_hint = fail(capsys, *command)
    assert code == 2
    assert message in got
    assert hint in got_hint
    assert got.startswith(f"{path}: ") or "contradict" in message


def test_a_rule_that_runs_code_is_not_taken_from_a_file(capsys: pytest.CaptureFixture[str], write: Write) -> None:
    write('[corpus.clean]\nrule = ["my_rules:no_urls"]\n')
    code, message, hint = fail(capsys, "corpus", "clean", "a.tsv", "-o", "b.tsv")
    assert code == 2
    assert "only the command line" in message
    assert "must not run code" in hint


def test_a_cluster_is_not_taken_from_a_file_that_was_found(capsys: pytest.CaptureFixture[str], write: Write) -> None:
    """What comes back from a cluster is opened as a pickle, by Ray."""
    write('[encode]\nengine = "ray"\naddress = "127.0.0.1:1"\n')
    code, message, hint = fail(capsys, "encode", "a.txt", "-o", "b")
    assert code == 2
    assert "127.0.0.1:1 is a cluster, which only the command line may name" in message
    assert "must not choose who runs the work" in hint


def test_an_address_to_read_from_is_no_path_in_the_folder(write: Write, parsed: Parsed) -> None:
    write('[dedup]\nagainst = ["s3://bucket/known"]\n')
    assert parsed("dedup", "a.txt")["against"] == ("s3://bucket/known",)


@pytest.mark.parametrize(
    "place",
    ["~/.profile", "/etc/profile", "../over.tsv", "below/../../over.tsv", "link/over.tsv", "s3://bucket/over.tsv"],
)
def test_what_is_written_stays_in_the_folder_of_a_file_that_was_found(
    capsys: pytest.CaptureFixture[str], write: Write, tmp_path: Path, place: str
) -> None:
    path = write(f'[corpus.clean]\nrejected = "{place}"\n')
    (tmp_path / "elsewhere").mkdir()
    (path.parent / "link").symlink_to(tmp_path / "elsewhere")
    code, message, hint = fail(capsys, "corpus", "clean", "a.tsv", "-o", "b.tsv")
    assert code == 2
    assert f"{place} is outside its folder" in message
    assert "CALQUE_CONFIG" in hint


def test_a_file_that_was_named_may_have_anything_written_anywhere(
    write: Write, parsed: Parsed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALQUE_CONFIG", str(write('[corpus.clean]\nrejected = "~/dropped.tsv"\n')))
    assert parsed("corpus", "clean", "a.tsv", "-o", "b.tsv")["rejected"] == str(Path.home() / "dropped.tsv")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["encode", "--help"], ["train", "-h"]])
def test_help_and_version_do_not_look_at_a_broken_file(
    capsys: pytest.CaptureFixture[str], write: Write, arguments: list[str]
) -> None:
    write("this is no TOML")
    main(arguments)
    assert capsys.readouterr().err == ""


def test_an_option_of_the_file_gives_way_to_its_rival_on_the_command_line(write: Write, parsed: Parsed) -> None:
    write("[filter]\nthreshold = 0.5\n[align]\nformat = 'tsv'\n")
    kept = parsed("filter", "a.tsv", "-o", "b.tsv", "--keep", "80%")
    assert (kept["keep"], kept["threshold"]) == ("80%", None)
    assert parsed("filter", "a.tsv", "-o", "b.tsv")["threshold"] == 0.5
    assert parsed("align", "a", "b", "--json")["format"] is None


def test_resuming_does_not_mind_the_file(capsys: pytest.CaptureFixture[str], write: Write) -> None:
    write('threads = 1\n[train]\nepochs = 5\ndev = "dev.tsv"\n')
    _, message, _ = fail(capsys, "train", "--resume", ".")
    assert "holds no training to resume" in message
    _, message, _ = fail(capsys, "train", "--resume", ".", "--epochs", "5")
    assert "--resume goes on with the options" in message


def test_an_index_s_own_model_comes_first(
    capsys: pytest.CaptureFixture[str], write: Write, small_model: Model, quantised_model: Model
) -> None:
    Path("text.txt").write_text("A dog runs.\nUn perro corre.\n")
    write(f'model = "{small_model.path}"\n')
    main(["search", "build", "text.txt", "-o", "index"])
    write(f'model = "{quantised_model.path}"\n')
    main(["search", "query", "index", "A dog runs.", "-k", "1"])
    assert "A dog runs." in capsys.readouterr().out


def test_the_file_s_model_helps_an_index_whose_own_has_moved(
    capsys: pytest.CaptureFixture[str], write: Write, small_model: Model
) -> None:
    assert small_model.path is not None
    Path("text.txt").write_text("A dog runs.\nUn perro corre.\n")
    Path("first").symlink_to(small_model.path)
    import shutil

    shutil.copytree(small_model.path, "copy")
    main(["search", "build", "text.txt", "-o", "index", "--model", "copy"])
    shutil.rmtree("copy")
    code, message, _ = fail(capsys, "search", "query", "index", "A dog runs.", after_others=True)
    assert code == 1
    assert "is not at" in message
    write(f'model = "{small_model.path}"\n')
    main(["search", "query", "index", "A dog runs.", "-k", "1"])
    assert "A dog runs." in capsys.readouterr().out


def test_settings_are_of_the_command_line_only(write: Write, small_model: Model) -> None:
    import calque as library

    write(f'model = "{small_model.path}"\n')
    with pytest.raises(UsageError, match="no model given"):
        library.load()
