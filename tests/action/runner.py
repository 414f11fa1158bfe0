"""A runner of GitHub's on this machine: whole workflows, step by step, each job on a new machine; caches outlive it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
_NAME = re.compile(r"(?<![\w'.])(?:inputs|github|runner|steps)(?:\.[\w-]+)+")


@dataclass
class Job:
    """What became of a job."""

    workspace: Path
    outcome: str = "success"
    log: str = ""
    restored: str = ""
    """Key of the cache that it began with."""
    sarif: dict[str, Any] | None = None
    steps: dict[str, dict[str, str]] = field(default_factory=dict)
    """Outputs by the step's id."""


@dataclass
class Runner:
    """Runs workflows of one repository, whose origin lies on this disk."""

    place: Path
    origin: Path
    api: str
    caches: dict[str, Path] = field(default_factory=dict)
    number: int = 0

    def run(self, workflow: dict[str, Any], name: str, event: dict[str, Any], ref: str) -> Job:
        """The one job of a workflow, for an event as GitHub documents it."""
        self.number += 1
        machine = self.place / f"machine{self.number}"
        for one in ("work", "temp", "home", "tools"):
            (machine / one).mkdir(parents=True)
        (machine / "event.json").write_text(json.dumps(event), encoding="utf-8")
        (described,) = workflow["jobs"].values()
        turn = _Turn(self, machine, name, ref, Job(machine / "work"))
        turn.steps(described["steps"], {})
        return turn.job


@dataclass
class _Turn:
    """One job on its machine."""

    runner: Runner
    machine: Path
    event: str
    ref: str
    job: Job
    path: str = "/usr/local/bin:/usr/bin:/bin"

    def steps(self, steps: list[dict[str, Any]], inputs: dict[str, str], action: Path | None = None) -> None:
        for step in steps:
            given = {key: self.meant(str(value), inputs, action) for key, value in step.get("with", {}).items()}
            if not self.due(step.get("if"), inputs, action):
                continue
            if "run" in step:
                self.shell(step, inputs, action)
            else:
                self.use(step["uses"].partition("@")[0], given, step.get("id", ""))

    def due(self, condition: str | None, inputs: dict[str, str], action: Path | None) -> bool:
        if condition is None:
            return self.job.outcome == "success"
        text = condition.strip().removeprefix("${{").removesuffix("}}").replace("!cancelled()", "True")
        plain = _NAME.sub(lambda match: repr(self.value(match[0], inputs, action)), text.replace("&&", "and"))
        return bool(eval(plain))

    def meant(self, text: str, inputs: dict[str, str], action: Path | None) -> str:
        return re.sub(r"\$\{\{ (\S+) \}\}", lambda match: self.value(match[1], inputs, action), text)

    def value(self, name: str, inputs: dict[str, str], action: Path | None) -> str:
        where, _, rest = name.partition(".")
        if where == "inputs":
            return inputs[rest]
        if where == "steps":
            one, _, output = rest.partition(".outputs.")
            return self.job.steps.get(one, {}).get(output, "")
        known = {"runner.temp": str(self.machine / "temp"), "github.action_path": str(action), "github.token": "t0ken"}
        known |= {"github.run_id": str(self.runner.number), "github.run_attempt": "1"}
        return known[name]

    # --- steps -----------------------------------------------------------------------------------------------------

    def shell(self, step: dict[str, Any], inputs: dict[str, str], action: Path | None) -> None:
        """`shell: bash`, which GitHub starts in this form, on a file with the script."""
        script, output = self.machine / "temp" / "step.sh", self.machine / "temp" / "output"
        script.write_text(step["run"], encoding="utf-8")
        output.write_text("", encoding="utf-8")
        own = {key: self.meant(str(value), inputs, action) for key, value in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.job.workspace, env=self.variables() | own, capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.job.log += done.stdout + done.stderr
        rows = output.read_text(encoding="utf-8").splitlines()
        self.job.steps[step.get("id", "")] = dict(row.split("=", 1) for row in rows)
        if done.returncode:
            self.job.outcome = "failure"

    def variables(self) -> dict[str, str]:
        files = {"GITHUB_EVENT_PATH": "event.json", "GITHUB_OUTPUT": "temp/output", "GITHUB_STEP_SUMMARY": "summary.md"}
        return {
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": self.runner.api,
            "GITHUB_EVENT_NAME": self.event,
            "GITHUB_REF": self.ref,
            "GITHUB_REPOSITORY": "acme/service",
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_WORKSPACE": str(self.job.workspace),
            "HOME": str(self.machine / "home"),
            "PATH": self.path,
            "PIP_CACHE_DIR": str(self.runner.place / "pip"),
            "RUNNER_TEMP": str(self.machine / "temp"),
            **{name: str(self.machine / file) for name, file in files.items()},
        }

    def use(self, name: str, given: dict[str, str], step: str) -> None:
        """Actions of others do here what their own pages say of them; ours is what is tried."""
        if name == "actions/checkout":
            self.checkout(given.get("fetch-depth", "1"))
        elif name == "actions/setup-python":
            (self.machine / "tools" / "python").symlink_to(Path(sys.base_prefix) / "bin" / "python3")
            self.path = f"{self.machine / 'tools'}:{self.path}"
        elif name == "actions/cache/restore":
            self.restore(given)
        elif name == "actions/cache/save":
            self.save(given)
        elif name == "github/codeql-action/upload-sarif":
            self.job.sarif = json.loads((self.job.workspace / given["sarif_file"]).read_bytes())
        else:
            assert name == "OWNER/daybreak", f"{name} is not known to this runner"
            self.ours(given, step)

    def ours(self, given: dict[str, str], step: str) -> None:
        """The action as it is downloaded: the files of its repository, and nothing that a build left behind."""
        action = self.machine / "actions" / "daybreak"
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for name in filter(None, listed.split("\0")):
            (action / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, action / name)
        described = yaml.safe_load((action / "action.yml").read_text(encoding="utf-8"))
        assert set(given) <= set(described["inputs"])
        inputs = {key: self.meant(str(one.get("default", "")), {}, action) for key, one in described["inputs"].items()}
        self.steps(described["runs"]["steps"], inputs | given, action)
        outputs = {key: self.meant(one["value"], {}, action) for key, one in described["outputs"].items()}
        self.job.steps[step] = outputs

    def checkout(self, depth: str) -> None:
        git = ["git", "-C", str(self.job.workspace)]
        how = [] if depth == "0" else [f"--depth={depth}"]
        branch = self.ref.removeprefix("refs/heads/")
        there = "HEAD" if branch == self.ref else branch
        for words in (
            ["init", "--quiet", "--template="],
            ["remote", "add", "origin", self.runner.origin.as_uri()],
            ["fetch", "--quiet", *how, "origin", f"+{self.ref}:refs/remotes/origin/{there}"],
            [
                "checkout",
                "--quiet",
                "--detach" if branch == self.ref else f"-B{branch}",
                f"refs/remotes/origin/{there}",
            ],
        ):
            subprocess.run([*git, *words], check=True, env={"PATH": self.path, "HOME": str(self.machine / "home")})

    def restore(self, given: dict[str, str]) -> None:
        known = [key for key in reversed(self.runner.caches) if key.startswith(given["restore-keys"])]
        for key in known[:1]:
            self.job.restored = key
            for number, name in enumerate(given["path"].split()):
                if (self.runner.caches[key] / str(number)).exists():
                    shutil.copytree(self.runner.caches[key] / str(number), self.job.workspace / name, symlinks=True)

    def save(self, given: dict[str, str]) -> None:
        kept = self.runner.caches[given["key"]] = self.runner.place / "caches" / given["key"]
        for number, name in enumerate(given["path"].split()):
            if (self.job.workspace / name).exists():
                shutil.copytree(self.job.workspace / name, kept / str(number), symlinks=True)
