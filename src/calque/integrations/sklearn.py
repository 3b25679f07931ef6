"""A transformer for scikit-learn: text in, vectors out.

```python
from calque.integrations.sklearn import CalqueVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

classifier = make_pipeline(CalqueVectorizer(), LogisticRegression()).fit(english, labels)
classifier.predict(spanish)
```
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..encoder import Vectors
from ..errors import UsageError
from ..extras import require
from ..model import Model, as_model

require("sklearn", "sklearn", "the vectorizer for scikit-learn")

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin  # noqa: E402 (only now is it known to be there)


class TextError(UsageError, ValueError):
    """A ValueError, too, as scikit-learn's users expect of input that cannot be used."""


class CalqueVectorizer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[no-untyped-call]
    """(texts, dimension) float32 of a list, array or Series of str, or of an array or DataFrame with one such column.

    There is nothing to fit. The model is opened when first needed; a pickle holds the folder's name only, unless it was
    given a model.

    Args:
        model: A folder, `box`, or a model; without it, CALQUE_MODEL names it, or else it is the one in the box.
        normalize: Make rows of length 1.
        language: Of all texts; needed by models with a vocabulary for each language.
        threads: As many as there are cores, unless given.
    """

    def __init__(
        self,
        model: str | Path | Model | None = None,
        *,
        normalize: bool = True,
        language: str | None = None,
        threads: int | None = None,
    ) -> None:
        self.model = model
        self.normalize = normalize
        self.language = language
        self.threads = threads

    def fit(self, X: Any, y: Any = None) -> CalqueVectorizer:  # noqa: N803 (scikit-learn's name for it)
        """Learns nothing, but sees to it that the model can be opened and that these are texts."""
        _texts(X)
        self._opened()
        return self

    def transform(self, X: Any) -> Vectors:  # noqa: N803
        """The texts' vectors, (texts, dimension) float32.

        Raises:
            TextError: something that is no text, such as a missing value.
        """
        texts = _texts(X)
        return self._opened().encode(texts, self.normalize, self.threads, self.language)

    @property
    def _n_features_out(self) -> int:
        return self._opened().dimension

    def _opened(self) -> Model:
        named, opened = getattr(self, "_held", (None, None))
        if opened is None or named != self.model:  # `set_params` may have named another
            opened = as_model(self.model)
            self._held = self.model, opened
        return opened

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()  # type: ignore[no-untyped-call]
        return {name: value for name, value in state.items() if name != "_held"}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[no-untyped-call]
        tags.requires_fit = False
        tags.input_tags.string = tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False  # of numbers, which scikit-learn's own checks would send
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return True  # scikit-learn before 1.6 does not read the tags above


def _texts(given: Any) -> Sequence[str]:
    array = np.asarray(given, dtype=object)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        what = f"an array of shape {array.shape}" if array.ndim else type(given).__name__
        raise TextError(
            f"expected a list of texts, or one column of them, got {what}", hint="like [text] or frame[name]"
        )
    texts: list[str] = array.tolist()
    for at, text in enumerate(texts):
        if not isinstance(text, str):
            raise TextError(
                f"text {at}: expected a str, got {text!r:.40} ({type(text).__name__})",
                hint="texts are str, and '' where they are missing",
            )
    return texts
