"""Changes that git calls binary: told as such, and a source among them is named as not read."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Reading
from daybreak.judge.rules import statements

AT = datetime(2026, 1, 19, tzinfo=UTC)


def told(*paths: str) -> str:
    files = tuple(FileChange(path, "M", binary=True) for path in paths)
    change = Change("o/r", "1" * 40, (), "ada", AT, AT, "Change", "", files=files, files_total=len(files))
    return " ".join(one.text["en"] for one in statements(change, Reading("1" * 40), "low"))


def test_of_a_picture_nothing_is_said() -> None:
    assert told("docs/a.png", "docs/b.png") == ""


@pytest.mark.parametrize("paths", [("pkg/steps.py",), ("pkg/steps.py", "docs/a.png")])
def test_a_source_that_git_takes_for_binary_is_named_as_not_read(paths: tuple[str, ...]) -> None:
    assert "Git takes `pkg/steps.py` for binary, so what changed in it was not read." in told(*paths)
