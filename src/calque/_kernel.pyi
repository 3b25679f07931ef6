from typing import Any

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]
Offsets = npt.NDArray[np.uint64]
Ids = npt.NDArray[Any]

def target() -> str: ...
def matrix(rows: int, columns: int) -> Matrix: ...
def mean(embeddings: Matrix, ids: Ids, offsets: Offsets, out: Matrix, threads: int) -> None: ...
def hardest(
    source: Matrix, target: Matrix, row_keys: list[list[int]], column_keys: list[list[int]], threads: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32], npt.NDArray[np.int32], npt.NDArray[np.float32]]: ...

class WordTable:
    def __init__(self, dimension: int, most_words: int, fold_case: bool, seed: int) -> None: ...
    def encode(
        self, texts: list[str], which: npt.NDArray[np.uint64], out: Matrix, normalize: bool, threads: int
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
    ) -> None: ...
    def use(self, source_ids: Ids, source_offsets: Offsets, target_ids: Ids, target_offsets: Offsets) -> None: ...
    def train(
        self, pairs: npt.NDArray[np.uint32], rates: npt.NDArray[np.float32], threads: int
    ) -> dict[str, float]: ...
    def settle(self, out: Matrix, threads: int) -> None: ...
    def step_weights(self) -> npt.NDArray[np.float32]: ...
