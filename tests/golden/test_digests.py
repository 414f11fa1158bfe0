"""Digests of every file of the demo's week and of generated days: a change of one byte shows, by the file's name.

`make golden` accepts what is written now. A file that is also kept as text beside this one is the place to read it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from branchdays import history, watched, windows
from daybreak.cli import main
from daybreak.core.model.findings import Alias, Finding, Reading
from daybreak.core.model.report import Entry
from daybreak.findings.kinds import kinds
from daybreak.judge.day_value import day_of
from daybreak.judge.first_screen import first_screen
from daybreak.judge.interface import Judgement
from daybreak.judge.rules import grade
from daybreak.report.render.markdown import all_pages
from golden.kept_pages import ACCEPT, HERE
from hostile_days import hostile_day, keep
from pages.building import build
from told_days import change, file, report, repository

SEEDS = (7, 19)
"""Histories that differ: which files change, move and go, what is reverted and tagged."""


STATE = "site/.daybreak-site.json"
"""What each page was made from, our own code among it: another one after every commit."""
STAMP = re.compile(rb'"[0-9a-f]{8}"')
"""In the list of search files: which of them a browser may keep; made from our own code as well."""


def contents(folder: Path, *names: str) -> dict[str, bytes]:
    """Files of a folder by their path in it."""
    found = [path for name in names for path in (folder / name, *(folder / name).rglob("*")) if path.is_file()]
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(set(found))}
    files.pop(STATE, None)
    stamped = {"site/search/index.js"} & files.keys()
    return files | {name: STAMP.sub(b'"stamp"', files[name]) for name in stamped}


def hold_digests(name: str, files: Mapping[str, bytes]) -> None:
    """Each file has the digest that was accepted, and no other file is there."""
    now = {path: hashlib.sha256(data).hexdigest() for path, data in files.items()}
    target = HERE / "digests" / f"{name}.sha256"
    if ACCEPT:
        target.parent.mkdir(exist_ok=True)
        target.write_text("".join(f"{digest}  {path}\n" for path, digest in now.items()), encoding="utf-8")
    rows = (row.partition("  ") for row in target.read_text(encoding="utf-8").splitlines())
    was = {path: digest for digest, _, path in rows}
    other = sorted(path for path in was.keys() | now.keys() if was.get(path) != now.get(path))
    assert not other, "other bytes than accepted: read them, then `make golden`"


def test_every_file_of_the_demo_s_week_is_the_same_bytes(demo_week: Path) -> None:
    files = contents(demo_week, "README.md", "reports", "site")
    assert len(files) > 200
    hold_digests("demo", files)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_file_of_generated_days_is_the_same_bytes(seed: int, tmp_path: Path) -> None:
    repo = history(tmp_path / "engine.git", seed)
    name, days = watched(repo).name, windows(6)
    config = tmp_path / "daybreak.toml"
    config.write_text(f'timezone = "UTC"\n[[repo]]\nname = "{name}"\ngit = "{repo.path}"\n', encoding="utf-8")
    since, until = days[0].label, days[-1].until.date().isoformat()
    assert main(["run", "--since", since, "--until", until, "--config", str(config), "--quiet"]) == 0
    hold_digests(f"branch-{seed}", contents(tmp_path, "README.md", "reports"))


@pytest.mark.parametrize("start", [0, 101])
def test_every_page_of_a_hostile_day_is_the_same_bytes(start: int, tmp_path: Path) -> None:
    folder = keep(tmp_path / "kept", hostile_day(start))
    build(folder, folder / "site")
    hold_digests(f"hostile-{start}", contents(folder, "reports", "site"))


def every_kind() -> Judgement:
    """A day with a change for each kind of finding, graded and told by the rules."""
    day = report(repository([_entry(number, kind) for number, kind in enumerate(sorted(kinds()), 1)]))
    actions, also = first_screen(day.repos)
    return replace(day, actions=actions, also=also)


def _entry(number: int, kind: str) -> Entry:
    one = change(number, f"Rework part {number} (#{number})", files=[file("engine/config.py")], pr=number)
    alias, package = Alias("none", "pkg.other"), "acme-kernels" if number % 3 == 0 else None
    found = Finding(
        f"{one.sha[:12]}/1", kind, "engine/config.py", 7, "Owner.name", "old", "new", number % 2 == 0, alias
    )
    few = (replace(found, effective=package), replace(found, id=f"{one.sha[:12]}/2", symbol="Owner.other", before=None))
    return grade(one, Reading(one.sha, areas={"code": 1}, components=("engine",), findings=few))


def test_every_page_of_a_day_of_all_kinds_is_the_same_bytes() -> None:
    pages = all_pages(day_of(every_kind()))
    assert len(pages) > 2
    hold_digests("kinds", {page.path: page.text.encode() for page in pages})
