"""`daybreak history`: the store gets every commit once, and says what could not be read."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from cli.place import Place, one_sentence_and_a_tip
from daybreak.store.opening import open_store

if TYPE_CHECKING:
    from daybreak.core.model.changes import Change


def stored(place: Place) -> dict[str, Change]:
    made = open_store("sqlite:///.daybreak/daybreak.db", place.folder)
    try:
        return {c.sha: c for c in made.changes("acme/engine", datetime(2020, 1, 1, tzinfo=UTC), datetime.now(UTC))}
    finally:
        made.close()


def test_every_commit_of_the_branch_is_there_with_its_counts_and_only_once(place: Place) -> None:
    shas = place.upstream.git("rev-list", "--first-parent", "HEAD").decode().split()
    answer = place.run("history")
    assert (answer.returncode, answer.stdout) == (
        0,
        f"acme/engine: {len(shas)} commits, {len(shas)} new in the store\n",
    )
    found = stored(place)
    assert set(found) == set(shas)
    rows = place.upstream.git("log", "-1", "--format=", "--numstat", shas[0]).split()
    assert [found[shas[0]].added, found[shas[0]].deleted] == [int(rows[0]), int(rows[1])]
    place.upstream.commit("One more", {"more.py": "x = 1\n"}, at="2026-01-21T10:00:00")
    again = place.run("history")
    assert again.stdout == f"acme/engine: {len(shas) + 1} commits, 1 new in the store\n"


def test_a_report_and_a_history_share_their_commits(place: Place) -> None:
    assert place.run("run", "--date", "2026-01-19").returncode == 0
    before = stored(place)
    assert before
    assert place.run("history").returncode == 0
    after = stored(place)
    assert {sha: after[sha] for sha in before} == before


def test_a_repository_that_is_away_is_told(place: Place) -> None:
    place.upstream.path.rename(place.folder / "elsewhere")
    answer = place.run("history")
    assert answer.returncode == 1
    assert "acme/engine" in one_sentence_and_a_tip(answer)
