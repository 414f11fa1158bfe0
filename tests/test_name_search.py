"""Commits that touched a line with a name, as `git log -G` finds them, and read once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybreak.core.git_program import Git
from daybreak.upgrade.name_search import search_of
from gitrepo import GitRepo, clean_environment

if TYPE_CHECKING:
    from pathlib import Path

FILES: tuple[tuple[str, dict[str, str | None]], ...] = (
    ("came", {"a.py": "x = 1\nmax_num = 8\n"}),
    ("beside", {"a.py": "x = 2\nmax_num = 8\n"}),
    ("value", {"a.py": "x = 2\nmax_num = 9\n"}),
    ("longer name", {"a.py": "x = 2\nmax_num = 9\nmax_nums = 1\n"}),
    ("flag", {"b.sh": "run --max-num 3\n"}),
    ("test", {"tests/t.py": "max_num = 1\n"}),
    ("prose", {"c.md": "max_num\n"}),
    ("moved within", {"a.py": "max_num = 9\nx = 2\nmax_nums = 1\n"}),
    ("went", {"a.py": None}),
    ("odd path", {'Ä "b.py': "max_num = 1\n"}),
)


def test_lines_with_the_name_decide(tmp_path: Path) -> None:
    repo = GitRepo.make(tmp_path / "r.git")
    shas = {title: repo.commit(title, files) for title, files in FILES}
    search = search_of(Git(clean_environment(tmp_path)), repo.path, "max_num")
    found = set(search.touching(list(shas.values())[:5])) | set(search.touching(list(shas.values())[5:]))
    assert [title for title, sha in shas.items() if sha in found] == ["came", "value", "flag", "went", "odd path"]
