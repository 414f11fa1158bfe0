"""What a run does after the folder: each exit once, one that fails costs no other, and the next run makes up for it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import daybreak.deliver.notify
from cli.place import DAY, Place
from daybreak.cli import main
from daybreak.core.errors import EXIT_DONE, EXIT_FAILED, EXIT_LOOK, WriteError
from daybreak.deliver.notify.senders import Senders
from daybreak.deliver.notify.targets import SENT, Outcome
from daybreak.deliver.publish.github_issue import GithubPosts
from daybreak.runs.after_publish import Days, Exits
from daybreak.site.pages.site import Site
from daybreak.store import open_store
from exit_scene import Scene, Told, failing, receipt
from gitrepo import GitRepo
from publish.github_marks import found_in
from publish.posts_server import Posts

FILE = "pkg/server_args.py"
TOKEN = "ghp_" + "Zt9" * 12
BEFORE = "2026-01-18"


@pytest.fixture(scope="module")
def server() -> Iterator[Posts]:
    """One for all: its address is part of what a report depends on."""
    with Posts() as posts:
        yield posts


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory, server: Posts) -> Place:
    """Two reported days; the tests work on copies."""
    base = tmp_path_factory.mktemp("reported")
    (base / "work").mkdir()
    upstream = GitRepo.make(base / "upstream.git")
    upstream.commit("First (#1)", {FILE: 'parser.add_argument("--size", default=1)\n'}, at=f"{BEFORE}T10:00:00")
    upstream.commit("Fixes #7 @bob (#2)", {FILE: 'parser.add_argument("--size", default=2)\n'}, at=f"{DAY}T10:00:00")
    place = Place(base / "work", upstream)
    place.config(f'[github]\napi = "{server.url}"')
    config = str(place.folder / "daybreak.toml")
    assert main(["run", "--config", config, "--since", BEFORE, "--until", "2026-01-20", "--quiet"]) == EXIT_DONE
    return place


@pytest.fixture
def scene(
    reported: Place, server: Posts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Scene:
    shutil.copytree(reported.folder, tmp_path / "work")
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    monkeypatch.setattr("daybreak.deliver.publish.github_api.BETWEEN_ORDERS", 0.0)
    capsys.readouterr()
    server.reset()
    made = Scene(Place(tmp_path / "work", reported.upstream), server, GitRepo.make(tmp_path / "news.git"), capsys)
    made.config()
    return made


GIT = 'git = "../news.git"'
ISSUE = 'github_issue = "us/news"'
ALL = f"site = true\n{GIT}\n{ISSUE}"


def test_a_day_leaves_by_every_exit_in_order_and_a_second_run_has_nothing_to_do(scene: Scene) -> None:
    scene.config(ALL)
    assert scene.run("--date", DAY, "--force") == EXIT_DONE, scene.said
    assert (scene.place.folder / "site" / "index.html").is_file()
    assert scene.log() == [f"Daybreak reports of {BEFORE} to {DAY} (2 days)"]
    (issue,) = scene.posts.of("issue")
    assert issue.title == f"AI Infra 日报 · {DAY} · 默认值变更 · engine · --size 的默认值：1 → 2"
    assert "Fixes #7" not in issue.body
    assert "Fixes #\u20607" in issue.body
    assert found_in(issue.body.partition("\n")[2]) == []
    wanted = [("site", DAY, "done"), ("git", DAY, "done"), ("github-issue", DAY, "done")]
    assert scene.steps() == wanted
    asked = len(scene.posts.requests)
    assert scene.run() == EXIT_DONE
    assert "nothing new" in scene.said
    assert len(scene.posts.requests) == asked
    assert len(scene.log()) == 1
    assert scene.steps() == wanted


def test_nothing_of_it_is_imported_when_nothing_is_configured(scene: Scene) -> None:
    scene.place.config()
    code = (
        "import sys\nfrom daybreak.cli import main\n"
        f"main(['run', '--date', '{DAY}', '--quiet', '--force'])\n"
        "heavy = ('daybreak.site.pages', 'daybreak.site.search', 'daybreak.deliver.notify.', 'daybreak.report.archive', 'daybreak.deliver.publish.g', 'apprise')\n"
        "print([name for name in sys.modules if name.startswith(heavy)], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"
    assert scene.steps() == []


@pytest.mark.parametrize(
    ("publish", "broken"),
    [
        (f'git = "../nowhere.git"\n{ISSUE}', "git: "),
        (f"{GIT}\ngithub_issue = 'us/none'", "github issue: "),
    ],
)
def test_an_exit_that_fails_costs_no_other_and_is_made_up_for(scene: Scene, publish: str, broken: str) -> None:
    scene.config(publish)
    assert scene.run() == EXIT_LOOK
    (line,) = [n for n, line in enumerate(scene.said.splitlines()) if line.startswith(f"daybreak: {broken}")]
    assert scene.said.splitlines()[line + 1].startswith("  tip: ")
    assert "Traceback" not in scene.said
    name = broken.strip(": ").replace(" ", "-")
    assert {stage: outcome for stage, _, outcome in scene.steps()} == {
        **dict.fromkeys(("git", "github-issue"), "done"),
        name: "failed",
    }
    assert scene.run() == EXIT_LOOK, "nothing new, and still not out"
    scene.config(f"{GIT}\n{ISSUE}")
    assert scene.run() == EXIT_DONE, scene.said
    assert "nothing new" in scene.said
    assert len(scene.log()) == 1
    assert len(scene.posts.of("issue")) == 1


def test_what_a_day_owes_is_paid_by_the_run_of_another_day(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    scene.config(ISSUE)
    monkeypatch.delenv("GITHUB_TOKEN")
    assert scene.run("--date", BEFORE) == EXIT_LOOK
    assert "GITHUB_TOKEN is not set" in scene.said
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    assert scene.run() == EXIT_DONE
    assert [item.title.split(" · ")[1] for item in scene.posts.of("issue")] == [BEFORE, DAY]


def test_a_restart_between_creating_and_noting_doubles_nothing(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    scene.config(ISSUE)
    real = GithubPosts.put

    def killed(self: GithubPosts, *arguments: Any) -> Any:
        real(self, arguments[0], arguments[1], lambda _: None)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(GithubPosts, "put", killed)
        assert scene.run() == EXIT_FAILED
    assert len(scene.posts.of("issue")) == 1
    assert scene.run() == EXIT_DONE
    assert len(scene.posts.of("issue")) == 1


def test_a_report_that_is_made_again_changes_its_post(scene: Scene) -> None:
    scene.config(ISSUE)
    scene.run()
    (issue,) = scene.posts.of("issue")
    before = issue.body
    page = scene.place.folder / "reports" / f"{DAY}.md"
    page.write_text(page.read_text(encoding="utf-8") + "\nA note of later.\n", encoding="utf-8")
    assert scene.run() == EXIT_DONE, "the page is made again"
    assert issue.body == before
    issue.body = "Somebody wrote here"
    scene.place.config(f'[github]\napi = "{scene.posts.url}"\n[reader]\nignore = ["size"]\n[publish]\n{ISSUE}')
    assert scene.run() == EXIT_DONE, scene.said
    assert scene.posts.of("issue") == [issue]
    assert issue.body != before


def test_offline_and_without_publishing_nobody_is_asked(scene: Scene) -> None:
    scene.config(ALL)
    assert scene.run("--date", BEFORE, "--no-publish") == EXIT_DONE
    assert not (scene.place.folder / "site").exists()
    assert scene.run("--date", BEFORE, "--offline") == EXIT_DONE
    assert (scene.place.folder / "site" / "index.html").is_file()
    assert scene.posts.requests == []
    assert scene.news.text("for-each-ref") == ""
    scene.config(ISSUE)
    assert scene.run("--date", BEFORE) == EXIT_DONE
    assert len(scene.posts.of("issue")) == 1


def test_where_reports_go_does_not_make_a_day_new(scene: Scene) -> None:
    scene.config(GIT, '[notify]\nurls = []\non = ["failure"]')
    scene.run()
    assert "reported before, nothing new" in scene.said


def test_days_of_long_ago_leave_once_at_the_end(scene: Scene, told: Told) -> None:
    scene.config(f"{GIT}\n{ISSUE}", '[notify]\nurls = ["json://127.0.0.1:1"]')
    assert scene.run("--since", BEFORE, "--until", "2026-01-20", "--newest-first") == EXIT_DONE, scene.said
    assert scene.log() == [f"Daybreak reports of {BEFORE} to {DAY} (2 days)"]
    assert [item.title.split(" · ")[1] for item in scene.posts.of("issue")] == [BEFORE, DAY]
    assert told.calls == [("retry",), ("report", DAY)]


def test_a_bug_in_one_exit_is_said_and_costs_no_other(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("oh")

    monkeypatch.setattr(Site, "build", broken)
    scene.config(ALL)
    assert scene.run() == EXIT_LOOK
    assert "site: this is a bug in Daybreak: RuntimeError: oh" in scene.said
    assert len(scene.posts.of("issue")) == 1


def test_no_secret_is_said_or_stored(scene: Scene) -> None:
    scene.posts.fault("Create", status=401, body={"message": f"bad {TOKEN}"})
    scene.config(ISSUE)
    assert scene.run("--date", DAY, "--verbose") == EXIT_LOOK
    written = b"".join(path.read_bytes() for path in scene.place.folder.rglob("*") if path.is_file())
    assert TOKEN not in scene.said
    assert TOKEN.encode() not in written


# --- notifications ------------------------------------------------------------------------------------------------------


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    made = Told()
    monkeypatch.setattr(daybreak.deliver.notify, "notifier", lambda *_: made)
    return made


NOTIFY = '[notify]\nurls = ["json://127.0.0.1:1"]'


def test_whom_a_message_reached_is_said(scene: Scene, told: Told) -> None:
    scene.config("", NOTIFY)
    told.receipts = [receipt("sent")]
    assert scene.run() == EXIT_DONE
    assert "notify: told our chat" in scene.said


@pytest.mark.parametrize("state", ["planned", "failed", "unsure"])
def test_a_message_that_did_not_arrive_is_something_to_look_at(scene: Scene, told: Told, state: str) -> None:
    scene.config("", NOTIFY)
    told.receipts = [receipt(state, "it has a fault of its own")]
    assert scene.run() == EXIT_LOOK
    assert "notify: our chat: it has a fault of its own." in scene.said


def test_an_old_day_is_told_to_nobody_when_newer_ones_are_there(scene: Scene, told: Told) -> None:
    scene.config("", NOTIFY)
    assert scene.run("--date", BEFORE) == EXIT_DONE
    assert told.calls == [("retry",)]


def test_a_day_that_is_not_over_keeps_nobody_from_hearing_of_yesterday(
    scene: Scene, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.config("", NOTIFY)
    monkeypatch.setenv("DAYBREAK_NOW", "2026-01-20T12:00:00+08:00")
    assert scene.run("--date", "today") == EXIT_DONE
    told.calls.clear()
    assert scene.run("--date", DAY, "--force") == EXIT_DONE
    assert ("report", DAY) in told.calls


def ended_before_the_exits(scene: Scene, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    """A run that is stopped when its reports lie in the folder."""

    def stopped(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Exits, "go", stopped)
        assert scene.run(*arguments, "--force") == EXIT_LOOK


def test_a_run_that_was_ended_after_its_report_is_made_up_for_by_the_next_days(
    scene: Scene, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.config(ISSUE, NOTIFY)
    ended_before_the_exits(scene, monkeypatch, "--date", BEFORE)
    assert scene.run() == EXIT_DONE, scene.said
    assert [item.title.split(" · ")[1] for item in scene.posts.of("issue")] == [BEFORE, DAY]
    assert told.calls == [("retry",), ("report", BEFORE), ("report", DAY)]
    told.calls.clear()
    assert scene.run() == EXIT_DONE
    assert told.calls == [("retry",), ("report", DAY)], "the run before this one came to its end"


def test_of_a_back_fill_that_was_ended_every_day_is_posted_and_the_newest_told(
    scene: Scene, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.config(ISSUE, NOTIFY)
    ended_before_the_exits(scene, monkeypatch, "--since", BEFORE, "--until", "2026-01-20")
    monkeypatch.setenv("DAYBREAK_NOW", "2026-01-21T12:00:00+00:00")
    assert scene.run("--date", "2026-01-20") == EXIT_DONE, scene.said
    assert [item.title.split(" · ")[1] for item in scene.posts.of("issue")] == [BEFORE, DAY, "2026-01-20"]
    assert told.calls == [("retry",), ("report", DAY), ("report", "2026-01-20")]


def test_an_old_day_whose_run_was_ended_is_told_to_nobody_when_newer_ones_are_there(
    scene: Scene, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.config("", NOTIFY)
    ended_before_the_exits(scene, monkeypatch, "--date", BEFORE)
    monkeypatch.setenv("DAYBREAK_NOW", "2026-01-21T12:00:00+00:00")
    assert scene.run("--date", "2026-01-20") == EXIT_DONE, scene.said
    assert told.calls == [("retry",), ("report", "2026-01-20")]


def test_a_run_that_fails_tells_and_shows_its_own_error(
    scene: Scene, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.config("", NOTIFY)
    failing(monkeypatch, WriteError("The disk is full.", "Free some space."))
    assert scene.run("--date", DAY, "--force") == EXIT_FAILED
    assert told.calls == [("failure", DAY, "The disk is full.")]
    assert scene.said.startswith("daybreak: The disk is full.\n  tip: Free some space.\ndaybreak: telling ")
    assert scene.said.count("The disk is full.") == 1
    told.calls.clear()
    for flag in ("--offline", "--no-publish"):
        scene.run("--date", DAY, "--force", flag)
    assert told.calls == []


def test_words_of_an_unforeseen_error_are_neither_sent_nor_stored(
    scene: Scene, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.config("site = true", NOTIFY)
    with monkeypatch.context() as patched:
        failing(patched, RuntimeError("https://me:hunter2@proxy.example"))
        assert scene.run("--date", DAY, "--force") == EXIT_FAILED
    assert told.calls == [("failure", DAY, "this is a bug in Daybreak: RuntimeError")]

    def broken(*_: Any) -> None:
        raise RuntimeError("https://me:hunter2@proxy.example")

    monkeypatch.setattr(Site, "build", broken)
    assert scene.run() == EXIT_LOOK
    assert ("site", DAY, "failed") in scene.steps()
    state = scene.place.folder / ".daybreak"
    assert not any(b"hunter2" in path.read_bytes() for path in state.rglob("*.db*") if path.is_file())


def test_a_failure_that_cannot_be_told_hides_nothing(scene: Scene, told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    scene.config("", NOTIFY)
    failing(monkeypatch, WriteError("The disk is full.", "Free some space."))

    def broken(*_: Any) -> Any:
        raise ValueError("nobody there")

    monkeypatch.setattr(told, "failure", broken)
    assert scene.run("--date", DAY, "--force") == EXIT_FAILED
    assert "nobody could be told of the failure" in scene.said
    assert scene.said.count("daybreak: The disk is full.\n  tip: Free some space.\n") == 1
    assert scene.said.count("tip:") == 1


def test_who_stops_a_run_or_writes_a_wrong_config_is_not_told_of_a_failure(
    scene: Scene, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.config("", NOTIFY)
    scene.run("--date", DAY, "--repo", "none/such")
    failing(monkeypatch, KeyboardInterrupt())
    assert scene.run("--date", DAY, "--force") == EXIT_FAILED
    assert told.calls == []


def test_a_target_is_told_of_the_newest_day_once_and_again_when_it_did_not_hear(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []
    outcomes = [Outcome("later", "it has a fault of its own", 3600.0), SENT]

    def send(_: Senders, target: Any, message: Any) -> Outcome:
        sent.append(repr(message))
        return outcomes.pop(0)

    monkeypatch.setattr(Senders, "send", send)
    monkeypatch.setenv("DAYBREAK_NOW", "2026-01-20T08:00:00+00:00")
    scene.config("", f"{NOTIFY}\npatience = 0")
    assert scene.run("--last", "2d") == EXIT_LOOK
    assert "it has a fault of its own" in scene.said
    store = open_store("sqlite:///.daybreak/daybreak.db", scene.place.folder)
    (waiting,) = store.receipts.in_state("planned")
    store.receipts.end(waiting.id, "planned", None, None)
    store.close()
    assert scene.run("--last", "2d") == EXIT_DONE, scene.said
    assert scene.run("--last", "2d") == EXIT_DONE
    assert len(sent) == 2
    assert DAY in sent[0]
    assert [step for step in scene.steps() if step[0] == "notify"] == [
        ("notify", DAY, "failed"),
        ("notify", DAY, "done"),
    ]


def test_days_are_named_once_and_in_order() -> None:
    assert Days((DAY, BEFORE), (DAY,)).all == (BEFORE, DAY)
    assert Days(()).all == ()
