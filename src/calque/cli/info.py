from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from . import options
from .command import command
from .places import MODEL
from .visible import harmless

if TYPE_CHECKING:
    from ..model import Model

_MOST = 8  # bitexts


@command(
    examples={
        "calque info": "the model that commands take when none is named",
        "calque info my-model --json": "",
    }
)
@click.argument("model", required=False, envvar="CALQUE_MODEL", type=MODEL)
@options.as_json
def info(model: str | None, as_json: bool) -> None:
    """Show what a model is and how it was made; without MODEL, the one CALQUE_MODEL names, else the one in the box."""
    from ..model import load

    described = _describe(load(model))
    if as_json:
        click.echo(json.dumps(described, ensure_ascii=False, indent=2))
        return
    width = max(map(len, described))
    for name, value in described.items():
        click.echo(harmless(f"{name:<{width}}  {_shown(name, value)}"))


def _describe(model: Model) -> dict[str, Any]:
    from .. import _kernel

    about, score = model.about, model.about.development
    described: dict[str, Any] = {
        "path": str(model.path),
        "languages": list(about.languages),
        "library": about.library,
        "encoder": model.encoder.name,
        "vocabulary": model.vocabulary.kind,
        "sharing": about.training.get("sharing"),
        "rows": model.vocabulary.size,
        "dimension": model.dimension,
        "bits": model.encoder.bits,
        "normalized": model.encoder.normalizes or None,
        "megabytes": round(model.encoder.nbytes / 1e6, 1),
        "recipe": about.recipe,
        "data": list(about.data),
        "epoch": None if about.library else about.epoch,
        "training seconds": None if about.library else about.seconds,
        "development": f"pearson={score.pearson:.1f} | {model.signature(score.name, score.pairs)}" if score else None,
        "checksum": model.checksum,
        "calque": about.version,
        "kernel": _kernel.target(),
    }
    return {name: value for name, value in described.items() if value not in (None, [])}


def _shown(name: str, value: Any) -> str:
    """Of many bitexts their number: --json lists them."""
    if name == "data" and len(value) > _MOST:
        from ..model.about import pairs_in

        return f"{len(value)} bitexts of {sum(map(pairs_in, value)):,} pairs"
    return _plain(value)


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
