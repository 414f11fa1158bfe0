"""Who has a bug, where the lines of its fix alone leave that open: a writer names the lines in which the fault lies, and code looks for
them in the tree of the release.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from msgspec.structs import replace

from daybreak.collect.git.standing import meant, telling
from daybreak.core.errors import GitError
from daybreak.core.model.changes import Exposure
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Severity, Statement
from daybreak.findings.trees import Trees, Where

_ALIKE = 0.75
"""How like another one a line is that may be the same in other words."""
_ELSEWHERE = Where(without=("docs", "tests", "test"))


def located(entry: Entry, lines: Sequence[str], trees: Trees) -> Exposure | None:
    """The exposure with a verdict by these lines of the code before the fix; as it is where it has one, or where they decide nothing."""
    found = entry.exposure
    release = found.release if found is not None else entry.after or ""
    open_ = found is None or found.unsaid or not (found.has is not None or found.picked or found.pin or found.lost)
    wanted = list(dict.fromkeys(line for line in map(str.strip, lines) if telling(line) or meant(line)))
    if entry.kind == "revert" or entry.released or not (release and open_ and wanted):
        return found
    try:
        paths = [file.old_path or file.path for file in entry.change.files]
        has = _stand(release, wanted, paths, trees, moved=found is not None and found.older)
    except GitError:
        return found
    known = found or Exposure(release, applies=None)
    # Something said that the fault may be younger than its lines: that they stand there is no news, but where only which of them are at
    # fault was open.
    if has is None or (has and known.doubted and not known.in_part):
        return found
    return replace(known, has=has, doubted=False, in_part=False, unsaid=False)


def named(
    found: Exposure | None, entry: Entry, said: Sequence[Statement], severity: Severity | None
) -> Exposure | None:
    """Of a fix whose lines a release has and of which nobody said what went wrong: a sentence that stands says it."""
    trouble = any(one.role in ("why", "impact") for one in said) and severity not in (None, "internal", "new", "faster")
    if found is None or not found.unsaid or entry.kind != "fix" or entry.released or not trouble:
        return found
    return replace(found, unsaid=False)


def _stand(release: str, lines: Sequence[str], paths: Sequence[str], trees: Trees, *, moved: bool) -> bool | None:
    """Whether all of them stand in the release, at whatever path; None where only some do, or others that are like them, or where they
    may have been others elsewhere (`moved`).
    """
    rows = trees.lines([release], lines, _ELSEWHERE)
    if rows is None or trees.partial:
        return None
    texts = {text.strip() for _, _, text in rows}
    there = [any(line in text for text in texts) for line in lines]
    if any(there):
        return True if all(there) else None
    blobs = trees.blobs_at(f"{release}:{path}" for path in paths)
    own = [row.strip() for _, text in trees.contents(dict.fromkeys(blobs.values())) for row in text.split("\n")]
    return None if (moved and not own) or any(_is_like(line, row) for line in lines for row in own) else False


def _is_like(line: str, other: str) -> bool:
    match = SequenceMatcher(None, line, other, autojunk=False)
    return match.real_quick_ratio() >= _ALIKE and match.quick_ratio() >= _ALIKE and match.ratio() >= _ALIKE
