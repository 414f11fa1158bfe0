"""Dependencies and build: pins, versions and requirements that came, went or changed.

A package is compared with itself over all files of the change: one that moved to another list is neither removed nor
added, and one bump that stands in five files is one finding. Breaking is only a raised minimum Python, an extra that
users install by name and that is gone, and a pin that the whole environment must follow (torch, major CUDA).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from daybreak.core.model.findings import Alias
from daybreak.core.versions import normalised
from daybreak.findings.blobs import Row, Surface
from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.pins import BUILD, HELD_ABOVE, Pin, is_part, pins
from daybreak.findings.languages.text_surface import one_slot, words
from daybreak.findings.paths import BEHIND, builds_part, manifest

if TYPE_CHECKING:
    from daybreak.findings.compare import FilePair

_NAMED_BEHIND = re.compile(
    r"(?:^|[/_-])(?:dev|lint|docs?|test|tests|ci|build)[\w-]{0,20}\.(?:txt|in)$|/(?:test|docs?)/"
)
_ASIDE = re.compile(r"(?:^|/)(?:internal|tools?|hack|compliance|conformance|e2e|bench\w{0,20}|fuzz)/")
"""Folders of modules beside the one that is shipped: what they ask for, nobody who installs it needs."""
_LEAST = re.compile(r">=\s*(\d+)\.(\d+)")
_RUST = re.compile(r"(\d+)\.(\d+)(?:\.\d+)?$")
_MAIN = re.compile(
    r"^(?:python/)?(?:pyproject\.toml|setup\.py|requirements\.txt)$|^requirements/(?:cuda|common)\.txt$|^docker/Dockerfile$"
)
"""What a plain installation goes by; other files are for one platform or one wheel."""
_EXACT = re.compile(r"(?:==)?(\d+(?:\.\d+)+)(?![\w*])")
_ENVIRONMENT = {"torch": 2, "transformers": 1, "cuda-version": 1, "rocm-version": 1}
"""Packages whose exact pin decides what else can be installed, with the parts of the version that matter."""
MOST = 3000
"""Pins of one file; a longer list is a lock."""


class _Placed(NamedTuple):
    file: ReadFile
    row: Row


def touched(file: ReadFile) -> bool:
    """A file that pins something for users."""
    path = file.path[-400:]
    aside = builds_part(path) and _ASIDE.search(path)
    behind = file.area in BEHIND or _NAMED_BEHIND.search(path) or aside
    return not behind and bool(file.hunks) and manifest(path) is not None


def surface(path: str, text: str) -> Surface:
    """One row a package, pin or requirement; a package that stands twice (markers) keeps all its versions."""
    found: dict[tuple[str, str], list[Pin]] = {}
    try:
        for number, pin in enumerate(pins(path, text)):
            if number >= MOST:
                return Surface(broken=True)  # half a list would make what is pushed over its end look removed
            name = f"{pin.scope}:{normalised(pin.name)}" if pin.kind == "dependency" else pin.name
            found.setdefault((pin.kind, name), []).append(pin)
    except (tomllib.TOMLDecodeError, RecursionError):
        return Surface(broken=True)
    part = is_part(path, text)
    return Surface(_row(key, same) for key, same in found.items() if not (part and key[0] == "toolchain_required"))


def _row(key: tuple[str, str], same: list[Pin]) -> Row:
    values = " / ".join(dict.fromkeys(p.value for p in same))
    return Row(key[0], key[1], same[0].line, values[:600], {"shown": same[0].name, "scope": same[0].scope})


def compare(pairs: Sequence[FilePair], whole: Whole) -> Iterator[Fact]:
    """What happened to each pin; the same bump in several files is told once, of the outermost."""
    told: set[tuple[str, str, str | None, str | None]] = set()
    pairs = sorted(pairs, key=lambda pair: (pair.file.path.count("/"), pair.file.path))
    ours = {normalised(name) for pair in pairs for name in pair.file.profile.names.distributions}
    facts = (*_changed(pairs), *_came_and_went(pairs, whole))
    for fact in sorted(facts, key=lambda fact: (not fact.breaking, fact.kind.startswith(_PREFIXES))):
        kind = fact.kind.removeprefix(_OF_EXTRA).removeprefix(_TO_BUILD)
        name = normalised(fact.symbol.rpartition("] ")[2])
        if kind.startswith("dependency") and name in ours:
            continue  # what asks for the project itself steps with it
        own = fact.symbol == fact.path  # the project's version: every part of it steps alike
        key = (kind, "" if own else name, fact.before, fact.after)
        if key not in told:
            told.add(key)
            yield fact


def _changed(pairs: Sequence[FilePair]) -> Iterator[Fact]:
    for pair in pairs:
        for key, now in pair.new.items():
            was = pair.old.get(key)
            if was is not None and was.text != now.text and HELD_ABOVE not in (was.text, now.text):
                yield _change(pair.file, was, now)
        yield from _bases(pair)


def _bases(pair: FilePair) -> Iterator[Fact]:
    """Base images that stand where others stood."""
    old, new = ([row.name for row in side.of("image")] for side in (pair.old, pair.new))
    for was, now in one_slot(old, new).items():
        rows = pair.old["image", was], pair.new["image", now]
        before, after = (f"{row.details['shown']}:{row.text}" for row in rows)
        yield Fact("image_changed", pair.file.path, rows[1].line, was, before, after)


def _change(file: ReadFile, was: Row, now: Row) -> Fact:
    kind, symbol = f"{_family(now)}_changed", _shown(now) or file.path
    rust = now.kind != "toolchain_required" or symbol == "rust"
    raised = rust and _raised(now.kind, was.text, now.text) and file.path.count("/") <= 1
    breaks = (
        now.kind == "distribution"
        or raised
        or (bool(_MAIN.search(file.path)) and _environment(now, was.text, now.text))
    )
    return Fact(kind, file.path, now.line, symbol, was.text, now.text, breaks, Alias("none") if breaks else None)


def _environment(row: Row, was: str, now: str) -> bool:
    """What a user's whole environment must follow: another torch release, another major CUDA, ROCm or transformers."""
    parts = _ENVIRONMENT.get(normalised(row.details["shown"]))
    old, new = _EXACT.match(was), _EXACT.match(now)
    if parts is None or row.details["scope"] or not (old and new):
        return False
    numbers = [tuple(map(int, match[1].split(".")[:parts])) for match in (old, new)]
    return numbers[0] < numbers[1]


def _raised(kind: str, was: str, now: str) -> bool:
    """The lowest Python or Rust that is asked for went up; Go fetches its own toolchain, npm only warns."""
    form = {"python_required": _LEAST, "toolchain_required": _RUST}.get(kind)
    old, new = (
        (form.match(text) if form is _RUST else form.search(text) for text in (was, now)) if form else (None, None)
    )
    return bool(old and new and (int(old[1]), int(old[2])) < (int(new[1]), int(new[2])))


def _came_and_went(pairs: Sequence[FilePair], whole: Whole) -> Iterator[Fact]:
    """Packages and extras of files that stay; one that left one list for another only moved."""
    lost, come = _only(pairs, "old"), _only(pairs, "new")
    stays = [pair for pair in pairs if pair.file.change.status[:1] not in "ACD"]
    standing, everywhere = _standing(stays), _standing([pair for pair in stays if _for_all(pair.file)])
    held = {(p.file.path, r.details["scope"]) for p in stays for r in p.old.of("dependency")}
    yield from _moved(lost, come)
    if not whole.complete:
        return
    for was, now in _replaced(stays, lost, come):
        names = (was.row.details["shown"], now.row.details["shown"])
        yield Fact("dependency_renamed", now.file.path, now.row.line, names[0], *names)
    for key, (file, row) in lost.items():
        there = everywhere if _for_all(file) and not _chosen(row) else standing
        if key in come or row.text == HELD_ABOVE or (key[0] == "dependency" and key[1] in there):
            continue
        with_extra = ("extra", normalised(row.details["scope"].strip("[]"))) in lost.keys() - come.keys()
        if (_chosen(row) and with_extra) or (not _for_all(file) and _split_off(pairs, key)):
            continue  # it is told with its extra, or by the file that came
        # an empty extra changes nothing for who asks for it; what one of setup.py holds is not known
        full = not file.path.endswith(".toml") or (file.path, f"[{row.details['shown']}]") in held
        breaks = key[0] == "extra" and full and bool(_MAIN.search(file.path))
        alias = Alias("none") if breaks else None
        yield Fact(f"{_family(row)}_removed", file.path, row.line, _shown(row), row.text or None, None, breaks, alias)
    told = {row.details["scope"] for (kind, _), (_, row) in come.items() if kind == "dependency"}
    for key, (file, row) in come.items():
        if key[0] == "extra" and f"[{row.details['shown']}]" in told:
            continue  # what it asks for is told with its name
        held_above = row.text == HELD_ABOVE or _gathered(pairs, file, row)
        if key in lost or held_above or (key[0] == "dependency" and (key[1] in standing or _left(file, key[1]))):
            continue
        yield Fact(f"{_family(row)}_added", file.path, row.line, _shown(row), None, row.text or None)


def _split_off(pairs: Sequence[FilePair], key: tuple[str, str]) -> bool:
    """A file that came offers the extra: the one that held it was split."""
    came = (row for pair in pairs if pair.file.change.status == "A" for row in pair.new.of("extra"))
    return key[0] == "extra" and any(normalised(row.details["shown"]) == key[1] for row in came)


def _moved(lost: dict[tuple[str, str], _Placed], come: dict[tuple[str, str], _Placed]) -> Iterator[Fact]:
    """Packages that went from one list to another: out of what everybody installs, into it, or with another version."""
    for key in lost.keys() & come.keys():
        was, now = lost[key], come[key]
        if key[0] == "dependency" and _chosen(was.row) and not _chosen(now.row):  # it comes with every installation now
            yield Fact("dependency_added", now.file.path, now.row.line, now.row.details["shown"], None, now.row.text)
            continue
        if key[0] == "dependency" and _chosen(now.row) and not _chosen(was.row):
            shown, extra = was.row.details["shown"], now.row.details["scope"]
            place = (now.file.path, now.row.line, shown)
            yield Fact("dependency_moved", *place, was.row.text or None, extra, _for_all(was.file))
            continue
        texts = was.row.text, now.row.text
        if key[0] == "dependency" and texts[0] != texts[1] and HELD_ABOVE not in texts:
            yield _change(now.file, was.row, now.row)


def _for_all(file: ReadFile) -> bool:
    """A list of what everybody installs; where a package stands in another as well, it went for all but those."""
    return _MAIN.search(file.path) is not None


def _standing(pairs: Sequence[FilePair]) -> set[str]:
    """Packages that stand in a list before and after."""
    rows = (r for p in pairs for k, r in p.new.items() if k in p.old)
    return {normalised(r.details["shown"]) for r in rows if r.kind == "dependency"}


def _chosen(row: Row) -> bool:
    """A package of an extra, which comes only with who asks for it."""
    return row.details["scope"].startswith("[")


_OF_EXTRA = "extra_"
_TO_BUILD = "build_"
_PREFIXES = (_OF_EXTRA, _TO_BUILD)


def _family(row: Row) -> str:
    """The family of what is told of it: what an extra asks for, not everybody installs, and what it is built with nobody."""
    if row.kind == "dependency" and row.details["scope"] == BUILD:
        return f"{_TO_BUILD}{row.kind}"
    return f"{_OF_EXTRA}{row.kind}" if _chosen(row) else row.kind


def _shown(row: Row) -> str:
    """Its name, behind that of its extra: `[audio] librosa`."""
    return f"{row.details['scope']} {row.details['shown']}" if _chosen(row) else row.details["shown"]


def _left(file: ReadFile, name: str) -> bool:
    """The file took the package out of a list that is not read, such as one for its own tests: it moved."""
    gone = (line.text for hunk in file.hunks for line in hunk.lines if line.sign == "-")
    return any((found := _REQUIREMENT.match(text)) and normalised(found[1]) == name for text in gone)


_REQUIREMENT = re.compile(r"[\s\"'-]{0,40}([A-Za-z0-9][\w.-]{0,80})")


def _replaced(
    stays: Sequence[FilePair], lost: dict[tuple[str, str], _Placed], come: dict[tuple[str, str], _Placed]
) -> Iterator[tuple[_Placed, _Placed]]:
    """Packages that took the place of others in the same list under a name with a word in common; told here alone."""
    for pair in stays:
        for scope in {row.details["scope"] for row in pair.old.of("dependency")}:
            old, new = (
                [r.name for r in sorted(side.of("dependency"), key=lambda r: r.line) if r.details["scope"] == scope]
                for side in (pair.old, pair.new)
            )
            for went, came in one_slot(old, new).items():
                names = [("dependency", name.rpartition(":")[2]) for name in (went, came)]
                common = words(names[0][1]) & words(names[1][1]) - {"python", "py"}
                if names[0] in lost and names[1] in come and names[0] not in come and names[1] not in lost and common:
                    yield lost.pop(names[0]), come.pop(names[1])


def _gathered(pairs: Sequence[FilePair], file: ReadFile, row: Row) -> bool:
    """A new extra of packages that other lists of the same file held before: a part of them under a name of its own."""
    pair = next(p for p in pairs if p.file is file)
    extra = f"[{row.details['shown']}]"
    held = {normalised(r.details["shown"]) for r in pair.new.of("dependency") if r.details["scope"] == extra}
    return (
        row.kind == "extra"
        and bool(held)
        and held <= {normalised(r.details["shown"]) for r in pair.old.of("dependency")}
    )


def _only(pairs: Sequence[FilePair], side: str) -> dict[tuple[str, str], _Placed]:
    """Packages and extras that one side of a file has and the other has not, by their plain names."""
    out: dict[tuple[str, str], _Placed] = {}
    for pair in pairs:
        if pair.file.change.status[:1] in "ACD":
            continue
        mine, other = (pair.old, pair.new) if side == "old" else (pair.new, pair.old)
        for key, row in mine.items():
            if key not in other and row.kind in ("dependency", "extra") and row.text != HELD_ABOVE:
                name = normalised(row.details["shown"])
                out.setdefault((row.kind, name), _Placed(pair.file, row))
    return out


def without_handed_over(facts: set[Fact], whole: Whole) -> set[Fact]:
    """Facts but those of files that went while a package which comes as a dependency is handed on by their module's name."""
    came = {normalised(fact.symbol) for fact in facts if fact.kind == "dependency_added"}
    beside = {
        f"{file.path.rpartition('/')[0]}/{match[2] or match[1]}"
        for file in (whole.files if came else ())
        if file.path.endswith(("/lib.rs", "/mod.rs", "/main.rs", "/__init__.py"))
        for line in (x.text[:200] for hunk in file.hunks for x in hunk.lines if x.sign == "+")
        if (match := _HANDED_ON.match(line)) and normalised(match[1]) in came
    }
    gone = (file.path for file in (whole.files if beside else ()) if file.change.status == "D")
    over = {path for path in gone if any(path.startswith((f"{one}/", f"{one}.")) for one in beside)}
    return {fact for fact in facts if fact.path not in over}


_HANDED_ON = re.compile(r"(?:pub use|import) (\w{1,80})(?: as (\w{1,80}))?;?$")
"""A package by its own name or another one: `pub use kit_mesh as mesh;`."""
