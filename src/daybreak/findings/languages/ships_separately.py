"""From when a change takes effect: parts of a repository that ship as packages of their own.

What changes under such a folder reaches users of the main package only when its pin is bumped. Projects are known by
a small table; a folder at the top that is named like a package of its own (`<name>-kernel/`) is known by a rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from msgspec.structs import replace

from daybreak.findings.kinds import kind_of
from daybreak.findings.languages.base import Fact
from daybreak.findings.languages.pins import normal

_TABLE: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("sgl-project/sglang", re.compile(r"^sgl-kernel/"), "sgl-kernel"),
    ("sgl-project/sglang", re.compile(r"^python/sglang/kernels/aot/"), "sglang-kernel"),
    ("sgl-project/sglang", re.compile(r"^sgl-(?:model-gateway|router)/"), "sglang-router"),
    ("NVIDIA/cutlass", re.compile(r"^python/CuTeDSL/"), "nvidia-cutlass-dsl"),
    ("Dao-AILab/flash-attention", re.compile(r"^hopper/"), "flash-attn-3"),
    ("Dao-AILab/flash-attention", re.compile(r"^flash_attn/cute/"), "flash-attn-4"),
)
"""Folders whose package does not follow from their name."""
_OWN = re.compile(r"^(?:packages/|crates/)?([a-z]\w{1,30}-(?:kernels?|router|gateway|cubin|jit-cache|model-gateway))/")
_NOT_SHIPPED = re.compile(r"(?:^|/)(?:tests?|benchmarks?|examples?|docs?)/")
_OTHER_NAMES = {"sgl-kernel": ("sgl-kernel", "sglang-kernel")}
"""Names under which a package was pinned over time."""


@lru_cache(maxsize=8192)
def effective_with(repo: str, path: str) -> str | None:
    """The package whose pin must be bumped before a change at the path reaches users; None: at once."""
    if _NOT_SHIPPED.search(path[:400]):
        return None
    for name, pattern, package in _TABLE:
        if repo == name and pattern.search(path[:400]):
            return package
    match = _OWN.search(path[:400])
    return match[1] if match else None


def with_effect(repo: str, facts: Iterable[Fact]) -> list[Fact]:
    """The facts, each with the package it waits for; a change that bumps that very pin waits for nothing."""
    facts = list(facts)
    bumped = {
        normal(f.symbol)
        for f in facts
        if kind_of(f.kind).means("dependency", "changed") and effective_with(repo, f.path) is None
    }
    out = []
    for fact in facts:
        package = effective_with(repo, fact.path) if fact.effective is None else None
        if package is None or bumped & set(_OTHER_NAMES.get(package, (package,))):
            out.append(fact)
        else:
            out.append(replace(fact, effective=package))
    return out
