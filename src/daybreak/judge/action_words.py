"""How an item of the first screen is put into words: what changed, whom it hits, what to do; alone and among others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Text
from daybreak.core.text import arguments
from daybreak.core.words import say
from daybreak.core.words.brief import unplaced
from daybreak.core.words.grammar import alike, clause, code, code_pair, ended, joined, listing, quoted, series, small
from daybreak.core.words.phrases import REFERENCE, chosen
from daybreak.findings.kinds import GONE, kind_of
from daybreak.findings.paths import builds_part
from daybreak.judge import announcements, phrases
from daybreak.judge.breaking import mark_of
from daybreak.judge.change_kinds import is_front
from daybreak.judge.message_refs import title
from daybreak.judge.quote_rank import words
from daybreak.judge.reach import is_tool
from daybreak.judge.refused import refusal
from daybreak.judge.replacements import replaced
from daybreak.judge.successors import as_argument, brings, successor

LONGEST_NOTE = 200
"""Of what a line of several says beside a title, in the reference language."""


def first_kind(found: Sequence[Finding]) -> list[Finding]:
    def told_as(one: Finding) -> tuple[object, ...]:
        return one.kind, "" if kind_of(one.kind).means("module", "moved") else one.path, phrases.side(one)

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
    back, used = kind_of(found[0].kind).change == "default_changed", grounds(found, most)
    advised = not (back and entry.kind == "fix") and not all(is_tool(f.path) or _is_private_now(f) for f in used)
    announced = announcements.advice(entry, used) or as_argument(entry.change, used)
    announced = announced or replaced(entry.change, entry.reading.findings, used)
    what, who, how = tell(found, most, instead=successor(entry.change, used), said=announced)
    what, how = signature(used) or what, how or _accepted(used)
    if error := refusal(entry.change, used):
        what, how = error.what, how or error.how
    moved = moved_too(entry, found, used)
    names, hooks, turned = beside(entry, (*used, *moved))
    turned, altered = [*moved, *turned], _altered_too(found, used)
    more = [
        *_bases_now(entry.change, used),
        *([say("judge.action.altered", names=listing([f.symbol for f in altered], _NAMED))] if altered else ()),
        *([say("judge.action.beside", names=series([alike(code(f.symbol)) for f in names]))] if names else ()),
        *([say("judge.action.hooks", names=series([alike(code(f.symbol)) for f in hooks]))] if hooks else ()),
        *([say("judge.action.turned", turns=with_it(turned))] if turned else ()),
    ]
    what, how = named(title(entry.change), what), say("judge.action.follow_all") if moved and how else how
    return Told(what, joined(more) if more else None, who, how if advised else None), (
        *used,
        *altered,
        *names,
        *hooks,
        *turned,
    )


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


def _altered_too(found: Sequence[Finding], used: Sequence[Finding]) -> list[Finding]:
    """The other methods of an extension point's class whose signatures are others now: who derives from it meets them all."""
    kinds, owners = {f.kind for f in used}, {_owner(f) for f in used if kind_of(f.kind).surface == "extension"}
    return [f for f in found if f not in used and f.kind in kinds and _owner(f) in owners]


def beside(entry: Entry, used: Sequence[Finding]) -> tuple[list[Finding], list[Finding], list[Finding]]:
    """Of what a change does besides: what goes as well and others call, beside an extension point the new ones of other
    classes, whose plug-ins meet it too, and values that are others now; named up to `_NAMED` in all.
    """
    ours = [f for f in entry.reading.findings if f not in used and is_front(f.path)]
    others = [one.findings[0] for one in phrases.what([f for f in ours if phrases.effect_of(f) != "internal"], _MOST)]
    called = any(map(is_called, used))
    gone = [f for f in others if (is_called(f) and mark_of(f) if called else _is_gone(f))]
    new = brings(entry.change) if gone else ()
    gone = [f for f in gone if f.symbol.rpartition(".")[2] not in new]
    gone.sort(key=lambda f: -near(f, entry))
    left = max(0, _NAMED - len(used))
    names = gone[:left]
    owners = {_owner(f) for f in used if kind_of(f.kind).surface == "extension"}
    met = [f for f in others if kind_of(f.kind).means("extension_method", "added") and _owner(f) not in owners]
    hooks = met[: left - len(names)] if owners else []
    return names, hooks, _turns(others, used)[: left - len(names) - len(hooks)]


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


def _is_gone(finding: Finding) -> bool:
    return mark_of(finding) == "breaks" and kind_of(finding.kind).change in GONE


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
    who, how = phrases.affected(used), phrases.remedy(used) if len(sentences) < 2 else say("judge.action.old_values")
    how = None if _says_both(used[0]) else how
    if who and instead:
        how = say("judge.finding.instead", name=instead)
    return text, who, said or how


def _says_both(finding: Finding) -> bool:
    """Its sentence names what was and what is: to follow the latter need not be said, to keep the former must be."""
    return bool(finding.before and finding.after) and kind_of(finding.kind).change in _FOLLOWED


_FOLLOWED = frozenset({"changed", "signature_changed", "replaced"})


def signature(used: Sequence[Finding]) -> Text | None:
    """What the signature of an extension point lost and won, where both are whole: less to read than the two."""
    lost, come = _lost_and_new(used)
    parts = [say("judge.finding.arguments_gone", names=listing(lost))] if lost else []
    parts += [say("judge.finding.arguments_new", names=listing(come))] if come else []
    if not parts:
        return None
    return say("judge.finding.extension", name=used[0].symbol, parts=joined(parts, "comma"), path=used[0].path)


def _accepted(used: Sequence[Finding]) -> Text | None:
    """That overrides of an extension point take an argument which it is called with from now on."""
    lost, come = _lost_and_new(used)
    new = [_argument(part) for part in come if _argument(part) not in map(_argument, lost)]
    return say("judge.finding.arguments_taken", names=listing(new)) if new else None


def _lost_and_new(used: Sequence[Finding]) -> tuple[list[str], list[str]]:
    """Arguments that an extension point no longer has, and those that it has from now on; none where a side is cut."""
    first = used[0]
    if len(used) > 1 or not kind_of(first.kind).means("extension_method", "signature_changed"):
        return [], []
    was, now = (
        {_argument(part): part for part in arguments(side or "") if part} for side in (first.before, first.after)
    )
    lost, come = (
        [part for name, part in one.items() if _differs(part, other.get(name))]
        for one, other in ((was, now), (now, was))
    )
    whole = was and now and not any("…" in part for part in (*lost, *come))
    return (lost, come) if whole else ([], [])


def _argument(part: str) -> str:
    return re.split(r"[:=]", part, maxsplit=1)[0].strip()


def _differs(part: str, other: str | None) -> bool:
    """It is nowhere else, or of another type there: what only one side writes down is no change."""
    return other is None or (":" in part and ":" in other and part != other)


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
