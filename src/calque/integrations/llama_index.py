"""An embedding model for LlamaIndex.

```python
from calque.integrations.llama_index import CalqueEmbedding
from llama_index.core import VectorStoreIndex

index = VectorStoreIndex.from_documents(documents, embed_model=CalqueEmbedding())
```
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..extras import require
from ..model import Model, as_model
from ..model.box import NAME as BOX
from ..model.box import box_folder

require("llama_index.core", "llama-index", "the embedding model for LlamaIndex")

from llama_index.core.base.embeddings.base import BaseEmbedding  # noqa: E402 (only now is it known to be there)
from llama_index.core.bridge.pydantic import Field, PrivateAttr  # noqa: E402

_LARGEST_BATCH = 2048  # that LlamaIndex allows


class CalqueEmbedding(BaseEmbedding):
    """Vectors of length 1, or of zeros for text without any known piece; queries are embedded as texts are.

    Of a model, `to_dict` keeps the folder's name only. `language`, `threads` and LlamaIndex's own fields are given by
    name.

    Raises:
        UsageError: an open model that lies in no folder.
    """

    model: str | None = Field(
        default=None,
        description="A model folder, or `box`; without it, CALQUE_MODEL names it, or else it is the one in the box.",
    )
    language: str | None = Field(
        default=None, description="Of all texts; needed by models with a vocabulary for each language."
    )
    threads: int | None = Field(default=None, description="One for each core, if not given.")
    embed_batch_size: int = Field(default=_LARGEST_BATCH, description="Texts at a time.", gt=0, le=_LARGEST_BATCH)

    _opened: Model = PrivateAttr()

    def __init__(self, model: str | Path | Model | None = None, **fields: Any) -> None:
        opened = as_model(model)
        folder = opened.path if isinstance(model, Model) else model
        if isinstance(model, Model) and folder is None:
            raise UsageError(
                "the model lies in no folder, so an embedding model could not name it", hint="save it first"
            )
        name = BOX if opened.path == box_folder() else str(opened.path)
        super().__init__(**{"model_name": name, **fields, "model": None if folder is None else str(folder)})
        self._opened = opened

    @classmethod
    def class_name(cls) -> str:
        return "CalqueEmbedding"

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        vectors = self._opened.encode(texts, normalize=True, threads=self.threads, language=self.language)
        embedded: list[list[float]] = vectors.tolist()
        return embedded

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return await asyncio.to_thread(self._get_text_embeddings, texts)

    async def _aget_text_embedding(self, text: str) -> list[float]:
        return await asyncio.to_thread(self._get_text_embedding, text)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return await asyncio.to_thread(self._get_query_embedding, query)
