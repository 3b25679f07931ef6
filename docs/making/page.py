"""A page, run from top to bottom as its reader would, in a folder of its own."""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from blocks import Block, blocks_of
from compare import agrees
from elsewhere import problem_of

_PORT = 8000  # that pages speak of; a free one takes its place
_PATIENCE = 60.0  # seconds for a server to answer
_READER_GONE = 141  # of `grep … | head`: who ends first is a race, and either way the page is true
_PACKAGE_BIN = Path(sys.executable).parent


class Differs(Exception):
    """A block that fails, or that prints other than the page shows."""


@dataclass(frozen=True)
class Shown:
    """Lines of a page, counted from 0, that show what was printed, and what was."""

    lines: range
    printed: str


@dataclass
class Page:
    """Runs the blocks of a page; `shown` is what each was seen to print."""

    path: Path
    folder: Path  # to work in; it should be empty
    shown: list[Shown] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)

    def run(self) -> None:
        """
        Raises:
            Differs: with all the places where the page is not true.
        """
        text = self.path.read_text(encoding="utf-8")
        blocks = blocks_of(text)
        self._port = _free_port()
        self._names: dict[str, Any] = {"__name__": "__main__"}
        self._servers: list[subprocess.Popen[bytes]] = []
        with _inside(self.folder):
            try:
                for before, block, after in zip([None, *blocks], blocks, [*blocks[1:], None], strict=False):
                    if block.title or block.language != "text":
                        self._run(block, after if after and after.language == "text" and not after.title else None)
                    elif before is None or before.language != "python":
                        self._differs(
                            block, "text that no Python before it printed; a command's stands in its own block"
                        )
            finally:
                self._stop_servers()
        if self.differing:
            raise Differs("\n\n".join(self.differing))

    def _run(self, block: Block, output: Block | None) -> None:
        if block.title:
            Path(block.title).parent.mkdir(parents=True, exist_ok=True)
            Path(block.title).write_text(self._with_port(block.text), encoding="utf-8")
        elif block.language == "python":
            self._compare(block, output, self._python(block))
        elif block.language == "console":
            for command, lines in _commands(block):
                self._console(block, command, lines)
        elif block.language == "sh":
            for command in block.text.replace("\\\n", " ").splitlines():
                if command.strip():
                    self._shell(block, command)
        else:
            self._differs(block, f"a block of {block.language or 'nothing'} that cannot be run")

    def _python(self, block: Block) -> str:
        """Runs it as an interpreter would: the value of a last expression is printed."""
        tree = ast.parse(self._with_port(block.text))
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                exec(compile(tree, self._place(block), "exec"), self._names)  # nosec B102 # our own pages
                if isinstance(last, ast.Expr):
                    expression = compile(ast.Expression(last.value), self._place(block), "eval")
                    value = eval(expression, self._names)  # nosec B307 # our own pages
                    if value is not None:
                        print(repr(value))
            except Exception:
                self._differs(block, traceback.format_exc(limit=-2))
        return printed.getvalue()

    def _compare(self, block: Block, output: Block | None, printed: str) -> None:
        if output is None:
            return
        self.shown.append(Shown(output.lines, printed))
        if not agrees(output.text, printed):
            self._differs(output, f"shown:\n{output.text}\nprinted:\n{printed}")

    def _console(self, block: Block, command: str, lines: range) -> None:
        shown = "".join(f"{line}\n" for line in self._page_lines(lines))
        failing = shown.startswith("error:") or "\nerror:" in shown
        printed = self._shell(block, command, failing=failing)
        if shown.strip():
            self.shown.append(Shown(lines, printed))
            if not agrees(shown, printed):
                self._differs(block, f"$ {command}\nshown:\n{shown}\nprinted:\n{printed}")

    def _shell(self, block: Block, command: str, failing: bool = False) -> str:
        command = self._with_port(command)
        if (problem := problem_of(command)) is not None:
            if problem:
                self._differs(block, f"$ {command}\n{problem}")
            return ""
        if assigned := re.fullmatch(r"export (\w+)=(.*)", command.strip()):
            os.environ[assigned[1]] = shlex.split(assigned[2])[0] if assigned[2] else ""
            return ""
        if command.rstrip().endswith("&"):
            return self._serve(block, command.rstrip(" &\n"))
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
        )
        gone = "|" in command and done.returncode == _READER_GONE
        if (done.returncode != 0 and not gone) != failing:
            self._differs(block, f"$ {command}\nexit code {done.returncode}\n{done.stdout}")
        return self._with_pages_port(done.stdout)

    def _serve(self, block: Block, command: str) -> str:
        """Starts it and waits until it listens."""
        log = Path(f"server-{len(self._servers)}.log")
        with log.open("wb") as output:
            server = subprocess.Popen(["bash", "-c", f"exec {command}"], stdout=output, stderr=subprocess.STDOUT)
        self._servers.append(server)
        given_up = time.monotonic() + _PATIENCE
        while time.monotonic() < given_up and server.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._port), timeout=1):
                return self._with_pages_port(log.read_text())
            time.sleep(0.1)
        self._differs(block, f"$ {command}\ndoes not listen\n{log.read_text()}")
        return ""

    def _stop_servers(self) -> None:
        for server in self._servers:
            server.send_signal(signal.SIGTERM)
            server.wait(_PATIENCE)

    def _with_port(self, text: str) -> str:
        return text.replace(f"{_PORT}", f"{self._port}").replace("calque serve", f"calque serve --port {self._port}")

    def _with_pages_port(self, text: str) -> str:
        return text.replace(f"{self._port}", f"{_PORT}")

    def _page_lines(self, lines: range) -> list[str]:
        return self.path.read_text(encoding="utf-8").splitlines()[lines.start : lines.stop]

    def _place(self, block: Block) -> str:
        return f"{self.path.name}, line {block.line}"

    def _differs(self, block: Block, what: str) -> None:
        self.differing.append(f"{self._place(block)}: {what}")


def _commands(block: Block) -> Iterator[tuple[str, range]]:
    """Each command after a `$`, and the lines of the page that show its output. A command goes on after a backslash."""
    text = block.text.splitlines()
    starts = [at for at, line in enumerate(text) if line.startswith("$ ")]
    if not starts or starts[0] != 0:
        raise ValueError(f"line {block.line}: a console block begins with a command after $")
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        first = start + 1
        while text[first - 1].endswith("\\"):
            first += 1
        yield "\n".join(text[start:first])[2:], range(block.line + first, block.line + end)


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """Works there, with this Python's commands first, no model or configuration of the user's, and no colours."""
    before, environment = Path.cwd(), dict(os.environ)
    os.environ.update(PATH=f"{_PACKAGE_BIN}{os.pathsep}{os.environ['PATH']}", COLUMNS="100", HOME=str(folder.resolve()))
    os.environ.update(NO_COLOR="1", HF_HUB_OFFLINE="1", MPLBACKEND="agg", PYTHONWARNINGS="ignore")
    for name in ("CALQUE_MODEL", "CALQUE_CONFIG", "CALQUE_DATA", "CALQUE_CACHE"):
        os.environ.pop(name, None)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        os.environ.clear()
        os.environ.update(environment)


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
