"""The end of a window: what is quoted of a change can be read there."""

from __future__ import annotations

from analyse.test_day import commit, report
from read.made import patch_of

NOTE = "# The key may have been cut, and so skipping what the slot holds would orphan its memory.\n"
NEW = f"{NOTE}limit = len(fill)\n"


def test_a_comment_that_a_later_change_took_away_is_not_quoted() -> None:
    first = commit("1", "Fix what the slot holds (#1)", {"engine/slot.py": patch_of("limit = len(key)\n", NEW)})
    later = commit("2", "Follow the fill (#2)", {"engine/slot.py": patch_of(NEW, "limit = len(fill) + 1\n")})
    told = {one.change.sha: one.gist for one in report(later, first).entries}
    alone = report(first).entries[0].gist
    assert alone is not None
    assert "would orphan its memory" in alone.text["en"]
    with_later = told[first.sha]
    assert with_later is None or "orphan" not in with_later.text["en"]


def test_a_comment_that_only_moved_is_quoted() -> None:
    first = commit("1", "Fix what the slot holds (#1)", {"engine/slot.py": patch_of("limit = len(key)\n", NEW)})
    moved = {"engine/slot.py": patch_of(NEW, ""), "engine/slots.py": patch_of("", NEW)}
    told = {one.change.sha: one.gist for one in report(commit("2", "Move it (#2)", moved), first).entries}
    found = told[first.sha]
    assert found is not None
    assert "would orphan its memory" in found.text["en"]
