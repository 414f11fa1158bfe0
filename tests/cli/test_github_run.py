"""`daybreak run` with GitHub as its second source: before a fake GitHub, as a user runs it."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from cli.place import DAY, Place
from daybreak.store import Store, open_store
from fake_github import Server

TOKEN = "ghp_" + "Zt9" * 12
REPO = "acme/engine"
NOON = datetime(2026, 1, 19, 12, tzinfo=UTC)
FILE = "pkg/server_args.py"
WHY = "## Purpose\nLarger pages make the cache hit more often for long prompts.\n\nThroughput went from 10 tok/s to 14 tok/s.\n"


@dataclass
class Watched:
    """A place whose repository is also on a fake GitHub."""

    place: Place
    github: Server
    shas: dict[str, str]

    def run(self, *more: str, token: str | None = TOKEN, date: str = DAY) -> subprocess.CompletedProcess[str]:
        env = {"DAYBREAK_NOW": "2026-01-20T00:30:00+00:00"} | ({"GITHUB_TOKEN": token} if token else {})
        return self.place.run("run", "--date", date, *more, **env)

    def doctor(self, token: str | None, *more: str) -> subprocess.CompletedProcess[str]:
        return self.place.run("doctor", *more, **({"GITHUB_TOKEN": token} if token else {}))

    def forget_reports(self) -> None:
        """So that the day is made again."""
        shutil.rmtree(self.place.folder / "reports")
        (self.place.folder / "README.md").unlink()

    def asked(self) -> int:
        """How often since the last time."""
        count = len(self.github.requests)
        self.github.requests.clear()
        return count

    def part(self) -> dict[str, Any]:
        found: dict[str, Any] = self.place.report()["repos"][0]
        return found

    def store(self) -> Store:
        return open_store("sqlite:///.daybreak/daybreak.db", self.place.folder)


@pytest.fixture
def watched(place: Place) -> Iterator[Watched]:
    with Server(now=datetime(2026, 1, 20, 0, 30, tzinfo=UTC)) as github:
        github.add_token(TOKEN, name="ours")
        github.add_repo(REPO)
        shas = {"tuned": place.upstream.text("rev-parse", "main")}
        shas["named"] = place.upstream.commit("Mend the crash (#5)", {"a.py": "x = 1\n"}, at=f"{DAY}T11:00:00")
        shas["silent"] = place.upstream.commit("Without a number", {"b.py": "x = 1\n"}, at=f"{DAY}T12:00:00")
        github.add_pull(REPO, "Tune", number=2, at=NOON, body=WHY)
        github.merge(REPO, 2, at=NOON, sha=shas["tuned"])
        shas["paged"] = place.upstream.commit("Page the cache (#12)", {"c.py": "x = 1\n"}, at=f"{DAY}T13:00:00")
        place.upstream.tag("v1.0", shas["tuned"])
        github.add_pull(REPO, "Page the cache", number=12, at=NOON)
        github.merge(REPO, 12, at=NOON, sha=shas["paged"])
        after = NOON + timedelta(hours=3)
        github.add_issue(REPO, "Crash", number=5, at=after, labels=["bug"], body="It is broken since #12.")
        github.add_pull(REPO, "Without a number", number=6, at=NOON)
        github.merge(REPO, 6, at=NOON, sha=shas["silent"])
        github.add_commit(REPO, "Mend the crash (#5)", sha=shas["named"], at=NOON)
        github.add_pull(REPO, "[RFC] Coming", number=8, at=NOON)
        github.add_release(REPO, "v1.0", at=NOON, body="Holds #2.", sha=shas["tuned"])
        place.config(more=f'[github]\napi = "{github.url}"\nask = true\n')
        yield Watched(place, github, shas)


def test_a_day_has_what_github_knows_of_it(watched: Watched) -> None:
    answer = watched.run()
    assert answer.returncode == 0, answer.stderr
    assert 0 < watched.asked() <= 10
    pulls = {commit["sha"]: (commit["pr"] or {}).get("number") for commit in watched.part()["commits"]}
    wanted = {"tuned": 2, "silent": 6, "named": None, "paged": 12}
    assert pulls == {watched.shas[name]: number for name, number in wanted.items()}, "an issue is no pull request"
    said = {commit["sha"]: [s["text"]["en"] for s in commit["statements"]] for commit in watched.part()["commits"]}
    assert any("Larger pages make the cache hit" in text for text in said[watched.shas["tuned"]])
    assert any("`Crash` may come from this" in text for text in said[watched.shas["paged"]])
    assert [issue["number"] for issue in watched.part()["issues"]] == [5]
    assert [pull["number"] for pull in watched.part()["pulls"]] == [2, 6, 8, 12]
    (release,) = watched.part()["releases"]
    first = watched.place.upstream.text("rev-parse", f"{watched.shas['tuned']}^")
    assert (release["tag"], release["commits"]) == ("v1.0", [first, watched.shas["tuned"]])


def test_a_second_run_asks_nothing_and_a_rebuild_has_the_same_bytes(watched: Watched) -> None:
    assert watched.run().returncode == 0
    before, first = watched.place.written(), watched.asked()
    assert watched.run().returncode == 0
    watched.github.edit(REPO, 5, title="Another title")
    watched.forget_reports()
    for more in ((), ("--offline",)):
        assert watched.run(*more).returncode == 0
        assert watched.place.written() == before, "items stand as first fetched"
        watched.forget_reports()
    assert watched.run(token=None).returncode == 0, "a day that was read with a token needs none any more"
    assert watched.place.written() == before
    assert watched.asked() == 0
    assert watched.place.report()["cost"]["requests"] == first
    assert watched.run("--force").returncode == 0
    assert watched.asked() == first
    assert "Another title" in (watched.place.folder / f"reports/{DAY}.json").read_text()


def test_work_in_other_processes_gives_the_same_bytes(watched: Watched) -> None:
    assert watched.run().returncode == 0
    before = watched.place.written()
    watched.forget_reports()
    config = watched.place.folder / "daybreak.toml"
    config.write_text(config.read_text() + "[execute]\nprocesses = true\n")
    assert watched.run().returncode == 0
    assert watched.place.written() == before


def test_a_list_that_fails_is_named_and_completed_by_the_next_run(watched: Watched) -> None:
    fault = watched.github.fault("graphql_partial", times=None, text="issues(", type="FORBIDDEN", message="No.")
    answer = watched.run()
    assert answer.returncode == 3, answer.stderr
    assert fault.hits
    assert "skipped: acme/engine on GitHub: " in answer.stderr
    (skipped,) = watched.place.report()["coverage"]["skipped"]
    assert skipped["what"] == "acme/engine on GitHub: pull requests"
    assert skipped["what"] in watched.place.written()[f"reports/{DAY}.en.md"].decode()
    assert [issue["number"] for issue in watched.part()["issues"]] == [5], "the other lists are there"
    assert 8 not in [pull["number"] for pull in watched.part()["pulls"]]
    store = watched.store()
    assert [(s.outcome, s.reason) for s in store.steps(1) if s.stage == "github"] == [
        ("skipped", f"{skipped['what']}: {skipped['reason']}")
    ]
    store.close()
    watched.github.clear_faults()
    answer = watched.run()
    assert answer.returncode == 0, answer.stderr
    report = watched.place.report()
    assert report["coverage"]["skipped"] == []
    assert report["repos"][0]["completed"] == [skipped["what"]]
    assert 8 in [pull["number"] for pull in watched.part()["pulls"]]
    watched.asked()
    assert watched.run().returncode == 0
    assert watched.asked() == 0


def test_a_whole_report_is_not_replaced_by_one_that_lacks_github(watched: Watched) -> None:
    assert watched.run().returncode == 0
    before = watched.place.written()
    watched.github.fault("graphql_partial", times=None, text="issues(", type="FORBIDDEN", message="No.")
    config = watched.place.folder / "daybreak.toml"
    config.write_text(config.read_text() + '[reader]\nhardware = ["sm90"]\n')
    store = watched.store()
    with store._database.write() as connection:  # type: ignore[attr-defined]
        connection.change("DELETE FROM answers")
    store.close()
    answer = watched.run()
    assert answer.returncode == 3
    assert "the report made before stays" in answer.stderr
    assert watched.place.written() == before


def test_what_was_asked_is_recorded_with_its_cost(watched: Watched) -> None:
    watched.run()
    count = watched.asked()
    store = watched.store()
    (step,) = [step for step in store.steps(1) if step.stage == "github"]
    assert (step.label, step.outcome, step.repo) == (DAY, "done", "")
    assert [(cost.what, cost.unit, cost.amount) for cost in store.costs(1)] == [("github", "requests", count)]
    store.close()


def test_without_a_token_the_rest_is_told_and_no_fault(watched: Watched) -> None:
    answer = watched.run(token=None)
    assert answer.returncode == 0, answer.stderr
    assert 0 < watched.asked() <= 50
    assert watched.place.report()["coverage"]["skipped"] == []
    assert "GITHUB_TOKEN" in watched.place.written()[f"reports/{DAY}.en.md"].decode()
    assert [issue["number"] for issue in watched.part()["issues"]] == [5]
    watched.run(token=None)
    assert watched.asked() == 0, "the day is whole"


def left_behind(folder: Path) -> Iterator[tuple[str, bytes]]:
    """All that is on disk; what stands packed in the store, unpacked. The config is the user's own."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.name == "daybreak.toml":
            continue
        yield str(path), path.read_bytes()
        if path.suffix == ".db":
            with closing(sqlite3.connect(path)) as database:
                for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                    for row in database.execute(f'SELECT * FROM "{table}"'):
                        yield f"{path} {table}", b" ".join(map(unpacked, row))


def unpacked(value: object) -> bytes:
    try:
        return zlib.decompress(value) if isinstance(value, bytes) else str(value).encode(errors="replace")
    except zlib.error:
        return bytes(value) if isinstance(value, bytes) else b""


def seen(answers: Iterable[subprocess.CompletedProcess[str]], folder: Path, *secrets: str) -> list[str]:
    """Where one of the secrets is."""
    shown = [(f"output {number}", (one.stdout + one.stderr).encode()) for number, one in enumerate(answers)]
    return [
        f"{secret[:4]}… in {where}"
        for where, text in (*shown, *left_behind(folder))
        for secret in secrets
        if secret.encode() in text
    ]


def test_a_token_is_in_no_file_and_no_output(watched: Watched) -> None:
    """Also when GitHub refuses it, and in what `--verbose` shows."""
    answers = [watched.run("--verbose"), watched.run("--force", "--json", "--verbose")]
    watched.github.revoke(TOKEN)
    answers += [watched.run("--force", "--verbose"), watched.run("--force", "--log-format", "json")]
    answers.append(watched.doctor(TOKEN))
    assert [answer.returncode for answer in answers[:2]] == [0, 0]
    assert all(answer.returncode == 3 for answer in answers[2:])
    assert seen(answers, watched.place.folder, TOKEN.removeprefix("ghp_")) == []


def test_the_search_for_secrets_finds_what_is_there(watched: Watched) -> None:
    """In a packed answer, in a page and in the output: so that finding none means something."""
    answer = watched.run("--verbose")
    assert answer.returncode == 0
    places = seen([answer], watched.place.folder, "It is broken since #12.", "Larger pages make the cache hit")
    assert any("daybreak.db answers" in place for place in places)
    assert any(".md" in place for place in places)
    assert any("output" in place for place in seen([answer], watched.place.folder, DAY))


def test_an_apps_key_and_the_tokens_it_buys_are_in_no_file_and_no_output(watched: Watched) -> None:
    """With faults on the way, a key that GitHub refuses, and one that is none."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    kind = serialization.PrivateFormat.TraditionalOpenSSL
    pem = key.private_bytes(serialization.Encoding.PEM, kind, serialization.NoEncryption()).decode()
    public = key.public_key().public_numbers()
    watched.github.add_app("77", 5, key=(public.n, public.e))
    app = {"GITHUB_APP_ID": "77", "GITHUB_APP_INSTALLATION_ID": "5", "GITHUB_APP_PRIVATE_KEY": pem}
    now = {"DAYBREAK_NOW": "2026-01-20T00:30:00+00:00"}

    def run(*more: str, **env: str) -> subprocess.CompletedProcess[str]:
        return watched.place.run("run", "--date", DAY, "--verbose", *more, **(app | now | env))

    answers = [run()]
    assert answers[0].returncode == 0, answers[0].stderr
    watched.github.fault("unauthorized", times=1)
    watched.github.fault("broken_json", times=2, path="/graphql")
    answers.append(run("--force"))
    answers.append(run("--force", GITHUB_APP_INSTALLATION_ID="6"))
    broken = pem.replace("A", "B")
    answers.append(run("--force", GITHUB_APP_PRIVATE_KEY=broken))
    answers.append(watched.place.run("doctor", **(app | now)))
    bought = watched.github.accounts.apps[5].tokens
    assert len(bought) >= 2
    lines = [line for text in (pem, broken) for line in text.splitlines() if "-----" not in line]
    words = [*bought, *lines, "eyJhbGciOiJSUzI1NiIs"]
    assert seen(answers, watched.place.folder, *words) == []


def test_a_secret_in_the_address_of_an_enterprise_is_refused_and_not_repeated(watched: Watched) -> None:
    for api in (f"http://me:{TOKEN}@127.0.0.1:9/api/v3", f"http://127.0.0.1:9/api/v3?access_token={TOKEN}"):
        watched.place.config(more=f'[github]\napi = "{api}"\nask = true\n')
        answers = [watched.run("--verbose", token=None), watched.doctor(None), watched.doctor(None, "--offline")]
        assert all(answer.returncode in (2, 3) for answer in answers[:2])  # offline nothing is asked
        assert seen(answers, watched.place.folder, TOKEN) == []


def test_a_repository_that_is_not_on_github_is_not_asked_about(watched: Watched) -> None:
    watched.place.config(more=f'[github]\napi = "{watched.github.url}"\n')
    assert watched.run().returncode == 0
    watched.place.config(more=f'[github]\napi = "{watched.github.url}"\nask = false\n')
    assert watched.run("--force").returncode == 0
    assert watched.asked() == 0
    assert watched.part()["issues"] == []


@pytest.mark.parametrize(
    ("token", "more", "words", "code"),
    [
        (TOKEN, (), "ok   GitHub: a token; 5000 of 5000 requests left this hour", 0),
        (None, (), "ok   GitHub: no token (", 0),
        (None, (), "; 60 of 60 requests left this hour", 0),
        (TOKEN, ("--offline",), "ok   GitHub: a token; not asked now", 0),
        ("ghp_wrong", (), "FAIL GitHub refuses the token (401). — Renew the token in GITHUB_TOKEN.", 3),
        ("two words\u00e9", (), "FAIL GitHub: GITHUB_TOKEN or GITHUB_TOKENS holds something that is no token.", 3),
    ],
)
def test_the_doctor_has_a_line_about_the_token(
    watched: Watched, token: str | None, more: tuple[str, ...], words: str, code: int
) -> None:
    answer = watched.doctor(token, *more)
    assert words in answer.stdout
    assert answer.returncode == code, answer.stdout
