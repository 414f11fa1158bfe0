"""Where reports leave: a folder, an upstream, a repository to push to, a GitHub to write to, and somebody who is told."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from cli.place import DAY, Place
from daybreak.cli import main
from daybreak.deliver.publish.folder import FolderPublisher
from daybreak.store import Receipt, Step, open_store
from gitrepo import GitRepo
from publish.posts_server import Posts


class Scene:
    """A folder with a config, an upstream, a repository to push to, a GitHub to write to, and the program."""

    def __init__(self, place: Place, posts: Posts, news: GitRepo, capsys: pytest.CaptureFixture[str]) -> None:
        self.place, self.posts, self.news, self._capsys = place, posts, news, capsys
        self.said = ""

    def config(self, publish: str = "", notify: str = "") -> None:
        self.place.config(f'[github]\napi = "{self.posts.url}"\n[publish]\n{publish}\n{notify}')

    def run(self, *arguments: str) -> int:
        code = main(["run", *(arguments or ("--date", DAY))])
        self.said = self._capsys.readouterr().err
        return code

    def steps(self) -> list[tuple[str, str, str]]:
        """(stage, label, outcome) of all exits, as they were recorded."""
        store = open_store("sqlite:///.daybreak/daybreak.db", self.place.folder)
        try:
            steps: list[Step] = [step for run in reversed(store.runs()) for step in store.steps(run.id)]
        finally:
            store.close()
        return [(s.stage.partition(":")[2], s.label, s.outcome) for s in steps if s.stage.startswith("publish:")]

    def log(self) -> list[str]:
        return self.news.text("log", "--format=%s", "reports").splitlines()


class Told:
    """A notifier that sends nothing and remembers."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, ...]] = []
        self.receipts: list[Receipt] = []

    def report(self, day: Any) -> tuple[Receipt, ...]:
        self.calls.append(("report", day.label))
        return tuple(self.receipts)

    def retry_pending(self) -> tuple[Receipt, ...]:
        self.calls.append(("retry",))
        return ()

    def failure(self, label: str, message: str) -> tuple[Receipt, ...]:
        self.calls.append(("failure", label, message))
        return ()


def receipt(state: Any, reason: str | None = None, tries: int = 1) -> Receipt:
    return Receipt(
        1, "t", "our chat", "report", DAY, "", state, tries, datetime(2026, 1, 20, tzinfo=UTC), reason=reason
    )


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def publish(*_: Any) -> None:
        raise error

    monkeypatch.setattr(FolderPublisher, "publish", publish)
