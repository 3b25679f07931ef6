"""Approximate search: its recall is what it says, its cosines are exact, and it can be written and read."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sorting import products, random_vectors, sorted_products, spiked_vectors, unit

from calque.checksums import file_checksum
from calque.errors import CalqueError, ModelError, UsageError
from calque.neighbours.approximate import Approximate

faiss = pytest.importorskip("faiss")


def clustered(count: int, width: int = 32, seed: int = 1) -> Any:
    """Vectors that lie together in groups, as sentences do."""
    draw = np.random.default_rng(seed)
    centres = np.random.default_rng(99).standard_normal((60, width))
    return unit(centres[draw.integers(0, 60, count)] + 0.6 * draw.standard_normal((count, width)))


def fit(vectors: Any, **options: Any) -> Approximate:
    """On one thread: those of FAISS wait for one another by spinning, which takes long on a busy machine."""
    return Approximate.fit(vectors, threads=1, **options)


@pytest.fixture(scope="module")
def fitted() -> Approximate:
    return fit(clustered(5000))


def share_found(fitted: Approximate, queries: Any, vectors: Any, k: int) -> float:
    exact = sorted_products(queries, vectors, k)
    found = fitted.search(queries, k, threads=1)
    return float(np.mean([len(set(one) & set(two)) / k for one, two in zip(found.index, exact.index, strict=True)]))


def test_the_recall_it_measured_is_that_of_fresh_queries_too(fitted: Approximate) -> None:
    assert fitted.recall.share >= 0.95
    assert 1 <= fitted.recall.probes < fitted.recall.clusters
    assert share_found(fitted, clustered(200, seed=2), clustered(5000), 10) > 0.9


def test_a_higher_target_looks_into_more_clusters(fitted: Approximate) -> None:
    # Without groups, neighbours are spread over many clusters.
    vectors = random_vectors(2000, 32, 1)
    low, high = fit(vectors, target=0.5), fit(vectors, target=0.99)
    assert 0.5 <= low.recall.share < high.recall.share
    assert high.recall.share >= 0.99
    assert low.recall.probes < high.recall.probes


def test_the_whole_target_is_reached_by_looking_everywhere_if_need_be() -> None:
    vectors = random_vectors(300, 16, 1)
    fitted = fit(vectors, target=1.0)
    assert fitted.recall.share == 1
    assert share_found(fitted, random_vectors(30, 16, 2), vectors, 10) > 0.9


def test_where_codes_say_little_more_candidates_are_fetched(fitted: Approximate) -> None:
    spiked = fit(spiked_vectors(3000, 16, 1))
    assert spiked.recall.share >= 0.95
    assert spiked.recall.fetched > fitted.recall.fetched


def test_cosines_are_exact_and_fall(fitted: Approximate) -> None:
    vectors, queries = clustered(5000), clustered(20, seed=3)
    found = fitted.search(queries, 5, threads=1)
    exact = np.take_along_axis(products(queries, vectors), found.index.astype(np.int64), 1)
    np.testing.assert_array_equal(found.cosine, exact)
    assert (np.diff(found.cosine, axis=1) <= 0).all()


def test_of_equals_the_earlier_comes_first() -> None:
    vectors = np.repeat(clustered(50), 4, axis=0)
    found = fit(vectors, k=3).search(vectors[::4], 4, threads=1)
    np.testing.assert_array_equal(found.index, np.arange(200).reshape(50, 4))


def test_vectors_that_are_all_the_same_are_found() -> None:
    vectors = np.repeat(random_vectors(1, 32, 1), 300, axis=0)
    fitted = fit(vectors)
    assert fitted.recall.share == 1
    assert fitted.search(vectors[:2], 3, threads=1).cosine == pytest.approx(1, abs=1e-6)


def test_recall_can_be_measured_on_queries_of_another_kind() -> None:
    vectors, queries = clustered(3000), random_vectors(100, 32, 5)
    fitted = fit(vectors, queries=queries, k=4)
    assert (fitted.recall.queries, fitted.recall.k) == (100, 4)
    assert share_found(fitted, queries, vectors, 4) >= 0.95
    assert fitted.recall.probes > fit(vectors, k=4).recall.probes


def test_deleted_vectors_are_not_found(fitted: Approximate) -> None:
    deleted = (np.arange(5000) % 3 > 0).astype(np.uint8)
    found = fitted.search(clustered(50, seed=4), 10, deleted=deleted, threads=1)
    assert (found.index >= 0).all()
    assert (found.index % 3 == 0).all()


@pytest.mark.parametrize("count", [1, 2, 5, 17])
@pytest.mark.parametrize("width", [1, 2, 7, 8])
def test_few_vectors_and_odd_widths_are_no_problem(count: int, width: int) -> None:
    vectors = random_vectors(count, width, 1)
    vectors = vectors if width > 1 else np.ones_like(vectors[:1])
    count = len(vectors)
    found = fit(vectors).search(vectors, 7, threads=1)
    assert found.index[:, 0].tolist() == list(range(count))
    assert (found.index[:, count:] == -1).all()


def test_a_mapped_file_does_as_well_as_an_array(tmp_path: Path, fitted: Approximate) -> None:
    clustered(5000).tofile(tmp_path / "vectors")
    mapped = np.memmap(tmp_path / "vectors", np.float32, "r", shape=(5000, 32))
    queries = clustered(10, seed=6)
    np.testing.assert_array_equal(
        fit(mapped).search(queries, 5, threads=1).index, fitted.search(queries, 5, threads=1).index
    )


def test_clusters_are_the_same_bytes_on_any_number_of_threads(tmp_path: Path) -> None:
    # Signs alone, so that many lie just between two clusters, and how a sum is rounded decides.
    vectors = unit(np.sign(np.random.default_rng(1).standard_normal((6000, 32))))
    for threads in (1, 2, 3):
        Approximate.fit(vectors, threads=threads).write(tmp_path / str(threads))
    for name in ("clusters.faiss", "about.json"):
        first, *others = ((tmp_path / str(threads) / name).read_bytes() for threads in (1, 2, 3))
        assert all(other == first for other in others)


def test_what_was_written_answers_as_before(tmp_path: Path, fitted: Approximate) -> None:
    fitted.write(tmp_path / "approximate")
    opened = Approximate.read(tmp_path / "approximate", clustered(5000))
    assert opened.recall == fitted.recall
    queries = clustered(30, seed=7)
    np.testing.assert_array_equal(
        opened.search(queries, 5, threads=1).index, fitted.search(queries, 5, threads=1).index
    )


def test_other_vectors_than_it_was_made_for_are_refused(tmp_path: Path, fitted: Approximate) -> None:
    fitted.write(tmp_path)
    with pytest.raises(ModelError, match="made for 5000 × 32 vectors"):
        Approximate.read(tmp_path, clustered(4999))


def test_clusters_that_faiss_cannot_search_are_an_error(fitted: Approximate) -> None:
    class Forged:
        def search(self, *given: object, **named: object) -> None:
            raise RuntimeError("Error in search: forged\nat line 1")

    with pytest.raises(ModelError, match="FAISS cannot search these clusters: Error in search: forged\n"):
        Approximate(Forged(), clustered(5000), fitted.recall).search(clustered(1), 1)


@pytest.mark.parametrize(
    ("forged", "problem"),
    [(7, "a vector twice"), (5000, "vectors that do not exist"), (1 << 40, "do not exist"), (-5, "do not exist")],
)
def test_clusters_with_forged_numbers_of_vectors_are_an_error(
    tmp_path: Path, fitted: Approximate, forged: int, problem: str
) -> None:
    fitted.write(tmp_path)
    path, about = tmp_path / "clusters.faiss", tmp_path / "about.json"
    clusters = faiss.read_index(str(path))
    for cluster in range(clusters.nlist):
        size = clusters.invlists.list_size(cluster)
        if size:
            faiss.rev_swig_ptr(clusters.invlists.get_ids(cluster), size)[:] = forged
    faiss.write_index(clusters, str(path))
    about.write_text(json.dumps(json.loads(about.read_text()) | {"checksum": file_checksum(path)}))
    opened = Approximate.read(tmp_path, clustered(5000))
    with pytest.raises(ModelError, match=problem):
        opened.search(clustered(3), 10)


@pytest.mark.parametrize("damage", ["cut", "changed", "gone", "about", "no number", "version", "probes", "fetched"])
def test_a_damaged_folder_is_an_error(tmp_path: Path, fitted: Approximate, damage: str) -> None:
    fitted.write(tmp_path)
    file, about = tmp_path / "clusters.faiss", tmp_path / "about.json"
    content, described = file.read_bytes(), json.loads(about.read_text())
    if damage == "cut":
        file.write_bytes(content[:-10])
    elif damage == "changed":
        file.write_bytes(content[:100] + b"cake" + content[104:])
    elif damage == "gone":
        file.unlink()
    elif damage == "about":
        about.write_text("[]")
    elif damage == "no number":
        about.write_text(json.dumps({name: value for name, value in described.items() if name != "share"}))
    elif damage == "version":
        about.write_text(json.dumps(described | {"format": 2}))
    else:  # more than there is; FAISS would ask for all memory
        about.write_text(json.dumps(described | {damage: 1 << 31}))
    with pytest.raises(ModelError, match="is damaged"):
        Approximate.read(tmp_path, clustered(5000))


FULL = """
import sys, resource
import numpy as np
from pathlib import Path
from calque.neighbours.approximate import Approximate
vectors = np.eye(64, dtype=np.float32).repeat(100, axis=0)
made = Approximate.fit(vectors, threads=1)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
made.write(Path(sys.argv[1]))
"""


def test_a_full_disk_is_an_error(tmp_path: Path) -> None:
    failed = subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True)
    assert f"CalqueError: cannot write {tmp_path / 'clusters.faiss'}" in failed.stderr
    with pytest.raises(ModelError):
        Approximate.read(tmp_path, np.eye(64, dtype=np.float32))


@pytest.mark.parametrize("options", [{"k": 0}, {"target": 0.0}, {"target": 1.5}])
def test_impossible_wishes_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="expected vectors, k ≥ 1"):
        fit(clustered(10), **options)


def test_no_vectors_at_all_are_refused() -> None:
    with pytest.raises(UsageError, match="expected vectors"):
        fit(np.zeros((0, 4), np.float32))


def test_without_faiss_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(CalqueError, match=r"calque-nlp\[ann\]"):
        fit(clustered(10))


def test_too_little_memory_is_an_error() -> None:
    with pytest.raises(UsageError, match=r"5,000 vectors takes 0\.1 MB, and 0\.0 MB are allowed"):
        Approximate.fit(clustered(5000), memory=5000 * 8)
