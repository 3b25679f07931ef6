from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Row = TypeVar("Row", bound=tuple[str, ...])

Matrix = npt.NDArray[np.float32]
Offsets = npt.NDArray[np.uint64]
Ids = npt.NDArray[Any]

def target() -> str: ...
def matrix(rows: int, columns: int) -> Matrix: ...
def mean(embeddings: Matrix, ids: Ids, offsets: Offsets, out: Matrix, threads: int) -> None: ...
def hardest(
    source: Matrix, target: Matrix, row_keys: list[list[int]], column_keys: list[list[int]], threads: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32], npt.NDArray[np.int32], npt.NDArray[np.float32]]: ...
def meet(
    rows: Matrix,
    columns: Matrix,
    first_row: int,
    first_column: int,
    row_cosine: Matrix,
    row_index: npt.NDArray[np.int32],
    column_cosine: Matrix,
    column_index: npt.NDArray[np.int32],
    threads: int,
) -> None: ...

SKIP_SOURCE: int
SKIP_TARGET: int

def advance(
    first: npt.NDArray[np.int64],
    last: npt.NDArray[np.int64],
    offsets: npt.NDArray[np.int64],
    shapes: npt.NDArray[np.int64],
    costs: Matrix,
    skip: float,
    begin: int,
    end: int,
    total: npt.NDArray[np.float64],
    step: npt.NDArray[np.uint8],
) -> None: ...

class Problem:
    @property
    def utf8(self) -> bool: ...  # else: the number of columns
    @property
    def line(self) -> int: ...
    @property
    def detail(self) -> int: ...
    @property
    def byte(self) -> int: ...

def split_lines(block: bytearray, end: int) -> tuple[list[str], Problem | None]: ...
def without_blank(rows: list[Row]) -> list[Row]: ...
def measure(
    rows: Sequence[tuple[str, ...]],
    side: int,
    kinds: npt.NDArray[np.uint16],
    small: npt.NDArray[np.uint32],
    scripts: int,
    wide_scripts: int,
    threads: int,
) -> npt.NDArray[np.uint8]: ...

class Seen:
    def __init__(self, most_slots: int) -> None: ...
    def add(self, hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]: ...
    @property
    def forgotten(self) -> int: ...

class RowSplitter:
    def __init__(self, row: type[tuple[str, ...]], columns: list[int], exactly: int) -> None: ...
    def push(self, block: bytearray, end: int) -> None: ...
    def take(self, most: int) -> list[Any]: ...
    @property
    def lines(self) -> int: ...
    @property
    def problem(self) -> Problem | None: ...

class WordTable:
    def __init__(self, dimension: int, most_words: int, fold_case: bool, seed: int) -> None: ...
    def encode(
        self,
        texts: list[str],
        which: npt.NDArray[np.uint64],
        out: Matrix,
        pieces: npt.NDArray[np.uint32],
        normalize: bool,
        threads: int,
    ) -> tuple[list[str], npt.NDArray[np.uint64], npt.NDArray[np.uint64]]: ...
    def add(self, words: list[str], ids: Ids, offsets: Offsets, embeddings: Matrix) -> None: ...
    def __len__(self) -> int: ...

class Trainer:
    def __init__(
        self,
        embeddings: Matrix,
        first_moments: Matrix,
        second_moments: Matrix,
        current: npt.NDArray[np.uint32],
        step_weights: npt.NDArray[np.float32],
        batch_size: int,
        margin: float,
        dropout: float,
        beta_first: float,
        beta_second: float,
        epsilon: float,
        monolingual: bool,
        exclude_same_text: bool,
        seed: int,
        frozen: npt.NDArray[np.uint8],  # one truth a row; empty: all learn
    ) -> None: ...
    def use(self, source_ids: Ids, source_offsets: Offsets, target_ids: Ids, target_offsets: Offsets) -> None: ...
    def train(
        self, pairs: npt.NDArray[np.uint32], rates: npt.NDArray[np.float32], threads: int
    ) -> dict[str, float]: ...
    def train_on(
        self,
        source_ids: Ids,
        source_offsets: Offsets,
        target_ids: Ids,
        target_offsets: Offsets,
        rates: npt.NDArray[np.float32],
        threads: int,
    ) -> dict[str, float]: ...
    def settle(self, out: Matrix, threads: int) -> None: ...
    def step_weights(self) -> npt.NDArray[np.float32]: ...

def code_rows(vectors: Matrix, codes: npt.NDArray[np.int8], about: Matrix, threads: int) -> None: ...
def scan(
    queries: Matrix,
    vectors: Matrix,
    codes: npt.NDArray[np.int8],
    about: Matrix,
    deleted: npt.NDArray[np.uint8] | None,
    cosine: Matrix,
    index: npt.NDArray[np.int32],
    threads: int,
) -> None: ...
def offer_one_way(
    cosines: Matrix, first_column: int, cosine: Matrix, index: npt.NDArray[np.int32], threads: int
) -> None: ...
def exact_products(
    queries: Matrix, vectors: Matrix, index: npt.NDArray[np.int32], out: Matrix, threads: int
) -> None: ...
