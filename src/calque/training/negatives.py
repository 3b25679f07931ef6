"""The hardest negatives of a mega-batch, by the same rules as the kernel's own training (kernel/mega_batch.cpp)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .. import _kernel
from ..encoder.protocol import Vectors
from ..vocabulary import Tokens

_COLUMNS = 16  # the kernel works on tiles of so many

Numbers = npt.NDArray[np.int32]


def hardest_negatives(
    vectors: Vectors, sentences: Tokens, *, monolingual: bool, exclude_repeats: bool, threads: int
) -> Numbers:
    """For each sentence, sources first and then their targets, which one is its hardest negative; −1: none."""
    pairs = len(vectors) // 2
    own = _text_numbers(sentences, monolingual) if exclude_repeats else [at % pairs for at in range(2 * pairs)]
    partner = own[pairs:] + own[:pairs]
    wide = np.pad(vectors, ((0, 0), (0, -vectors.shape[1] % _COLUMNS)))
    if monolingual:
        # Left out: the same text, one whose partner is, and the partner.
        found, *_ = _kernel.hardest(wide, wide, [own, own, partner], [own, partner, own], threads)
        return found
    # Left out: one whose source is the sentence, and the sentence's translation.
    row_keys, column_keys = [own[:pairs], partner[:pairs]], [partner[pairs:], own[pairs:]]
    of_sources, _, of_targets, _ = _kernel.hardest(wide[:pairs], wide[pairs:], row_keys, column_keys, threads)
    return np.concatenate([np.where(of_sources < 0, -1, of_sources + pairs), of_targets]).astype(np.int32)


def _text_numbers(sentences: Tokens, monolingual: bool) -> list[int]:
    """The same number for the same tokens; the two sides count apart unless they are one language."""
    numbers: dict[tuple[bool, bytes], int] = {}
    pairs = len(sentences) // 2
    sides = [not monolingual and at >= pairs for at in range(len(sentences))]
    texts = ((side, sentences[at].tobytes()) for at, side in enumerate(sides))
    return [numbers.setdefault(text, len(numbers)) for text in texts]
