"""Changes read from their diffs and blobs: paths, findings, components and the hunks to show."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Area, Finding, Hunk, Reading
from daybreak.core.profiles import Profile, generic, profile_of
from daybreak.core.versions import normalised
from daybreak.findings import paths
from daybreak.findings.asked_on import with_machine
from daybreak.findings.blobs import SurfaceCache
from daybreak.findings.compare import Surfaces, compare_surfaces, read_surface
from daybreak.findings.diff import HEAD, DiffHunk, hunks
from daybreak.findings.importers import importers, losers
from daybreak.findings.inherited import without_inherited
from daybreak.findings.kinds import CAME, kind_of
from daybreak.findings.languages import readers
from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.cpp import header_facts
from daybreak.findings.languages.dangling import dangling
from daybreak.findings.languages.dependencies import without_handed_over
from daybreak.findings.languages.exports_reach import as_functions, reach_exports
from daybreak.findings.languages.hard_needs import without_installed
from daybreak.findings.languages.lacking_arguments import misfit_arguments
from daybreak.findings.languages.left_open import settled
from daybreak.findings.languages.lost_imports import bound_names, lost_imports
from daybreak.findings.languages.python_wanted import wants_source
from daybreak.findings.languages.said_instead import with_successors
from daybreak.findings.languages.still_asked import with_old_ones
from daybreak.findings.memory import forget
from daybreak.findings.named_settings import known_settings, named_settings, setting_lines
from daybreak.findings.negations import without_negations
from daybreak.findings.public_scope import fork_profile, opened, reached, rooted
from daybreak.findings.reader import USUAL, Limits
from daybreak.findings.safe import SafeKind, safe_kind
from daybreak.findings.safe import wanted as wanted_for_proof
from daybreak.findings.settable import by_flag, once, without_asserted, without_echoes, without_unsettable
from daybreak.findings.still_defined import confirmed
from daybreak.findings.trees import Trees
from daybreak.findings.version_gates import behind_versions
from daybreak.findings.whole_trees import widened

# --- The one to three hunks that show a change, verbatim ---
# A hunk with a breaking finding tells most, then one with another finding that is told; then code before all else, a
# changed condition before added lines, and nothing that is only imports, comments or logging while there is more.


MAX_LINES = 40
MAX_WIDTH = 400
LIMIT = 3

_WEIGHT: dict[Area, float] = {
    "api": 3.0,
    "kernel": 2.8,
    "code": 2.8,
    "dependency": 1.5,
    "build": 1.2,
    "data": 0.6,
    "ci": 0.3,
    "test": 0.25,
    "docs": 0.3,
}
_NEVER: frozenset[Area] = frozenset({"generated", "vendored", "lock"})
_BEHIND: frozenset[Area] = frozenset({"test", "docs", "ci", "data"})
_CONDITION = re.compile(
    r"\s*(?:\}?\s*else\s+)?(?:if|elif|while|assert|return|and|or)\b|\s*(?:&&|\|\|)|\s*#\s*(?:el)?if"
)
_TALK = re.compile(
    r"\s*(?:#|//|/\*|\*|\"\"\"|'''|from [\w.]+ import|import |#include|using |[\w.]*log(?:ger)?\.|print\(|warnings\.)"
)
_NAMES_ONLY = re.compile(r"\s*(?:[\w.]+( as \w+)?,?|[()\]}])\s*$")
_BEHAVIOUR = frozenset({"guard", "dispatch"})


def decisive(files: Sequence[ReadFile], findings: Sequence[Finding]) -> tuple[Hunk, ...]:
    """Best first; one hunk unless findings stand in several."""
    held: dict[str, list[Finding]] = {}
    for finding in findings:
        held.setdefault(finding.path, []).append(finding)
    shown = [f for f in files if f.area not in _NEVER and f.hunks]
    front = [f for f in shown if f.area not in _BEHIND]
    ranked: list[tuple[float, int, ReadFile, DiffHunk]] = []
    for file in front or shown:
        for hunk in file.hunks:
            if all(len(line) <= MAX_WIDTH for line in hunk.raw[: MAX_LINES + 1]):
                ranked.append((-_score(file, hunk, held.get(file.path, ())), len(ranked), file, hunk))
    ranked.sort(key=lambda item: item[:2])
    telling = [item for item in ranked[:LIMIT] if item[0] <= -10.0]
    return tuple(Hunk(f.path, cut(h)) for _, _, f, h in telling or ranked[:1])


def _score(file: ReadFile, hunk: DiffHunk, findings: Sequence[Finding]) -> float:
    """Ten and more: the hunk holds a finding that its first lines show."""
    score = _WEIGHT.get(file.area, 0.1) - (0.5 if file.path.startswith("test") else 0.0)
    changed = [x for x in hunk.lines if x.sign != " "]
    score += min(len(changed), 12) / 12 - (1.0 if len(hunk.raw) > MAX_LINES else 0.0)
    score += _worth(hunk) if file.area in paths.SOURCES else 0.0
    visible = hunk.lines[:MAX_LINES]
    old = {x.old for x in visible if x.sign != "+"}
    new = {x.new for x in visible if x.sign != "-"}
    best = 0.0
    for f in findings:
        if f.line in (old if f.after is None else new):
            best = max(best, _telling(f))
    return score + best


def _telling(finding: Finding) -> float:
    """How much a finding makes its hunk worth showing."""
    if finding.breaking:
        return 20.0
    kind = kind_of(finding.kind)
    if kind.told != "always" or not kind.family:
        return 0.5
    if kind.change in CAME:
        return 10.0
    if kind.family in _BEHAVIOUR:
        return 12.0
    return 10.3 if kind.family == "submodule" else 11.0  # two shas say less than the versions of a pin beside them


def _worth(hunk: DiffHunk) -> float:
    """Down for imports, comments and logging alone; up for a condition that reads otherwise now."""
    changed = [x for x in hunk.lines if x.sign != " " and x.text.strip()]
    if all(_TALK.match(x.text) for x in changed):
        return -3.0
    if all(_TALK.match(x.text) or _NAMES_ONLY.match(x.text) for x in changed):
        return -2.5  # a list of imported names, or of names in general
    gone, come = ([x for x in changed if x.sign == s and _CONDITION.match(x.text)] for s in "-+")
    return 0.8 if gone and come else 0.3 if gone or come else 0.0


def cut(hunk: DiffHunk) -> str:
    """The hunk, or its first lines when it is longer than a reader wants: a run of whole lines from its `@@` on."""
    return "\n".join(hunk.raw[: MAX_LINES + 1])


_MANY = 1000
"""Findings of one change that nobody reads as a list."""
SOURCES = 40
"""Changes whose sources are at hand at the same time."""
Prove = Callable[[Change], SafeKind | None]
LookUp = Callable[[Change, set[Fact]], set[Fact]]
"""Asks the whole tree about facts that would be called breaking."""


class Anew(Struct, frozen=True):
    """Reads with the readers of the registry: hunks for what happened inside, surfaces for what is offered."""

    trees: Trees | None
    """Whole trees to ask; without them the hunks are all there is."""
    limits: Limits
    cache: SurfaceCache

    def read(self, changes: Sequence[Change]) -> dict[str, Reading]:
        profile = self._profile(changes)
        files = {change.sha: [_parse(f, profile) for f in change.files] for change in changes}
        if self.trees:
            files = opened(self.trees, changes, files, self.limits.wide)
        surfaces = self._surfaces([f for parsed in files.values() for f in parsed])
        prove, look_up = self._safe(files), self._look_up(changes, files)
        # of the newest tree: one search a window, and a setting that went is told by itself
        newest = max(changes, key=lambda change: change.committed_at).sha if changes and self.limits.hunks else ""
        known = known_settings(self.trees, newest, self.cache) if newest else frozenset()
        readings: dict[str, Reading] = {}
        for at in range(0, len(changes), SOURCES):
            some = changes[at : at + SOURCES]
            sources = self._sources([f for c in some for f in files[c.sha]])
            for c in some:
                made = _guarded_change(c, files[c.sha], surfaces, prove, look_up, self.limits, sources, known)
                readings[c.sha] = replace(made, standing=self._standing(files[c.sha]))
        self.cache.save()
        forget()
        return readings

    def plainly(self, changes: Sequence[Change]) -> dict[str, Reading]:
        """Readings of changes by their own files: nothing is looked up beyond these."""
        profile, limits = self._profile(changes), replace(self.limits, hunks=False, findings=_MANY)
        files = {change.sha: [_parse(f, profile) for f in change.files] for change in changes}
        every = [f for some in files.values() for f in some]
        surfaces, texts = self._surfaces(every), self._sources(every)
        plain = partial(_guarded_change, prove=_unproved, look_up=_as_found, limits=limits, known=frozenset())
        readings = {c.sha: plain(c, files[c.sha], surfaces, sources=texts) for c in changes}
        forget()
        return readings

    def _profile(self, changes: Sequence[Change]) -> Profile:
        """That of the repository; a fork of a known project has the project's."""
        found = profile_of(changes[0].repo) if changes else generic()
        if not (changes and self.trees):
            return found
        last = changes[-1].sha
        return rooted(self.trees, last, fork_profile(self.trees, last) if found is generic() else found)

    def _look_up(self, changes: Sequence[Change], files: Mapping[str, Sequence[ReadFile]]) -> LookUp:
        trees = self.trees
        if trees is None:
            return _as_found
        bound, left = bound_names(trees, changes, files), dangling(trees, changes, files)

        def look_up(change: Change, facts: set[Fact]) -> set[Fact]:
            standing = without_inherited(trees, change, confirmed(trees, change, facts))
            standing = without_negations(trees, change, standing)
            asked = by_flag(trees, change, without_unsettable(trees, change, reach_exports(trees, change, standing)))
            asked = behind_versions(trees, change, as_functions(trees, change, without_asserted(trees, change, asked)))
            asked = with_machine(trees, change, without_installed(trees, change, asked))
            asked |= lost_imports(trees, change, files[change.sha], bound) | left.get(change.sha, set())
            asked |= misfit_arguments(trees, change, files[change.sha])
            return widened(trees, change, asked) if self.limits.trees else asked

        return look_up

    def _safe(self, files: Mapping[str, Sequence[ReadFile]]) -> Prove:
        """Asked of a change: what it provably is nothing but (comments, formatting, type hints or moves)."""
        if self.trees is None:
            return _unproved
        wanted = {sha: ids for sha, parsed in files.items() if (ids := wanted_for_proof(parsed))}
        blobs = dict(self.trees.contents(oid for ids in wanted.values() for oid in ids))

        def prove(change: Change) -> SafeKind | None:
            parsed = files[change.sha]
            return _proved(parsed, blobs) if change.sha in wanted or _only_renames(parsed) else None

        return prove

    def _sources(self, files: Sequence[ReadFile]) -> dict[str, str]:
        """Both sides of every Python file in which a question or a default may read otherwise now."""
        ids = {oid for f in files if wants_source(f) for oid in (f.change.old_blob, f.change.new_blob)}
        return dict(self.trees.contents(oid for oid in ids if oid.strip("0"))) if self.trees and ids else {}

    def _standing(self, files: Sequence[ReadFile]) -> dict[str, tuple[str, ...]]:
        """The names of heads that went which their files still write: lines alone do not tell what is gone."""
        went = {f: names for f in files if f.change.new_blob.strip("0") and (names := _heads_gone(f))}
        if self.trees is None or not went or not self.limits.hunks:
            return {}
        texts = dict(self.trees.contents({f.change.new_blob for f in went}))
        found = {f.path: _still_there(names, texts.get(f.change.new_blob, "")) for f, names in went.items()}
        return {path: tuple(sorted(names)) for path, names in found.items() if names}

    def _surfaces(self, files: Sequence[ReadFile]) -> Surfaces:
        """Surfaces of both sides of every file whose hunks may have changed one."""
        wanted: dict[tuple[str, str], str] = {}
        surfaces = Surfaces(self.cache)
        for file in files:
            for language in surfaces.languages(file):
                for oid in (file.change.old_blob, file.change.new_blob):
                    if oid.strip("0"):
                        wanted[language.key, oid] = file.path
        missing = [key for key in wanted if surfaces.get(*key) is None]
        if self.trees is None or not missing:
            return surfaces
        by_oid: dict[str, list[str]] = {}
        for language_key, oid in missing:
            by_oid.setdefault(oid, []).append(language_key)
        for oid, text in self.trees.contents(by_oid):
            for language_key in by_oid[oid]:
                surfaces.put(language_key, oid, read_surface(language_key, wanted[language_key, oid], text))
        return surfaces


_WORD = re.compile(r"\w+")
_DERIVED = re.compile(
    r"^[ \t]*class (\w+)(?:\[[^\]\n]{1,200}\])?\((?!(?:object|(?:abc\.)?ABC|(?:typing\.)?Protocol)?\))", re.MULTILINE
)


def _still_there(names: frozenset[str], text: str) -> set[str]:
    """Those that a file writes, and its classes that may have them by a base."""
    return {*names.intersection(_WORD.findall(text)), *(f"{name}." for name in _DERIVED.findall(text))}


def _heads_gone(file: ReadFile) -> frozenset[str]:
    """Names of functions and classes that begin on a line which went."""
    went = (line.text.strip()[:MAX_WIDTH] for hunk in file.hunks for line in hunk.lines if line.sign == "-")
    return frozenset(head[1] for text in went if (head := HEAD.match(text)))


def _only_renames(files: Sequence[ReadFile]) -> bool:
    return bool(files) and all(f.change.status == "R" and not f.change.patch for f in files)


def _proved(files: Sequence[ReadFile], blobs: Mapping[str, str]) -> SafeKind | None:
    try:
        return safe_kind(files, blobs)
    except (ValueError, IndexError, KeyError, RecursionError, SyntaxError, MemoryError):
        return None  # what cannot be proved is not safe


def _unproved(_change: Change) -> SafeKind | None:
    return None


def _as_found(_change: Change, facts: set[Fact]) -> set[Fact]:
    return facts


def _guarded_change(
    change: Change,
    files: Sequence[ReadFile],
    surfaces: Surfaces,
    prove: Prove,
    look_up: LookUp,
    limits: Limits,
    sources: Mapping[str, str],
    known: frozenset[str],
) -> Reading:
    """A change that a reader stumbles over is told by its files, and that the rest could not be read."""
    try:
        try:
            return read_change(change, files, surfaces, prove, look_up, limits, sources, known)
        except SystemError:  # some versions of Python miscount where two threads parse at once (python/cpython#106905)
            return read_change(change, files, surfaces, prove, look_up, limits, sources, known)
    except Exception as error:  # noqa: BLE001  whatever it is, it must cost one change and not the report
        areas = dict(Counter(f.area for f in files).most_common())
        return Reading(change.sha, areas, skipped=f"its diff could not be analysed ({type(error).__name__})")


def read_change(
    change: Change,
    files: Sequence[ReadFile],
    surfaces: Surfaces,
    prove: Prove | None = None,
    look_up: LookUp = _as_found,
    limits: Limits = USUAL,
    sources: Mapping[str, str] | None = None,
    known: frozenset[str] = frozenset(),
) -> Reading:
    """One change: what its hunks say, and what its files offer now that they did not before."""
    whole = Whole(files, _complete(change), limits.wide, sources)
    readable = _readable(files, limits)
    stumbled: set[str] = set()
    read = {*_facts(readable, whole, stumbled), *compare_surfaces(files, surfaces, whole, stumbled)}
    found = _settled(change, read, whole, look_up, limits)
    if prove is not None and not any(fact.breaking for fact in found) and (safe := prove(change)) is not None:
        found.add(Fact(safe, next(f.path for f in files), 1, ""))
    profile = files[0].profile if files else profile_of(change.repo)
    touched = [file.path for file in files if file.area in paths.SOURCES]
    order = partial(_order, taken={**importers(file.change.patch for file in files), **losers(found, files)})
    facts = sorted(once(with_effect(profile, found, touched)), key=order)
    findings = tuple(_finding(change.sha, number, fact) for number, fact in enumerate(facts[: limits.findings], 1))
    sourced = [(f.path, f.hunks) for f in files if f.area in paths.SOURCES] if limits.hunks else []
    settings = named_settings((hunk for _, some in sourced for hunk in some), known)
    return Reading(
        sha=change.sha,
        areas=dict(Counter(f.area for f in files).most_common()),
        components=paths.components((f.path, f.added + f.deleted) for f in change.files),
        findings=findings,
        hunks=decisive(files, findings) if limits.hunks else (),
        settings=settings,
        setting_lines=setting_lines(sourced, settings, known),
        unparsed=tuple(sorted({*surfaces.unparsed(files), *stumbled})),
        omitted=max(len(facts) - limits.findings, 0),
        partly=sum(len(a.hunks) != len(b.hunks) for a, b in zip(files, readable, strict=True)),
    )


def _settled(change: Change, read: set[Fact], whole: Whole, look_up: LookUp, limits: Limits) -> set[Fact]:
    """What is left of all that was read once it is held against the change as a whole and looked up in its tree."""
    read = without_handed_over(read, whole)
    if limits.wide:
        read |= set(header_facts(whole.files, whole.complete))
    found = reached(
        look_up(change, without_echoes(set(settled(read, whole)))), {file.path: file.handed for file in whole.files}
    )
    return with_successors(with_old_ones(found, whole), whole)


def _parse(change: FileChange, profile: Profile) -> ReadFile:
    area = "dependency" if change.submodule else paths.area(change.path, profile)
    area = "generated" if paths.is_written(change.patch) else area
    parsed = () if area in ("generated", "lock") else tuple(hunks(change.patch))
    return ReadFile(change, area, parsed, profile=profile)


def _complete(change: Change) -> bool:
    """All of the diff is here: only then may a name that is not seen be called gone."""
    return len(change.files) == change.files_total and not any(f.patch_cut or f.skipped for f in change.files)


def _readable(files: Sequence[ReadFile], limits: Limits) -> list[ReadFile]:
    """Each file with as many of its hunks as are looked at."""
    left, out = limits.lines_per_change, []
    for file in files:
        out.append(_bounded(file, min(max(left, 0), limits.lines_per_file)))
        left -= sum(len(h.lines) for h in out[-1].hunks)
    return out


def _facts(files: Sequence[ReadFile], whole: Whole, stumbled: set[str]) -> Iterator[Fact]:
    for file in files:
        if file.change.submodule:
            yield from _submodule(file)
        elif file.hunks:
            yield from _guarded(file, whole, stumbled)


def _bounded(file: ReadFile, lines: int) -> ReadFile:
    """The file with its first hunks, as many as fit; a mass edit has no findings worth the time they would take."""
    kept: list[DiffHunk] = []
    for hunk in file.hunks:
        lines -= len(hunk.lines)
        if lines < 0:
            break
        kept.append(hunk)
    return file if len(kept) == len(file.hunks) else replace(file, hunks=tuple(kept))


def _guarded(file: ReadFile, whole: Whole, stumbled: set[str]) -> Iterable[Fact]:
    """One reader that stumbles over hostile input costs its own facts, not the change; the file is named as skipped."""
    out: list[Fact] = []
    for reader in readers(file.path):
        try:
            out.extend(reader(file, whole))
        except (ValueError, IndexError, KeyError, RecursionError, StopIteration):
            stumbled.add(file.path)
    return out


def _submodule(file: ReadFile) -> Iterator[Fact]:
    """A bumped gitlink: git prints the two commits as `Subproject commit` lines."""
    shas = {x.sign: x.text.split()[-1] for h in file.hunks for x in h.lines if x.text.startswith("Subproject commit ")}
    if "-" in shas and "+" in shas and shas["-"] != shas["+"]:
        yield Fact("submodule_changed", file.path, 1, file.path, shas["-"], shas["+"])


def _order(fact: Fact, taken: Mapping[str, int]) -> tuple[bool | int | str, ...]:
    """Breaking first, additions last, of names that moved what most files import, of variables that went what most lines
    lost, then by place: the same diff always gives the same numbers.
    """
    place = (fact.path, fact.line, fact.kind, fact.symbol, fact.before or "", fact.after or "")
    return (
        not fact.breaking,
        fact.inner,
        kind_of(fact.kind).change in CAME,
        -taken.get(fact.symbol, 0) if _is_counted(fact) else 0,
        *place,
        str(fact.alias),
        fact.effective or "",
    )


def _is_counted(fact: Fact) -> bool:
    kind = kind_of(fact.kind)
    return kind.change == "moved" or kind.means("env", "removed")


def _finding(sha: str, number: int, fact: Fact) -> Finding:
    return Finding(
        id=f"{sha[:12]}/{number}",
        kind=fact.kind,
        path=fact.path,
        line=fact.line,
        symbol=fact.symbol,
        before=fact.before,
        after=fact.after,
        breaking=fact.breaking,
        alias=fact.alias,
        effective=fact.effective,
        inner=fact.inner,
        default=fact.default,
        under=fact.under,
    )


# From when a change takes effect: parts of a repository that ship as packages of their own.


def with_effect(profile: Profile, facts: Iterable[Fact], sources: Iterable[str] = ()) -> list[Fact]:
    """The facts, each with the package it waits for; a change that bumps that very pin waits for nothing, and of one that
    changes what calls the package as well it is not known.

    `sources`: paths of the code that the change touches.
    """
    facts = list(facts)
    if any(
        paths.effective_with(profile, path) is None and not paths.NOT_SHIPPED.search(path[:400]) for path in sources
    ):
        return facts
    names = profile.layout.also_pinned
    bumped = {
        normalised(f.symbol)
        for f in facts
        if kind_of(f.kind).means("dependency", "changed") and paths.effective_with(profile, f.path) is None
    }
    out = []
    for fact in facts:
        package = paths.effective_with(profile, fact.path) if fact.effective is None else None
        if package is None or bumped & {package, *names.get(package, ())}:
            out.append(fact)
        else:
            out.append(replace(fact, effective=package))
    return out
