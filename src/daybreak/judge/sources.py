"""Where a change comes from: another project, another place of the branch, a release that it takes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from daybreak.core.model.changes import Change
from daybreak.judge.change_kinds import is_revert
from daybreak.judge.message_refs import Index, title

_FROM = re.compile(
    r"\b(?:adapted|ported|taken|borrowed|copied|backported|forked)\s(?:directly\s)?from\s(?:the\s)?[\[(`:]{0,2}"
    r"(?:https?://github\.com/([\w.-]{1,40}/[\w.-]{1,60})(?:/(?:pull/(\d{1,9})|(?:commit|blob|tree)/([0-9a-f]{7,40}))(?![0-9a-f]))?"
    r"|([\w.-]{1,40}/[\w.-]{1,60})(?:#(\d{1,9})|@([0-9a-f]{7,40}))\b)",
    re.IGNORECASE,
)
_PICKED = re.compile(r"\(?cherry[- ]picked from commit ([0-9a-f]{7,40})\b", re.IGNORECASE)
_TAKES = re.compile(
    r"\b(?:bump|release|upgrade|update)s?\s+(?:the\s+)?[`'\"]?([A-Za-z][\w.-]{2,40})[`'\"]?"
    r"(?:\s+(?:version|pin|dependency|package))?(?:\s+from\s+v?[\w.]{1,20})?(?:\s+to)?[\s=]+v?(\d+\.\d+[\w.]{0,20})(?![\w.])",
    re.IGNORECASE,
)
_NO_NAME = frozenset({"version", "the", "release", "pin", "docs", "docker", "python", "image", "threshold"})


def source_of(change: Change, index: Index) -> Change | str | None:
    """The known change that a cherry-pick repeats, or `owner/name#12`, `owner/name@1a2b3c4` of a port."""
    text = f"{title(change)[:400]}\n{change.body[:4000]}"
    picked = _PICKED.search(text)
    if picked is not None:
        return index.prefix(change, picked[1])
    found = _FROM.search(" ".join(text.split()))
    if found is None:
        return None
    where = (found[1] or found[4]).removesuffix(".git")
    number, sha = found[2] or found[5], found[3] or found[6]
    if where.lower() == change.repo.lower() or not (number or sha):
        return None
    return f"{where}#{number}" if number else f"{where}@{sha[:9]}"


def takes(changes: Sequence[Change]) -> dict[tuple[str, str], list[Change]]:
    """Changes by the package and version that their titles say they make or take."""
    out: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        match = None if is_revert(change.subject) else _TAKES.search(title(change)[:400])
        if match is not None and match[1].lower() not in _NO_NAME:
            name = match[1].lower().replace("_", "-")
            out.setdefault((name, match[2].rstrip(".")), []).append(change)
    return out
