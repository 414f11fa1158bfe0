"""The first screen: at most eight changes to act on, each with what shows it, the gravest first; then what else to know.

Changes are counted, not lines: a change enters by a finding or by its author's own words, never by its title. What a
story tells is one entry, and no repository takes the whole screen.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice

from daybreak.core.model.day import LEVELS, MOST_ACTIONS, MOST_ALSO, Action
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Severity
from daybreak.core.words.phrases import REFERENCE, languages
from daybreak.findings.kinds import kind_of
from daybreak.judge import entry_words
from daybreak.judge.action_answers import FIXES, Does, Made
from daybreak.judge.action_questions import asked
from daybreak.judge.breaking import is_of_few
from daybreak.judge.changed_lines import are_beside
from daybreak.judge.entry_words import OF_FORKS, ON_SCREEN, Candidate, advises, befalls_users, size
from daybreak.judge.exposure import met, shows_fault, spared
from daybreak.judge.hazards import says_stop
from daybreak.judge.model_reading import brings, is_chosen, is_named, read_as, told_by_model
from daybreak.judge.net_findings import netted
from daybreak.judge.reach import is_tool
from daybreak.judge.repair_lines import averts
from daybreak.judge.robots import is_routine
from daybreak.judge.sayings import trouble
from daybreak.judge.screen_order import in_order, pins_last, users_first
from daybreak.judge.screen_value import FEW, FEW_OF_ALL, is_built_on, is_inside, reached, value_of
from daybreak.judge.story_outcome import settled
from daybreak.judge.undone import undone_later

A_REPOSITORY = 6
"""Entries of one repository on the screen."""
_SPARE = 4
"""How many more are offered than shown: a check may drop some."""
MOST_WORDS, MOST_HAN = 320, 480
"""Words of the whole screen as a reader counts them, in the reference language, and characters of a language without blanks."""
_TOLD_WORDS, _TOLD_HAN = 16, 26
"""What an entry may have more that a model tells: trouble, condition, consequence, what to do and which release, 56 words in all."""


def candidates(repos: Sequence[RepoReport]) -> list[Candidate]:
    """Nothing that `paths` or `exclude` filtered, no robot's routine. What is graded low and carries no mark stands below the screen, behind
    all else, where something is told of it that everybody meets; where a model read the day, only what it named.
    """
    return [one for repo in repos for one in _of_repository(repo)]


def first_screen(repos: Sequence[RepoReport]) -> tuple[tuple[Action, ...], tuple[Action, ...]]:
    """The screen of a day."""
    return screen_of(candidates(repos))


def screen_of(found: Sequence[Candidate]) -> tuple[tuple[Action, ...], tuple[Action, ...]]:
    """What to act on, and what else to know. What is to spare for the screen stands below it as well, until a check makes
    room.
    """
    weighed = any(one.entry.by_model is not None and one.entry.by_model.place for one in found)
    ranked = sorted(found, key=partial(_order, weighed=weighed))
    stories: dict[str, Candidate] = {}
    for one in ranked:
        if one.key not in stories and (entry_words.line(one, ON_SCREEN[0]) or entry_words.short(one)):
            stories[one.key] = one
    once = list(stories.values())
    tagged = [one for one in once if one.tag and entry_words.line(one, ON_SCREEN[0])]
    screen = _screen([*tagged, *_left_out(once)], weighed=weighed)
    first = _lines(screen[:MOST_ACTIONS])
    above = {(line.repo, line.commits) for line in first}
    shown = {one.key for one in screen if (one.repo, one.commits) in above}
    also = {
        one.key: short for one in once if one.key not in shown and _is_near(one) and (short := entry_words.short(one))
    }
    below = tuple(islice(also.values(), MOST_ALSO + _SPARE))
    spare = screen[MOST_ACTIONS:] if len(first) == MOST_ACTIONS else []
    return (*first, *_lines(spare)), below


def _left_out(ranked: Sequence[Candidate]) -> Iterator[Candidate]:
    """What few meet or little rests on and somebody would still do something about: it finds its place where nobody else needs
    it. What no release has stays below.
    """
    for one in ranked:
        unmet = one.made.does in FIXES and spared(one.entry)
        fills = one.value >= _FILLS and not (one.tag or unmet) and _is_near(one)
        tag = _OF_ROOM.get(one.made.does) if fills else None
        told = one._replace(tag=tag) if tag else None
        if told is not None and entry_words.line(told, ON_SCREEN[0]):
            yield told


def asking(found: Sequence[Candidate]) -> dict[tuple[str, str], str]:
    """What asks for action, by repository and sha, with what kind of thing it is."""
    return {(one.repo, one.commits[0]): one.tag for one in found if one.tag and entry_words.line(one, ON_SCREEN[0])}


def _order(one: Candidate, *, weighed: bool) -> tuple[int, float, float, float, str, tuple[str, ...]]:
    """By value; where a model weighed them beside each other, what it names for the screen is of the highest grade there, and within a grade its
    place comes first; what a finding proves to break users has a place whatever it says.
    """
    read = one.entry.by_model
    proved = bool(one.made.findings) and one.tag in ("security", "breaks")
    place = read.place if read is not None and read.place else _PROVED if proved else _UNPLACED
    level = 0 if is_chosen(one.entry) else _level(one)
    return level if weighed else 0, place, -one.value, -one.entry.importance.score, one.repo, one.commits


_PROVED, _UNPLACED = MOST_ACTIONS - 0.5, MOST_ACTIONS + MOST_ALSO + 1


def _is_near(one: Candidate) -> bool:
    """Not what is on hardware alone that the reader has not: that has its place further down."""
    return one.tag != "" or not _is_of_others(one.entry, frozenset({"not_yours"}))


def _is_of_others(entry: Entry, reasons: frozenset[str]) -> bool:
    """By title and files it is for other hardware or few; not where a model, which chose it, read in the lines that others meet it."""
    read = entry.by_model
    met_by_all = is_chosen(entry) and read is not None and read.hit in ("default", "flag", "plugins")
    found = {reason.code for reason in entry.importance.reasons} & reasons
    return bool(found - {"not_yours", "few"} if met_by_all else found)


def _level(one: Candidate) -> int:
    return LEVELS.index(one.entry.importance.level) if one.made.does != "security" else 0


def _screen(ranked: Sequence[Candidate], *, weighed: bool) -> list[Candidate]:
    """Those that the screen has room for; no repository takes it all."""
    room = Counter[str]()
    fits = users_first([one for one in ranked if _fits(one, room)][: MOST_ACTIONS + _SPARE])
    shown = fits[:MOST_ACTIONS]
    return [*(pins_last(shown) if weighed else in_order(shown)), *fits[MOST_ACTIONS:]]


def _lines(shown: Sequence[Candidate]) -> list[Action]:
    """As long as the screen has room for: while all together are too long, the longest of them is told in fewer words, those
    further down sooner. What to do goes last, and from the end: a break without it leaves its reader alone. Room that is left is given back to that
    first, then from the top, and last to whom it hits: mostly that is whoever uses what the entry names.
    """
    forms = [(one, found) for one in shown if (found := entry_words.forms(one))]
    by_model = sum(bool(told_by_model(one.entry)) for one, _ in forms)
    at = [0] * len(forms)

    def told() -> list[Action]:
        return [found[n] for (_, found), n in zip(forms, at, strict=True)]

    while not _fit(told(), by_model):
        left = [n for n, (_, found) in enumerate(forms) if at[n] + 1 < len(found)]
        if not left:  # fewer words would say nothing: what weighs least finds its room below
            forms.remove(min(forms, key=lambda form: form[0].value))
            at = [0] * len(forms)
            continue
        free = [n for n in left if not advises(forms[n][0]) or at[n] + 2 < len(forms[n][1])]
        at[max(free, key=lambda n: size(forms[n][1][at[n]], REFERENCE) + _LOWER * n) if free else left[-1]] += 1
    out = told()
    for n in sorted(range(len(forms)), key=lambda n: not advises(forms[n][0])):
        out[n] = next(
            (form for form in forms[n][1][: at[n]] if _fit([*out[:n], form, *out[n + 1 :]], by_model)), out[n]
        )
    for n, (one, found) in enumerate(forms):
        whole = entry_words.line(one, ON_SCREEN[0], whom=True) if out[n] == found[0] else None
        out[n] = whole if whole is not None and _fit([*out[:n], whole, *out[n + 1 :]], by_model) else out[n]
    return out


_LOWER = 2
"""Words by which an entry counts as longer for each that stands above it."""


def _fit(lines: Sequence[Action], told: int) -> bool:
    most = {REFERENCE: MOST_WORDS + told * _TOLD_WORDS}
    return all(
        sum(size(line, language) for line in lines) <= most.get(language, MOST_HAN + told * _TOLD_HAN)
        for language in languages()
    )


def _fits(one: Candidate, room: Counter[str]) -> bool:
    """No repository takes the whole screen, and what only plug-ins and forks meet no more than a third of its part; but what a model
    named for it beside all others of the day was weighed already.
    """
    few = room[one.repo] < A_REPOSITORY and (one.tag != "fork" or room[f"{one.repo} fork"] < A_REPOSITORY // 3)
    fits = few or is_chosen(one.entry)
    room.update((one.repo, f"{one.repo} {one.tag}") if fits else ())
    return fits


def _of_repository(repo: RepoReport) -> Iterator[Candidate]:
    """A story is told once, by its net: what cancels out within the window asks for nothing."""
    undone = settled(repo.stories) | undone_later([entry.change for entry in repo.entries])
    for entry in map(met, netted(repo.entries)):
        change = entry.change
        if change.filtered or change.skipped or change.sha in undone or _is_routine(entry):
            continue
        made = asked(repo, entry)
        low = made is not None and _is_low(entry, made)
        few = made is not None and reached(entry, made) < FEW_OF_ALL
        if made is None or (low and (few or entry.gist is None or entry.by_model is not None or made.does in _PINS)):
            continue
        value = value_of(entry, made) * (_LOW if low else 1.0)
        tag = "" if low else _tag(entry, made, value)
        yield Candidate(value, few, repo.repo.name, _commits(repo, entry), entry, made, tag)


def _is_low(entry: Entry, made: Made) -> bool:
    """Graded low, and nothing that its grade does not ask for gives it a place: a mark, a model, a release that is cut from it."""
    told_anyway = entry.kind == "security" or entry.marks or is_named(entry) or made.does == "releases"
    return entry.importance.level == "low" and not told_anyway


_PINS: frozenset[Does] = frozenset({"requires", "needs"})


def _is_routine(entry: Entry) -> bool:
    """A robot's bump that breaks nobody."""
    return "breaks" not in entry.marks and is_routine(entry.change, entry.reading)


def _tag(entry: Entry, made: Made, value: float) -> str:
    """What kind of thing it is to act on; nothing where it is not the reader's, or no release has what it puts right."""
    if made.does == "security":
        return "security"
    if _is_of_others(entry, _BESIDE):
        return ""
    no_fault = (_is_only_how(entry) and not (shows_fault(entry) and averts(entry.change))) or (
        not made.findings and are_beside(entry.gist, entry.change.subject)
    )
    slight = made.does == "mends" and (value < _ACTED_ON or no_fault) and not is_chosen(entry)
    unmet = made.does in FIXES and not brings(entry) and (spared(entry) or slight)
    inside = made.does in OF_FORKS and (is_inside(entry, made) or reached(entry, made) <= FEW)
    if unmet or (inside and not (is_chosen(entry) and befalls_users(entry, made))):
        return ""
    if made.does == "fork_few" and is_built_on(entry, made) and not any(is_tool(f.path) for f in made.findings):
        return "fork"
    if made.does == "default" and (reached(entry, made) < 1 or (made.findings and all(map(is_of_few, made.findings)))):
        return ""  # a model's own file sets it, or few have what it is of, or look into a program
    unsaid = made.does == "stops" and not _says_stop(entry)
    return _by_severity(entry, made) or _TAGS.get("mends" if unsaid else made.does, "")


def _is_only_how(entry: Entry) -> bool:
    """All that is told of a fix is a setting that comes, or how the new code works: nothing says what went wrong."""
    if entry.gist is None or any(map(trouble, entry.gist.quotes)):
        return False
    if told := [kind_of(f.kind) for f in entry.reading.findings if f.id in entry.gist.findings]:
        return all(kind.change == "added" and kind.is_operated for kind in told)
    said = entry.gist.quotes
    return bool(said) and all(q.source in _OF_CODE and q.side == "added" for q in said)


_OF_CODE = frozenset({"comment", "docstring", "test"})


def _by_severity(entry: Entry, made: Made) -> str | None:
    """What kind of fault a fix takes away, or what befalls those who run it, where a model read it; a break is the rules'. A severity
    alone is no fault: a critic found it in the lines, or the rules read the same.
    """
    read = entry.by_model if entry.by_model is not None and told_by_model(entry) else None
    if read is None or read.severity is None:
        return None
    tag = _BY_MODEL.get(read.severity)
    if brings(entry) and read.shown and (made.does in FIXES or (read.severity == "default" and made.does in _TAGS)):
        return tag or ("fork" if read.hit == "plugins" else _BROUGHT.get(read.severity))
    if made.does not in FIXES:
        return tag if made.does in _BESIDE_HARM and read_as(entry) is not None else None
    known = read.shown or (read.shown is None and _TAGS.get(made.does) == tag)
    return tag if known and tag not in (None, "rejects") else "fix"


_BY_MODEL: dict[Severity, str] = {"wrong_result": "corrupts", "crash": "crash", "refuses": "rejects"}
_BROUGHT: dict[Severity, str] = {"contract": "breaks", "default": "default"}
_BESIDE_HARM: frozenset[Does] = OF_FORKS | {"default", "requires", "needs"}
"""What the rules prove and what stands behind the harm that a critic found in the lines."""


def _says_stop(entry: Entry) -> bool:
    """Somebody says that it ended, stood still or failed."""
    said = (
        entry.change.subject[:400],
        entry.change.body[:4000],
        *(q.text for q in (entry.gist.quotes if entry.gist else ())),
    )
    return any(says_stop(one) or _FAILS.search(one) for one in said)


_FAILS = re.compile(r"\b(?:\w{0,40}(?:error|exception)s?|fail(?:s|ed|ing|ures?)?|rais(?:es|ed|ing))\b", re.IGNORECASE)
_BESIDE = frozenset({"not_yours", "few", "unreleased", "as_released"})
_LOW = 0.1
"""What is left of the value of what is graded low."""
_FILLS = 0.13
"""Least value of what stands on the screen where nobody else needs its place."""
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
    "releases": "release",
    "refuses": "rejects",
    "deprecates": "deprecates",
    "mends": "fix",
}
_OF_ROOM: dict[Does, str] = _TAGS | {"fork_few": "fork"}
"""The same where nobody else needs the place."""


def _commits(repo: RepoReport, entry: Entry) -> tuple[str, ...]:
    """A revert's own commit first, then those of its story that this report holds."""
    story = repo.story_of(entry) if entry.kind == "revert" else None
    others = (s for s in story.commits if s != entry.change.sha and repo.find(s)) if story else ()
    return (entry.change.sha, *others)
