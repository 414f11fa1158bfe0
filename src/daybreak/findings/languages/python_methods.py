"""Methods of classes that came, went or have another name, and which of them implementers outside write."""

from __future__ import annotations

import re
from collections.abc import Iterator

from daybreak.core.model.findings import Alias
from daybreak.findings.blobs import Row, Surface
from daybreak.findings.compare import FilePair
from daybreak.findings.languages.base import MAX_LINE, Fact, ReadFile, Whole
from daybreak.findings.languages.python_members import given
from daybreak.findings.languages.python_public import (
    alive,
    bases,
    called_by_others,
    exported,
    forked,
    importable,
    is_extension,
    is_plugin,
    is_protocol,
    overridden,
    private,
)
from daybreak.findings.languages.renames import is_used_instead, similar
from daybreak.findings.languages.text_surface import one_slot
from daybreak.findings.paths import BEHIND

NONE = Alias("none")


def owner_of(side: Surface, name: str) -> Row | None:
    return side.get(("class", name.rpartition(".")[0]))


def is_hook(file: ReadFile, side: Surface, row: Row) -> bool:
    """Implementers outside write this method."""
    owner = owner_of(side, row.name)
    if row.kind != "method" or not is_extension(owner, file.profile) or row.name.split(".")[-1].startswith("__"):
        return False
    left_open = any(mark in row.details for mark in ("abstract", "unwritten", "stub"))
    return left_open or is_plugin(owner, file.profile) or is_protocol(owner)


def renamed_methods(
    lost: list[Row], come: list[Row], slots: tuple[list[str], list[str]], file: ReadFile, whole: Whole
) -> dict[str, Row]:
    """Old name → new row where the bodies match, nothing but a part of the name differs or what is taken last, or it is called in the old one's place."""
    out: dict[str, Row] = {}
    free = {row.name: row for row in come}
    places = one_slot(*slots)
    for row in lost:
        same = [r for r in free.values() if r.details["body"] and r.details["body"] == row.details["body"]]
        if not same and len(lost) * len(come) <= 400:
            head = _headless(row)
            same = [r for r in free.values() if _headless(r) == head and similar(r.name, row.name)]
            same = same or [r for r in free.values() if _takes_more(r, row) and similar(r.name, row.name, _SAME_WORDS)]
        here = free.get(places.get(row.name, ""))
        if not same and here is not None and _headless(here) == _headless(row):
            names = (one.name.rpartition(".")[2] for one in (row, here))
            if row.text.count(",") > 1 or is_used_instead(file, whole, *names):
                same = [here]  # in its place, and asked for the same
        if len(same) == 1:
            out[row.name] = free.pop(same[0].name)
    return out


_SAME_WORDS = 0.6
"""How much of a name must stay where what was taken is taken still, first, and more than one thing."""


def _takes_more(row: Row, gone: Row) -> bool:
    """It takes first what the one that went took, two things or more, and others after these."""
    (now, how), (was, formerly) = _headless(row), _headless(gone)
    taken = was.rpartition(")")[0]
    return taken.count(",") > 1 and how == formerly and now.startswith(f"{taken},")


def _headless(row: Row) -> tuple[str, str]:
    """What it takes, however its lines are broken, and what decorates it."""
    taken = "".join(row.text.partition("(")[2].split())
    return taken.replace(",)", ")"), row.details["decorators"]


def new_method(pair: FilePair, was: Row, now: Row, row: Row, whole: Whole) -> Iterator[Fact]:
    file = pair.file
    if called_by_others(row) or bases(was) != bases(now) or _inherited(pair.old, was, row.name.rpartition(".")[2]):
        return  # it may have been inherited before
    if is_extension(was, file.profile) and is_extension(now, file.profile) and is_hook(file, pair.new, row):
        yield _new_hook(pair, was, row, whole)
    elif importable(file) and exported(file, pair.new, now) and not row.name.split(".")[-1].startswith("__"):
        yield Fact("function_added", file.path, row.line, row.name, None, row.text[:200])


def lost_method(pair: FilePair, was: Row, now: Row, row: Row, renamed: Row | None, missed: bool) -> Iterator[Fact]:
    """A method that left its class: renamed, kept by an attribute or a hook, inherited now, or gone. What nobody outside
    imports is told where it is missed, or where a subclass of a plug-in or fork can have written it.
    """
    short = row.name.split(".")[-1]
    hook = is_hook(pair.file, pair.old, row)
    told = hook or missed or (importable(pair.file) and (pair.file.reach == "all" or not private(row.name)))
    if short.startswith("__") or called_by_others(row) or not (told or forked(pair.file, row.name)):
        return
    kept = alive(pair.new, row.name) or given(pair.new, row.name)
    if kept is not None and (kept.where or "").endswith(".__getattr__") and not _may_be_served(pair, row):
        kept = None
    if pair.new.has("attribute", row.name):
        if pair.file.reach != "usual":
            return  # `old = new` in the class: nothing is lost
        kept = Alias("kept", pair.file.path)
    unclear = bases(was) != bases(now) or _inherited(pair.new, now, short)
    left_open = "abstract" in row.details or "unwritten" in row.details or renamed is not None
    hurts = overridden(pair.file, pair.old, was) and left_open if hook else exported(pair.file, pair.old, row)
    idle = hook and "stub" in row.details and "abstract" not in row.details and renamed is None
    breaks = kept is None and not unclear and not idle and (hurts or exported(pair.file, pair.old, row))
    shown = row.text[:200]
    verb = "renamed" if renamed else "removed"
    kind = f"extension_method_{verb}" if hook else f"function_{verb}" if told else f"internal_method_{verb}"
    breaks = breaks or (not told and kept is None and not unclear)
    if (unclear and not renamed) or (kind.startswith("internal") and not breaks):
        return
    line = renamed.line if renamed else row.line
    before, after = (row.name, renamed.name) if renamed else (shown, None)
    yield Fact(kind, pair.file.path, line, row.name, before, after, breaks, kept or NONE)


def _may_be_served(pair: FilePair, row: Row) -> bool:
    """The hook gives the method in place of the one that went: it came for that, names it, or stands before an object that the
    method itself handed its calls to. A hook that stood there while the class had to define the method does not.
    """
    owner, _, short = row.name.rpartition(".")
    hook = pair.new.get(("method", f"{owner}.__getattr__"))
    stood = hook is not None and pair.old.has("method", hook.name) and "served" not in hook.details
    call = re.compile(rf"\w\.{re.escape(short)}\(")
    gone = (line.text for hunk in pair.file.hunks for line in hunk.lines if line.sign == "-")
    return not stood or any(short in text and call.search(text[:MAX_LINE]) is not None for text in gone)


def lost_classes(pair: FilePair, was: Row) -> Iterator[Fact]:
    """Classes inside a class that went, or stand there under another name."""
    held = [
        (side, {r.name: r for r in side.of("class") if r.name.rpartition(".")[0] == was.name})
        for side in (pair.old, pair.new)
    ]
    (_, old), (after, new) = held
    for name in (name for name in old if name not in new and not private(name)):
        row = old[name]
        if after.has("attribute", name) or not (importable(pair.file) or forked(pair.file, name)):
            continue
        come = [now for key, now in new.items() if key not in old and (_one_body(row, now) or similar(key, name))]
        verb, text = ("renamed", come[0].name) if len(come) == 1 else ("removed", None)
        breaks = exported(pair.file, pair.old, row)
        yield Fact(
            f"class_{verb}",
            pair.file.path,
            (come or [row])[0].line,
            name,
            name if text else row.text[:200],
            text,
            breaks,
            NONE,
        )


def _one_body(row: Row, now: Row) -> bool:
    return bool(row.details["body"]) and row.details["body"] == now.details["body"]


def _inherited(side: Surface, owner: Row, method: str) -> bool:
    """A base class of the same file has the method."""
    return any(side.has("method", f"{base.split('[')[0]}.{method}") for base in bases(owner))


def _new_hook(pair: FilePair, was: Row, row: Row, whole: Whole) -> Fact:
    """A method that implementers must write from now on: one that only raises, where anybody builds on the file or the
    project itself calls it, or that says what it gives and gives nothing, where the project works with that. One with a
    body asks nothing of them.
    """
    short = row.name.rpartition(".")[2]
    met = pair.file.reach == "public" or _is_called(short, whole)
    empty = "stub" in row.details and _answers(row) and _is_taken(short, whole)
    asked = "abstract" in row.details or ("unwritten" in row.details and met) or empty
    breaks = asked and overridden(pair.file, pair.old, was)
    return Fact("extension_method_added", pair.file.path, row.line, row.name, None, row.text[:200], breaks)


def _answers(row: Row) -> bool:
    """Its head names a type of what it gives, which is not None as well."""
    given = row.text.rpartition("->")[2].strip(" :") if "->" in row.text else ""
    return bool(given) and not re.search(r"\b(?:None|Optional|Any|NoReturn)\b", given)


def _is_taken(method: str, whole: Whole) -> bool:
    """A line that came hands its answer to a function, reckons with it or takes a part of it."""
    made = rf"\b\w+\.{re.escape(method)}\([\w., ]{{0,200}}\)"
    taken = re.compile(rf"\b(?:sum|max|min|len|int|list|tuple|sorted|range)\({made}|{made}\s*[-+*/\[.]")
    ours = (file for file in whole.files if file.area not in BEHIND)
    lines = (line for file in ours for hunk in file.hunks for line in hunk.lines if line.sign == "+")
    return any(method in line.text and taken.search(line.text[:MAX_LINE]) for line in lines)


def _is_called(method: str, whole: Whole) -> bool:
    """A line that came in sources that are shipped calls it of something."""
    call = re.compile(rf"\w\.{re.escape(method)}\(")
    ours = (file for file in whole.files if file.area not in BEHIND)
    lines = (line for file in ours for hunk in file.hunks for line in hunk.lines if line.sign == "+")
    return any(method in line.text and call.search(line.text[:MAX_LINE]) for line in lines)
