"""A component for spaCy: vectors and similarities of documents, spans and tokens.

```python
import calque.integrations.spacy  # spaCy finds it by itself where Calque is installed
import spacy

nlp = spacy.blank("xx")
nlp.add_pipe("calque", config={"model": "box"})
nlp("A dog runs.").similarity(nlp("Un perro corre."))
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..batches import batches
from ..encoder import Vectors
from ..extras import require
from ..model import Model, as_model

require("spacy", "spacy", "the component for spaCy")

from spacy.language import Language  # noqa: E402 (only now is it known to be there)
from spacy.tokens import Doc, Span, Token  # noqa: E402

Piece = Doc | Span | Token


class CalqueVectors:
    """`vector` is that of the text, of length 1, or zeros if nothing in it is known; `similarity` is the cosine.

    A span's or token's vector is made when asked for, from its own text alone. spaCy keeps neither vectors nor hooks
    where it writes documents as bytes, and so with `n_process` above 1: there, call the component on them once more.
    `nlp.to_disk` keeps the name of the model's folder, not the model.
    """

    def __init__(self, model: Model, language: str | None, threads: int | None) -> None:
        self.model = model
        self.language = language
        self.threads = threads

    def __call__(self, doc: Doc) -> Doc:
        """The same document, with its vector."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], batch_size: int = 1000) -> Iterator[Doc]:
        """The same documents with their vectors, of which some at a time are made together."""
        for docs in batches(stream, batch_size):
            for doc, vector in zip(docs, self._vectors([doc.text for doc in docs]), strict=True):
                self._attach(doc, vector)
                yield doc

    def _attach(self, doc: Doc, vector: Any) -> None:
        doc.vector, doc.vector_norm = vector, float(vector.any())
        hooks: dict[str, Any] = {"has_vector": self._has_vector, "similarity": self._similarity}
        doc.user_hooks.update(hooks)
        for parts in (doc.user_span_hooks, doc.user_token_hooks):
            parts.update(hooks, vector=self._vector)

    def _vectors(self, texts: list[str]) -> Vectors:
        return self.model.encode(texts, normalize=True, threads=self.threads, language=self.language)

    def _vector(self, piece: Piece) -> Vectors:
        vector: Vectors = self._vectors([piece.text])[0]
        return vector

    def _has_vector(self, piece: Piece) -> bool:
        return bool(piece.vector.any())

    def _similarity(self, one: Piece, other: Any) -> float:
        """From both texts: the other may come from another pipeline, or be a lexeme, which has no such vector."""
        first, second = self._vectors([one.text, other.text])
        return float(first @ second)


@Language.factory("calque", default_config={"model": None, "language": None, "threads": None})
def make_calque(
    nlp: Language, name: str, model: str | None, language: str | None, threads: int | None
) -> CalqueVectors:
    """What `nlp.add_pipe("calque", config={…})` makes.

    Args:
        nlp: The pipeline.
        name: The component's, in the pipeline.
        model: A folder, or `box`; without it, CALQUE_MODEL names it, or else it is the one in the box.
        language: Of all texts; needed by models with a vocabulary for each language.
        threads: As many as there are cores, unless given.
    """
    return CalqueVectors(as_model(model), language, threads)
