"""uvicorn's insides that the server extends: all of them are listed here, and the installed uvicorn has each."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
import sys
from importlib import metadata
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

import uvicorn
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from calque.errors import UsageError
from calque.server import at_once, protocol
from calque.server.protocol import Protocol
from calque.server.versions import TESTED, require_tested

RELIED_UPON = {
    "HttpToolsProtocol": {
        # methods that are extended
        "__init__", "connection_made", "connection_lost", "data_received", "shutdown",
        "pause_writing", "resume_writing", "on_headers_complete", "on_body",
        "on_message_complete", "on_response_complete",
        "send_400_response", "timeout_keep_alive_handler",
        # what it keeps for a connection
        "access_log", "app", "connections", "flow", "limit_concurrency", "loop", "parser", "pipeline", "server_state",
        "timeout_keep_alive", "timeout_keep_alive_task", "transport",
        # what it keeps for a request
        "cycle", "expect_100_continue", "headers", "scope", "url",
    },
    "RequestResponseCycle": {"disconnected", "keep_alive", "message_event", "response_complete", "response_started"},
    "FlowControl": {"write_paused"},
    "ServerState": {"default_headers"},
    "HttpRequestParser": {"get_http_version", "get_method", "should_keep_alive", "should_upgrade"},
}  # fmt: skip


class Wire(asyncio.Transport):
    """A transport on which nothing happens."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""

    def write(self, data: bytes) -> None:
        self.written += data

    def is_closing(self) -> bool:
        return False


async def application(scope: object, receive: object, send: object) -> None:
    await asyncio.sleep(60)


async def living() -> dict[str, object]:
    """uvicorn's own objects, in the middle of a request."""
    config = uvicorn.Config(application, ws="none", log_config=None)
    one = HttpToolsProtocol(config, ServerState(), {})
    one.connection_made(Wire())
    one.data_received(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{")
    found = {"HttpToolsProtocol": one, "FlowControl": one.flow, "ServerState": one.server_state}
    return {**found, "RequestResponseCycle": one.cycle, "HttpRequestParser": one.parser}


def test_uvicorn_still_has_what_is_relied_upon() -> None:
    objects = asyncio.run(living())
    assert isinstance(objects["RequestResponseCycle"], RequestResponseCycle)
    assert isinstance(objects["FlowControl"], FlowControl)
    lacking = [
        f"{name}.{attribute}"
        for name, attributes in RELIED_UPON.items()
        for attribute in sorted(attributes)
        if not hasattr(objects[name], attribute)
    ]
    versions = {package: metadata.version(package) for package in TESTED}
    assert not lacking, f"these versions, {versions}, lack {lacking}: server/protocol.py and at_once.py need a change"


def test_extended_methods_take_what_they_are_given() -> None:
    for name in RELIED_UPON["HttpToolsProtocol"] & set(vars(Protocol)) - {"__init__"}:
        theirs, ours = (list(inspect.signature(getattr(one, name)).parameters) for one in (HttpToolsProtocol, Protocol))
        assert ours == theirs, f"uvicorn {uvicorn.__version__} calls {name} with {theirs}"


def test_the_list_is_whole() -> None:
    """Every attribute of `self` that no class of ours defines is uvicorn's."""
    own: set[str] = set()
    used: set[str] = set()
    for module in (at_once, protocol):
        tree = ast.parse(inspect.getsource(module))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                own.add(node.name)
            elif isinstance(node, ast.Attribute) and is_self(node.value):
                (own if isinstance(node.ctx, ast.Store) else used).add(node.attr)
        used |= {name for name in own if hasattr(HttpToolsProtocol, name)}
    theirs = {name for name in used if name not in own or hasattr(HttpToolsProtocol, name)}
    stored_by_both = {"headers", "timeout_keep_alive_task"}
    listed = RELIED_UPON["HttpToolsProtocol"]
    assert theirs | stored_by_both == listed, f"not listed: {theirs - listed}; no longer used: {listed - theirs}"


def is_self(node: ast.expr) -> bool:
    is_super = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"
    return is_super or (isinstance(node, ast.Name) and node.id == "self")


def test_the_ranges_are_those_of_the_package() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    extra = " ".join(project["project"]["optional-dependencies"]["serve"])
    for package, (first, below) in TESTED.items():
        assert re.search(rf"\b{package}>={re.escape(first)},<{re.escape(below)}(\s|$)", extra), package
    require_tested()  # so the tests of this folder ran with one of them


@pytest.mark.parametrize(
    ("package", "version"),
    [("uvicorn", "0.33.9"), ("uvicorn", "0.55.0"), ("uvicorn", "1.0"), ("httptools", "0.5.0"), ("httptools", "0.10.1")],
)
def test_another_version_is_refused_with_what_to_install(
    package: str, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = metadata.version
    monkeypatch.setattr(metadata, "version", lambda name: version if name == package else real(name))
    with pytest.raises(UsageError, match=rf"{package} from .* on and below .*, got {re.escape(version)}") as refused:
        require_tested()
    assert refused.value.hint == "pip install 'uvicorn>=0.34,<0.55' 'httptools>=0.6,<0.10'"
