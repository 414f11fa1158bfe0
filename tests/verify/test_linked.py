"""Before pages are published their links are held against git; what strangers wrote on them can never stop that."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daybreak.collect.git.mirror import folder_name
from daybreak.core.config import load
from daybreak.core.model.changes import Window
from daybreak.core.model.report import Page, RepoReport
from daybreak.judge.day_value import day_of
from daybreak.judge.interface import Judgement
from daybreak.runs.wiring import stages
from daybreak.store.report_files import ReportFiles
from daybreak.verify.values import problems_of
from gitrepo import GitRepo
from verify.scenes import DAY, ENGINE, KERNELS, World, build, mirror


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return build(Path(tmp_path_factory.mktemp("world")))


def problems(world: World, line: str) -> tuple[str, ...]:
    text = f"# AI Infra ({DAY})\n\n## {ENGINE}\n\n{line}\n"
    mirrors = {name: mirror(name, repo) for name, repo in world.repos.items()}
    return problems_of([Page("reports/day.md", text)], mirrors)


def test_true_links_stand(world: World) -> None:
    one = world.of(ENGINE)[0]
    assert problems(world, f"- {one.subject} {one.link} {one.pull}") == ()


def test_a_commit_that_is_not_there_or_of_another_repository_is_refused(world: World) -> None:
    ours, theirs = world.of(ENGINE)[0], world.of(KERNELS)[0]
    for sha in (theirs.sha, "ab" * 20):
        moved = f"[here](https://github.com/{ENGINE}/commit/{sha})"
        assert "is no commit of" in problems(world, f"- {ours.subject} {moved}")[0]


def test_a_label_that_names_something_else_is_refused(world: World) -> None:
    ours, other = world.of(ENGINE)[:2]
    wrong = ours.link.replace(f"`{ours.short}`", f"`{other.short}`")
    assert wrong != ours.link
    assert "the label says" in problems(world, f"- {wrong}")[0]
    url = f"https://github.com/{ENGINE}"
    assert "the label says #7" in problems(world, f"- [#7]({url}/pull/8)")[0]


@pytest.mark.parametrize(
    "words",
    [
        "Wrong output since commit abcdef1234567 of the other project",
        "some/other@0123456789abcdef0123456789abcdef01234567",
        r"\[#7\](https://github.com/acme/engine/pull/8)",
        "No updates. 无更新",
        "Escape &lt; in the template, AT&amp;T",
        "@@ -1 +1 @@ `never/was.py` (+9 −9) by Nobody on 1999-01-01",
        "PR: ",
        "patch_truncated <think> {{ name }}",
    ],
)
def test_words_of_strangers_are_not_claims_of_ours(world: World, words: str) -> None:
    one = world.of(ENGINE)[0]
    assert problems(world, f"- {words} {one.link}") == ()


def test_a_mirror_that_is_gone_does_not_spoil_the_pages(world: World, tmp_path: Path) -> None:
    gone = mirror(KERNELS, GitRepo.make(tmp_path / "gone.git"))
    shutil.rmtree(tmp_path / "gone.git")
    mirrors = {ENGINE: mirror(ENGINE, world.repos[ENGINE]), KERNELS: gone}
    links = [f"[here](https://github.com/{name}/commit/{'ab' * 20})" for name in (ENGINE, KERNELS)]
    found = problems_of([Page("reports/a.md", "\n".join(links))], mirrors)
    assert found == (f"reports/a.md:1: here: {'ab' * 6} is no commit of {ENGINE}",)


@pytest.mark.parametrize("in_git", [1, None])
def test_a_run_holds_its_pages_against_the_mirrors_it_has(world: World, tmp_path: Path, in_git: int | None) -> None:
    path = tmp_path / "daybreak.toml"
    path.write_text(f'[[repo]]\nname = "{ENGINE}"\ngit = "{world.repos[ENGINE].path}"\n', encoding="utf-8")
    settings = load(path, {}, dict(os.environ))
    (repo,) = settings.repos()
    shutil.copytree(world.repos[ENGINE].path, settings.state / "mirrors" / folder_name(repo))
    since = datetime.fromisoformat(DAY).replace(tzinfo=UTC)
    window = Window(since, since + timedelta(days=1), "UTC", DAY)
    part = RepoReport(repo, world.repos[ENGINE].branch, world.of(ENGINE)[0].sha, in_git=in_git)
    verifier = stages(settings, True, print, ReportFiles(settings.out)).verifier
    assert verifier
    report = day_of(Judgement(window, "0", ("en",), (part,)))
    good, bad = (f"[here](https://github.com/{ENGINE}/commit/{sha})" for sha in (part.head, "ab" * 20))
    assert verifier([Page("reports/day.md", good)], report) == ()
    assert len(verifier([Page("reports/day.md", bad)], report)) == (in_git or 0)
