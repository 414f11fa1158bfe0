"""Robots' bumps: routine moves of dependencies, which a day counts in one line and grades low.

What is a security update or a new major version is none of them: somebody has to look at it.
"""

from __future__ import annotations

import re

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Reading
from daybreak.findings.paths import area, manifest

_ROBOT = re.compile(r"(?<![\w-])(?:renovate|dependabot|greenkeeper|pyup|snyk|depfu)(?![a-z])", re.IGNORECASE)
_BOT = re.compile(r"\[bot\]$|(?:^|[\s-])bot$", re.IGNORECASE)
_DEPS = re.compile(r"(?:fix|chore|build|ci|feat)\((?:deps|dev-deps|deps-dev)[\w ,/-]{0,30}\)!?:\s", re.IGNORECASE)
_BUMP = re.compile(r"(?:[\w()\[\]/ -]{1,30}:\s)?(?:bump|update|upgrade|pin|lock)s?\b", re.IGNORECASE)
_ALL = re.compile(r"\b(?:bump|update|upgrade)[\w -]{0,40}\b(?:deps|dependencies)\b", re.IGNORECASE)
_SECURITY = re.compile(r"\bsecurity\b|\bCVE-|\bGHSA-|\bvulnerab", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://(?!\S{0,300}\b(?:CVE|GHSA)-)\S{1,2000}")
"""Of a page that is no advisory: the badge of every robot's message leads to one that explains security updates."""
_OTHER_MANIFEST = re.compile(
    r"(?:^|/)(?:go\.work(?:\.sum)?|pom\.xml|[\w.-]{0,60}\.gradle(?:\.kts)?|[\w.-]{0,60}\.versions\.toml|setup\.cfg"
    r"|[\w.-]{0,40}requirements[\w.-]{0,40}\.(?:txt|in)|Gemfile)$",
    re.IGNORECASE,
)
"""Manifests that no reader looks into."""
_TAKEN = frozenset({"lock", "vendored", "dependency", "ci"})
_STEP = re.compile(
    r"(?<![\w/.@-])v?(\d{1,6})(?:\.\w[\w.+-]{0,30})?`?\)?\s{0,3}(?:->|→|to)\s{0,3}\(?`?v?(\d{1,6})(?:\.\w[\w.+-]{0,30})?(?![\w.])"
)
_WHOLE = re.compile(r"\bto\sv?\d{1,6}(?![\w.])", re.IGNORECASE)
"""`update module x to v5`: the title names a major version and nothing behind it."""
_MAJOR = re.compile(r"[\^~=<> v]{0,6}(\d{1,6})\.\S{0,60} → [\^~=<> v]{0,6}(?!\1\.)\d{1,6}\.")
_BODY = 6000


def is_bump(change: Change) -> bool:
    """A bump by a robot, or in its words."""
    subject = change.subject[:400]
    return (by_robot(change) and bool(_BUMP.match(subject))) or bool(_DEPS.match(subject) or _ALL.search(subject))


def by_robot(change: Change) -> bool:
    return bool(_ROBOT.search(change.author) or _BOT.search(change.author))


def is_manifest(path: str) -> bool:
    """A file that says which versions of others are taken."""
    return manifest(path) is not None or area(path) in _TAKEN or bool(_OTHER_MANIFEST.search(path[-200:]))


def is_routine(change: Change, reading: Reading) -> bool:
    """A bump of nothing but manifests that is neither for security nor to a new major version."""
    subject, body = change.subject[:400], change.body[:_BODY]
    if not is_bump(change) or _SECURITY.search(subject) or _SECURITY.search(_ADDRESS.sub("", body)):
        return False
    if not change.files or not all(is_manifest(file.path) for file in change.files) or _is_own(change):
        return False
    return not (is_major(subject, body) or any(_MAJOR.match(f"{f.before} → {f.after}") for f in reading.findings))


def _is_own(change: Change) -> bool:
    """Nothing but the project's own version moves: that is no dependency. In a lock file alone any version is another's."""
    if all(area(file.path) == "lock" for file in change.files):
        return False
    rows = [row for file in change.files for row in file.patch.split("\n") if row[:1] in ("+", "-") and row[1:].strip()]
    return bool(rows) and all(_OWN_VERSION.fullmatch(row[1:200]) for row in rows)


_OWN_VERSION = re.compile(
    r"\s{0,8}(?:[\"']?(?:__version__|version)[\"']?\s{0,4}[:=]\s{0,4})?[\"']?v?\d{1,6}(?:\.\w{1,12}){1,4}[\"']?,?\s{0,8}",
    re.IGNORECASE,
)


def is_major(subject: str, body: str) -> bool:
    """The title, or the table of versions that robots write, steps over a major version."""
    steps = [*_STEP.findall(subject), *(() if _STEP.search(subject) else _STEP.findall(body))]
    return any(before != after for before, after in steps) or (not steps and bool(_WHOLE.search(subject)))
