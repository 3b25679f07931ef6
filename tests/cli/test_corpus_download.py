"""`calque corpus download`: paths on standard output, all else on standard error, and no question ever asked."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from failing import fail

from calque.cli import main
from calque.cli.corpus.download import _report
from calque.cli.progress import Progress
from calque.corpus.download import web
from calque.corpus.download.fetch import Fetching
from corpus.download.server import STORE, Server, cut_short, serving, stalled, status, zipped

COMMAND = [sys.executable, "-c", "from calque.cli import main; main()", "corpus", "download"]
ENGLISH = "".join(f"Dog number {number * 7919 % 10007}.\n" for number in range(500))
SPANISH = ENGLISH.replace("Dog number", "Perro número")
TATOEBA = f"{STORE}/OPUS-Tatoeba/v2023-04-12/moses/en-es.txt.zip"
STS12 = "ixa2.si.ehu.es/stswiki/images/4/40/STS2012-en-test.zip"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    monkeypatch.setattr(web, "PAUSE", 0.001)
    monkeypatch.setenv("CALQUE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "*")
    with serving() as running:
        running.add_opus("Tatoeba", "v2023-04-12", "en-es", {"en": ENGLISH, "es": SPANISH})
        running.add_opus("Tatoeba", "v2", "en-es", {"en": ENGLISH, "es": SPANISH}, latest=False)
        running.add_opus("GNOME", "v1", "en-fi", {"en": ENGLISH, "fi": SPANISH})
        running.files[STS12] = zipped({"test-gold/STS.gs.MSRpar.txt": b"4.0\n"})
        yield running


def run(server: Server, capsys: pytest.CaptureFixture[str], arguments: str) -> tuple[str, str]:
    main(["corpus", "download", *shlex.split(arguments), "--mirror", server.mirror])
    printed = capsys.readouterr()
    return printed.out, printed.err


def test_the_path_is_all_that_standard_output_gets(
    server: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out, err = run(server, capsys, "opus/Tatoeba es-en")
    path = tmp_path / "cache" / "opus" / "Tatoeba.v2023-04-12.en-es.txt.zip"
    assert out == f"{path}\n"
    assert path.read_bytes() == server.files[TATOEBA]
    header, row = err.splitlines()
    assert header.split() == ["what", "pair", "release", "pairs", "size", "licence", "address"]
    assert row.split("  ")[:3] == ["opus/Tatoeba", "en-es", "v2023-04-12"]
    assert row.endswith(f"CC BY 2.0 FR  https://{TATOEBA}")


def test_what_is_there_already_is_only_named(
    server: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    first, _ = run(server, capsys, "sts12")
    assert (first, "") == run(server, capsys, "sts12") == run(server, capsys, "sts12 --verify")
    assert first == f"{tmp_path / 'cache' / 'sts12'}\n"
    assert server.ranges(STS12) == [None]


def test_a_folder_and_a_cache_can_be_chosen(server: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out, _ = run(server, capsys, f"opus/Tatoeba en-es --release v2 -o {tmp_path / 'here'}")
    assert out == f"{tmp_path / 'here' / 'Tatoeba.v2.en-es.txt.zip'}\n"
    out, _ = run(server, capsys, f"sts12 --cache {tmp_path / 'there'}")
    assert out == f"{tmp_path / 'there' / 'sts12'}\n"
    assert not (tmp_path / "cache").exists()


def test_the_command_alone_lists_everything_without_a_network(capsys: pytest.CaptureFixture[str]) -> None:
    main(["corpus", "download", "--mirror", "http://127.0.0.1:9"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [
        *("what", "opus/CORPUS", "sts12", "sts13", "sts14", "sts15", "sts16", "sts17", "stsb"),
        *("bucc18", "tatoeba", "flores"),
    ]
    assert re.search(r"flores .* CC BY-SA 4\.0 +https://github\.com/facebookresearch/flores$", lines[-1])


def test_sources_are_listed_to_standard_output(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(server, capsys, "opus") == ("what\nopus/GNOME\nopus/Tatoeba\n", "")
    out, err = run(server, capsys, "opus/Tatoeba")
    assert [line.split()[1] for line in out.splitlines()] == ["pair", "en-es"]
    out, err = run(server, capsys, "opus/Tatoeba en-es --list")
    assert [line.split()[2] for line in out.splitlines()] == ["release", "v2023-04-12", "v2"]
    assert err == ""
    assert server.ranges(TATOEBA) == []


def test_a_listing_as_json_says_the_same(server: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    server.opus[0] |= {"size": 292192, "alignment_pairs": 1019003}
    out, _ = run(server, capsys, "opus/Tatoeba en-es --list --json")
    assert json.loads(out)[0] == {
        "what": "opus/Tatoeba",
        "title": None,
        "pair": "en-es",
        "release": "v2023-04-12",
        "pairs": 1019003,
        "size": 299204608,
        "licence": "CC BY 2.0 FR",
        "address": f"https://{TATOEBA}",
    }
    table, _ = run(server, capsys, "opus/Tatoeba en-es --list")
    assert "1,019,003  299.2 MB" in table
    out, _ = run(server, capsys, "sts12 --list --json")
    assert json.loads(out)[0]["size"] == len(server.files[STS12])
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "message", "hint"),
    [
        ("opus/Tatoba en-es", 2, "OPUS has no corpus Tatoba", "did you mean Tatoeba"),
        ("opus/Tatoba", 2, "OPUS has no corpus Tatoba", "did you mean Tatoeba"),
        ("opus/Tatoeba en-fi", 2, "opus/Tatoeba has no pair en-fi", "it has en with es"),
        ("opus/Tatoeba enes", 2, "expected a language pair like en-es, got 'enes'", "two language codes"),
        ("opus/Tatoeba en-es --release v7", 2, "has no en-es in release v7", "v2023-04-12, v2"),
        ("sts18", 2, "nothing to download is called sts18", "did you mean sts1"),
        ("bucc18 es-en", 2, "bucc18 has no part es-en", "it has de-en, fr-en, ru-en, zh-en"),
        ("opus en-es", 2, "expected the name of a corpus of OPUS", "like opus/Tatoeba"),
        ("sts12 --checksum md5:12", 2, "--checksum: expected sha256:", ""),
        ("sts12 --timeout 0", 2, "--timeout: expected a number of seconds above 0, got 0", ""),
        ("sts12 --timeout soon", 2, "soon", "calque corpus download --help"),
        ("sts12 --mirror ftp://x", 2, "--mirror: expected an address", "http and https"),
        ("sts12 --json", 2, "--json goes with --list", "one path a line"),
        ("sts12 en-es fr-de", 2, "fr-de", "calque corpus download --help"),
        ("sts13", 1, "no such file (404 Not Found)", "--mirror URL"),
        (f"sts12 --checksum md5:{'0' * 32}", 1, f"expected md5:{'0' * 32}", "damaged"),
    ],
)
def test_mistakes_end_in_an_error_and_a_hint(
    server: Server, capsys: pytest.CaptureFixture[str], arguments: str, code: int, message: str, hint: str
) -> None:
    ended, told, advice = fail(
        capsys, "corpus", "download", *arguments.split(), "--mirror", server.mirror, after_others=True
    )
    assert (ended, message in told, hint in advice) == (code, True, True), (ended, told, advice)


@pytest.mark.parametrize("arguments", ["opus", "opus/Tatoeba en-es", "opus/Tatoeba en-es --release v2", "sts12"])
def test_without_a_network_the_ways_out_are_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: str
) -> None:
    gone = ["--mirror", "http://127.0.0.1:9", "--cache", str(tmp_path / "cache")]
    code, message, hint = fail(capsys, "corpus", "download", *arguments.split(), *gone, after_others=True)
    assert (code, message) == (1, "cannot reach 127.0.0.1:9: Connection refused")
    assert "is the network up? Proxies are taken from HTTPS_PROXY" in hint
    assert "--mirror URL" in hint


def test_a_poor_connection_is_nobody_s_business(
    server: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    server.misdeeds[TATOEBA] = [cut_short(100), status(503), cut_short(50)]
    out, err = run(server, capsys, "opus/Tatoeba en-es")
    assert Path(out.rstrip()).read_bytes() == server.files[TATOEBA]
    assert len(err.splitlines()) == 2
    assert server.ranges(TATOEBA) == [None, "bytes=100-", "bytes=100-", "bytes=150-"]


def test_standard_input_is_never_read(server: Server, tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "sts12", "--mirror", server.mirror, "--cache", str(tmp_path)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, f"{tmp_path / 'sts12'}\n"), done.stderr
    assert "\r" not in done.stderr


def test_ctrl_c_keeps_what_has_come_and_says_so(server: Server, tmp_path: Path) -> None:
    server.misdeeds[TATOEBA] = [stalled(100)]
    command = [*COMMAND, "opus/Tatoeba", "en-es", "--mirror", server.mirror, "-o", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    part = tmp_path / "Tatoeba.v2023-04-12.en-es.txt.zip.part"
    while process.poll() is None and not (part.exists() and part.stat().st_size == 100):
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out) == (130, "")
    assert "\nwhat has come so far is kept: the same command goes on with it\n" in err
    assert err.endswith("\nerror: interrupted\n")
    again = subprocess.run(command, capture_output=True, text=True)
    assert again.stdout == f"{part.with_suffix('')}\n"
    assert server.ranges(TATOEBA) == [None, "bytes=100-"]


def test_every_file_and_its_check_is_a_stage_of_its_own() -> None:
    shown: list[object] = []

    class Recorder(Progress):
        def stage(self, doing: str, unit: str = "", *, total: float | None = None, then: str = "") -> None:
            shown.append((doing, unit, total))

        def at(self, count: float, detail: str = "", left: float | None = None) -> None:
            shown.append(count)

    report = _report(Recorder())
    for now in (
        Fetching("a.zip", 0, 9, 1.0),
        Fetching("a.zip", 5, 9, 1.0),
        Fetching("a.zip", 9, 9, 1.0, checking=True),
    ):
        report(now)
    report(Fetching("b.zip", 1, None, 1.0))
    assert shown == [("a.zip", "B", 9), 0, 5, ("checking a.zip", "B", 9), 9, ("b.zip", "B", None), 1]


def test_the_help_tells_how_mirrors_are_laid_out(capsys: pytest.CaptureFixture[str]) -> None:
    main(["corpus", "download", "--help"])
    printed = capsys.readouterr().out
    assert "https://HOST/PATH at M/HOST/PATH" in printed
    for option in (
        "--release",
        "--out",
        "--list",
        "--json",
        "--mirror",
        "--checksum",
        "--verify",
        "--timeout",
        "--cache",
    ):
        assert option in printed
