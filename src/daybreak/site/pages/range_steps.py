"""The list that an upgrade begins with: what to change first, whole, so that it can be copied; what is read in a minute is open.

The gravest first: what no longer starts with what is set, which models went, what runs otherwise by itself, what is refused,
what has to be installed, and last what only imports, plug-ins and forks meet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.model.day import Text
from daybreak.core.words.brief import bare_title, unplaced
from daybreak.core.words.phrases import REFERENCE, languages
from daybreak.findings.kinds import GONE, kind_of
from daybreak.findings.languages.python_public import is_setting
from daybreak.judge.breaking import is_core
from daybreak.judge.phrases import LISTED, lost_and_new
from daybreak.judge.reach import aside_of
from daybreak.site.pages.templates import phrases

CHOICES = "choices"
"""What is chosen by its name and is no model: values of flags, quantization methods, connectors, parsers."""
SETTINGS = ("cli", "environment", "config", "server", CHOICES, "behaviour")
"""Surfaces whose rows are told one by one: what to write instead stands in them."""
MODELS = "models"
DEMANDED, OTHERWISE = "demanded", "otherwise"
"""Heads of parts of which nothing is gone or refused: who does not set it fails, and it works in another way."""
LONG_VALUE, LONG_CONDITION = 48, 72
"""From here on two sides of a default, or the value of a requirement, are no longer read in a line; nor is a condition."""
WORDS, HEAD_WORDS, FAULT_WORDS = 190, 10, 30
"""What is read in under a minute, and what the head of a part and a fault of the target take of it."""
LONG_ROW = 20
"""Words of a row that is read by nobody who skims: a condition in code, a list of dozens."""
BOTH = 2
"""Rows of defaults that are always open: what a list decides, and a setting with both its sides."""
LOOKED_THROUGH = 8
"""Names of a row that are read: a longer list is looked through for one's own."""
MANY_ROWS, MOST_NAMES, FEW_NAMES = 6, 40, 3
"""Rows of a part that may be open; names that can be looked through for one's own, and that stand for all others."""
FIRST = ("cli", CHOICES, "config", "environment", MODELS, "server", "defaults", "behaviour", "dependencies")
"""Parts of the list, the gravest first; the others are met by code alone."""
_COMPILED = re.compile(r"(?:^|/)(?:Cargo\.toml|go\.mod|package\.json)$")
"""What these ask for is inside what gets installed: nobody has to bring it."""
_BUILD = re.compile(r"(?:^|/)(?:setup\.py|CMakeLists\.txt|Makefile|[^/]*Dockerfile[^/]*|build[^/]*)$|\.(?:sh|cmake)$")
"""Files that build: what they read is set by nobody who runs the program."""
_QUOTE = re.compile("“[^”]{1,300}”|「[^」]{1,300}」")
_ASKED = re.compile(r"if (.{1,400}): raise\b")
_VERSION = re.compile(r"\d+(?:\.\d+)+(?:\.?(?:post|rc|dev)\d*)?")
_PLACE = re.compile(r"^\[[^\]]*\]\s*")
_LINKS = 2
"""Changes that a row leads to."""


class Row(Struct, frozen=True):
    """One thing to do: names, what they became or what the file now asks for, and what to do; or a sentence; and by which
    changes.
    """

    names: tuple[str, ...] = ()
    turn: str = ""
    how: Text | None = None
    where: str = ""
    text: Text | None = None
    times: int = 1
    commits: tuple[str, ...] = ()

    @property
    def words(self) -> int:
        """About how many words a reader meets in it."""
        said = " ".join((self.turn, self.where, *(one[REFERENCE] for one in (self.how, self.text) if one)))
        return min(len(self.names), LOOKED_THROUGH) + len(said.split())


class Step(Struct, frozen=True):
    """A part of the page, how much it holds, and all of it in short rows, of which the first `shown` are open."""

    family: str
    name: str
    anchor: str
    count: int
    rows: tuple[Row, ...]
    shown: int = 0
    named: bool = False
    """Its first row has the names of all others."""
    most: int = MANY_ROWS
    """So many of its rows may be open: what a file asks for in full is looked up."""
    head: str = ""
    """What its head says where that is not what the part says: it is demanded, or works otherwise."""

    @property
    def folded(self) -> int:
        """How many names or sentences the rows hold that are not open."""
        return sum(len(row.names) or row.times for row in self.rows[self.shown :])

    @property
    def of_code(self) -> bool:
        """Only code that is built on it meets this."""
        return self.name not in FIRST


_Rows = tuple[str, Sequence[Any]]


def surface_of(net: Any) -> str:
    """Where the page tells it: a name of a registry is no model, and a value of a setting no Python, though its type is."""
    kind = kind_of(net.kind)
    written = kind.family == "literal" and is_setting(net.symbol.rpartition(".")[0])
    return CHOICES if kind.family == "registry" or kind.change == "choices_changed" or written else kind.surface


def steps(
    breaking: Sequence[_Rows],
    defaults: Sequence[Any],
    wanted: Sequence[Any],
    faults: int = 0,
    titles: Mapping[str, str] = MappingProxyType({}),
) -> list[Step]:
    """`wanted`: what an installation asks for; `faults`: of the target, which are told before all of these; `titles`: of
    changes.
    """
    told = {surface: nets for surface, nets in breaking if surface != "dependencies"}
    out = [one for name in SETTINGS if name in told for one in _parted(name, told.pop(name), titles)]
    if wanted:
        core = _core(wanted)
        rest = [net for net in wanted if not any(net in some for some in core.values())]
        jumps = [
            Row(tuple(dict.fromkeys(net.symbol for net in some)), turn, commits=_commits(some))
            for turn, some in core.items()
        ]
        out.append(
            Step("surface", "dependencies", "dependencies", len(wanted), (*jumps, *_files(rest)), most=len(jumps))
        )
    if defaults:
        out.append(Step("range", "defaults", "felt-defaults", len(defaults), _turned(defaults)))
    out += [Step("surface", name, f"breaking-{name}", len(nets), (_named(nets),)) for name, nets in told.items()]
    first = sorted((one for one in out if not one.of_code), key=lambda one: FIRST.index(one.name))
    few = [one for one in out if one.of_code]
    return [*_opened(first, WORDS - FAULT_WORDS * faults - HEAD_WORDS * (len(first) + bool(few))), *few]


def _parted(name: str, nets: Sequence[Any], titles: Mapping[str, str]) -> Iterator[Step]:
    """What fails without a setting, what is gone or refused, and what works otherwise: one head cannot say all."""
    for head in (DEMANDED, "", OTHERWISE):
        if some := [net for net in nets if _head(name, net) == head]:
            yield replace(_step(name, some, titles), head=head)


def _head(surface: str, net: Any) -> str:
    kind = kind_of(net.kind)
    if surface == "behaviour":
        refused = (kind.family, kind.effect) == ("guard", "tightened")
        return DEMANDED if kind.family == "demand" else "" if refused else OTHERWISE
    return OTHERWISE if surface == "environment" and kind.change not in GONE else ""


def _step(name: str, nets: Sequence[Any], titles: Mapping[str, str]) -> Step:
    """All its names in a line, then what to do about each; what is refused has no name but its condition."""
    rows = _rows(name, nets, titles)
    names = tuple(dict.fromkeys(one for net in nets for one in _spelled(net)))
    refused = name == "behaviour" and not _head(name, nets[0])
    many = len(rows) > 1 and not refused and len(names) <= MOST_NAMES
    every = (Row(names), *rows) if many else rows
    return Step("surface", name, f"breaking-{name}", len(nets), every, named=many)


def _spelled(net: Any) -> Iterator[str]:
    """What is looked for in one's own files: a chosen name stands behind what it is chosen by."""
    if surface_of(net) != CHOICES:
        yield net.symbol.rpartition(":")[2]
        return
    where, names = _chosen(net)
    yield from (f"{where} {name}" for name in names)


def _opened(every: Sequence[Step], left: int) -> list[Step]:
    """What is first in every part, and then the gravest parts as far as there are words left; the rest is folded. Of a part that
    begins with all its names the names are enough.
    """
    every = [step if step.named else replace(step, rows=_short_first(step.rows)) for step in every]
    shown = [0] * len(every)
    for most in (1, 2, MANY_ROWS):
        for at, step in enumerate(every):
            first = max(most, BOTH) if step.name == "defaults" else most
            limit = min(first, step.most, 1 if step.named else len(step.rows))
            for row in step.rows[shown[at] : limit]:
                if row.words > (LONG_ROW if most == 1 else min(left, LONG_ROW)):
                    break
                shown[at], left = shown[at] + 1, left - row.words
    return [replace(step, shown=shown[at]) for at, step in enumerate(every)]


def _short_first(rows: Sequence[Row]) -> tuple[Row, ...]:
    return tuple(sorted(rows, key=lambda row: row.words > LONG_ROW))


def _rows(surface: str, nets: Sequence[Any], titles: Mapping[str, str]) -> tuple[Row, ...]:
    """Names with the same way out stand in one row; what has none is told as it is, for a name alone says nothing of it, and
    once however many files have it.
    """
    groups: dict[tuple[str, str, str], list[Any]] = {}
    for net in nets:
        built = surface == "environment" and _BUILD.search(net.path)
        where = _chosen(net)[0] if surface == CHOICES else net.path if built else ""
        told = (net.how or _sentence(net, titles))[REFERENCE]
        groups.setdefault((where, _sides(net) if net.how else "", told), []).append(net)
    told_so = sorted(groups.items(), key=lambda one: surface == "environment" and bool(one[0][0]))
    ways = (
        replace(_named(some, _quoted(some[0].how), where), turn=turn)
        for (where, turn, _), some in told_so
        if some[0].how
    )
    bare = (_refused(some, _sentence(some[0], titles)) for some in groups.values() if not some[0].how)
    return (*ways, *bare)


def _quoted(how: Text) -> Text:
    """What upstream says to do, without saying that it says so."""
    found = {language: _QUOTE.search(text) for language, text in how.items()}
    return {language: quote[0] if (quote := found[language]) else how[language] for language in how}


def _sides(net: Any) -> str:
    """Another type, both sides of it: whoever is told to give a value of the new one must know which that is."""
    both = kind_of(net.kind).change == "changed" and net.before and net.after
    turn = f"{net.before} → {net.after}" if both else ""
    return turn if len(turn) <= LONG_VALUE + len(" → ") else ""


def _refused(nets: Sequence[Any], text: Text) -> Row:
    """What refuses, by the classes that are sent or set, and under which condition; or why, where that is long."""
    if "condition" not in kind_of(nets[0].kind).traits:
        return Row(text=text, times=len(nets), commits=_commits(nets))
    alone = len(nets) == 1 and "._" not in nets[0].symbol
    owners = dict.fromkeys(net.symbol if alone else net.symbol.partition(".")[0] for net in nets)
    conditions = dict.fromkeys(filter(None, map(_condition, nets)))
    turn = next((one for one in conditions if len(one) <= LONG_CONDITION), "")
    names = tuple(one for one in owners if one[:1].isupper())
    return Row(names, turn, text=None if names and turn else text, times=1, commits=_commits(nets))


def _condition(net: Any) -> str:
    """What is asked of what was given; of a check that was there before, where the two differ."""
    now, was = ((_ASKED.match(side or "") or ("", ""))[1].removeprefix("… and ") for side in (net.after, net.before))
    if was:
        one, two = (side.split() for side in (was, now))
        at = next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
        was, now = (" ".join(side[max(at - 2, 0) : at + 1]) for side in (one, two))
    told = f"{was} → {now}" if was else now
    return "" if "…" in told else told.replace("self.", "")


def _sentence(net: Any, titles: Mapping[str, str]) -> Text:
    """A condition in code tells nobody what is refused: such a change is told by its title."""
    title = titles.get(net.commits[-1], "") if net.commits and "condition" in kind_of(net.kind).traits else ""
    return {REFERENCE: bare_title(title)} if title else unplaced(net.text)


def _chosen(net: Any) -> tuple[str, Sequence[str]]:
    """By what it is chosen, and which names can no longer be."""
    if kind_of(net.kind).family == "registry":
        where, _, name = net.symbol.partition(":")
        return where, (name,)
    return net.symbol, lost_and_new(net)[0]


def _named(nets: Sequence[Any], how: Text | None = None, where: str = "") -> Row:
    chosen = [name for net in nets if surface_of(net) == CHOICES for name in _chosen(net)[1]]
    names = dict.fromkeys(chosen or (net.symbol for net in nets if net.symbol))
    return Row(tuple(names), how=how, where=where, commits=_commits(nets) if how else ())


def _commits(nets: Sequence[Any]) -> tuple[str, ...]:
    """All that took part where they are few, or else the last of each; none where many did it."""
    every, last = (dict.fromkeys(sha for net in nets for sha in net.commits[-most:]) for most in (_LINKS, 1))
    return tuple(every) if len(every) <= _LINKS else tuple(last) if len(last) <= _LINKS else ()


def _turned(nets: Sequence[Any]) -> tuple[Row, ...]:
    """What lists decide, then settings with what they were and are, then those whose sides are too long or one, in a sentence,
    then parameters.
    """
    listed: dict[tuple[str, str], list[Any]] = {}
    for net in nets:
        if kind_of(net.kind).family == LISTED:
            listed.setdefault((net.kind, net.symbol.partition(":")[0]), []).append(net)
    nets = [net for net in nets if kind_of(net.kind).family != LISTED]
    turned: dict[str, list[Any]] = {}
    for net in sorted(nets, key=lambda net: "(" in net.symbol):
        short = net.before and net.after and len(f"{net.before}{net.after}") <= LONG_VALUE
        turned.setdefault(f"{net.before} → {net.after}" if short else "", []).append(net)
    told = [Row(text=unplaced(net.text), commits=_commits((net,))) for net in turned.pop("", ())]
    rows = [
        Row(tuple(dict.fromkeys(net.symbol for net in some)), turn, commits=_commits(some))
        for turn, some in turned.items()
    ]
    rows = [*(row for row in rows if not _of_code(row)), *told, *filter(_of_code, rows)]
    lists = sorted(map(_of_list, listed.values()), key=lambda row: row.how is None)
    every = (*lists[:1], *rows, *lists[1:])
    named = () if any(row.words <= LONG_ROW for row in every) else tuple(net.symbol for net in nets[:FEW_NAMES])
    return (Row(named), *every) if named else every


def _of_code(row: Row) -> bool:
    """Parameters alone, which nobody sets who only runs it."""
    return all("(" in name for name in row.names)


def _of_list(nets: Sequence[Any]) -> Row:
    """All names that came to a list, or left it, in one row with the way out."""
    where, _, _ = nets[0].symbol.partition(":")
    words = {language: phrases(language) for language in languages()}
    text = {
        of: t("upgrade.listed", list=where) if nets[0].after else t("upgrade.unlisted", list=where)
        for of, t in words.items()
    }
    return Row(tuple(net.symbol.partition(":")[2] for net in nets), "", nets[0].how, text=text, commits=_commits(nets))


def is_wanted(net: Any) -> bool:
    """What somebody who installs or builds an image has to bring along, in a version that is told; an extra, or what some
    module imports, is no version.
    """
    kind = kind_of(net.kind)
    asked = (
        bool(kind.requires) and kind.surface == "dependencies" and bool(net.after) and not _COMPILED.search(net.path)
    )
    return asked and _PLACE.sub("", net.after) != net.symbol and _requirement(net) != net.symbol


def _core(nets: Sequence[Any]) -> dict[str, list[Any]]:
    """Versions of what images and wheels are built on that jump on everybody's hardware, each jump with all that makes it;
    Python, CUDA and other major versions first.
    """
    found: dict[str, list[Any]] = {}
    ours = (net for net in nets if net.before and (_is_ground(net) or is_core(net.symbol)))
    for net in sorted(ours, key=lambda net: (not _is_ground(net), _figures(net.before, 1) == _figures(net.after, 1))):
        if aside_of(net.path) is None and _VERSION.search(net.after) and _jumps(net):
            bounds = (_PLACE.sub("", side).lstrip("=").partition(",") for side in (net.before, net.after))
            was, now = (first + (",…" if rest else "") for first, _, rest in bounds)
            found.setdefault(f"{was} → {now}", []).append(net)
    return found


def _is_ground(net: Any) -> bool:
    """What an environment must have before any package: its Python, its toolchain."""
    return kind_of(net.kind).family in ("python_required", "toolchain_required")


def _jumps(net: Any) -> bool:
    """It moves by more than a patch."""
    return _figures(net.before, 2) != _figures(net.after, 2)


def _figures(version: str, first: int) -> list[str]:
    found = _VERSION.search(version)
    return found[0].split(".")[:first] if found else []


def _files(nets: Sequence[Any]) -> Iterator[Row]:
    """By file, as a requirement is written: whoever runs on other hardware passes its file over."""
    files: dict[str, list[Any]] = {}
    for net in sorted(nets, key=lambda one: (one.path.count("/"), one.path)):
        files.setdefault(net.path, []).append(net)
    for path, some in sorted(files.items(), key=lambda one: -len(one[1])):
        yield Row(tuple(_requirement(net) for net in some), where=path)


def _requirement(net: Any) -> str:
    value = _PLACE.sub("", net.after)
    if re.fullmatch("[0-9a-f]{40}", value):
        return f"{net.symbol} {value[:9]}"
    if len(value) > LONG_VALUE:  # an address: the version that its file is called by
        version = _VERSION.search(value.rpartition("/")[2])
        return f"{net.symbol} {version[0]}" if version else str(net.symbol)
    return f"{net.symbol}{value if value[:1] in '=<>~!@' else f' {value}'}"
