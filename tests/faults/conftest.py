from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from process import compile_shim


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if sys.platform != "linux":
        pytest.skip("processes are looked at through /proc, which is Linux's")
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler to make failing reads with: apt install gcc")
    return compile_shim(tmp_path_factory.mktemp("shim") / "read_errors.so")
