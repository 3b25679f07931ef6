"""One encoder for every engine that sends code to its workers: Ray's map_batches, Spark's pandas_udf, datasets' map."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, overload

from ..encoder import Vector, Vectors
from ..errors import UsageError
from ..extras import require
from ..model import Model, as_model


class BatchEncoder:
    """Gives each batch its vectors; it travels as the name of its model, which is opened where it is first used.

    Examples:
        >>> encoder = calque.BatchEncoder(column="text")
        >>> batch = encoder({"text": ["A dog runs.", "Un perro corre."]})
        >>> batch["vector"].shape
        (2, 256)

    A batch is a dictionary of columns, a pandas DataFrame or a pyarrow Table or RecordBatch, and comes back with a
    column more; or a pandas Series or a list of texts, for which there is a Series of vectors or an array. One text,
    alone or as a dictionary's column, gets one vector. A text that is missing is taken for an empty one.

    Args:
        model: A model's folder, which all workers must see, or `box`; or an open model, which then travels itself.
        column: The column of the texts.
        vectors: The column for the vectors.
        normalize: Give every vector length 1.
        language: The texts' language, for models with a vocabulary for each.
        threads: For each batch; engines run several workers on a machine.
    """

    def __init__(
        self,
        model: Model | str | Path | None = None,
        *,
        column: str = "text",
        vectors: str = "vector",
        normalize: bool = False,
        language: str | None = None,
        threads: int = 1,
    ) -> None:
        self._named = model if isinstance(model, Model) or model is None else _from_anywhere(str(model))
        self._column, self._vectors = column, vectors
        self._normalize, self._language, self._threads = normalize, language, threads
        self._opened: Model | None = None

    @property
    def model(self) -> Model:
        if self._opened is None:
            self._opened = as_model(self._named)
        return self._opened

    @overload
    def encode(self, texts: str) -> Vector: ...
    @overload
    def encode(self, texts: Iterable[str | None]) -> Vectors: ...
    def encode(self, texts: str | Iterable[str | None]) -> Vectors:
        """As `Model.encode`, with the options of this encoder."""
        if isinstance(texts, str):
            return self.model.encode(texts, self._normalize, self._threads, self._language)
        filled = ["" if text is None else text for text in texts]
        return self.model.encode(filled, self._normalize, self._threads, self._language)

    def __call__(self, batch: Any) -> Any:
        """
        Raises:
            UsageError: a batch without the column.
        """
        kind = f"{type(batch).__module__.partition('.')[0]}.{type(batch).__name__}"
        if kind == "pandas.Series":
            return type(batch)(list(self.encode(batch.fillna("").tolist())), index=batch.index)
        if kind == "pandas.DataFrame":
            return batch.assign(**{self._vectors: self(self._texts(batch, list(batch.columns)))})
        if kind in ("pyarrow.Table", "pyarrow.RecordBatch"):
            return self._with_column(batch)
        if isinstance(batch, dict):
            return batch | {self._vectors: self.encode(self._texts(batch, list(batch)))}
        return self.encode(batch)

    def _texts(self, batch: Any, columns: list[Any]) -> Any:
        if self._column not in columns:
            named = ", ".join(map(str, columns[:12])) or "none"
            raise UsageError(f"no column {self._column!r} among {named}", hint='BatchEncoder(column="…") says which')
        return batch[self._column]

    def _with_column(self, table: Any) -> Any:
        pyarrow: Any = require("pyarrow", "data", "a table")
        vectors = self.encode(self._texts(table, table.schema.names).to_pylist())
        values = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(vectors.reshape(-1)), vectors.shape[1])
        return table.append_column(self._vectors, values)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_opened": None}


def _from_anywhere(model: str) -> str:
    """A relative path would mean another folder where a worker runs."""
    return str(Path(model).absolute()) if Path(model).is_dir() else model
