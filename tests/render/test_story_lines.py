"""How a story is shown: its commits in order, those of other days with their date, and what is true at the end."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from daybreak.core.model.report import Story
from daybreak.judge.day_value import day_of
from daybreak.judge.interface import Judgement
from daybreak.report.gate import problems
from daybreak.report.render.markdown import all_pages, markdown_pages
from render import factory

OLD = factory.sha(50)


def told(kind: str = "revert") -> tuple[Judgement, str]:
    """A report with one story that began on another day, and the line that tells it."""
    repo = factory.busy()
    now = repo.entries[2].change
    start = factory.DAY - timedelta(hours=13)
    net = factory.both("`Fix KV events` 已恢复。", "`Fix KV events` is back.")
    story = Story("s1", kind, (OLD, now.sha), net, (start, now.committed_at), {OLD: start})  # type: ignore[arg-type]
    report = factory.report(replace(repo, stories=(story,)))
    text = next(p.text for p in markdown_pages(day_of(report)) if p.path == "reports/2026-01-19.en.md")
    return report, next(x for x in text.split("\n") if x.startswith("- **") and OLD in x)


def test_a_commit_of_another_day_is_linked_with_its_date() -> None:
    _, line = told()
    link = f"[`{OLD[:9]}`](https://github.com/acme/engine/commit/{OLD})"
    assert line.startswith(f"- **Revert**: 2026-01-18 11:00:00 {link} → Fix KV events [#103]")
    assert "Net effect: `Fix KV events` is back." in line
    assert "earlier commit" not in line


@pytest.mark.parametrize("kind", ["revert", "reland", "series", "fixup", "bump", "port"])
def test_every_kind_has_its_word(kind: str) -> None:
    assert "story." not in told(kind)[1]


def test_the_pages_with_such_a_story_pass_the_gate() -> None:
    report, _ = told()
    pages = all_pages(day_of(report))
    assert problems(pages, day_of(report), lambda _: True) == ()
