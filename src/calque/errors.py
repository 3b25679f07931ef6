"""What goes wrong for a reason the user can mend: a message that names the place, and a hint."""

from __future__ import annotations


class CalqueError(Exception):
    """What the user can mend, and the parent of all that Calque raises on purpose.

    `message` names the place and what is wrong, `hint` a way out, if there is one; `str` gives both. The command line
    prints them as `error:` and `hint:` and ends with `exit_code`.

    Examples:
        >>> try:
        ...     calque.load("nowhere/")
        ... except calque.CalqueError as problem:
        ...     print(problem.message)
        there is no model at nowhere
    """

    exit_code = 1

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n\nhint: {self.hint}" if self.hint else self.message


class UsageError(CalqueError):
    """The call itself is off: options that do not fit together, a file that is not there."""

    exit_code = 2


class CorpusError(CalqueError):
    """A file of text that cannot be read as what it should be."""


class ModelError(CalqueError):
    """A model folder that cannot be opened, most often because some of it was damaged, lost or exchanged."""

    def __init__(self, message: str, hint: str | None = "copy or make the model again") -> None:
        super().__init__(message, hint)


class Stopped(CalqueError):
    """Long work was interrupted after its state had been saved."""

    exit_code = 130


class LanguageWarning(UserWarning):
    """Text in a language that the model knows badly or not at all, with the cure."""
