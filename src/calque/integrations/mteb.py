"""A model for MTEB, from version 2 on.

```python
import mteb
from calque.integrations.mteb import CalqueEncoder

mteb.evaluate(CalqueEncoder("my-model"), mteb.get_tasks(tasks=["STS17"], languages=["spa"]))
```
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import xxhash

from ..corpus.languages import script_of, standard
from ..encoder import Vectors
from ..encoder.packing import LONGEST
from ..errors import UsageError
from ..extras import require
from ..model import Model, as_model
from ..vocabulary.sharing import SeparateVocabularies

require("mteb", "mteb", "evaluating with MTEB")

from mteb.languages import check_language_code  # noqa: E402 (only now is it known to be there)
from mteb.models import ModelMeta  # noqa: E402
from mteb.models.abs_encoder import AbsEncoder  # noqa: E402
from mteb.models.model_meta import ScoringFunction  # noqa: E402


class CalqueEncoder(AbsEncoder):
    """Vectors of length 1; the batch size is not heeded, since texts are encoded all at once.

    mteb keeps results in ~/.cache/mteb (or MTEB_CACHE, or `evaluate(cache=…)`) by the model's name and checksum, and
    does not run a task again whose result lies there.

    Args:
        model: A folder, `box`, or a model; without it, CALQUE_MODEL names it, or else it is the one in the box.
        language: Of all texts, for models with a vocabulary for each language; without it, it is the subset's, if that
            has one only.
        threads: As many as there are cores, unless given.

    Raises:
        UsageError: a language that the model does not know.
    """

    def __init__(
        self, model: str | Path | Model | None = None, *, language: str | None = None, threads: int | None = None
    ) -> None:
        self.model: Model = as_model(model)
        self.model.require_languages([language] if language else [])
        self.language = language
        self.threads = threads
        self.mteb_model_meta = _meta(self.model, language)

    def encode(
        self,
        inputs: Iterable[Mapping[str, Sequence[str]]],
        *,
        task_metadata: Any,
        hf_split: str,
        hf_subset: str,
        prompt_type: Any = None,
        precision: str | None = None,
        **kwargs: Any,
    ) -> Vectors:
        """As mteb asks for it: (texts, dimension) float32.

        Raises:
            UsageError: another precision, or texts in two languages that each have a vocabulary.
        """
        if precision not in (None, "float32"):
            raise UsageError(f"a Calque model gives float32, not {precision}", hint="leave precision out")
        texts = [text for batch in inputs for text in batch["text"]]
        return self.model.encode(texts, True, self.threads, self._language_of(task_metadata, hf_subset))

    def _language_of(self, task: Any, subset: str) -> str | None:
        if self.language or not isinstance(self.model.vocabulary, SeparateVocabularies):
            return self.language
        codes: Sequence[str] = task.hf_subsets_to_langscripts.get(subset, [subset])  # parallel ones are called en, de …
        languages = {standard(code) for code in codes}
        if len(languages) > 1 or None in languages:
            raise UsageError(
                f"{task.name}, {subset}: each language has a vocabulary of its own here, and MTEB does not say "
                f"which of {', '.join(codes)} a text is in",
                hint="take tasks within one language, or a model with one vocabulary for all",
            )
        return languages.pop()


def _meta(model: Model, language: str | None) -> Any:
    """What is not known of a model is None."""
    encoder = model.encoder
    rows = model.vocabulary.size * model.dimension
    others = sum(array.size for name, array in encoder.tensors.items() if name.startswith("lstm."))
    blstm = encoder.name == "blstm"
    return ModelMeta(
        loader=None,  # mteb knows models by their names on a hub, where this one is not
        name=f"calque/{model.name}",
        revision=_revision(model),
        release_date=None,
        languages=_language_scripts(model.languages),
        n_parameters=rows + others,
        n_embedding_parameters=rows,
        memory_usage_mb=sum(array.nbytes for array in encoder.tensors.values()) / 2**20,
        max_tokens=LONGEST if blstm else math.inf,
        embed_dim=model.dimension,
        license=None,
        open_weights=None,
        public_training_code=None,
        public_training_data=None,
        framework=["PyTorch", "safetensors"] if blstm else ["NumPy", "safetensors"],
        similarity_fn_name=ScoringFunction.COSINE,
        use_instructions=False,
        training_datasets=None,
        experiment_kwargs={"language": language} if language else None,
    )


def _revision(model: Model) -> str:
    """Its checksum; the kind of checksum is left out, since this names a folder, and some systems allow no colon."""
    if model.checksum:
        return model.checksum.rpartition(":")[2]
    hashed = xxhash.xxh3_128()  # of a model that lies in no folder, so that mteb cannot take it for another one
    for array in model.encoder.tensors.values():
        hashed.update(array.tobytes())
    return hashed.hexdigest()


def _language_scripts(languages: Iterable[str]) -> list[str] | None:
    """`eng-Latn` for `en`, as mteb writes it; languages that it does not know are left out."""
    from langcodes import Language

    found: dict[str, None] = {}
    for language in languages:
        code = f"{Language.get(language, normalize=False).to_alpha3()}-{script_of(language)}"
        try:
            check_language_code(code)
        except ValueError:
            continue
        found[code] = None
    return list(found) or None
