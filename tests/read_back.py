"""What rules say is held against the facts as a model's words are, which no run does: it is right by construction."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from daybreak.judge.checks import statements


@pytest.fixture(autouse=True, scope="module")
def rules_read_back() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statements, "OF_RULES", tuple(statements.CHECKS))
        yield
