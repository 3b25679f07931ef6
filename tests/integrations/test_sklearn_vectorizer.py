"""CalqueVectorizer in scikit-learn's own pipelines."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calque
from calque.demo import sentences
from calque.errors import ModelError, UsageError
from calque.model import Model

pytest.importorskip("sklearn", reason="scikit-learn is not installed: pip install 'calque-nlp[sklearn]'")

from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks
from sklearn.utils.validation import check_is_fitted

from calque.integrations.sklearn import CalqueVectorizer

TEXTS = sentences()["en"][:20]


def expected(model: Model, texts: list[str] = TEXTS) -> Any:
    return model.encode(texts, normalize=True)


def test_it_gives_the_models_vectors_without_being_fitted(fluent_model: Model) -> None:
    vectors = CalqueVectorizer(fluent_model.path).transform(TEXTS)
    assert vectors.dtype == np.float32
    np.testing.assert_array_equal(vectors, expected(fluent_model))
    np.testing.assert_array_equal(CalqueVectorizer(fluent_model).fit(TEXTS).transform(TEXTS), vectors)
    as_they_are = CalqueVectorizer(fluent_model, normalize=False).fit_transform(TEXTS)
    np.testing.assert_array_equal(as_they_are, fluent_model.encode(TEXTS))
    assert CalqueVectorizer(fluent_model).transform([]).shape == (0, fluent_model.dimension)
    check_is_fitted(CalqueVectorizer(fluent_model))


def test_texts_come_as_lists_arrays_series_or_one_column(fluent_model: Model) -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    columns = [
        tuple(TEXTS),
        np.array(TEXTS),
        np.array(TEXTS, object),
        np.array(TEXTS)[:, None],
        pandas.Series(TEXTS, index=range(7, 27)),
        pandas.Series(TEXTS, dtype="string"),
        pandas.DataFrame({"text": TEXTS}),
        polars.Series(TEXTS),
        polars.DataFrame({"text": TEXTS}),
    ]
    for column in columns:
        np.testing.assert_array_equal(CalqueVectorizer(fluent_model).transform(column), expected(fluent_model))


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ("a dog", "expected a list of texts, or one column of them, got str"),
        (b"a dog", "got bytes"),
        (5, "got int"),
        ((text for text in TEXTS), "got generator"),
        (np.array([["a", "b"]]), r"got an array of shape \(1, 2\)"),
        (["a", None], r"text 1: expected a str, got None \(NoneType\)"),
        (["a", "b", float("nan")], r"text 2: expected a str, got nan \(float\)"),
        (np.zeros(3), r"text 0: expected a str, got 0.0 \(float\)"),
        ([b"a"], r"text 0: expected a str, got b'a' \(bytes\)"),
        ([["a"], ["b", "c"]], r"text 0: expected a str, got \['a'\] \(list\)"),
    ],
)
def test_what_is_no_text_is_told_with_its_place(given: Any, complaint: str, fluent_model: Model) -> None:
    vectorizer = CalqueVectorizer(fluent_model)
    for method in (vectorizer.fit, vectorizer.transform):
        with pytest.raises(ValueError, match=complaint) as raised:
            method(given)
        assert isinstance(raised.value, UsageError)


def test_a_model_is_opened_when_needed_and_again_when_another_is_named(
    fluent_model: Model, small_model: Model, tmp_path: Path
) -> None:
    vectorizer = CalqueVectorizer(tmp_path / "nowhere")
    with pytest.raises(ModelError, match="there is no model at"):
        vectorizer.fit(TEXTS)
    vectorizer.set_params(model=str(fluent_model.path))
    np.testing.assert_array_equal(vectorizer.transform(TEXTS), expected(fluent_model))
    vectorizer.set_params(model=small_model)
    np.testing.assert_array_equal(vectorizer.transform(TEXTS), expected(small_model))


def test_a_pickle_names_the_folder_and_a_clone_shares_the_model(fluent_model: Model) -> None:
    named = CalqueVectorizer(str(fluent_model.path)).fit(TEXTS)
    kept = pickle.dumps(named)
    assert len(kept) < 1000
    given = CalqueVectorizer(fluent_model).fit(TEXTS)
    assert clone(given).model is fluent_model
    for again in (pickle.loads(kept), pickle.loads(pickle.dumps(given)), clone(named)):
        np.testing.assert_array_equal(again.transform(TEXTS), expected(fluent_model))


def test_columns_have_names_and_frames_come_out_if_asked_for(fluent_model: Model) -> None:
    pandas = pytest.importorskip("pandas")
    vectorizer = CalqueVectorizer(fluent_model)
    names = vectorizer.get_feature_names_out()
    assert [names[0], names[-1], len(names)] == ["calquevectorizer0", "calquevectorizer63", 64]
    frame = vectorizer.set_output(transform="pandas").transform(pandas.Series(TEXTS, index=range(5, 25)))
    assert list(frame.columns) == list(names)
    assert list(frame.index) == list(range(5, 25))
    np.testing.assert_array_equal(frame.to_numpy(), expected(fluent_model))


def test_columns_of_a_frame_are_vectorized_side_by_side(fluent_model: Model) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"title": TEXTS[:10], "body": TEXTS[10:], "stars": range(10)})
    made = ColumnTransformer(
        [
            ("title", CalqueVectorizer(fluent_model), "title"),
            ("body", CalqueVectorizer(fluent_model), ["body"]),
            ("rest", "passthrough", ["stars"]),
        ]
    ).fit_transform(frame)
    assert made.shape == (10, 2 * 64 + 1)
    np.testing.assert_array_equal(made[:, 64:128], expected(fluent_model, TEXTS[10:]))


def test_a_grid_is_searched_by_several_processes(fluent_model: Model) -> None:
    pipeline = make_pipeline(CalqueVectorizer(str(fluent_model.path), threads=1), LogisticRegression())
    labels = [at % 2 for at in range(20)]
    grid = {"calquevectorizer__normalize": [True, False], "logisticregression__C": [1, 10]}
    search = GridSearchCV(pipeline, grid, cv=2, n_jobs=2, error_score="raise").fit(TEXTS, labels)
    assert len(search.cv_results_["params"]) == 4
    assert search.predict(TEXTS).shape == (20,)


def test_scikit_learns_own_checks_pass_as_far_as_they_send_no_numbers() -> None:
    # Its other checks send matrices of numbers; the tags say that this takes text, so check_estimator leaves them out.
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Can't test estimator")
        estimator_checks.check_estimator(CalqueVectorizer())
    checks = [
        "check_estimator_repr",
        "check_no_attributes_set_in_init",
        "check_parameters_default_constructible",
        "check_get_params_invariance",
        "check_set_params",
        "check_valid_tag_types",
        "check_estimator_tags_renamed",
        "check_mixin_order",
        "check_do_not_raise_errors_in_init_or_set_params",
    ]
    came_with_1_6 = {
        "check_estimator_repr",
        "check_valid_tag_types",
        "check_estimator_tags_renamed",
        "check_mixin_order",
    }
    for name in checks:
        check = getattr(estimator_checks, name, None)
        assert check or name in came_with_1_6, f"scikit-learn has no {name} any more"
        if check:
            check("CalqueVectorizer", CalqueVectorizer())


def test_a_language_goes_to_models_that_need_it(separate_model: Model) -> None:
    spanish = CalqueVectorizer(separate_model, language="es").transform(["un perro"])
    np.testing.assert_array_equal(spanish, separate_model.encode(["un perro"], normalize=True, language="es"))
    with pytest.raises(UsageError, match="a text's language is needed"):
        CalqueVectorizer(separate_model).transform(["un perro"])


ENGLISH = {
    "food": [
        "I would like some bread and cheese.",
        "The soup is too hot to eat.",
        "She drinks a glass of milk every morning.",
        "We ate fish for dinner.",
        "He is cooking rice in the kitchen.",
        "These apples are very sweet.",
    ],
    "travel": [
        "The train leaves at ten o'clock.",
        "Where is the airport?",
        "We took a bus to the city.",
        "I have lost my passport.",
        "The hotel is near the station.",
        "They travelled by ship to the island.",
    ],
}
SPANISH = {
    "food": [
        "Me gusta el queso con pan.",
        "La sopa está fría.",
        "Él bebe leche.",
        "Ella come una manzana.",
        "El arroz está en la cocina.",
    ],
    "travel": [
        "El tren llega a las ocho.",
        "El aeropuerto está lejos.",
        "Fuimos a la ciudad en autobús.",
        "No encuentro mi pasaporte.",
        "El barco sale de la isla.",
    ],
}


def labelled(texts: dict[str, list[str]]) -> tuple[list[str], list[str]]:
    return [text for group in texts.values() for text in group], [name for name in texts for _ in texts[name]]


def test_a_classifier_that_saw_english_only_knows_spanish(real_box: Path) -> None:
    assert calque.load().path == real_box
    classifier = make_pipeline(CalqueVectorizer(), LogisticRegression(C=10)).fit(*labelled(ENGLISH))
    assert classifier.score(*labelled(SPANISH)) >= 0.9
