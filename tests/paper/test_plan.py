"""Progress of a long run: n of m, and a time left that comes from the work done so far."""

from __future__ import annotations

from pathlib import Path

import pytest
import shelf

from calque.paper.plan import Plan, _time_text, plan_of
from calque.paper.reproduce import reproduce
from calque.paper.table1 import table1
from calque.paper.table2 import table2


def test_the_time_left_is_in_proportion_to_the_work() -> None:
    clock = iter([0.0, 5.0, 100.0, 400.0])
    plan = Plan({"a": 9.0, "b": 1.0, "c": 3.0, "d": 2.0}, {"a"}, now=lambda: next(clock))
    assert plan.begin("b") == "training 2 of 4"
    plan.end("b")
    assert plan.begin("c") == "training 3 of 4, 8 minutes left"  # 100 s for 1, so 500 s for 5
    plan.end("c")
    assert plan.begin("d") == "training 4 of 4, 3 minutes left"  # 400 s for 4, so 200 s for 2


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "less than a minute"),
        (29, "less than a minute"),
        (31, "1 minute"),
        (3600, "1 hour"),
        (5000, "1 hour 23 minutes"),
        (200_000, "2 days 7 hours"),
    ],
)
def test_times_read_as_a_person_would_say_them(seconds: float, text: str) -> None:
    assert _time_text(seconds) == text


def test_a_plan_is_all_that_the_tables_ask_for_and_makes_nothing(data: Path, tmp_path: Path) -> None:
    from calque.paper.library import Library
    from calque.paper.workshop import Workshop

    workshop = Workshop(Library(data), shelf.TINY, tmp_path / "out")
    workshop.open()
    before = sorted((tmp_path / "out").rglob("*"))
    plan = plan_of(workshop, [table1, table2])
    assert len(plan.work) == 12 + 20
    assert plan.finished == set()
    assert sorted((tmp_path / "out").rglob("*")) == before
    untrained, trained = (
        next(work for name, work in plan.work.items() if name.startswith(f"table2-{key}-es"))
        for key in ("random-sp-20k", "sp-20k-os-300")
    )
    assert trained > untrained


def test_what_an_earlier_run_has_measured_is_counted_and_not_shown_again(data: Path, tmp_path: Path) -> None:
    out, said, shown = tmp_path / "out", list[str](), list[str]()
    list(reproduce("table2", data, out, scale=shelf.SCALE))
    gone = [path for path in (out / "scores").iterdir() if "sp-20k-ep-300" in path.name]
    assert len(gone) == 1
    gone[0].unlink()
    list(reproduce("table2", data, out, scale=shelf.SCALE, say=said.append, show=shown.append))
    assert said == ["table2 sp-20k-ep-300 es: training 20 of 20"]
    assert [line.partition(":")[0] for line in shown] == ["SP (20k), EP, 2M, 300"]
    assert "es-es " in shown[0]
