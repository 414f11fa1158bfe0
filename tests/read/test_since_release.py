"""What the newest release has in place of what a change alters: its users meet the step from there."""

from __future__ import annotations

import os

import pytest

from conftest import Collector
from daybreak.core.git_program import Git
from daybreak.core.model.findings import Finding
from daybreak.findings.reader import RuleReader
from daybreak.judge.breaking import mark_of
from daybreak.judge.exposure import released_part
from gitrepo import GitRepo

ARGS = "engine/server_args.py"
CORE = "engine/core.py"


def found(repo: GitRepo, collector: Collector, path: str, *states: str) -> tuple[list[Finding], list[Finding]]:
    """Findings of the last of some states of a file, the first of which is released: all of them, and as its users meet them."""
    repo.tag("v1.0", repo.commit("Begin", {path: states[0]}, at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00")
    for state in states[1:-1]:
        repo.commit("Go on", {path: state}, at="2026-01-10T10:00:00")
    sha = repo.commit("Alter (#7)", {path: states[-1]}, at="2026-01-19T10:00:00")
    reading = RuleReader(Git(dict(os.environ))).read(collector.collect(repo))[sha]
    return list(reading.findings), list(released_part(reading, ()).findings)


def option(default: str) -> str:
    return (
        f'import argparse\n\n\ndef add(parser):\n    parser.add_argument("--block-size", type=int, default={default})\n'
    )


def test_a_default_that_changed_twice_since_the_release_is_told_from_the_one_of_the_release(
    repo: GitRepo, collector: Collector
) -> None:
    own, met = found(repo, collector, ARGS, option("16"), option("32"), option("64"))
    assert [(f.before, f.after) for f in own if f.symbol == "--block-size"] == [("32", "64")]
    assert [(f.before, f.after) for f in met if f.symbol == "--block-size"] == [("16", "64")]


def test_a_default_that_goes_back_to_that_of_the_release_is_no_change_for_its_users(
    repo: GitRepo, collector: Collector
) -> None:
    own, met = found(repo, collector, ARGS, option("16"), option("32"), option("16"))
    assert "--block-size" in {f.symbol for f in own}
    assert "--block-size" not in {f.symbol for f in met}


def test_a_default_that_changed_once_is_told_as_it_is(repo: GitRepo, collector: Collector) -> None:
    more = f"{option('16')}\n\ndef other():\n    return 1\n"
    _, met = found(repo, collector, ARGS, option("16"), more, more.replace("16", "64"))
    assert [(f.before, f.after) for f in met if f.symbol == "--block-size"] == [("16", "64")]


def test_an_option_that_came_after_the_release_is_nobody_s_loss(repo: GitRepo, collector: Collector) -> None:
    none = option("16").replace("--block-size", "--page-size")
    both = f'{none}    parser.add_argument("--block-size", type=int, default=16)\n'
    own, met = found(repo, collector, ARGS, none, both, none)
    assert "--block-size" in {f.symbol for f in own}
    assert met == []


CHECK = "        if config.count > 8:\n            raise ValueError('too many')\n"


@pytest.mark.parametrize("had", [True, False])
def test_a_check_that_came_after_the_release_and_went_again_was_never_met(
    repo: GitRepo, collector: Collector, had: bool
) -> None:
    head = "class Engine:\n    def __init__(self, config: Config):\n"
    bare, checked = (f"{head}{check}        self.count = config.count + 1\n" for check in ("", CHECK))
    start = checked.replace("+ 1", "+ 2") if had else bare
    own, met = found(repo, collector, CORE, start, checked, bare)
    gone = {"guard_removed"}
    assert gone & {f.kind for f in own}
    assert bool(gone & {f.kind for f in met}) is had


def test_a_class_that_stands_elsewhere_in_the_release_did_not_leave_a_place_of_its_own(
    repo: GitRepo, collector: Collector
) -> None:
    begin = {"engine/__init__.py": "", CORE: "x = 1\n", "engine/b.py": "y = 1\n"}
    repo.tag("v1.0", repo.commit("Begin", begin, at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00")
    held = "x = 1\n\n\nclass Stream:\n    prompt: str = ''\n"
    repo.commit("Bring", {CORE: held}, at="2026-01-10T10:00:00")
    sha = repo.commit(
        "Move (#7)", {CORE: "x = 1\n", "engine/b.py": held.replace("x =", "y =")}, at="2026-01-19T10:00:00"
    )
    reading = RuleReader(Git(dict(os.environ))).read(collector.collect(repo))[sha]
    assert "class_moved" in {f.kind for f in reading.findings}
    assert "class_moved" not in {f.kind for f in released_part(reading, ()).findings}


POOL = "class Pool:\n    def grow(self):\n        return 1\n"
FILL = "\n    def fill_rows(self, size%s):\n        return size\n"
RECORD = "from dataclasses import dataclass\n\n\n@dataclass\nclass Record:\n    size: int\n%s"
FILLS = ("Pool().fill_rows(size)", "Pool().fill_rows(size, 1)")
BUILDS, ASKS = "def build(size):\n    return %s\n", "internal_%s_required_added"


@pytest.mark.parametrize(
    ("states", "user", "kind", "met"),
    [
        ((POOL + FILL % "", POOL + FILL % "", POOL + FILL % ", base"), FILLS, "parameter", True),
        (
            (RECORD % "", RECORD % "", RECORD % "    base: int\n"),
            ("Record(size)", "Record(size, base=1)"),
            "field",
            True,
        ),
        ((POOL, POOL + FILL % "", POOL + FILL % ", base"), FILLS, "parameter", False),
    ],
)
def test_of_what_has_to_be_given_from_now_on_its_owner_is_looked_for_in_the_release_and_not_the_new_name(
    repo: GitRepo, collector: Collector, states: tuple[str, str, str], user: tuple[str, str], kind: str, met: bool
) -> None:
    users = (user[0], user[0], user[1])
    files = [
        {CORE: f"X = {n}\n{s}", "engine/other.py": BUILDS % u}
        for n, (s, u) in enumerate(zip(states, users, strict=True))
    ]
    repo.tag("v1.0", repo.commit("Begin", files[0], at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00")
    repo.commit("Go on", files[1], at="2026-01-10T10:00:00")
    sha = repo.commit("Alter (#7)", files[2], at="2026-01-19T10:00:00")
    reading = RuleReader(Git(dict(os.environ))).read(collector.collect(repo))[sha]
    asks = ASKS % kind
    assert asks in {f.kind for f in reading.findings}
    assert (asks in {f.kind for f in released_part(reading, ()).findings}) is met


YOUNG = "class ServerArgs:\n    def check_server_arguments(self):\n{}        self.count = self.count or 1\n"
STOPS = "        if self.count > 8:\n            raise ValueError('too many')\n"


@pytest.mark.parametrize("had", [True, False])
def test_a_check_in_code_that_no_release_has_breaks_nobody_s_use_of_one(
    repo: GitRepo, collector: Collector, had: bool
) -> None:
    bare, checked = YOUNG.format(""), YOUNG.format(STOPS)
    own, _ = found(repo, collector, ARGS, bare if had else "x = 1\n", bare, checked)
    came = [f for f in own if f.kind == "guard_added"]
    assert [f.released for f in came] == [None if had else ""]
    assert [mark_of(f) for f in came] == ["breaks" if had else "breaks_internals"]
