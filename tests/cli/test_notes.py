"""A later report learns that a change was at fault: the page of its day gets a note, and nothing else of it changes."""

from __future__ import annotations

from cli.place import DAY, Place

NEXT = "2026-01-20"


def test_the_page_of_the_day_at_fault_says_how_long_the_branch_was_broken(place: Place) -> None:
    fault = place.upstream.commit("Tune the scheduler (#41)", {"core.py": "x = 2\n"}, at=f"{DAY}T15:00:00")
    assert place.run("run", "--date", DAY).returncode == 0
    before = place.written()
    revert = place.upstream.commit(
        f'Revert "Tune the scheduler (#41)" (#42)\n\nThis reverts commit {fault}.\n\nA request that finishes is scheduled once more and writes past its last page.',
        {"core.py": None},
        at=f"{NEXT}T09:00:00",
    )
    assert place.run("run", "--date", NEXT).returncode == 0
    after = place.written()
    for name in (f"reports/{DAY}.md", f"reports/{DAY}.en.md", f"reports/{DAY}/acme-engine.md"):
        old, new = ([line for line in page[name].decode().split("\n") if line] for page in (before, after))
        (told,) = (line for line in new if line not in old)
        assert fault[:9] in told, name
        assert revert[:9] in told, name
        assert [line for line in new if line != told] == old, f"{name}: a note is added and nothing is rewritten"
    assert after[f"reports/{DAY}.json"] == before[f"reports/{DAY}.json"]
    assert place.run("run", "--date", DAY).returncode == 0
    assert place.written() == after, "the note stays when the day is run again"
    assert place.run("run", "--date", DAY, "--force").returncode == 0
    assert place.written()[f"reports/{DAY}.md"].count(revert.encode()) == after[f"reports/{DAY}.md"].count(
        revert.encode()
    )
