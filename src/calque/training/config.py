"""Everything that decides what a training run learns. The command line's options are made from this class."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal, get_args, get_type_hints

from ..errors import UsageError
from ..vocabulary.spec import Kind, Sharing, VocabularySpec

EncoderName = Literal["average", "blstm"]
Recipe = Literal["calque", "paper", "adapt", "extend"]
Negatives = Literal["auto", "bilingual", "monolingual"]
Mixing = Literal["one-pair", "mixed"]

# Where the recipes, which are made for averages, differ for a BLSTM.
_FOR_BLSTM: dict[str, dict[str, Any]] = {
    "paper": {"scrambling": 0.3},
    "calque": {"scrambling": 0.3, "learning_rate": 0.01, "dropout": 0.15, "inverse_frequency": 0.0},
}

# Signatures have a part of their own for these.
_TOLD_ELSEWHERE = ("vocabulary", "vocabulary_size", "dimension", "epochs", "seed")

DEFAULT_SIZE = {"sp": 20_000, "word": 200_000, "trigram": 200_000}


def _option(
    default: Any, help: str, least: float | None = None, below: float | None = None, most: float | None = None
) -> Any:
    return field(default=default, metadata={"help": help, "least": least, "below": below, "most": most})


@dataclass(frozen=True)
class TrainingConfig:
    """What a training run learns by: `calque train --help` says what each field means.

    Examples:
        >>> calque.TrainingConfig.of("paper", epochs=3).learning_rate
        0.001

    Raises:
        UsageError: a value out of range, or two that do not fit together.
    """

    recipe: Recipe = _option("calque", "The set of defaults: our own, the paper's, or for a model to start from.")
    encoder: EncoderName = _option("average", "An average of rows, or a bidirectional LSTM over them (needs torch).")
    vocabulary: Kind = _option("sp", "What a text is read as: SentencePiece pieces, words or character trigrams.")
    vocabulary_size: int = _option(
        0, "How many of them; 0: 20,000 pieces, 200,000 words or trigrams, or as many as there are.", least=0
    )
    sharing: Sharing = _option(
        "joint",
        "One for all languages, learnt from all text or merged from one each; or one each, sharing rows or not.",
    )
    dimension: int = _option(300, "The length of a vector.", least=1, below=8193)
    epochs: int = _option(10, "How often each pair is seen; 0 gives the random encoder.", least=0)
    batch_size: int = _option(128, "Pairs in a mini-batch.", least=1, below=1 << 31)
    mega_batch: int = _option(60, "Mini-batches pooled to choose negatives from, at the most.", least=1)
    annealing: int = _option(150, "Mini-batches after which the mega-batch grows by one.", least=1)
    margin: float = _option(
        0.4, "By how much a translation must be nearer than the hardest negative.", least=0, below=2
    )
    dropout: float = _option(0.3, "Share of embedding elements left out, in steps of 1/256.", least=0, below=1)
    scrambling: float = _option(
        0.0, "Share of sentences whose tokens are shuffled, each time anew; an average has no order.", least=0, most=1
    )
    leave_out: float = _option(
        0.4, "Share of the words of plain text (--text) left out on either side, others each time.", least=0, below=1
    )
    learning_rate: float = _option(0.001, "Adam's rate.", least=0, below=float("inf"))
    decay: bool = _option(False, "Let the learning rate fall to zero in a straight line.")
    freeze: float = _option(
        0.0,
        "Only rows of pieces more than so many times as common here as in the model's text may learn; 0: all.",
        least=0,
        below=float("inf"),
    )
    exclude_repeats: bool = _option(False, "Never take a repeat of the true translation for a negative.")
    inverse_frequency: float = _option(
        0.0,
        "Weigh rows by a / (a + p) in the end, p being the share of its language's text that a piece is; 0: do not.",
        least=0,
        below=float("inf"),
    )
    damping: float = _option(
        0.0, "Divide rows by this power of their length in the end, so that none outweighs others.", least=0, most=1
    )
    negatives: Negatives = _option(
        "auto", "From the other language, or from both sides (auto: if both are one language)."
    )
    mixing: Mixing = _option("one-pair", "Whether a mega-batch holds one language pair or all of them mixed.")
    seed: int = _option(1, "Decides the start, the order and the dropout.", least=0, below=1 << 64)

    def __post_init__(self) -> None:
        types = get_type_hints(type(self))
        for option in fields(self):
            value = getattr(self, option.name)
            least, below, most = (option.metadata[bound] for bound in ("least", "below", "most"))
            expected = None
            if not _fits(value, types[option.name]):
                expected = ", ".join(get_args(types[option.name])) or types[option.name].__name__
            elif least is not None and not value >= least:  # NaN included
                expected = f"at least {least}"
            elif below is not None and not value < below:
                expected = f"less than {below}"
            elif most is not None and not value <= most:
                expected = f"at most {most}"
            if expected:
                name = option.name.replace("_", "-")
                raise UsageError(f"{name}: expected {expected}, got {value!r}", hint=option.metadata["help"])
        self._require_sense()

    def _require_sense(self) -> None:
        """Options that are fine each for itself may not fit together."""
        if self.encoder == "average" and self.scrambling > 0:
            raise UsageError("scrambling means nothing to an average, which has no order", hint="add --encoder blstm")
        if self.encoder == "blstm" and self.recipe in ("adapt", "extend"):
            raise UsageError(f"the recipe {self.recipe} is made for averages", hint="leave out --recipe")
        if self.encoder == "blstm" and self.inverse_frequency:
            raise UsageError(
                "inverse-frequency weighs the rows of an average, and a BLSTM is none",
                hint="leave out --inverse-frequency, or --encoder blstm",
            )
        if self.encoder == "blstm" and self.damping:
            raise UsageError(
                "damping shortens the rows of an average, and a BLSTM is none",
                hint="leave out --damping, or --encoder blstm",
            )
        if self.encoder == "blstm" and self.dimension % 2:
            raise UsageError(
                f"dimension: expected an even number, since a BLSTM's two directions make half a vector each, "
                f"got {self.dimension}",
                hint=f"like --dimension {self.dimension + 1}",
            )

    @classmethod
    def of(cls, recipe: Recipe = "calque", **changes: Any) -> TrainingConfig:
        """A recipe, as it is for an encoder, with some things changed; a change of None leaves the recipe's value.

        Raises:
            UsageError: no such recipe or field, or a value that it cannot have.
        """
        if recipe not in RECIPES:
            raise UsageError(
                f"recipe: expected one of {', '.join(RECIPES)}, got {recipe}", hint="leave it out for calque"
            )
        known = {option.name for option in fields(cls)}
        if unknown := sorted(set(changes) - known):
            raise UsageError(f"no such training option: {unknown[0]}", hint=f"there are: {', '.join(sorted(known))}")
        given = {name: value for name, value in changes.items() if value is not None}
        if given.get("encoder") == "blstm":
            given = _FOR_BLSTM.get(recipe, {}) | given
        return replace(RECIPES[recipe], **given)

    @property
    def vocabulary_spec(self) -> VocabularySpec:
        """Which vocabulary to build, with the size that 0 stands for."""
        chosen = self.vocabulary_size
        return VocabularySpec(
            self.vocabulary, chosen or DEFAULT_SIZE[self.vocabulary], self.sharing, or_fewer=not chosen
        )

    @property
    def recipe_as_used(self) -> str:
        """What a signature names: calque; or calque,margin=0.4,mega-batch=60 if the recipe was departed from."""
        recipe = TrainingConfig.of(self.recipe, encoder=self.encoder).as_dict()
        changes = {name: value for name, value in self.as_dict().items() if value != recipe[name]}
        told = (f"{name.replace('_', '-')}={value}" for name, value in changes.items() if name not in _TOLD_ELSEWHERE)
        return ",".join([self.recipe, *told])

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def _fits(value: Any, type: Any) -> bool:
    if choices := get_args(type):
        return value in choices
    if type is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, type) and (type is bool or not isinstance(value, bool))


_OURS = TrainingConfig(
    recipe="calque",
    learning_rate=0.05,
    decay=True,
    margin=0.6,
    dropout=0.0,
    mega_batch=20,
    exclude_repeats=True,
    inverse_frequency=0.01,
)

# What a model has learnt is already weighed.
_FURTHER = replace(_OURS, learning_rate=0.03, dropout=0.15, inverse_frequency=0.0)

RECIPES: dict[str, TrainingConfig] = {
    "paper": TrainingConfig(recipe="paper"),
    "calque": _OURS,
    # For a model to start from, all of it or for another language: see docs/results/adaptation.md and languages.md.
    "adapt": replace(_FURTHER, recipe="adapt", freeze=3.0),
    "extend": replace(_FURTHER, recipe="extend", freeze=30.0, learning_rate=0.1),
}
