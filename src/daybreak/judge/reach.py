"""Reach of a change: whether many meet it, or only those who run one model, other hardware or a part that few have.

How many meet a name that goes is read off the change itself: whoever takes away what much is built on has to follow in
many files.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Finding
from daybreak.findings.kinds import GONE, kind_of
from daybreak.findings.paths import within
from daybreak.judge import change_kinds
from daybreak.judge.change_kinds import elsewhere, front

WIDE = 3
"""Files that had to follow a name before it counts as one that much is built on."""
_LEAF = re.compile(r"[A-Za-z_]\w*")
_MODEL = re.compile(
    r"(?:^|/)(?:models?|models_\w{1,20}|tool_parsers|reasoning|processors|configs)/(?!(?:registry|utils?|interfaces?\w{0,10}|base\w{0,20}"
    r"|__init__|common|config|vision|abs_\w{1,40}|abstract_\w{1,40})\.py$)[\w-]{1,80}(?:\.py$|/)"
)
"""The file of one model, and not what several share."""


def concerns_few(change: Change, shown: Sequence[Finding] = ()) -> bool:
    """What users run of it, what is told of it, or its title is of hardware, of a model or of a part that few have."""
    paths = [file.path for file in front(change)]
    told = [finding.path for finding in shown] or paths
    few = change_kinds.concerns_few(paths) or change_kinds.concerns_few(told) or elsewhere(change)
    return few or (bool(paths) and all(_MODEL.search(path[-300:]) for path in told))


def is_wide(change: Change, finding: Finding) -> bool:
    """Whether much is built on what the finding takes away: those who implement it, or files that had to follow."""
    kind = kind_of(finding.kind)
    if within(finding.path, finding.symbol):
        return False
    if kind.surface == "extension" and {"valued", "sought"}.isdisjoint(kind.traits):
        return True  # whoever implements or decodes it is outside, whatever the project itself has to follow
    return _followed(change, finding) >= WIDE


def reach(change: Change, findings: Sequence[Finding]) -> int:
    """How many files had to follow, or how many names go where that are more."""
    gone = [f for f in findings if kind_of(f.kind).mark == "internals" or kind_of(f.kind).change in GONE]
    return max(len(gone), max((_followed(change, f) for f in gone[:_LOOKED_AT]), default=0))


_LOOKED_AT = 40


def _followed(change: Change, finding: Finding) -> int:
    """Files besides its own that lost a line with the name; of modules that move together, the modules."""
    files = front(change)
    if (finding.before or "").endswith(".*"):
        return sum(file.old_path is not None and file.old_path != file.path for file in files)
    names = _LEAF.findall(finding.symbol.partition(" (")[0])  # behind it stands how many names a module has
    beside = rf"\b{re.escape(names[-2])}\b.*" if len(names) > 1 and kind_of(finding.kind).family == "export" else ""
    word = re.compile(rf"(?m)^-.*{beside}\b{re.escape(names[-1])}\b") if names else None  # who took it from there
    return sum(_loses(file, word) for file in files if file.path != finding.path) if word else 0


def _loses(file: FileChange, word: re.Pattern[str]) -> bool:
    return bool(file.patch) and word.search(file.patch) is not None
