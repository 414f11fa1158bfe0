"""Every command once as a process of its own: it starts, does its work, says what it did and ends with its code."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest

from cli.place import DAY, Place
from daybreak.cli.parser import COMMANDS
from gitrepo import GitRepo
from program import ended

FILE = "pkg/server_args.py"
NOTIFY = '[notify]\nurls = ["json://127.0.0.1:1"]\n'


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A reported day between two releases; the tests work on copies."""
    base = tmp_path_factory.mktemp("smoke")
    (base / "work" / "svc").mkdir(parents=True)
    upstream = GitRepo.make(base / "upstream.git")
    both = 'parser.add_argument("--size")\nparser.add_argument("--kv")\n'
    upstream.tag("v1.0.0", upstream.commit("First (#1)", {FILE: both}, at="2026-01-18T10:00:00"))
    less = 'parser.add_argument("--size")\n'
    upstream.tag("v1.1.0", upstream.commit("Drop a flag (#2)", {FILE: less}, at=f"{DAY}T10:00:00"))
    place = Place(base / "work", upstream)
    place.config(NOTIFY)
    (place.folder / "daybreak.toml").rename(place.folder / "notify.toml")
    place.config()
    (place.folder / "svc" / "run.sh").write_text("python -m engine.launch --kv 3\n", encoding="utf-8")
    (place.folder / "commits").write_text("unknown\n" + upstream.text("rev-parse", "main") + "\n", encoding="utf-8")
    assert place.run("run", "--date", DAY, "--quiet").returncode == 0
    return place


@pytest.fixture
def own(reported: Place, tmp_path: Path) -> Place:
    return Place(Path(shutil.copytree(reported.folder, tmp_path / "work")), reported.upstream)


RANGE = "v1.0.0..v1.1.0"
CALLS: dict[str, tuple[tuple[str, ...], int, str]] = {
    "init": (("new",), 0, "daybreak.toml"),
    "run": (("--date", DAY, "--force"), 0, DAY),
    "demo": (("--out", "demo"), 0, "demo"),
    "verify": (("--offline", f"reports/{DAY}.md"), 0, "claim"),
    "range": (("acme/engine", RANGE, "--lang", "en", "--no-publish"), 0, "--kv"),
    "impact": (("svc", "--range", "acme/engine", RANGE, "--lang", "en"), 3, "--kv"),
    "ack": (("cli_flag_removed:--kv", "--reason", "we go in May"), 0, "--kv"),
    "search": (("flag",), 0, "Drop a flag"),
    "show": ((DAY,), 0, "Drop a flag"),
    "notify": (("--dry-run", "--date", DAY, "--config", "notify.toml"), 0, "Drop a flag"),
    "site": ((), 0, "site"),
    "serve": (("--port", "0"), 0, "serving on http://127.0.0.1:"),
    "mcp": ((), 0, ""),
    "status": ((), 0, DAY),
    "doctor": (("--offline",), 0, "ok   "),
    "grade": (("acme/engine", "--commits", "commits"), 3, '"breaking":true'),
}
"""Arguments, exit code, and words of what it says."""


def test_every_command_is_started_once() -> None:
    assert CALLS.keys() == COMMANDS.keys()


@pytest.mark.parametrize("command", CALLS)
def test_a_command_works_as_a_process_of_its_own(own: Place, command: str) -> None:
    arguments, code, words = CALLS[command]
    process = own.start(command, *arguments, DAYBREAK_NOW="2026-01-20T08:00:00+00:00")
    said = ""
    if command == "serve":  # it ends when it is told to
        assert process.stderr is not None
        while words not in said and (line := process.stderr.readline()):
            said += line
        process.send_signal(signal.SIGTERM)
    answer = ended(process)
    said += answer.stdout + answer.stderr
    assert answer.returncode == code, said
    assert words in said
    assert "Traceback" not in said


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_the_program_tells_what_it_is(own: Place, option: str) -> None:
    answer = ended(own.start(option))
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout.startswith(("usage: daybreak ", "daybreak "))
