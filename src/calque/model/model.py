"""A model: text in, vectors out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import overload

import numpy as np

from ..encoder import Encoder, Vector, Vectors
from ..errors import UsageError
from ..vocabulary import Vocabulary
from ..vocabulary.sharing import SeparateVocabularies
from .about import About, signature
from .box import NAME as BOX
from .box import box_folder
from .quality import LanguageQuality, Tier, quality_of, tier_of


class Model:
    """Text in, vectors out. `calque.load` opens one, `calque.train` makes one; several threads may use it at once.

    Examples:
        >>> model = calque.load()
        >>> model.encode(["A dog runs.", "Un perro corre."]).shape
        (2, 256)
        >>> model.encode("A dog runs.").shape
        (256,)
        >>> round(model.similarity("A dog runs.", "Un perro corre."), 2)
        0.94

    Attributes:
        path: The folder it was opened from; None if it lies in none.
        about: Where it comes from: recipe, languages, data, and how it was trained.
        checksum: Of all that was learnt.
        vocabulary_checksum: Of how text becomes rows.
        encoder: What it is inside, an average or a BLSTM.
    """

    def __init__(
        self,
        encoder: Encoder,
        about: About,
        path: Path | None = None,
        checksum: str = "",
        vocabulary_checksum: str = "",
    ) -> None:
        self.encoder = encoder
        self.about = about
        self.path = path
        self.checksum = checksum
        self.vocabulary_checksum = vocabulary_checksum

    @property
    def name(self) -> str:
        """The folder's, or `box`."""
        if self.path is None:
            return "unsaved"
        return BOX if self.path == box_folder() else self.path.resolve().name

    @property
    def to_start_from(self) -> str:
        """The model that `calque train --init` should take to teach it more: itself or, if that cannot be, the box."""
        return BOX if self.path is None or self.about.library or self.path == box_folder() else str(self.path)

    def teaching(self, language: str) -> str:
        """The command that teaches it a language that it does not know."""
        return f"calque train BITEXT --init {self.to_start_from} --add-language {language} --out DIR"

    @property
    def vocabulary(self) -> Vocabulary:
        """How text becomes rows of `embeddings`."""
        return self.encoder.vocabulary

    @property
    def embeddings(self) -> Vectors:
        """A row for each piece of the vocabulary, (vocabulary.size, dimension) float32.

        If the model's rows are stored as codes, they are worked out when first asked for, and then kept.
        """
        return self.encoder.embeddings

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return self.encoder.dimension

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of those it was trained on, such as `("en", "es")`; none if that is not known."""
        return self.about.languages

    def quality(self, language: str) -> LanguageQuality | None:
        """The share of sentences in a language that find their translation, as measured; None if it was not measured.

        >>> calque.load("box").quality("ko").tier
        'weak'
        """
        return quality_of(language, self.about.quality)

    def tier(self, language: str) -> Tier | None:
        """How far the model can be relied on in a language: "strong", "usable", "weak" or "unknown".

        "unknown" is a language that it was not trained on. None if the language was not measured, or if the model does
        not say what it was trained on.
        """
        return tier_of(language, self.languages, self.about.quality)

    def require_languages(self, languages: Iterable[str]) -> None:
        """Whoever names a text's language wants to know if the model has never seen it.

        Raises:
            UsageError: it was trained on other languages. One that does not say what it was trained on takes any.
        """
        from ..corpus.languages import best_fit  # with it come the readers of bitext, for which opening need not wait

        for language in languages:
            if self.languages and best_fit(language, self.languages) is None:
                raise UsageError(
                    f"the model knows {', '.join(self.languages)}, not {language}",
                    hint=f"{self.teaching(language)} teaches it; leave the language out to try it all the same",
                )

    def unknown_among(self, languages: Iterable[str]) -> tuple[str, ...]:
        """Return those of some languages that the model was not trained on; none if that is not known."""
        from ..corpus.languages import best_fit

        return tuple(each for each in languages if self.languages and best_fit(each, self.languages) is None)

    def require_vocabularies(self, languages: Iterable[str]) -> None:
        """Check languages that say what a text is in, which a model with one vocabulary for all can do without.

        Raises:
            UsageError: there is a vocabulary for each language, and none for one of these.
        """
        if isinstance(self.vocabulary, SeparateVocabularies):
            self.require_languages(languages)

    @overload
    def encode(
        self, texts: str, normalize: bool = False, threads: int | None = None, language: str | None = None
    ) -> Vector: ...
    @overload
    def encode(
        self, texts: Sequence[str], normalize: bool = False, threads: int | None = None, language: str | None = None
    ) -> Vectors: ...
    def encode(
        self,
        texts: str | Sequence[str],
        normalize: bool = False,
        threads: int | None = None,
        language: str | None = None,
    ) -> Vectors:
        """The texts' vectors, (len(texts), dimension) float32; for one str, its vector, (dimension,).

        Any str has a vector. Text of nothing but unknown pieces, such as the empty string, gets zeros. NUL is a
        character like any other, a lone surrogate counts as U+FFFD. A BLSTM reads the first 10,000 tokens of a text.

        Args:
            texts: Any number of them, or one str.
            normalize: Make rows of length 1, so that their dot products are cosines. Some models of other libraries
                do so in any case.
            threads: As many as there are cores, unless given.
            language: That of all the texts. It matters only to models with a vocabulary for each language, and is
                required there.

        Raises:
            UsageError: no language where one is required.
        """
        if isinstance(texts, str):
            vector: Vector = self.encoder.encode([texts], normalize, threads, language)[0]
            return vector
        return self.encoder.encode(texts, normalize, threads, language)

    def similarity(self, first: str, second: str, languages: tuple[str, str] | None = None) -> float:
        """The cosine of two texts' vectors, −1 to 1; 0 if either has no known piece.

        `languages` are those of the two texts, for models with a vocabulary for each language.
        """
        return float(self.similarities([first], [second], languages)[0])

    def similarities(
        self, first: Sequence[str], second: Sequence[str], languages: tuple[str, str] | None = None
    ) -> Vectors:
        """The cosine of each text with the one at the same place in the other list, (n,) float32.

        Examples:
            >>> model = calque.load()
            >>> print(model.similarities(["A dog runs.", "It rains."], ["Un perro corre.", "Hace sol."]).round(1))
            [0.9 0.1]

        Raises:
            UsageError: lists of different lengths, or one str in place of a list.
        """
        if isinstance(first, str) or isinstance(second, str):
            raise UsageError(
                "similarities takes two lists of texts, got one str", hint="similarity(first, second) takes two texts"
            )
        if len(first) != len(second):
            raise UsageError(
                f"similarities takes two lists of one length, got {len(first)} and {len(second)} texts",
                hint="each with each: encode(first, normalize=True) @ encode(second, normalize=True).T",
            )
        one, two = languages or (None, None)
        cosines: Vectors = np.einsum(
            "ij,ij->i",
            self.encode(first, normalize=True, language=one),
            self.encode(second, normalize=True, language=two),
        )
        return cosines

    def signature(self, name: str, pairs: int) -> str:
        """The signature of a score measured on `pairs` pairs of the set `name`."""
        return signature(self.about, self.encoder, name, pairs)

    def __deepcopy__(self, memo: object) -> Model:
        """Itself: nothing in it changes, and libraries copy whatever they are configured with, over and over."""
        return self

    def __repr__(self) -> str:
        return f"<calque.Model {self.encoder.kind}:{self.vocabulary.size} × {self.dimension} {self.path or ''}>"
