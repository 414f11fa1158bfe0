"""What happened inside a Python class or module that stands on both sides: fields, constants, choices, members."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from daybreak.core.model.findings import Alias
from daybreak.findings.blobs import Row, Surface
from daybreak.findings.compare import FilePair
from daybreak.findings.kinds import named
from daybreak.findings.languages.base import Fact, Whole, bracketed, keywords
from daybreak.findings.languages.blocks import quiet, unwrapped
from daybreak.findings.languages.python_contracts import flags, holds_fields, is_sent, method_at, names_peer
from daybreak.findings.languages.python_functions import sources
from daybreak.findings.languages.python_normal import same_value
from daybreak.findings.languages.python_public import (
    alive,
    bases,
    exported,
    forked,
    hidden,
    implemented,
    importable,
    is_enum,
    is_keyed,
    is_plugin,
    is_setting,
    may_lack,
    offered_by_list,
    private,
    read_at_all,
    takes_fields,
)
from daybreak.findings.languages.python_types import (
    STRING,
    Step,
    are_plain,
    by_another_name,
    literals,
    members,
    step,
    written_out,
)
from daybreak.findings.languages.renames import moves, similar
from daybreak.findings.languages.validated_types import hint_alone, new_bounds

_ENVIRONMENT = re.compile(r"(?:^|/)(?:envs?|environ)\.py$")
_SERVER = re.compile(r"(?:^|/)(?:entrypoints|openai|serving|http|api|openapi)/|protocol\w*\.py$|io_struct\.py$")
_MODEL = re.compile(r"(?:Request|Response|ReqInput|ReqOutput)(?:Base|\w{0,20})?$")
_LONGEST_LIST = 2000
_FIELD_CALL = re.compile(r"(?:\w{1,40}\.)?(?:Field|field|ib|attrib)\(")
_COMPUTED = re.compile(r"\binit\s*=\s*False\b")
_WORD = re.compile(r"\w+")
_DEFAULT = re.compile(r"^DEFAULT_|_DEFAULT(?:_|$)")
_FLAGS = ("True", "False")


class Members:
    """A file's two sides, with the words of its new lines."""

    def __init__(self, pair: FilePair, whole: Whole) -> None:
        self.file, self.old, self.new, self.whole = pair.file, pair.old, pair.new, whole

    @cached_property
    def words(self) -> frozenset[str]:
        """Words of the lines that came: what they speak of may still be read under its old name."""
        lines = (x.text for h in self.file.hunks for x in h.lines if x.sign == "+")
        return frozenset(w for line in lines if line.lstrip()[:1] != "#" for w in _WORD.findall(line[:2000]))

    @cached_property
    def quoted(self) -> frozenset[str]:
        """Strings that stand in the lines around and in the change: a list of choices may still hold the value."""
        lines = (x.text for h in self.file.hunks for x in h.lines if x.sign != "-")
        return frozenset(m[1] or m[2] or "" for line in lines for m in STRING.finditer(line[:2000]))


def attributes(files: FilePair, whole: Whole) -> Iterator[Fact]:
    """Constants, fields and members that came, went or changed in modules and classes that stand on both sides."""
    pair = Members(files, whole)
    if _ENVIRONMENT.search(pair.file.path):
        return
    old, new = pair.old.attributes(), pair.new.attributes()
    for owner in {**old, **new}:
        if owner and not (pair.old.has("class", owner) and pair.new.has("class", owner)):
            continue
        if private(owner):
            continue
        yield from _owner(pair, owner, old.get(owner, {}), new.get(owner, {}))
    yield from _given_to_objects(pair)


def _given_to_objects(pair: Members) -> Iterator[Fact]:
    """What a method gave every object and no line of the file gives any more, where other files had to follow; of what users
    import, what the constructor was handed by its name.
    """
    path, whole, told = pair.file.path, pair.whole, set[str]()
    for line in (x for h in pair.file.hunks for x in h.lines if x.sign == "-" and not hidden(path)):
        match = _GIVEN.match(line.text[:_LONGEST_LIST])
        row = method_at(pair.old, line.old) if match else None
        if match is None or row is None:
            continue
        (owner, _, short), name = row.name.rpartition("."), match[1]
        full = f"{owner}.{name}"
        if full in told or not owner or private(owner) or not pair.new.has("class", owner):
            continue
        told.add(full)
        handed = short == "__init__" and re.search(rf"[(,\s]{name}\s?[:=,)]", row.text) is not None
        handed = handed and not name.startswith("_") and exported(pair.file, pair.old, row)
        if not handed and not (len(whole.files) > 1 and whole.unasked(path, name)):
            continue
        lives = pair.new.has("method", full) or pair.new.has("attribute", full)
        if not lives and not re.search(rf"\bself\.{name}\b", sources(whole).text(pair.file, "+")):
            kind = "attribute_removed" if handed else "internal_field_removed"
            yield Fact(kind, path, row.line, full, name, None, True, NONE)


_GIVEN = re.compile(r"\s{4,40}self\.([^\W\d]\w{0,120})\s{0,4}(?::|=(?!=))")


def _owner(pair: Members, owner: str, old: dict[str, Row], new: dict[str, Row]) -> Iterator[Fact]:
    before, after = (side["class", owner] if owner else None for side in (pair.old, pair.new))
    lost = [row for name, row in old.items() if name not in new and not name.startswith("_")]
    come = [row for name, row in new.items() if name not in old and not name.startswith("_")]
    # Those whose details are one object stand as they stood: see the surface.
    pairs = ((row, now) for name, row in old.items() if (now := new.get(name)) and row.details is not now.details)
    both = [(was, now) for was, now in pairs if not was.name.rpartition(".")[2].startswith("_")]
    if not (lost or come or both):
        return
    for was, now in both:
        yield from _literals(pair, was, now)
    if before and after and ("many" in before.details or "many" in after.details):
        return
    if before and after and is_enum(before) and is_enum(after):
        yield from _members(pair, lost, come, both)
    elif before and after and holds_fields(pair.old, before) and holds_fields(pair.new, after):
        plain = [(was, now) for was, now in both if not (_is_field(was) or _is_field(now))]
        yield from flags(pair.file.path, plain)
        yield from _fields(pair, owner, lost, come, both)
    else:
        yield from flags(pair.file.path, both if owner else [])
        if before is None or bases(before) == bases(after):
            yield from _constants(pair, before, lost, [row for row in both if not owner or row[0].text not in _FLAGS])


# --- constants and class attributes --------------------------------------------------------------------------------


def _constants(pair: Members, owner: Row | None, lost: list[Row], both: list[tuple[Row, Row]]) -> Iterator[Fact]:
    """Public constants: those that left (modules: see the moves), and those with another plain value."""
    file = pair.file
    for row in lost if owner is not None else ():
        kept = alive(pair.new, row.name) or given(pair.new, row.name)
        hook = implemented(file, pair.old, owner)
        if hook or importable(file):
            breaks = kept is None and (hook or exported(file, pair.old, row)) and not again(pair, row.name)
            kind = "internal_field_removed" if is_plugin(owner, file.profile) else "attribute_removed"
            yield Fact(kind, file.path, row.line, row.name, _shown(row), None, breaks, kept or NONE)
    offered = file.public or importable(file)
    for was, now in both if offered else [one for one in both if _is_default(pair, one[1])]:
        first, second = was.details["value"], now.details["value"]
        if are_plain(first, second) and not same_value(first, second) and not _many(was, now):
            kind = "attribute_changed" if offered else named("choice", "default_changed")
            yield Fact(kind, file.path, now.line, now.name, first[:200], second[:200])


def _is_default(pair: Members, row: Row) -> bool:
    """What a module calls the default: it is taken where nobody says otherwise, wherever the constant stands."""
    return "." not in row.name and bool(_DEFAULT.search(row.name)) and not hidden(pair.file.path) and not pair.file.tool


def _many(*rows: Row) -> bool:
    return any("many" in row.details for row in rows)


def _shown(row: Row) -> str:
    return (row.name.split(".")[-1] + (f" = {row.text}" if row.text else ""))[:200]


NONE = Alias("none")


def given(side: Surface, name: str) -> Alias | None:
    """`__init__` gives every object an attribute of this name."""
    owner, _, short = name.rpartition(".")
    made = side.get(("method", f"{owner}.__init__"))
    return Alias("kept", f"{owner}.__init__") if made and short in made.details.get("sets", "").split("\n") else None


def _ungiven(pair: Members, row: Row) -> bool:
    """`__init__` gave every object the attribute, and does no more."""
    return given(pair.old, row.name) is not None and given(pair.new, row.name) is None


def again(pair: Members, name: str) -> bool:
    """A line that came to this file still speaks of the name."""
    return name.rpartition(".")[2] in pair.words


# --- enum members --------------------------------------------------------------------------------------------------


def _members(pair: Members, lost: list[Row], come: list[Row], both: list[tuple[Row, Row]]) -> Iterator[Fact]:
    file = pair.file
    for row in lost:
        kept = alive(pair.new, row.name)
        moved = any(x.details["value"] == row.details["value"] != "" and "auto(" not in x.text for x in come)
        meant = exported(file, pair.old, row) or _is_choice(pair, row)
        breaks = kept is None and not moved and meant
        yield Fact("enum_member_removed", file.path, row.line, row.name, _shown(row), None, breaks, kept or NONE)
    for row in come if file.public or importable(file) else ():
        yield Fact("enum_member_added", file.path, row.line, row.name, None, _shown(row))
    for was, now in both:
        first, second = (_ALONE.sub(r"\1", row.details["value"]) for row in (was, now))
        if are_plain(first, second) and first.replace("'", '"') != second.replace("'", '"'):
            yield Fact("enum_member_changed", file.path, now.line, now.name, first, second)


_ALONE = re.compile(r"^\(\s*(-?\d{1,20})\s*,\s*\)$")
"""A number that is written as the only argument of its type is that number: `A = (6,)`."""


def _is_choice(pair: Members, row: Row) -> bool:
    """A text that users write: settings of the same file, which users meet, have the enum as their type."""
    value = row.details["value"]
    if not (pair.file.public and STRING.fullmatch(value)) or value[1:-1] in pair.quoted:
        return False
    return any(_typed(pair, row.name.split(".")[-2]))


def _typed(pair: Members, name: str) -> Iterator[str]:
    """Settings of the same file that have the name as their type."""
    held = re.compile(rf"\b{re.escape(name)}\b")
    settings = (r for r in pair.old.of("attribute") if is_setting(r.name.rpartition(".")[0]))
    return (r.name for r in settings if held.search(r.details["annotation"]))


# --- fields --------------------------------------------------------------------------------------------------------


def _fields(pair: Members, owner: str, lost: list[Row], come: list[Row], both: list[tuple[Row, Row]]) -> Iterator[Fact]:
    """Fields of a dataclass, pydantic model or struct."""
    file = pair.file
    yield from new_bounds(file.path, both, file.public) if is_setting(owner) and read_at_all(file) else ()
    if _SERVER.search(file.path[-200:]) and _MODEL.search(owner):
        return  # told as what a server takes and gives
    offered = file.public or importable(file) or offered_by_list(file, pair.old, owner, file.path)
    lost, come = [r for r in lost if _is_field(r)], [r for r in come if _is_field(r)]
    both = [(was, now) for was, now in both if _is_field(was) and _is_field(now) and not _many(was, now)]
    for was, now in both:
        if offered or is_setting(owner):
            yield from _default(pair, was, now)
    if not (offered or _known_elsewhere(pair, owner, lost, both) or any(_shifts(pair, row) for row in come)):
        return
    family = "field" if offered else "internal_field"
    yield from (fact for was, now in both for fact in _type(pair, family, was, now))
    for was, now in _one_field(pair, _renamed(lost, come, _slots(pair, owner))):
        lost.remove(was)
        come.remove(now)
        kept = alive(pair.new, was.name)  # a flag by the old name fills the new field: who writes Python has none
        names = (was.name.split(".")[-1], now.name.split(".")[-1])
        breaks = _breaking(pair, owner, was, kept)
        yield Fact(f"{family}_renamed", file.path, now.line, was.name, *names, breaks, kept or NONE)
    for row in lost:
        kept = alive(pair.new, row.name) or _in_base(pair, owner, row) or _by_flag(pair, row)
        breaks = _breaking(pair, owner, row, kept)
        yield Fact(f"{family}_removed", file.path, row.line, row.name, _declared(row), None, breaks, kept or NONE)
    yield from _came(pair, owner, come, offered)


def _came(pair: Members, owner: str, come: list[Row], offered: bool) -> Iterator[Fact]:
    """Fields that are new; of a message to another machine, one that its other end does not know."""
    told, away = offered or _is_sent(pair, owner), _is_sent(pair, owner) and names_peer(pair.old, owner)
    built = takes_fields(pair.new["class", owner])
    for row in (one for one in come if told or (built and default_of(one) is None)):
        required = built and default_of(row) is None and not may_lack(pair.new, row)
        family = "sent_field" if required and away else "field" if offered else "internal_field"
        written = _written(pair, owner) and (pair.file.reach == "public" or not owner.endswith("Config"))
        breaks = required and (away or ((written or not offered) and _constructed(pair, owner)))
        kind = f"{family}_{'required_' * required}added"
        yield Fact(kind, pair.file.path, row.line, row.name, None, _declared(row), breaks, default=default_of(row))


def _known_elsewhere(pair: Members, owner: str, lost: list[Row], both: list[tuple[Row, Row]]) -> bool:
    """Of a class inside: other files of the commit follow the change, or the structure is one that is sent."""
    path, whole = pair.file.path, pair.whole
    if hidden(path) or private(owner) or pair.file.reach == "all":
        return pair.file.reach == "all"
    names = [row.name.rpartition(".")[2] for row in lost]
    gone = any(whole.left(path, name) or whole.unasked(path, name) for name in names)
    # of what a constructor of its own gave each object, another class may have an attribute of the same name
    gone = gone or any(whole.asked_before(path, row.name.rpartition(".")[2]) for row in lost if _ungiven(pair, row))
    turned = [now.name.rpartition(".")[2] for was, now in both if _turned(was, now) != "same"]
    other = any("_" in name and whole.followed(path, name) for name in turned)
    return gone or other or _is_sent(pair, owner) or whole.followed(path, owner.rpartition(".")[2])


def _shifts(pair: Members, row: Row) -> bool:
    """A field that has to be given: of what forks build, or one before others that another file of the commit gives now."""
    (owner, _, name), path = row.name.rpartition("."), pair.file.path
    if not (needed := default_of(row) is None and not may_lack(pair.new, row)) or forked(pair.file, owner):
        return needed
    if hidden(path) or private(owner) or not pair.whole.followed(path, name):
        return False
    gives = re.compile(rf"[(,\s]{re.escape(name)}\s?=(?!=)")
    others = (f for f in pair.whole.files if f.path != path and not quiet(f))
    given = any(x.sign == "+" and gives.search(x.text[:400]) for f in others for h in f.hunks for x in h.lines)
    rows = [r for r in pair.new.of("attribute") if r.name.rpartition(".")[0] == owner and _is_field(r)]
    return given and any(r.line > row.line and pair.old.has("attribute", r.name) for r in rows)


def _is_sent(pair: Members, owner: str) -> bool:
    """The class or its base is one whose form on the wire is set."""
    return any(is_sent(pair.new, pair.new.get(("class", name))) for name in (owner, *bases(pair.new["class", owner])))


def _turned(was: Row, now: Row) -> Step:
    """How its type changed; whether it may be left empty is for who checks types, and its default says the rest."""
    first, second = was.details["annotation"], now.details["annotation"]
    return "same" if members(first) ^ members(second) == {"None"} else step(first, second)


def _type(pair: Members, family: str, was: Row, now: Row) -> Iterator[Fact]:
    """A field of another type: one that takes less breaks who writes it, one that is another breaks all."""
    first, second = was.details["annotation"], now.details["annotation"]
    turn = _turned(was, now)
    if turn == "same" or (choices(was) and choices(now)) or by_another_name(pair.old, first, pair.new, second):
        return
    owner = was.name.rpartition(".")[0]
    meant = family != "field" or _written(pair, owner) or _for_anyone(pair, owner)
    wider = family == "field" and written_out(first, second)
    breaks = (turn == "other" and not wider) or (turn == "narrower" and is_setting(owner))
    if family == "field" and default_of(was) == default_of(now) not in (None, "None"):
        breaks = breaks and not hint_alone(pair.new, pair.new["class", owner], now)
    yield Fact(f"{family}_changed", pair.file.path, now.line, now.name, first[:200], second[:200], breaks and meant)


def _is_field(row: Row) -> bool:
    return row.details["annotation"] != "" and "ClassVar" not in row.details["annotation"]


def _written(pair: Members, owner: str) -> bool:
    """Users write the fields; a class without any default is a record that the program fills in for itself."""
    rows = (r for r in pair.old.of("attribute") if r.name.rpartition(".")[0] == owner and _is_field(r))
    meant = is_setting(owner) or _for_anyone(pair, owner)
    return meant and any(default_of(r) is not None for r in rows)


def _for_anyone(pair: Members, owner: str) -> bool:
    """A class that users of a library can import: what they do not write they read."""
    library = pair.file.reach == "public" and exported(pair.file, pair.old, pair.old["class", owner])
    return library or offered_by_list(pair.file, pair.old, owner, pair.file.path)


def _constructed(pair: Members, owner: str) -> bool:
    """The class is not one that subclasses fill in, and its base may not have given the field before."""
    return bases(pair.old["class", owner]) == bases(pair.new["class", owner])


def _breaking(pair: Members, owner: str, row: Row, kept: Alias | None) -> bool:
    if _COMPUTED.search(row.details["value"]):
        return False  # no user could set it
    inside = not (pair.file.public or importable(pair.file) or _for_anyone(pair, owner))
    keyed = not inside and is_keyed(pair.old, pair.old["class", owner])
    meant = inside or keyed or _written(pair, owner) or _for_anyone(pair, owner)
    # a key is asked for as a text
    still = row.name.rpartition(".")[2] in pair.quoted if keyed else again(pair, row.name)
    return kept is None and meant and _constructed(pair, owner) and not still


def _in_base(pair: Members, owner: str, row: Row) -> Alias | None:
    """The field went up into a base class of the same file."""
    short = row.name.rpartition(".")[2]
    for base in bases(pair.new["class", owner]):
        if pair.new.has("attribute", f"{base}.{short}"):
            return Alias("kept", base)
    return None


def _by_flag(pair: Members, row: Row) -> Alias | None:
    """The flag that fills the field is still there under its old name."""
    flag = "--" + row.name.split(".")[-1].replace("_", "-")
    return Alias("kept", flag) if "Args" in row.name and pair.whole.stands(flag) else None


Slots = tuple[dict[str, tuple[str, str]], dict[str, tuple[str, str]]]
"""Field → the fields before and behind it, on both sides."""


def _slots(pair: Members, owner: str) -> Slots:
    sides = ([r.name for r in side.attributes().get(owner, {}).values()] for side in (pair.old, pair.new))
    old, new = ({b: (a, c) for a, b, c in zip(["", *some], some, [*some[1:], ""], strict=False)} for some in sides)
    return old, new


def _one_field(pair: Members, pairs: list[tuple[Row, Row]]) -> list[tuple[Row, Row]]:
    """Those whose uses went the same way."""
    short = (tuple(row.name.rpartition(".")[2] for row in both) for both in pairs)
    return [both for both, names in zip(pairs, short, strict=True) if moves(pair.file, pair.whole, *names)]


def _renamed(lost: list[Row], come: list[Row], slots: Slots) -> list[tuple[Row, Row]]:
    """Pairs of a field that went and one that came which are the same field under another name."""

    def alike(was: Row, now: Row) -> bool:
        """The same type and default; or another type, between the same neighbours and by nearly the same name."""
        if _alike(was, now):
            return True
        in_place = slots[0].get(was.name) == slots[1].get(now.name)
        return in_place and default_of(was) == default_of(now) is not None and similar(was.name, now.name)

    if len(lost) == len(come) == 1:
        return [(lost[0], come[0])] if alike(lost[0], come[0]) else []
    if len(lost) * len(come) > 200:
        return []
    out = []
    for was in lost:
        fit = [now for now in come if alike(was, now) and similar(was.name, now.name, 0.6)]
        if len(fit) == 1 and sum(alike(x, fit[0]) and similar(x.name, fit[0].name, 0.6) for x in lost) == 1:
            out.append((was, fit[0]))
    return out


def _alike(was: Row, now: Row) -> bool:
    """The same type and the same default: one field under another name."""
    same = members(was.details["annotation"]) == members(now.details["annotation"])
    return same and bool(was.details["annotation"]) and default_of(was) == default_of(now)


def _declared(row: Row) -> str:
    default = default_of(row)
    short = f"{row.name.split('.')[-1]}: {row.details['annotation']}"
    return (short if default is None else f"{short} = {default}")[:200]


def _default(pair: Members, was: Row, now: Row) -> Iterator[Fact]:
    first, second = default_of(was), default_of(now)
    if first is None or same_value(first, second) or _many(was, now):
        return  # one that may be left out now hits nobody
    if second is None:
        owner = was.name.rpartition(".")[0]
        breaks = is_setting(owner) and pair.file.public and not owner.split(".")[0].endswith("Config")
        breaks = breaks or (pair.file.reach == "public" and _written(pair, owner))
        yield Fact("field_required_added", pair.file.path, now.line, now.name, _declared(was), _declared(now), breaks)
    else:
        yield Fact("field_default_changed", pair.file.path, now.line, now.name, first, second)


def default_of(row: Row) -> str | None:
    """The default as users meet it: `Field(default=3, ge=0)` and `3` are the same."""
    value = unwrapped(row.details["value"])
    call = _FIELD_CALL.match(value)
    if call is None:
        return _tidy(row.details["value"]) or None
    span = bracketed(value[call.end() :])
    if span is None or not span.whole:
        return _tidy(value)
    named = keywords(span.parts)
    first = span.parts[0] if span.parts and not re.match(r"\w+\s*=(?!=)", span.parts[0]) else None
    given = named.get("default", first)
    if given in ("...", "Ellipsis", "MISSING", "PydanticUndefined"):
        return None
    if given is not None:
        return _tidy(given)
    if "default_factory" in named:
        factory = named["default_factory"]
        return _tidy(factory[7:].strip() if factory.startswith("lambda:") else factory + "()")
    return _tidy(value) if named.get("init") == "False" else None


def _tidy(value: str) -> str:
    return re.sub(r",\s*(?=[)\]}])", "", value.replace("'", '"') if '"' not in value else value)[:200]


# --- choices -------------------------------------------------------------------------------------------------------


def _literals(pair: Members, was: Row, now: Row) -> Iterator[Fact]:
    """`Literal[...]` of a type or a field: values that were taken away or given, of a type by the settings that have it."""
    first, second = choices(was), choices(now)
    if first is None or second is None or set(first) == set(second):
        return
    gone = [x for x in first if x not in second]
    kind = "literal_narrowed" if gone else "literal_widened"
    public = pair.file.public or importable(pair.file)
    # a value that the file still names near by is in a list of choices, or translated
    breaks = bool(gone) and public and not any(x.strip('"') in pair.quoted for x in gone)
    sides, alias = (_listed(first), _listed(second)), NONE if gone else None
    for name in ("." not in now.name and list(_typed(pair, now.name))) or [now.name]:
        yield Fact(kind, pair.file.path, now.line, name, *sides, breaks, alias)


def choices(row: Row) -> tuple[str, ...] | None:
    return literals(row.details["annotation"] + " " + row.details["value"])


def _listed(values: Iterable[str]) -> str:
    text = ", ".join(values)
    return text if len(text) <= _LONGEST_LIST else text[: _LONGEST_LIST - 1] + "…"
