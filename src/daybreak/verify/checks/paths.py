"""Paths given for a commit: it touched them, or its message or diff speaks of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import translate
from functools import lru_cache

from msgspec import Struct

from daybreak.core.markdown_page import KEPT, plain, ticked_in
from daybreak.verify.check_input import Study
from daybreak.verify.context import Spot, listed
from daybreak.verify.mirror import Commit, Files

_EXTENSIONS = (
    "py|pyi|pyx|cu|cuh|h|hh|hpp|hxx|c|cc|cpp|cxx|inl|inc|rs|go|js|jsx|ts|tsx|md|mdx|rst|txt|ya?ml|toml|json|jsonl|sh|bash|"
    "ipynb|jinja2?|j2|cfg|ini|conf|cmake|proto|html|css|java|kt|rb|pl|lock|mlir|td|bat|ps1|csv|patch|diff|dockerfile|in"
)
_END = rf"(?:\.(?:{_EXTENSIONS})|Dockerfile|Makefile|CODEOWNERS)"
_SIGN = r"[\w.*+{},=@~-]"
PATH = re.compile(rf"(?:{_SIGN}{{0,255}}/){{0,30}}{_SIGN}{{0,255}}{_END}|(?:{_SIGN}{{1,255}}/){{1,30}}{_SIGN}{{0,255}}")
_IS_FILE = re.compile(rf"{_END}$")
_BRACES = re.compile(r"\{[^{}]*\}|\.{3}|…")
_FILES = re.compile(
    r"\s*(?:[-*+]\s+)?\**(?:受影响的?文件|涉及文件|变更文件|[Ff]iles(?: changed| touched)?|[Aa]ffected files)\**\s*[:：]\**\s*(.+)$"
)


_BETWEEN = re.compile(r"[,，、]\s*")


class Said(Struct, frozen=True):
    """A path as the report writes it."""

    text: str
    start: int
    end: int
    listed: bool = False
    """One of a list of files, where it can be nothing else."""


def check(study: Study) -> None:
    for spot in study.prose:
        if spot.advice or spot.issues or spot.foreign or not spot.commits:
            continue
        for said in said_in(spot):
            _one(study, spot, said)


def said_in(spot: Spot) -> tuple[Said, ...]:
    text = spot.line.text
    return _said(text) if len(text) < KEPT else tuple(_read(text))


@lru_cache(maxsize=1 << 12)
def _said(text: str) -> tuple[Said, ...]:
    """Kept, since paths and counts both ask for it, and pages of a day have lines in common."""
    return tuple(_read(text))


def _read(text: str) -> Iterator[Said]:
    for one in ticked_in(text):
        if PATH.fullmatch(one.text):
            yield Said(one.text, one.start, one.end)
    found = _FILES.match(text)
    if found and "`" not in found[1] and "](" not in found[1]:
        at = found.start(1)
        for part in _BETWEEN.split(found[1]):
            name = plain(part).strip().rstrip(".")
            if name and PATH.fullmatch(name):
                yield Said(name, at, at + len(part), listed=True)
            at += len(part) + 1


def _one(study: Study, spot: Spot, said: Said) -> None:
    files = [(c, f) for c in spot.commits if (m := study.mirror(c.repo)) and (f := m.files(c.sha))]
    if not files:
        study.findings.unknown("path", "the mirror does not have the files of the commit")
        return
    if any(matches(said.text, f) for _, f in files):
        study.findings.true("path")
    elif said.listed or (_IS_FILE.search(said.text) and not _spoken_of(study, said.text, [c for c, _ in files])):
        _untouched(study, spot, said, [c for c, _ in files])


def _untouched(study: Study, spot: Spot, said: Said, commits: Sequence[Commit]) -> None:
    mirrors = {c.sha: m for c in commits if (m := study.mirror(c.repo))}
    exists = any(_matching(said.text, m.tree(sha) or ()) for sha, m in mirrors.items())
    if exists and spot.impact:
        study.findings.unknown("path", "is said to be affected, not to be changed")
        return
    why = f"is not touched by {listed(commits)}" + ("" if exists else " and is nowhere in its tree")
    study.findings.false("path", spot.line.number, said.text, why, (said.start, said.end))


def _spoken_of(study: Study, path: str, commits: Iterable[Commit]) -> bool:
    """Its message or diff has the words; a patch that was not read to its end may have them."""
    for commit in commits:
        mirror = study.mirror(commit.repo)
        shown = mirror.shown(commit.sha) if mirror else None
        if shown is None or not shown.whole or shown.has(path):
            return True
    return False


def matches(said: str, files: Files) -> list[str]:
    """The files that a path can mean: whole, shortened in front, a folder, with `*` or dots for a part."""
    if said in files.counts:
        return [said]
    return _matching(said, files.counts)


def _matching(said: str, paths: Iterable[str]) -> list[str]:
    name = _BRACES.sub("*", said.rstrip("/")).removeprefix("./")
    if "*" in name:
        pattern = re.compile(translate("*/" + re.sub(r"\*{2,}", "*", name)))
        inside = re.compile(translate("*/" + re.sub(r"\*{2,}", "*", name) + "/*"))
        return [p for p in paths if pattern.match(f"/{p}") or inside.match(f"/{p}")] if name.count("*") <= 4 else []
    whole = [p for p in paths if p == name or p.endswith(f"/{name}")]
    return whole or [p for p in paths if f"/{name}/" in f"/{p}"]
