"""Days of one run give what a run for each day alone gives, though much of it is not asked of git again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from branchdays import FIRST, collect, history, source, windows
from daybreak.collect.git import lookback
from daybreak.collect.git import source as collecting
from daybreak.collect.git.history import HistoryReader
from daybreak.collect.git.lookback import Recalled, adds_one_of, listed
from daybreak.collect.git.patches import with_shown_paths
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change, FileChange
from gitrepo import GitRepo, clean_environment


@pytest.mark.parametrize(("seed", "room", "held"), [(1, 4 << 20, 1 << 24), (2, 900, 1 << 24), (3, 4 << 20, 2000)])
def test_days_of_one_run_equal_each_day_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, room: int, held: int
) -> None:
    monkeypatch.setattr(lookback, "_KEPT", room)
    monkeypatch.setattr(collecting, "Recalled", lambda: Recalled(held))
    repo = history(tmp_path / "up.git", seed)
    one = source(tmp_path, "together")
    for number, window in enumerate(windows(6)):
        together = collect(one, repo, window)
        assert repr(together) == repr(collect(source(tmp_path, f"alone{number}"), repo, window))
        assert together.changes
    patched = [c for c in together.recent if any(file.patch for file in c.files)]
    assert patched, "a history without anything to look back at shows nothing"


@pytest.mark.parametrize("fault", ["the limit cuts it", "its content is lost"])
def test_what_git_would_not_give_whole_beside_others_is_read_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """Of two reverts before the day one is recalled; the other one is read now, and alone it would look whole."""
    repo = GitRepo.make(tmp_path / "up.git")
    repo.commit("Add it (#1)", {"a.py": "start\n" * 3, "b.py": "1\n"}, at="2026-01-01T01:00:00")
    older = repo.commit('Revert "One" (#2)', {"a.py": "older line\n" * 40}, at="2026-01-09T01:00:00")
    repo.commit('Revert "Two" (#3)', {"b.py": "newer line\n" * 40}, at="2026-01-10T01:00:00")
    repo.commit("Touch it (#4)", {"a.py": "last\n", "b.py": "last\n"}, at="2026-01-11T01:00:00")
    if fault == "the limit cuts it":
        monkeypatch.setattr(lookback, "_KEPT", 700)
    else:
        repo.lose(repo.oid(f"{older}^:a.py"))
    one, (first, second) = source(tmp_path, "together"), windows(2)
    assert collect(one, repo, first).changes[0].files[0].patch
    together, alone = collect(one, repo, second), collect(source(tmp_path, "alone"), repo, second)
    assert repr(together) == repr(alone)
    assert [c.files[0].patch_cut for c in together.recent] == [False, fault == "the limit cuts it", False]


def test_the_day_after_asks_git_for_its_own_commits_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [f"line_number_{n} = call(old, {n})\n" for n in range(20)]
    repo = GitRepo.make(tmp_path / "up.git")
    repo.commit("Add it (#1)", {"a.py": "".join(rows)}, at="2026-01-10T01:00:00")
    repo.commit("[Bugfix] Fix it (#2)", {"a.py": "".join(rows[:3] + rows[5:])}, at="2026-01-11T01:00:00")
    asked: list[Sequence[str]] = []
    real = HistoryReader.before_fault

    def counted(self: HistoryReader, shas: Sequence[str], *rest: str, **more: str) -> object:
        asked.append(shas)
        return real(self, shas, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(HistoryReader, "before_fault", counted)
    one = source(tmp_path, "mirrors")
    found = [collect(one, repo, window) for window in windows(2)]
    assert [len(shas) for shas in asked] == [1, 1]
    assert found[1].recent[0].files[0].patch == found[0].changes[0].files[0].patch != ""


def test_a_tag_of_the_same_run_is_seen_when_the_mirror_is_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = GitRepo.make(tmp_path / "up.git")
    first = repo.commit("One (#1)", {"a.py": "1\n"}, at="2026-01-10T01:00:00")
    one, window = source(tmp_path, "mirrors"), windows(1)[0]
    assert collect(one, repo, window).released == {}
    repo.tag("v1.0.0", first)
    assert collect(one, repo, window).released == {}, "within minutes nobody asks upstream again"
    monkeypatch.setattr(collecting, "FRESH", -1.0)
    again = collect(one, repo, window)
    assert (again.released, again.newest) == ({first: "v1.0.0"}, {first: "v1.0.0"})


def change(*files: FileChange, sha: str = "1" * 40, total: int | None = None) -> Change:
    made = len(files) if total is None else total
    return Change("acme/engine", sha, (), "A", FIRST, FIRST, "S", "", files=files, files_total=made)


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ((FileChange("a.py", "M", patch="@@\n+gone line\n"),), True),
        ((FileChange("a.py", "M", patch="@@\n-gone line\n"),), False),
        ((FileChange("b.py", "M", patch="@@\n+gone line\n"),), False),
        ((FileChange("a.py", "A", patch="@@\n+gone line\n"),), True),
        ((FileChange("a.py", "A", patch="@@\n+x\n"), FileChange("z.py", "D")), None),
        ((FileChange("a.py", "R", "z.py", patch="@@\n+x\n"),), None),
        ((FileChange("z.py", "R", "a.py", patch="@@\n+x\n"),), None),
        ((FileChange("a.py", "T", patch="@@\n+gone line\n"),), None),
        ((FileChange("z.py", "R", "y.py"), FileChange("a.py", "M", patch="@@\n+gone line\n")), True),
    ],
)
def test_whether_a_line_came_with_a_change(files: tuple[FileChange, ...], told: bool | None) -> None:
    assert adds_one_of(change(*files), {"a.py": {"gone line"}}) is told


def test_without_patches_a_change_is_as_git_lists_it(tmp_path: Path) -> None:
    repo = history(tmp_path / "up.git", 4)
    shas = repo.text("rev-list", "--first-parent", "main").split()
    reader = HistoryReader(Git(clean_environment(tmp_path)), repo.path, "acme/engine", UTC)
    plain = {c.sha: with_shown_paths(c) for c in reader.before_fault(shas, detail="files")[0]}
    read = reader.before_fault(shas)[0]
    made = {c.sha: listed(c) for c in read}
    assert {sha: told for sha, told in made.items() if told} == {sha: plain[sha] for sha, told in made.items() if told}
    renames = [c for c in read if any(file.status == "R" for file in c.files)]
    assert {made[c.sha] is not None for c in renames} == {True}


def test_only_whole_changes_are_held_and_the_oldest_go_first() -> None:
    held = Recalled(100)
    big = FileChange("a.py", "M", patch="x" * 40)
    cut = replace(big, patch_cut=True)
    held.keep([change(big, sha="a"), change(cut, sha="b"), change(big, sha="c", total=2)])
    assert held.of("acme/engine", "abc", UTC).keys() == {"a"}
    held.keep([change(big, sha="d"), change(replace(big, skipped="lost"), sha="e")])
    assert held.of("acme/engine", "de", UTC) == {}, "nothing of a day with a hole"
    held.keep([change(big, sha="f"), change(big, sha="g")])
    assert held.of("acme/engine", "afg", UTC).keys() == {"f", "g"}
    assert held.of("acme/engine", "f", ZoneInfo("Asia/Shanghai")) == {}
    assert held.of("acme/other", "f", UTC) == {}
