"""How much a hit hurts: what fails first and loudest comes first, what follows by itself or changes nothing is folded."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.model.upgrade import Certainty, Hit, Net, Use
from daybreak.core.versions import exact, normalised
from daybreak.findings.kinds import kind_of
from daybreak.upgrade.downstream.data_files import EXTRA
from daybreak.upgrade.impact import python
from daybreak.upgrade.impact.native import is_locked


class Harm(IntEnum):
    """What becomes of your code, worst first."""

    IMPORT = 0
    """It fails when it is imported."""
    START = 1
    """A program refuses to start."""
    CALL = 2
    """It fails when the line is reached."""
    REFUSED = 3
    """A setting or requirement is refused."""
    SILENT = 4
    """Ignored without a word, or another result."""
    NONE = 5
    """Nothing to do, or the next run of a tool does it."""


REQUIRES = re.compile(r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|requirements[\w./-]{0,80}\.(?:txt|in))$")
"""Files that say what a project itself is installed with."""
_ITSELF = re.compile(r"pyproject\.toml|setup\.(?:py|cfg)|requirements\.(?:txt|in)")
_SCRIPT = re.compile(r"(?i)\.(?:sh|bash|ya?ml)$")
_TEST = re.compile(r"(?:^|/)(?:tests?|testing|examples?|benchmarks?)/|(?:^|/)(?:test_[^/]*|conftest)\.py$")
_STEPS = re.compile(r"\(\)|\[[^\]]{0,9}\]")
RANK: dict[str, int] = {"certain": 0, "likely": 1, "look": 2}
_PYTHON = frozenset(
    {"import", "attribute", "call", "subclass", "override", "patch", "operator", "include", "symbol", "catch"}
)


def harm(hit: Hit) -> Harm:
    """How much a hit hurts."""
    use, kind = hit.use, kind_of(hit.net.finding.kind)
    if use.kind == "pin":
        return Harm.NONE if is_locked(use) else Harm.REFUSED
    if use.kind in ("env", "metric", "text"):
        return Harm.SILENT
    if use.kind in ("import", "include") and python.is_whole(kind.name):
        return Harm.IMPORT
    if use.kind in ("cli_flag", "config_key", "model", "script"):
        return Harm.SILENT if kind.change in ("default_changed", "deprecated") else Harm.START
    if use.kind in _PYTHON:
        return Harm.SILENT if kind.change in ("default_changed", "deprecated") else Harm.CALL
    return Harm.REFUSED


def folded(hits: Iterable[Hit], uses: Sequence[Use], projects: Container[str]) -> Iterator[Hit]:
    """The same without what follows by itself, and requirements that upstream has no say in."""
    kept = list(_without_repeats(hits))
    names = {(hit.use.path, hit.use.line, hit.use.name.rpartition(".")[2]) for hit in kept if hit.use.kind in _PYTHON}
    written = {(hit.use.path, hit.use.name) for hit in kept if hit.use.name in hit.use.text}
    installs = _Installs(uses, projects)
    for hit in kept:
        use = hit.use
        if use.kind == "env" and (use.path, use.line, use.name) in names:
            continue
        if use.kind in ("env", "cli_flag") and use.name not in use.text and (use.path, use.name) in written:
            continue  # it is asked for through what holds its value
        level = installs.level(use) if use.kind == "pin" else hit.certainty
        if level is not None:
            yield hit if level == "certain" else replace(hit, certainty=level)


class _Installs:
    """Where your files install the upstream project: a requirement counts beside it."""

    def __init__(self, uses: Iterable[Use], projects: Container[str]) -> None:
        pins = [use for use in uses if use.kind == "pin" and normalised(use.name) in projects]
        self.paths = {use.path for use in pins}
        self.places = {(use.path, _extra(use)) for use in pins}
        self.locked = {use.path.rpartition("/")[0] for use in pins if is_locked(use)}
        """Folders whose lock file has upstream: it comes with something that the project there asks for."""

    def level(self, use: Use) -> Certainty | None:
        """How surely a requirement of yours is held against upstream's; None where it is not.

        The next run of a resolver writes a lock file anew, and what is installed without upstream has no say.
        """
        if is_locked(use):
            return None
        if use.path in self.paths:
            here = {extra for path, extra in self.places if path == use.path}
            return "certain" if not _extra(use) or here & {"", _extra(use)} else None
        if self.paths:  # upstream comes beside what your project itself asks for, wherever it is installed
            folder, _, name = use.path.rpartition("/")
            own = not folder or folder in self.locked
            return "look" if own and _ITSELF.fullmatch(name) and not _extra(use) else None
        return None if _SCRIPT.search(use.path) else "look"


def _extra(use: Use) -> str:
    """The extra or group that a requirement is in; empty for what is always installed."""
    return use.program if use.program and use.program.startswith(EXTRA) else ""


def _without_repeats(hits: Iterable[Hit]) -> Iterator[Hit]:
    """The same with a default told once, and not to everyone who leaves it: outside of tests, where it is left there."""
    seen: set[tuple[object, ...]] = set()
    kept = list(hits)
    first: dict[tuple[object, ...] | None, Hit] = {}
    for hit in sorted(kept, key=_aside):
        first.setdefault(_default(hit), hit)
    for hit in kept:
        finding = hit.net.finding
        cause = (hit.repo, hit.use.path, hit.use.line, finding.kind, finding.symbol, hit.action["en"])
        if cause in seen and hit.use.kind == "call":
            continue  # through one or the other of two classes that take it
        seen.add(cause)
        if _default(hit) is None or first[_default(hit)] is hit:
            yield hit


def _aside(hit: Hit) -> tuple[object, ...]:
    """By place; tests and examples last."""
    return bool(_TEST.search(hit.use.path)), hit.use.path, hit.use.line


def _default(hit: Hit) -> tuple[object, ...] | None:
    """What makes two hits tell of the same default."""
    finding = hit.net.finding
    left = hit.certainty == "look" and kind_of(finding.kind).change == "default_changed"
    return (hit.repo, finding.kind, finding.symbol, finding.before, finding.after) if left else None


# --- lines that are repaired together with another one ---------------------------------------------------------------


def without_followers(
    hits: Iterable[Hit], lives_on: Callable[[Hit], bool], every: Container[tuple[str, str]] = ()
) -> Iterator[Hit]:
    """A name that lives elsewhere now is told where it is imported or written, as a type checker does, not again at every
    use: `lives_on`. Of one that is nowhere, each line that writes it must change.
    """
    kept = sorted(hits, key=lambda hit: (*order(hit)[:3], len(hit.use.name)))
    imports = [hit.use for hit in kept if hit.use.kind == "import" and _of_name(hit)]
    told = {(use.path, use.name) for use in imports}
    lost = {(hit.use.path, hit.use.name) for hit in kept if hit.use.kind == "import" and not lives_on(hit)}
    names, files = {use.name for use in imports}, {use.path for use in imports}
    modules = {(use.path, use.name.rpartition(".")[0]) for use in imports}
    bound = {(use.path, use.name.rpartition(".")[2]) for use in imports}
    written = {(hit.use.path, _lost(hit)) for hit in kept if _writes(hit) and hit.use.kind != "override"}
    lines: set[tuple[object, ...]] = set()
    sure = {(hit.use.path, hit.use.line, hit.use.name) for hit in kept if hit.certainty != "look" and _of_value(hit)}
    for hit in kept:
        use, finding = hit.use, hit.net.finding
        if hit.certainty == "look" and _of_name(hit) and (use.path, use.line, use.name) in sure:
            continue  # that it is to go is no news where it is told to be gone
        place = (use.path, use.line, hit.repo, finding.symbol)
        if _of_name(hit) and use.kind in ("attribute", "call", "subclass", "override", "patch"):
            elsewhere = (use.path, _lost(hit)) in written or kind_of(finding.kind).change == "moved"
            held = elsewhere and use.kind != "override" and not _writes(hit)
            repaired = _imported(use, told) or (use.path not in files and _handed(use, names, every))
            by_name = "." not in finding.symbol and (use.path, _lost(hit)) in bound and not _writes(hit, r"\.\s?")
            held = held or (not _writes(hit) and (use.path, _module(hit)) in modules)
            if (name := _writes_lost(use, lost)) and (use.path, use.line, name) not in lines:
                lines.add((use.path, use.line, name))
                held = by_name = repaired = False
            if held or by_name or place in lines or (repaired and not _of_member(hit, names)):
                continue
            lines.add(place)
        yield hit


def _of_name(hit: Hit) -> bool:
    """It is about a name as a whole, gone or to go, and not about what is passed to it."""
    return python.is_whole(hit.net.finding.kind) or kind_of(hit.net.finding.kind).means("name", "deprecated")


def _of_value(hit: Hit) -> bool:
    return _of_name(hit) or kind_of(hit.net.finding.kind).family == "attribute"


def _lost(hit: Hit) -> str:
    """The name that is missed: the last part of what went."""
    finding = hit.net.finding
    moved = finding.before if kind_of(finding.kind).change == "moved" else None
    return (moved or finding.symbol).removesuffix(".*").rpartition(".")[2]


def _writes(hit: Hit, before: str = "") -> bool:
    """Whether a line has the name that went itself, and not only what was made with it or is called as it is."""
    if hit.use.kind == "call" and _lost(hit) in hit.use.keywords:
        return True  # it is given there, and must have another name there too
    inner = "." in hit.net.finding.symbol and hit.use.kind in ("attribute", "call")
    before = before or (r"(?:[.\"']\s?|^)" if inner else r"\b")
    return re.search(rf"{before}{re.escape(_lost(hit))}\b", hit.use.text) is not None


def _module(hit: Hit) -> str:
    """The module of a class that went, where something inside it is used."""
    symbol = hit.net.finding.symbol
    inside = "." not in symbol and f".{symbol}." in hit.use.name
    return hit.use.name.partition(f".{symbol}.")[0] if inside else "?"


def _of_member(hit: Hit, told: Container[str]) -> bool:
    """What went is inside the thing whose import is told, and stays away when that is repaired."""
    symbol = hit.net.finding.symbol.split(".")
    return len(symbol) > 1 and hit.use.name.endswith(f".{'.'.join(symbol[-2:])}") and hit.use.name not in told


def _handed(use: Use, told: Container[str], imports: Container[tuple[str, str]]) -> bool:
    """A use through a file of yours that imports the name and hands it on: repaired there, it is repaired here. One that
    reaches the name through an import of its own, as `import pkg.module` gives it, is not.
    """
    parts = _plain(use.name).split(".")
    heads = [".".join(parts[:size]) for size in range(2, len(parts) + 1)]
    own = any((use.path, head) in imports for head in heads) or f"{parts[0]}." in use.text
    return any(head in told for head in heads) and not own


def _plain(name: str) -> str:
    """A chain without the calls and items in it."""
    return _STEPS.sub("", name)


def _imported(use: Use, told: Container[tuple[str, str]]) -> bool:
    """The import of the name is told and the use relies on that import; one written out behind a module does not."""
    parts = _plain(use.name).split(".")
    heads = [size for size in range(1, len(parts) + 1) if (use.path, ".".join(parts[:size])) in told]
    return any(
        size < 2 or not re.search(rf"\b{re.escape(parts[size - 2])}\s?\.\s?{re.escape(parts[size - 1])}\b", use.text)
        for size in heads
    )


def _writes_lost(use: Use, lost: Container[tuple[str, str]]) -> str:
    """The name of an import that is nowhere any more, where a line relies on that import and has the name itself."""
    parts = _plain(use.name).split(".") if _imported(use, lost) else []
    heads = (size for size in range(1, len(parts) + 1) if (use.path, ".".join(parts[:size])) in lost)
    names = (parts[size - 1] for size in heads if re.search(rf"\b{re.escape(parts[size - 1])}\b", use.text))
    return next(names, "")


# --- order -----------------------------------------------------------------------------------------------------------


def by_harm(hit: Hit) -> tuple[object, ...]:
    """What surely or likely hurts comes first, the worst before the rest; what is worth a look comes last."""
    return (hit.certainty == "look", harm(hit), *order(hit))


def order(hit: Hit) -> tuple[object, ...]:
    """Surest first, then by place."""
    finding = hit.net.finding
    return (
        RANK[hit.certainty], hit.use.path, hit.use.line, hit.use.name, not finding.after, -finding.symbol.count("."),
        finding.kind, finding.symbol, finding.path, finding.line, hit.repo,
    )  # fmt: skip


# --- pins ----------------------------------------------------------------------------------------------------------


class Pin(Struct, frozen=True):
    """The version you run of a repository's project, and where that is written."""

    version: str
    at: str


def pins_of(uses: Iterable[Use], nets: Mapping[str, Sequence[Net]], projects: Mapping[str, str]) -> dict[str, Pin]:
    """Repository → the version that exact requirements say you run: those of your project, else of all files; none where
    they name several.
    """
    short = {normalised(repo.rpartition("/")[2]): repo for repo in nets}
    found: dict[str, list[Pin]] = {}
    own: set[str] = set()
    for use in sorted(uses, key=lambda use: not REQUIRES.search(use.path)):
        name = normalised(use.name) if use.kind == "pin" else ""
        repo, version = projects.get(name) or short.get(name), exact(use.value or "")
        required = REQUIRES.search(use.path) is not None
        if repo and name and version and (required or repo not in own):
            own |= {repo} if required else set()
            found.setdefault(repo, []).append(Pin(version, f"{use.path}:{use.line}"))
    return {repo: pins[0] for repo, pins in found.items() if len({pin.version for pin in pins}) == 1}
