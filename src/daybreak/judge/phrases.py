"""What a finding says, from the row of its kind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from daybreak.core.model.findings import Finding
from daybreak.core.model.statements import Text
from daybreak.core.versions import exact, lifted, shut_out
from daybreak.core.words import say, term
from daybreak.core.words.grammar import NOTHING, alike, code, code_pair, joined, listing, quoted
from daybreak.core.words.phrases import chosen, languages, table
from daybreak.findings.kinds import CAME, EFFECTS, GONE, Effect, Words, kind_of
from daybreak.findings.paths import within
from daybreak.judge.argument_order import other_order, other_signature
from daybreak.judge.as_typed import kept
from daybreak.judge.moved_modules import package_of, told_moves
from daybreak.judge.refused import advised, refused_with, turned_away
from daybreak.judge.several_places import moved, moved_together, parted, together
from daybreak.judge.several_places import told as told_together
from daybreak.judge.value_lists import is_choice, is_list_of_values, lost_and_new

_STORED = re.compile(r"[\"']?[0-9a-f]{32,64}/")
_HASH = re.compile(r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}")
_ASSERTS = re.compile(r"(?:if .+?: )?assert ")
_DIGEST = re.compile(r"…[0-9a-f]{12}")
"""What stands for a value of more than a thousand characters."""
_PLACE = re.compile(r"\{[sbapxvk]\}")
_AT_PATH = re.compile(r"\s?[（(]\{p\}[）)]$")
_ON = frozenset({"True", "true"})
_READ = re.compile(r"(?:Response(?:Base)?|Output|Chunk|Response\w{0,20}(?:Choice|Data|Usage|Event))$")
_SENT = re.compile(r"(?:Request|ReqInput)(?:Base|Body|Input|\w{0,20}Mixin)?$")
Side = Literal["sent", "read"]
LISTED = "listed"
"""The family of names in lists that decide; where the code reads a variable before the list, that is the way out."""
_NAMED_IN = frozenset({"registry", "class_behind", LISTED})
"""Families whose symbol is a name and what it stands in, `registry:name`."""


class Phrase(NamedTuple):
    """One sentence, and the findings it rests on."""

    text: Text
    findings: tuple[Finding, ...]


def is_hash(text: str) -> bool:
    """An id of a commit, or an address that ends in one of what the project itself made: it tells a reader nothing."""
    return _HASH.fullmatch(text) is not None or _STORED.match(text) is not None


def side(finding: Finding) -> Side | None:
    """Whether clients send or read a server's field, by the name of its class; None where that does not say."""
    owner = finding.symbol.rpartition(".")[0] if kind_of(finding.kind).family == "request_field" else ""
    return "read" if _READ.search(owner) else "sent" if _SENT.search(owner) else None


def _words(finding: Finding) -> Words:
    """The words of a finding: those of its kind, and in their place those of the side it stands on."""
    kind, where = kind_of(finding.kind), side(finding)
    words = kind.words if where is None else kind.read if where == "read" else kind.sent
    if any(_DIGEST.fullmatch(value or "") for value in (finding.before, finding.after)):
        return _without_values(words)
    return words


def _without_values(words: Words) -> Words:
    """The words for values that are too long to be shown: that they changed, and no remedy that names one."""
    parts = {part: getattr(words, part) for part in words.__struct_fields__}
    told = {part: _unvalued(text) for part, text in parts.items() if text}
    return Words(**{part: text for part, text in told.items() if part == "what" or not _names(text, "{b}")})


def _unvalued(text: Text) -> Text:
    return {
        language: chosen(text, language).replace(how["values"], how["values_changed"])
        for language in languages()
        for how in [table(language, "grammar")]
    }


def _names(text: Text, place: str) -> bool:
    return any(place in said for said in text.values())


def names_path(finding: Finding) -> bool:
    """What it says names the file."""
    return _names(_words(finding).what or {}, "{p}")


def effect_of(finding: Finding) -> Effect:
    """What a finding does to users, by whom it hits: a setting that is on where nobody sets it is another behaviour."""
    kind = kind_of(finding.kind)
    if kind.change in CAME and is_on(finding):
        return "behaviour"
    if is_choice(finding) and not lost_and_new(finding)[0]:
        return "added"
    if kind.effect == "tightened" and _is_assertion(finding):
        return "internal"
    if kind.effect == "pin" and kind.change == "changed" and _relaxes(finding):
        return "relaxed"
    unreached = (
        kind.mark != "none" and not finding.breaking and kind.family != "guard"
    )  # a check refuses whoever meets it
    if kind.effect == "tightened" and unreached:
        derived = kind.surface == "python" and kind.change in GONE and not within(finding.path, finding.symbol)
        return "extension" if derived and not _accepted(finding) else "internal"
    return kind.effect


def _is_assertion(finding: Finding) -> bool:
    """What code relies on within itself: users meet it only where their settings and requests are read."""
    return _ASSERTS.match(finding.after or "") is not None and not is_typed_at(finding.path)


_TYPED_AT = re.compile(
    r"(?:^|[/_.])(?:args?|arguments|arg_utils|server_args|cli|commands?|entry_?points?|launch\w{0,20}|serv(?:e|er|ing)\w{0,20}"
    r"|api\w{0,20}|routers?|main|config\w{0,10}|env\w{0,10})(?:[/_.]|$)",
    re.IGNORECASE,
)


def is_typed_at(path: str) -> bool:
    """Where options stand that a deployment types; elsewhere a parser is that of a script, and a kernel reads none."""
    return _TYPED_AT.search(path) is not None and not _KERNEL.search(path[-20:])


_KERNEL = re.compile(r"\.(?:cuh?|h|hpp|hip|metal)$")


def is_on(finding: Finding) -> bool:
    """A setting that came and is on where nobody sets it."""
    return (finding.default or "").strip("\"'") in _ON


def _relaxes(finding: Finding) -> bool:
    """A requirement that shuts nobody out, and lets nothing in that a new installation would take."""
    sides = (finding.before or "", finding.after or "")
    plain = any(char.isdigit() for char in sides[1]) and not is_hash(sides[1])
    return plain and shut_out(*sides) is None and lifted_bound(finding) is None


def lifted_bound(finding: Finding) -> str | None:
    """The bound of a dependency without which a new installation takes another major version; what an argument of an image or
    a tag names is one version, whatever its form.
    """
    kind, sides = kind_of(finding.kind), (finding.before or "", finding.after or "")
    pinned = kind.requires and kind.change == "changed" and kind.traits >= {"pinned", "valued"}
    return lifted(*sides) if pinned and not exact(sides[1]) else None


def _only_lifted(finding: Finding) -> str | None:
    """The same where no version is shut out besides: environments that stand have nothing to follow."""
    return lifted_bound(finding) if shut_out(finding.before or "", finding.after or "") is None else None


def gravest(findings: Iterable[Finding]) -> list[Finding]:
    """Findings in the order of their effects on users; of equal ones what breaks first, then what an environment meets
    first, and then the plainest. What a build is for comes behind defaults and requirements, which everybody meets; a value
    that an option no longer takes stops a launch, a check behind it may never be reached.
    """
    return sorted(
        findings,
        key=lambda f: (
            EFFECTS.index("pin") + 0.5 if kind_of(f.kind).family == "arch" else EFFECTS.index(effect_of(f)),
            not f.breaking,
            lifted_bound(f) is None,
            not (is_choice(f) and lost_and_new(f)[0]),
            kind_of(f.kind).requires or len(EFFECTS) * 9,
            kind_of(f.kind).behaves or len(EFFECTS) * 9,
            kind_of(f.kind).family == "guard" and not _ANSWERS.search(f.path),  # requests before what is inside
        ),
    )


def as_read(ranked: Sequence[Finding], read: Sequence[Finding]) -> Sequence[Finding]:
    """Findings as they are ranked; names that moved as they were read, those first that most files import."""
    kind = kind_of(ranked[0].kind) if ranked else None
    return read if kind and kind.change == "moved" and kind.family in ("function", "class") else ranked


_ANSWERS = re.compile(r"(?:^|/)(?:entrypoints|openai|serving|http|api\w{0,20}|routes?|routers?|handlers?)/|protocol")


def what(findings: Sequence[Finding], limit: int) -> list[Phrase]:
    """The first `limit` sentences that a change's findings give, the gravest first."""
    out: list[Phrase] = []
    for group in _grouped(gravest(findings)):
        out.append(_one(group))
        if len(out) == limit:
            break
    return out


def _grouped(findings: Sequence[Finding]) -> Iterator[tuple[Finding, ...]]:
    """Findings that one sentence tells: lists by kind, path (where it is told) and alias; what has a before and after alone."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    modules = [f for f in findings if kind_of(f.kind).means("module", "moved")]
    of_package = modules if package_of(modules) else []
    for f in findings:
        words = _words(f).what
        if not words:
            continue
        alone = _names(words, "{b}") or _names(words, "{a}") or is_choice(f)
        fate = f.alias and f.alias.status
        place = f.path if names_path(f) else ""
        key: tuple[object, ...] = (
            (f.id,) if alone else (f.kind, place, f.breaking, fate, f.effective, side(f), is_on(f), _registry(f))
        )
        if f in of_package:
            key = ("modules", fate, f.breaking)
        elif together(f, findings):
            key = (kind_of(f.kind).change, parted(f)[1])
        elif way := moved(f):
            key = (*way, fate, f.breaking)
        groups.setdefault(key, []).append(f)
    yield from map(tuple, groups.values())


def _one(group: tuple[Finding, ...]) -> Phrase:
    first = group[0]
    if package := package_of(group):
        text, fate = told_moves(group, package), _fate(first)
    elif together(first, group):
        text, fate = told_together(group), NOTHING
    elif moves := moved_together(group):
        text, fate = moves, _fate(first)
    else:
        text, fate = _choices(first) if is_list_of_values(first) else _sentence(group)
    default, effect = _unset(group), _effect(first)
    return Phrase(say("judge.finding.sentence", text=text, alias=fate, default=default, effect=effect), group)


def _effect(finding: Finding) -> Text:
    """From when on users meet it."""
    if finding.awaited:
        return say("judge.finding.effect_version", least=finding.awaited[0], pinned=finding.awaited[1])
    return say("judge.finding.effect", package=finding.effective) if finding.effective else NOTHING


def _unset(group: tuple[Finding, ...]) -> Text:
    """What settings that came are where nobody sets them."""
    first = group[0]
    if not first.default or kind_of(first.kind).change not in CAME or "{a}" in str(_words(first).what):
        return NOTHING
    if is_on(first):
        return say("judge.finding.default_on")
    short = len(group) == 1 and len(first.default) <= _LONGEST_DEFAULT
    return say("judge.finding.default", value=first.default) if short else NOTHING


_LONGEST_DEFAULT = 40


def _sentence(group: tuple[Finding, ...]) -> tuple[Text, Text]:
    """What is said of them, and what of their old names, where that has no place in it."""
    first = group[0]
    if any(is_hash(x or "") for x in (first.before, first.after)):
        # An id of a commit elsewhere tells a reader nothing, and is no commit of this repository; a tag tells.
        if first.after and not is_hash(first.after):
            return say("judge.finding.now", name=first.symbol, after=first.after, path=first.path), NOTHING
        return say("judge.finding.new_commit", names=listing(f.symbol for f in group), path=first.path), NOTHING
    if told := _in_own_words(group) or other_order(first) or other_signature(first) or refused_with(first):
        return told, NOTHING
    words = (_words(first).free if _asks_nothing(first) else _words(first).what) or {}
    fate = _fate(first)
    if _lacks(first, words):
        return plain(first), fate
    inside = all(_AT_PATH.search(chosen(words, language)) for language in languages())
    return _fill(words, group, fate if inside else NOTHING), NOTHING if inside else fate


def _in_own_words(group: tuple[Finding, ...]) -> Text | None:
    """A bound that is gone, a name that is to go for another, and a dependency that comes with its version."""
    first = group[0]
    if bound := _only_lifted(first):
        return say("judge.finding.lifted", name=first.symbol, bound=bound, path=first.path)
    if kind_of(first.kind).change == "deprecated" and first.after not in (None, first.symbol) and len(group) == 1:
        return say("judge.finding.to_go_for", name=first.symbol, after=first.after, path=first.path)
    if kind_of(first.kind).means("dependency", "added") and first.after and len(group) == 1:
        return say("judge.finding.dependency", name=first.symbol, version=first.after, path=first.path)
    return None


def plain(finding: Finding) -> Text:
    """The name, and what it was and is: for kinds that no table words, and for values that only came or only went."""
    name, path = finding.symbol, finding.path
    what = "default" if kind_of(finding.kind).change == "default_changed" else "value"
    if finding.before and finding.after:
        before, after = code_pair(finding.before, finding.after)
        return say("judge.finding.turn", name=name, before=alike(before), after=alike(after), path=path)
    if finding.after and kind_of(finding.kind).change in CAME:
        return say("judge.finding.came", name=name, path=path)
    if finding.after and "declared" in kind_of(finding.kind).traits:
        return say("judge.finding.typed", name=name, after=finding.after, path=path)
    if finding.after:
        return term("judge.finding_gains", what, name=name, after=finding.after, path=path)
    if finding.before:
        return term("judge.finding_loses", what, name=name, before=finding.before, path=path)
    return say("judge.finding.changed", name=name, path=path)


def _lacks(finding: Finding, words: Text) -> bool:
    """The words speak of a value that the finding has not: the default of a parameter that had none."""
    values = (("{b}", finding.before), ("{a}", finding.after))
    return any(place in text and not value for text in words.values() for place, value in values)


def _asks_nothing(finding: Finding) -> bool:
    """A kind that breaks in one form only, and this is the other."""
    return not finding.breaking and kind_of(finding.kind).words.free is not None


def _fate(finding: Finding) -> Text:
    """Whether an old name still works: said of names and values that went, and of nothing else."""
    kind = kind_of(finding.kind)
    named = kind.change in GONE and "nameless" not in kind.traits
    named = named or (is_choice(finding) and bool(lost_and_new(finding)[0]))
    if not named or finding.alias is None:
        return NOTHING
    where = finding.alias.where or ""
    if where.endswith(".*"):
        return say("judge.finding.handed_on", package=code(where.removesuffix(".*")))
    return term("judge.finding_alias", finding.alias.status)


def _registry(finding: Finding) -> str:
    """The registry that a registered name stands in, or the list that decides by it; empty for all others."""
    return finding.symbol.partition(":")[0] if kind_of(finding.kind).family in _NAMED_IN else ""


def own_name(finding: Finding) -> str:
    """Its name alone, as one writes it."""
    return finding.symbol.removeprefix(f"{_registry(finding)}:")


def uncounted(finding: Finding) -> str:
    """The same without how many names stand in it."""
    return _COUNTED.sub("", own_name(finding))


_COUNTED = re.compile(r" \(\d{1,6} names\)$")


def _fill(row: Text, group: Iterable[Finding], fate: Text = NOTHING) -> Text:
    """Words of the table with their places filled; braces inside filled words stay as they are."""
    found = list(group)
    names = listing(map(own_name, found))
    before, after = code_pair(found[0].before or "", found[0].after or "")
    many = "s" if len(names.words) > 1 else ""
    shut, path = code(shut_out(found[0].before or "", found[0].after or "") or ""), code(found[0].path)
    places = {"{b}": before, "{a}": after, "{p}": path, "{x}": many, "{v}": shut, "{k}": code(_registry(found[0]))}
    return {
        language: _place(_before_path(row, fate, language), {**places, "{s}": names.written(language)})
        for language in languages()
    }


def _before_path(row: Text, fate: Text, language: str) -> str:
    """The template with what became of the old name before the path at its end: no brackets beside brackets."""
    template, said = chosen(row, language), chosen(fate, language) if fate else ""
    return _AT_PATH.sub(lambda at: said + at[0], template)


def _place(template: str, places: dict[str, str]) -> str:
    return _PLACE.sub(lambda m: places.get(m[0], ""), template)


def _choices(finding: Finding) -> tuple[Text, Text]:
    """Which values went and which came; that there was a change when they are not lists of literals."""
    lost, come = lost_and_new(finding)
    if not lost and not come:
        return _sentence((finding,))
    gone = [say("judge.finding.choices_gone", values=listing(lost, 8))] if lost else []
    new = [say("judge.finding.choices_new", values=listing(come, 8))] if come else []
    parts = joined((*gone, *new), "semicolon")
    told = say("judge.finding.choices", name=finding.symbol, parts=parts, alias=_fate(finding), path=finding.path)
    return told, NOTHING


def _near_choices(finding: Finding) -> list[str]:
    """Values that came and are called like those that went."""
    if not is_list_of_values(finding):
        return []
    lost, come = lost_and_new(finding)
    return [new for new in come if any({*_PART.findall(old)} & {*_PART.findall(new)} for old in lost)]


def affected(findings: Sequence[Finding]) -> Text | None:
    """Who meets these findings (all of one kind and side)."""
    first = findings[0]
    if is_choice(first):
        lost, _ = lost_and_new(first)
        return say("judge.finding.choice_users", values=listing(lost, 8)) if lost else None
    if _only_lifted(first):
        return say("judge.finding.lifted_users", name=first.symbol)
    if kind_of(first.kind).means("guard", "added"):
        return turned_away(findings)
    if package := package_of(findings):
        return say("judge.finding.modules_users", package=package)
    who = _said(findings, _words(first).who)
    if who is not None and kind_of(first.kind).surface == "cli" and not is_typed_at(first.path):
        return say("judge.finding.script_users", path=first.path, names=listing((f.symbol for f in findings), 8))
    return say("judge.finding.under", who=who, machine=first.under) if who and first.under else who


def remedy(findings: Sequence[Finding]) -> Text | None:
    """What they do about it."""
    first = findings[0]
    if any(is_hash(x or "") for x in (first.before, first.after)):
        return None
    if bound := _only_lifted(first):
        return say("judge.finding.lifted_remedy", name=first.symbol, bound=bound)
    if named := _named_instead(findings):
        return named
    if kind_of(first.kind).means("guard", "added"):
        return advised(findings)
    if told := _told_instead(findings) or (say("judge.finding.modules_remedy") if package_of(findings) else None):
        return told
    instead = {f.after for f in findings} == {first.after} and bool(first.after)
    words = _words(first)
    told = (_said(findings, words.to) if instead else None) or _said(findings, words.how)
    if told and words.how and _names(words.how, "{b}"):
        told = kept(findings) or told
    return told if affected(findings) else None


def _named_instead(findings: Sequence[Finding]) -> Text | None:
    if successor := _successor(findings):
        return say("judge.finding.instead", name=successor)
    alias = findings[0].alias
    if kind_of(findings[0].kind).family == LISTED and alias and alias.where:
        return say("judge.finding.way_out", name=alias.where)
    near = _near_choices(findings[0])
    return say("judge.finding.choice_instead", values=listing(near), n=len(near)) if near else None


def _successor(findings: Sequence[Finding]) -> str | None:
    """The one name that a registry has now for what went, or the one route that is left of its name; their readers know it,
    and tell no rename.
    """
    kind, alias = kind_of(findings[0].kind), findings[0].alias
    if len(findings) != 1 or kind.change != "removed" or alias is None or alias.status != "none":
        return None
    routed = kind.family == "route" and (alias.where or "").startswith("/")
    return alias.where if routed or kind.surface == "models" else None


def _told_instead(findings: Sequence[Finding]) -> Text | None:
    """What upstream says to use in place of settings and names that go, each in its words; one sentence where they are the same."""
    gone = [f for f in findings if kind_of(f.kind).change == "removed" and kind_of(f.kind).family in _SETTINGS]
    told = {f.symbol: f.alias.where for f in gone if f.alias and f.alias.status == "none" and f.alias.where}
    quotes = list(dict.fromkeys(told.values()))
    if len(quotes) == 1 and len(told) == len({f.symbol for f in findings}):
        return say("judge.finding.upstream", quote=alike(quoted(quotes[0])))
    names = {quote: listing(name for name in told if told[name] == quote) for quote in quotes}
    each = [say("judge.finding.by_text", name=names[one], quote=alike(quoted(one))) for one in quotes]
    return joined(each[:_MOST_QUOTED], "semicolon") if each else None


_SETTINGS = frozenset({"env", "cli_flag", "field", "class", "function", "export", "route"})
_MOST_QUOTED = 3
_PART = re.compile(r"[^\W_]{3,}")
_EMPTY = ('""', "''")


def _said(findings: Sequence[Finding], words: Text | None) -> Text | None:
    first = findings[0]
    if not words or _asks_nothing(first) or _lacks(first, words) or _accepted(first):
        return None  # nobody can be told to write a value that is not there, nor to replace what still works
    if _names(words, "{b}") and first.before in _EMPTY and kind_of(first.kind).change == "default_changed":
        return None  # nothing is no value that somebody sets
    if _names(words, "{b}") and first.before == "None" and kind_of(first.kind).surface != "python":
        return None  # it was decided elsewhere; a setting that says so cannot be written, and may be refused
    if _names(words, "{v}") and not shut_out(first.before or "", first.after or ""):
        return None  # whom it hits is not known exactly
    return None if effect_of(first) == "relaxed" else _fill(words, findings)


def _accepted(finding: Finding) -> bool:
    """The old name still works and is not said to end."""
    return finding.alias is not None and finding.alias.status == "kept"


def alias(findings: Sequence[Finding]) -> Text | None:
    """What the diff shows of a removed name when nothing more is known of its fate."""
    gone = [kind_of(f.kind) for f in findings if f.alias is None]
    if len(gone) == len(findings) and all("sought" in one.traits and one.change == "removed" for one in gone):
        return say("judge.finding.removed_lines", names=listing(f.symbol.rsplit(".", 1)[-1] for f in findings))
    return None
