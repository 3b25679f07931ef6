"""The run: mega-batch after mega-batch, with what a user wants to see, keep and interrupt on the way."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..encoder.protocol import Parameters
from ..errors import CalqueError, Stopped
from .checkpoint import Best, Checkpoint
from .config import TrainingConfig
from .corpus import Corpus, Sides
from .development import Development, DevelopmentSet
from .learner import Learner, make_learner
from .left_out import with_words_left_out
from .mega_batches import Course, MegaBatch

_SELDOM = 5.0  # seconds: an epoch of fewer is sooner trained again than its state is saved


@dataclass(frozen=True)
class Progress:
    epoch: int  # from 1
    epochs: int
    step: int
    steps: int
    loss: float  # mean a pair, this epoch so far
    pairs_per_second: float
    mega_batch: int
    learning_rate: float
    seconds_left: float
    ends_epoch: bool = False
    development: float | None = None  # in points of 100, at the end of an epoch
    shares: dict[str, float] = field(default_factory=dict)  # seconds spent in each part of the last mega-batch


@dataclass(frozen=True)
class Outcome:
    parameters: Parameters
    epoch: int  # the one kept
    development: float | None
    seconds: float


class _Meter:
    """Speed and loss of the running epoch."""

    def __init__(self) -> None:
        self.begin = time.monotonic()
        self.pairs = 0
        self.loss = 0.0

    def add(self, pairs: int, loss: float) -> None:
        self.pairs += pairs
        self.loss += loss * pairs

    @property
    def mean_loss(self) -> float:
        return self.loss / self.pairs

    @property
    def speed(self) -> float:
        return self.pairs / max(time.monotonic() - self.begin, 1e-9)


def train_parameters(
    corpus: Corpus,
    config: TrainingConfig,
    checkpoint: Checkpoint,
    *,
    folder: Path | None = None,
    development: Development | DevelopmentSet | None = None,
    threads: int = 1,
    checkpoint_minutes: float = 10.0,
    report: Callable[[Progress], None] = lambda progress: None,
    stop_asked: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Goes on from `checkpoint` to the end; checkpoints go to `folder` every few minutes, and after epochs of seconds.

    Raises:
        Stopped: `stop_asked` said so; the state has been saved.
        CalqueError: the loss is no longer a number.
    """
    course = Course(corpus.parts, config, corpus.weights, corpus.windows)
    learner = make_learner(config, corpus, checkpoint.state, threads)
    checkpoint.state = learner.state()  # lets go of what it was made from
    begun, spent = time.monotonic(), checkpoint.seconds
    last_saved = begun

    def save(batch: MegaBatch) -> None:
        nonlocal last_saved
        checkpoint.place = batch.after
        checkpoint.state = learner.state()
        checkpoint.seconds = spent + time.monotonic() - begun
        if folder is not None:
            with telling_to_resume(folder):
                checkpoint.write(folder)
        last_saved = time.monotonic()

    meter = _Meter()
    used: tuple[int, int] | None = None
    for batch in course.mega_batches(checkpoint.place):
        if used is None or (corpus.windows > 1 and used != (batch.epoch, batch.window)):
            used = batch.epoch, batch.window
            sides = corpus.window(batch.window, batch.epoch, config.seed)
            learner.use(sides)
        result = _train(learner, batch, sides, corpus, config)
        if not math.isfinite(result["loss"]):
            raise _not_a_number(batch)
        meter.add(len(batch.pairs), result["loss"])
        score = None
        if batch.ends_epoch and development is not None:
            score = development.score(learner.vectors)
            if checkpoint.best is None or score > checkpoint.best.score:
                checkpoint.best = Best(batch.after.epoch, score, learner.parameters())
        report(_progress(course, batch, meter, score, result))
        stopping = stop_asked()
        patience = 60 * checkpoint_minutes
        if batch.ends_epoch:
            patience = min(patience, _SELDOM)
        if stopping or time.monotonic() - last_saved > patience:
            save(batch)
        if batch.ends_epoch:
            meter = _Meter()
        if stopping and batch.after.epoch < config.epochs:
            raise Stopped("stopped; everything so far is saved", hint=f"calque train --resume {folder}")
    seconds = spent + time.monotonic() - begun
    if checkpoint.best is not None:
        return Outcome(checkpoint.best.parameters, checkpoint.best.epoch, checkpoint.best.score, seconds)
    return Outcome(learner.parameters(), config.epochs, None, seconds)


def _train(
    learner: Learner, batch: MegaBatch, sides: Sides, corpus: Corpus, config: TrainingConfig
) -> dict[str, float]:
    if batch.plain is None or not batch.plain.any():
        return learner.train(batch.pairs, batch.rates)
    assert corpus.begins_word is not None  # it has plain text
    draw = np.random.default_rng([config.seed, batch.after.steps, 0, 0, 2])
    thinned = with_words_left_out(sides.take(batch.pairs), batch.plain, corpus.begins_word, config.leave_out, draw)
    return learner.train_on(thinned, batch.rates)


@contextmanager
def telling_to_resume(folder: Path) -> Iterator[None]:
    """What cannot be written within the block does no harm to the run, and its error says so."""
    try:
        yield
    except CalqueError as problem:
        if isinstance(problem.__cause__, OSError):
            problem.hint = f"make room, then go on: calque train --resume {folder}"
        raise


def _progress(
    course: Course, batch: MegaBatch, meter: _Meter, score: float | None, result: dict[str, float]
) -> Progress:
    left = (course.steps - batch.after.steps) / course.steps * course.config.epochs * course.pairs
    return Progress(
        epoch=batch.after.epoch + (0 if batch.ends_epoch else 1),
        epochs=course.config.epochs,
        step=batch.after.steps,
        steps=course.steps,
        loss=meter.mean_loss,
        pairs_per_second=meter.speed,
        mega_batch=batch.size,
        learning_rate=float(batch.rates[-1]),
        seconds_left=left / meter.speed,
        ends_epoch=batch.ends_epoch,
        development=score,
        shares={name: seconds for name, seconds in result.items() if name != "loss"},
    )


def _not_a_number(batch: MegaBatch) -> CalqueError:
    return CalqueError(
        f"the loss is no longer a number after step {batch.after.steps}",
        hint="choose a smaller --learning-rate; the last checkpoint is unharmed",
    )
