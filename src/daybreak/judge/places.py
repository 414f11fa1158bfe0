"""Where a change takes effect: its files that are not tests, docs or CI, and what their lines say.

`Reading.areas` counts files; a mixed commit is graded by the files that remain when the quiet ones are taken away, so
here each path is judged by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Area, Reading
from daybreak.judge.vocabulary import NICHE

QUIET: frozenset[Area] = frozenset({"docs", "ci", "test", "generated", "lock", "vendored"})

MAX_LINES = 20_000
"""Lines of patches that are looked at; a mass edit says no more in its rest."""

_I = re.IGNORECASE
_CODE = re.compile(r"\.(?:py|pyi|cu|cuh|c|cc|cpp|h|hpp|inl|rs|go|proto|hip)$")
_QUIET = re.compile(
    r"(?:^|/)(?:tests?|testing|unittests?|test_[\w-]{1,60}|__tests__|testdata|fixtures|benchmarks?|bench|perf_tests?|evals?"
    r"|docs?|docs_src|docs_new|documentation|cookbook|changelog\.d|examples?|tutorials?|licenses|blogs?"
    r"|\.github|\.buildkite|\.circleci|\.gitlab|\.ci|\.jenkins|ci|ci_scripts|\.claude|\.gemini|\.cursor"
    r"|3rdparty\w{0,9}|third[-_]?party|vendor|vendored|_vendor|thirdparty|_?generated|autogen|__generated__)/"
    r"|(?:^|/)(?:test_[\w.-]{1,120}|conftest\.py|pytest\.ini|[\w.-]{1,120}_tests?\.(?:py|cc|cpp|cu|go|rs|sh)"
    r"|bench(?:mark)?_[\w-]{1,80}\.py|Jenkinsfile|CODEOWNERS|mergify\.yml|[\w.-]{0,60}\.lock|package-lock\.json"
    r"|\.(?:pre-commit-config|gitlab-ci|readthedocs|markdownlint|mergify)\.ya?ml"
    r"|\.(?:gitignore|gitattributes|coveragerc|flake8|clang-format|clang-tidy|editorconfig|codespellrc|yapfignore)"
    r"|(?:LICENSE|NOTICE|AUTHORS|CITATION|CONTRIBUTORS|DCO|mkdocs|Doxyfile)[\w.]{0,12})$"
    r"|\.(?:md|mdx|rst|adoc|png|jpe?g|gif|svg)$|_pb2(?:_grpc)?\.pyi?$|(?:^|/)_version\.py$",
    _I,
)
_QUIET_UNLESS_CODE = re.compile(r"(?:^|/)(?:samples?|media|golden|profiler)/", _I)
"""Folders that hold material in one project and a package in another."""


@lru_cache(maxsize=8192)
def is_front(path: str) -> bool:
    """Users may feel a change of this file; asked of each file of a day by many."""
    short = path[-300:]
    if _QUIET.search(short):
        return False
    return not _QUIET_UNLESS_CODE.search(short) or _CODE.search(short) is not None


def front(change: Change) -> tuple[FileChange, ...]:
    """Files of the change that are not tests, docs, CI, vendored or made by a program."""
    return tuple(file for file in change.files if is_front(file.path))


def concerns_few(paths: Sequence[str]) -> bool:
    """Most of these files run only on hardware or for uses that few have."""
    return sum(map(_for_few, paths)) * 2 > len(paths)


@lru_cache(maxsize=8192)
def _for_few(path: str) -> bool:
    return NICHE.search(path[-300:]) is not None


def is_quiet(change: Change, reading: Reading) -> bool:
    """Nothing that runs at a user's is touched."""
    return bool(reading.areas) and set(reading.areas) <= QUIET and not front(change)


def lines(change: Change, sign: str) -> Iterator[str]:
    """Lines that the change's front files lost (`-`) or won (`+`), without the sign."""
    left = MAX_LINES
    for file in front(change):
        if not file.patch:
            continue
        for line in file.patch.split("\n"):
            if line[:1] == sign:
                yield line[1:401]
            left -= 1
            if left < 0:
                return
