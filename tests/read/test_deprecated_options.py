"""An option whose help says that it goes is deprecated, in every language; what is ignored has no default to keep."""

from __future__ import annotations

import os
from zoneinfo import ZoneInfo

import pytest

from daybreak.collect.git.history import HistoryReader
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Collected, Repo
from daybreak.findings.reader import RuleReader
from gitrepo import GitRepo

PYTHON = ("engine/server_args.py", 'def add(p):\n    p.add_argument("--log-format", default={0}, help={1})\n')
GO = (
    "cmd/agent/main.go",
    'package main\n\nimport "flag"\n\nvar format = flag.String("log-format", {0}, {1})\n\nfunc main() {{ flag.Parse() }}\n',
)
USED = ('"json"', '"Format of the log"')
IGNORED = ('""', '"Deprecated: the service decides"')


@pytest.mark.parametrize(("path", "text"), [PYTHON, GO], ids=["Python", "Go"])
@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        (USED, IGNORED, ["cli_flag_deprecated"]),
        (IGNORED, USED, []),
        (USED, ('"csv"', USED[1]), ["cli_default_changed"]),
    ],
    ids=["deprecated", "no longer deprecated", "another default"],
)
def test_the_help_of_an_option_says_whether_it_goes(
    path: str, text: str, was: tuple[str, str], now: tuple[str, str], expected: list[str], repo: GitRepo
) -> None:
    repo.commit("one", {path: text.format(*was)})
    sha = repo.commit("two", {path: text.format(*now)})
    changes = HistoryReader(Git(dict(os.environ)), repo.path, "org/engine", ZoneInfo("UTC")).read([sha])
    collected = Collected(Repo("org/engine", "https://x.example", "x"), changes=tuple(changes), mirror=str(repo.path))
    found = RuleReader(Git(dict(os.environ))).read(collected)[sha].findings
    assert [f.kind for f in found if f.symbol == "--log-format"] == expected
