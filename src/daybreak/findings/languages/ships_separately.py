"""From when a change takes effect: parts of a repository that ship as packages of their own.

What changes under such a folder reaches users of the main package only when its pin is bumped. The profile of a project
says which they are; a folder at the top that is named like a package of its own (`<name>-kernel/`) is known by a rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from msgspec.structs import replace

from daybreak.core.profiles import Profile
from daybreak.findings.kinds import kind_of
from daybreak.findings.languages.base import Fact
from daybreak.findings.languages.pins import normal

_OWN = re.compile(r"^(?:packages/|crates/)?([a-z]\w{1,30}-(?:kernels?|router|gateway|cubin|jit-cache|model-gateway))/")
_NOT_SHIPPED = re.compile(r"(?:^|/)(?:tests?|benchmarks?|examples?|docs?)/")


@lru_cache(maxsize=8192)
def effective_with(profile: Profile, path: str) -> str | None:
    """The package whose pin must be bumped before a change at the path reaches users; None: at once."""
    if _NOT_SHIPPED.search(path[:400]):
        return None
    for pattern, package in profile.layout.shipped:
        if pattern.search(path[:400]):
            return package
    match = _OWN.search(path[:400])
    return match[1] if match else None


def with_effect(profile: Profile, facts: Iterable[Fact], sources: Iterable[str] = ()) -> list[Fact]:
    """The facts, each with the package it waits for; a change that bumps that very pin waits for nothing, and of one that
    changes what calls the package as well it is not known.

    `sources`: paths of the code that the change touches.
    """
    facts = list(facts)
    if any(effective_with(profile, path) is None and not _NOT_SHIPPED.search(path[:400]) for path in sources):
        return facts
    names = profile.layout.also_pinned
    bumped = {
        normal(f.symbol)
        for f in facts
        if kind_of(f.kind).means("dependency", "changed") and effective_with(profile, f.path) is None
    }
    out = []
    for fact in facts:
        package = effective_with(profile, fact.path) if fact.effective is None else None
        if package is None or bumped & {package, *names.get(package, ())}:
            out.append(fact)
        else:
            out.append(replace(fact, effective=package))
    return out
