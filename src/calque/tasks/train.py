"""Bitext in, model folder out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..atomic import cannot_write, remove_unfinished, write_text
from ..corpus import Bitext, Columns, find_bitexts
from ..encoder import Parameters, make_encoder, random_parameters
from ..encoder.pytorch import torch_module
from ..errors import CalqueError, CorpusError, UsageError
from ..model import Model, load, save
from ..model.about import About, Score
from ..threads import resolve_threads
from ..training import (
    Checkpoint,
    DevelopmentSet,
    Progress,
    TrainingConfig,
    TrainingCorpus,
    first_state,
    tokenise,
    train_parameters,
)
from ..training.checkpoint import NAME as CHECKPOINT
from ..training.mega_batches import Place
from ..vocabulary import Vocabulary, build_vocabulary, read_vocabulary, write_vocabulary
from .inputs import Paths, as_paths
from .interrupt import stop_on_signals
from .saved_input import forget_input, saved_input
from .training_log import TrainingLog

RUN = "training.json"


@dataclass(frozen=True)
class Watcher:
    """What a caller wants to hear of a run, and when to checkpoint."""

    stage: Callable[[str], None] = lambda stage: None  # "vocabulary", "reading", "training"
    pairs_read: Callable[[int], None] = lambda pairs: None
    progress: Callable[[Progress], None] = lambda progress: None
    checkpoint_minutes: float = 10.0


@dataclass(frozen=True)
class Run:
    """What a folder must remember for its training to be resumed."""

    config: TrainingConfig
    bitexts: tuple[Bitext, ...]
    vocabulary: dict[str, Any]
    development: str | None = None
    init: str | None = None

    def write(self, folder: Path) -> None:
        saved = {
            "config": self.config.as_dict(),
            "bitexts": [
                {
                    "paths": bitext.paths,
                    "languages": bitext.languages,
                    "columns": bitext.columns,
                    "format": bitext.format,
                }
                for bitext in self.bitexts
            ],
            "vocabulary": self.vocabulary,
            "development": self.development,
            "init": self.init,
        }
        write_text(folder / RUN, json.dumps(saved, indent=2, ensure_ascii=False) + "\n")

    @classmethod
    def read(cls, folder: Path) -> Run:
        try:
            saved = json.loads((folder / RUN).read_text(encoding="utf-8"))
            bitexts = [
                Bitext(
                    tuple(each["paths"]),
                    tuple(each["languages"]) if each["languages"] else None,
                    tuple(each["columns"]) if each["columns"] else None,
                    each["format"],
                )
                for each in saved["bitexts"]
            ]
            config = TrainingConfig(**saved["config"])
            return cls(config, tuple(bitexts), saved["vocabulary"], saved["development"], saved["init"])
        except FileNotFoundError as problem:
            raise UsageError(f"{folder} holds no training to resume: there is no {RUN}") from problem
        except (OSError, ValueError, KeyError, TypeError) as problem:
            raise CalqueError(f"{folder / RUN} cannot be read: {problem!r}") from problem


def train(
    bitext: Paths,
    out: str | Path,
    *,
    languages: Sequence[str] = (),
    columns: Columns | None = None,
    format: str | None = None,
    dev: str | Path | None = None,
    init: str | Path | None = None,
    threads: int | None = None,
    watcher: Watcher | None = None,
    recipe: str = "calque",
    **options: Any,
) -> Model:
    """Trains a model on one or more bitexts and writes it to the new folder `out`.

    `options` are those of TrainingConfig: dimension=300, epochs=10, vocabulary="sp", seed=1 and so on. With `dev`, a
    TSV of score, sentence, sentence, the epoch that does best on it is kept. With `init`, training starts from what
    another model has learnt, with its vocabulary and encoder. A run that was stopped goes on with `calque.resume(out)`.

    Raises:
        CalqueError: the input cannot be used, with the place; the folder then holds no model.
    """
    start = load(init) if init is not None else None
    config = _config(recipe, options, start)
    folder = Path(out)
    _require_new(folder)
    watcher = watcher or Watcher()
    with saved_input(as_paths(bitext), folder) as readable:
        absolute = [str(Path(path).absolute()) for path in readable]
        bitexts = tuple(find_bitexts(absolute, languages, columns, format))
        run, used = _begin(folder, config, bitexts, dev, start, resolve_threads(threads), watcher)
    return _go_on(folder, run, used, watcher)


def _config(recipe: str, options: dict[str, Any], start: Model | None) -> TrainingConfig:
    """What a model to start from has already decided is taken over from it."""
    config = TrainingConfig.of(recipe, **options)  # type: ignore[arg-type]
    if start:
        if options.get("encoder") not in (None, start.encoder.name):
            raise UsageError(
                f"{start.path} has the encoder {start.encoder.name}, and {config.encoder} cannot start from it",
                hint=f"leave out --encoder, or say {start.encoder.name}",
            )
        taken = {name: start.about.training[name] for name in ("vocabulary", "vocabulary_size", "sharing")}
        taken |= {"encoder": start.encoder.name, "dimension": start.dimension}
        config = TrainingConfig.of(recipe, **options | taken)  # type: ignore[arg-type]
    if config.encoder == "blstm":
        torch_module()  # before anything is read or written
    return config


def _begin(
    folder: Path,
    config: TrainingConfig,
    bitexts: tuple[Bitext, ...],
    dev: str | Path | None,
    start: Model | None,
    threads: int,
    watcher: Watcher,
) -> tuple[Run, Used]:
    """Reads everything that can be wrong before anything is written."""
    watcher.stage("vocabulary")
    vocabulary = start.vocabulary if start else build_vocabulary(config.vocabulary_spec, lambda: _texts(bitexts))
    development = str(Path(dev).absolute()) if dev is not None else None
    used = Used.read(bitexts, vocabulary, development, threads, watcher)
    source = str(start.path.absolute()) if start and start.path else None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        run = Run(config, bitexts, write_vocabulary(folder, vocabulary), development, source)
        run.write(folder)
    except OSError as problem:
        raise cannot_write(folder, problem) from problem
    except CalqueError:
        for path in folder.iterdir():  # it was empty before
            path.unlink()
        raise
    return run, used


def resume(folder: str | Path, *, threads: int | None = None, watcher: Watcher | None = None) -> Model:
    """Goes on with a training that was stopped, and ends with the vectors it would have had without the stop.

    Raises:
        CalqueError: nothing to resume there, or the bitext has changed.
    """
    folder = Path(folder)
    run = Run.read(folder)
    if (folder / "config.json").exists():
        raise UsageError(f"{folder}: this training has ended; the model is ready")
    remove_unfinished(folder)
    watcher = watcher or Watcher()
    vocabulary = read_vocabulary(folder, run.vocabulary)
    used = Used.read(run.bitexts, vocabulary, run.development, resolve_threads(threads), watcher)
    return _go_on(folder, run, used, watcher)


@dataclass(frozen=True)
class Used:
    """What a run reads, all of it in memory."""

    vocabulary: Vocabulary
    corpus: TrainingCorpus
    development: DevelopmentSet | None
    threads: int

    @classmethod
    def read(
        cls, bitexts: Sequence[Bitext], vocabulary: Vocabulary, dev: str | None, threads: int, watcher: Watcher
    ) -> Used:
        watcher.stage("reading")
        development = DevelopmentSet.read(dev, vocabulary) if dev else None
        return cls(vocabulary, tokenise(bitexts, vocabulary, threads, watcher.pairs_read), development, threads)


def _go_on(folder: Path, run: Run, used: Used, watcher: Watcher) -> Model:
    vocabulary, corpus, development = used.vocabulary, used.corpus, used.development
    digest = corpus.digest
    checkpoint = Checkpoint.read(folder) or _first_checkpoint(run, vocabulary, digest)
    if checkpoint.digest != digest:
        raise CorpusError(
            f"the bitext has changed since the training in {folder} began",
            hint="bring back the files as they were, or train anew into another folder",
        )
    watcher.stage("training")
    with stop_on_signals() as stop_asked, TrainingLog(folder) as log:

        def report(progress: Progress) -> None:
            log.add(progress)
            watcher.progress(progress)

        outcome = train_parameters(
            corpus,
            run.config,
            checkpoint,
            folder=folder,
            development=development,
            threads=used.threads,
            checkpoint_minutes=watcher.checkpoint_minutes,
            report=report,
            stop_asked=stop_asked,
        )
    score = None
    if development and outcome.development is not None:
        score = Score(development.name, len(development.gold), outcome.development)
    about = About(
        recipe=_recipe(run),
        languages=_languages(run.bitexts),
        data=_data_names(run, corpus),
        epoch=outcome.epoch,
        seconds=outcome.seconds,
        development=score,
        training=run.config.as_dict(),
    )
    encoder = make_encoder(run.config.encoder, vocabulary, run.config.dimension, outcome.parameters)
    model = save(folder, encoder, about)
    (folder / CHECKPOINT).unlink(missing_ok=True)
    forget_input(folder)
    return model


def _recipe(run: Run) -> str:
    started = [f"init={Path(run.init).resolve().name}"] if run.init is not None else []
    return ",".join([run.config.recipe_as_used, *started])


def _first_checkpoint(run: Run, vocabulary: Vocabulary, digest: str) -> Checkpoint:
    config = run.config
    parameters: Parameters
    if run.init is not None:
        parameters = load(run.init).encoder.parameters
    else:
        unknown = vocabulary.unknown
        parameters = random_parameters(config.encoder, vocabulary.size, config.dimension, config.seed, unknown)
    return Checkpoint(Place(), first_state(config.encoder, parameters), digest)


def _require_new(folder: Path) -> None:
    if folder.is_dir() and not any(folder.iterdir()):
        return
    if (folder / RUN).exists() and not (folder / "config.json").exists():
        raise UsageError(f"{folder} holds an unfinished training", hint=f"calque train --resume {folder}")
    if folder.exists():
        raise UsageError(f"{folder} exists and is not an empty folder", hint="choose another --out")


def _texts(bitexts: Sequence[Bitext]) -> Iterator[tuple[str | None, str]]:
    for bitext in bitexts:
        source, target = bitext.languages or (None, None)
        for pair in bitext.pairs():
            yield source, pair.source
            yield target, pair.target


def _languages(bitexts: Sequence[Bitext]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(language for bitext in bitexts for language in bitext.languages or ()))


def _data_names(run: Run, corpus: TrainingCorpus) -> tuple[str, ...]:
    if run.config.epochs == 0:
        return ()
    return tuple(f"{bitext.name}:{pairs}" for bitext, (_, pairs) in zip(run.bitexts, corpus.parts, strict=True))
