"""What the newest release has where a change takes lines away: readers run the release, and its parent on the branch may do other things.

Of what came after the release and goes again with the change nobody who runs a release has met anything: neither is it a
break for them, nor is it what was there before.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from daybreak.collect.git.standing import telling
from daybreak.core.errors import GitError
from daybreak.core.model.changes import Change, FileChange
from daybreak.findings.diff import hunks as diff_hunks
from daybreak.findings.diff import side
from daybreak.findings.paths import area
from daybreak.findings.trees import Trees
from daybreak.judge.change_kinds import is_front
from daybreak.prose.evidence_pieces import brief, visible

_FILES, _PLACES, _LINES, _LONGEST = 8, 5, 5, 160
"""Files that are looked at, places of which other lines are told, lines of one place, and characters of a line."""
_LARGEST = 20_000
"""Lines of a file beyond which it is not compared, and then nothing is said of the places that are not told."""


def lines_in_release(change: Change, release: str, trees: Trees) -> str:
    """What the release has in place of the lines that go; empty where no line of sources goes, or nothing can be read."""
    files = [f for f in change.files if _worth(f)][:_FILES]
    if not release or not files:
        return ""
    try:
        blobs = trees.blobs_at(f"{release}:{f.old_path or f.path}" for f in files)
        texts = dict(trees.contents(dict.fromkeys([*blobs.values(), *(f.old_blob for f in files)])))
    except GitError:
        return ""
    told, same, unread = list[str](), 0, False
    for file in files:
        blob = blobs.get(f"{release}:{file.old_path or file.path}", "")
        if blob and blob == file.old_blob:
            same += 1
        elif not blob:
            told.append(f"{brief(file.path, 120)}: the file is not there")
        elif blob in texts and file.old_blob in texts:
            before, there = _rows(texts[file.old_blob]), _rows(texts[blob])
            if max(len(before), len(there)) > _LARGEST:
                unread = True
                continue
            found = list(_others(file, before, there))
            told += [f"{brief(file.path, 120)}: {one}" for one in found]
            same += not found
    head = f"release {brief(release, 60)}, the newest without this commit"
    if not told:
        return f"{head}, has all lines of sources that the commit takes away." if same == len(files) else ""
    rest = ["in all other places: the lines that the commit takes away"] if same and not unread else []
    return "\n".join((f"{head}, has", *told[:_PLACES], *rest))


def _worth(file: FileChange) -> bool:
    goes = file.deleted > 0 and bool(file.patch and file.old_blob) and not file.patch_cut
    return goes and is_front(file.path) and area(file.path) not in ("test", "docs")


def _rows(text: str) -> list[str]:
    return visible(text).split("\n")


def _others(file: FileChange, before: Sequence[str], there: Sequence[str]) -> Iterator[str]:
    """Of each place where lines go that the release has not, what it has there."""
    blocks = [block for block in SequenceMatcher(None, before, there).get_matching_blocks() if block.size]
    known = {block.a + n: block.b + n for block in blocks for n in range(block.size)}
    ends = sorted(known)
    for hunk in diff_hunks(file.patch):
        gone = [line for line in side(hunk, "-") if line.changed and telling(line.text.strip())]
        apart = [line for line in gone if line.number - 1 not in known]
        if not apart:
            continue
        first, last = apart[0].number - 1, apart[-1].number - 1
        at, after = bisect_left(ends, first), bisect_left(ends, last)
        start = known[ends[at - 1]] + 1 if at else 0
        stop = known[ends[after]] if after < len(ends) else len(there)
        held = [brief(row, _LONGEST) for row in there[start:stop] if row.strip()][:_LINES]
        lost = f"for `{brief(apart[0].text, _LONGEST)}`"
        yield f"{lost} these lines:\n" + "\n".join(f"  {row}" for row in held) if held else f"{lost} nothing"
