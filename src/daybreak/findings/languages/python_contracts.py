"""What others rely on beside names: flags of classes, fixed answers, what a call leaves in its arguments, how structures are
written, values of messages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from daybreak.findings.blobs import Row, Surface
from daybreak.findings.compare import FilePair
from daybreak.findings.diff import DiffLine, SideLine, side
from daybreak.findings.languages.base import MAX_LINE, SIDES, Fact, Whole, bracketed, joined, keywords
from daybreak.findings.languages.blocks import shown
from daybreak.findings.languages.python_normal import same_value
from daybreak.findings.languages.python_public import (
    bases,
    exported,
    hidden,
    implements,
    is_data,
    is_plugin_name,
    private,
    read_at_all,
)

_BOOL = frozenset({"True", "False"})
_OPTION = re.compile(r"(\w+)\s*=\s*(.+)", re.DOTALL)
_WRITTEN = frozenset({"omit_defaults", "array_like", "tag", "tag_field", "rename", "forbid_unknown_fields", "extra"})
"""Options that decide how a structure is written and read."""
_USED = frozenset({"frozen", "kw_only"})
"""Options that decide what may be done with its objects: switched off, they allow more."""
_MARKER = re.compile(r"(?:^|\.)(?:\w*dataclass\w*|define|attrs?)\(")
_CONSTANT = re.compile(r"([A-Z][A-Z0-9]+)_[A-Z0-9_]+")
_TEXT = re.compile(r"\"([^\"\\\n]{1,80})\"|'([^'\\\n]{1,80})'")
_DEEPEST = 8


def holds_fields(side: Surface, row: Row | None, depth: int = 0) -> bool:
    """A dataclass, model or struct, also by a base of the same file; or a record: fields declared, no constructor."""
    if row is None or depth > _DEEPEST:
        return False
    if is_data(row) or _is_record(side, row):
        return True
    return any(holds_fields(side, side.get(("class", base.split("[")[0])), depth + 1) for base in bases(row))


def _is_record(side: Surface, row: Row) -> bool:
    own = side.attributes().get(row.name, {})
    declared = [r for r in own.values() if r.details["annotation"] and not r.details["value"]]
    return len(declared) > 1 and len(declared) == len(own) and not side.methods(row.name) and not bases(row)


# --- flags and fixed answers -----------------------------------------------------------------------------------------


def answers(pair: FilePair, was: Row, now: Row) -> Iterator[Fact]:
    """A function that gave one plain value gives another one."""
    first, second = was.details.get("returns"), now.details.get("returns")
    if not first or not second or same_value(first, second) or "many" in now.details:
        return
    if now.kind == "method" or not first[-1].isdigit():  # a number that a function makes is its own business
        yield Fact("flag_changed", pair.file.path, now.line, f"{now.name}()", first, second)


def rows(pair: FilePair, was: Row, now: Row) -> Iterator[Fact]:
    """A method that implements an extension point and gives the same values in another order, or another number of them."""
    first, second = ([x.strip() for x in row.details.get("row", "").split(",") if x.strip()] for row in (was, now))
    told = sorted(first) == sorted(second) if len(first) == len(second) else bool(first and second)
    if first == second or not told or private(now.name):
        return
    owner = pair.new.get(("class", now.name.rpartition(".")[0]))
    if implements(owner, pair.file.profile) and not hidden(pair.file.path):
        before, after = (shown(f"({', '.join(side)})") for side in (first, second))
        yield Fact("extension_answer_changed", pair.file.path, now.line, f"{now.name}()", before, after, breaking=True)


def overwritten(pair: FilePair, was: Row, now: Row) -> Iterator[Fact]:
    """A parameter that was documented and is said to be modified in place now, where code changed as well: whoever reads the
    argument after the call finds something else in it.
    """
    if not any(_DEED.match(line.text[:MAX_LINE]) for line in _lines(pair, "-")) or not exported(
        pair.file, pair.new, now
    ):
        return
    span, name = range(now.line, now.line + int(now.details["size"])), ""
    before = range(was.line, was.line + int(was.details["size"]))
    for line in (line for hunk in pair.file.hunks for line in hunk.lines):
        text = line.text[:MAX_LINE]
        said = "#" not in text and _IN_PLACE.search(text) is not None and not _UNSURE.search(text)
        if said and line.old in before:
            return
        if line.new in span and (documented := _DOCUMENTED.match(text)):
            name = documented[1] if line.sign == " " and documented[1].islower() else ""
        elif line.new in span and said and name:
            symbol = f"{now.name}({name})"
            yield Fact("parameter_overwritten", pair.file.path, line.new, symbol, None, name, breaking=True)
            return


_DOCUMENTED = re.compile(r"\s{4,12}([A-Za-z_]\w*) ?(?:\([^()]{1,80}\))? ?:(?: |$)")
_IN_PLACE = re.compile(r"\b(?:modified|updated|overwritten|mutated|written)\b.{0,20}\bin[- ]place\b", re.IGNORECASE)
_UNSURE = re.compile(r"\b(?:not|never|no longer|unless|if|when|may|only)\b", re.IGNORECASE)
_DEED = re.compile(r"\s+[\w.]{1,80}(?:, [\w.]{1,80}){0,8} = [\w.]{1,80}\(")
"""A statement that went: a page on what the code did before takes none away."""


def returned(pairs: Sequence[FilePair]) -> Iterator[Fact]:
    """A method that several classes of one base write and that gives an object where it gave a dictionary: the callers read
    attributes now, so that whoever else writes it has to give one too, whatever the base's head says.
    """
    found: dict[tuple[str, str], dict[str, FilePair]] = {}
    owners: Counter[tuple[str, str, str]] = Counter()
    for pair in pairs:
        gave = {method_at(pair.old, line.old).name for line in _lines(pair, "-") if _GAVE_KEYS.match(line.text)}
        come = [
            (method_at(pair.new, line.new), m[1]) for line in _lines(pair, "+") if (m := _GIVES_ONE.match(line.text))
        ]
        for name, kind in sorted({(row.name, kind) for row, kind in come if row.name in gave}):
            owner, _, short = name.rpartition(".")
            if not owner:
                continue  # a function of no class
            found.setdefault((short, kind), {})[owner] = pair
            owners.update((short, kind, base) for base in bases(pair.new.get(("class", owner))))
    for (short, kind), some in found.items():
        counts = {b: n for (m, k, b), n in owners.items() if (m, k) == (short, kind)}
        base, count = max(counts.items(), key=lambda x: x[1], default=("", 0))  # classes of no base
        if count < _SEVERAL or private(short) or private(base):
            continue
        home = next((p for p in pairs if p.new.has("method", f"{base}.{short}")), next(iter(some.values())))
        row = home.new.get(("method", f"{base}.{short}")) or home.new["method", f"{next(iter(some))}.{short}"]
        yield Fact("extension_return_changed", home.file.path, row.line, f"{base}.{short}", "dict", kind, breaking=True)


_GAVE_KEYS = re.compile(r"\s{4,40}return \{")
_GIVES_ONE = re.compile(r"\s{4,40}return ([A-Z]\w{2,80})\(")
_SEVERAL = 3
"""Classes that follow before it is the base that asks it of all."""


def _lines(pair: FilePair, sign: str) -> Iterator[DiffLine]:
    return (line for hunk in pair.file.hunks for line in hunk.lines if line.sign == sign)


def method_at(side: Surface, number: int) -> Row:
    """The method or function that begins last before a line."""
    heads = (row for kind in ("method", "function") for row in side.of(kind) if row.line <= number)
    return max(heads, key=lambda row: row.line, default=Row("method", "", 0))


def made_with_more(whole: Whole) -> Iterator[Fact]:
    """A class that plug-ins put into a variable (`tool_parser_cls`) and that is made with an argument more than before."""
    for file in (file for file in whole.files if read_at_all(file) and file.path.endswith(".py")):
        for hunk in file.hunks:
            before, after = (_made(side(hunk, sign)) for sign in SIDES)
            for variable in (name for name in before if name in after):
                was, (now, line) = before[variable][0], after[variable]
                name = "".join(map(str.capitalize, variable.rpartition("_")[0].split("_")))
                if len(now) > len(was) and now[: len(was)] == was and is_plugin_name(name, file.profile):
                    first, second = (shown(f"{variable}({', '.join(given)})") for given in (was, now))
                    yield Fact("extension_method_changed", file.path, line, f"{name}.__init__", first, second, True)


_MADE = re.compile(r"(?<!def )\b([a-z]\w{2,80}_(?:cls|class))\(")


def _made(lines: Sequence[SideLine]) -> dict[str, tuple[tuple[str, ...], int]]:
    """Variable that holds a class -> what the class is given where a line came or went, and the line."""
    out: dict[str, tuple[tuple[str, ...], int]] = {}
    for at, line in enumerate(lines):
        if line.changed and (match := _MADE.search(line.text[:MAX_LINE])):
            span = bracketed(joined(lines, at)[match.end() :])
            if span and span.whole and span.parts:
                out[match[1]] = span.parts, line.number
    return out


def flags(path: str, both: list[tuple[Row, Row]]) -> Iterator[Fact]:
    """Class attributes that say yes or no, with the other answer or one that depends."""
    for was, now in both:
        first, second = was.details["value"], now.details["value"]
        if second and not same_value(first, second) and first in _BOOL and "many" not in {**was.details, **now.details}:
            yield Fact("flag_changed", path, now.line, now.name, first, second[:200])


# --- structures ------------------------------------------------------------------------------------------------------


def options(pair: FilePair, was: Row, now: Row) -> Iterator[Fact]:
    """Options of a structure that decide how it is written, or what may be done with it."""
    if not (holds_fields(pair.old, was) and holds_fields(pair.new, now)):
        return
    old, new = _options(was), _options(now)
    other = [name for name in {**old, **new} if not same_value(old.get(name), new.get(name))]
    if not other:
        return
    before, after = (", ".join(f"{n}={side[n]}" for n in other if n in side) or None for side in (old, new))
    is_written = not _WRITTEN.isdisjoint(other)
    breaks = (is_written or any(new.get(name) == "True" for name in other)) and not hidden(pair.file.path)
    kind = "struct_options_changed" if is_written else "struct_use_changed"
    yield Fact(kind, pair.file.path, now.line, now.name, before, after, breaks)


def _options(row: Row) -> dict[str, str]:
    """What the class line and its decorator say, without what is said by default."""
    parts = [base for base in bases(row) if _OPTION.fullmatch(base)]
    for decorator in row.details.get("decorators", "").split("\n"):
        opened = _MARKER.search(decorator)
        span = bracketed(decorator[opened.end() :]) if opened else None
        parts += span.parts if span else ()
    found = keywords(parts)
    return {name: found[name] for name in sorted(found) if name in _WRITTEN | _USED and found[name] != "False"}


# --- values of messages ----------------------------------------------------------------------------------------------


def message_values(pair: FilePair, whole: Whole) -> Iterator[Fact]:
    """Texts that constants of one first word hold beside structures that are sent: those that a receiver knew and lost."""
    if not (_sends(pair.old) and _sends(pair.new)):
        return
    old, new = _values(pair.old), _values(pair.new)
    for head in old:
        first, second = old[head], new.get(head, {})
        lost = [name for name, row in first.items() if row.text not in {r.text for r in second.values()}]
        if lost and not any(name in whole.added_words for name in lost) and len(first) + len(second) > 2:
            line = next((row.line for row in second.values()), 1)
            was, now = (", ".join(row.text for row in side.values())[:300] or None for side in (first, second))
            yield Fact("message_value_changed", pair.file.path, line, f"{head}_*", was, now, breaking=True)


def _sends(side: Surface) -> bool:
    return any(is_sent(side, row) for row in side.of("class"))


def is_sent(side: Surface, row: Row | None) -> bool:
    """A structure whose form on the wire is set."""
    return row is not None and holds_fields(side, row) and bool(set(_options(row)) & _WRITTEN)


def names_peer(side: Surface, owner: str) -> bool:
    """A structure with a field that says which machine is at its other end: that may run another version."""
    names = (row.name.rpartition(".") for row in side.of("attribute"))
    return any(holder == owner and _AWAY.search(name) for holder, _, name in names)


_AWAY = re.compile(r"(?:^|_)(?:remote|peer|host|hostname)(?:_|$)")


def _values(side: Surface) -> dict[str, dict[str, Row]]:
    """First word of public constants → those that hold a text."""
    out: dict[str, dict[str, Row]] = {}
    for name, row in side.attributes().get("", {}).items():
        if (match := _CONSTANT.fullmatch(name)) and _TEXT.fullmatch(row.details["value"]) and not private(name):
            out.setdefault(match[1], {})[name] = row
    return out
