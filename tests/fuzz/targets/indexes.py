"""Index folders: the manifest, every file of a segment, the list of deletions, the clusters of approximate search."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from structures import json_mutated, numbers_mutated
from target import Mutate, Targets, Trial

import calque
from calque.checksums import file_checksum
from calque.demo import sentences
from mutations import mutated
from targets.models import plain


def built(folder: Path, approximate: bool = False) -> calque.Index:
    plain(folder / "model")
    index = calque.Index.build(
        iter(sentences()["es"][:60]), folder / "index", folder / "model", approximate=approximate
    )
    index.delete([3, 5])
    return index


def use(path: Path) -> None:
    index = calque.Index.open(path)
    found = index.search(["Un perro corre.", "A dog runs.", ""], k=7)
    found += index.search(["Hoy llueve."] * 70, k=100, threads=2)
    for hits in found:
        assert all(abs(hit.score) < 1.01 for hit in hits), "a score is no cosine"
        assert len({hit.id for hit in hits}) == len(hits), "an entry is found twice"
    index.ids_of("Un perro corre.")
    index.describe(), len(index), repr(index)
    index.check()


def damaged(
    name: str, mutate: Mutate = mutated, approximate: bool = False, change: bool = False
) -> Callable[[Path], Trial]:
    """One file is damaged; the clusters' checksum is made right again. With `change`, the index is then changed."""

    def made(folder: Path) -> Trial:
        index = built(folder, approximate)
        (path,) = index.path.glob(name)
        manifest = index.path / "index.json"
        whole = {file: file.read_bytes() for file in index.path.rglob("*") if file.is_file()}

        def attempt(content: bytes) -> None:
            for file, before in whole.items():
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(before)
            path.write_bytes(content)
            _mend(path, manifest)
            use(index.path)
            if change:
                opened = calque.Index.open(index.path)
                opened.delete([1])
                opened.add(["Hoy no llueve."])

        return Trial([whole[path]], attempt, mutate)

    return made


def _mend(path: Path, manifest: Path) -> None:
    """What says how the damaged file should look, where something does."""
    if path.name == "clusters.faiss":
        about = path.with_name("about.json")
        about.write_text(json.dumps(json.loads(about.read_text()) | {"checksum": file_checksum(path)}))
    elif path != manifest and path.parent.name.startswith("segment"):
        saved = json.loads(manifest.read_text())
        stored = {"size": path.stat().st_size, "checksum": file_checksum(path)}
        saved["segments"][0]["files"][path.name] = stored
        manifest.write_text(json.dumps(saved))


TARGETS: Targets = {
    "index-manifest": damaged("index.json", json_mutated, change=True),
    "index-deleted": damaged("deleted-*", change=True),
    "index-vectors": damaged("segment-*/vectors.f32", numbers_mutated),
    "index-codes": damaged("segment-*/codes.i8"),
    "index-about-codes": damaged("segment-*/about.f32", numbers_mutated),
    "index-ids": damaged("segment-*/ids.u64", change=True),
    "index-offsets": damaged("segment-*/offsets.u64", change=True),
    "index-text": damaged("segment-*/text.utf8"),
    "index-about-clusters": damaged("segment-*/approximate/about.json", json_mutated, approximate=True),
    "index-clusters": damaged("segment-*/approximate/clusters.faiss", approximate=True),
}
