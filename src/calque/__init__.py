"""Calque learns what sentences mean from their translations.

```python
import calque

model = calque.train("en-es.tsv", out="my-model/")
model = calque.load("my-model/")
model.encode(["A dog runs.", "Un perro corre."])
model.similarity("A dog runs.", "Un perro corre.")
```
"""

from __future__ import annotations

from ._version import __version__
from .lazily import lazily

TYPE_CHECKING = False  # typing would take most of the time that `import calque` takes, and nobody catches Ctrl-C then
if TYPE_CHECKING:
    from .corpus import read_bitext, read_lines
    from .errors import CalqueError, LanguageWarning
    from .evaluation.evaluate import evaluate
    from .explanation import Explanation
    from .index import Index
    from .mining import MiningConfig
    from .model import Model, load
    from .tasks.align import align
    from .tasks.batch_encoder import BatchEncoder
    from .tasks.clean import clean
    from .tasks.dedup import dedup
    from .tasks.explain import explain
    from .tasks.export import export
    from .tasks.filter import filter
    from .tasks.mine import mine
    from .tasks.train import resume, train
    from .training.config import TrainingConfig

# Imported when first asked for: `calque --help` should not wait for numpy.
_HOMES = {
    "BatchEncoder": "tasks.batch_encoder",
    "CalqueError": "errors",
    "Explanation": "explanation",
    "Index": "index",
    "LanguageWarning": "errors",
    "MiningConfig": "mining",
    "Model": "model",
    "TrainingConfig": "training.config",
    "align": "tasks.align",
    "clean": "tasks.clean",
    "dedup": "tasks.dedup",
    "evaluate": "evaluation.evaluate",
    "explain": "tasks.explain",
    "export": "tasks.export",
    "filter": "tasks.filter",
    "load": "model",
    "mine": "tasks.mine",
    "read_bitext": "corpus",
    "read_lines": "corpus",
    "resume": "tasks.train",
    "train": "tasks.train",
}

__all__ = [
    "BatchEncoder",
    "CalqueError",
    "Explanation",
    "Index",
    "LanguageWarning",
    "MiningConfig",
    "Model",
    "TrainingConfig",
    "__version__",
    "align",
    "clean",
    "dedup",
    "evaluate",
    "explain",
    "export",
    "filter",
    "load",
    "mine",
    "read_bitext",
    "read_lines",
    "resume",
    "train",
]


__getattr__ = lazily(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
