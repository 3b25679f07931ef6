"""Folders of other libraries that Calque cannot open, and damaged ones, are errors that say what was found."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models

from calque.errors import ModelError
from calque.model import Model, load
from calque.safetensors import map_tensors, write_tensors
from foreign_folders import static_embedding, static_model, tokenizer

pytest.importorskip("model2vec")
pytest.importorskip("sentence_transformers")


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("good")
    static_model("bert").save_pretrained(folder / "model2vec")
    static_embedding("bert", folder / "static", normalize=True)
    return {name: folder / name for name in ("model2vec", "static")}


def refused(folder: Path, expected: str) -> ModelError:
    with pytest.raises(ModelError, match=expected) as problem:
        load(folder)
    return problem.value


def modules(*types: str) -> str:
    return json.dumps([{"idx": at, "name": str(at), "path": "", "type": type} for at, type in enumerate(types)])


@pytest.mark.parametrize(
    "types",
    [
        ["Transformer", "Pooling", "Normalize"],
        ["StaticEmbedding", "Dense"],
        ["StaticEmbedding", "Normalize", "Dense"],
        ["StaticEmbedding", "StaticEmbedding"],
        ["Normalize", "StaticEmbedding"],
        ["Normalize"],
        ["BoW"],
        ["WordEmbeddings", "CNN", "Pooling"],
        ["SparseStaticEmbedding"],
        ["Router"],
    ],
    ids="-".join,
)
def test_modules_other_than_a_static_embedding_are_named(
    good: dict[str, Path], tmp_path: Path, types: list[str]
) -> None:
    folder = Path(shutil.copytree(good["static"], tmp_path / "model"))
    (folder / "modules.json").write_text(modules(*(f"sentence_transformers.models.{name}" for name in types)))
    problem = refused(folder, f"is a sentence-transformers model of {', '.join(types)}; Calque opens")
    assert "model2vec" in str(problem.hint)


def test_somebody_else_s_static_embedding_is_not_taken_for_the_library_s(good: dict[str, Path], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(good["static"], tmp_path / "model"))
    (folder / "modules.json").write_text(modules("custom_code.StaticEmbedding"))
    refused(folder, r"model of custom_code\.StaticEmbedding; Calque opens")


@pytest.mark.parametrize("text", ["", "{", "5", "{}", "[5]", '[{"type": 3}]', "null", '["StaticEmbedding"]'])
def test_a_list_of_modules_that_is_none(good: dict[str, Path], tmp_path: Path, text: str) -> None:
    folder = Path(shutil.copytree(good["static"], tmp_path / "model"))
    (folder / "modules.json").write_text(text)
    refused(folder, r"modules\.json (cannot be read|is not understood)|of no modules|model of 3")


@pytest.mark.parametrize("place", ["../elsewhere", "/etc", "a/../../b", "..\\x"])
def test_a_module_outside_the_folder_is_refused(good: dict[str, Path], tmp_path: Path, place: str) -> None:
    folder = Path(shutil.copytree(good["static"], tmp_path / "model"))
    listed = [{"idx": 0, "name": "0", "path": place, "type": "sentence_transformers.models.StaticEmbedding"}]
    (folder / "modules.json").write_text(json.dumps(listed))
    refused(folder, "is not inside the folder")


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"default_prompt_name": "q", "prompts": {"q": "query: "}}, "with the prompt 'q' before it"),
        ({"default_prompt_name": {}, "prompts": {"q": "query: "}}, r"with the prompt \{\} before it"),
        ({"truncate_dim": 8}, "cut to 8 numbers after they got length 1"),
        ({"truncate_dim": 0}, "expected `truncate_dim` to be a number"),
        ({"truncate_dim": "8"}, "expected `truncate_dim` to be a number"),
        ({"model_type": "SparseEncoder"}, "is a SparseEncoder, not a SentenceTransformer"),
        ([], "expected an object"),
    ],
)
def test_settings_that_would_change_the_vectors(
    good: dict[str, Path], tmp_path: Path, settings: Any, expected: str
) -> None:
    folder = Path(shutil.copytree(good["static"], tmp_path / "model"))
    (folder / "config_sentence_transformers.json").write_text(json.dumps(settings))
    refused(folder, expected)


def test_normalizing_something_else_than_the_sentence(good: dict[str, Path], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(good["static"], tmp_path / "model"))
    (folder / "1_Normalize" / "config.json").write_text('{"module_input_name": "token_embeddings"}')
    refused(folder, "expected sentence_embedding to be normalized, got token_embeddings")


def test_a_normalize_whose_settings_are_no_object(good: dict[str, Path], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(good["static"], tmp_path / "model"))
    (folder / "1_Normalize" / "config.json").write_text("[1]")
    refused(folder, "expected an object, got")


def embedding_folder(folder: Path) -> Path:
    """Where the rows and the tokenizer lie."""
    return next(path.parent for path in folder.rglob("tokenizer.json"))


@pytest.fixture(params=["model2vec", "static"])
def broken(request: pytest.FixtureRequest, good: dict[str, Path], tmp_path: Path) -> Path:
    """A copy of a good folder, to break."""
    return Path(shutil.copytree(good[request.param], tmp_path / "model"))


def test_a_pickle_is_never_opened(broken: Path) -> None:
    inside = embedding_folder(broken)
    (inside / "model.safetensors").rename(inside / "pytorch_model.bin")
    (broken / "config.json").unlink(missing_ok=True)
    problem = refused(broken, r"pytorch_model\.bin, a pickle, which can run any code")
    assert "model.safetensors" in str(problem.hint)


def test_no_tokenizer(broken: Path) -> None:
    inside = embedding_folder(broken)
    (inside / "tokenizer.json").rename(inside / "vocab.txt")
    assert "no other kind of tokenizer" in str(refused(broken, r"there is no tokenizer\.json").hint)


@pytest.mark.parametrize("text", ["", "{}", "no JSON", '{"model": {"type": "Telepathy"}}', "[" * 100_000])
def test_a_tokenizer_that_tokenizers_refuses(broken: Path, text: str) -> None:
    (embedding_folder(broken) / "tokenizer.json").write_text(text)
    refused(broken, r"tokenizer\.json: tokenizers cannot open the vocabulary: ")


def test_fewer_rows_than_tokens(broken: Path) -> None:
    other = Tokenizer(models.WordLevel({str(word): word for word in range(901)}, unk_token="0"))
    other.save(str(embedding_folder(broken) / "tokenizer.json"))
    refused(broken, r"tokenizer\.json has 901 tokens, but there are 900 rows")


def test_more_rows_than_tokens_in_model2vec(good: dict[str, Path], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(good["model2vec"], tmp_path / "model"))
    Tokenizer(models.WordLevel({"a": 0, "b": 1}, unk_token="a")).save(str(folder / "tokenizer.json"))
    refused(folder, r"there are 900 rows for the 2 tokens")


def rows(*shape: int, type: Any = np.float32) -> Any:
    return np.zeros(shape, type)


@pytest.mark.parametrize(
    ("tensors", "expected"),
    [
        ({"embeddings": rows(900)}, r"expected rows of 1 to 8192 numbers, got float32 of shape \(900,\)"),
        ({"embeddings": rows(900, 0)}, "expected rows"),
        ({"embeddings": rows(900, 9000, type=np.int8)}, "expected rows"),
        ({"embeddings": rows(900, 4, type=np.uint32)}, "got uint32"),
        ({"embeddings": rows(899, 4)}, "900 tokens, but there are 899 rows"),
        ({"embeddings": rows(901, 4)}, "there are 901 rows for the 900 tokens"),
        ({"embeddings": rows(900, 4), "norms": rows(900)}, "has a tensor 'norms'"),
        (
            {"embeddings": rows(900, 4), "weights": rows(899)},
            "expected `weights` to be 900 numbers, got float32",
        ),
        ({"embeddings": rows(900, 4), "weights": rows(900, type=np.int8)}, "expected `weights`"),
        ({"embeddings": rows(9, 4), "mapping": rows(900)}, "expected `mapping` to be 900 whole numbers, got float32"),
        ({"embeddings": rows(9, 4), "mapping": rows(900, type=np.int32) + 9}, "names rows that are not among the 9"),
        ({"embeddings": rows(9, 4), "mapping": rows(900, type=np.int32) - 1}, "names rows that are not among the 9"),
        ({"embeddings": rows(9, 4), "mapping": rows(9, 2, type=np.int32)}, "900 tokens, but there are 9 rows"),
        ({"embeddings": rows(900, 4) * np.nan}, "values that are not numbers"),
        ({"embeddings": rows(900, 4), "weights": rows(900) + np.inf}, "values that are not numbers"),
    ],
)
def test_tensors_that_do_not_fit(good: dict[str, Path], tmp_path: Path, tensors: dict[str, Any], expected: str) -> None:
    from safetensors.numpy import save_file

    folder = Path(shutil.copytree(good["model2vec"], tmp_path / "model"))
    save_file(tensors, folder / "model.safetensors")
    refused(folder, expected)


def test_several_embeddings_in_sentence_transformers(good: dict[str, Path], tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    folder = Path(shutil.copytree(good["static"], tmp_path / "model"))
    save_file(
        {"embedding.weight": rows(900, 4), "other.weight": rows(3)}, embedding_folder(folder) / "model.safetensors"
    )
    problem = refused(folder, r"expected one tensor, embedding\.weight, got embedding\.weight, other\.weight")
    assert "upgrade calque" in str(problem.hint)


@pytest.mark.parametrize("normalize", ["yes", 1.5, [True]])
def test_an_odd_setting_of_model2vec(good: dict[str, Path], tmp_path: Path, normalize: Any) -> None:
    folder = Path(shutil.copytree(good["model2vec"], tmp_path / "model"))
    (folder / "config.json").write_text(json.dumps({"normalize": normalize}))
    refused(folder, "expected `normalize` to be true or false")


def test_a_transformer_is_named_by_its_type(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "bert", "architectures": ["BertModel"]}')
    problem = refused(tmp_path, "holds a model of type 'bert', whose vectors are no averages of rows")
    assert "StaticEmbedding" in str(problem.hint)
    write_tensors(tmp_path / "model.safetensors", {"bert.embeddings.word_embeddings.weight": rows(3, 4)}, {})
    refused(tmp_path, "holds a model of type 'bert'")


def test_a_calque_model_without_its_config_is_no_model_whatever_else_it_has(small_model: Model, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(str(small_model.path), tmp_path / "model"))
    (folder / "config.json").unlink()
    (folder / "training.json").unlink(missing_ok=True)
    assert (folder / "modules.json").exists()
    refused(folder, r"was not written to its end: it is a Calque model without config\.json")


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
@given(data=st.data())
@settings(max_examples=60)
def test_a_damaged_file_is_refused_or_opens_with_rows_of_the_right_shape(
    good: dict[str, Path], tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    """Other libraries' files have no checksum, so that a changed number can be noticed by nobody."""
    folder = tmp_path_factory.getbasetemp() / "damaged"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(good["model2vec"], folder)
    content = bytearray((folder / name).read_bytes())
    header = min(len(content), 300)
    for place in data.draw(st.lists(st.integers(0, header - 1), max_size=3)):
        content[place] = data.draw(st.integers(0, 255))
    length = data.draw(st.one_of(st.just(len(content)), st.integers(0, len(content))))
    (folder / name).write_bytes(content[:length])
    with suppress(ModelError):
        model = load(folder)
        assert model.encode(["the dog runs"]).shape == (1, model.dimension)


def test_what_is_mapped_to_be_changed_is_not_changed_in_the_file(good: dict[str, Path]) -> None:
    path = good["model2vec"] / "model.safetensors"
    before = path.read_bytes()
    model = load(good["model2vec"])
    assert map_tensors(path).tensors["embeddings"][1].any()
    assert not model.embeddings[1].any()
    assert path.read_bytes() == before
    assert tokenizer("bert").token_to_id("[UNK]") == 1
