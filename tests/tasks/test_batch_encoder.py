"""One encoder for whoever sends code to workers: every kind of batch, and as a pickle."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path

import numpy as np
import pandas
import pyarrow
import pytest

import calque

TEXTS = ["A dog runs.", "", "It rains."]


@pytest.fixture
def encoder(small_model: calque.Model) -> calque.BatchEncoder:
    assert small_model.path is not None
    return calque.BatchEncoder(small_model.path)


def test_every_kind_of_batch(encoder: calque.BatchEncoder, small_model: calque.Model) -> None:
    expected = small_model.encode(TEXTS)
    assert np.array_equal(encoder(TEXTS), expected)
    assert np.array_equal(encoder({"text": TEXTS})["vector"], expected)
    assert np.array_equal(encoder({"text": np.array(TEXTS, object)})["vector"], expected)
    series = pandas.Series(["A dog runs.", None, "It rains."], index=[7, 8, 9])
    assert encoder(series).index.tolist() == [7, 8, 9]
    assert np.array_equal(np.stack(encoder(series)), expected)
    frame = encoder(pandas.DataFrame({"text": TEXTS, "n": [1, 2, 3]}))
    assert frame["n"].tolist() == [1, 2, 3]
    assert np.array_equal(np.stack(frame["vector"]), expected)
    table = encoder(pyarrow.table({"text": ["A dog runs.", None, "It rains."]}))
    assert table["vector"].type == pyarrow.list_(pyarrow.float32(), small_model.dimension)
    assert np.array_equal(np.stack(table["vector"].to_numpy()), expected)


def test_what_is_missing_is_empty_in_every_kind_of_batch(encoder: calque.BatchEncoder) -> None:
    texts = ["A dog runs.", None]
    expected = encoder(["A dog runs.", ""])
    for batch in ({"text": texts}, {"text": np.array(texts, object)}):
        assert np.array_equal(encoder(batch)["vector"], expected)
    assert np.array_equal(encoder(texts), expected)
    record = encoder(pyarrow.record_batch({"text": texts}))
    assert isinstance(record, pyarrow.RecordBatch)
    assert np.array_equal(np.stack(record["vector"].to_numpy(zero_copy_only=False)), expected)


def test_one_text_has_one_vector_alone_and_as_a_column(encoder: calque.BatchEncoder, small_model: calque.Model) -> None:
    expected = small_model.encode(["A dog runs."])[0]
    assert np.array_equal(encoder("A dog runs."), expected)
    assert np.array_equal(encoder.encode("A dog runs."), expected)
    row = encoder({"text": "A dog runs.", "n": 1})  # as `map` of datasets gives it without batched=True
    assert np.array_equal(row["vector"], expected)


def test_what_is_no_batch_is_told(encoder: calque.BatchEncoder) -> None:
    for batch in ({"body": TEXTS}, pandas.DataFrame({"body": TEXTS}), pyarrow.table({"body": TEXTS})):
        with pytest.raises(calque.CalqueError, match="no column 'text' among body"):
            encoder(batch)


def test_options(small_model: calque.Model) -> None:
    encoder = calque.BatchEncoder(small_model, column="body", vectors="embedding", normalize=True)
    assert np.array_equal(encoder({"body": TEXTS})["embedding"], small_model.encode(TEXTS, normalize=True))


def test_a_pickle_holds_the_folder_s_name_or_the_open_model(small_model: calque.Model, tmp_path: Path) -> None:
    assert small_model.path is not None
    folder = tmp_path / "model"
    shutil.copytree(small_model.path, folder)
    by_name = calque.BatchEncoder(folder)
    expected = by_name(TEXTS)
    packed = pickle.dumps(by_name)
    assert len(packed) < 2000
    assert np.array_equal(pickle.loads(packed)(TEXTS), expected)
    whole = pickle.dumps(calque.BatchEncoder(small_model))
    shutil.rmtree(folder)
    assert np.array_equal(pickle.loads(whole)(TEXTS), expected)
    with pytest.raises(calque.CalqueError):
        pickle.loads(packed)(TEXTS)


def test_a_relative_folder_is_found_from_elsewhere(
    small_model: calque.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert small_model.path is not None
    monkeypatch.chdir(small_model.path.parent)
    encoder = calque.BatchEncoder(small_model.path.name)
    monkeypatch.chdir(tmp_path)
    assert encoder(TEXTS).shape == (3, small_model.dimension)
