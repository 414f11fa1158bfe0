"""What the newest release has in place of what a change alters: who runs the release meets the step from there, and not from
the parent on the branch. What the branch itself brought since then is nobody's loss, and a value that was changed twice
is told from the first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from daybreak.core.errors import GitError
from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Finding, Reading
from daybreak.findings.kinds import CAME, kind_of
from daybreak.findings.text_trees import patch
from daybreak.findings.trees import ASIDE_NAMES, Trees, Where

NOTHING = ""
"""What a finding says of the release where that has nothing of it."""
_LARGEST = 400_000
"""Characters of a file on both sides; of larger ones nothing is said."""
_WORD = re.compile(r"[A-Za-z_][\w-]*")
_SOURCES = Where(without=ASIDE_NAMES)


Read = Callable[[Sequence[Change]], Mapping[str, Reading]]
"""Reads changes by their own files alone."""


def as_released(
    trees: Trees, read: Read, changes: Sequence[Change], readings: Mapping[str, Reading], releases: Mapping[str, str]
) -> dict[str, Reading]:
    """The readings, each finding with what the release has where the branch altered that since.

    `releases`: sha -> commit of the newest release, of changes that it lacks.
    """
    asked = [c for c in changes if c.parents and c.sha in releases and c.sha in readings and not c.filtered]
    steps = _steps(trees, asked, readings, releases)
    since = read([*steps.values()]) if steps else {}
    told = {
        c.sha: _told(trees, c, readings[c.sha], steps[c.sha], since[steps[c.sha].sha]) for c in asked if c.sha in steps
    }
    return {**readings, **_with_young(trees, asked, {**readings, **told}, releases)}


def _with_young(
    trees: Trees, changes: Sequence[Change], readings: Mapping[str, Reading], releases: Mapping[str, str]
) -> dict[str, Reading]:
    """The readings, checks that came marked where the release has nothing of the function or the class that they came to."""
    out = dict(readings)
    for change in changes:
        homes = {f.id: _homes(f) for f in readings[change.sha].findings if _came_to_stop(f)}
        there = _standing(trees, releases[change.sha], {name for names in homes.values() for name in names})
        young = {one for one, names in homes.items() if not there.issuperset(names)}
        if young:
            findings = readings[change.sha].findings
            marked = tuple(replace(f, released=NOTHING) if f.id in young else f for f in findings)
            out[change.sha] = replace(readings[change.sha], findings=marked)
    return out


def _came_to_stop(finding: Finding) -> bool:
    return finding.breaking and kind_of(finding.kind).means("guard", "added") and finding.released is None


def _homes(finding: Finding) -> set[str]:
    """Names of the class and the function of a check that hardly stand for anything else."""
    parts = _WORD.findall(finding.symbol.partition("(")[0])[-2:]
    return {name for name in parts if len(name) > _TELLING and not name.startswith("__")}


_TELLING = 9


def _steps(
    trees: Trees, changes: Sequence[Change], readings: Mapping[str, Reading], releases: Mapping[str, str]
) -> dict[str, Change]:
    """Of each change that alters something of a file which is another one in its release, the way from the release to its
    parent, in these files, as if that were one commit.
    """
    asked = {c.sha: _files(c, readings[c.sha]) for c in changes}
    names = {(sha, f.path): f"{releases[sha]}:{f.old_path or f.path}" for sha, files in asked.items() for f in files}
    try:
        there = trees.blobs_at(names.values())
    except GitError:
        return {}
    pairs = {(sha, f): there.get(names[sha, f.path], "") for sha, files in asked.items() for f in files}
    other = {key: oid for key, oid in pairs.items() if oid and oid != key[1].old_blob}
    texts = dict(trees.contents({*other.values(), *(file.old_blob for _, file in other)}))
    steps: dict[str, Change] = {}
    for change in changes:
        known = ((f, other.get((change.sha, f), "")) for f in asked[change.sha])
        some = tuple(step for f, oid in known if oid and (step := _step(f, oid, texts)) is not None)
        if some:
            way = (releases[change.sha],)
            steps[change.sha] = replace(change, sha=change.parents[0], parents=way, files=some, files_total=len(some))
    return steps


def _files(change: Change, reading: Reading) -> list[FileChange]:
    """Files in which it alters or takes away something."""
    paths = {_place(f, change) for f in reading.findings if _is_asked(f)}
    return [f for f in change.files if (f.old_path or f.path) in paths and f.status in "MRD" and f.old_blob.strip("0")]


def _place(finding: Finding, change: Change) -> str:
    """The file as it was in which the finding's name stood; of one that moved that of the module it left."""
    if kind_of(finding.kind).change == "moved":
        left = (finding.before or "").rpartition(".")[0].replace(".", "/")
        was = (f.old_path or f.path for f in change.files)
        return next((path for path in was if left and f"/{path}".endswith(f"/{left}.py")), finding.path)
    return next((f.old_path or f.path for f in change.files if f.path == finding.path), finding.path)


def _is_asked(finding: Finding) -> bool:
    kind = kind_of(finding.kind)
    return kind.change != "added" and kind.surface != "safe"


def _step(file: FileChange, oid: str, texts: Mapping[str, str]) -> FileChange | None:
    was, now = texts.get(oid), texts.get(file.old_blob)
    if was is None or now is None or len(was) + len(now) > _LARGEST:
        return None
    path = file.old_path or file.path
    return replace(
        file, path=path, old_path=None, status="M", old_blob=oid, new_blob=file.old_blob, patch=patch(was, now)
    )


def _told(trees: Trees, change: Change, reading: Reading, step: Change, since: Reading) -> Reading:
    blobs = dict(trees.contents(f.old_blob for f in step.files))
    words = {f.path: frozenset(_WORD.findall(blobs.get(f.old_blob, ""))) for f in step.files}
    found: dict[str, list[Finding]] = {}
    for one in since.findings:
        found.setdefault(one.path, []).append(one)
    had: dict[str, str] = {}
    for finding in filter(_is_asked, reading.findings):
        path = _place(finding, change)
        value = _had(finding, found.get(path, ()), words[path]) if path in words else None
        had |= {} if value is None else {finding.id: value}
    typed = {f.id: _typed(f) for f in reading.findings if had.get(f.id) == NOTHING}
    there = _standing(trees, step.parents[0], {name for name in typed.values() if name})
    left = {name: value for name, value in had.items() if typed.get(name) not in there}
    if not left:
        return reading
    return replace(reading, findings=tuple(replace(f, released=left.get(f.id)) for f in reading.findings))


def _had(finding: Finding, since: Sequence[Finding], words: frozenset[str]) -> str | None:
    """What the release has of it, as a step since then shows; None where no step is about it. A member of what is as new as
    itself may have come with it from elsewhere, and so may a check of a function that is.
    """
    kind = kind_of(finding.kind)
    parts = _WORD.findall(altered(finding))
    named = "nameless" not in kind.traits
    placed = kind.change == "moved" or parts[:-1]  # known by its place in this file
    if named and placed and parts and parts[-1] not in words and words.issuperset(parts[-2:-1]):
        return NOTHING
    whole = words.issuperset(parts[-2:-1] if named else parts[-1:])
    for one in since:
        if one.symbol != finding.symbol or _family(one) != _family(finding):
            continue
        follows = one.after is not None and one.after == finding.before
        if kind_of(one.kind).change in CAME:
            if whole and (named or follows):
                return NOTHING
        elif follows and one.before is not None:
            return one.before
    return None


def altered(finding: Finding) -> str:
    """The name that a release has or has not, as users call it: of what has to be given from now on, whoever asks for it. That
    the new name itself is in no release goes without saying.
    """
    if kind_of(finding.kind).change not in CAME:
        return finding.symbol
    function, called, _ = finding.symbol.partition("(")
    return function if called else finding.symbol.rpartition(".")[0]


def _family(finding: Finding) -> str:
    return kind_of(finding.kind).family.removeprefix("internal_")


def _typed(finding: Finding) -> str:
    """What users write wherever the sources have it; empty for what is known by its place or its owner."""
    parts = _WORD.findall(finding.symbol)
    return parts[0] if len(parts) == 1 and kind_of(finding.kind).surface in _TYPED else ""


_TYPED = frozenset({"cli", "environment", "server", "metrics", "models"})


def _standing(trees: Trees, commit: str, names: set[str]) -> frozenset[str]:
    """Those of some names that the sources of a tree hold."""
    rows = trees.matches([commit], names, _SOURCES) if names else ()
    return frozenset(names) if rows is None else frozenset(text for _, _, text in rows)
