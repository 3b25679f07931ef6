"""Whatever its own description allows is answered, and whatever it does not is refused, in the promised shapes."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from running import Running

schemathesis = pytest.importorskip("schemathesis")

from schemathesis.checks import (  # noqa: E402
    load_all_checks,
)


@pytest.fixture(scope="module")
def api(server: Running) -> object:
    load_all_checks()
    return schemathesis.openapi.from_url(f"{server.url}/openapi.json")


schema = schemathesis.pytest.from_fixture("api")


@schema.parametrize()
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_answer_is_as_described(case: object) -> None:
    case.call_and_validate()  # type: ignore[attr-defined]
