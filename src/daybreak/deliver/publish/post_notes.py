"""Notes in the state folder of which post on GitHub a report has, and of which reports still owe one.

They save questions and carry what failed to the next run. When they are lost, posts are found by their marks.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from daybreak.deliver.publish.github_issue import Post


class _Notes(msgspec.Struct):
    repository: str = ""
    posts: dict[str, Post] = {}
    due: list[str] = []


class PostNotes:
    """Of one repository; of another one that stood in the config before, nothing is known."""

    def __init__(self, path: Path, repository: str) -> None:
        self._path = path
        self._notes = _Notes(repository)
        with suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
            found = msgspec.json.decode(path.read_bytes(), type=_Notes)
            if found.repository.lower() == repository.lower():
                self._notes = found

    def known(self, label: str) -> Post | None:
        return self._notes.posts.get(label)

    def due(self) -> list[str]:
        return list(self._notes.due)

    def owe(self, labels: Iterable[str]) -> None:
        """Written down before anything is tried."""
        wanted = sorted({*self._notes.due, *labels})
        if wanted != self._notes.due:
            self._notes.due = wanted
            self._save()

    def note(self, label: str, post: Post) -> None:
        if self._notes.posts.get(label) != post:
            self._notes.posts[label] = post
            self._save()

    def settled(self, label: str) -> None:
        if label in self._notes.due:
            self._notes.due.remove(label)
            self._save()

    def _save(self) -> None:
        with suppress(OSError):  # the post stands; without the note it is looked for
            self._path.parent.mkdir(parents=True, exist_ok=True)
            staged = self._path.with_suffix(".new")
            staged.write_bytes(msgspec.json.encode(self._notes))
            staged.replace(self._path)
