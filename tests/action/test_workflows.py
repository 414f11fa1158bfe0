"""The workflows of the template and of the docs, run as a runner runs them: from the checkout to what is left behind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from action.fake_forge import Github, served
from action.runner import ROOT, Job, Runner
from gitrepo import GitRepo

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]
WORKFLOWS = ROOT / "template" / ".github" / "workflows"
FLAGS = "engine/server_args.py"
BOTH = 'parser.add_argument("--size")\nparser.add_argument("--kv")\n'
ONE = 'parser.add_argument("--size")\n'


def workflow(name: str) -> dict[str, Any]:
    if name == "docs":
        text = (ROOT / "docs" / "action.md").read_text(encoding="utf-8")
        block = re.search(r"^```yaml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        assert block is not None
        read: dict[str, Any] = yaml.safe_load(block[1])
        return read
    found: dict[str, Any] = yaml.safe_load((WORKFLOWS / f"{name}.yml").read_text(encoding="utf-8"))
    return found


@pytest.fixture
def github() -> Iterator[Github]:
    with served() as found:
        yield found


@pytest.fixture
def service(tmp_path: Path) -> GitRepo:
    """A service that uses a flag which its engine drops in v1.1.0."""
    engine = GitRepo.make(tmp_path / "engine.git")
    engine.tag("v1.0.0", engine.commit("First (#1)", {FLAGS: BOTH}, at="2026-01-18T10:00:00"))
    engine.tag("v1.1.0", engine.commit("Drop a flag (#2)", {FLAGS: ONE}, at="2026-01-19T10:00:00"))
    found = GitRepo.make(tmp_path / "service.git")
    config = f'timezone = "UTC"\nlanguages = ["en"]\n[[repo]]\nname = "acme/engine"\ngit = "{engine.path}"\n'
    files = {"requirements.txt": "engine==1.0.0\n", "run.sh": "python -m engine.launch --kv 3\n"}
    found.commit("Start", {**files, "daybreak.toml": config, ".gitignore": ".daybreak/\n"}, at="2026-01-20T10:00:00")
    return found


def pull_request(base: str, head: str) -> dict[str, Any]:
    """The event in the form of GitHub's documentation, as far as anybody may look at it."""
    repository = {"full_name": "acme/service", "default_branch": "main", "private": False, "fork": False}
    ends = {"user": {"login": "acme", "type": "Organization"}, "repo": repository}
    pull = {
        "number": 7,
        "state": "open",
        "draft": False,
        "title": "Bump engine $(touch hacked)",
        "body": None,
        "user": {"login": "renovate[bot]", "type": "Bot"},
        "head": {"label": "acme:bump", "ref": "bump", "sha": head, **ends},
        "base": {"label": "acme:main", "ref": "main", "sha": base, **ends},
        "merge_commit_sha": None,
    }
    sender = {"login": "renovate[bot]", "type": "Bot"}
    return {"action": "synchronize", "number": 7, "pull_request": pull, "repository": repository, "sender": sender}


def pushed(service: GitRepo, base: str, runner: Runner, flow: str, files: dict[str, str]) -> Job:
    """A push to the pull request, whose merge with the base GitHub makes by itself."""
    head = service.commit("Bump", files, at="2026-01-20T11:00:00", branch="bump", parents=[base])
    merge = service.commit("Merge", files, at="2026-01-20T11:00:01", branch="merge", parents=[base, head])
    service.git("update-ref", "refs/pull/7/merge", merge)
    return runner.run(workflow(flow), "pull_request", pull_request(base, head), "refs/pull/7/merge")


def installed(job: Job) -> None:
    if "No matching distribution" in job.log or "Could not fetch URL" in job.log:
        pytest.skip(f"no index can be reached: {job.log[-200:]}")


@pytest.mark.parametrize("flow", ["impact", "docs"])
def test_a_bump_is_commented_on_by_each_push_and_mirrors_are_kept(
    flow: str, service: GitRepo, github: Github, tmp_path: Path
) -> None:
    runner = Runner(tmp_path / "runner", service.path, github.url)
    base = service.text("rev-parse", "HEAD")
    bump = {"requirements.txt": "engine==1.1.0\n"}
    first = pushed(service, base, runner, flow, bump)
    installed(first)
    assert first.outcome == "failure", first.log
    assert "`run.sh:1`" in github.comments[0]["body"]
    if flow == "impact":
        assert first.sarif is not None
        assert first.sarif["runs"][0]["results"]
    assert not (first.workspace / "hacked").exists()
    again = pushed(service, base, runner, flow, bump | {"run.sh": "python -m engine.launch --size 3\n"})
    assert again.outcome == "success", again.log
    assert again.restored  # although the job before it failed
    assert "making a mirror" in first.log
    assert "making a mirror" not in again.log
    assert len(github.comments) == 1
    assert "`run.sh:1`" not in github.comments[0]["body"]


def test_the_daily_report_is_committed_and_goes_on_with_its_store(
    service: GitRepo, github: Github, tmp_path: Path
) -> None:
    runner = Runner(tmp_path / "runner", service.path, github.url)
    event = {"schedule": "17 0 * * *", "workflow": ".github/workflows/report.yml"}
    first = runner.run(workflow("report"), "schedule", event, "refs/heads/main")
    installed(first)
    assert first.outcome == "success", first.log
    assert "Daybreak: reports" in service.text("log", "-1", "--format=%s", "main")
    second = runner.run(
        workflow("report"), "workflow_dispatch", {"inputs": None, "ref": "refs/heads/main"}, "refs/heads/main"
    )
    assert second.outcome == "success", second.log
    assert second.restored
    assert service.text("rev-list", "--count", "main") == "2"  # nothing new, nothing committed
