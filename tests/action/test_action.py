"""The GitHub Action, its steps run as a runner runs them, against a GitHub on this machine."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from action.fake_forge import Github, served
from gitrepo import GitRepo, clean_environment
from program import called, run
from publish.posts_server import Posts

ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
BOTH = 'parser.add_argument("--size")\nparser.add_argument("--kv")\n'
ONE = 'parser.add_argument("--size")\n'


@pytest.fixture
def github() -> Iterator[Github]:
    with served() as found:
        yield found


@dataclass
class Checkout:
    """A service with a pull request, on a runner."""

    folder: Path
    temp: Path
    base: str
    github: Github

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b.invalid", *words],
            cwd=self.folder, env=clean_environment(self.temp), capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout.strip()

    def commit(self, files: dict[str, str]) -> str:
        for name, text in files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text, encoding="utf-8")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "Bump")
        return self.git("rev-parse", "HEAD")

    def run(self, *, head: str = "", started: bool = False, **inputs: str) -> subprocess.CompletedProcess[str]:
        """The action's own step, with the event of the pull request; called here, or started as a runner starts it."""
        event = {
            "action": "synchronize",
            "number": 7,
            "pull_request": {
                "number": 7,
                "title": "Bump $(touch hacked) `touch hacked`",
                "base": {"sha": self.base, "ref": "main"},
                "head": {"sha": head or self.git("rev-parse", "HEAD"), "ref": "bump"},
            },
        }
        (self.temp / "event.json").write_text(json.dumps(event), encoding="utf-8")
        return self.step("Daybreak", inputs) if started else self.call(inputs)

    def step(self, name: str, inputs: dict[str, str], **more: str) -> subprocess.CompletedProcess[str]:
        """A step of the action in a shell, as a runner starts it."""
        step = _step(name)
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.folder,
            env={**os.environ, **self._variables(step, inputs), **more},
            capture_output=True,
            text=True,
            check=False,
        )

    def call(self, inputs: dict[str, str], **more: str) -> subprocess.CompletedProcess[str]:
        """The program of its main step within this process, and `daybreak` as well: two starts fewer."""
        found = importlib.util.spec_from_file_location("daybreak_action", ROOT / "action" / "main.py")
        assert found is not None
        assert found.loader is not None
        action = importlib.util.module_from_spec(found)
        found.loader.exec_module(action)
        action.__dict__["subprocess"] = SimpleNamespace(**{**vars(subprocess), "run": _called_or_started})
        return called(action.main, (), cwd=self.folder, env={**self._variables(_step("Daybreak"), inputs), **more})

    def _variables(self, step: dict[str, Any], inputs: dict[str, str]) -> dict[str, str]:
        (self.temp / "output").write_text("", encoding="utf-8")
        (self.temp / "summary").write_text("", encoding="utf-8")
        given = {key: str(value.get("default", "")) for key, value in ACTION["inputs"].items()}
        given |= {"token": "t0ken"} | {key.replace("_", "-"): value for key, value in inputs.items()}
        return self._runner() | {key: self._meant(value, given) for key, value in step["env"].items()}

    def _meant(self, text: str, given: dict[str, str]) -> str:
        known = {"runner.temp": str(self.temp), "github.action_path": str(ROOT)}
        known |= {f"inputs.{key}": value for key, value in given.items()}
        return re.sub(r"\$\{\{ (\S+) \}\}", lambda match: known[match[1]], text)

    def _runner(self) -> dict[str, str]:
        return {
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": self.github.url,
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_EVENT_PATH": str(self.temp / "event.json"),
            "GITHUB_OUTPUT": str(self.temp / "output"),
            "GITHUB_REPOSITORY": "acme/service",
            "GITHUB_STEP_SUMMARY": str(self.temp / "summary"),
            "GITHUB_WORKSPACE": str(self.folder),
            "RUNNER_TEMP": str(self.temp),
        }

    def outputs(self) -> dict[str, str]:
        rows = (self.temp / "output").read_text(encoding="utf-8").splitlines()
        return dict(row.split("=", 1) for row in rows)


def _step(name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in ACTION["runs"]["steps"] if one.get("name") == name)
    return found


def _called_or_started(command: list[str], **options: Any) -> subprocess.CompletedProcess[Any]:
    """`daybreak` is called with the variables that are meant for it; any other program is started."""
    if Path(command[0]).name != "daybreak":
        return subprocess.run(command, check=options.pop("check"), **options)
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ.keys() - options["env"].keys():
            patch.delenv(name)
        done = run(*command[1:], cwd=Path.cwd(), env=options["env"])
    sys.stderr.write(done.stderr)
    return done


@pytest.fixture
def checkout(tmp_path: Path, github: Github) -> Checkout:
    """An engine that drops a flag in v1.1.0, and a service that uses the flag and pins v1.0.0."""
    engine = GitRepo.make(tmp_path / "engine.git")
    file = "engine/server_args.py"
    engine.tag("v1.0.0", engine.commit("First (#1)", {file: BOTH}, at="2026-01-18T10:00:00"))
    engine.tag("v1.1.0", engine.commit("Drop a flag (#2)", {file: ONE}, at="2026-01-19T10:00:00"))
    temp = tmp_path / "temp"
    place = temp / "daybreak-env" / "bin"
    place.mkdir(parents=True)
    (place / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    (place / "python").chmod(0o755)
    folder = tmp_path / "service"
    folder.mkdir()
    found = Checkout(folder, temp, "", github)
    found.git("init", "--quiet", "--initial-branch=main", "--template=")
    config = f'timezone = "UTC"\nlanguages = ["en"]\n[[repo]]\nname = "acme/engine"\ngit = "{engine.path}"\n'
    found.base = found.commit(
        {
            "daybreak.toml": config,
            ".gitignore": ".daybreak/\n",
            "requirements.txt": "engine==1.0.0\n",
            "run.sh": "python -m engine.launch --kv 3\n",
            "Dockerfile": "FROM acme/engine:1.0.0\n",
        }
    )
    return found


def test_a_bump_gets_one_comment_with_file_and_line_sarif_and_a_failing_step(checkout: Checkout) -> None:
    checkout.commit({"requirements.txt": "engine==1.1.0\n"})
    done = checkout.run(started=True)
    assert done.returncode == 1, done.stdout + done.stderr
    (comment,) = checkout.github.comments
    assert "`run.sh:1`" in comment["body"]
    assert "--kv" in comment["body"]
    assert "engine 1.0.0 → 1.1.0" in done.stderr
    assert "- Pin `requirements.txt:1: engine 1.0.0 → 1.1.0`\n" in comment["body"]
    assert checkout.outputs()["certain"] == "1"
    sarif = json.loads((checkout.folder / "daybreak.sarif").read_bytes())
    assert sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 1
    assert "--kv" in (checkout.temp / "summary").read_text(encoding="utf-8")
    assert not (checkout.folder / "hacked").exists()


def test_the_comment_names_every_file_whose_pin_moved(checkout: Checkout) -> None:
    checkout.commit({"requirements.txt": "engine==1.1.0\n", "Dockerfile": "FROM acme/engine:1.1.0\n"})
    checkout.run()
    (comment,) = checkout.github.comments
    assert "- Pin `Dockerfile:1, requirements.txt:1: engine 1.0.0 → 1.1.0`\n" in comment["body"]


def test_pins_that_moved_and_are_not_watched_stand_in_the_comment_and_the_summary(checkout: Checkout) -> None:
    checkout.base = checkout.commit({"requirements-more.txt": "trl==0.28.0\n"})
    checkout.commit({"requirements-more.txt": "trl==0.29.0\n"})
    done = checkout.run()
    assert done.returncode == 0, done.stderr
    (comment,) = checkout.github.comments
    told = "`requirements-more.txt:1: trl 0.28.0 → 0.29.0`"
    for text in (comment["body"], (checkout.temp / "summary").read_text(encoding="utf-8")):
        assert told in text
        assert "No pin on a watched project moved" in text


def test_the_comment_is_brought_up_to_date_and_never_doubled(checkout: Checkout) -> None:
    checkout.github.comments = [{"id": 1000 + n, "body": "lgtm"} for n in range(120)]
    checkout.commit({"requirements.txt": "engine==1.1.0\n"})
    checkout.run(fail_on="never")
    first = checkout.github.comments[-1]["body"]
    checkout.commit({"run.sh": "python -m engine.launch --size 3\n"})
    done = checkout.run(fail_on="never")
    assert done.returncode == 0, done.stdout
    assert len(checkout.github.comments) == 121
    assert checkout.github.comments[-1]["body"] != first
    checkout.commit({"requirements.txt": "engine==1.0.0\n"})
    checkout.run(lang="zh")
    assert "已无变化" in checkout.github.comments[-1]["body"]
    assert len(checkout.github.comments) == 121


def test_a_pull_request_without_a_bump_is_left_alone(checkout: Checkout) -> None:
    checkout.commit({"notes.md": "words\n"})
    done = checkout.run()
    assert done.returncode == 0, done.stdout
    assert checkout.github.comments == []
    assert checkout.outputs() == {"certain": "0", "likely": "0", "look": "0"}


@pytest.mark.parametrize(
    "files",
    [
        {"Dockerfile": "FROM acme/engine:1.1.0\n"},
        {"pyproject.toml": '[project]\nname = "svc"\ndependencies = ["engine==1.1.0"]\n'},
        {"uv.lock": 'version = 1\n[[package]]\nname = "engine"\nversion = "1.1.0"\n'},
        {"k8s.yaml": "spec:\n  containers:\n  - name: engine\n    image: ghcr.io/acme/engine:1.1.0\n"},
        {"requirements.txt": "engine>=1.1.0\n"},
    ],
)
def test_a_bump_is_seen_wherever_it_is_pinned(checkout: Checkout, files: dict[str, str]) -> None:
    (name,) = files
    checkout.base = checkout.commit({name: files[name].replace("1.1.0", "1.0.0")})
    checkout.commit(files)
    done = checkout.run(fail_on="never")
    assert done.returncode == 0, done.stdout + done.stderr
    sign = ">=" if ">=" in files[name] else ""
    assert f"engine {sign}1.0.0 → {sign}1.1.0" in done.stderr
    assert len(checkout.github.comments) == 1


@pytest.mark.parametrize(("policy", "code"), [("certain", 1), ("look", 1), ("never", 0), ("sometimes", 1)])
def test_the_exit_code_follows_the_policy(checkout: Checkout, policy: str, code: int) -> None:
    checkout.commit({"requirements.txt": "engine==1.1.0\n"})
    done = checkout.run(fail_on=policy)
    assert done.returncode == code
    assert ("::error::" in done.stdout) == bool(code)


def test_a_fork_that_may_not_comment_still_gets_its_answer(checkout: Checkout) -> None:
    checkout.github.closed = True
    checkout.commit({"requirements.txt": "engine==1.1.0\n"})
    done = checkout.run(fail_on="never")
    assert done.returncode == 0
    assert "::warning::" in done.stdout
    assert "--kv" in (checkout.temp / "summary").read_text(encoding="utf-8")


def test_a_version_that_upstream_does_not_have_is_said_and_not_taken_for_safe(checkout: Checkout) -> None:
    checkout.commit({"requirements.txt": "engine==9.9.9\n"})
    done = checkout.run()
    assert "9.9.9" in done.stderr
    assert "no tags" in done.stderr


def test_the_report_is_committed_to_the_branch(checkout: Checkout, tmp_path: Path) -> None:
    checkout.git("init", "--quiet", "--bare", str(tmp_path / "origin.git"))
    checkout.git("remote", "add", "origin", str(tmp_path / "origin.git"))
    done = checkout.step("Daybreak", {"mode": "report"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Daybreak: reports" in checkout.git("log", "-1", "--format=%s", "origin/main")
    assert "README.md" in checkout.git("ls-tree", "--name-only", "HEAD")
    assert not checkout.git("ls-tree", "--name-only", "HEAD", ".daybreak")
    pages = checkout.call({"mode": "report", "to": "pages"})
    assert pages.returncode == 0, pages.stdout + pages.stderr
    assert (checkout.folder / checkout.outputs()["site"] / "index.html").is_file()


def test_the_index_of_each_language_is_committed_and_a_page_of_your_own_is_not(
    checkout: Checkout, tmp_path: Path
) -> None:
    checkout.git("init", "--quiet", "--bare", str(tmp_path / "origin.git"))
    checkout.git("remote", "add", "origin", str(tmp_path / "origin.git"))
    config = (checkout.folder / "daybreak.toml").read_text(encoding="utf-8")
    checkout.commit({"daybreak.toml": config.replace('["en"]', '["en", "zh"]')})
    (checkout.folder / "README.de.md").write_text("# Dienst\n", encoding="utf-8")
    done = checkout.step("Daybreak", {"mode": "report"})
    assert done.returncode == 0, done.stdout + done.stderr
    listed = checkout.git("ls-tree", "--name-only", "origin/main").split()
    assert {"README.md", "README.zh.md"} <= set(listed)
    assert "README.de.md" not in listed


@pytest.mark.parametrize(("config", "store"), [("", "./.daybreak"), ("ci/daybreak.toml", "ci/.daybreak")])
def test_the_store_is_kept_where_the_config_has_it(checkout: Checkout, config: str, store: str) -> None:
    assert checkout.step("Place of the store", {"config": config}).returncode == 0
    assert checkout.outputs() == {"store": store}
    kept = [one["with"]["path"] for one in ACTION["runs"]["steps"] if "actions/cache" in one.get("uses", "")]
    assert all("${{ steps.place.outputs.store }}" in path for path in kept)
    assert len(kept) == 2


def test_a_release_brings_the_template_with_its_own_name(tmp_path: Path) -> None:
    flow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))
    (step,) = [one for one in flow["jobs"]["page"]["steps"] if "template" in one.get("name", "")]
    shutil.copytree(ROOT / "template", tmp_path / "template")
    named = {**os.environ, "GITHUB_REPOSITORY": "acme/daybreak", "GITHUB_REF_NAME": "v0.1.0"}
    subprocess.run(["bash", "-e", "-c", step["run"]], cwd=tmp_path, env=named, check=True)
    with zipfile.ZipFile(tmp_path / "out" / "daybreak-template.zip") as made:
        texts = {name: made.read(name).decode() for name in made.namelist() if not name.endswith("/")}
    assert len(texts) == 4
    assert "OWNER" not in "".join(texts.values())
    assert "uses: acme/daybreak@v0.1.0" in texts[".github/workflows/report.yml"]


def test_the_report_becomes_one_issue_of_the_repository(checkout: Checkout) -> None:
    with Posts() as posts:
        config = (checkout.folder / "daybreak.toml").read_text(encoding="utf-8")
        checkout.commit({"daybreak.toml": f'{config}[github]\napi = "{posts.url}"\nask = false\n[publish]\n'})
        for _ in range(2):
            us = {"GITHUB_REPOSITORY": "us/news", "GITHUB_API_URL": posts.url}
            done = checkout.call({"mode": "report", "to": "issue"}, **us)
            assert done.returncode == 0, done.stdout + done.stderr
        (issue,) = posts.of("issue")
        assert issue.body.startswith("<!-- daybreak.issue/1 ")


def test_on_an_enterprise_server_the_issue_is_written_there_and_nothing_has_to_be_said_of_it(
    checkout: Checkout,
) -> None:
    """The runner names its own GitHub; the config names none."""
    with Posts() as posts:
        us = {"GITHUB_REPOSITORY": "us/news", "GITHUB_API_URL": posts.url}
        done = checkout.call({"mode": "report", "to": "issue"}, **us)
        assert done.returncode == 0, done.stdout + done.stderr
        assert len(posts.of("issue")) == 1


@pytest.mark.parametrize(
    ("api", "inputs", "handed"),
    [
        ("https://api.github.com", {}, "t0ken"),
        ("https://ghe.example.com/api/v3", {}, ""),
        ("https://ghe.example.com/api/v3", {"upstream_token": "0ther"}, "0ther"),
    ],
)
def test_the_token_of_one_github_is_handed_to_no_other(
    checkout: Checkout, api: str, inputs: dict[str, str], handed: str
) -> None:
    """The program beside the action's Python writes down what it was handed."""
    program = checkout.temp / "daybreak-env" / "bin" / "python"
    stand_in = checkout.temp / "daybreak"
    stand_in.write_text(f'#!/bin/sh\necho "token=$GITHUB_TOKEN" > "{checkout.temp}/handed"\n', encoding="utf-8")
    stand_in.chmod(0o755)
    start = f"import runpy, sys; sys.executable = {str(checkout.temp / 'python')!r}; sys.argv = sys.argv[1:]; "
    start += "runpy.run_path(sys.argv[0], run_name='__main__')"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{start}" "$@"\n', encoding="utf-8")
    checkout.step("Daybreak", {"mode": "report", "to": "none", **inputs}, GITHUB_API_URL=api)
    assert (checkout.temp / "handed").read_text(encoding="utf-8") == f"token={handed}\n"


def test_what_others_merged_meanwhile_is_not_told_of_the_pull_request(checkout: Checkout) -> None:
    """A runner checks out the merge with the newest base; the event names the base as it was."""
    head = checkout.commit({"notes.md": "words\n"})
    checkout.git("checkout", "--quiet", checkout.base)
    checkout.commit({"requirements.txt": "engine==1.1.0\n"})
    checkout.git("merge", "--quiet", "--no-ff", "--message", "Merge", head)
    done = checkout.run(head=head)
    assert done.returncode == 0, done.stdout + done.stderr
    assert checkout.github.comments == []


def test_a_branch_that_lags_behind_is_not_told_to_take_an_upgrade_back(checkout: Checkout) -> None:
    """The head itself is checked out, and the base has moved since they parted."""
    head = checkout.commit({"notes.md": "words\n"})
    checkout.git("checkout", "--quiet", checkout.base)
    checkout.base = checkout.commit({"requirements.txt": "engine==1.1.0\n"})
    checkout.git("checkout", "--quiet", head)
    done = checkout.run(head=head)
    assert done.returncode == 0, done.stdout + done.stderr
    assert checkout.github.comments == []


def test_no_shell_sees_the_text_of_an_event_or_of_an_input() -> None:
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")


def test_the_template_asks_for_modes_and_inputs_that_there_are() -> None:
    for file in (ROOT / "template" / ".github" / "workflows").glob("*.yml"):
        flow = yaml.safe_load(file.read_text(encoding="utf-8"))
        for job in flow["jobs"].values():
            for step in job["steps"]:
                if "/daybreak@" in step.get("uses", ""):
                    assert set(step["with"]) <= set(ACTION["inputs"])


@pytest.mark.parametrize(
    ("config", "extras"),
    [
        ("", ""),
        ('[analyst]\nkind = "rules"\n', ""),
        ('[analyst]\nkind = "llm"\n', "[llm]"),
        ('[analyst]\nkind = "llm"\n[notify]\nurls = ["feishu://x"]\n', "[llm,notify]"),
        ('store = "postgresql+psycopg://db/x"\n[[notify.target]]\nurl_env = "X"\n', "[notify,postgres]"),
        ('[execute]\nkind = "ray"\n', "[ray]"),
        ("no config at all", ""),
    ],
)
def test_what_the_config_asks_for_is_installed(checkout: Checkout, config: str, extras: str) -> None:
    """A stand-in for Python makes the environment and writes down what pip is to install."""
    (checkout.folder / "daybreak.toml").write_text(config, encoding="utf-8")
    inner = checkout.temp / "daybreak-env" / "bin" / "python"
    pip = f'[ "$2" = pip ] && echo "$*" >> "{checkout.temp}/asked" && exit\n'
    inner.write_text(f'#!/bin/sh\n{pip}exec "{sys.executable}" "$@"\n', encoding="utf-8")
    tools = checkout.temp / "tools"
    tools.mkdir()
    (tools / "python").write_text("#!/bin/sh\n", encoding="utf-8")
    (tools / "python").chmod(0o755)
    done = checkout.step("Install", {}, PATH=f"{tools}:{os.environ['PATH']}", DAYBREAK_STORE="")
    assert done.returncode == 0, done.stderr
    locked, own = (checkout.temp / "asked").read_text(encoding="utf-8").splitlines()
    assert locked.endswith(f"--require-hashes -r {ROOT}/requirements/{'container' if extras else 'run'}.txt")
    assert own.split()[-1] == f"{ROOT}{extras}"
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(filter(None, extras.strip("[]").split(","))) <= set(known)


def test_the_docs_name_every_input_and_output_and_show_how_a_secret_is_handed_on() -> None:
    docs = (ROOT / "docs" / "action.md").read_text(encoding="utf-8")
    tables = " ".join(line.split("|")[1] for line in docs.splitlines() if line.startswith("|"))
    assert {name for name in (*ACTION["inputs"], *ACTION["outputs"]) if f"`{name}`" not in tables} == set()
    report = (ROOT / "template" / ".github" / "workflows" / "report.yml").read_text(encoding="utf-8")
    for text in (docs, report):
        assert re.search(r"env:.*\n.*\$\{\{ secrets\.", text)
        assert re.search(r"cron: .*# in UTC", text)
    assert "`none`" in docs


def test_no_workflow_of_ours_leaves_the_token_in_a_checkout_that_needs_none() -> None:
    docs = (ROOT / "docs" / "action.md").read_text(encoding="utf-8")
    flow = (ROOT / "template" / ".github" / "workflows" / "impact.yml").read_text(encoding="utf-8")
    for text in (docs, flow):
        assert "fetch-depth: 0, persist-credentials: false" in text


def test_the_config_of_the_template_is_one() -> None:
    from daybreak.core.config import load

    assert load(ROOT / "template" / "daybreak.toml", {}, {}).repos()
