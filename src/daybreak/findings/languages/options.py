"""Command line options that come, go, change their name, default or choices.

Both sides of a file are known whole, so an option that is gone is gone from the file; it is called removed only when
no other file of the commit defines it now, and renamed only when one with the same definition came.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from daybreak.core.model.findings import Alias
from daybreak.findings.blobs import Row, Surface
from daybreak.findings.compare import FilePair
from daybreak.findings.languages.base import MAX_LINE, Fact, ReadFile, Whole, destination
from daybreak.findings.languages.options_surface import surface, values
from daybreak.findings.languages.python_normal import same_value
from daybreak.findings.languages.refused_options import is_only_refused
from daybreak.findings.languages.renames import moves
from daybreak.findings.languages.text_surface import (
    alike,
    changed_text,
    is_value,
    lives,
    met_by_users,
    names,
    one_slot,
    pairing,
    quiet_file,
    quoted,
    shown,
    unseen,
    words,
)

__all__ = ["compare", "facts", "surface", "touched"]

_PLACES = re.compile(r"(?:args?|arg_utils|cli|options?|launch\w*|serve\w*|config\w*|main|router|parser)\w*\.pyi?$")
_HINT = re.compile(r"add_argument|[\"']--[a-z]|\bdefault=|\bchoices=|CHOICES|click\.option|typer\.Option|: A\[")
_HINT_WORDS = (
    "add_argument", '"--', "'--", "default=", "choices=", "CHOICES", "click.option", "typer.Option", ": A[",
)  # fmt: skip
"""One of these is in every text that the pattern finds."""
_SAME = ("type", "action", "nargs", "default", "choices")
_READS = 20
"""Places that read an option which are looked at."""
_SWITCHES = frozenset({"enable", "disable", "use", "no", "with", "max", "min", "num"})
"""Words of a flag that say nothing of what it is about."""


def _hinted(text: str) -> bool:
    return any(word in text for word in _HINT_WORDS) and _HINT.search(text) is not None


def touched(file: ReadFile) -> bool:
    """Whether the hunks may have changed an option; a file named after arguments is asked whatever they say."""
    if quiet_file(file):
        return False
    return bool(file.change.patch_cut or _PLACES.search(file.path[-200:]) or _hinted(changed_text(file)))


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """From hunks alone, when nothing else is known."""
    pair = shown(file, surface, touched)
    if pair:
        yield from unseen(compare([pair], whole), file, whole)


def compare(pairs: Sequence[FilePair], whole: Whole) -> Iterator[Fact]:
    """What happened to the options of a commit's files."""
    before = names((p.old for p in pairs), "option")
    after = names((p.new for p in pairs), "option")
    after |= _living_on(pairs, before - after)
    for pair in pairs:
        if lives(pair.file):
            yield from _came_and_went(pair, whole, before, after)
            yield from _changed(pair)
            yield from _constants(pair)


def _living_on(pairs: Sequence[FilePair], gone: set[str]) -> set[str]:
    """Flags that no call defines any more, but something new does: a field, a table, a run-time pattern."""
    words_new = names((p.new for p in pairs), "word") - names((p.old for p in pairs), "word")
    settings = names((p.new for p in pairs), "setting") - names((p.old for p in pairs), "setting")
    shapes = names((p.new for p in pairs), "pattern") - names((p.old for p in pairs), "pattern")
    tabled = names((p.new for p in pairs), "tabled") - names((p.old for p in pairs), "tabled")
    patterns = [re.compile(shape) for shape in sorted(shapes)[:20]]
    return {
        flag
        for flag in gone
        if flag in words_new | tabled or destination(flag) in settings or any(p.fullmatch(flag) for p in patterns)
    }


def _came_and_went(pair: FilePair, whole: Whole, before: set[str], after: set[str]) -> Iterator[Fact]:
    gone = [row for row in pair.old.of("option") if row.name not in after]
    come = [row for row in pair.new.of("option") if row.name not in before]
    # a parser that others fill now may take all that it took
    lost = [row for row in gone if _first(row, gone)] if not _delegates(pair.new, pair.old) else []
    new = [row for row in come if _first(row, come)] if not _delegates(pair.old, pair.new) else []
    breaks = met_by_users(pair.file)
    found = _successors(lost, new, _slots(pair))
    successors = {was: now for was, now in found.items() if moves(pair.file, whole, *map(destination, (was, now)))}
    for row in lost:
        kept = [f for f in row.details["flags"].split() if f in after]
        successor = kept[0] if kept else successors.get(row.name) or _in_its_slot(row, whole)
        if successor:
            yield _renamed(pair, row, successor, breaks)
        else:
            worked = breaks and "failing" not in row.details and not is_only_refused(row, pair.file, whole)
            yield Fact("cli_flag_removed", pair.file.path, row.line, row.name, row.name, None, worked, Alias("none"))
    for row in new:
        kept = [f for f in row.details["flags"].split() if f in before]
        if kept and _leads(pair.old, kept[0]) and _leads(pair.new, row.name):
            alias = Alias("kept", row.name)
            yield Fact("cli_flag_renamed", pair.file.path, row.line, kept[0], kept[0], row.name, False, alias)
        elif row.name not in successors.values():
            was, given = kept[0] if kept else None, _where_unset(row, whole)
            yield Fact("cli_flag_added", pair.file.path, row.line, row.name, was, row.name, default=given)
    yield from _negations(pair, breaks)


def _in_its_slot(row: Row, whole: Whole) -> str | None:
    """The one option that stands on a new line, of code or of a page, just where the lost one stood on the line that went."""
    read = re.compile(rf"(?<![\w.])\w{{0,40}}(?:args|opts|options|config)\.()({re.escape(destination(row.name))})\b")
    typed = re.compile(rf"(?<![\w\"'-])()({re.escape(row.name)})(?![\w-])")
    files = [f for f in whole.files if row.name in f.change.patch or destination(row.name) in f.change.patch]
    found: set[str] = set()
    for file in files[:_READS]:
        lines = {s: [_plain(x.text) for h in file.hunks for x in h.lines if x.sign == s] for s in "-+"}
        for pattern in (read, typed):
            for was in [match for line in lines["-"] if (match := pattern.search(line)) is not None][:_READS]:
                head, tail = was.string[: was.start(2)], was.string[was.end(2) :]
                fit = [x for x in lines["+"] if x.startswith(head) and x.endswith(tail) and len(head + tail) > _SLOT]
                found |= {x[len(head) : len(x) - len(tail)] for x in fit}
    names = {"--" + one.lstrip("-").replace("_", "-") for one in found if re.fullmatch(r"(?:--)?[a-z][\w-]{2,80}", one)}
    return names.pop() if len(names) == 1 == len({*map(destination, found)}) and row.name not in names else None


def _plain(line: str) -> str:
    """A line in which an option is read in one way, however that is written."""
    return _ASKED.sub(r"\1.\2", line.strip()[:400])


_ASKED = re.compile(r"\bgetattr\((\w{1,60}), [\"'](\w{1,80})[\"'](?:, (?:None|False))?\)")
_SLOT = 3
"""Characters around an option without which its place is any place."""


def _where_unset(row: Row, whole: Whole) -> str | None:
    """What the option is where nobody gives it; a switch is off until it is given. One that takes all it is from a field of
    its name, which came with it, has the field's value.
    """
    given = _given(row) if "default" in row.details or _action(row) in _SWITCHED else None
    if given is not None and not _DOTTED.fullmatch(given):
        return given
    field = re.compile(rf"\s+{re.escape(destination(row.name))}\s*:\s*[^=]{{1,200}}=\s*({_PLAIN})\s*$")
    held = {match[1] for line in whole.added_lines if (match := field.match(line[:MAX_LINE]))}
    return held.pop() if len(held) == 1 else given


_SWITCHED = {"store_true": "False", "store_false": "True"}
"""Action of a switch → what it leaves its destination where nobody gives it."""
_OTHER = {"True": "False", "False": "True"}


def _action(row: Row) -> str:
    return row.details.get("action", "").strip("\"'")


_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")
_PLAIN = r"True|False|None|-?\d[\d_.]*|\"[^\"]{0,80}\"|'[^']{0,80}'"


def _leads(side: Surface, flag: str) -> bool:
    """The flag is the first name of its option."""
    row = side.get(("option", flag))
    return row is not None and row.details["flags"].split()[0] == flag


def _delegates(side: Surface, other: Surface) -> bool:
    return bool(names([side], "delegated") - names([other], "delegated"))


def _first(row: Row, rows: Sequence[Row]) -> bool:
    """The first of an option's names among those given."""
    flags = row.details["flags"].split()
    present = {r.name for r in rows}
    return row.name == next((f for f in flags if f in present), row.name)


def _renamed(pair: FilePair, row: Row, successor: str, breaks: bool) -> Fact:
    """Since argparse takes unambiguous prefixes, a longer new name may keep the old one working."""
    longer = {f for f in names([pair.new], "option") if f.startswith(row.name)}
    works = row.details["how"] == "argparse" and len(longer) == 1
    alias = Alias("kept", successor) if works else Alias("none")
    line = pair.new["option", successor].line if pair.new.has("option", successor) else row.line
    return Fact("cli_flag_renamed", pair.file.path, line, row.name, row.name, successor, breaks and not works, alias)


def _slots(pair: FilePair) -> dict[str, str]:
    """Options that stand where others stood."""
    old, new = (
        [r.name for r in side.of("option") if r.name == r.details["flags"].split()[0]] for side in (pair.old, pair.new)
    )
    return one_slot(old, new)


def _successors(lost: Sequence[Row], new: Sequence[Row], slots: Mapping[str, str]) -> dict[str, str]:
    """The one new option that is defined as a lost one was; of several, that in its place or with a similar name."""
    sure = pairing(lost, new, _alike)
    rest = [r for r in lost if r.name not in sure], [n for n in new if n.name not in sure.values()]
    sure |= pairing(*rest, lambda old, come: _alike(old, come) and alike(old.name, come.name) >= 0.5)
    rest = [r for r in lost if r.name not in sure], [n for n in new if n.name not in sure.values()]
    sure |= pairing(*rest, _longer)
    rest = [r for r in lost if r.name not in sure], [n for n in new if n.name not in sure.values()]
    return sure | pairing(*rest, lambda old, come: slots.get(old.name) == come.name and _same_place(old, come))


def _same_place(old: Row, new: Row) -> bool:
    """Taken as the old one was, with a word of its name."""
    same = all(same_value(old.details.get(key, ""), new.details.get(key, "")) for key in _SAME)
    return same and bool((words(old.name) & words(new.name)) - _SWITCHES)


def _longer(old: Row, new: Row) -> bool:
    """One name begins the other, and both or neither take a value: whatever else changed, argparse takes the short."""
    short, long = sorted((old.name, new.name), key=len)
    rest, was, now = long.removeprefix(short), old.details, new.details
    same = all(was.get(key) == now.get(key) for key in ("action", "nargs")) and was["how"] == now["how"] == "argparse"
    return same and rest != long and short.startswith("--") and (rest == "s" or rest.startswith("-"))


def _alike(old: Row, new: Row) -> bool:
    was, now = old.details, new.details
    if any(not same_value(was.get(key, ""), now.get(key, "")) for key in _SAME):
        return False
    if "dest" in was and was.get("dest") == now.get("dest"):
        return True
    helped = alike(was.get("help", ""), now.get("help", ""))
    if was.get("help", "") == now.get("help", "") and (was.get("help") or "default" in was):
        return bool(was.get("help")) or bool(words(old.name) & words(new.name)) or len(was) > 3
    return helped >= 0.5 and bool(words(old.name) & words(new.name))


def _negations(pair: FilePair, breaks: bool) -> Iterator[Fact]:
    """`--no-x` of a flag that no longer has one, or has one now."""
    for old, new in _both(pair, "option"):
        flag = "--no-" + old.name.removeprefix("--")
        if old.name.startswith("--no-") or pair.new.has("option", flag) or pair.old.has("option", flag):
            continue
        was, now = "negation" in old.details, "negation" in new.details
        if was and not now and "open" not in new.details:
            yield Fact("cli_flag_removed", pair.file.path, new.line, flag, flag, None, breaks, Alias("none"))
        elif now and not was and "open" not in old.details:
            yield Fact("cli_flag_added", pair.file.path, new.line, flag, None, flag)


def _both(pair: FilePair, kind: str) -> Iterator[tuple[Row, Row]]:
    for row in pair.old.of(kind):
        if pair.new.has(kind, row.name):
            yield row, pair.new[kind, row.name]


def _changed(pair: FilePair) -> Iterator[Fact]:
    path, shared = pair.file.path, _shared(pair.new)
    for old, new in _both(pair, "option"):
        was, now = old.details, new.details
        if new.name != now["flags"].split()[0] and now["flags"].split()[0] in was["flags"].split():
            continue  # another name of an option that is told by its first
        goes, went = _farewell(now), _farewell(was)
        if goes and not went:
            instead = goes if goes != "1" else None
            alias = Alias("deprecated", instead)
            yield Fact("cli_flag_deprecated", path, new.line, new.name, new.name, instead, False, alias)
        if "several" in was or "several" in now or goes or went:
            continue  # who gave nothing to what does nothing keeps nothing
        yield from _default(path, old, new)
        constant = now.get("constant", "")
        if not constant or constant != was.get("constant") or shared[constant] == new.name:
            yield from _choices(pair, new.name, new.line, was.get("choices"), now.get("choices"))


def _farewell(details: Mapping[str, str]) -> str:
    """What to use in place of an option that its help, or its action, says goes; `1` where that is not said."""
    return details.get("deprecated", "") or ("1" if _OLD.match(details.get("help", "")[:_HEAD]) else "")


_OLD = re.compile(r"\W{0,3}deprecated\b", re.IGNORECASE)
_HEAD = 20


def _shared(new: Surface) -> dict[str, str]:
    """For each constant with choices the option it is told by: the shortest name of those that use it."""
    out: dict[str, str] = {}
    for row in new.of("option"):
        constant, flag = row.details.get("constant", ""), row.details["flags"].split()[0]
        if constant and "deprecated" not in row.details and len(flag) < len(out.get(constant, "-" * 200)):
            out[constant] = flag
    return out


def _default(path: str, old: Row, new: Row) -> Iterator[Fact]:
    was, now = _given(old), _given(new)
    if was is not None and now is not None and is_value(was) and is_value(now) and not same_value(was, now):
        yield Fact("cli_default_changed", path, new.line, new.name, was, now)


def _given(row: Row) -> str | None:
    """What the option itself is: one that takes something away (`store_false`) is off where that is there by default.

    An option without a default has None, unless its action or something we do not see says otherwise.
    """
    details, action = row.details, _action(row)
    if "open" in details and "default" not in details:
        return None
    given = details.get("default") or _SWITCHED.get(action)
    if given is not None:
        return _OTHER.get(given, given) if action == "store_false" else given
    return None if "action" in details or details["how"] != "argparse" else "None"


def _choices(pair: FilePair, name: str, line: int, was: str | None, now: str | None) -> Iterator[Fact]:
    old, new = values(was or ""), values(now or "")
    if was is None or now is None or old is None or new is None or old == new:
        return
    lost = old - new
    taken = lost and all(isinstance(value, str) and value in quoted(pair.file) for value in lost)
    alias = Alias("deprecated", pair.file.path) if taken else Alias("none") if lost else None
    breaks = bool(lost) and not taken and met_by_users(pair.file)
    yield Fact("cli_choices_changed", pair.file.path, line, name, was, now, breaks, alias)


def _constants(pair: FilePair) -> Iterator[Fact]:
    """Lists of allowed values that no option of the file uses: they are told by their own name."""
    for old, new in _both(pair, "constant"):
        yield from _choices(pair, new.name, new.line, old.details["choices"], new.details["choices"])
