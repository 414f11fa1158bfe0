"""Pins and submodules of one watched repository that moved in another: what is taken, from which version to which.

A name alone may be a fork's: an address beside the pin that names another owner means it is not the watched one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from msgspec import Struct, field
from msgspec.structs import replace

from daybreak.core.model.changes import Change, Held, Taken
from daybreak.core.model.findings import Finding
from daybreak.core.model.items import Activity
from daybreak.core.model.links import Bump, HeadUse
from daybreak.core.model.report import Entry
from daybreak.core.versions import Version, exact, normalised, version
from daybreak.findings.kinds import kind_of
from daybreak.judge.change_kinds import is_revert

_SHA = re.compile(r"(?=[0-9a-f]*\d)[0-9a-f]{7,40}")
_WHOLE = 40
_SUFFIX = re.compile(
    r"(?:[_-](?:upstream|git|repo|release|pinned|pypi|pip))?[_-](?:version|ver|tag|branch|commit|ref|sha|hash|revision)$",
    re.IGNORECASE,
)
_EXTRAS = re.compile(r"^\[[^\]]{0,80}\]\s{0,3}")
_LEAST = re.compile(r"(?:>=|~=)\s{0,3}([\w.!+-]{1,60})(?=\s{0,3}(?:,|$))")
_ADDRESS = re.compile(
    r"(?:https?://|git@)[\w.-]{1,80}[/:]([A-Za-z0-9][\w-]{0,38})/([\w.-]{1,80}?)(?:\.git)?(?=[\s\"'@/)#]|$)"
)


class Side(Struct, frozen=True):
    """What is known of one watched repository."""

    activity: Activity
    entries: tuple[Entry, ...] = ()
    """Of the window, late ones included."""
    earlier: tuple[Entry, ...] = ()
    """Of the days before it, as far as they were read."""
    recent: tuple[Change, ...] = ()
    """Changes of the days before the window, newest first, read or not."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """tag -> sha, as of the window."""
    released: Mapping[str, str] = field(default_factory=dict)
    """sha -> first tag that holds it, as far as was asked; entries bring their own."""
    holds: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """tag of a release of the window -> shas that are new in it, oldest first."""
    packages: tuple[str, ...] = ()
    """Names under which it is installed, whose versions are its tags."""
    uses: tuple[HeadUse, ...] = ()
    """Where its code, at its head, uses names that another one took away in the window."""
    spans: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    """(sha, sha) -> all its changes from the one to the other, oldest first, as far as git was asked."""
    has: frozenset[str] = frozenset()
    """Commits that pins name and that git has there, as far as it was asked."""
    dated: Mapping[str, datetime] = field(default_factory=dict)
    """tag -> when it was made, as far as git was asked."""
    taken: Mapping[str, tuple[Taken, ...]] = field(default_factory=dict)
    """sha of a fix -> others that pin a version of it with the fault."""
    pinned: tuple[Held, ...] = ()
    """What it pins of the others."""

    @property
    def repo(self) -> str:
        return self.activity.repo

    def place(self, package: str) -> int:
        """Where a name stands among its packages; the first is the main one."""
        names = [normalised(name) for name in self.packages]
        return names.index(normalised(package)) if normalised(package) in names else len(names)

    @property
    def changes(self) -> tuple[Change, ...]:
        """All that are known, oldest first."""
        found = (*self.recent, *(e.change for e in self.earlier), *(e.change for e in self.entries))
        return tuple(sorted({c.sha: c for c in found}.values(), key=lambda c: c.committed_at))


class Targets:
    """The watched repositories by the names that pins use."""

    def __init__(self, sides: Sequence[Side]) -> None:
        self.sides = {side.repo: side for side in sides}
        self._known: dict[str, str] = {}
        self._alike: dict[str, str] = {}
        for side in sides:
            for name in side.packages:
                self._known.setdefault(normalised(name), side.repo)
            self._alike.setdefault(squeezed(side.repo.rpartition("/")[2]), side.repo)

    def find(self, finding: Finding) -> tuple[str, str, bool] | None:
        """(repository, name of the pin, known as its package) of a finding; None for anything else."""
        return self.named(finding.symbol, declared=kind_of(finding.kind).family in ("dependency", "extra_dependency"))

    def named(self, symbol: str, *, declared: bool) -> tuple[str, str, bool] | None:
        """The same by what a manifest calls it; `declared`: as a package."""
        bare = symbol.rpartition("] ")[2] if declared else _SUFFIX.sub("", symbol.strip("_ "))
        name = bare.rstrip("/").rpartition("/")[2]
        by_name = self._known.get(normalised(name)) if declared else None
        if by_name is not None:
            return by_name, name, True
        alike = self._alike.get(squeezed(name))
        return (alike, name, False) if alike is not None else None


def squeezed(name: str) -> str:
    """A name without case and signs, so that `FLASH_ATTENTION` is `flash-attention`."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def is_sha(value: str) -> bool:
    return _SHA.fullmatch(value) is not None and version(value) is None


def pinned(value: str | None) -> tuple[str, bool] | None:
    """The version, tag or commit that a pin names, and whether newer ones do too: `[cu13] >=0.6.15` → `0.6.15`, True."""
    text = _EXTRAS.sub("", (value or "").strip())[:200]
    if is_sha(text):
        return text, False
    only = exact(text)
    if only is not None:
        return only, False
    least = _LEAST.match(text)
    return (least[1], True) if least and version(least[1]) else None


def bumps(sides: Sequence[Side]) -> tuple[Bump, ...]:
    """Every move of a pin between watched repositories, oldest first; in one change told once."""
    targets = Targets(sides)
    out: list[Bump] = []
    for side in sides:
        for entry in (*side.earlier, *side.entries):
            out += _of_entry(entry, targets)
    out.sort(key=lambda b: (b.at, b.repo, b.sha))
    return tuple(_in_line(out))


def _is_pin(finding: Finding) -> bool:
    kind = kind_of(finding.kind)
    return kind.change == "changed" and "pinned" in kind.traits


def _of_entry(entry: Entry, targets: Targets) -> Iterator[Bump]:
    moved: dict[tuple[str, str, str], Bump] = {}
    for finding in entry.reading.findings:
        one = _of_finding(entry, finding, targets) if _is_pin(finding) else None
        if one is None:
            continue
        key = (one.target, one.before, one.after)
        if key in moved:
            known = moved[key]
            name = min(known.package, one.package, key=targets.sides[one.target].place)
            one = replace(known, package=name, findings=(*known.findings, *one.findings), sure=known.sure or one.sure)
        moved[key] = one
    yield from moved.values()


def _of_finding(entry: Entry, finding: Finding, targets: Targets) -> Bump | None:
    found = targets.find(finding)
    before, after = pinned(finding.before), pinned(finding.after)
    if found is None or before is None or after is None or before == after or found[0] == entry.change.repo:
        return None
    target, package, known = found
    side = targets.sides[target]
    owner = _owner(entry.change, finding.path, target)
    if owner is False:
        return None
    tag = tag_of(side, after[0])
    sure = bool(known or owner or tag or _change_of(side, after[0]) or after[0] in side.has)
    between, whole = _between(side, before[0], after[0])
    change = entry.change
    ids = (f"finding:{finding.id}",)
    return Bump(
        change.repo, change.sha, change.committed_at, target, package, before[0], after[0], ids, sure,
        least=after[1], back=is_revert(change.subject), release=tag, between=between, whole=whole,
    )  # fmt: skip


def _owner(change: Change, path: str, target: str) -> bool | None:
    """An address of that name stands beside the pin: the watched one's (True), another's (False), or none."""
    patch = next((f.patch for f in change.files if f.path == path), "")[:40_000]
    return named_beside("\n".join(line for line in patch.split("\n") if not line.startswith("-")), target)


def named_beside(text: str, target: str) -> bool | None:
    """An address of that name stands in a text: the watched one's (True), another's (False), or none."""
    wanted = squeezed(target.rpartition("/")[2])
    owners = {f"{m[1]}/{m[2]}".lower() for m in _ADDRESS.finditer(text) if squeezed(m[2]) == wanted}
    return target.lower() in owners if owners else None


def tag_of(side: Side, value: str) -> str | None:
    """The tag that a version or a commit is."""
    tags = dict.fromkeys((*(r.tag for r in side.activity.releases), *side.tags))
    if is_sha(value):
        shas = {**{r.tag: r.sha for r in side.activity.releases if r.sha}, **side.tags}
        return next((tag for tag, sha in shas.items() if sha.startswith(value)), None)
    wanted = version(value)
    return next((tag for tag in tags if version(tag) == wanted), None) if wanted is not None else None


def commit_of(side: Side, value: str) -> str | None:
    """The commit that a pin names: a known change, the commit of a known tag, or a commit that it gives in full."""
    tagged = side.tags.get(tag_of(side, value) or "")
    if not is_sha(value):
        return tagged
    return _change_of(side, value) or tagged or (value if len(value) == _WHOLE else None)


def _change_of(side: Side, value: str) -> str | None:
    """The known change that a pin to a commit names."""
    if not is_sha(value):
        return None
    found = [change.sha for change in side.changes if change.sha.startswith(value)]
    return found[0] if len(found) == 1 else None


def _between(side: Side, before: str, after: str) -> tuple[tuple[str, ...], bool]:
    """Known changes of the target from one pin to the next; all of them only when both ends are known."""
    changes = [change.sha for change in side.changes]
    first, last = (commit_of(side, x) or "" for x in (before, after))
    if (first, last) in side.spans:
        return side.spans[first, last], True
    if first in changes and last in changes:
        start, end = changes.index(first), changes.index(last)
        return tuple(changes[start + 1 : end + 1]), True
    low, high = version(before), version(after)
    if low is None or high is None or high <= low:
        return (), False
    firsts = dict(side.released) | {e.change.sha: e.released for e in (*side.earlier, *side.entries) if e.released}
    return tuple(sha for sha in changes if _within(firsts.get(sha), low, high)), False


def _within(tag: str | None, low: Version, high: Version) -> bool:
    one = version(tag or "")
    return one is not None and low < one <= high


def _in_line(found: Sequence[Bump]) -> list[Bump]:
    """Each move with whether it goes back: to a lower version, or to the commit that the last move had left."""
    last: dict[tuple[str, str, str], Bump] = {}
    out = []
    for one in found:
        key = (one.repo, one.target, squeezed(one.package))
        low, high, before = version(one.after), version(one.before), last.get(key)
        if low is not None and high is not None:
            back = low < high and (one.back or not one.least)  # a lower bound that is let down takes nobody back
        else:
            back = (one.back or (before is not None and before.before == one.after)) and not (before and before.back)
        last[key] = replace(one, back=back)
        out.append(last[key])
    return out
