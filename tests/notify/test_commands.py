"""`daybreak notify` as a user meets it, and what `status` tells of messages that did not get through."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from daybreak.cli import main
from daybreak.core.model.day import RepoDay
from daybreak.store import open_store
from notify import days
from notify.scene import keep
from notify.services import TOKEN, Fault

Serve = Callable[[str], Any]


class Desk:
    """A folder with a config and a stored day."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys
        with closing(open_store("sqlite:///.daybreak/daybreak.db", folder)) as store:
            keep(store, days.day(days.breaking(2, "\x1b[2J--old"), label="2026-03-05"))
            keep(store, days.day(days.breaking(), label="2026-03-06"))

    def config(self, text: str) -> None:
        (self.folder / "daybreak.toml").write_text(text, encoding="utf-8")

    def ask(self, *arguments: str) -> tuple[int, str, str]:
        self._capsys.readouterr()
        code = main([*arguments, "--config", str(self.folder / "daybreak.toml")])
        return code, *self._capsys.readouterr()


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("HOOK_TOKEN", TOKEN)
    monkeypatch.setenv("DAYBREAK_NOW", "2026-03-07T08:00:00+08:00")
    return Desk(tmp_path, capsys)


def targets(*urls: str) -> str:
    listed = ", ".join(f'"{url.replace(TOKEN, "${HOOK_TOKEN}")}"' for url in urls)
    return f"[notify]\nurls = [{listed}]\npatience = 0\n"


def test_a_missing_extra_is_a_matter_of_the_installation_as_everywhere(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.config(targets("json://127.0.0.1:9/"))
    monkeypatch.setitem(sys.modules, "apprise", None)
    code, out, _ = desk.ask("notify", "--test")
    assert (code, "[notify]" in out) == (2, True)


def test_a_test_message_tells_of_each_target_how_it_went(desk: Desk, serve: Serve) -> None:
    good, bad = serve("feishu"), serve("wecom")
    bad.faults.append(Fault("status", 200, (), b'{"errcode":93000,"errmsg":"invalid webhook url"}'))
    desk.config(targets(good.url, bad.url))
    code, out, err = desk.ask("notify", "--test")
    assert code == 3
    assert out.splitlines() == ["1  feishu: sent", "2  wecom: not sent (it knows no robot with this key (code 93000))"]
    assert desk.ask("notify", "--test", "--target", "1")[:2] == (0, "1  feishu: sent\n")
    assert "Daybreak 测试消息" in good.texts()[0]
    assert len(good.taken) == 2
    assert TOKEN not in out + err


def test_what_is_due_for_a_day_is_sent_once(desk: Desk, serve: Serve) -> None:
    service = serve("json")
    desk.config(targets(service.url))
    assert desk.ask("notify", "--date", "2026-03-06")[:2] == (0, "2026-03-06  webhook 127.0.0.1 · report: sent\n")
    code, out, _ = desk.ask("notify", "--date", "2026-03-06")
    assert code == 0
    assert re.fullmatch(r"2026-03-06  webhook 127.0.0.1 · report: sent before \(.{16}\), not repeated\n", out)
    assert len(service.taken) == 1


def test_a_dry_run_prints_the_messages_and_sends_nothing(desk: Desk, serve: Serve) -> None:
    service, card = serve("json"), serve("feishu")
    desk.config(targets(service.url, card.url))
    code, out, _ = desk.ask("notify", "--dry-run", "--date", "2026-03-05")
    assert code == 0
    assert out.startswith("1  webhook 127.0.0.1 · report · 2026-03-05\nDaybreak 日报 2026-03-05\n")
    assert '"template": "red"' in out
    assert "\x1b" not in out
    assert TOKEN not in out
    assert desk.ask("notify", "--dry-run")[1].startswith("1  webhook 127.0.0.1 · report · 2026-03-06\n")
    assert (service.requests, card.requests) == ([], [])
    assert desk.ask("notify", "--date", "2026-03-05", "--target", "2")[1] == "2026-03-05  feishu · report: sent\n"
    assert (len(service.taken), len(card.taken)) == (0, 1)


def test_a_message_counts_changes_as_the_page_does(desk: Desk, serve: Serve) -> None:
    """Late arrivals and what was filtered out have no grade among those of the day."""
    late, filtered = days.breaking(5), days.commit(6, filtered=True)
    repo = RepoDay("acme/engine", "https://example.org/acme/engine", commits=(days.commit(1), filtered), late=(late,))
    with closing(open_store("sqlite:///.daybreak/daybreak.db", desk.folder)) as store:
        keep(store, days.day(repos=(repo,), label="2026-03-06"))
    desk.config(targets(serve("json").url))
    _, out, _ = desk.ask("notify", "--dry-run", "--date", "2026-03-06")
    assert "2 个变更（高 1 · 中 0 · 低 0）" in out
    assert "迟到 1" in out


def test_a_dry_run_says_when_nobody_would_get_the_message(desk: Desk) -> None:
    desk.config("")
    code, out, err = desk.ask("notify", "--dry-run")
    assert (code, "Daybreak" in out) == (0, True)
    assert "the config has no target: this is what one would get." in err
    assert "Add one" in err
    desk.config(targets("feishu://${NO_SUCH_VARIABLE}"))
    code, _, err = desk.ask("notify", "--dry-run")
    assert code == 3
    assert "Target 1 would get nothing: the environment has no NO_SUCH_VARIABLE." in err
    assert "tip: " in err


def test_what_did_not_get_through_is_told_by_status_and_mended_by_asking(desk: Desk, serve: Serve) -> None:
    service = serve("slack")
    service.faults.append(Fault("status", 404))
    desk.config(targets(service.url))
    code, out, _ = desk.ask("notify", "--date", "2026-03-06")
    assert (code, out) == (3, "2026-03-06  slack · report: not sent: there is nothing at its address (status 404)\n")
    code, out, _ = desk.ask("status")
    assert code == 3
    assert "  2026-03-06 slack, report: given up: there is nothing at its address (status" in out
    data = json.loads(desk.ask("status", "--json")[1])
    assert data["messages"][0]["state"] == "failed"
    assert "messages-not-sent" in data["problems"]
    assert desk.ask("notify", "--date", "2026-03-06")[0] == 0
    assert "messages-not-sent" not in json.loads(desk.ask("status", "--json")[1])["problems"]
    assert len(service.taken) == 1


def test_what_may_have_arrived_is_sent_again_only_with_a_word(desk: Desk, serve: Serve) -> None:
    service = serve("wecom")
    service.faults.append(Fault("lost"))
    desk.config(targets(service.url))
    assert "not sure" in desk.ask("notify", "--date", "2026-03-06")[1]
    assert desk.ask("notify", "--date", "2026-03-06")[0] == 3
    assert len(service.taken) == 1
    assert desk.ask("notify", "--date", "2026-03-06", "--again")[0] == 0
    assert len(service.taken) == 2


@pytest.mark.parametrize(
    ("config", "arguments", "code", "words"),
    [
        ("", ("--test",), 2, "The config has no target"),
        ("ok", (), 2, "Nothing to send is named"),
        ("ok", ("--test", "--date", "2026-03-06"), 2, "More than one thing to send is named"),
        ("ok", ("--test", "--target", "0"), 2, "is no target"),
        ("ok", ("--test", "--target", "x"), 2, "The config has 1: use 1 to 1"),
        ("ok", ("--date", "2026-01-01"), 1, "There is no report of 2026-01-01 in the store"),
        ("ok", ("--dates", "2026-01-01"), 2, "--date"),
    ],
)
def test_a_mistake_is_one_sentence_with_a_tip(
    config: str, arguments: tuple[str, ...], code: int, words: str, desk: Desk
) -> None:
    desk.config(targets("json://127.0.0.1:9/") if config else "")
    found, out, err = desk.ask("notify", *arguments)
    assert (found, out) == (code, "")
    assert words in err


# --- killed ------------------------------------------------------------------------------------------------------------


def test_a_process_that_is_killed_while_it_sends_leaves_one_message(desk: Desk, serve: Serve) -> None:
    service = serve("feishu")
    service.faults.append(Fault("hang-lost"))
    desk.config(targets(service.url))
    command = [sys.executable, "-m", "daybreak", "notify", "--date", "2026-03-06"]
    process = subprocess.Popen([*command, "--config", str(desk.folder / "daybreak.toml")], stdout=subprocess.DEVNULL)
    assert service.arrived.wait(60)
    process.kill()
    process.wait()
    assert "report: not sure" in desk.ask("notify", "--date", "2026-03-06")[1]
    assert len(service.taken) == 1


# --- secrets -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["dingtalk", "slack", "telegram", "matrix", "json", "mail"])
def test_no_token_is_shown_logged_or_stored_whatever_happens(
    kind: str, desk: Desk, serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    service = serve(kind)
    desk.config(targets(service.url))
    said = ""
    with caplog.at_level(0):
        for fault in (Fault("status", 404), Fault("cut"), Fault("status", 503)):
            service.faults.append(fault)
            said += "".join(desk.ask("notify", "--test", "--verbose")[1:])
            service.faults.append(fault)
            said += "".join(desk.ask("notify", "--date", "2026-03-06", "--again", "--verbose")[1:])
            service.faults.clear()
        service.close()
        said += "".join(desk.ask("notify", "--test", "--verbose")[1:])
        said += desk.ask("status", "--json")[1]
    assert TOKEN not in said
    assert not [record.name for record in caplog.records if TOKEN in record.getMessage()]
    for path in (desk.folder / ".daybreak").rglob("*"):
        if path.is_file():
            assert TOKEN.encode() not in path.read_bytes(), path.name
