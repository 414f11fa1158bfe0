"""Findings: what a change offers, breaks and switches, read from its diff and its files; imports `core` alone.

Two doors need no repository and no git; `docs/findings.md` shows both with an example that runs:

- `read(before, after)`: two states of some files, as texts.
- `compare_trees(a, b)`: two folders of sources.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from daybreak.core.model.changes import Skipped
    from daybreak.core.model.findings import Finding
    from daybreak.findings.reader import Limits

__all__ = ["compare_trees", "read"]


def read(
    before: Mapping[str, str], after: Mapping[str, str], *, project: str = "", limits: Limits | None = None
) -> tuple[Finding, ...]:
    """Findings of the step from one state of some files to another, as the reader of commits gives them for that diff.

    Nothing is run, no git is needed, and equal states give no findings. The whole tree is asked before a name is called
    gone, as far as it is here: give files that did not change on both sides, and names that still stand there count.

    :param before: path from the project's root, with `/`, -> text of the file; a file that is only here is deleted.
    :param after: the same afterwards; a file that is only here is added. A file that stands on one side under one path
        and on the other under another, at least half of it the same, is renamed.
    :param project: OWNER/NAME of the project, for what is known of that project alone (parts that ship separately).
    :param limits: how much is looked at and given; the limits of a report of a day when None (at most 60 findings,
        those that break first).
    :returns: findings, breaking ones first, then by path and line. `id` ends in the number, from 1; what stands before
        it is the same for the same two states.
    :raises DaybreakError: the readers failed on these files; nothing can be said of them.
    """
    from daybreak.findings.reader import USUAL
    from daybreak.findings.text_trees import reading_of

    return reading_of(before, after, project, limits or USUAL).findings


def compare_trees(a: Path, b: Path, *, skipped: Callable[[Skipped], None] | None = None) -> tuple[Finding, ...]:
    """Findings between two folders of sources, as `daybreak range --trees` has them; nothing is left for its length.

    What Python offers is asked of the whole trees, with re-exports, inheritance and private modules followed.

    :param a: folder of the old sources.
    :param b: folder of the new sources. Links in the folders are not followed, and `.git`, `.hg`, `.svn` and
        `__pycache__` are not looked into.
    :param skipped: called with each file that was left out and the reason: too large, unreadable, no regular file, one
        too many. When None, such a file is a `UserWarning`.
    :returns: findings, breaking ones first, then by path and line.
    :raises UsageError: one of the two is no folder.
    :raises DaybreakError: the readers failed on these files; nothing can be said of them.
    """
    from daybreak.findings.reader import WHOLE_TREES
    from daybreak.findings.text_trees import reading_of, texts_in

    (old, left_out), (new, more) = texts_in(a), texts_in(b)
    for one in (*left_out, *more):
        (skipped or _warn)(one)
    return reading_of(old, new, "", WHOLE_TREES).findings


def _warn(one: Skipped) -> None:
    import warnings

    warnings.warn(f"{one.what} is left out: {one.reason}", stacklevel=3)
