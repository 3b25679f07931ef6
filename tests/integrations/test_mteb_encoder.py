"""CalqueEncoder in mteb's own evaluation, on tasks made here from the demonstration's text."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calque.demo import sentences
from calque.errors import ModelError, UsageError
from calque.evaluation.correlation import pearson, spearman
from calque.evaluation.retrieval import measure_retrieval
from calque.evaluation.sets.aligned import AlignedSet
from calque.evaluation.subject import of_model
from calque.model import Model

pytest.importorskip("mteb", reason="MTEB is not installed: pip install 'calque-nlp[mteb]'")

ENGLISH, SPANISH = sentences()["en"][:150], sentences()["es"][:150]
# Translations, those of half of a text, and the next sentence's.
PAIRS = [
    *((one, two, 5.0) for one, two in zip(ENGLISH, SPANISH, strict=True)),
    *((f"{one} {more}", two, 2.5) for (one, more), two in zip(pairwise(ENGLISH), SPANISH, strict=False)),
    *((one, two, 0.5) for one, two in zip(ENGLISH, SPANISH[1:], strict=False)),
]


def made(*arguments: Any, **options: Any) -> Any:
    from calque.integrations.mteb import CalqueEncoder

    return CalqueEncoder(*arguments, **options)


def task(kind: str, languages: Any, data: Callable[[], Any], name: str = "Demo", **more: Any) -> Any:
    """A task whose data are in memory."""
    from mteb.abstasks import AbsTaskBitextMining, AbsTaskRetrieval
    from mteb.abstasks.sts import AbsTaskSTS
    from mteb.abstasks.task_metadata import TaskMetadata

    bases = {"STS": AbsTaskSTS, "BitextMining": AbsTaskBitextMining, "Retrieval": AbsTaskRetrieval}
    scores = {"STS": "cosine_spearman", "BitextMining": "f1", "Retrieval": "ndcg_at_10"}

    def load_data(self: Any, *arguments: Any, **options: Any) -> None:
        self.dataset, self.data_loaded = data(), True

    metadata = TaskMetadata(
        name=f"{name}{kind}",
        type=kind,
        description="Everyday sentences.",
        dataset={"path": "nowhere", "revision": "1"},
        category="t2t",
        modalities=["text"],
        eval_splits=["test"],
        eval_langs=languages,
        main_score=scores[kind],
    )
    return type(f"{name}{kind}", (bases[kind],), {"metadata": metadata, "load_data": load_data, **more})()


def similarity_task(languages: Any = ("eng-Latn", "spa-Latn"), pairs: Any = PAIRS, name: str = "Demo") -> Any:
    def data() -> Any:
        from datasets import Dataset, DatasetDict

        columns = dict(zip(("sentence1", "sentence2", "score"), map(list, zip(*pairs, strict=True)), strict=True))
        return DatasetDict({"test": Dataset.from_dict(columns)})

    return task("STS", list(languages), data, name, min_score=0, max_score=5)


def mining_task(**more: Any) -> Any:
    def data() -> Any:
        from datasets import Dataset

        names = ("eng_Latn", "spa_Latn") if more else ("sentence1", "sentence2")
        split = {"test": Dataset.from_dict(dict(zip(names, (ENGLISH, SPANISH), strict=True)))}
        return split if more else {"eng_Latn-spa_Latn": split}

    return task("BitextMining", {"eng_Latn-spa_Latn": ["eng-Latn", "spa-Latn"]}, data, **more)


def retrieval_task() -> Any:
    def data() -> Any:
        from datasets import Dataset

        def rows(texts: list[str]) -> Any:
            return Dataset.from_list([{"id": str(at), "text": text} for at, text in enumerate(texts)])

        relevant = {str(at): {str(at): 1} for at in range(len(ENGLISH))}
        split = {"corpus": rows(SPANISH), "queries": rows(ENGLISH), "relevant_docs": relevant, "top_ranked": None}
        return {"default": {"test": split}}

    return task("Retrieval", ["eng-Latn", "spa-Latn"], data)


def evaluated(encoder: Any, tasks: Any, cache: Any = None, **options: Any) -> dict[str, Any]:
    """The scores of each task, of its only split and subset."""
    import mteb

    result = mteb.evaluate(encoder, tasks, cache=cache, show_progress_bar=False, co2_tracker=False, **options)
    return {each.task_name: each.scores["test"][0] for each in result.task_results}


def test_similarity_mining_and_retrieval_score_as_calques_own_evaluation(small_model: Model) -> None:
    scores = evaluated(made(small_model.path), [similarity_task(), mining_task(), retrieval_task()])
    one, two, gold = map(list, zip(*PAIRS, strict=True))
    cosines = small_model.similarities(one, two)
    assert scores["DemoSTS"]["cosine_pearson"] == pytest.approx(pearson(cosines, gold), abs=1e-5)
    assert scores["DemoSTS"]["cosine_spearman"] == pytest.approx(spearman(cosines, gold), abs=1e-5)
    own = measure_retrieval(
        of_model(small_model), "demo", AlignedSet("demo", None, ENGLISH, SPANISH), resamples=0
    ).values
    assert scores["DemoBitextMining"]["accuracy"] == pytest.approx(own["forward"] / 100)
    assert scores["DemoRetrieval"]["hit_rate_at_1"] == pytest.approx(own["forward"] / 100, abs=5e-6)  # it rounds
    assert 0.2 < own["forward"] / 100 < 0.99  # else the comparison would say little


def test_what_mteb_is_told_of_a_model_is_true(fluent_model: Model, quantised_model: Model) -> None:
    meta = made(fluent_model).mteb_model_meta
    assert meta.name == "calque/model"
    assert fluent_model.checksum == f"xxh3:{meta.revision}"
    assert {"eng-Latn", "spa-Latn"} <= set(meta.languages)
    assert len(meta.languages) == len(fluent_model.languages)
    assert (meta.embed_dim, meta.max_tokens) == (64, math.inf)
    assert meta.n_parameters == meta.n_embedding_parameters == fluent_model.embeddings.size
    assert meta.memory_usage_mb == pytest.approx(fluent_model.embeddings.nbytes / 2**20)
    assert (meta.license, meta.open_weights, meta.training_datasets) == (None, None, None)
    assert (meta.similarity_fn_name, meta.framework) == ("cosine", ["NumPy", "safetensors"])
    assert not meta.use_instructions
    small = made(quantised_model).mteb_model_meta
    assert small.n_parameters == meta.n_parameters
    assert small.memory_usage_mb < meta.memory_usage_mb / 6
    json.dumps(meta.to_dict())


def test_the_model_in_the_box_is_called_so(box: Path) -> None:
    assert made().mteb_model_meta.name == made("box").mteb_model_meta.name == "calque/box"


def test_languages_of_the_box_are_named_as_mteb_does(real_box: Path) -> None:
    encoder = made()
    languages = set(encoder.mteb_model_meta.languages)
    assert {"eng-Latn", "zho-Hans", "jpn-Jpan", "nob-Latn", "ara-Arab", "ell-Grek"} <= languages
    assert len(languages) >= len(encoder.model.languages) - 3


def test_results_are_kept_by_checksum_so_another_model_of_that_name_is_measured_anew(
    fluent_model: Model, small_model: Model, tmp_path: Path
) -> None:
    from mteb.cache import ResultCache

    cache = ResultCache(tmp_path)
    first = evaluated(made(fluent_model), similarity_task(), cache)
    assert len(list(tmp_path.rglob("DemoSTS.json"))) == 1
    other = evaluated(made(small_model), similarity_task(), cache)
    assert other != first
    assert len(list(tmp_path.rglob("calque__model/*/DemoSTS.json"))) == 2
    unsaved = [Model(model.encoder, model.about) for model in (fluent_model, small_model)]
    kept = [evaluated(made(model), similarity_task(), cache)["DemoSTS"]["main_score"] for model in unsaved]
    assert kept == [first["DemoSTS"]["main_score"], other["DemoSTS"]["main_score"]]


def test_a_subsets_language_goes_to_models_that_need_it(separate_model: Model) -> None:
    pairs = [(one, two, float(at % 5)) for at, (one, two) in enumerate(pairwise(SPANISH))]
    scores = evaluated(made(separate_model), similarity_task(["spa-Latn"], pairs, "Spanish"))
    one, two, gold = map(list, zip(*pairs, strict=True))
    cosines = separate_model.similarities(one, two, ("es", "es"))
    assert scores["SpanishSTS"]["cosine_pearson"] == pytest.approx(pearson(cosines, gold), abs=1e-5)
    # Where subsets are parallel, mteb says which column it asks for.
    mined = evaluated(made(separate_model), mining_task(parallel_subsets=True))["DemoBitextMining"]
    aligned = AlignedSet("demo", ("en", "es"), ENGLISH, SPANISH)
    own = measure_retrieval(of_model(separate_model), "demo", aligned, resamples=0).values
    assert mined["accuracy"] == pytest.approx(own["forward"] / 100)


def test_a_language_that_cannot_be_known_is_asked_for(separate_model: Model) -> None:
    with pytest.raises(UsageError, match="does not say which of eng-Latn, spa-Latn a text is in"):
        evaluated(made(separate_model), similarity_task())
    told = made(separate_model, language="es")
    assert told.mteb_model_meta.experiment_kwargs == {"language": "es"}
    assert evaluated(told, similarity_task())
    with pytest.raises(UsageError, match="not fi"):
        made(separate_model, language="fi")


def test_mistakes_are_told(fluent_model: Model, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="there is no model at"):
        made(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="gives float32, not int8"):
        evaluated(made(fluent_model), similarity_task(), encode_kwargs={"precision": "int8"})


def test_similarities_are_cosines(fluent_model: Model) -> None:
    encoder = made(fluent_model)
    one, two = fluent_model.encode(ENGLISH[:5]), fluent_model.encode(SPANISH[:5])
    cosines = np.asarray(encoder.similarity_pairwise(one, two))
    np.testing.assert_allclose(cosines, fluent_model.similarities(ENGLISH[:5], SPANISH[:5]), atol=1e-6)
    np.testing.assert_allclose(np.diag(np.asarray(encoder.similarity(one, two))), cosines, atol=1e-6)
