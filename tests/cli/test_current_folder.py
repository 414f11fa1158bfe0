"""Every command as a process of its own does its work, and nothing is run of the folder in which a user stands.

That may be anybody's checkout. It holds a trap for every module of Python and of everything installed, for our own package and for programs that are
looked for by name, and it is a repository whose settings name programs. A trap that is run writes its name down.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from daybreak.cli.parser import COMMANDS
from gitrepo import GitRepo

DAY = "2026-01-19"
LATER = "2026-01-21T12:00:00+00:00"
CONFIG = """\
timezone = "UTC"
[[repo]]
name = "acme/engine"
git = "{upstream}"
[impact]
paths = ["svc"]
[execute]
processes = true
workers = 2
[schedule]
catch_up = 1
"""
SCRIPT = "import sys\nfrom daybreak.__main__ import main\nif __name__ == '__main__':\n    sys.exit(main())\n"
"""What an installer writes for `daybreak`."""
STARTS = """\
import sys
with open({log!r}, "a", encoding="utf-8") as log:
    log.write(repr((bool(sys.flags.safe_path), sys.orig_argv)) + "\\n")
"""
"""As `sitecustomize`, each Python that is started writes down how."""
PROGRAMS = ("git", "ssh", "python", "python3", "sh", "env", "uname", "gcc", "cc", "ldconfig", "objdump")
SETTINGS = ("core.fsmonitor", "core.sshCommand", "core.gitProxy", "core.pager", "core.askPass", "diff.external")
MCP = (
    {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                                                 "clientInfo": {"name": "test", "version": "1"}}},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/call", "params": {"name": "list_days", "arguments": {}}},
)  # fmt: skip
CALLS: dict[str, tuple[tuple[str, ...], ...]] = {
    "init": (("init", "new"),),
    "run": (("run", "--date", DAY, "--force"),),
    "demo": (("demo", "--out", "sample"),),
    "verify": (("verify", f"reports/{DAY}.md"),),
    "range": (("range", "acme/engine", "v1..v2", "--impact", "svc"), ("range", "--trees", "svc", "svc2")),
    "impact": (
        ("impact", ".", "--range", "acme/engine", "v1..v2"),
        ("impact", ".", "--fork", "main", "--upstream", "origin/main"),
    ),
    "ack": (("ack", "cli_flag_removed:--other", "--reason", "known"), ("ack", "--list")),
    "search": (("search", "Step"),),
    "rollup": (("rollup", "--month", DAY[:7]),),
    "show": (("show", DAY), ("show", "#3"), ("show", "size")),
    "notify": (("notify", "--dry-run", "--config", "told.toml"), ("notify", "--test", "--config", "told.toml")),
    "site": (("site", "--out", "pages"),),
    "serve": (("serve", "--port", "0", "--schedule", "--log-format", "json"),),
    "mcp": (("mcp",),),
    "status": (("status",),),
    "doctor": (("doctor",), ("doctor", "--store")),
    "docs": (("docs",), ("docs", "upgrades")),
    "completion": (("completion", "zsh"),),
    "grade": (("grade", "acme/engine", "--commits", "-"),),
}
SAYS: dict[str, tuple[int | None, str]] = {
    "init": (0, "daybreak.toml"),
    "run": (0, DAY),
    "demo": (0, "sample"),
    "verify": (0, "claim"),
    "range": (3, "acme-engine-v1..v2"),
    "impact": (3, "--kv"),
    "ack": (0, "--other"),
    "search": (0, "Step"),
    "rollup": (3, DAY[:7]),
    "show": (0, "Step"),
    "notify": (0, "Step"),
    "site": (0, "pages"),
    "serve": (0, ""),
    "mcp": (0, "Daybreak"),
    "status": (None, DAY),
    "doctor": (0, "ok   "),
    "docs": (0, "upgrades"),
    "completion": (0, "daybreak"),
    "grade": (0, '"importance"'),
}
"""How the first call of a command ends, and words of what it says; None: done or with something to look at, by what a service
had made of the days before when it was ended.
"""
WORKERS = {
    "range": ("multiprocessing.forkserver", "multiprocessing.resource_tracker"),
    "impact": ("multiprocessing.forkserver", "multiprocessing.resource_tracker"),
    "run": ("multiprocessing.spawn",),
    "serve": ("-m daybreak run", "multiprocessing.spawn"),
}
"""Commands that must be seen to start Pythons of this kind, or the test would show nothing."""


@dataclass
class Folder:
    """Where the user stands, and what happened there."""

    path: Path
    run: Path
    """Traps that were run, one a line."""
    started: Path
    program: tuple[str, ...]
    head: str

    def call(self, *arguments: str, program: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        """Run the program here, as a user with the usual mistakes in PATH: an empty place and a dot."""
        if arguments[0] in WORKERS:  # they must have something to read
            shutil.rmtree(self.path / ".daybreak" / "cache", ignore_errors=True)
        said = "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in MCP) if "mcp" in arguments else self.head
        with subprocess.Popen(
            [*(program or self.program), *arguments],
            cwd=self.path,
            env={
                **os.environ,
                "PATH": f":.:{os.environ['PATH']}",
                "PYTHONPATH": str(self.started.parent),
                "DAYBREAK_NOW": LATER,
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        ) as process:
            if "serve" in arguments:
                assert process.stderr is not None
                heard = next((line for line in process.stderr if "reported, whole" in line), "nothing was reported")
                assert "2026-01-20" in heard
                process.send_signal(signal.SIGTERM)
            out, err = process.communicate(said)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def sprung(self) -> list[str]:
        return self.run.read_text(encoding="utf-8").split() if self.run.exists() else []

    def children(self) -> list[tuple[bool, str]]:
        """Pythons that the program started: whether the folder is off the way of their imports, and their command."""
        lines = self.started.read_text(encoding="utf-8").splitlines()
        starts: list[tuple[bool, list[str]]] = [ast.literal_eval(line) for line in lines]
        return [
            (safe, " ".join(words)) for safe, words in starts if words[1 : len(self.program)] != [*self.program[1:]]
        ]


def _traps(folder: Path, run: Path, besides: frozenset[str] = frozenset()) -> None:
    """One for each module that there is, and one for each program."""
    modules = {*sys.stdlib_module_names, *packages_distributions(), "daybreak", "sitecustomize", "usercustomize"}
    for name in modules - besides:
        if name.isidentifier():
            text = f"with open({str(run)!r}, 'a') as run:\n    run.write({name + '.py'!r} + '\\n')\n"
            (folder / f"{name}.py").write_text(text, "utf-8")
    for name in PROGRAMS:
        (folder / name).write_text(f"#!/bin/sh\necho {name} >> '{run}'\n", "utf-8")
        (folder / name).chmod(0o755)


def _repository(folder: Path, run: Path) -> None:
    """The folder is a clone, with settings and hooks of somebody else."""

    def git(*arguments: str) -> None:
        subprocess.run(["git", "-C", str(folder), *arguments], check=True)

    git("init", "--quiet", "--template=", "--initial-branch=main")
    git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "-m", "First")
    git("update-ref", "refs/remotes/origin/main", "main")
    for name in SETTINGS:
        git("config", name, f"sh -c 'echo {name} >> {run}' #")
    git("config", "credential.helper", f"!echo credential.helper >> {run}; #")
    hooks = folder / ".git" / "hooks"
    hooks.mkdir()
    for name in ("reference-transaction", "post-checkout", "pre-auto-gc", "post-index-change"):
        (hooks / name).write_text(f"#!/bin/sh\necho hook:{name} >> '{run}'\n", "utf-8")
        (hooks / name).chmod(0o755)


def _upstream(path: Path) -> GitRepo:
    """Enough commits to be worth several processes."""
    upstream = GitRepo.make(path)
    for number in range(70):
        text = f'p.add_argument("--size", default={number})\n'
        kv = 'p.add_argument("--kv")\n' if number < 66 else ""
        day = "2026-01-18" if number < 65 else DAY if number < 68 else "2026-01-20"
        at = f"{day}T10:{number % 60:02}:{number // 60:02}"
        sha = upstream.commit(f"Step (#{number})", {"engine/server_args.py": text + kv}, at=at)
        if number in (0, 69):
            upstream.tag("v2" if number else "v1", sha)
    return upstream


def _folder(
    root: Path, upstream: GitRepo, besides: frozenset[str] = frozenset(), program: tuple[str, ...] = ()
) -> Folder:
    folder, log = root / "checkout", root / "log"
    for one in (folder / "svc", folder / "svc2", log):
        one.mkdir(parents=True)
    run = log / "run"
    _traps(folder, run, besides)
    _repository(folder, run)
    config = CONFIG.format(upstream=f"file://{upstream.path}")
    (folder / "daybreak.toml").write_text(config, "utf-8")
    (folder / "told.toml").write_text(f'{config}[notify]\nurls = ["json://127.0.0.1:1/"]\n', "utf-8")
    (folder / "svc" / "run.sh").write_text("python -m engine.launch --kv 3\n", "utf-8")
    (folder / "svc2" / "run.py").write_text("import engine\n", "utf-8")
    (log / "sitecustomize.py").write_text(STARTS.format(log=str(log / "started")), "utf-8")
    script = log / "daybreak"
    script.write_text(SCRIPT, "utf-8")
    return Folder(folder, run, log / "started", program or (sys.executable, str(script)), f"{upstream.oid('main')}\n")


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> GitRepo:
    return _upstream(tmp_path_factory.mktemp("upstream") / "engine.git")


@pytest.fixture(scope="module")
def reported(upstream: GitRepo, tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A folder of traps in which a day was reported, by somebody who stood elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("GIT_", "DAYBREAK_", "XDG_"))]:
            patch.delenv(name)
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        made = _folder(tmp_path_factory.mktemp("foreign"), upstream)
        command = [*made.program, "run", "--date", DAY, "--config", str(made.path / "daybreak.toml")]
        subprocess.run(command, cwd=made.started.parent, check=True)
    return made


@pytest.fixture
def folder(reported: Folder) -> Folder:
    for path in (reported.run, reported.started):
        path.unlink(missing_ok=True)
    return reported


def test_every_command_is_called() -> None:
    assert CALLS.keys() == SAYS.keys() == COMMANDS.keys()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_works_and_nothing_of_the_folder_one_stands_in_is_run(folder: Folder, command: str) -> None:
    answers = []
    for arguments in CALLS[command]:
        answers.append(folder.call(*arguments))
        assert folder.sprung() == [], arguments
        assert answers[-1].returncode in (0, 3), (arguments, answers[-1].stderr)
        assert "Traceback" not in answers[-1].stderr
    code, words = SAYS[command]
    assert code is None or answers[0].returncode == code
    assert words in answers[0].stdout + answers[0].stderr
    children = folder.children()
    assert [words for safe, words in children if not safe] == []
    assert all(any(kind in words for _, words in children) for kind in WORKERS.get(command, ()))


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_the_program_tells_what_it_is(folder: Folder, option: str) -> None:
    answer = folder.call(option)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout.startswith(("usage: daybreak ", "daybreak "))


def test_nor_when_python_is_told_not_to_look_at_the_environment(folder: Folder) -> None:
    """As installers of some systems have it: `#!/usr/bin/python3 -Es`."""
    answer = folder.call(*CALLS["range"][0], program=(folder.program[0], "-Es", *folder.program[1:]))
    assert answer.returncode in (0, 3), answer.stderr
    assert folder.sprung() == []


def test_as_a_module_nothing_is_run_that_python_does_not_load_before_us(upstream: GitRepo, tmp_path: Path) -> None:
    """`python -m` itself looks into the folder first; from our first line on nobody does."""
    asked = [sys.executable, "-P", "-c", "import runpy, sys; print(*{name.split('.')[0] for name in sys.modules})"]
    before = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()
    folder = _folder(tmp_path, upstream, frozenset({*before, "daybreak"}), (sys.executable, "-m", "daybreak"))
    for command in ("range", "run"):
        answer = folder.call(*CALLS[command][0])
        assert answer.returncode in (0, 3), answer.stderr
        assert folder.sprung() == []
        assert [words for safe, words in folder.children() if not safe] == []
