"""What can be said of a change that bears on its importance: named features, each with the words that show it.

A feature is 0 to 1. Its weight and its wording are data (`weights.toml`), so the grade can be explained and refitted.
None of them knows a repository or a title's tags: a mixed commit is judged by its files that are not tests, docs or
CI, by what was found in them, and by what its subject says in plain words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Area, Reading
from daybreak.core.model.statements import Kind, Reason
from daybreak.core.profiles import either, field
from daybreak.findings.kinds import Kind as FindingKind
from daybreak.findings.kinds import groups, kind_of
from daybreak.judge.breaking import is_breaking
from daybreak.judge.effects import said_by
from daybreak.judge.places import QUIET, front, is_front, is_quiet, lines
from daybreak.judge.titles import bare, body, tags
from daybreak.judge.vocabulary import IN_BODY, NICHE, PLACES, WORDS, is_core


class Feature(NamedTuple):
    """One named feature; its reason is its own, or its words in the catalogue with `detail` in them."""

    name: str
    value: float = 1.0
    detail: str = ""
    reason: Reason | None = None


_REQUIRED = frozenset({"python_required", "toolchain_required"})
_SETTINGS = frozenset({"cli", "environment", "config", "server", "metrics", "models"})
_VERSION_FILE = re.compile(
    r"(?:^|/)(?:version\.txt|VERSION|_?version\.py|versions?\.toml|CHANGELOG[\w.]{0,6})$", re.IGNORECASE
)
_VERSION_LINE = re.compile(
    r"^\s{0,40}(?:\w{0,20}version\w{0,4}[\"']?\s{0,4}[:=]\s{0,4})?[\"']?v?\d{1,4}(?:\.\w{1,12}){1,4}[\"']?,?\s{0,8}$",
    re.IGNORECASE,
)
_CODE: frozenset[Area] = frozenset({"code", "api", "kernel"})
_TEST_TAG = re.compile(r"(?<![A-Za-z])(?:CI|tests?|testing|flaky|bench\w{0,8})(?![A-Za-z])", re.IGNORECASE)
_SERIES = re.compile(r"(?<![\w/])\d{1,2}\s?/\s?(?:\d{1,2}|[nN])(?![\w/])")
_GATE = re.compile(
    r"^\s{0,60}(?:if|elif|else if|return)\b.{0,200}(?:is_cuda|is_hip|capability|sm\d\d|is_sm|arch|support|backend|dtype)",
    re.IGNORECASE,
)
_KERNEL = either(field().kernel_marks)
_TALK = frozenset(
    """kind_refactor kind_other kind_fix kind_docs kind_test kind_ci kind_build tiny for_tests says_tidying says_testing
    says_telling says_step says_add niche""".split()  # noqa: SIM905  words read better than a list of strings
)
"""What is proven to break a setting, or to switch code off or on, is not talked away by a title that calls it tidying or a
repair of CI, nor by being small.
"""
_REPAIRED = frozenset({"wrong_result", "crash", "hang", "regression"})
_ONLY: tuple[tuple[str, frozenset[Area]], ...] = (
    ("only_docs", frozenset({"docs"})),
    ("only_test", frozenset({"test"})),
    ("only_ci", frozenset({"ci"})),
    ("only_quiet", QUIET),
)
_MODEL_FILE = re.compile(r"(?:^|/)models?/[\w-]{1,80}\.py$|(?:^|/)models/\w{1,60}/")


def features(change: Change, reading: Reading, kind: Kind) -> tuple[Feature, ...]:
    """Every feature of a change that is not zero."""
    alone = decisive(change, reading)
    if alone is not None:
        return (alone,)
    ours = front(change)
    found = (
        Feature(f"kind_{kind}"),
        *_from_findings(change, reading),
        *_from_paths(ours, reading),
        *_from_size(change, ours),
        *_from_words(change, kind),
        *_from_lines(change),
    )
    proven = any(f.name in ("breaks_setting", "switched") for f in found)
    return tuple(f for f in found if f.name not in _TALK) if proven else found


def decisive(change: Change, reading: Reading) -> Feature | None:
    """The one feature that decides alone: nothing that a user runs is touched."""
    if change.empty:
        return Feature("empty")
    if is_quiet(change, reading):
        return next(Feature(name) for name, areas in _ONLY if set(reading.areas) <= areas)
    kinds = [kind_of(f.kind) for f in reading.findings]
    safe = bool(kinds) and all(kind.surface == "safe" for kind in kinds)
    if safe and not set(reading.areas) & {"build", "dependency", "data"}:
        first = min(kinds, key=lambda kind: kind.name)
        return Feature(first.name, reason=Reason(first.name, first.brief))
    return Feature("only_version") if _version_only(change) else None


def is_decisive(name: str) -> bool:
    """Whether a feature stands alone: such a change is low, whatever its words say."""
    return name == "empty" or name.startswith("only_")


def _version_only(change: Change) -> bool:
    """Nothing but the project's own version and what is told beside it."""
    ours = front(change)
    if not ours or any(f.binary or f.patch_cut or f.skipped for f in ours):
        return False
    if all(_VERSION_FILE.search(f.path[-200:]) for f in ours):
        return True
    edited = (line for sign in "+-" for line in lines(change, sign) if line.strip())
    first = next(edited, "")
    return _VERSION_LINE.search(first) is not None and all(map(_VERSION_LINE.search, edited))


def _from_findings(change: Change, reading: Reading) -> Iterator[Feature]:
    yield from _breaks(change, reading)
    shown = [f for f in reading.findings if is_front(f.path)]
    for name in groups():
        found = next((f for f in shown if kind_of(f.kind).group == name), None)
        if found:
            yield Feature(name, reason=said_by(found))
    bumps = [f for f in shown if _is_bump(kind_of(f.kind))]
    core = [f for f in bumps if is_core(f.symbol)]
    if core:
        yield Feature("core_bump", reason=said_by(core[0]))
    elif bumps:
        yield Feature("bump", reason=said_by(bumps[0]))


def _is_bump(kind: FindingKind) -> bool:
    return kind.change == "changed" and ("pinned" in kind.traits or kind.family in _REQUIRED)


def _breaks(change: Change, reading: Reading) -> Iterator[Feature]:
    """What breaks weighs by how it is shown: a setting that is gone, another name, an announcement the code bears out."""
    broken, reasons = is_breaking(change, reading)
    if not broken:
        return
    proven = [kind_of(f.kind) for f in reading.findings if f.breaking]
    if any(kind.surface in _SETTINGS for kind in proven):
        yield Feature("breaks_setting", reason=reasons[0])
    else:
        yield Feature("breaks_api" if proven else "breaks_announced", reason=reasons[0])


def _from_paths(ours: Sequence[FileChange], reading: Reading) -> Iterator[Feature]:
    paths = [f.path[-300:] for f in ours]
    for name, pattern in PLACES:
        if any(map(pattern.search, paths)):
            yield Feature(f"in_{name}")
    areas = set(reading.areas)
    if "kernel" in areas:
        yield Feature("area_kernel")
    if "api" in areas:
        yield Feature("area_api")
    if not areas & _CODE:
        yield Feature("no_code")
    niche = sum(NICHE.search(p) is not None for p in paths)
    if niche * 2 > len(paths):
        yield Feature("niche", niche / len(paths))
    if any(f.status == "A" and _MODEL_FILE.search(f.path[-300:]) for f in ours):
        yield Feature("new_model")


def _from_size(change: Change, ours: Sequence[FileChange]) -> Iterator[Feature]:
    """Size counts only in steps that end soon: a large refactoring is not more important than a middling one."""
    added, deleted = sum(f.added for f in ours), sum(f.deleted for f in ours)
    yield Feature("size", min(1.0, math.log10(1 + added + deleted) / 3.5))
    yield Feature("grows", added / (added + deleted) if added + deleted else 0.5)
    yield Feature("wide", min(1.0, math.log2(1 + len(ours)) / 4))
    if any(f.status == "A" for f in ours):
        yield Feature("new_file")
    if any("test" in f.path for f in change.files if f not in ours):
        yield Feature("tested")
    if added + deleted <= 4:
        yield Feature("tiny")


def _from_words(change: Change, kind: Kind) -> Iterator[Feature]:
    """A fix that speaks of wrong results repairs them; anything else that does is about them."""
    subject, text = bare(change.subject), body(change)
    for name, pattern in WORDS:
        match = pattern.search(subject)
        if match:
            verb = "fixes" if kind in ("fix", "security") and name in _REPAIRED else "says"
            yield Feature(f"{verb}_{name}", 1.0, match[0])
        elif name in IN_BODY and (match := pattern.search(text)):
            yield Feature(f"says_{name}", 0.3, match[0])
    # Projects that tag titles say "CI" and "1/N" in a tag, others in words: both count alike.
    told = tags(change.subject)
    if _TEST_TAG.search(told):
        yield Feature("for_tests", 1.0)
    part = _SERIES.search(change.subject[:400])
    if part:
        yield Feature("series", 1.0, part[0].strip("[]() "))


def _from_lines(change: Change) -> Iterator[Feature]:
    for name, pattern in (("gate", _GATE), ("kernel_lines", _KERNEL)):
        if any(map(pattern.search, lines(change, "+"))):
            yield Feature(name)
