"""Peers of every kind that hang, drip or never end at any step of their protocol: the day is there in time, and says what is missing."""

from __future__ import annotations

import gc
import socket
import threading
import warnings
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import program
from daybreak.collect.github import client as github_client
from daybreak.collect.github import source as github_source
from daybreak.core.http import Http, Patience
from daybreak.deliver.notify import by_apprise, delivery, senders
from faults.hanging import MANNERS, Talk, dripping, endless, server, silent
from gitrepo import GitRepo
from notify.scene import QuickSenders

DAY = "2026-01-19"
WAIT = 0.4
SHORT = Patience(connect=WAIT, read=WAIT, whole=2 * WAIT)
MOST = 12
"""Connections of one run to a peer that hangs: so many times its patience is the deadline of the day."""
HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
AT = {
    "before its first word": silent,
    "in its head": dripping(HTTP + b"X: "),
    "in its body": dripping(HTTP + b"Content-Length: 100000\r\n\r\n{", b" "),
    "in a head without end": endless(HTTP + b"X: ", b"x" * 65536),
    "in a body without end": endless(HTTP + b"\r\n{"),
}
LATE = ("in its body", "in a body without end")
"""By then a webhook has taken the message."""

STEPS = ("banner", "EHLO", "AUTH", "MAIL", "RCPT", "DATA", "end of data", "QUIT")


class Counted:
    """A talk, and how often it was begun."""

    def __init__(self, talk: Talk) -> None:
        self._talk, self.begun = talk, 0

    def __call__(self, peer: socket.socket, over: threading.Event) -> None:
        self.begun += 1
        self._talk(peer, over)


def mail_server(step: str, manner: str) -> Talk:
    """Speaks SMTP up to a step; from there on it says nothing, a byte at a time, or lines of one answer without end."""
    number = STEPS.index(step)
    answers = (b"220 here\r\n", b"250-here\r\n250 AUTH PLAIN\r\n", b"235 in\r\n", b"250 ok\r\n", b"250 ok\r\n",
               b"354 go on\r\n", b"250 taken\r\n", b"221 bye\r\n")  # fmt: skip

    def talk(peer: socket.socket, over: threading.Event) -> None:
        with suppress(OSError):
            for place in range(number):
                peer.sendall(answers[place])
                end = b"\r\n.\r\n" if place == STEPS.index("DATA") else b"\r\n"
                heard = b""
                while not heard.endswith(end):
                    piece = peer.recv(65536)
                    if not piece:
                        return
                    heard += piece
            while manner == "endless" and not over.is_set():
                peer.sendall(b"250-here\r\n" * 1000)
            while not over.wait(0.05):
                if manner == "dripping":
                    peer.sendall(b"2")

    return talk


class QuickMail(QuickSenders):
    """Every sender with the patience of these tests."""

    wait = WAIT

    def __init__(self, now: object) -> None:
        super().__init__(now, self.wait)  # type: ignore[arg-type]

    def _make(self, name: str) -> Any:
        return senders.Robots(self._now, Http(SHORT)) if name == "robots" else super()._make(name)


@pytest.fixture(autouse=True)
def left_alone() -> Iterator[None]:
    """Talks that nobody waits for any more end with their server; what they leave open must not be another test's fault."""
    before = set(threading.enumerate())
    yield
    for thread in set(threading.enumerate()) - before:
        thread.join(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(Http.__init__, "__defaults__", (SHORT, *(Http.__init__.__defaults__ or ())[1:]))
    monkeypatch.setattr(by_apprise, "LONGEST", WAIT)
    monkeypatch.setattr(delivery, "Senders", QuickMail)
    clock, times = github_client.Clock, delivery.Time
    monkeypatch.setattr(delivery, "Time", lambda: times(lambda: datetime(2026, 1, 20, 6, tzinfo=UTC)))
    monkeypatch.setattr(github_source, "Clock", lambda now, _, chance: clock(now, lambda _seconds: None, chance))
    good = GitRepo.make(tmp_path / "good.git")
    good.commit("Begin", {"pkg/a.py": "def step(request):\n    return 1\n"}, at="2026-01-18T10:00:00")
    good.commit("Add a thing (#3)", {"pkg/a.py": "def other(request):\n    return 2\n"}, at=f"{DAY}T10:00:00")
    folder = tmp_path / "place"
    folder.mkdir()
    return folder


def reported(place: Path, more: str, **env: str) -> tuple[int, str]:
    """The end of a run and what it said; the day is there, with all that git has of it."""
    row = f'timezone = "UTC"\nlanguages = ["en"]\n[[repo]]\nname = "org/good"\ngit = "{place.parent}/good.git"\n'
    (place / "daybreak.toml").write_text(f"{row}{more}", encoding="utf-8")
    answer = program.run("run", "--date", DAY, cwd=place, env={"DAYBREAK_NOW": "2026-01-20T06:00:00+00:00", **env})
    assert "Add a thing" in (place / "reports" / f"{DAY}.md").read_text(encoding="utf-8")
    return answer.returncode, answer.stderr


@pytest.mark.parametrize("at", AT)
@pytest.mark.parametrize("token", ["", "ghp_" + "Zt9" * 12], ids=["REST", "GraphQL"])
def test_a_github_that_hangs_is_named_and_not_waited_for_again_and_again(place: Path, at: str, token: str) -> None:
    talk = Counted(AT[at])
    with server(talk) as port:
        more = f'[github]\napi = "http://127.0.0.1:{port}"\nask = true\n'
        code, said = reported(place, more, **({"GITHUB_TOKEN": token} if token else {}))
    assert (code, "skipped: org/good" in said) == (3, True), said
    assert 0 < talk.begun <= (3 * MOST if "without end" in at else MOST), "an end that is our limit comes soon"


@pytest.mark.parametrize("at", AT)
def test_a_model_that_hangs_leaves_the_report_to_the_rules_which_say_so(place: Path, at: str) -> None:
    pytest.importorskip("openai")
    talk = Counted(AT[at])
    with server(talk) as port:
        more = f'[analyst]\nkind = "llm"\ngrade = "low"\nmodel = "fake"\ntimeout = {WAIT}\n'
        reported(place, f'{more}base_url = "http://127.0.0.1:{port}/v1"\n')
    page = (place / "reports" / f"{DAY}.md").read_text(encoding="utf-8")
    assert "told by rules, since there was no usable answer" in page
    assert 0 < talk.begun <= MOST


@pytest.mark.parametrize("at", AT)
@pytest.mark.parametrize("kind", ["json://{}/", "feishu+http://{}/open-apis/bot/v2/hook/tok3nThatNobodyMaySee"])
def test_a_webhook_that_hangs_is_told_and_the_day_is_there(place: Path, at: str, kind: str) -> None:
    talk = Counted(AT[at])
    with server(talk) as port:
        url = kind.format(f"127.0.0.1:{port}")
        code, said = reported(
            place, f'[notify]\npatience = 1\ntries = 2\n[[notify.target]]\nurl = "{url}"\nquiet = false\n'
        )
    assert at in LATE or (code, "notify: " in said) == (3, True), said
    assert 0 < talk.begun <= MOST


@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize("step", STEPS)
def test_a_mail_server_that_hangs_at_a_step_is_left_in_time(
    place: Path, monkeypatch: pytest.MonkeyPatch, step: str, manner: str
) -> None:
    if step == "QUIT":  # all before it is answered, however busy the machine is
        monkeypatch.setattr(QuickMail, "wait", 5.0)
    talk = Counted(mail_server(step, manner))
    with server(talk) as port:
        url = f"mailto://bot:hush@127.0.0.1:{port}/?to=ada@example.org&from=bot@example.org"
        code, said = reported(
            place, f'[notify]\npatience = 1\ntries = 2\n[[notify.target]]\nurl = "{url}"\nquiet = false\n'
        )
    assert code == (0 if step == "QUIT" else 3), said
    assert "hush" not in said
    assert 0 < talk.begun <= MOST
