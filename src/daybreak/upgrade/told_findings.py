"""Findings that stored reports hold of their commits: what became of a name is read from them, and not from the diffs again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

import msgspec
from msgspec import Struct

from daybreak.core.model.day_changes import Finding
from daybreak.findings.reader import MAX_FINDINGS

Told = Mapping[str, tuple[Finding, ...]]
"""Commit → all that its reading finds."""


class _File(Struct):
    status: str = ""


class _Commit(Struct):
    sha: str
    files: tuple[_File, ...] = ()
    files_total: int = 0
    filtered: bool = False
    findings: tuple[Finding, ...] = ()
    skipped: str | None = None

    def tells_all(self) -> bool:
        """Of new files no finding lists the names; what was cut off or left out is not told."""
        whole = len(self.files) == self.files_total and len(self.findings) < MAX_FINDINGS
        return whole and not (self.filtered or self.skipped) and all(file.status != "A" for file in self.files)


class _Repo(Struct):
    name: str
    commits: tuple[_Commit, ...] = ()


class _Day(Struct):
    repos: tuple[_Repo, ...] = ()


_DECODER = msgspec.json.Decoder(_Day)


def told_findings(days: Iterable[bytes]) -> dict[str, Told]:
    """Repository → commits whose report tells all that was found; a day that cannot be read tells nothing."""
    found: dict[str, dict[str, tuple[Finding, ...]]] = defaultdict(dict)
    for data in days:
        try:
            day = _DECODER.decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            continue
        for repo in day.repos:
            found[repo.name] |= {commit.sha: commit.findings for commit in repo.commits if commit.tells_all()}
    return dict(found)
