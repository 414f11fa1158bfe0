"""What git found in the tree of a commit, kept on disk: a tree never changes, so it is searched once for the same words."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from daybreak.core.file_cache import keep_newest

KEPT = 200
"""Answers of one repository; a day asks two or three, and each is a few hundred paths at most."""
FORM = "2"
"""Counted up whenever the same question gets another answer."""
_DIGEST = hashlib.sha256().digest_size


class Found(Struct, frozen=True):
    """Answers about one repository; a damaged file or a full disk costs speed, not the report."""

    folder: Path

    def get(self, question: Sequence[str]) -> bytes | None:
        with suppress(OSError):
            kept = self._path(question).read_bytes()
            digest, answer = kept[:_DIGEST], kept[_DIGEST:]
            if hashlib.sha256(answer).digest() == digest:
                return answer
        return None

    def put(self, question: Sequence[str], answer: bytes) -> None:
        keep_newest(self._path(question), hashlib.sha256(answer).digest() + answer, KEPT)

    def _path(self, question: Sequence[str]) -> Path:
        asked = hashlib.sha256("\0".join((FORM, *question)).encode("utf-8", "surrogateescape"))
        return self.folder / f"{asked.hexdigest()[:32]}.found"
