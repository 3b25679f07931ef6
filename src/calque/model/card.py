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

Sentence embeddings that are {means}, {made}.

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

{scores}
{languages_measured}"""


_MEANS = {
    "average": "averages of {size:,} learned vectors of {dimension} dimensions",
    "blstm": "means of a bidirectional LSTM's states over {size:,} learned vectors of {dimension} dimensions",
}


_CALQUE = "Calque {version} (the distribution `calque-nlp`)"
_TRAINED = f"trained with\n{_CALQUE} from sentences and their translations"
_IMPORTED = f"made with {{library}}\nand written by {_CALQUE}"


def card(encoder: Encoder, about: About) -> str:
    languages, vocabulary, dimension = ", ".join(about.languages), encoder.vocabulary, encoder.dimension
    library = about.library
    return _TEMPLATE.format(
        title=f"Calque model {' '.join(about.languages)}".strip(),
        languages=languages,
        data=", ".join(about.data) or ("not known" if library else "none: a random encoder"),
        made=(_IMPORTED if library else _TRAINED).format(version=about.version, library=library),
        means=_MEANS[encoder.name].format(size=vocabulary.size, dimension=dimension),
        tag=", static-embeddings" if encoder.name == "average" else "",
        recipe=about.recipe,
        kind=vocabulary.kind,
        size=vocabulary.size,
        numbers="float32" if encoder.bits == FLOAT_BITS else f"{encoder.bits}-bit codes with a scale for each row",
        epoch="not known" if library else about.epoch,
        scores=_scores(encoder, about),
        languages_measured=_measured(about),
    )


def _measured(about: About) -> str:
    """No date: the same training writes the same card on any day, and config.json has it."""
    if not about.quality:
        return ""
    lines = [
        "",
        "Sentences that find their translation among all of a held-out set, in per cent:",
        "",
        "| language | with | found | forward | backward | n | set | |",
        "|---|---|---:|---:|---:|---:|---|---|",
    ]
    for each in about.quality:
        cells = " | ".join(f"{value:.1f}" for value in (each.found, each.forward, each.backward))
        tier = each.tier or "too few to tell"
        lines.append(f"| {each.language} | {each.against} | {cells} | {each.n:,} | {each.set} | {tier} |")
    return "\n".join(lines) + "\n"


def _scores(encoder: Encoder, about: About) -> str:
    score = about.development
    if about.library:
        return "How it was made and how good it is was not known to Calque."
    if score is None:
        return "No development set was given, so there is no score yet."
    recipe = signature(about, encoder, score.name, score.pairs)
    return f"Chosen on a development set: `{score.measure}={score.value:.1f} | {recipe}`"
