"""The fortnight before a window: as of its head, with patches only where a story may need them."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from daybreak.collect.git.source import GitSource
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Collected, Repo, Window
from daybreak.core.model.findings import Reading
from daybreak.core.model.report import Story
from daybreak.judge.stories import stories
from gitrepo import GitRepo, clean_environment

ZONE = "Asia/Shanghai"
OLD = "".join(f"line_number_{i} = call(old, {i})\n" for i in range(8))
NEW = OLD.replace("call(old, 3)", "call(fused_norm, 3)")


class NoMemory:
    """Nothing was reported before."""

    def day(self, *_: object) -> None:
        return None

    def earlier(self, *_: object) -> object:
        return iter(())

    later = earlier


def window(day: str) -> Window:
    since = datetime.fromisoformat(day).replace(tzinfo=ZoneInfo(ZONE))
    return Window(since, since + timedelta(days=1), ZONE, day)


def collect(repo: GitRepo, tmp_path: Path, day: str = "2026-01-19") -> Collected:
    git = Git(clean_environment(tmp_path))
    source = GitSource(git, tmp_path / "mirrors", False, lambda _: None)
    watched = Repo("acme/engine", "https://github.com/acme/engine", str(repo.path))
    return source.collect(watched, window(day), NoMemory())  # type: ignore[arg-type]


def told(found: Collected) -> list[Story]:
    shas = [c.sha for c in found.changes]
    readings = {sha: Reading(sha, {"code": 1}) for sha in shas}
    return list(stories(found.changes[::-1], readings, found.recent[::-1]))


def test_fourteen_days_before_the_window_and_nothing_after_it(tmp_path: Path) -> None:
    repo = GitRepo.make(tmp_path / "up.git")
    repo.commit("Too old (#1)", {"a.py": "1\n"}, at="2026-01-04T12:00:00")
    inside = repo.commit("First of fourteen days (#2)", {"a.py": "2\n"}, at="2026-01-04T16:00:00")
    eve = repo.commit("The evening before (#3)", {"a.py": "3\n"}, at="2026-01-18T15:59:59")
    today = repo.commit("Today (#4)", {"a.py": "4\n"}, at="2026-01-18T16:00:00")
    repo.commit('Revert "Today" (#5)', {"a.py": "3\n"}, at="2026-01-19T16:00:00")
    found = collect(repo, tmp_path)
    assert [c.sha for c in found.changes] == [today]
    assert [c.sha for c in found.recent] == [eve, inside]
    assert found.recent[0].pr == 3
    assert [f.path for f in found.recent[0].files] == ["a.py"]
    assert found.recent[0].committed_at.isoformat() == "2026-01-18T23:59:59+08:00"
    assert told(found) == []


def test_an_empty_day_asks_for_nothing(tmp_path: Path) -> None:
    repo = GitRepo.make(tmp_path / "up.git")
    repo.commit("Before (#1)", {"a.py": "1\n"}, at="2026-01-17T12:00:00")
    assert collect(repo, tmp_path).recent == ()


def test_patches_only_of_changes_whose_lines_a_fix_takes_away(tmp_path: Path) -> None:
    repo = GitRepo.make(tmp_path / "up.git")
    repo.commit("Start (#1)", {"core.py": OLD, "b.py": "b\n"}, at="2026-01-10T08:00:00")
    origin = repo.commit("Fuse norm (#2)", {"core.py": NEW, "more.py": "other = 1\n"}, at="2026-01-17T08:00:00")
    repo.commit("Elsewhere (#3)", {"b.py": "c\n"}, at="2026-01-17T09:00:00")
    fix = repo.commit("Fix wrong norm (#4)", {"core.py": OLD}, at="2026-01-19T02:00:00", author="Bo")
    found = collect(repo, tmp_path)
    with_patches = {c.sha: [f.path for f in c.files if f.patch] for c in found.recent if any(f.patch for f in c.files)}
    assert with_patches == {origin: ["core.py", "more.py"]}
    (story,) = told(found)
    assert (story.kind, story.commits) == ("fixup", (origin, fix))
    assert story.earlier[origin].isoformat() == "2026-01-17T16:00:00+08:00"
    assert story.broken is None  # two days and one line: the fault may be older than the line


def test_a_revert_of_the_last_days_has_its_patch_for_the_reland(tmp_path: Path) -> None:
    repo = GitRepo.make(tmp_path / "up.git")
    repo.commit("Start (#1)", {"core.py": OLD}, at="2026-01-10T08:00:00")
    first = repo.commit("Fuse norm (#2)", {"core.py": NEW}, at="2026-01-16T08:00:00")
    revert = repo.commit('Revert "Fuse norm" (#3)', {"core.py": OLD}, at="2026-01-17T08:00:00")
    again = repo.commit(
        "Norm in one pass (#4)", {"core.py": NEW + "one_pass_of_all = True\n"}, at="2026-01-19T08:00:00"
    )
    found = collect(repo, tmp_path)
    assert next(c for c in found.recent if c.sha == revert).files[0].patch
    assert again == found.changes[0].sha
    # One line each way is too little to say so by code alone.
    assert told(found) == []
    assert first in {c.sha for c in found.recent}


def test_a_revert_names_a_change_older_than_fourteen_days(tmp_path: Path) -> None:
    repo = GitRepo.make(tmp_path / "up.git")
    repo.commit("Start (#1)", {"core.py": OLD}, at="2025-11-01T08:00:00")
    first = repo.commit("Fuse norm (#2)", {"core.py": NEW}, at="2025-12-01T08:00:00")
    repo.commit("Between (#3)", {"b.py": "b\n"}, at="2026-01-02T08:00:00")
    body = f"This reverts commit {first}.\nSee also {'e' * 40}."
    revert = repo.commit(f'Revert "Fuse norm" (#4)\n\n{body}', {"core.py": OLD}, at="2026-01-19T08:00:00")
    (story,) = told(collect(repo, tmp_path))
    assert (story.kind, story.commits, story.broken) == ("revert", (first, revert), None)
    assert story.earlier[first].isoformat() == "2025-12-01T16:00:00+08:00"


def test_a_missing_object_costs_the_past_not_the_window(tmp_path: Path) -> None:
    repo = GitRepo.make(tmp_path / "up.git")
    repo.commit("Start (#1)", {"core.py": OLD}, at="2026-01-10T08:00:00")
    origin = repo.commit("Fuse norm (#2)", {"core.py": NEW}, at="2026-01-17T08:00:00")
    repo.commit("Rewrite (#3)", {"core.py": "x = 1\n"}, at="2026-01-18T08:00:00")
    today = repo.commit("Fix x (#4)", {"core.py": "xx = 1\n"}, at="2026-01-19T08:00:00")
    repo.lose(repo.oid(f"{origin}^{{tree}}"))
    found = collect(repo, tmp_path)
    assert [c.sha for c in found.changes] == [today]
    assert len(found.recent) <= 3


def test_paths_that_are_no_text(tmp_path: Path) -> None:
    repo = GitRepo.make(tmp_path / "up.git")
    repo.commit("Start (#1)", {b"caf\xe9.py": OLD}, at="2026-01-17T08:00:00")
    repo.commit("Fix it (#2)", {b"caf\xe9.py": NEW}, at="2026-01-19T08:00:00")
    found = collect(repo, tmp_path)
    assert found.recent[0].files[0].path == "caf\ufffd.py"


def test_what_could_not_be_read_once_is_asked_again(tmp_path: Path) -> None:
    repo = GitRepo.make(tmp_path / "up.git")
    repo.commit("Start (#1)", {"core.py": OLD}, at="2026-01-10T08:00:00")
    origin = repo.commit("Fuse norm (#2)", {"core.py": NEW, "more.py": "other = 1\n"}, at="2026-01-17T08:00:00")
    repo.commit("Fix wrong norm (#3)", {"core.py": OLD}, at="2026-01-19T02:00:00", author="Bo")
    lost = repo.loose(repo.oid(f"{origin}:more.py"))
    away = lost.rename(tmp_path / "away")
    assert not any(f.patch for c in collect(repo, tmp_path).recent for f in c.files)
    away.rename(lost)
    found = next(c for c in collect(repo, tmp_path).recent if c.sha == origin)
    assert [f.path for f in found.files if f.patch] == ["core.py", "more.py"]
