"""Loads the corpus: made-up upstreams as git repositories, downstream projects as folders, and what should be found.

An upstream is a list of commits (`write`, `edit`, `delete`) with tags; a project is a set of files with `[[expected]]`
rows, and `[[also]]` rows: further lines that use the very thing an expected row names (a class that is called after the
import which already fails). Telling them is as right as leaving them out, so they count neither way.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from daybreak.core.model.changes import Repo
from daybreak.core.model.upgrade import Hit
from daybreak.demo.history import UPSTREAMS, build, load, show
from daybreak.upgrade.impact import Upstream, Yours, impact, in_range
from daybreak.upgrade.range import Job
from gitrepo import GitRepo, clean_environment

HERE = Path(__file__).parent
DEMO_RANGES = {"lantern": "v0.7.0..main", "tilekit": "v0.4.0..v0.5.0", "wick": "v1.2.0..main"}
_START, _STEP = 1_767_225_600, 86_400


@dataclass(frozen=True)
class Row:
    """A line of a project that is affected."""

    path: str
    line: int
    symbol: str
    certainty: str = ""


@dataclass(frozen=True)
class Project:
    """Somebody's code, and what an upgrade of its upstream means for it."""

    name: str
    about: str
    upstream: str
    files: Mapping[str, str]
    expected: tuple[Row, ...]
    also: tuple[Row, ...]

    def write(self, folder: Path) -> Path:
        """The files below a folder of the project's own."""
        root = folder / self.name
        for path, text in self.files.items():
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        return root


@dataclass(frozen=True)
class Outcome:
    """How an answer stands to what was expected; an expected row is met by any number of hits."""

    project: Project
    found: tuple[tuple[Row, Hit], ...]
    missed: tuple[Row, ...]
    false: tuple[Hit, ...]

    @property
    def met(self) -> int:
        return len(self.project.expected) - len(self.missed)

    @property
    def unequal(self) -> tuple[tuple[Row, Hit], ...]:
        """Rows whose surest hit says another certainty."""
        surest = {row: hit for row, hit in reversed(self.found) if row.certainty}
        return tuple((row, hit) for row, hit in surest.items() if hit.certainty != row.certainty)


def projects() -> list[Project]:
    """Every project, by number."""
    return [_project(path) for path in sorted((HERE / "projects").glob("*.toml"))]


def _project(path: Path) -> Project:
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    rows, also = (tuple(Row(**row) for row in table.get(key, ())) for key in ("expected", "also"))
    return Project(path.stem, table["about"], table["upstream"], table["files"], rows, also)


# --- upstreams -----------------------------------------------------------------------------------------------------


def upstream(name: str, folder: Path) -> Upstream:
    """An upstream's range, read through the road that the command takes."""
    place = folder / f"{name}.git"
    if name in UPSTREAMS:
        history = load(name)
        build(history, place)
        show(place, history, datetime(2030, 1, 1, tzinfo=UTC))
        repo_name, text = history.name, DEMO_RANGES[name]
    else:
        table = tomllib.loads((HERE / "upstreams" / f"{name}.toml").read_text(encoding="utf-8"))
        _make(table, GitRepo.make(place))
        repo_name, text = table["name"], "..".join(tag["name"] for tag in table["tag"])
    repo = Repo(repo_name, f"https://example.org/{repo_name}", str(place))
    return in_range(Job(repo, folder / "state", clean_environment(folder)), text, lambda _: None)


def _make(table: Mapping[str, Any], repo: GitRepo) -> None:
    tree: dict[str, str] = {}
    shas = []
    for number, commit in enumerate(table["commit"]):
        changed: dict[str, str | None] = dict.fromkeys(commit.get("delete", ()))
        changed |= commit.get("write", {})
        for edit in commit.get("edit", ()):
            before = changed.get(edit["path"]) or tree[edit["path"]]
            if before.count(edit["old"]) != 1:
                raise ValueError(f"{repo.path.name}: {edit['old']!r} is not once in {edit['path']}")
            changed[edit["path"]] = before.replace(edit["old"], edit["new"])
        tree = {path: text for path, text in {**tree, **changed}.items() if text is not None}
        shas.append(repo.commit(commit["message"], changed, at=_START + number * _STEP))
    for tag in table["tag"]:
        repo.tag(tag["name"], shas[tag["at"]], at=_START + tag["at"] * _STEP + 60)


# --- answers -------------------------------------------------------------------------------------------------------


def outcome(project: Project, source: Upstream, folder: Path) -> Outcome:
    """What the program says of a project, held against its rows."""
    yours = Yours(project.write(folder), "", date(2026, 6, 1))
    report = impact(yours, [source], clean_environment(folder))
    met: list[tuple[Row, Hit]] = []
    false: list[Hit] = []
    for told in report.told:
        rows = [row for row in (*project.expected, *project.also) if _means(row, told.hit)]
        met += [(row, told.hit) for row in rows]
        false += [] if rows else [told.hit]
    found = {row for row, _ in met}
    missed = tuple(row for row in project.expected if row not in found)
    return Outcome(project, tuple(met), missed, tuple(false))


def _means(row: Row, hit: Hit) -> bool:
    """Whether a hit is about what a row names: the same place, and the name or the parameter of it."""
    if (row.path, row.line) != (hit.use.path, hit.use.line):
        return False
    finding = hit.net.finding
    spoken = [finding.symbol, hit.use.name, *hit.net.names, finding.before or "", finding.after or ""]
    wanted = _parts(row.symbol)
    return any(_parts(name)[-1:] == wanted[-1:] for name in spoken) or wanted[-1] in _parts(finding.symbol)


def _parts(name: str) -> list[str]:
    """`pkg.Class(parameter)`, `space::name`, `--flag`, `prom:metric` as words; the last one tells most.

    A flag and the field it fills are one name: `--max-num-seqs` is `max_num_seqs`.
    """
    return re.findall(r"\w+", name.replace("-", "_").replace("__", " "))
