"""Lanes of the suite: which tests are quick, what may be skipped, and signals as a terminal gives them."""

from __future__ import annotations

import os
import re
import signal
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

HANDY = {"monkeypatch", "capsys", "caplog", "recwarn", "subtests"}
"""Fixtures that cost nothing."""
LONG_FOLDERS = {
    "cli", "collect", "contracts", "demo", "faults", "kills", "llm", "mcp_server", "notify", "pages", "publish", "scripts",
    "search", "store", "web",
}  # fmt: skip
"""Of servers, stores, browsers and processes: the fast lane does not even look into them."""
LONG_WORDS = (
    "hostile", "linear", "misspelt", "percent", "corpus", "time_grows", "makes_it_raise", "_laws", "long_", "_load",
    "injection", "_imports", "_docs",
)  # fmt: skip
"""In names of tests that take sizes or corpora, and not rows."""
MEMORY, ROOM = Path("/dev/shm"), 4 << 30
HERE = "this machine: "
"""Begins the reason of a skip that is no fault of the setup: rights and programs that `make` cannot give."""


def take_interrupts() -> None:
    """Ctrl-C is heard, also when a shell started us in the background and had it ignored: our children inherit that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def live_in_memory() -> None:
    """Tests make thousands of stores and repositories, and a disk would have each of them written to its end.

    Where memory cannot be had, or somebody chose a place, everything is as it was.
    """
    if "TMPDIR" in os.environ or not MEMORY.is_dir():
        return
    space = os.statvfs(MEMORY)
    if space.f_flag & os.ST_NOEXEC or space.f_bavail * space.f_frsize < ROOM or _free_memory() < ROOM:
        return
    folder = MEMORY / f"daybreak-tests-{os.getuid()}"
    with suppress(OSError):
        folder.mkdir(mode=0o755, exist_ok=True)  # tests let other users in
        if folder.is_symlink() or folder.stat().st_uid != os.getuid():
            return
        os.environ["TMPDIR"] = str(folder)
        tempfile.tempdir = None


def _free_memory() -> int:
    told = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(encoding="ascii"))
    return int(told[1]) << 10 if told else 0


# --- the fast lane ---------------------------------------------------------------------------------------------------


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The fast lane reads no file in which it has nothing to run."""
    quick = config.getoption("markexpr") == "quick" and collection_path.is_dir()
    return True if quick and collection_path.name in LONG_FOLDERS else None


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """A test that asks for nothing but the rows of its table is quick; so is what a file marks itself."""
    for item in items:
        if isinstance(item, pytest.Function) and _quick(item):
            item.add_marker(pytest.mark.quick)


def _quick(item: pytest.Function) -> bool:
    if item.get_closest_marker("soak") or hasattr(item.obj, "hypothesis"):
        return False
    if any(word in item.nodeid.partition("[")[0] for word in LONG_WORDS):
        return False
    rows = item.callspec.params.keys() if hasattr(item, "callspec") else set()
    return set(item._fixtureinfo.argnames) <= rows | HANDY


# --- skips -----------------------------------------------------------------------------------------------------------


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """In CI, where everything was set up for it, a skip that nothing excuses is told as what it is."""
    for test, reason in _unexcused(terminalreporter):
        terminalreporter.write_line(f"SKIPPED IN CI, AND NOTHING EXCUSES IT: {test}: {reason}", red=True)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """And fails the run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and session.exitstatus == pytest.ExitCode.OK and any(_unexcused(reporter)):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _unexcused(reporter: pytest.TerminalReporter) -> list[tuple[str, str]]:
    if os.environ.get("CI", "").lower() not in ("1", "true"):
        return []
    return [
        (report.nodeid, reason)
        for report in reporter.stats.get("skipped", [])
        if not (reason := _reason(report)).startswith(HERE) and "shared" not in report.keywords
    ]


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    told = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return told.removeprefix("Skipped: ")
