"""How an item of the first screen is put into words: what changed, whom it hits, what to do; alone and among others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Text
from daybreak.core.profiles import profile_of
from daybreak.core.words import say, term
from daybreak.core.words.brief import unplaced
from daybreak.core.words.grammar import (
    alike,
    clause,
    code,
    code_pair,
    ended,
    joined,
    large,
    listing,
    quoted,
    series,
    small,
)
from daybreak.core.words.phrases import REFERENCE, chosen
from daybreak.findings.kinds import GONE, kind_of
from daybreak.findings.languages.python_public import is_plugin_name
from daybreak.findings.paths import builds_part
from daybreak.judge import announcements, phrases
from daybreak.judge.argument_order import lost_and_new, name_of
from daybreak.judge.as_typed import as_typed, kept
from daybreak.judge.breaking import mark_of
from daybreak.judge.change_kinds import is_front
from daybreak.judge.message_refs import title
from daybreak.judge.reach import is_tool
from daybreak.judge.refused import error_advice, refusal
from daybreak.judge.replacements import replaced
from daybreak.judge.several_places import parted, together
from daybreak.judge.successors import as_argument, brings, successor
from daybreak.judge.telling_words import words

LONGEST_NOTE = 200
"""Of what a line of several says beside a title, in the reference language."""


def first_kind(found: Sequence[Finding]) -> list[Finding]:
    """Those that are told like the first, in all files where its words name none; or that go with it from several places."""
    if several := together(found[0], found):
        return list(several)

    def told_as(one: Finding) -> tuple[object, ...]:
        return one.kind, one.path if phrases.names_path(one) else "", phrases.side(one)

    return [f for f in found if told_as(f) == told_as(found[0])]


class Told(NamedTuple):
    """The parts of an entry in their order: what changed, what else, whom it hits, what to do. All but the first may find
    no room.
    """

    what: Text
    more: Text | None = None
    who: Text | None = None
    how: Text | None = None

    def text(self, said: Text | None = None, *, more: bool = True, whom: bool = True) -> Text:
        """As sentences; `said`: what its author says of it, between what changed and whom that hits."""
        parts = (ended(self.what), self.more if more else None, ended(said) if said else None)
        text = joined([part for part in parts if part])
        if self.who and whom:
            text = say("judge.action.affected", text=text, who=self.who)
        return say("judge.action.remedy", text=text, how=self.how) if self.how else text


def told_of(entry: Entry, found: Sequence[Finding], most: int = 1) -> tuple[Told, tuple[Finding, ...]]:
    """The title, what, what else, who and how, and the findings that all of it rests on. Nobody is told to bring back what a
    fix puts right.
    """
    used = grounds(found, most)
    advised = not _mends_default(entry, used) and not all(is_tool(f.path) or _is_private_now(f) for f in used)
    announced = announcements.advice(entry, used) or as_argument(entry.change, used)
    announced = announced or replaced(entry.change, entry.reading.findings, used)
    what, who, how = tell(found, most, instead=successor(entry.change, used), said=announced)
    how = how or _accepted(used)
    given = _given_instead(entry, used)
    if asked := _asked_of_subclasses(entry, used):
        how = say("judge.action.subclasses", names=listing(asked))
    if kind_of(used[0].kind).family == "demand":  # its error may name other ways than the one that the check asks for
        how = error_advice(entry.change, (), used[0]) or how
    if error := refusal(entry.change, used):
        what, how = error.what, how or error.how
    moved = moved_too(entry, found, used)
    besides = beside(entry, (*used, *moved))
    turned, altered = [*moved, *besides.turned], _altered_too(entry, used)
    more = [
        *_bases_now(entry.change, used),
        *_decided_too(entry, used),
        *([say("judge.action.altered", names=listing([f.symbol for f in altered], _NAMED))] if altered else ()),
        *besides.texts(),
        *([say("judge.action.turned", turns=with_it(turned))] if turned else ()),
    ]
    if how and not announced:
        how = kept([*used, *(f for f in turned if kind_of(f.kind).change == "default_changed")]) or how
    if given is not None:
        what = joined((ended(headed([given])), ended(large(what))))
    what, how = named(title(entry.change), what), say("judge.action.follow_all") if moved and how else how
    told = Told(what, joined(more) if more else None, who, how if advised else None)
    return told, (*used, *altered, *besides.gone, *besides.same, *besides.hooks, *turned, *((given,) if given else ()))


def _asked_of_subclasses(entry: Entry, used: Sequence[Finding]) -> list[str]:
    """Parameters that the constructor of what plug-ins derive from asks for: who has one of his own must take them and hand them on."""
    symbols = [_CONSTRUCTOR.fullmatch(f.symbol) for f in used if kind_of(f.kind).change == "required_added"]
    profile = profile_of(entry.change.repo)
    return [m[2] for m in symbols if m and is_plugin_name(m[1], profile)] if symbols else []


_CONSTRUCTOR = re.compile(r"(\w{1,80})\.__init__\((\w{1,80})\)")


def _decided_too(entry: Entry, used: Sequence[Finding]) -> list[Text]:
    """Names that came to a list that decides by default, with whom that hits: no other part of an entry tells of them."""
    ours = [
        f for f in entry.reading.findings if f.breaking and kind_of(f.kind).family == phrases.LISTED and f not in used
    ]
    first = ours[:1] if kind_of(used[0].kind).family != phrases.LISTED else []
    said = ended(large(unplaced(headed(first)))) if first else None
    who = phrases.affected(first) if first else None
    return [say("judge.action.affected", text=said, who=who) if who else said] if said else []


def _given_instead(entry: Entry, used: Sequence[Finding]) -> Finding | None:
    """A setting for a value of which the program takes another from now on: who sets it meets that before any function."""
    asks = (
        (f, re.search(rf"\bif .*\b{re.escape(f.symbol.rpartition('.')[2])} (?:==|in) ", f.after or ""))
        for f in entry.reading.findings
        if kind_of(f.kind).means("filled", "added") and f not in used and is_front(f.path)
    )
    inner = mark_of(used[0]) == "breaks_internals"
    return next((f for f, found in asks if found), None) if inner else None


def _mends_default(entry: Entry, used: Sequence[Finding]) -> bool:
    """A default that a fix puts right: nobody is told to bring it back, but whoever types or sends it may have relied on it."""
    met = all((typed := as_typed(f)) and typed.where != "pass" for f in used)
    return entry.kind == "fix" and kind_of(used[0].kind).change == "default_changed" and not met


def _bases_now(change: Change, used: Sequence[Finding]) -> list[Text]:
    """What a class derives from now that lost a base, where the diff shows its head."""
    if len(used) != 1 or kind_of(used[0].kind).family != "base":
        return []
    head = re.compile(rf"(?m)^[+ ]\s*class {re.escape(used[0].symbol.rpartition('.')[2])}\(([\w., \[\]]{{1,120}})\):")
    found = next(
        (match for file in change.files if file.path == used[0].path and (match := head.search(file.patch))), None
    )
    return [say("judge.action.bases_now", names=listing(_NAME.findall(found[1])))] if found else []


_NAME = re.compile(r"[A-Za-z_][\w.]*")


def _is_private_now(finding: Finding) -> bool:
    """Its new name says that nobody outside should use it."""
    return kind_of(finding.kind).change == "renamed" and (finding.after or "").rpartition(".")[2].startswith("_")


def _altered_too(entry: Entry, used: Sequence[Finding]) -> list[Finding]:
    """Other methods of extension points whose signatures are others now: who derives from one often derives from the next;
    other parameters that take another type; and what became from the same the same.
    """
    found, first = [f for f in entry.reading.findings if f not in used and is_front(f.path)], used[0]
    if mark_of(first) == "breaks_internals":
        return [f for f in found if kind_of(f.kind).means("extension_method", "signature_changed")]
    typed, turn = kind_of(first.kind).means("parameter", "changed"), (first.before, first.after)
    alike_turned = all(turn) and not _is_turn(first) and kind_of(first.kind).change == "changed"
    return [
        f
        for f in found
        if f.kind == first.kind
        and (typed or (alike_turned and (f.before, f.after) == turn and f.symbol != first.symbol))
    ]


class Beside(NamedTuple):
    """What a change does besides what it is told by."""

    gone: Sequence[Finding] = ()
    """What goes or moves."""
    same: Sequence[Finding] = ()
    """What goes elsewhere under a name that is told: it adds no word, and reaches others."""
    hooks: Sequence[Finding] = ()
    """New methods of other extension points, whose plug-ins meet them too."""
    turned: Sequence[Finding] = ()
    """Values that are others now."""

    def texts(self) -> list[Text]:
        """As sentences."""
        renamed = [f for f in self.gone if _is_renamed(f)]
        gone = [f for f in self.gone if f not in renamed]
        moves = {kind_of(f.kind).change == "moved" for f in gone}
        how = "gone_or_moved" if len(moves) > 1 else "moved" if True in moves else "gone"
        told = {how: gone, "renamed": renamed, "hooks": self.hooks}
        named = [(key, series(list(map(_named_beside, some)))) for key, some in told.items() if some]
        return [term("judge.beside", key, names=names) for key, names in named]


def beside(entry: Entry, used: Sequence[Finding]) -> Beside:
    """Names that go or move as well, the gravest first, as far as a line has room; then, where few are told, the new methods of
    other extension points and values that are others now.
    """
    ours = [f for f in entry.reading.findings if f not in used and is_front(f.path)]
    others = [f for f in ours if phrases.effect_of(f) != "internal"]
    found, told = _gone_too(entry, others), {_leaf(f) for f in used}
    gone = list({_leaf(f): f for f in reversed(found) if _leaf(f) not in told}.values())[::-1]
    shown, same = _within(gone, _ROOM), [f for f in found if _leaf(f) in told]
    left = max(0, _NAMED - len(used) - len(shown))
    firsts = [one.findings[0] for one in phrases.what(others, _MOST)]
    owners = {_owner(f) for f in used if kind_of(f.kind).surface == "extension"}
    met = [f for f in firsts if kind_of(f.kind).means("extension_method", "added") and _owner(f) not in owners]
    hooks = met[:left] if owners else []
    turned = _turns(firsts, used)[: left - len(hooks)]
    return Beside(shown, same, hooks, turned)


def _gone_too(entry: Entry, others: Sequence[Finding]) -> list[Finding]:
    """Names that go: what those outside type or call, then what they derive from or import; those of the title first.

    A function whose parameters stand in another order stays where it is, and so does a setting that the program no longer
    gives a value.
    """
    new = brings(entry.change)
    others = [f for f in others if kind_of(f.kind).surface != "behaviour"]
    gone = [f for f in others if mark_of(f) in _BREAKS and kind_of(f.kind).change in GONE and not _is_order(f)]
    # a definition that the change brings elsewhere moved; a method that another class has is gone from this one
    gone = [f for f in gone if kind_of(f.kind).change != "removed" or "." in f.symbol or _leaf(f) not in new]
    return sorted(gone, key=lambda f: (mark_of(f) != "breaks", *_rank(f), -leads(f, entry)))


def _is_order(finding: Finding) -> bool:
    kind = kind_of(finding.kind)
    return kind.change == "moved" and kind.family.endswith("parameter")


def _rank(finding: Finding) -> tuple[bool, bool, bool]:
    kind = kind_of(finding.kind)
    return kind.surface != "extension" or "sought" in kind.traits, kind.family != "operator", kind.family != "module"


def _within(found: Sequence[Finding], room: int) -> list[Finding]:
    """The first of them whose names together have so many characters."""
    ends = accumulate(len(_short(f)) + 4 for f in found)
    return [f for f, end in zip(found, ends, strict=True) if end <= room]


def _is_renamed(finding: Finding) -> bool:
    return kind_of(finding.kind).change == "renamed" and bool(finding.after)


def _named_beside(finding: Finding) -> Text:
    """Its name, and the new one that it has; of a parameter also whose it is, which stays where it was."""
    owner, name = parted(finding)
    if name and finding.symbol.endswith(")"):
        return say("judge.parted.of", name=name, owner=owner)
    short = code(_short(finding))
    return alike(f"{short} → {code((finding.after or '').rpartition('.')[2])}" if _is_renamed(finding) else short)


def _leaf(finding: Finding) -> str:
    """What a name ends in, which all classes and functions share that have it."""
    return parted(finding)[1] or phrases.uncounted(finding).rpartition(".")[2]


def _short(finding: Finding) -> str:
    """A name with what it stands in."""
    return ".".join(phrases.uncounted(finding).split(".")[-2:])


_BREAKS = frozenset({"breaks", "breaks_internals"})
_ROOM = 130
"""Characters of names beside what an entry is told by."""


def _turns(others: Sequence[Finding], used: Sequence[Finding]) -> list[Finding]:
    """Defaults and requirements that are others now, each name and each pair of versions once; those beside what is told
    first, then what breaks.
    """
    places = {f.path for f in used}
    near = sorted(filter(_is_turn, others), key=lambda f: (f.path not in places, not f.breaking))
    seen = {key for f in used for key in _keys(f)}
    out: list[Finding] = []
    for one in near:
        if seen.isdisjoint(_keys(one)):
            out.append(one)
            seen.update(_keys(one))
    return out


def _keys(finding: Finding) -> set[str]:
    """By what one is known beside others: its name, and of a requirement the versions, which are often one for two packages."""
    versions = " ".join(_VERSION.findall(f"{finding.before} {finding.after}"))
    return {finding.symbol, *([versions] if kind_of(finding.kind).requires and versions else ())}


_VERSION = re.compile(r"\d[\w.]*")


def _is_turn(finding: Finding) -> bool:
    sides, kind = (finding.before or "", finding.after or ""), kind_of(finding.kind)
    turns = bool(kind.requires) or kind.change == "default_changed"
    whole = all(sides) and _is_short(finding) and not any(map(phrases.is_hash, sides))
    return whole and turns and kind.surface not in ("python", "extension")


_SHORT = 40
"""Characters of a value that is told beside others."""


def moved_too(entry: Entry, found: Sequence[Finding], used: Sequence[Finding]) -> list[Finding]:
    """Requirements that move with those of an answer about one, each name once: those of the answer first."""
    if kind_of(used[0].kind).surface != "dependencies":
        return []
    ours = [f for f in entry.reading.findings if is_front(f.path) and not builds_part(f.path)]
    names, others = {f.symbol for f in used}, dict[str, Finding]()
    for one in (*found, *(f for f in ours if kind_of(f.kind).family in _ASKS)):
        of_image = "docker" in one.path.lower()  # what only an image holds follows with the image
        if one.symbol not in names and _is_short(one) and not of_image:
            others.setdefault(one.symbol, one)
    return list(others.values())[:_TURNS]


_ASKS = frozenset({"dependency", "pin", "source", "submodule", "python_required", "toolchain_required", "need"})
_TURNS = 5


def _is_short(finding: Finding) -> bool:
    return all(phrases.is_hash(x) or len(x) <= _SHORT for x in (finding.before or "", finding.after or ""))


def with_it(moved: Sequence[Finding]) -> Text:
    """Values with what they were and what they are, in few words."""
    return joined(map(_turn, moved), "semicolon")


def _turn(finding: Finding) -> Text:
    was, now = finding.before, finding.after
    if was and now and not (phrases.is_hash(was) or phrases.is_hash(now)):
        before, after = code_pair(was, now)
        return alike(f"{code(finding.symbol)} {before} → {after}")
    if was and now:
        return say("judge.action.turn_commit", name=finding.symbol)
    if not was:
        return say("judge.action.turn_new", name=alike(" ".join(map(code, filter(None, (finding.symbol, now))))))
    return say("judge.action.turn_gone", name=finding.symbol)


def _owner(finding: Finding) -> str:
    """The class of a method."""
    return finding.symbol.rpartition(".")[0]


_MOST = 99
_NAMED = 3
_CALLED = frozenset({"parameter", "internal_parameter", "operator", "function", "class"})


def is_called(finding: Finding) -> bool:
    """What callers outside meet: they call it by name, and need no part of it open before them."""
    kind = kind_of(finding.kind)
    return kind.family in _CALLED and kind.change in GONE


def tell(
    found: Sequence[Finding], most: int = 1, *, instead: str | None = None, said: Text | None = None
) -> tuple[Text, Text | None, Text | None]:
    """What, who, how: of the first kind of finding, in so many sentences; the change itself tells the rest.

    `instead`: what the change itself puts in place of the name that goes. `said`: how, in the author's words.
    """
    group, used = first_kind(found), grounds(found, most)
    sentences = phrases.what(group, most)
    text = joined(one.text for one in sentences) if sentences else say("judge.action.changed", name=group[0].symbol)
    alike_used = [f for f in used if f.kind == used[0].kind]
    who, how = phrases.affected(alike_used), phrases.remedy(alike_used)
    how = how if len(sentences) < 2 else kept(used) or say("judge.action.old_values")
    how = None if _says_both(used[0]) else how
    if who and instead:
        how = say("judge.finding.instead", name=instead)
    return text, who, said or how


def _says_both(finding: Finding) -> bool:
    """Its sentence names what was and what is: to follow the latter need not be said, to keep the former must be."""
    kind = kind_of(finding.kind)
    return bool(finding.before and finding.after) and kind.change in _FOLLOWED and kind.family != "frame"


_FOLLOWED = frozenset({"changed", "signature_changed", "replaced"})


def _accepted(used: Sequence[Finding]) -> Text | None:
    """That overrides of an extension point take an argument which it is called with from now on."""
    lost, come = _lost_and_new(used)
    new = [name_of(part) for part in come if name_of(part) not in map(name_of, lost)]
    return say("judge.finding.arguments_taken", names=listing(new)) if new else None


def _lost_and_new(used: Sequence[Finding]) -> tuple[list[str], list[str]]:
    """Of one extension point alone."""
    alone = len(used) == 1 and kind_of(used[0].kind).means("extension_method", "signature_changed")
    return lost_and_new(used[0]) if alone else ([], [])


def grounds(found: Sequence[Finding], most: int = 1) -> tuple[Finding, ...]:
    """The findings that `tell` and `headed` speak of: all of them are the evidence of what these say."""
    group = first_kind(found)
    return tuple(f for one in phrases.what(group, most) for f in one.findings) or tuple(group[:1])


def headed(found: Sequence[Finding]) -> Text:
    """What alone, as a part of a longer sentence."""
    sentence = phrases.what(first_kind(found), 1)
    return clause(sentence[0].text if sentence else alike(code(found[0].symbol)))


def has_words(finding: Finding) -> bool:
    """Whether there is a sentence for it; of some kinds there is none, since nobody would act on them."""
    return bool(phrases.what([finding], 1))


def named(title: str, said: Text) -> Text:
    """A title, and what code says of the change, as sentences."""
    return say("judge.action.named", title=in_quotes(title), said=small(said))


def in_quotes(title: str) -> Text:
    """A title as what it is: words of its author."""
    cut = title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 1].rstrip()}…"
    return say("judge.headline.title", title=alike(quoted(cut)))


_LONGEST_TITLE = 120


def noted(title: str, more: Text) -> Text:
    """A title, and what code says of it, without the place where that would fill the line."""
    if len(chosen(more, REFERENCE)) > LONGEST_NOTE:
        more = unplaced(more)
    if len(chosen(more, REFERENCE)) > LONGEST_NOTE:
        return in_quotes(title)
    return say("judge.action.noted", title=in_quotes(title), more=more)


def near(finding: Finding, entry: Entry) -> int:
    """Words that a finding shares with the title."""
    return len(words(f"{finding.symbol} {finding.after or ''}"[:400]) & words(entry.change.subject[:400]))


def leads(finding: Finding, entry: Entry) -> int:
    """How far the title puts a finding before others; names that moved stay in the order of how many files import them."""
    kind = kind_of(finding.kind)
    return 0 if kind.change == "moved" and kind.family in ("function", "class") else near(finding, entry)
