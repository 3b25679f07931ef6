"""Embeddings for LangChain.

```python
from calque.integrations.langchain import CalqueEmbeddings
from langchain_core.vectorstores import InMemoryVectorStore

store = InMemoryVectorStore(CalqueEmbeddings())
```
"""

from __future__ import annotations

from pathlib import Path

from ..errors import UsageError
from ..extras import require
from ..model import Model, as_model

require("langchain_core", "langchain", "the embedding class for LangChain")

from langchain_core.embeddings import Embeddings  # noqa: E402 (only now is it known to be there)


class CalqueEmbeddings(Embeddings):
    """Vectors of length 1, or of zeros for text without any known piece; queries are embedded as documents are.

    The asynchronous methods work in a thread.

    Args:
        model: A folder, `box`, or a model; without it, CALQUE_MODEL names it, or else it is the one in the box.
        language: Of all texts; needed by models with a vocabulary for each language.
        threads: As many as there are cores, unless given.
    """

    def __init__(
        self, model: str | Path | Model | None = None, *, language: str | None = None, threads: int | None = None
    ) -> None:
        self.model = as_model(model)
        self.language = language
        self.threads = threads

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """A vector for each text.

        Raises:
            UsageError: one str in place of a list.
        """
        if isinstance(texts, str):
            raise UsageError("embed_documents takes a list of texts, got one str", hint="embed_query(text) takes one")
        vectors = self.model.encode(texts, normalize=True, threads=self.threads, language=self.language)
        embedded: list[list[float]] = vectors.tolist()
        return embedded

    def embed_query(self, text: str) -> list[float]:
        """The text's vector."""
        return self.embed_documents([text])[0]
