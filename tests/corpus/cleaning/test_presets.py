"""Which rules a preset, --rule and --without make together, in which order, and what is a mistake."""

from __future__ import annotations

import pytest

from calque.corpus import Pair
from calque.corpus.cleaning import PRESETS, RULES, Report, choose_rules, clean_batches
from calque.errors import UsageError


def names(*arguments: object, **options: object) -> list[str]:
    return [rule.name for rule in choose_rules(*arguments, **options).rules]  # type: ignore[arg-type]


def limit_of(name: str, *arguments: object) -> float:
    (rule,) = (rule for rule in choose_rules(*arguments).rules if rule.name == name)  # type: ignore[arg-type]
    return rule.limit


def test_each_preset_holds_the_one_before_and_is_no_laxer() -> None:
    none, light, strict = (PRESETS[name] for name in ("none", "light", "strict"))
    assert none == {}
    assert light.keys() < strict.keys()
    for name, limit in light.items():
        stricter = strict[name]
        assert (limit is None) == (stricter is None)
        assert limit is None or (stricter is not None and stricter <= limit)


def test_strict_has_every_rule_there_is() -> None:
    assert names("strict") == [rule.name for rule in RULES]


def test_strict_keeps_nothing_that_light_drops() -> None:
    pairs = [Pair("a" * length, "b" * other) for length in range(0, 1500, 50) for other in range(0, 1500, 50)]
    kept = {
        preset: {pair for batch in clean_batches([pairs], choose_rules(preset), Report()) for pair in batch}
        for preset in PRESETS
    }
    assert kept["strict"] < kept["light"] < kept["none"] == set(pairs)


def test_rules_are_asked_in_their_order_whatever_the_user_s() -> None:
    assert names("none", ["duplicate", "numbers", "empty"]) == ["empty", "numbers", "duplicate"]


def test_a_rule_can_be_added_with_the_limit_it_has_by_itself_or_another() -> None:
    assert limit_of("numbers", "light", ["numbers"]) == 0.3
    assert limit_of("length-ratio", "light", ["length-ratio=2"]) == 2
    assert limit_of("length-ratio", "strict", ["length-ratio"]) == 2.5
    assert limit_of("too-long", "none", ["too-long=1e3"]) == 1000
    assert limit_of("too-long", "light", ["too-long=5", "too-long=7"]) == 7


def test_rules_can_be_left_out() -> None:
    assert "identical" not in names("light", [], ["identical"])
    assert names("light", ["numbers"], ["numbers"]) == names("light")
    assert names("none", [], ["identical"]) == []


def test_mojibake_is_mended_unless_it_is_left_out() -> None:
    assert choose_rules("light").repairs
    assert not choose_rules("light", [], ["mojibake"]).repairs
    assert not choose_rules("none").repairs
    assert choose_rules("none", ["mojibake"]).repairs


@pytest.mark.parametrize(
    ("rule", "message", "hint"),
    [
        ("lenght-ratio", "no rule 'lenght-ratio'", "did you mean length-ratio? there are empty, "),
        ("lenght-ratio=3", "no rule 'lenght-ratio'", "did you mean length-ratio?"),
        ("duplicates", "no rule 'duplicates'", "did you mean duplicate?"),
        ("mojibak", "no rule 'mojibak'", "did you mean mojibake?"),
        ("zzz", "no rule 'zzz'", "there are empty, "),
        ("", "no rule ''", "and module:function"),
        ("length-ratio=", "rule length-ratio: expected a number from 0 after the name, got 'length-ratio='", ""),
        ("length-ratio=big", "rule length-ratio: expected a number from 0 after the name, got 'length-ratio=big'", ""),
        ("length-ratio=nan", "expected a number from 0", ""),
        ("length-ratio=inf", "expected a number from 0", ""),
        ("length-ratio=-1", "expected a number from 0", ""),
        ("duplicate=3", "rule duplicate: expected no limit after the name, got 'duplicate=3'", ""),
        ("duplicate=", "expected no limit", ""),
    ],
)
def test_a_rule_that_cannot_be_is_a_mistake(rule: str, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        choose_rules("light", [rule])
    assert message in caught.value.message
    assert hint in (caught.value.hint or "")


@pytest.mark.parametrize("rule", ["identicle", "numbers=3", "module:function"])
def test_what_cannot_be_left_out_is_a_mistake(rule: str) -> None:
    with pytest.raises(UsageError, match="no rule"):
        choose_rules("light", [], [rule])


def test_an_unknown_preset_is_a_mistake() -> None:
    with pytest.raises(UsageError, match="no preset 'heavy'") as caught:
        choose_rules("heavy")
    assert caught.value.hint == "one of none, light, strict"


def test_rules_that_need_the_languages_are_skipped_under_a_preset_and_a_mistake_by_name() -> None:
    chosen = choose_rules("strict", languages_known=False)
    assert chosen.skipped.keys() == {"wrong-script", "wrong-language"}
    assert chosen.skipped["wrong-script"] == "needs the languages: pass --languages, like en es"
    assert {rule.name for rule in chosen.rules} == {rule.name for rule in RULES} - chosen.skipped.keys()
    with pytest.raises(UsageError, match="rule wrong-script: needs the languages"):
        choose_rules("light", ["wrong-script"], languages_known=False)
    assert choose_rules("strict", [], ["wrong-script"], languages_known=False).skipped.keys() == {"wrong-language"}
