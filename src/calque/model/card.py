"""The model's README: what it is, how it was made, how good it is."""

from __future__ import annotations

from ..vocabulary import Vocabulary
from .about import About, signature

_TEMPLATE = """\
---
library_name: calque
tags: [sentence-similarity, static-embeddings]
language: [{languages}]
---
# {title}

Sentence embeddings that are averages of {size:,} learned vectors of {dimension} dimensions, trained with
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
| epoch kept | {epoch} |
| training time | {seconds:,.0f} s |

{scores}
"""


def card(vocabulary: Vocabulary, dimension: int, about: About) -> str:
    languages = ", ".join(about.languages)
    return _TEMPLATE.format(
        title=f"Calque model {' '.join(about.languages)}".strip(),
        languages=languages,
        data=", ".join(about.data) or "none: a random encoder",
        recipe=about.recipe,
        kind=vocabulary.kind,
        size=vocabulary.size,
        dimension=dimension,
        version=about.version,
        epoch=about.epoch,
        seconds=about.seconds,
        scores=_scores(vocabulary, dimension, about),
    )


def _scores(vocabulary: Vocabulary, dimension: int, about: About) -> str:
    score = about.development
    if score is None:
        return "No development set was given, so there is no score yet."
    recipe = signature(about, vocabulary.kind, vocabulary.size, dimension, score.name, score.pairs)
    return f"Chosen on a development set: `pearson={score.pearson:.1f} | {recipe}`"
