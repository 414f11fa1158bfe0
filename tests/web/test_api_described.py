"""The API against its own description: requests made by schemathesis, right and wrong ones, to a real server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings

from daybreak.serve.web.endpoints import ENDPOINTS
from web.guarded import app_of
from web.test_answers import serving

# A query is a small language of its own: that it holds nothing to look for is no matter of a schema, and refused.
_REFUSED = [400, 401, 404, 405, 414]


@pytest.fixture(scope="module")
def address(demo_week: Path) -> Iterator[str]:
    with serving(app_of(demo_week)) as client:
        yield str(client.base_url).rstrip("/")


@pytest.fixture(scope="module")
def described(address: str) -> Any:
    checks = {"negative_data_rejection": {"expected-statuses": _REFUSED}}
    operations = [{"include-path": "/search", "checks": {"positive_data_acceptance": {"enabled": False}}}]
    config = schemathesis.Config.from_dict({"checks": checks, "operations": operations})
    return schemathesis.openapi.from_url(f"{address}/api/v1/openapi.json", config=config)


def _try(described: Any, address: str, path: str, examples: int) -> None:
    operation = described[path]["GET"]
    modes = [schemathesis.GenerationMode.POSITIVE]
    modes += [schemathesis.GenerationMode.NEGATIVE] if operation.query or operation.path_parameters else []
    for mode in modes:

        @settings(
            max_examples=examples,
            derandomize=True,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def holds(case: Any) -> None:
            case.call_and_validate(base_url=f"{address}/api/v1")

        holds()


@pytest.mark.parametrize("path", [one.path for one in ENDPOINTS])
def test_the_api_is_as_it_says(described: Any, address: str, path: str) -> None:
    _try(described, address, path, 4)


@pytest.mark.soak
@pytest.mark.parametrize("path", [one.path for one in ENDPOINTS])
def test_the_api_is_as_it_says_at_length(described: Any, address: str, path: str) -> None:
    _try(described, address, path, 400)
