"""The first screen: at most eight changes to act on, each with what shows it, the gravest first; then what else to know.

Changes are counted, not lines: a change enters by a finding or by its author's own words, never by its title. What a
story tells is one entry, and no repository takes the whole screen.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from daybreak.core.model.day import LEVELS, MOST_ACTIONS, MOST_ALSO, Action
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Role, Text
from daybreak.core.profiles import field, profile_of
from daybreak.core.words import say
from daybreak.core.words.brief import unplaced
from daybreak.core.words.grammar import ended, joined, large
from daybreak.core.words.phrases import REFERENCE, chosen, languages
from daybreak.judge.action_questions import FIXES, Does, Made, asked
from daybreak.judge.action_words import grounds, headed, in_quotes, named, signature
from daybreak.judge.breaking import is_of_few
from daybreak.judge.code_places import placed
from daybreak.judge.exposure import beside_break, dated, is_opt_in, met, met_on, put_back, unaffected
from daybreak.judge.gist import brief, quoted_beside, tells_why
from daybreak.judge.hazards import hazard, says_stop
from daybreak.judge.message_refs import title
from daybreak.judge.model_reading import is_chosen, lead_of, said_by_model, told_by_model, told_within
from daybreak.judge.net_findings import netted
from daybreak.judge.reach import aside, reach
from daybreak.judge.robots import is_routine
from daybreak.judge.story_outcome import settled
from daybreak.judge.work_areas import area_of

A_REPOSITORY = 4
"""Entries of one repository on the screen."""
_SPARE = 4
"""How many more are offered than shown: a check may drop some."""
_ON_SCREEN = (200, 150, 110, 80)
"""Characters of a quote on the screen, which has two lines for a change; fewer where all together are too long."""
MOST_WORDS, MOST_HAN = 320, 480
"""Words of the whole screen as a reader counts them, in the reference language, and characters of a language without blanks."""
_TOLD_WORDS, _TOLD_HAN = 5, 8
"""What an entry may have more that a model tells: trouble, condition, consequence and what to do, 45 words in all."""
_AROUND = 8
"""Words that an entry has around what is said: its number, tag, repository and change, and the marks between them."""
_BELOW = 110


class Candidate(NamedTuple):
    """One change that asks for something."""

    value: float
    """What it does, times whom it reaches, times what shows it."""
    few: bool
    """Not everybody meets it."""
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


def candidates(repos: Sequence[RepoReport]) -> list[Candidate]:
    """Nothing that `paths` or `exclude` filtered, nothing that is graded low, and no robot's routine."""
    return [one for repo in repos for one in _of_repository(repo)]


def first_screen(repos: Sequence[RepoReport]) -> tuple[tuple[Action, ...], tuple[Action, ...], int]:
    """The screen of a day."""
    return screen_of(candidates(repos))


def screen_of(found: Sequence[Candidate]) -> tuple[tuple[Action, ...], tuple[Action, ...], int]:
    """What to act on, what else to know, and how many more ask for action. What is to spare for the screen stands below it
    as well, until a check makes room.
    """
    ranked = sorted(found, key=_order)
    stories: dict[str, Candidate] = {}
    for one in ranked:
        if one.key not in stories and (_line(one, _ON_SCREEN[0]) or _short(one)):
            stories[one.key] = one
    once = list(stories.values())
    tagged = [one for one in once if one.tag and _line(one, _ON_SCREEN[0])]
    screen = _screen(tagged)
    first = screen[:MOST_ACTIONS]
    shown = {one.key for one in first}
    also = {one.key: short for one in once if one.key not in shown and _is_near(one) and (short := _short(one))}
    shown.update(islice(also, MOST_ALSO))
    below = tuple(islice(also.values(), MOST_ALSO + _SPARE))
    return (*_lines(first), *_lines(screen[MOST_ACTIONS:])), below, sum(one.key not in shown for one in tagged)


def asking(found: Sequence[Candidate]) -> dict[tuple[str, str], str]:
    """What asks for action, by repository and sha, with what kind of thing it is."""
    return {(one.repo, one.commits[0]): one.tag for one in found if one.tag and _line(one, _ON_SCREEN[0])}


def _order(one: Candidate) -> tuple[int, int, float, float, str, tuple[str, ...]]:
    """By grade, and within it by the place that a model gives it beside all others, then by value."""
    read = one.entry.by_model
    place = read.place if read is not None and read.place else _UNPLACED
    return _level(one), place, -one.value, -one.entry.importance.score, one.repo, one.commits


_UNPLACED = MOST_ACTIONS + MOST_ALSO + 1


def _is_near(one: Candidate) -> bool:
    """Not what is on hardware alone that the reader has not: that has its place further down."""
    return one.tag != "" or all(reason.code != "not_yours" for reason in one.entry.importance.reasons)


def _level(one: Candidate) -> int:
    return LEVELS.index(one.entry.importance.level) if one.made.does != "security" else 0


def _screen(ranked: Sequence[Candidate]) -> list[Candidate]:
    """Those that the screen has room for; no repository takes it all."""
    room = Counter[str]()
    return [one for one in ranked if _fits(one, room)][: MOST_ACTIONS + _SPARE]


def _lines(shown: Sequence[Candidate]) -> list[Action]:
    """As long as the screen has room for: while all together are too long, the longest of them is told in fewer words, those
    further down sooner. What to do goes last, and from the end: a break without it leaves its reader alone. Room that is left is given back from the
    top, and last to whom it hits: mostly that is whoever uses what the entry names.
    """
    forms = [(one, found) for one in shown if (found := _forms(one))]
    by_model = sum(bool(told_by_model(one.entry)) for one, _ in forms)
    at = [0] * len(forms)

    def told() -> list[Action]:
        return [found[n] for (_, found), n in zip(forms, at, strict=True)]

    while not _fit(told(), by_model):
        left = [n for n, (_, found) in enumerate(forms) if at[n] + 1 < len(found)]
        if not left:
            break
        free = [n for n in left if not _advises(forms[n][0]) or at[n] + 2 < len(forms[n][1])]
        at[max(free, key=lambda n: _size(forms[n][1][at[n]], REFERENCE) + _LOWER * n) if free else left[-1]] += 1
    out = told()
    for n, (_, found) in enumerate(forms):
        out[n] = next((form for form in found[: at[n]] if _fit([*out[:n], form, *out[n + 1 :]], by_model)), out[n])
    for n, (one, found) in enumerate(forms):
        whole = _line(one, _ON_SCREEN[0], whom=True) if out[n] == found[0] else None
        out[n] = whole if whole is not None and _fit([*out[:n], whole, *out[n + 1 :]], by_model) else out[n]
    return out


_LOWER = 2
"""Words by which an entry counts as longer for each that stands above it."""


def _advises(one: Candidate) -> bool:
    return one.made.told is not None and one.made.told.how is not None


def _forms(one: Candidate) -> list[Action]:
    """An entry in fewer and fewer words."""
    found: list[Action] = []
    told = one.made.told if _with_model(one, _ON_SCREEN[-1]) is None else None
    fewer = [_told(one, told.text(_fault(one), whom=False, more=more)) for more in (True, False)] if told else []
    for line in (*(_line(one, most) for most in _ON_SCREEN), *fewer, _by_author(one), _short(one)):
        if line is not None and (not found or _size(line, REFERENCE) < _size(found[-1], REFERENCE)):
            found.append(line)
    return found


def _by_author(one: Candidate) -> Action | None:
    """A default whose values are code, by what its author says of it, where they find no room."""
    gist, found = one.entry.gist, one.made.findings
    long = any(min(len(f.before or ""), len(f.after or "")) > _BELOW // 2 for f in found)
    said = brief(one.entry, _BELOW) if one.made.does == "default" and long and gist and tells_why(gist) else None
    return _told(one, named(title(one.entry.change), said)) if said else None


def _told(one: Candidate, text: Text) -> Action:
    return _action(one, _repairing(ended(text), one), _ids(one.made))


def _fit(lines: Sequence[Action], told: int) -> bool:
    most = {REFERENCE: MOST_WORDS + told * _TOLD_WORDS}
    return all(
        sum(_size(line, language) for line in lines) <= most.get(language, MOST_HAN + told * _TOLD_HAN)
        for language in languages()
    )


def _size(line: Action, language: str) -> int:
    """Words of an entry as it stands on the page; of a language without blanks, its characters."""
    text = chosen(line.text, language)
    return len(text.split()) + _AROUND if language == REFERENCE else len(_HAN.findall(text))


_HAN = re.compile(r"[\u4e00-\u9fff]")


def _fits(one: Candidate, room: Counter[str]) -> bool:
    """No repository takes the whole screen, and what only plug-ins and forks meet no more than half of its part; but what a model
    named for it beside all others of the day was weighed already.
    """
    few = room[one.repo] < A_REPOSITORY and (one.tag != "fork" or room[f"{one.repo} fork"] < A_REPOSITORY // 2)
    fits = few or is_chosen(one.entry)
    room.update((one.repo, f"{one.repo} {one.tag}") if fits else ())
    return fits


def _of_repository(repo: RepoReport) -> Iterator[Candidate]:
    """A story is told once, by its net: what cancels out within the window asks for nothing."""
    undone = settled(repo.stories)
    for entry in map(met, netted(repo.entries)):
        change = entry.change
        if change.filtered or change.skipped or change.sha in undone or _is_routine(entry):
            continue
        made = asked(repo, entry) if entry.importance.level != "low" or entry.kind == "security" else None
        if made is not None:
            value = _value(entry, made)
            tag = _tag(entry, made, value)
            yield Candidate(value, _reached(entry, made) < 1, repo.repo.name, _commits(repo, entry), entry, made, tag)


def _is_routine(entry: Entry) -> bool:
    """A robot's bump that breaks nobody."""
    return "breaks" not in entry.marks and is_routine(entry.change, entry.reading)


# --- The value: what it does × whom it reaches × what shows it ---


_DOES: dict[Does, float] = {
    "security": 1.0,
    "breaks": 0.95,
    "refuses": 0.9,
    "corrupts": 0.9,
    "default": 0.85,
    "stops": 0.8,
    "breaks_one": 0.8,
    "requires": 0.75,
    "fork": 0.7,
    "breaks_few": 0.5,
    "announced": 0.5,
    "mends": 0.6,
    "deprecates": 0.4,
    "rejects": 0.35,
    "taken_back": 0.5,
    "switches": 0.35,
    "otherwise": 0.3,
    "regression": 0.3,
    "fork_few": 0.2,
    "adds": 0.2,
    "needs": 0.1,
}
"""What it does to somebody who upgrades tonight."""
_HEART, _TRUNK, _BRANCH = 1.0, 0.9, 0.6
"""In what every request runs through, in kernels that most run through, and elsewhere."""
_ONE_MODEL, _FEW, _FAR = 0.6, 0.2, 100
_HALF_SHOWN, _IN_NO_RELEASE = 0.75, 0.4


def _value(entry: Entry, made: Made) -> float:
    deep = _depth(entry) if made.does in _BY_AREA and not _is_silent(entry, made) else 1.0
    return _DOES[made.does] * _reached(entry, made) * deep * _shown(entry, made)


def _reached(entry: Entry, made: Made) -> float:
    """Everybody, or those of one model or of a part that few have; a name that goes reaches as many files as follow."""
    if is_opt_in(entry) and made.does in FIXES:
        return _FEW
    found = aside(entry.change, [finding.path for finding in made.findings]) if made.does != "security" else None
    if found is None:
        return 1 + (min(reach(entry.change, entry.reading.findings), _FAR) / 1000 if made.does in _OF_FORKS else 0)
    if found.why == "one_model" and _is_silent(entry, made):
        return 1.0
    return _ONE_MODEL if found.why == "one_model" else _FEW


def _is_silent(entry: Entry, made: Made) -> bool:
    """A release gives wrong results on a path that many run, or to all who run a model: nobody else tells them."""
    beside = any(reason.code == "beside" for reason in entry.importance.reasons)
    return made.does == "corrupts" and _has(entry) and not beside


def _depth(entry: Entry) -> float:
    """How many requests run through the area; of a project that nobody wrote down that is not known."""
    area = area_of(entry)
    if area in field().heart or not profile_of(entry.change.repo).repo:
        return _HEART
    return _TRUNK if area in field().trunk else _BRANCH


_BY_AREA: frozenset[Does] = FIXES | {"rejects", "otherwise", "switches", "adds"}
"""What takes effect where it stands; all else those meet who set, call or install it, wherever that is."""


def _shown(entry: Entry, made: Made) -> float:
    """A finding shows all; a fix is worth what a release has of the fault, and where it names none, what its author says
    of it and a test that comes with it.
    """
    if made.does not in FIXES:
        return 1.0 if made.findings or made.told is not None or made.does == "security" else _HALF_SHOWN
    known = 1.0 if _has(entry) else _IN_NO_RELEASE if unaffected(entry) else _HALF_SHOWN
    if made.does != "mends":
        return known
    source = entry.gist.source if entry.gist is not None else "line"
    said = _HALF_SHOWN if source == "line" else 1.0
    held = 1.0 if "test" in entry.reading.areas else _HALF_SHOWN
    return said * held * known


def _has(entry: Entry) -> bool:
    return entry.exposure is not None and entry.exposure.has is True


def _tag(entry: Entry, made: Made, value: float) -> str:
    """What kind of thing it is to act on; nothing where it is not the reader's, or no release has what it puts right."""
    if made.does == "security":
        return "security"
    if any(reason.code in _BESIDE for reason in entry.importance.reasons):
        return ""
    slight = made.does == "mends" and value < _ACTED_ON and not is_chosen(entry)
    if made.does in FIXES and (unaffected(entry) or slight):
        return ""
    if made.does == "default" and (_reached(entry, made) < 1 or (made.findings and all(map(is_of_few, made.findings)))):
        return ""  # a model's own file sets it, or few have what it is of, or look into a program
    unsaid = made.does == "stops" and not _says_stop(entry)
    return _by_severity(entry, made) or _TAGS.get("mends" if unsaid else made.does, "")


def _by_severity(entry: Entry, made: Made) -> str | None:
    """What kind of fault a fix takes away, or that something is refused now, where a model read it; a break is the rules'."""
    severity = entry.by_model.severity if entry.by_model is not None and told_by_model(entry) else None
    if severity is None or made.does not in (*FIXES, "default"):
        return None
    if made.does == "default":
        return "rejects" if severity == "refuses" else None
    return {"wrong_result": "corrupts", "crash": "crash"}.get(severity, "fix")


def _says_stop(entry: Entry) -> bool:
    """Somebody says that it ended, stood still or failed."""
    said = (
        entry.change.subject[:400],
        entry.change.body[:4000],
        *(q.text for q in (entry.gist.quotes if entry.gist else ())),
    )
    return any(says_stop(one) or _FAILS.search(one) for one in said)


_FAILS = re.compile(r"\b(?:\w{0,40}(?:error|exception)s?|fail(?:s|ed|ing|ures?)?|rais(?:es|ed|ing))\b", re.IGNORECASE)
_BESIDE = frozenset({"not_yours", "few", "unreleased"})
_ACTED_ON = 0.2
"""Least value of a fix that names no fault and stands on the screen."""
_TAGS: dict[Does, str] = {
    "security": "security",
    "breaks": "breaks",
    "corrupts": "corrupts",
    "stops": "crash",
    "default": "default",
    "fork": "fork",
    "requires": "build",
    "breaks_one": "breaks",
    "breaks_few": "breaks",
    "announced": "announced",
    "rejects": "rejects",
    "refuses": "rejects",
    "deprecates": "deprecates",
    "mends": "fix",
}
_PINS: frozenset[Does] = frozenset({"requires", "needs"})
_PROVED: frozenset[Does] = _PINS | {"breaks", "breaks_one", "breaks_few"}
"""What a finding tells better in one line than any sentence on it."""
_OF_FORKS: frozenset[Does] = frozenset({"fork", "fork_few"})


def _commits(repo: RepoReport, entry: Entry) -> tuple[str, ...]:
    """A revert's own commit first, then those of its story that this report holds."""
    story = repo.story_of(entry) if entry.kind == "revert" else None
    others = (s for s in story.commits if s != entry.change.sha and repo.find(s)) if story else ()
    return (entry.change.sha, *others)


def _line(one: Candidate, most: int, *, whom: bool = False) -> Action | None:
    """As an entry of the screen: what changed, whom it hits, what to do, and which release has a bug that it mends."""
    made, entry = one.made, one.entry
    if mended := _mended_beside(one, most):
        return _action(one, mended, _ids(made))
    if made.told is not None:
        return _told(one, _with_model(one, most) or made.told.text(_consequence(one, most), whom=whom))
    said, quote = _by_model(one, most), brief(entry, most)
    if said is None and quote is None:
        return None
    text = ended(said or named(title(entry.change), quote or {}))
    text = placed(text, entry.change) if made.does in FIXES and said is None else text
    text = dated(met_on(text, entry), entry, "fix", picks=True) if one.tag == "security" else _repairing(text, one)
    return _action(one, text, entry.gist.findings if entry.gist else ())


def _mended_beside(one: Candidate, most: int) -> Text | None:
    """Of a fix that plug-ins and forks have to follow: the lines or the words that show what it mends, whether a release has
    that, then what they meet.
    """
    entry, made, gist = one.entry, one.made, one.entry.gist
    if made.does not in _OF_FORKS or made.told is None or not _FIX.search(title(entry.change)) or told_by_model(entry):
        return None
    shows = gist is not None and not gist.findings and (gist.source == "line" or _fault(one) is not None)
    quote = brief(entry, most) if shows and entry.exposure is not None else None
    if quote is None:
        return None
    mends = dated(met_on(ended(named(title(entry.change), quote)), entry), entry, "fix")
    meet = joined((mends, ended(large(signature(grounds(made.findings)) or headed(made.findings)))))
    return say("judge.action.remedy", text=meet, how=made.told.how) if made.told.how else meet


_FIX = re.compile(r"\bfix", re.IGNORECASE)


def _by_model(one: Candidate, most: int) -> Text | None:
    """A model's sentences in so many words: what tells the whole, then of a repair the trouble, of all else what to do. What is so
    now does not tell the whole of a repair, nor what was so that of any other change.
    """
    fixes, lead = one.made.does in FIXES or one.made.does == "security", lead_of(one.entry)
    order = _FIRST.get(one.made.does, _REPAIR if fixes else _CHANGE)
    half = lead is not None and lead.role == ("what" if fixes else "why") and said_by_model(one.entry, *order)
    words = _WORDS[most] - (_RELEASE if one.made.does in FIXES else 0)
    return told_within(one.entry, words, order, led=not half)


_WORDS = {200: 45, 150: 45, 110: 36, 80: 0}
"""Words of an entry that a model tells, by the characters of a quote there; one sentence is told in any case."""
_RELEASE = 10
"""Words that say which release has what a fix mends."""
_REPAIR: tuple[Role, ...] = ("why", "impact", "action", "what")
_CHANGE: tuple[Role, ...] = ("what", "action", "impact")
_FIRST: dict[Does, tuple[Role, ...]] = {
    "security": ("impact", "why", "what", "action"),
    "fork": ("action", "impact", "what"),
    "fork_few": ("action", "impact", "what"),
}
"""Which of a model's sentences an entry is told by; of what plug-ins and forks build on, what they have to do."""


def _with_model(one: Candidate, most: int) -> Text | None:
    """What findings show, then what to do by the model's reading, which the critic judged, and what follows: of what forks build on,
    and of whatever the rules have no advice for or the model says it of the very name. A sentence that tells the whole and
    names what goes, or advice that does, is told instead of the fact.
    """
    made, do, lead = one.made, said_by_model(one.entry, "action"), lead_of(one.entry)
    if made.item is None:
        return None
    names = [leaf for finding in made.findings[:1] for leaf in _LEAF.findall(finding.symbol)[-1:]]
    if lead is not None and lead.role != "why" and _has_names(lead.text, names):
        return told_within(one.entry, _WORDS[most], ("action", "impact"))
    exact = do is not None and _has_names(do, names)
    if do is None or (_advises(one) and made.does not in _OF_FORKS and not exact):
        return None
    fact = large(unplaced(headed(made.findings))) if made.findings else made.item
    left = _WORDS[most] - (0 if exact else len(chosen(fact, REFERENCE).split()))
    more = told_within(one.entry, left, ("action", "impact"), led=False) or do
    return more if exact else joined((ended(fact), more))


def _has_names(text: Text, names: Sequence[str]) -> bool:
    return bool(names) and all(name in said for name in names for said in text.values())


_LEAF = re.compile(r"\w[\w-]*")
"""The last name in what a finding is about: `Engine.run(seed)` is about `seed`."""


def _consequence(one: Candidate, most: int) -> Text | None:
    """What follows from the rules' fact by the model's reading, or what its author says of it, where there is room."""
    entry = one.entry
    if said := said_by_model(entry, "impact"):
        return said if most > _ON_SCREEN[-1] else None
    if entry.gist is None or one.made.does in _PINS:
        return None
    if most <= _BELOW:
        return _fault(one)
    if set(_ids(one.made)).intersection(entry.gist.findings):
        return quoted_beside(entry)
    return brief(entry, most) if one.made.does == "default" and tells_why(entry.gist) else _fault(one)


def _fault(one: Candidate) -> Text | None:
    """What went wrong by its author's words, where a finding beside it is told first: nobody else says it."""
    gist = one.entry.gist
    named = gist is not None and any(hazard(q.text, titled=False) for q in gist.quotes if q.side != "removed")
    return brief(one.entry, _BELOW) if named and gist is not None and tells_why(gist) else None


def _short(one: Candidate) -> Action | None:
    """In one line: the title, and what shows what it does."""
    made, gist = one.made, one.entry.gist
    said = _by_model(one, _ON_SCREEN[-1]) if made.does not in _PROVED else None
    advice = made.told.text(more=False, whom=False) if made.does in _PINS and made.told else None
    if advice is not None and len(chosen(advice, REFERENCE)) <= _WITH_ADVICE:
        return _told(one, advice)
    if said is None and made.item is not None and made.item != in_quotes(title(one.entry.change)):
        return _told(one, made.item)
    quote = brief(one.entry, _BELOW)
    if said is None and quote is None:
        return None
    text = _repairing(ended(said or named(title(one.entry.change), quote or {})), one)
    return _action(one, text, gist.findings if gist else ())


_WITH_ADVICE = 240
"""Characters of a line that says what to do about a pin, in the reference language."""


def _repairing(text: Text, one: Candidate) -> Text:
    """Of a repair whom the fault hits, which release has it, and whether it can be picked there; a pin takes effect with a
    release.
    """
    if one.made.does in _PINS:
        return dated(text, one.entry, "pin")
    if one.made.does not in FIXES:
        # What it breaks is told first; that a release has the fault which it mends is so all the same. Whoever takes it
        # takes the break with it: nobody is told that it applies.
        return beside_break(text, one.entry) if _mends_release(one.entry) else text
    return dated(met_on(text, one.entry), one.entry, "fix", picks=True)


def _mends_release(entry: Entry) -> bool:
    found = entry.exposure
    return entry.kind == "fix" and not entry.released and found is not None and found.has is True


def _action(one: Candidate, text: Text, findings: tuple[str, ...]) -> Action:
    return Action(one.repo, one.commits, put_back(ended(text), one.entry), findings, tag=one.tag)


def _ids(made: Made) -> tuple[str, ...]:
    return tuple(finding.id for finding in made.findings)
