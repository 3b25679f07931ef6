"""Whoever names a language hears if the model has never seen it."""

from __future__ import annotations

import pytest

from calque import Model
from calque.errors import UsageError


def test_a_language_the_model_was_trained_on_is_accepted_in_any_form(small_model: Model) -> None:
    for language in ("en", "eng_Latn", "en-GB"):
        small_model.require_languages([language])
        with pytest.raises(UsageError, match=r"not fi"):
            small_model.require_languages([language, "fi"])


def test_another_language_is_refused_and_the_known_ones_are_named(small_model: Model) -> None:
    with pytest.raises(UsageError, match=r"the model knows .*en.*, not fi") as raised:
        small_model.require_languages(["en", "fi"])
    assert "leave the language out" in (raised.value.hint or "")
