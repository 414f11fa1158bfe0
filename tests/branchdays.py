"""A branch with a bit of everything on each of its days, and how a run collects them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from daybreak.collect.git.source import GitSource
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Collected, Repo, Window
from gitrepo import File, GitRepo, clean_environment, link

FIRST = datetime(2026, 1, 10, tzinfo=UTC)
SUBJECTS = ("Add a kernel", "[Bugfix] Fix the cache", 'Revert "Add a kernel"', "Restore the default", "Rework layout")
PATHS: tuple[str | bytes, ...] = ("src/a.py", "src/b.py", "src/c.py", "lib/d.py", b"lib/\xe9.py", "lib")


class NoMemory:
    """Nothing was reported before."""

    def day(self, *_: object) -> None:
        return None

    def earlier(self, *_: object) -> Iterator[object]:
        return iter(())

    later = earlier


def windows(days: int) -> list[Window]:
    starts = [FIRST.replace(tzinfo=ZoneInfo("UTC")) + timedelta(days=n) for n in range(days)]
    return [Window(start, start + timedelta(days=1), "UTC", start.date().isoformat()) for start in starts]


def watched(repo: GitRepo) -> Repo:
    return Repo("acme/engine", "https://github.com/acme/engine", str(repo.path))


def source(home: Path, mirrors: str) -> GitSource:
    return GitSource(Git(clean_environment(home)), home / mirrors, False, lambda _: None)


def collect(one: GitSource, repo: GitRepo, window: Window) -> Collected:
    return replace(one.collect(watched(repo), window, NoMemory()), mirror=None)  # type: ignore[arg-type]


def line(dice: random.Random) -> str:
    return f"value_of_something = call({dice.randrange(12)}, wide)\n"


def edited(dice: random.Random, tree: dict[str | bytes, str]) -> dict[str | bytes, str | File | None]:
    """One commit's files: edits, additions, removals, moves, links, and a folder that was a file."""
    out: dict[str | bytes, str | File | None] = {}
    for path in dice.sample(PATHS, dice.randint(1, 3)):
        if path == "lib" and any(str(other).startswith(("lib/", "b'lib/")) for other in tree):
            continue
        if path != "lib" and "lib" in tree:
            out["lib"] = None
            del tree["lib"]
        fate = dice.random()
        if path not in tree:
            tree[path] = "".join(line(dice) for _ in range(12))
        elif fate < 0.15:
            out[path] = None
            other = dice.choice(("src/moved.py", "src/elsewhere.py"))
            tree[other] = out[other] = tree.pop(path)
            continue
        elif fate < 0.2:
            out[path] = link("a.py")
            continue
        else:
            rows = tree[path].splitlines(keepends=True)
            rows[dice.randrange(len(rows))] = line(dice)
            tree[path] = "".join(rows)
        out[path] = tree[path]
    return out


def history(place: Path, seed: int, days: int = 6) -> GitRepo:
    dice, tree = random.Random(seed), dict[str | bytes, str]()
    repo = GitRepo.make(place)
    for number in range(days * 5):
        at = (FIRST + timedelta(days=number // 5, hours=number % 5)).replace(tzinfo=None).isoformat()
        sha = repo.commit(f"{dice.choice(SUBJECTS)} (#{number})", edited(dice, tree), at=at)
        if dice.random() < 0.2:
            side = repo.commit("Aside", {"side.py": f"{number}\n"}, at=at, branch="side", parents=[sha])
            repo.commit("Merge the side (#9)", {"side.py": f"{number}\n"}, at=at, parents=[sha, side])
        if dice.random() < 0.15:
            repo.tag(f"v0.{number}.0", sha, at if dice.random() < 0.5 else None)
    return repo
