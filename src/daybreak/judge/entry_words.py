"""Words of an entry of the first screen: what changed, whom it hits, what follows and what to do, in as many as there is room for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from daybreak.core.model.day import Action
from daybreak.core.model.findings import Finding
from daybreak.core.model.quotes import Gist
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Role, Statement, Text
from daybreak.core.text import plain
from daybreak.core.words import say
from daybreak.core.words.brief import unplaced
from daybreak.core.words.grammar import ended, joined, large
from daybreak.core.words.phrases import REFERENCE, chosen
from daybreak.findings.kinds import kind_of
from daybreak.judge.action_answers import FIXES, Does, Made, with_main
from daybreak.judge.action_words import grounds, headed, in_quotes, named, with_it
from daybreak.judge.breaking import must_follow
from daybreak.judge.change_kinds import bare, is_front
from daybreak.judge.code_places import placed
from daybreak.judge.conditions import met_on, met_with
from daybreak.judge.exposure import (
    beside_break,
    beside_fault,
    can_be_picked,
    dated,
    names_release,
    put_back,
    shows_fault,
    unaffected,
)
from daybreak.judge.gist import brief, quoted_beside, tells_why
from daybreak.judge.hazards import hazard
from daybreak.judge.message_refs import title
from daybreak.judge.model_reading import Steps, brings, lead_of, read_as, said_by_model, told_by_model, told_within
from daybreak.judge.refused import error_advice

ON_SCREEN = (200, 150, 110, 80)
"""Characters of a quote on the screen, which has two lines for a change; fewer where all together are too long."""
_AROUND = 8
"""Words that an entry has around what is said: its number, tag, repository and change, and the marks between them."""
_BELOW, _ALSO = 110, 160
"""The same further down, and in a line of its own below the screen."""
_PINS: frozenset[Does] = frozenset({"requires", "needs"})
_PROVED: frozenset[Does] = _PINS | {"breaks", "breaks_one", "breaks_few"}
"""What a finding tells better in one line than any sentence on it that does not name the very thing."""
OF_FORKS: frozenset[Does] = frozenset({"fork", "fork_few"})
_BESIDE_FIX: frozenset[Does] = OF_FORKS | {"rejects"}


class Candidate(NamedTuple):
    """One change that asks for something."""

    value: float
    """What it does, times whom it reaches, times what shows it."""
    few: bool
    """It is of one model or of a part that few have: a request that is refused may be anybody's."""
    repo: str
    commits: tuple[str, ...]
    entry: Entry
    made: Made
    tag: str
    """What kind of thing it is to act on; empty where it is only worth knowing."""

    @property
    def key(self) -> str:
        """What is told once: a story, or else the change alone."""
        return f"{self.repo} {self.entry.story or self.commits[0]}"


def line(one: Candidate, most: int, *, whom: bool = False) -> Action | None:
    """As an entry of the screen: what changed, whom it hits, what to do, and which release has a bug that it mends."""
    made, entry = one.made, one.entry
    if mended := _mended_beside(one, most):
        return _action(one, mended, _ids(made))
    does = most > ON_SCREEN[-1]
    if made.told is not None:
        said = _with_model(one, _WORDS[most], does=does)
        if said is None and (chosen_first := _chosen_first(one, brief(entry, most))):
            return chosen_first
        beside = _consequence(one, most) if said is None else None
        of_beside = entry.gist.findings if beside is not None and entry.gist is not None else ()
        text = said or made.told.text(beside, whom=whom)
        return _action(one, _repairing(ended(text), one), (*_ids(made), *of_beside))
    said = _by_model(one, _WORDS[most], does=does)
    quote = brief(entry, most)
    # a title alone has its place below
    whole = said or (_titled(one, quote) if quote or one.tag == "security" else None)
    if whole is None:
        return None
    text = ended(whole)
    leads = () if entry.gist is None else entry.gist.quotes if entry.gist.source == "line" else entry.gist.quotes[:1]
    if made.does in FIXES and said is None and met_with(entry.change) is None:
        text = placed(text, entry.change, leads)
    text = _with_way_out(_repairing(text, one), one, said is None and does)
    return _action(one, text, entry.gist.findings if entry.gist else ())


def _with_way_out(text: Text, one: Candidate, does: bool) -> Text:
    """With what the program itself says to do from now on, where nothing else tells that."""
    entry = one.entry
    how = error_advice(entry.change, entry.reading.findings) if does and not _has_advice(one) else None
    known = how is None or any(way in chosen(text, REFERENCE) for way in _IN_QUOTES.findall(chosen(how, REFERENCE)))
    return text if known or how is None else say("judge.action.remedy", text=ended(text), how=how)


_IN_QUOTES = re.compile("“([^”]+)”")


def _secured(text: Text, entry: Entry) -> Text:
    """With which release has it, and what to do about what no release mends yet; that a pick applies says it, and so does a model, or a
    setting that came.
    """
    told = dated(met_on(text, entry), entry, "fix", picks=True)
    advised = told_by_model(entry) or (entry.gist is not None and entry.gist.findings)
    if entry.released or advised or unaffected(entry) or can_be_picked(entry):
        return told
    return say("judge.action.remedy", text=told, how=say("judge.action.secure_later"))


def _mended_beside(one: Candidate, most: int) -> Text | None:
    """Of a fix that plug-ins and forks have to follow, or that refuses somebody: the lines or the words that show what it mends,
    whether a release has that, then what they meet.
    """
    entry, made, gist = one.entry, one.made, one.entry.gist
    if (
        made.does not in _BESIDE_FIX
        or made.told is None
        or not _FIX.search(title(entry.change))
        or told_by_model(entry)
    ):
        return None
    lines = gist is not None and any(quote.source == "line" for quote in gist.quotes)
    shows = gist is not None and not gist.findings and (lines or _tells_fault(one, gist))
    quote = brief(entry, most) if shows and entry.exposure is not None else None
    if quote is None:
        return None
    mends = dated(met_on(ended(named(title(entry.change), quote)), entry), entry, "fix")
    if most <= ON_SCREEN[-1]:
        # who is told to be a fork reads what of theirs goes; that it mends something as well is said behind that
        return None if made.does in OF_FORKS else mends
    meet = joined((mends, ended(large(headed(made.findings)))))
    return say("judge.action.remedy", text=meet, how=made.told.how) if made.told.how else meet


_FIX = re.compile(r"\bfix", re.IGNORECASE)


def _tells_fault(one: Candidate, gist: Gist) -> bool:
    """Its words say what went wrong, or why that came about which the title names."""
    named = hazard(bare(one.entry.change.subject)) is not None and tells_why(gist)
    return named or _fault(one) is not None


def _by_model(one: Candidate, words: int, *, does: bool = False) -> Text | None:
    """A model's sentences in so many words: what tells the whole, then what to do and what its author put next. What is so now does
    not tell the whole of a repair whose trouble is told.
    """
    fixes, lead = _mends(one) or one.made.does == "security", lead_of(one.entry)
    alone = _FIRST.get(one.made.does, _REPAIR if fixes else _CHANGE)
    trouble = _TROUBLE.get(lead.role, ()) if lead is not None and fixes else ()
    whole = lead is not None and not any(said_by_model(one.entry, role) for role in trouble)
    left = words - (_RELEASE if _mends(one) else 0)
    told = told_within(one.entry, left, (_BESIDE_FAULT if fixes else _BESIDE) if whole else alone, led=whole, does=does)
    # What is so now does not say what failed, and for which model: the title does.
    untold = _mends(one) and not any(said_by_model(one.entry, role) for role in ("why", "impact"))
    return named(title(one.entry.change), told) if told is not None and untold else told


_WORDS = {200: 50, 150: 45, 110: 36, 80: 0}
"""Words of an entry that a model tells, by the characters of a quote there; one sentence is told in any case."""
_SHORT_WORDS = 34
"""The same of a line below the screen."""
_RELEASE = 8
"""Words that say which release has what a fix mends."""
_BESIDE_FAULT: Steps = (("risk",), ("action",), ("impact", "why", "what"))
_BESIDE: Steps = (("action",), ("impact", "risk"), ("what", "why"))
"""What stands behind a sentence that tells the whole: what to do, and whom else it hits; of a repair first what may go wrong by it."""
_TROUBLE: dict[Role, tuple[Role, ...]] = {"what": ("why",), "risk": ("why", "impact")}
"""What a repair is told by first, and tagged by, in place of a lead on what is so now or on what may go wrong by it."""
_REPAIR: Steps = (("why",), ("impact",), ("action",), ("what",), ("risk",))
_CHANGE: Steps = (("what",), ("action",), ("impact", "risk"))
_FIRST: dict[Does, Steps] = {
    "security": (("impact",), ("why",), ("what",), ("action",)),
    "fork": (("action",), ("impact", "risk"), ("what",)),
    "fork_few": (("action",), ("impact", "risk"), ("what",)),
}
"""Which of a model's sentences an entry is told by where none tells the whole; of what plug-ins and forks build on, what they have
to do."""


def _with_model(one: Candidate, words: int, *, does: bool = False) -> Text | None:
    """The sentence that tells the whole, which the critic carried, with what to do and what its author put next; before it only what findings
    prove to break and none of that names, in the model's words where it has any, behind it where it is a guard or befalls those who run the
    project and the break only forks. What to do is the rules' where the model has nothing. Without such a sentence what to do by the model stands behind the
    rules' fact, where they have no advice or the model's is of the very name.
    """
    made = one.made
    if made.item is None:
        return None
    fact = large(unplaced(headed(made.findings))) if made.findings else made.item
    if lead_of(one.entry) is None:
        return _with_advice(one, fact, words, words - len(chosen(fact, REFERENCE).split()))
    told = told_within(one.entry, words, _BESIDE, does=does)
    if told is None or made.does not in _PROVED | OF_FORKS or _tells_proved(one, told):
        return told
    own = next((said.text for said in told_by_model(one.entry) if _names_any(said.text, _leaves(one))), None)
    # A guard has no name to be told by: that something is refused says less than the sentence which tells whom it hits.
    nameless = bool(made.findings) and all("nameless" in kind_of(f.kind).traits for f in made.findings)
    if nameless or befalls_users(one.entry, made):
        return joined((ended(told), ended(own or fact)))
    left = words - len(chosen(own or fact, REFERENCE).split())
    text = joined((ended(own or fact), ended(told_within(one.entry, left, _BESIDE, does=does) or told)))
    how = made.told.how if made.told is not None and own is None and does else None
    acts = any(said.role == "action" for said in told_by_model(one.entry))
    return say("judge.action.remedy", text=text, how=how) if how is not None and not acts else text


def befalls_users(entry: Entry, made: Made) -> bool:
    """Of what the rules know only that forks have to follow, a model reads what it does to those who run the project."""
    return made.does in OF_FORKS and read_as(entry) is not None


def _with_advice(one: Candidate, fact: Text, words: int, left: int) -> Text | None:
    """The rules' fact and what to do by the model, or its sentences alone, where they name what findings found."""
    do, leaves = said_by_model(one.entry, "action"), _leaves(one)[:1]
    facts = (said for said in told_by_model(one.entry) if said.role in ("what", "impact"))
    if any(_has_names(said.text, leaves) for said in facts):
        return told_within(one.entry, words, (("impact",), ("what",), ("action",)))
    exact = do is not None and _has_names(do, leaves)
    if do is None or (_has_advice(one) and one.made.does not in OF_FORKS and not exact):
        return None
    more = told_within(one.entry, words if exact else left, (("action",), ("impact", "risk")), led=False) or do
    return more if exact and more != do else joined((ended(fact), more))


def _tells_proved(one: Candidate, told: Text) -> bool:
    """What breaks is what is told: by a name of it, or by the very lines that the sentence rests on which leads."""
    lead = lead_of(one.entry)
    return _names_any(told, _leaves(one)) or (
        lead is not None and lead.role != "why" and _rests_on(lead, one.made.findings)
    )


def _names_any(text: Text, names: Sequence[str]) -> bool:
    return any(_has_names(text, [name]) for name in names)


def _leaves(one: Candidate) -> list[str]:
    """The last name in what each finding is about: `Engine.run(seed)` is about `seed`."""
    return [leaf for f in one.made.findings for leaf in _LEAF.findall(f.symbol.partition(" (")[0])[-1:]]


def _has_names(text: Text, names: Sequence[str]) -> bool:
    """A flag is its field: `--deep-mode` names `deep_mode`."""
    said = [one.replace("-", "_") for one in text.values()]
    return bool(names) and all(name.replace("-", "_") in one for name in names for one in said)


def _rests_on(said: Statement, findings: Sequence[Finding]) -> bool:
    """Whether a line that shows a sentence is one that a finding was read from, or holds the value that it found."""
    return any(
        proof.evidence.endswith(f":{finding.path}") and _shows(plain(proof.line), finding)
        for finding in findings
        for proof in said.proof
    )


def _shows(line: str, finding: Finding) -> bool:
    values = [plain(value) for value in (finding.before, finding.after) if value]
    return len(line) >= _TELLING_LINE and any(line in value or value in line for value in values)


_TELLING_LINE = 12
_LEAF = re.compile(r"\w[\w-]*")


def _consequence(one: Candidate, most: int) -> Text | None:
    """What follows from the rules' fact by the model's reading, or what its author says of it, where there is room."""
    entry = one.entry
    if (lead := lead_of(entry)) or (said := said_by_model(entry, "impact")):
        return (lead.text if lead else said) if most > ON_SCREEN[-1] else None
    if entry.gist is None or one.made.does in _PINS:
        return None
    if most <= _BELOW:
        return _fault(one)
    told = grounds(one.made.findings) if one.made.findings else ()
    if {f.id for f in told}.intersection(entry.gist.findings):
        return quoted_beside(entry)
    return brief(entry, most) if one.made.does == "default" and tells_why(entry.gist) else _fault(one)


def _fault(one: Candidate) -> Text | None:
    """What went wrong by its author's words, where a finding beside it is told first: nobody else says it."""
    gist = one.entry.gist
    named = gist is not None and any(hazard(q.text, titled=False) for q in gist.quotes if q.side != "removed")
    return brief(one.entry, _BELOW) if named and gist is not None and tells_why(gist) else None


def short(one: Candidate, most: int = _ALSO, picks: bool = True) -> Action | None:
    """In one line: the title, and what shows what it does, in so many characters of a quote; `picks`: and whether a fix applies to the
    release that has the fault.
    """
    made, gist = one.made, one.entry.gist
    said = (_with_model if made.does in _PROVED else _by_model)(one, _SHORT_WORDS, does=True)
    untold = lead_of(one.entry) is None
    advice = made.told.text(more=False, whom=False) if made.does in _PINS and made.told and untold else None
    if advice is not None and len(chosen(advice, REFERENCE)) <= _WITH_ADVICE:
        return _told(one, advice)
    # What programs of two versions send each other: without what to do about it nobody knows that both ends are meant.
    framed = any(kind_of(finding.kind).family == "frame" for finding in made.findings[:1])
    if said is None and made.item is not None and made.told and made.told.how and framed:
        return _told(one, say("judge.action.remedy", text=ended(made.item), how=made.told.how))
    if said is not None and made.does in _PROVED:
        return _told(one, said)
    set_by_users = gist is not None and gist.source == "finding" and bool(gist.quotes)  # its help says for whom it is
    quote = brief(one.entry, ON_SCREEN[0] if set_by_users else most)
    if said is None and (chosen_first := _chosen_first(one, quote)):
        return chosen_first
    mended = made.does not in OF_FORKS and _mended_beside(one, _BELOW) is not None
    mends = mended or (made.does == "adds" and set_by_users)
    if said is None and not mends and made.item is not None and made.item != in_quotes(title(one.entry.change)):
        return _told(one, made.item)
    text = said or _titled(one, quote)
    if text is not None:
        text = _with_way_out(_repairing(ended(text), one, picks), one, said is None and most > ON_SCREEN[-1])
    return _action(one, text, gist.findings if gist else ()) if text else None


def _chosen_first(one: Candidate, said: Text | None) -> Action | None:
    """Of what forks have to follow what users can set from now on, where the change is told by that."""
    told = with_main(one.entry, one.made, said) if one.made.does in OF_FORKS else None
    if told is None or one.entry.gist is None:
        return None
    return _action(one, _repairing(told, one), (*_ids(one.made), *one.entry.gist.findings))


def _titled(one: Candidate, quote: Text | None) -> Text | None:
    """Its title with what shows what it does. That something is for security, or mends what a release may have, is told
    by its title alone where no words say more: a large repair is none the less one.
    """
    name = title(one.entry.change)
    alone = one.tag == "security" or (one.made.does in FIXES and not unaffected(one.entry))
    return named(name, quote) if quote else in_quotes(name) if alone else None


_WITH_ADVICE = 240
"""Characters of a line that says what to do about a pin, in the reference language."""


def _repairing(text: Text, one: Candidate, picks: bool = True) -> Text:
    """Of a repair whom the fault hits, which release has it, and whether it can be picked there; a pin takes effect with a
    release.
    """
    if one.tag == "security":
        return _secured(text, one.entry)
    if one.made.does in _PINS:
        return dated(text, one.entry, "pin")
    if not _mends(one):
        # What it breaks is told first; that a release has the fault which it mends is so all the same. Whoever takes it
        # takes the break with it: nobody is told that it applies.
        # Of a default that is put right the old value is that fault.
        told, lead = one.made.does == "default" and _has_advice(one), lead_of(one.entry)
        if one.entry.kind == "fix" and lead is not None and befalls_users(one.entry, one.made):
            return beside_fault(text, one.entry)
        if _mends_release(one.entry) and not told:
            return beside_break(text, one.entry)
        # A model's sentence says no more than what is so now: from when on is the rules' to say. Of what no release had none is told,
        # nor where the sentence itself says what the release does.
        dates = told_by_model(one.entry) and put_back(text, one.entry) == text and not names_release(text, one.entry)
        return dated(text, one.entry, "pin") if dates else text
    return dated(met_on(_with_pins(text, one), one.entry), one.entry, "fix", picks=picks)


def _mends(one: Candidate) -> bool:
    """What is told of it is a fault that it takes away."""
    return one.made.does in FIXES and not brings(one.entry)


def _with_pins(text: Text, one: Candidate) -> Text:
    """With what moves along."""
    beside = _pins_beside(one)
    return joined((ended(text), say("judge.action.turned", turns=with_it(beside)))) if beside else text


def _pins_beside(one: Candidate) -> list[Finding]:
    """What else images have to follow that moves with a repair."""
    ours = (f for f in one.entry.reading.findings if kind_of(f.kind).requires and is_front(f.path))
    moved = [f for f in ours if kind_of(f.kind).change == "changed" and must_follow(f) and f not in one.made.findings]
    return moved[:1] if one.made.does in FIXES else []


def _mends_release(entry: Entry) -> bool:
    return entry.kind == "fix" and not entry.released and shows_fault(entry)


def _action(one: Candidate, text: Text, findings: tuple[str, ...]) -> Action:
    shown = tuple(dict.fromkeys((*findings, *(finding.id for finding in _pins_beside(one)))))
    return Action(one.repo, one.commits, put_back(ended(text), one.entry), shown, tag=one.tag)


def _ids(made: Made) -> tuple[str, ...]:
    return tuple(finding.id for finding in made.findings)


def advises(one: Candidate) -> bool:
    """Its words say what to do: the rules' or, where these have none, a model's."""
    return _has_advice(one) or any(said.role == "action" for said in told_by_model(one.entry))


def _has_advice(one: Candidate) -> bool:
    return one.made.told is not None and one.made.told.how is not None


def forms(one: Candidate) -> list[Action]:
    """An entry in fewer and fewer words."""
    found: list[Action] = []
    told = one.made.told if _with_model(one, 0) is None and _mended_beside(one, _BELOW) is None else None
    fewer = [_told(one, told.text(_fault(one), whom=False, more=more)) for more in (True, False)] if told else []
    below = (short(one, most, picks) for picks in (True, False) for most in ON_SCREEN[1:] if _says_more(one, most))
    for form in (*(line(one, most) for most in ON_SCREEN), *fewer, _by_author(one), *below):
        if form is not None and (not found or size(form, REFERENCE) < size(found[-1], REFERENCE)):
            found.append(form)
    return found


def _says_more(one: Candidate, most: int) -> bool:
    """In so little room something still stands behind the title: what has lost that has no place on the screen."""
    return one.tag == "security" or one.made.told is not None or brief(one.entry, most) is not None


def _by_author(one: Candidate) -> Action | None:
    """A default whose values are code, by what its author says of it, where they find no room."""
    gist, found = one.entry.gist, one.made.findings
    long = any(min(len(f.before or ""), len(f.after or "")) > _BELOW // 2 for f in found)
    quoted = one.made.does == "default" and long and lead_of(one.entry) is None
    said = brief(one.entry, _BELOW) if quoted and gist and tells_why(gist) else None
    return _told(one, named(title(one.entry.change), said)) if said else None


def _told(one: Candidate, text: Text) -> Action:
    return _action(one, _repairing(ended(text), one), _ids(one.made))


def size(line: Action, language: str) -> int:
    """Words of an entry as it stands on the page; of a language without blanks, its characters."""
    text = chosen(line.text, language)
    return len(text.split()) + _AROUND if language == REFERENCE else len(_HAN.findall(text))


_HAN = re.compile(r"[\u4e00-\u9fff]")
