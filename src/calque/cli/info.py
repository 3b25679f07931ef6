from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from . import options
from .command import command
from .places import MODEL
from .visible import harmless

if TYPE_CHECKING:
    from ..model import Model
    from ..model.about import Score
    from ..model.quality import LanguageQuality

_MOST = 8  # bitexts
_FEW = "too few to tell"  # sentences that a language was measured on
TIERS = ("strong", "usable", "weak")  # model.quality, unimported


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

    opened = load(model)
    described = _describe(opened)
    if as_json:
        click.echo(json.dumps(described, ensure_ascii=False, indent=2))
        return
    if "quality" in described:
        described = {"measured" if name == "quality" else name: value for name, value in described.items()}
        described["measured"] = _measured(described["measured"])
    width = max(map(len, described))
    for name, value in described.items():
        click.echo(harmless(f"{name:<{width}}  {_shown(name, value, opened.quality)}"))


def _describe(model: Model) -> dict[str, Any]:
    from .. import _kernel

    about, score = model.about, model.about.development
    described: dict[str, Any] = {
        "path": str(model.path),
        "languages": list(about.languages),
        **_tiers(model),
        "quality": [each.as_dict() | {"found": round(each.found, 2), "tier": each.tier} for each in about.quality],
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
        "development": _scored(model, score),
        "checksum": model.checksum,
        "calque": about.version,
        "kernel": _kernel.target(),
    }
    return {name: value for name, value in described.items() if value not in (None, [])}


def _scored(model: Model, score: Score | None) -> str | None:
    if score is None:
        return None
    return f"{score.measure}={score.value:.1f} | {model.signature(score.name, score.pairs)}"


def _tiers(model: Model) -> dict[str, list[str]]:
    """The model's languages by how far it can be relied on in them; nothing where nothing was measured."""
    if not model.about.quality:
        return {}
    tiers: dict[str, list[str]] = {name: [] for name in (*TIERS, _FEW, "not measured")}
    for language in model.languages:
        measured = model.quality(language)
        tiers["not measured" if measured is None else measured.tier or _FEW].append(language)
    return tiers


def _shown(name: str, value: Any, quality: Callable[[str], LanguageQuality | None]) -> str:
    """Of many bitexts their number, and of measured languages their figure: --json lists all."""
    if name in (*TIERS, _FEW):
        return ", ".join(f"{language} {found.found:.1f}" for language in value if (found := quality(language)))
    if name == "data" and len(value) > _MOST:
        from ..model.about import pairs_in

        return f"{len(value)} bitexts of {sum(map(pairs_in, value)):,} pairs"
    return _plain(value)


def _measured(listed: list[dict[str, Any]]) -> str:
    """The measurement behind the tiers, in a line."""
    sizes, days = [each["n"] for each in listed], sorted({each["date"] for each in listed})
    sets = sorted({each["set"].partition(":")[0] for each in listed})
    n = f"{min(sizes):,}" + (f" to {max(sizes):,}" if min(sizes) < max(sizes) else "")
    return (
        f"per cent of sentences that find their translation, both ways, among {n} of {', '.join(sets)}, "
        f"{' to '.join(dict.fromkeys([days[0], days[-1]]))}"
    )


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
