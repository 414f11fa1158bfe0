"""Which uses of compiled code and of requirements a net touches: operators, headers, C++ names, macros, pins."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from daybreak.core.model.upgrade import Net, Use
from daybreak.core.text import arguments
from daybreak.core.versions import compatible, normalised, version
from daybreak.findings.kinds import ANOTHER_NAME, CAME, Kind, kind_of
from daybreak.upgrade.downstream.data_files import RESOLVER
from daybreak.upgrade.impact.base import UNREAD, Item, Judged, unknown_rest

USES = frozenset({"operator", "include", "symbol", "pin"})
_HEADER = re.compile(r"\.(?:h|hh|hpp|cuh|inl|inc)$")
_DEEPEST = 12
_ASIDE = re.compile(
    r"(?:^|[/_.-])(?:tests?|docs?|dev|lint|bench\w{0,10}|ci|rocm|hip|amd|xpu|cpu|tpu|hpu|npu|build|nightly)(?:[/_.-]|$)"
)
"""Requirement files that an installation of the package does not follow."""
_ELSEWHERE = re.compile(
    r"(?:sys_platform|platform_system)\s*(?:==\s*['\"](?![Ll]inux)|!=\s*['\"][Ll]inux)|platform_machine\s*==\s*['\"](?!x86_64)"
    r"|\bextra\s*=="
)
"""A case of a marker that is not that of the platform which servers run on."""


def concerns(kind: Kind) -> bool:
    """Whether compiled code or a requirement of yours can meet it."""
    if kind.family in ("operator", "cpp", "macro", "header"):
        return kind.change not in CAME
    return is_required(kind)


def is_required(kind: Kind) -> bool:
    """Whether a requirement of yours is held against it."""
    return kind.means("dependency", "added", "changed") or kind.family == "python_required"


def keys(item: Item) -> Iterator[str]:
    """Under what a net is looked up."""
    finding, kind = item.net.finding, kind_of(item.net.finding.kind)
    name = finding.before if kind.change == "renamed" and finding.before else finding.symbol
    if kind.family == "operator":
        yield f"operator {name.rpartition('::')[2]}"
    elif kind.family == "header":
        yield from _inclusions(name)
        yield from _inclusions(finding.path)
    elif kind.family in ("cpp", "macro"):
        yield f"header {name}" if _HEADER.search(name) else f"native {name.rpartition('::')[2]}"
        yield from _inclusions(finding.path)
    elif kind.family == "python_required":
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
    old = finding.before if kind_of(finding.kind).change in ANOTHER_NAME and finding.before else finding.symbol
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
    if kind_of(finding.kind).change != "signature_changed":
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
    finding, kind = item.net.finding, kind_of(item.net.finding.kind)
    name = finding.before if kind.change == "renamed" and finding.before else finding.symbol
    mine, theirs = use.name.split("::"), name.split("::")
    if kind.family == "macro":
        met = mine == theirs
    else:
        # `using namespace` and nested namespaces leave out outer parts; a bare word alone says too little.
        size = min(len(mine), len(theirs))
        met = mine[-size:] == theirs[-size:] and (size > 1 or len(theirs) == 1)
    if not met:
        return None
    if kind.means("macro", "changed"):
        return Judged("look", "use", use.name)
    if kind.means("cpp", "signature_changed") and _only_adds(finding.before or "", finding.after or ""):
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
    index = packages_of(use.path)
    if not use.value or not finding.after or "@" in finding.after or index != packages_of(finding.path):
        return None
    if any(_is_elsewhere(text.partition(";")[2]) for text in (finding.after, use.text)):
        return None  # asked for on another platform, or with an extra that nobody need take
    theirs = re.sub(r"^\[[^\]]{0,200}\]\s*", "", finding.after.partition(";")[0])
    before = (finding.before or "").partition(";")[0]
    was, now = (f"^{text}" if index == "crates" and version(text) else text for text in (before, theirs))
    if compatible(use.value, now) is not False or compatible(use.value, was) is False:
        return None  # the latter: they did not fit before either
    return Judged(
        "likely" if ";" in finding.after else "certain", "pin", f"{use.name} {use.value}".strip(), theirs.strip()
    )


def _is_elsewhere(marker: str) -> bool:
    """Whether each of the cases that a marker allows is one of another platform, or of an extra."""
    always = re.sub(r"\([^()]{0,500}\)", "", marker)  # `(a or b) and c` asks for c in both cases
    cases = [re.split(r"\bor\b", text) for text in (always, marker)]
    return any(all(map(_ELSEWHERE.search, some)) for some in cases)


def required(text: str, name: str) -> set[str]:
    """What a file of Python requirements asks for of a distribution: its versions, without extras and markers."""
    word = "[-_.]+".join(map(re.escape, normalised(name).split("-")))
    asked = re.compile(
        rf"(?im)(?:^|[\"'])[ \t]{{0,20}}{word}[ \t]{{0,20}}(?:\[[^\]\n]{{0,200}}\])?[ \t]{{0,20}}"
        r"((?:(?:===?|[<>!~]=|[<>])[^\"'#;\n\\]{0,200})?)(?=\s?\\?$|[\"'#;])"
    )
    return {tidy(found[1]) for found in asked.finditer(text)}


def tidy(versions: str) -> str:
    """Versions as they are compared as text: without extras, markers and spaces."""
    return re.sub(r"^\[[^\]]{0,200}\]|\s+", "", versions.partition(";")[0].strip())


_KINDS_OF_PACKAGES = {"cargo": "crates", "package": "npm", "pnpm-lock": "npm", "yarn": "npm", "go": "go"}


def packages_of(path: str) -> str:
    """Which index a file's requirements are looked for in: a crate is no distribution of the same name."""
    return _KINDS_OF_PACKAGES.get(path.rpartition("/")[2].partition(".")[0].lower(), "python")


_NAMED = re.compile(r"(?m)^\s{0,20}(?:name\s{0,9}=|\"name\"\s{0,9}:|module)\s{0,9}\"?([\w./@-]{1,200})")


def package_named(manifest: str) -> str:
    """What a manifest of a crate, an npm package or a Go module calls it, as names of pins are compared."""
    found = _NAMED.search(manifest)
    return normalised(found[1]) if found else ""


def only_builds(pyproject: str, name: str) -> bool:
    """Whether a distribution is asked for by what builds the package, and not by the package."""
    import tomllib

    try:
        told = tomllib.loads(pyproject)
    except (tomllib.TOMLDecodeError, RecursionError):
        return False
    build, project = told.pop("build-system", {}), str(told)
    word = "[-_.]+".join(map(re.escape, normalised(name).split("-")))
    asked = re.compile(rf"(?i)['\"]{word}(?![\w.-])")
    return bool(asked.search(str(build))) and not asked.search(project)


_LOCK = re.compile(
    r"(?i)(?:^|[/._-])lock(?:file)?(?:[._-]|$)|\.lock$|(?:^|/)(?:Pipfile|poetry|uv|pdm|Cargo|conda-lock)\.\w*lock\w*$"
)


def is_lock(path: str) -> bool:
    """A file that a resolver writes, by its name."""
    return _LOCK.search(path) is not None


def is_locked(use: Use) -> bool:
    """A pin in a file that the next run of a resolver writes anew."""
    return use.program == RESOLVER or is_lock(use.path)


def at_end(net: Net, text_of: Callable[[str], str | None] | None) -> Iterator[Net]:
    """A net as the end has it: of a requirement that moved several times only what is asked for there counts."""
    finding = net.finding
    asks = kind_of(finding.kind).family == "dependency" and packages_of(finding.path) == "python"
    text = text_of(finding.path) if text_of and asks and finding.after else None
    if not text or text == UNREAD:
        yield net
        return
    found = required(text, finding.symbol) - {""}
    after = finding.after or ""
    if "@" in after or len(found) > 1 or found.intersection(map(tidy, after.split(" / "))):
        yield net
    elif len(found) == 1:
        yield replace(net, finding=replace(finding, after=found.pop()))
