"""Messages of our commits are made of days and of nothing else."""

from __future__ import annotations

import pytest

from daybreak.deliver.publish.git_branch import message
from publish.payloads import PAYLOADS


@pytest.mark.parametrize("payload", PAYLOADS)
def test_no_word_of_a_report_gets_into_a_commit_message(payload: str) -> None:
    assert message([f"reports/2026-01-19/{payload}.md", f"site/{payload}"]) == "Daybreak report of 2026-01-19\n"
    assert message([payload]) == "Daybreak index\n"


def test_messages_name_the_days() -> None:
    days = [f"docs/reports/2026-01-{n}.md" for n in (19, 17, 18)]
    assert message(days) == "Daybreak reports of 2026-01-17 to 2026-01-19 (3 days)\n"
    assert message(["reports/2026-01.md", "README.md"]) == "Daybreak index\n"
