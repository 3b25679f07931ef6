"""Rules of the user's own: a function, a class or an object of a module, named as module:name."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from calque.corpus.cleaning import Report
from calque.errors import CalqueError, UsageError
from calque.tasks.clean import clean

PAIRS = [("a dog", "un perro"), ("see http://x.org", "mira http://x.org"), ("a cat", "un gato")]


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """my_rules.py in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield tmp_path / "my_rules.py"
    sys.modules.pop("my_rules", None)


def kept(rule: str, pairs: list[tuple[str, str]] = PAIRS, report: Report | None = None) -> list[tuple[str, str]]:
    return [tuple(pair) for pair in clean(pairs, "none", rules=[rule], report=report)]  # type: ignore[misc]


def test_a_function_keeps_the_pairs_it_is_true_for(module: Path) -> None:
    module.write_text("def no_urls(source, target):\n    return 'http' not in source + target\n")
    report = Report()
    assert kept("my_rules:no_urls", report=report) == [PAIRS[0], PAIRS[2]]
    assert report.dropped["my_rules:no_urls"].count == 1


def test_what_a_function_returns_need_not_be_a_truth_value(module: Path) -> None:
    module.write_text("import re\ndef has_url(source, target):\n    return re.search('http', source)\n")
    assert kept("my_rules:has_url") == [PAIRS[1]]


CLASS = """
class Lengths:
    def score(self, pairs):
        for source, target in pairs:
            yield [len(source), len(target)]

    def accept(self, score):
        return isinstance(score, list) and max(score) < 10

lengths = Lengths()

class Called:
    def __call__(self, source, target):
        return source == "a cat"
"""


@pytest.mark.parametrize("name", ["Lengths", "lengths"])
def test_a_class_or_its_instance_scores_all_and_accepts_one_by_one(module: Path, name: str) -> None:
    module.write_text(CLASS)
    assert kept(f"my_rules:{name}") == [PAIRS[0], PAIRS[2]]
    assert kept(f"my_rules:{name}", PAIRS[:2]) == [PAIRS[0]]  # as many pairs as numbers in a score


def test_a_class_that_can_be_called_is_a_function(module: Path) -> None:
    module.write_text(CLASS)
    assert kept("my_rules:Called") == [PAIRS[2]]


def test_custom_rules_come_before_duplicates_so_that_a_copy_that_is_kept_counts_as_the_first(module: Path) -> None:
    module.write_text("calls = []\ndef note(source, target):\n    calls.append(source)\n    return True\n")
    list(clean([("a b", "c d"), ("a b", "c d"), ("", "x")], "light", rules=["my_rules:note"]))
    assert sys.modules["my_rules"].calls == ["a b", "a b"]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "def rule(source, target):\n    raise KeyError('x')",
            r"rule my_rules:rule on \('a dog', 'un perro'\): KeyError: 'x'",
        ),
        ("def rule(source):\n    return True", "rule my_rules:rule .*TypeError: rule.. takes 1 positional argument"),
        (
            "class rule:\n    score = lambda self, pairs: [1]\n    accept = bool",
            "my_rules:rule: expected 3 scores, got 1",
        ),
        ("class rule:\n    score = lambda self, pairs: 1 / 0\n    accept = bool", "my_rules:rule: ZeroDivisionError"),
        ("class rule:\n    score = lambda self, pairs: None\n    accept = bool", "my_rules:rule: TypeError"),
        (
            "class rule:\n    score = lambda self, pairs: pairs\n    accept = lambda self, score: score.x",
            "AttributeError",
        ),
    ],
)
def test_a_rule_that_fails_says_which_and_how(module: Path, code: str, message: str) -> None:
    module.write_text(code)
    with pytest.raises(CalqueError, match=message) as caught:
        kept("my_rules:rule")
    assert caught.value.exit_code == 1


@pytest.mark.parametrize(
    ("code", "rule", "message"),
    [
        ("", "my_rules:missing", "rule my_rules:missing: module 'my_rules' has no attribute 'missing'"),
        ("", "my_rules:", "rule my_rules:: module 'my_rules' has no attribute ''"),
        ("", "no_such_module:rule", "rule no_such_module:rule: No module named 'no_such_module'"),
        ("", ":rule", "rule :rule: ValueError: Empty module name"),
        ("", ".relative:rule", "rule .relative:rule: TypeError"),
        ("import no_such_module", "my_rules:rule", "No module named 'no_such_module'"),
        ("def rule(:", "my_rules:rule", "SyntaxError: .*line 1"),
        ("nonsense", "my_rules:rule", "NameError: name 'nonsense' is not defined"),
        ("class rule:\n    def __init__(self, limit): pass", "my_rules:rule", "TypeError: .*limit"),
        ("rule = 5", "my_rules:rule", "rule my_rules:rule: 5 is no rule"),
        ("class rule: pass", "my_rules:rule", "is no rule"),
    ],
)
def test_what_is_no_rule_is_a_mistake_of_usage(module: Path, code: str, rule: str, message: str) -> None:
    module.write_text(code)
    with pytest.raises(UsageError, match=message) as caught:
        kept(rule)
    assert "a function (source, target) that keeps a pair when true" in (caught.value.hint or "")


def test_mistakes_are_told_at_once_and_not_when_the_first_pair_is_asked_for() -> None:
    with pytest.raises(UsageError, match="no_such_module"):
        clean(PAIRS, rules=["no_such_module:rule"])
    with pytest.raises(UsageError, match="no preset 'heavy'"):
        clean(PAIRS, "heavy")
    with pytest.raises(UsageError, match="not a language code"):
        clean(PAIRS, languages=["en", "?"])
