"""Which uses of compiled code and of requirements a net touches: operators, headers, C++ names, macros, pins."""

from __future__ import annotations

import re
from collections.abc import Iterator

from daybreak.core.model.upgrade import Use
from daybreak.core.signatures import arguments
from daybreak.core.versions import compatible, normalised
from daybreak.upgrade.impact.base import Item, Judged, unknown_rest

USES = frozenset({"operator", "include", "symbol", "pin"})
_OPERATORS = frozenset({"operator_removed", "operator_renamed", "operator_changed"})
_CPP = frozenset({"cpp_removed", "cpp_renamed", "cpp_signature_changed", "macro_removed", "macro_changed"})
REQUIRED = frozenset({"dependency_changed", "dependency_added", "python_required_changed"})
"""Kinds that a requirement of yours is held against."""
_HEADERS = frozenset({"header_removed", "header_renamed", "header_moved"})
KINDS = _OPERATORS | _CPP | REQUIRED | _HEADERS
_HEADER = re.compile(r"\.(?:h|hh|hpp|cuh|inl|inc)$")
_DEEPEST = 12
_ASIDE = re.compile(
    r"(?:^|[/_.-])(?:tests?|docs?|dev|lint|bench\w{0,10}|ci|rocm|hip|amd|xpu|cpu|tpu|hpu|npu|build|nightly)(?:[/_.-]|$)"
)
"""Requirement files that an installation of the package does not follow."""


def keys(item: Item) -> Iterator[str]:
    """Under what a net is looked up."""
    finding = item.net.finding
    name = finding.before if finding.kind.endswith("_renamed") and finding.before else finding.symbol
    if finding.kind in _OPERATORS:
        yield f"operator {name.rpartition('::')[2]}"
    elif finding.kind in _HEADERS:
        yield from _inclusions(name)
        yield from _inclusions(finding.path)
    elif finding.kind in _CPP:
        yield f"header {name}" if _HEADER.search(name) else f"native {name.rpartition('::')[2]}"
        yield from _inclusions(finding.path)
    elif finding.kind == "python_required_changed":
        yield "pin python"
    elif not _ASIDE.search(finding.path.lower()):
        yield f"pin {normalised(finding.symbol)}"


def _inclusions(path: str) -> Iterator[str]:
    """A header under each of the ways in which it may be included."""
    parts = path.split("/")[-_DEEPEST:]
    if _HEADER.search(path) and not any(sign in path for sign in "(<: "):
        yield from (f"header {'/'.join(parts[start:])}" for start in range(len(parts)))


def looked_up(use: Use) -> Iterator[str]:
    """What a use is looked up by."""
    if use.kind == "operator":
        yield f"operator {use.name.rpartition('::')[2]}"
    elif use.kind == "include":
        yield f"header {use.name}"
    elif use.kind == "symbol":
        yield f"native {use.name.rpartition('::')[2]}"
    else:
        yield f"pin {normalised(use.name)}"


def judge(use: Use, item: Item) -> Judged | None:
    """What this net means for this use."""
    if use.kind == "operator":
        return _operator(use, item)
    if use.kind == "include":
        return _included(use, item)
    if use.kind == "symbol":
        return _native(use, item)
    return _pin(use, item)


def _included(use: Use, item: Item) -> Judged | None:
    """A header that is gone; what changed inside it is told where it is used."""
    finding = item.net.finding
    old = finding.before if finding.kind.endswith(("_renamed", "_moved")) and finding.before else finding.symbol
    gone = _HEADER.search(old) is not None and f"/{old}".endswith(f"/{use.name}")
    if not gone:
        gone = item.known is not None and item.known.missing(item)
    return Judged("certain", "use", use.name) if gone else None


def _operator(use: Use, item: Item) -> Judged | None:
    finding = item.net.finding
    space, _, _ = use.name.rpartition("::")
    theirs = finding.symbol.rpartition("::")[0]
    if theirs and space and theirs != space:
        return None
    if finding.kind != "operator_changed":
        return Judged("certain", "use", use.name)
    least, most = _arity(finding.after or "")
    passed = None if unknown_rest(use) else (use.positional or 0) + len(use.keywords)
    if passed is not None and most and not least <= passed <= most:
        return Judged("certain", "use", use.name)
    fewest, many = _arity(finding.before or "")
    if passed is not None and most and many and not fewest <= passed <= many:
        return None  # it is called as it must be now
    return Judged("likely" if finding.breaking else "look", "use", use.name)


def _arity(schema: str) -> tuple[int, int]:
    """How many arguments a schema needs and takes; zeros when it cannot be told."""
    real = [part for part in arguments(schema) if part and part != "*"]
    return sum("=" not in part for part in real), len(real)


def _native(use: Use, item: Item) -> Judged | None:
    finding = item.net.finding
    name = finding.before if finding.kind.endswith("_renamed") and finding.before else finding.symbol
    mine, theirs = use.name.split("::"), name.split("::")
    if finding.kind.startswith("macro_"):
        met = mine == theirs
    else:
        # `using namespace` and nested namespaces leave out outer parts; a bare word alone says too little.
        size = min(len(mine), len(theirs))
        met = mine[-size:] == theirs[-size:] and (size > 1 or len(theirs) == 1)
    if not met:
        return None
    if finding.kind == "macro_changed":
        return Judged("look", "use", use.name)
    if finding.kind == "cpp_signature_changed" and _only_adds(finding.before or "", finding.after or ""):
        return Judged("look", "use", use.name)
    return Judged("certain", "use", use.name)


def _only_adds(before: str, after: str) -> bool:
    """Parameters with defaults behind the old ones: calls go on compiling."""
    was, now = (text.partition("(")[2].rpartition(")")[0] for text in (before, after))
    more = now[len(was) :]
    return bool(more) and now.startswith(was) and all("=" in part for part in more.split(",") if part.strip())


def _pin(use: Use, item: Item) -> Judged | None:
    """Your requirement and upstream's new one allow no common version."""
    finding = item.net.finding
    if not use.value or not finding.after or "@" in finding.after:
        return None
    theirs = re.sub(r"^\[[^\]]{0,200}\]\s*", "", finding.after.partition(";")[0])
    fits = compatible(use.value, theirs)
    if fits is not False or compatible(use.value, (finding.before or "").partition(";")[0]) is False:
        return None  # the latter: they did not fit before either
    return Judged("likely" if ";" in finding.after else "certain", "pin", f"{use.name} {use.value}".strip())
