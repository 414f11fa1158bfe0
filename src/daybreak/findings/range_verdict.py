"""Holds what a range says is gone against the trees at its two ends.

Findings are read commit by commit; whatever was missed on the way, the last word have the two trees: a name that
stands at the end is not gone, and one that did not stand at the start cannot have gone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from keyword import iskeyword

from msgspec.structs import replace

from daybreak.core.errors import GitError
from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Finding
from daybreak.findings.blobs import Surface
from daybreak.findings.compare import SURFACES, read_surface
from daybreak.findings.inherited import without_inherited
from daybreak.findings.kinds import kind_of
from daybreak.findings.languages.base import Fact
from daybreak.findings.still_defined import confirmed, searched
from daybreak.findings.trees import ASIDE_NAMES, Trees, Where

_PYTHON = ("function", "method", "class", "attribute", "import")
_ROWS: dict[str, tuple[str, tuple[str, ...]]] = {
    "function": ("python", _PYTHON),
    "class": ("python", _PYTHON),
    "attribute": ("python", _PYTHON),
    "enum_member": ("python", _PYTHON),
    "field": ("python", _PYTHON),
    "extension_method": ("python", _PYTHON),
    "cli_flag": ("options", ("option",)),
    "env": ("environment", ("env",)),
    "route": ("server", ("route",)),
    "metric": ("metrics", ("metric",)),
    "operator": ("operators", ("operator",)),
    "model": ("registries", ("model",)),
    "registry": ("registries", ()),
}
"""Family -> language of its surface and the rows that offer such a name."""
_EXPORTS = {".rs": "rust", ".go": "go", ".ts": "typescript", ".tsx": "typescript"}
"""Languages with one surface for all that a file offers."""
_LANGUAGES = {language.name: language for language in SURFACES}


def settled(trees: Trees, start: str, end: str, findings: Sequence[tuple[Finding, bool]]) -> list[Finding | None]:
    """Each finding as the two trees leave it: None when they contradict it, another one where less is true.

    With each: whether one change alone did it; a name that came a longer way may have stood elsewhere at the start.
    """
    out: list[Finding | None] = [finding for finding, _ in findings]
    asked = [(at, *pair) for at, pair in enumerate(findings) if pair[0].breaking and _about(pair[0])]
    if not asked:
        return out
    with ThreadPoolExecutor(1) as beside:  # git searches the trees while we read files of them
        everywhere = beside.submit(_everywhere, trees, start, end, [finding for _, finding, _ in asked])
        was, now = _ends(trees, (start, end), list(dict.fromkeys(finding.path for _, finding, _ in asked)))
        against = [
            (alone and was.offers(finding) is False) or now.offers(finding) is True for _, finding, alone in asked
        ]
        flags = [finding for _, finding, _ in asked if kind_of(finding.kind).family == "cli_flag"]
        moved = _moved_options(trees, start, end, flags, {path for path in was.paths if path not in now.paths})
        for (at, finding, _), contradicted, left in zip(asked, against, everywhere.result(), strict=True):
            out[at] = None if contradicted or finding.id in moved else left
    return out


_OPTIONS = Where(endings=(".py",), without=ASIDE_NAMES)
_MOST_FILES = 60
"""Files that hold a name; one that stands in more of them is too common to be looked up."""


def _moved_options(trees: Trees, start: str, end: str, findings: Sequence[Finding], deleted: set[str]) -> set[str]:
    """Ids of findings about options that a parser of another file takes at the end: one that took it at the start too
    is another command, unless all of the file that lost it went.
    """
    texts = {one.id: {one.symbol, f"    {one.symbol.lstrip('-').replace('-', '_')}: "} for one in findings}
    places = searched(trees, [start, end], {text for some in texts.values() for text in some}, _OPTIONS) or {}

    def holding(ref: str, one: Finding) -> set[str]:
        files = (places.get((ref, text), set()) for text in texts[one.id])
        return {path for some in files if len(some) <= _MOST_FILES for path in some} - {one.path}

    found = {one.id: holding(end, one) for one in findings}
    was, now = _ends(trees, (start, end), sorted({path for files in found.values() for path in files}))
    return {
        one.id
        for one in findings
        for path in found[one.id]
        if now.takes(path, one.symbol) and (one.path in deleted or not was.takes(path, one.symbol))
    }


def _ends(trees: Trees, refs: tuple[str, str], paths: Sequence[str]) -> tuple[_Tree, _Tree]:
    """The files at both ends."""
    start, end = (_blobs(trees, ref, paths) for ref in refs)
    texts = dict(trees.contents((*start.values(), *end.values())))
    return _Tree(_known(start, texts)), _Tree(_known(end, texts))


def _known(blobs: Mapping[str, str], texts: Mapping[str, str]) -> dict[str, str]:
    return {path: texts[oid] for path, oid in blobs.items() if oid in texts}


def _about(finding: Finding) -> tuple[str, tuple[str, ...]] | None:
    kind = kind_of(finding.kind)
    if kind.change not in ("removed", "renamed"):
        return None
    language = _EXPORTS.get(finding.path[finding.path.rfind(".") :])
    if language is None:
        return _ROWS.get(kind.family)
    rows = ("export",) if kind.family in ("symbol", "extension_method") else _ROWS.get(kind.family, ("", ()))[1]
    return None if not rows or rows == _PYTHON else (language, rows)


class _Tree:
    """Texts of one end by path, and their surfaces, each read once."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._surfaces: dict[tuple[str, str], Surface] = {}

    @property
    def paths(self) -> Collection[str]:
        """The files that stand in it, of those asked for."""
        return self._texts.keys()

    def takes(self, path: str, flag: str) -> bool:
        """Whether a parser in the file takes the option."""
        return path in self._texts and self._surface("options", path).has("option", flag)

    def offers(self, finding: Finding) -> bool | None:
        """Whether the file offers the name; None when there is no such file, or it cannot be understood."""
        about = _about(finding)
        if about is None or finding.path not in self._texts:
            return None
        language, kinds = about
        if not _LANGUAGES[language].reads(finding.path):
            return None
        surface = self._surface(language, finding.path)
        if surface.broken:
            return None
        registry, _, name = finding.symbol.partition(":")
        return any(surface.has(kind, finding.symbol) for kind in kinds) if kinds else surface.has(registry, name)

    def _surface(self, language: str, path: str) -> Surface:
        key = (language, path)
        if key not in self._surfaces:
            self._surfaces[key] = read_surface(_LANGUAGES[language].key, path, self._texts[path])
        return self._surfaces[key]


def _blobs(trees: Trees, ref: str, paths: Iterable[str]) -> dict[str, str]:
    """Path -> blob id in the tree of a commit; a path that is not there, or no text, is left out."""
    try:
        found = trees.blobs_at(f"{ref}:{path}" for path in paths if path)
    except GitError:
        return {}
    return {name.removeprefix(f"{ref}:"): oid for name, oid in found.items()}


def _everywhere(trees: Trees, start: str, end: str, findings: Sequence[Finding]) -> list[Finding | None]:
    """Names that mean the same wherever they stand are looked up in all of both trees."""
    nobody = datetime.fromtimestamp(0, UTC)
    whole = Change("", end, (start,), "", nobody, nobody, "", "")
    left = without_inherited(trees, whole, confirmed(trees, whole, map(_fact, findings)))
    same = {(fact.kind, fact.path, fact.symbol): fact for fact in left}
    out: list[Finding | None] = []
    for finding in findings:
        fact = _fact(finding)
        other = fact if fact in left else same.get((fact.kind, fact.path, fact.symbol))
        out.append(None if other is None else replace(finding, breaking=other.breaking, alias=other.alias))
    return out


def _fact(finding: Finding) -> Fact:
    return Fact(
        finding.kind,
        finding.path,
        finding.line,
        finding.symbol,
        finding.before,
        finding.after,
        finding.breaking,
        finding.alias,
        finding.effective,
    )


# Statements about a file that its lines at both ends of a range do not bear out.
_LEAST = 3
"""Letters of a part of a word that says what the word is about."""
_WORD = re.compile(r"\w+")
_Lines = Counter[tuple[str, str]]
"""How often a line stands below another: one that moves into another class or branch is another line."""


def unborne(trees: Trees, start: str, end: str, findings: Sequence[Finding]) -> list[bool]:
    """Of each finding, whether the file that it was read from has nothing of it that differs between two commits."""
    paths = list(dict.fromkeys(finding.path for finding in findings if finding.path))
    try:
        blobs = trees.blobs_at(f"{ref}:{path}" for ref in (start, end) for path in paths)
    except GitError:
        return [False] * len(findings)
    pairs = {
        path: (blobs[f"{start}:{path}"], blobs[f"{end}:{path}"]) for path in paths if _both(blobs, start, end, path)
    }
    texts = dict(trees.contents({oid for was, now in pairs.values() if was != now for oid in (was, now)}))
    files = {path: _File(texts[was], texts[now]) for path, (was, now) in pairs.items() if was in texts and now in texts}
    same = {path for path, (was, now) in pairs.items() if was == now}
    return [one.path in same or (one.path in files and files[one.path].lacks(one)) for one in findings]


def _both(blobs: Mapping[str, str], start: str, end: str, path: str) -> bool:
    return f"{start}:{path}" in blobs and f"{end}:{path}" in blobs


class _File:
    """The words of a file at two ends, and those of them that stand on lines which only one end has."""

    def __init__(self, was: str, now: str) -> None:
        old, new = _lines(was), _lines(now)
        self._known = _words(was) | _words(now)
        self._moved = {word for _, line in (old - new) + (new - old) for word in _words(line)}

    def lacks(self, finding: Finding) -> bool:
        """Whether the file speaks of it, and on no line that differs."""
        asked = {part for word in _decisive(finding) for part in self._written(word)}
        return bool(asked & self._known) and not asked & self._moved

    def _written(self, word: str) -> set[str]:
        """A word that the file does not have may be put together: `sm_107` of `107`, a variable behind a prefix."""
        return {word} if word in self._known else {part for part in word.split("_") if len(part) >= _LEAST}


def _lines(text: str) -> _Lines:
    found: _Lines = Counter()
    above: list[tuple[int, str]] = []
    for line in text.splitlines():
        if not (plain := line.strip()):
            continue
        indent = len(line) - len(line.lstrip())
        while above and above[-1][0] >= indent:
            above.pop()
        found[above[-1][1] if above else "", plain] += 1
        above.append((indent, plain))
    return found


def _decisive(finding: Finding) -> set[str]:
    """Words of which one must stand on a changed line: what differs of two values, a value that came or went, else the
    name.
    """
    name, before, after = (_words(text or "") for text in (finding.symbol, finding.before, finding.after))
    if finding.before is not None and finding.after is not None:
        return before ^ after or name
    told = before | after
    return name if not told or told & name else told


def _words(text: str) -> set[str]:
    found = set(_WORD.findall(text.replace("-", "_")))
    return {word.strip("_") for word in found if not iskeyword(word)} - {""}
