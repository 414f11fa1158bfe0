"""What a change is called in the lists that only name it."""

from __future__ import annotations

import pytest

from daybreak.core.model.links import title_of


@pytest.mark.parametrize(
    ("subject", "body", "title"),
    [
        ("Merge pull request #12 from ada/fast", "Make it fast\n\nBy half.", "Make it fast"),
        ("Merge pull request #12 from ada/fast", "\n\n  Make it fast  \n", "Make it fast"),
        ("Merge pull request #12 from ada/fast", "", "Merge pull request #12 from ada/fast"),
        ("Merge branch 'main'", "Something", "Merge branch 'main'"),
        ("Make it fast (#12)", "Another line", "Make it fast (#12)"),
        ("Say: Merge pull request #12 from ada/fast", "Another line", "Say: Merge pull request #12 from ada/fast"),
    ],
)
def test_a_merge_is_called_by_the_title_of_its_pull_request(subject: str, body: str, title: str) -> None:
    assert title_of(subject, body) == title
