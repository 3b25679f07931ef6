"""Bitext in, model folder out."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..atomic import remove_unfinished
from ..corpus import Bitext, Columns, find_bitexts, find_texts
from ..corpus.languages import best_fit
from ..encoder import Encoder, make_encoder, random_parameters
from ..errors import UsageError
from ..locks import occupied
from ..model import Model, save
from ..model.about import About, Score
from ..model.quality import LanguageQuality
from ..threads import resolve_threads
from ..training import (
    Checkpoint,
    Corpus,
    Development,
    Outcome,
    Progress,
    first_state,
    telling_to_resume,
    tokenise_beside,
    train_parameters,
)
from ..training.checkpoint import NAME as CHECKPOINT
from ..training.large_corpus import NAME as TOKENS
from ..training.mega_batches import Place
from ..vocabulary import Vocabulary, read_vocabulary, write_vocabulary
from .beginning import beginning, can_begin, forget_beginning, is_begun
from .given_vocabulary import open_given
from .held_out import measured, today
from .inputs import Paths, as_paths
from .interrupt import stop_on_signals
from .origin import Origin
from .same_input import changed, recognised, require_same_development, stamps_outside
from .saved_input import forget_input, saved_input
from .start import open_start
from .training_log import TrainingLog
from .training_plan import Sources, TrainingPlan, config_of
from .training_run import RUN, Run
from .weights import bitext_weights


@dataclass(frozen=True)
class Watcher:
    """What a caller wants to hear of a run, and when to checkpoint."""

    stage: Callable[[str], None] = lambda stage: None  # "vocabulary", "reading", "training"
    pairs_read: Callable[[int], None] = lambda pairs: None
    progress: Callable[[Progress], None] = lambda progress: None
    checkpoint_minutes: float = 10.0


def train(
    bitext: Paths,
    out: str | Path,
    *,
    text: Paths = (),
    text_language: str | None = None,
    languages: Sequence[str] = (),
    columns: Columns | None = None,
    format: str | None = None,
    dev: Paths | None = None,
    init: str | Path | None = None,
    add_languages: Sequence[str] = (),
    add_pieces: int | None = None,
    vocabulary_from: str | Path | None = None,
    weights: Mapping[str, float] | None = None,
    threads: int | None = None,
    watcher: Watcher | None = None,
    recipe: str | None = None,
    **options: Any,
) -> Model:
    """Train a model on bitexts, plain text or both and write it to the new folder `out`.

    Examples:
        >>> model = calque.train("en-es.tsv", "my-model/", vocabulary_size=1000, dimension=64, epochs=2)
        >>> calque.load("my-model/").dimension
        64

    A run that was stopped goes on with `calque.resume(out)`.

    Args:
        bitext: One file or several, as for `calque.read_bitext`; several language pairs make one model. May be empty
            if there is `text`.
        out: A folder that is new, or empty.
        text: Files of plain text, one sentence a line, in any language. Each sentence is paired with itself; both
            copies lack some of their words (`leave_out`), others each time.
        text_language: The language of the texts whose names do not tell it, as `news.es.txt` does.
        languages: Two codes, for files that hold more languages or tell none.
        columns: Which two columns of a table to read, by numbers from 1 or by a header's names.
        format: Such as `"csv"`, where the content of a file is not to decide.
        dev: A TSV of score, sentence, sentence, or held-out bitext such as `dev.en-es.tsv`, or several of these. The
            epoch that does best is kept. Bitext also measures the languages: `model.quality("es")`.
        init: A model whose vocabulary, encoder and rows training starts from, by the recipe `adapt`.
        add_languages: Those of the bitext that this model does not know; what it knows stays as it is, but for traces.
        add_pieces: That each of them gets at the most; 8,000 unless given.
        vocabulary_from: A model whose vocabulary is used as it is, while rows start at random.
        weights: How often an epoch sees a bitext's pairs or a text's sentences, by its name (that of its file, without
            endings) or a pattern of names, of which the last that fits counts; once if it says nothing.
        threads: As many as there are cores, unless given; the model's bytes do not depend on it.
        watcher: Hears how far it has come.
        recipe: The set of defaults: `calque` or `paper`.
        options: Fields of TrainingConfig that differ from the recipe: `dimension=300`, `epochs=10`, `seed=1`.

    Raises:
        CalqueError: the input cannot be used, with the place; the folder then holds no model.
    """
    start = open_start(init, add_languages, add_pieces)
    given = open_given(vocabulary_from, start)
    config = config_of(recipe, options, start, given)
    folder = Path(out)
    watcher = watcher or Watcher()
    with occupied(folder, "trains"):
        _require_new(folder)
        pairs, texts = as_paths(bitext), as_paths(text)
        with saved_input([*pairs, *texts], folder, is_needed=lambda: is_begun(folder)) as readable:
            absolute = [str(Path(path).absolute()) for path in readable]
            plain = find_texts(absolute[len(pairs) :], text_language)
            read = find_bitexts(absolute[: len(pairs)], languages, columns, format) if pairs or not plain else []
            sources: Sources = (*read, *plain)
            seen = bitext_weights(sources, weights or {})
            sets = [str(Path(path).absolute()) for path in as_paths(dev)] if dev is not None else []
            plan = TrainingPlan(config, sources, seen, start, given, sets)
            run, used = _begin(folder, plan, resolve_threads(threads), watcher)
        return _go_on(folder, run, used, watcher)


def _begin(folder: Path, plan: TrainingPlan, threads: int, watcher: Watcher) -> tuple[Run, Used]:
    """Leaves the folder as it was if the input is wrong; stopped once there is a vocabulary, the run can be resumed."""
    before = stamps_outside(folder, plan.sources)
    watcher.stage("vocabulary")
    vocabulary = plan.vocabulary()
    development = _development(plan.development, vocabulary, plan.sources)
    with beginning(folder):
        run = Run(
            plan.config_for(vocabulary),
            plan.sources,
            write_vocabulary(folder, vocabulary),
            tuple(plan.development),
            Origin.of(plan.start) if plan.start else None,
            plan.weights,
            development.digest if development else None,
            before,
            vocabulary_from=plan.given.name if plan.given else None,
        )
        run.write(folder)
        used = Used.read(folder, run, vocabulary, development, threads, watcher)
        return recognised(folder, run, used.corpus), used


def resume(folder: str | Path, *, threads: int | None = None, watcher: Watcher | None = None) -> Model:
    """Goes on with a training that was stopped, and ends with the vectors it would have had without the stop.

    `folder` is the `out` of `calque.train`, of which everything else is remembered; the bitext is read again.

    Raises:
        CalqueError: nothing to resume there, or what it learns from has changed.
    """
    folder = Path(folder)
    with occupied(folder, "trains", make=False):
        return _resume(folder, threads, watcher or Watcher())


def _resume(folder: Path, threads: int | None, watcher: Watcher) -> Model:
    run = Run.read(folder)
    if (folder / "config.json").exists():
        with contextlib.suppress(OSError):  # it may be read only
            _forget(folder)  # of what a process that was killed right after had no time to
        raise UsageError(
            f"{folder}: this training has ended; the model is ready",
            hint=f"to train it further: --init {folder} --out DIR",
        )
    remove_unfinished(folder)
    forget_beginning(folder)
    vocabulary = read_vocabulary(folder, run.vocabulary)
    development = _development(run.development, vocabulary, run.bitexts)
    require_same_development(folder, run, development)
    used = Used.read(folder, run, vocabulary, development, resolve_threads(threads), watcher)
    return _go_on(folder, recognised(folder, run, used.corpus), used, watcher)


@dataclass(frozen=True)
class Used:
    """What a run reads."""

    vocabulary: Vocabulary
    corpus: Corpus
    development: Development | None
    threads: int

    @classmethod
    def read(
        cls,
        folder: Path,
        run: Run,
        vocabulary: Vocabulary,
        development: Development | None,
        threads: int,
        watcher: Watcher,
    ) -> Used:
        watcher.stage("reading")
        corpus = tokenise_beside(folder, run.bitexts, vocabulary, threads, watcher.pairs_read, run.weights)
        return cls(vocabulary, corpus, development, threads)


def _go_on(folder: Path, run: Run, used: Used, watcher: Watcher) -> Model:
    digest = used.corpus.digest
    checkpoint = Checkpoint.read(folder) or _first_checkpoint(run, used, digest)
    if checkpoint.digest != digest:
        raise changed(folder, "bitext")
    watcher.stage("training")
    with stop_on_signals() as stop_asked, TrainingLog(folder) as log:

        def report(progress: Progress) -> None:
            with telling_to_resume(folder):
                log.add(progress)
            watcher.progress(progress)

        outcome = train_parameters(
            used.corpus,
            run.config,
            checkpoint,
            folder=folder,
            development=used.development,
            threads=used.threads,
            checkpoint_minutes=watcher.checkpoint_minutes,
            report=report,
            stop_asked=stop_asked,
        )
    encoder = make_encoder(run.config.encoder, used.vocabulary, run.config.dimension, outcome.parameters)
    with telling_to_resume(folder):
        model = save(folder, encoder, _about(run, used, outcome, encoder))
    _forget(folder)
    return model


def _forget(folder: Path) -> None:
    """What only an unfinished training needs."""
    (folder / CHECKPOINT).unlink(missing_ok=True)
    (folder / TOKENS).unlink(missing_ok=True)
    forget_input(folder)
    forget_beginning(folder)
    remove_unfinished(folder)


def _development(paths: Sequence[str], vocabulary: Vocabulary, sources: Sources) -> Development | None:
    """A bitext that does not tell its languages has those of the training, if they are only two."""
    today()  # wrong settings should not end a training that has been done
    pairs = {source.languages for source in sources if isinstance(source, Bitext)}
    return Development.read(paths, vocabulary, *(pairs if len(pairs) == 1 else ())) if paths else None


def _about(run: Run, used: Used, outcome: Outcome, encoder: Encoder) -> About:
    score = None
    quality: tuple[LanguageQuality, ...] = ()
    if used.development:
        quality = measured(encoder, used.development.translations, used.threads)
        if outcome.development is not None:
            sets = used.development
            score = Score(sets.name, sets.pairs, outcome.development, sets.measure)
    return About(
        recipe=_recipe(run),
        languages=_languages(run),
        data=_data_names(run, used.corpus),
        epoch=outcome.epoch,
        seconds=outcome.seconds,
        development=score,
        training=run.config.as_dict(),
        quality=quality + _still_known(run, quality),
    )


def _recipe(run: Run) -> str:
    started = [run.init.recipe] if run.init else []
    given = [f"vocabulary-from={run.vocabulary_from}"] if run.vocabulary_from else []
    return ",".join([run.config.recipe_as_used, *started, *given])


def _still_known(run: Run, measured_now: Sequence[LanguageQuality]) -> tuple[LanguageQuality, ...]:
    """What was measured of the model to start from, if adding languages to it has left all others as they were."""
    if run.init is None or run.config.recipe != "extend":
        return ()
    now = {each.language for each in measured_now}
    return tuple(each for each in run.init.quality if best_fit(each.language, now) is None)


def _first_checkpoint(run: Run, used: Used, digest: str) -> Checkpoint:
    config, vocabulary = run.config, used.vocabulary
    if run.init is not None:
        state = run.init.first_state(vocabulary, used.corpus, config)
    else:
        unknown = vocabulary.unknown
        parameters = random_parameters(config.encoder, vocabulary.size, config.dimension, config.seed, unknown)
        state = first_state(config.encoder, parameters)
    return Checkpoint(Place(), state, digest)


def _require_new(folder: Path) -> None:
    if can_begin(folder):
        return
    if (folder / RUN).exists() and not (folder / "config.json").exists():
        raise UsageError(f"{folder} holds an unfinished training", hint=f"calque train --resume {folder}")
    if folder.exists():
        raise UsageError(f"{folder} exists and is not an empty folder", hint="choose another --out")


def _languages(run: Run) -> tuple[str, ...]:
    before = run.init.languages if run.init else ()
    now = (language for bitext in run.bitexts for language in bitext.languages or ())
    return tuple(dict.fromkeys([*before, *now]))


def _data_names(run: Run, corpus: Corpus) -> tuple[str, ...]:
    before = run.init.data if run.init else ()
    if run.config.epochs == 0:
        return before
    now = zip(run.bitexts, corpus.parts, corpus.part_weights, strict=True)
    return before + tuple(
        f"{source.name}:{part.pairs}" + (f"×{weight:g}" if weight != 1 else "") for source, part, weight in now
    )
