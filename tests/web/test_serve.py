"""`daybreak serve` as a user starts it: real runs of a real repository, real signals, errors from the start."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from cli.place import Place, one_sentence_and_a_tip
from gitrepo import GitRepo
from web.exposition import samples

NOW = "2026-01-20T12:00:00+01:00"
DAYS = ("2026-01-17", "2026-01-18", "2026-01-19")
SCHEDULE = '[schedule]\nat = "08:00"\ncatch_up = 2\n'
YESTERDAY = "[schedule]\ncatch_up = 0\n"
TOP = 'timezone = "Europe/Berlin"'


@pytest.fixture
def place(tmp_path: Path) -> Place:
    folder = tmp_path / "work"
    folder.mkdir()
    upstream = GitRepo.make(tmp_path / "upstream.git")
    for number, day in enumerate(DAYS, 1):
        upstream.commit(f"Change {number} (#{number})", {"a.py": f"x = {number}\n"}, at=f"{day}T10:00:00")
    made = Place(folder, upstream)
    made.config(SCHEDULE, TOP)
    return made


@dataclass
class Service:
    """A service that was started, heard line by line."""

    process: subprocess.Popen[str]
    lines: list[dict[str, Any]]

    def until(self, words: str) -> dict[str, Any]:
        """The next line that holds these words; every line is JSON."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(json.loads(line))
            if words in self.lines[-1]["message"]:
                return self.lines[-1]
        raise AssertionError(f"it ended without saying {words!r}: {self.lines}")

    def end(self, number: int = signal.SIGTERM) -> int:
        assert self.process.stderr is not None
        self.process.send_signal(number)
        self.lines += [json.loads(line) for line in self.process.stderr]
        return self.process.wait(60)


@contextmanager
def service(place: Place, *arguments: str, **env: str) -> Iterator[Service]:
    options = ("serve", "--port", "0", "--log-format", "json", *arguments)
    process = place.start(*options, **{"DAYBREAK_NOW": NOW, **env})
    try:
        yield Service(process, [])
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def test_days_that_were_missed_are_caught_up_and_told_of(place: Place, tmp_path: Path) -> None:
    with service(place, "--schedule", GITHUB_TOKEN="hush") as started:
        address = started.until("serving on")["address"]
        started.until("2026-01-19: reported, whole")
        health, metrics = httpx.get(f"{address}healthz", verify=False), httpx.get(f"{address}metrics", verify=False)
        code = started.end()
    assert address.startswith("http://127.0.0.1:")
    assert code == 0
    begun = [line["day"] for line in started.lines if line["message"].endswith("the run begins")]
    assert begun == list(DAYS)
    assert all("time" in line for line in started.lines if line["level"] != "error")
    assert started.lines[-1]["message"] == "stopped"
    assert health.status_code == 200, health.text
    found = samples(metrics.text)
    assert found["daybreak_lag_seconds"] == 12 * 3600
    assert found["daybreak_reports_stored"] == 3
    assert found["daybreak_last_run_outcome{outcome=done}"] == 1
    assert "hush" not in health.text + metrics.text + json.dumps(started.lines)

    other = Place(tmp_path / "other", place.upstream)
    other.folder.mkdir()
    other.config(SCHEDULE, TOP)
    assert other.run("run", "--since", DAYS[0], "--until", "2026-01-20").returncode == 0
    assert place.written() == other.written()


def test_what_is_reported_is_left_alone_and_what_was_skipped_is_tried(place: Place) -> None:
    assert place.run("run", "--date", DAYS[0]).returncode == 0
    hidden = place.upstream.path.rename(place.upstream.path.with_name("hidden.git"))
    assert place.run("run", "--date", DAYS[1], "--offline").returncode == 3
    hidden.rename(place.upstream.path)
    with service(place, "--schedule") as started:
        started.until("2026-01-19: reported, whole")
        assert started.end() == 0
    begun = [line["day"] for line in started.lines if line["message"].endswith("the run begins")]
    assert begun == [DAYS[1], DAYS[2]]
    assert place.report(DAYS[1])["coverage"]["skipped"] == []


def test_a_signal_stops_the_run_as_well_and_the_next_service_goes_on(place: Place, tmp_path: Path) -> None:
    place.config(YESTERDAY, TOP)
    tools, heard = tmp_path / "tools", tmp_path / "heard"
    tools.mkdir()
    os.mkfifo(heard)
    slow = tools / "git"
    slow.write_text(f'#!/bin/sh\ncase "$*" in *clone*|*fetch*|*log*) echo $$ > {heard}; exec sleep 1000;; esac\n'
                    f'PATH="${{PATH#*:}}" exec git "$@"\n')  # fmt: skip
    slow.chmod(slow.stat().st_mode | stat.S_IXUSR)
    with service(place, "--schedule", PATH=f"{tools}:{os.environ['PATH']}") as started:
        started.until("the run begins")
        git = int(heard.read_text().split()[0])
        assert started.end() == 0
    assert not Path(f"/proc/{git}").exists() or "Z" in Path(f"/proc/{git}/stat").read_text().split()[2]
    assert not any(path.name.endswith(".json") for path in place.folder.glob("reports/*"))
    with service(place, "--schedule") as again:
        again.until("2026-01-19: reported, whole")
        assert again.end(signal.SIGINT) == 0
    assert place.report(DAYS[2])["coverage"]["skipped"] == []


def test_a_failing_run_is_told_and_does_not_take_the_service_along(place: Place) -> None:
    place.config(YESTERDAY, TOP)
    (place.folder / "README.md").write_text("my own\n", encoding="utf-8")
    with service(place, "--schedule") as started:
        address = started.until("serving on")["address"]
        started.until("2026-01-19: the run failed (exit code 1)")
        health = httpx.get(f"{address}healthz", verify=False)
        assert started.end() == 0
    assert health.status_code == 503
    words = "The run for 2026-01-19 failed (tries: 1, last with exit code 1); the log says why."
    assert health.json()["reasons"] == [words]
    assert [line for line in started.lines if "README.md" in line["message"] and line["level"] == "error"]


def test_without_a_schedule_nothing_is_run(place: Place) -> None:
    with service(place) as started:
        address = started.until("serving on")["address"]
        assert httpx.get(f"{address}healthz", verify=False).json()["schedule"] is None
        assert started.end(signal.SIGINT) == 0
    assert not (place.folder / "reports").exists()


def test_an_open_connection_does_not_keep_the_service_from_stopping(place: Place) -> None:
    with service(place) as started:
        port = int(started.until("serving on")["address"].rpartition(":")[2].strip("/"))
        with socket.create_connection(("127.0.0.1", port)) as idle:
            idle.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n")
            assert started.end() == 0


# --- what is wrong from the start ------------------------------------------------------------------------------------


def test_a_port_that_is_taken(place: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        answer = place.run("serve", "--port", str(taken.getsockname()[1]))
    assert answer.returncode == 1
    assert "is taken" in one_sentence_and_a_tip(answer)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--port", "70000"), 2, "70000 is no port"),
        (("--port", "x"), 2, "invalid int value"),
        (("--host", "no such host"), 2, "is no address of a machine"),
        (("--host", "203.0.113.7", "--port", "0"), 2, "is no address of this machine"),
        (("--config", "none.toml"), 2, "There is no none.toml"),
    ],
)
def test_a_wrong_option(place: Place, arguments: tuple[str, ...], code: int, words: str) -> None:
    answer = place.run("serve", *arguments)
    assert answer.returncode == code
    assert words in one_sentence_and_a_tip(answer)


def test_a_store_that_cannot_be_reached(place: Place) -> None:
    pytest.importorskip("psycopg")
    answer = place.run("serve", "--port", "0", DAYBREAK_STORE="postgresql+psycopg://ann:hush@127.0.0.1:1/reports")
    assert answer.returncode == 1
    assert "cannot be reached" in one_sentence_and_a_tip(answer)
    assert "hush" not in answer.stderr


def test_a_schedule_without_a_watchlist(place: Place) -> None:
    (place.folder / "daybreak.toml").write_text(TOP)
    answer = place.run("serve", "--schedule", "--port", "0")
    assert answer.returncode == 2
    assert "watchlist is empty" in one_sentence_and_a_tip(answer)


# --- others ----------------------------------------------------------------------------------------------------------

TOKEN = "0123456789abcdef-secret"


def test_an_address_that_others_reach_needs_a_token(place: Place) -> None:
    answer = place.run("serve", "--host", "0.0.0.0", "--port", "0")
    assert answer.returncode == 2
    assert "DAYBREAK_TOKEN must be set" in one_sentence_and_a_tip(answer)


def test_with_a_token_others_are_served_and_no_line_of_the_log_holds_what_they_sent(place: Place) -> None:
    with service(place, "--host", "0.0.0.0", "--verbose", DAYBREAK_TOKEN=TOKEN) as started:
        port = started.until("serving on")["address"].rpartition(":")[2].strip("/")
        assert started.until("others can reach this address")["level"] == "warning"
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", verify=False) as client:
            assert client.get("/healthz").json() == {"status": "ok"}
            assert client.get("/api/v1/days?limit=sesame").status_code == 401
            known = {"Authorization": f"Bearer {TOKEN}"}
            assert client.get("/api/v1/days", headers=known).json()["total"] == 0
            assert client.get("/api/v1/search?q=sesame", headers=known).status_code == 200
            assert client.get("/", headers=known).status_code == 200
            assert client.post("/login", data={"token": TOKEN, "next": "/en/?sesame"}).status_code == 303
            assert client.get("/metrics").status_code == 200
            session = client.cookies["daybreak_session"]
        assert started.end() == 0
    said = json.dumps(started.lines)
    assert not any(secret in said for secret in (TOKEN, "sesame", session))
