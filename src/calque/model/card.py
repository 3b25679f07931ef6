"""The model's README: what it is, how it was made, how good it is."""

from __future__ import annotations

from ..encoder import FLOAT_BITS, Encoder
from .about import About, signature

_TEMPLATE = """\
---
library_name: calque
tags: [sentence-similarity{tag}]
language: [{languages}]
---
# {title}

Sentence embeddings that are {means}, trained with
[Calque](https://pypi.org/project/calque/) {version} from sentences and their translations.

```python
import calque

model = calque.load("path/to/this/folder")
model.similarity("One sentence.", "Another sentence.")
```

| | |
|---|---|
| languages | {languages} |
| data | {data} |
| recipe | {recipe} |
| vocabulary | {kind}, {size:,} rows |
| numbers | {numbers} |
| epoch kept | {epoch} |
| training time | {seconds:,.0f} s |

{scores}
"""


_MEANS = {
    "average": "averages of {size:,} learned vectors of {dimension} dimensions",
    "blstm": "means of a bidirectional LSTM's states over {size:,} learned vectors of {dimension} dimensions",
}


def card(encoder: Encoder, about: About) -> str:
    languages, vocabulary, dimension = ", ".join(about.languages), encoder.vocabulary, encoder.dimension
    return _TEMPLATE.format(
        title=f"Calque model {' '.join(about.languages)}".strip(),
        languages=languages,
        data=", ".join(about.data) or "none: a random encoder",
        means=_MEANS[encoder.name].format(size=vocabulary.size, dimension=dimension),
        tag=", static-embeddings" if encoder.name == "average" else "",
        recipe=about.recipe,
        kind=vocabulary.kind,
        size=vocabulary.size,
        numbers="float32" if encoder.bits == FLOAT_BITS else f"{encoder.bits}-bit codes with a scale for each row",
        version=about.version,
        epoch=about.epoch,
        seconds=about.seconds,
        scores=_scores(encoder, about),
    )


def _scores(encoder: Encoder, about: About) -> str:
    score = about.development
    if score is None:
        return "No development set was given, so there is no score yet."
    recipe = signature(about, encoder, score.name, score.pairs)
    return f"Chosen on a development set: `pearson={score.pearson:.1f} | {recipe}`"
