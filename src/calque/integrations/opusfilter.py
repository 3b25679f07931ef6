"""A filter for OpusFilter: `module: calque.integrations.opusfilter` in the YAML of a step.

```yaml
- type: filter
  parameters:
    inputs: [corpus.en, corpus.de]
    outputs: [kept.en, kept.de]
    filters:
      - CalqueFilter: {model: /models/en-de, threshold: 0.1}
        module: calque.integrations.opusfilter
```
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from ..batches import batches
from ..corpus import Pair
from ..corpus.languages import require_standard
from ..extras import require
from ..filtering import SCORES, Score, score_named
from ..filtering.pool import SIZE as POOL
from ..filtering.sample import sample_of
from ..model import load
from ..model.box import NAME as BOX

require("opusfilter", "opusfilter", "the filter for OpusFilter")

from opusfilter import CLEAN_HIGH, ConfigurationError, FilterABC  # noqa: E402 (only now is it known to be there)

_BATCH = 8192
_HEAD = 16_384  # pairs that others are drawn from
_Pairs = Iterable[Sequence[str]]


class CalqueFilter(FilterABC):
    """Scores as `calque filter` does, from the first pairs on that it is given.

    A margin is measured against some of the first 16,384 pairs that a filter sees; with `n_jobs`, each job's own.

    Args:
        model: A folder, relative to OpusFilter's output directory unless absolute, or `box`, the model in the box;
            without it, CALQUE_MODEL names it, or else it is the one in the box.
        score: `margin` or `cosine`.
        threshold: The lowest score to keep, as `calque filter` prints it; scoring alone needs none.
        languages: Two codes, for models with a vocabulary for each language.
        threads: As many as there are cores, unless given.
        name: As for all of OpusFilter's filters.
        workdir: OpusFilter's output directory, which it gives itself.

    Raises:
        ConfigurationError: no such score; no threshold where pairs are to be accepted.
    """

    score_direction = CLEAN_HIGH
    accept_threshold = -2  # below any cosine, and any margin
    reject_threshold = 1 + 1e-6

    def __init__(
        self,
        model: str | None = None,
        score: str = "margin",
        threshold: float | None = None,
        languages: Sequence[str] | None = None,
        threads: int | None = None,
        name: str | None = None,
        workdir: str = "",
    ) -> None:
        super().__init__(name=name, workdir=workdir)  # type: ignore[no-untyped-call]
        if score not in SCORES:
            raise ConfigurationError(f"score: expected one of {', '.join(SCORES)}, got {score!r}")
        self.threshold = threshold
        self._languages = require_standard(languages) if languages else None
        self._model = load(os.path.join(workdir, model) if model and model != BOX else model)
        self._model.require_vocabularies(self._languages or ())
        self._kind, self._threads = score, threads
        self._score: Score | None = None

    def score(self, pairs: _Pairs) -> Iterator[float]:
        """The higher, the likelier that a pair's sides translate each other."""
        return (score for _, score in self._scored(pairs))

    def accept(self, score: float) -> bool:
        """Whether it reaches the threshold."""
        if self.threshold is None:
            raise ConfigurationError("CalqueFilter: no threshold given; calque filter prints one that suits the corpus")
        return score >= self.threshold

    def filter(self, pairs: _Pairs) -> Iterator[Sequence[str]]:
        """Some thousand at a time; OpusFilter's own way, one pair after the other, knows no other sentences."""
        return (pair for pair, score in self._scored(pairs) if self.accept(score))

    def filterfalse(self, pairs: _Pairs) -> Iterator[Sequence[str]]:
        """What `filter` drops."""
        return (pair for pair, score in self._scored(pairs) if not self.accept(score))

    def _scored(self, pairs: _Pairs) -> Iterator[tuple[Sequence[str], float]]:
        stream = iter(pairs)
        head = list(islice(stream, _HEAD))
        if self._score is None and head:
            sample = sample_of([self._pair(pair) for pair in head])
            self._score = score_named(self._kind, self._model, sample[:POOL], self._languages, self._threads)
        for batch in batches(chain(head, stream), _BATCH):
            assert self._score is not None
            yield from zip(batch, self._score.score([self._pair(pair) for pair in batch]).tolist(), strict=True)

    @staticmethod
    def _pair(segments: Sequence[str]) -> Pair:
        if len(segments) != 2:
            raise ConfigurationError(f"CalqueFilter: expected two parallel files, got {len(segments)}")
        return Pair(*segments)
