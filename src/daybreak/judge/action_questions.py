"""What a change may ask of a reader: each question has the words of its answer, and how urgent that is at least."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Severity
from daybreak.core.profiles import field
from daybreak.core.words import say
from daybreak.core.words.grammar import alike, code, series
from daybreak.findings.kinds import ANOTHER_NAME, kind_of
from daybreak.findings.paths import builds_part
from daybreak.judge import announcements, phrases
from daybreak.judge.action_answers import FIXES, ORDER, Does, Made, answered
from daybreak.judge.action_words import (
    Told,
    grounds,
    has_words,
    headed,
    in_quotes,
    moved_too,
    named,
    near,
    noted,
    told_of,
    with_it,
)
from daybreak.judge.breaking import (
    LONGEST_VALUE,
    Marks,
    is_built_within,
    is_core,
    is_of_few,
    mark_of,
    marks,
    must_follow,
)
from daybreak.judge.change_kinds import is_front, moved_root
from daybreak.judge.effect import alters, switches_on
from daybreak.judge.faults import fault
from daybreak.judge.message_refs import title
from daybreak.judge.model_reading import is_chosen, shows_change, told_by_model
from daybreak.judge.phrases import LISTED
from daybreak.judge.reach import is_tool, is_wide
from daybreak.judge.refused import refused_option
from daybreak.judge.rejections import only_rejects, refuses_start
from daybreak.judge.releases import releases
from daybreak.judge.successors import asks_for_own
from daybreak.judge.taken_away import takes_back
from daybreak.judge.taken_unset import taken_unset
from daybreak.judge.work_areas import area_of


def _security(_repo: RepoReport, entry: Entry) -> Made | None:
    ours = [f for f in entry.reading.findings if is_front(f.path)]
    found = [f for f in ours if kind_of(f.kind).family == "trust"]
    if (
        not found and entry.kind == "security"
    ):  # of what is taken from elsewhere, the lowest version that is sound says all
        found = [f for f in ours if kind_of(f.kind).family in _NEEDED and kind_of(f.kind).change == "changed"]
    return answered("security", entry, found) if found else Made("security") if entry.kind == "security" else None


def _breaking(repo: RepoReport, entry: Entry) -> Made | None:
    """What an operator types comes before what a developer calls, and that before what the project calls itself; what a build
    is for behind what everybody installs and runs.
    """
    of = {mark: [f for f in some if has_words(f)] for mark, some in entry_marks(entry).items()}
    found = of.get("breaks") or of.get("breaks_internals")
    if not found:
        return None
    if _is_mended_image(entry, found):
        return answered("mends", entry, found)
    found = [f for f in found if kind_of(f.kind).family != "arch"] or found
    kinds = {f.id: _breaks(f, entry.change) for f in found}
    does = min(kinds.values(), key=ORDER.index)
    if does == "default" and any(map(taken_unset, found)):
        return _default(repo, entry)
    graded = {reason.code for reason in entry.importance.reasons}  # what gave the grade is told, however few follow it
    with_choice = any(kind_of(f.kind).family == "extra" for f in found)  # an extra goes with what it was installed for
    shown = [
        f
        for f in found
        if kinds[f.id] == does
        or (kinds[f.id] == "fork_few" and f.kind in graded)
        or (with_choice and kind_of(f.kind).surface == "models")
    ]
    return answered("breaks_one" if does == "breaks" and _is_one_name(shown) else does, entry, shown)


def _is_mended_image(entry: Entry, found: Sequence[Finding]) -> bool:
    """What a container starts with is put right, and the release has it as it was: that is the repair, and no break."""
    has = entry.kind == "fix" and entry.exposure is not None and entry.exposure.has is True
    return has and all(kind_of(f.kind).family == "container" for f in found)


def _is_one_name(found: Sequence[Finding]) -> bool:
    """Nothing that is typed, sent or refused, and one name alone: who calls it is told by the first call."""
    surfaces = {kind_of(f.kind).surface for f in found}
    return len(found) == 1 and surfaces <= {"python", "config"}


def entry_marks(entry: Entry) -> Marks:
    """Findings by the mark that they show, of those marks that the report gives the change."""
    found = marks(entry.change, entry.reading) if entry.marks else {}
    return {mark: shown for mark, shown in found.items() if mark in entry.marks}


_NEEDED = frozenset({"dependency", "pin", "python_required", "toolchain_required"})


def _breaks(finding: Finding, change: Change) -> Does:
    kind = kind_of(finding.kind)
    if kind.change == "default_changed" or taken_unset(finding):
        return "breaks_few" if is_of_few(finding) and not taken_unset(finding) else "default"
    if mark_of(finding) == "breaks_internals":
        return "fork" if is_wide(change, finding) and not is_tool(finding.path) else "fork_few"
    if kind.change == "changed" and kind.family in _NEEDED:
        return "requires"
    if kind.surface == "models" or kind.family == "dependency" or finding.under:
        return "breaks_few"
    if (kind.surface == "cli" and not phrases.is_typed_at(finding.path)) or is_tool(finding.path):
        return "breaks_few"
    return "breaks"


def _announces(_repo: RepoReport, entry: Entry) -> Made | None:
    """What its author calls breaking and no finding shows: quoted, as a claim."""
    one = announcements.doubted(entry)
    said = announcements.claim_text(one, announcements.ON_SCREEN) if one else None
    if one is None or said is None:
        return None
    text = said if one.form == "title" else named(title(entry.change), said)
    return Made("announced", Told(text), item=text)


def _deprecates(_repo: RepoReport, entry: Entry) -> Made | None:
    found = [f for f in entry_marks(entry).get("deprecates", ()) if has_words(f)]
    return answered("deprecates", entry, found) if found else None


def _repair(_repo: RepoReport, entry: Entry) -> Made | None:
    """A fix that a deployment wants, by the fault that its author names."""
    found = fault(entry.change, entry.kind, entry.gist)
    if found is None or not found.shown or found.hazard.does == "regression" or not alters(entry.change):
        return None
    return Made(found.hazard.does)


def _mends(repo: RepoReport, entry: Entry) -> Made | None:
    """A repair of lines that landed in the last days; only where the story says when the branch was broken is that the
    fault: else it may be older than the lines.
    """
    story = repo.story_of(entry)
    if story is None or story.kind != "fixup" or entry.kind != "fix" or story.commits[-1] != entry.change.sha:
        return None
    if story.broken is None or (entry.exposure is not None and entry.exposure.has):
        return Made("mends")
    return Made("regression")


def _dependency(_repo: RepoReport, entry: Entry) -> Made | None:
    """What images, wheels and lock files must follow."""
    found = [
        f
        for f in entry.reading.findings
        if kind_of(f.kind).requires
        and (_is_value(f) or phrases.lifted_bound(f))
        and is_front(f.path)
        and not builds_part(f.path)
    ]
    found = [f for f in found if phrases.effect_of(f) != "relaxed"]
    if not found:
        return None
    found.sort(
        key=lambda f: (
            not is_core(f.symbol),
            not phrases.lifted_bound(f) and not must_follow(f),
            kind_of(f.kind).requires,
        )
    )
    told, shown = told_of(entry, found)
    moved, first = moved_too(entry, found, grounds(found)), headed(found)
    besides = [with_it(moved), series([alike(code(f.symbol)) for f in moved])] if moved else []
    ways = [say("judge.action.with_it_all", first=first, what=what) for what in besides]
    plain = title(entry.change)
    item = next((one for way in (*ways, first) if (one := noted(plain, way)) != in_quotes(plain)), in_quotes(plain))
    beside = entry.kind == "fix" and not any(near(f, entry) for f in found)  # the repair is what its title is about
    does: Does = "requires" if must_follow(found[0]) and not (beside or _is_of_image(found[0])) else "needs"
    return Made(does, told, shown, item)


def _is_default(finding: Finding) -> bool:
    kind = kind_of(finding.kind)
    if kind.family == "passing":  # what is taken where nobody says it, as far as it switches something
        return {finding.before, finding.after} == {"True", "False"}
    return (
        kind.means("gate", "added")
        or kind.family == "predicate"
        or (kind.family == LISTED and finding.alias is not None)  # a variable decides otherwise
        or (kind.family == "filled" and kind.change != "added")  # who met the condition gets what others get
        or (kind.change == "default_changed" and kind.surface != "python" and _is_met(finding))
    )


def _default(_repo: RepoReport, entry: Entry) -> Made | None:
    ours = [f for f in entry.reading.findings if is_front(f.path)]
    taken = [(f, told) for f in ours if (told := taken_unset(f))]
    if taken:
        plain, said = title(entry.change), taken[0][1]
        return Made("default", Told(named(plain, said)), [f for f, _ in taken], noted(plain, said))
    if entry.kind == "fix":  # what a repair sets beside it is no new default
        ours = [f for f in ours if near(f, entry)]
    if found := [f for f in ours if _is_default(f) and not asks_for_own(f, entry.change)]:
        many = [f for f in found if not is_of_few(f)]  # what one model's own file gives leads nothing
        return answered("default" if many else "otherwise", entry, many or found, 2)
    came = [f for f in ours if switches_on(entry.change, f) and has_words(f)]  # nobody relied on what was not there
    claimed = any(reason.code == "by_default" for reason in entry.importance.reasons)
    called = [f for f in came if near(f, entry) and claimed]
    if came:  # what every request runs through takes another way for whoever sets nothing
        by_default = called or area_of(entry) in (*field().heart, *field().trunk)
        return answered("default" if by_default else "otherwise", entry, called or came, 2)
    return Made("default") if claimed else None


def _is_of_image(finding: Finding) -> bool:
    """What only an image of the project holds follows with the image; its CUDA asks for a driver."""
    return _IMAGE.search(finding.path) is not None and "cuda" not in finding.symbol.lower()


_IMAGE = re.compile(r"(?:^|/)(?:[\w.-]{0,40}\.)?Dockerfile(?:\.[\w.-]{1,40})?$")


def _moved(_repo: RepoReport, entry: Entry) -> Made | None:
    """A folder that is built by itself lies elsewhere."""
    first = moved_root(entry.change)
    if first is None:
        return None
    said = say("judge.action.moved", before=f"{first[0]}/", after=f"{first[1]}/")
    return Made("requires", Told(said), item=said)


_ALTERED = ("tightened", "behaviour")


def altering(entry: Entry) -> list[Finding]:
    """Findings that restrict or alter what users run already, and that there are words for; the gravest first."""
    found = [
        f for f in entry.reading.findings if is_front(f.path) and phrases.effect_of(f) in _ALTERED and has_words(f)
    ]
    found = [f for f in found if kind_of(f.kind).change != "default_changed" or _is_met(f)]
    found = [f for f in found if not is_built_within(entry.change, f)]
    if entry.kind == "feature" and not only_rejects(entry.change):  # its own checks are new beside it
        found = [
            f
            for f in found
            if "nameless" not in kind_of(f.kind).traits or refuses_start(entry.change, f) or _is_typed(f, entry)
        ]
    if entry.kind == "fix":
        found = [f for f in found if not _is_part(f, entry)]
    return phrases.gravest(found)


def _is_part(finding: Finding, entry: Entry) -> bool:
    """A part of the repair: a check of what its title says was wrong, or a value that the title has nothing of."""
    kind = kind_of(finding.kind)
    if _is_typed(finding, entry):
        return False
    if "nameless" in kind.traits:
        return near(finding, entry) > 0 and not only_rejects(entry.change)
    return (kind.change == "default_changed" or kind.family in _MENDED) and not near(finding, entry)


def _is_typed(finding: Finding, entry: Entry) -> bool:
    """It refuses an option that could be set until now."""
    return refused_option(entry.change, finding, entry.reading.findings)


def _is_met(finding: Finding) -> bool:
    """A default that a user could have relied on: not `False` that is `None` now, and nothing in a private folder."""
    private = kind_of(finding.kind).surface == "python" and _PRIVATE.search(finding.path)
    sides = (finding.before, finding.after)
    made = any(_CALL.match(side or "") for side in sides)  # what a call gives may be the same value
    return _is_value(finding) and not (private or made or finding.awaited) and not _OFF.issuperset(sides)


_OFF = frozenset({"None", "False", "null", "nullptr", "false", '""', "''", "", None})
_CALL = re.compile(r"[^\"'\d]{0,80}\w\(")
"""A value that something gives; one of a few that are written down, by a question, is known."""
_PRIVATE = re.compile(r"(?:^|/)_(?!_)\w{1,80}/")


def _behaves(_repo: RepoReport, entry: Entry) -> Made | None:
    """Nothing is gone, but what runs already takes another way; a condition without its branch is left to the author."""
    found = altering(entry)
    if not found:
        return None
    stops, lacks = (
        [f for f in found if holds(f)] for holds in (partial(refuses_start, entry.change), _asks_for_package)
    )
    if stops or lacks:
        return answered("refuses" if stops else "requires", entry, stops or lacks)
    first = kind_of(found[0].kind)
    if phrases.effect_of(found[0]) == "tightened":  # where users type it, or else inside: there few ever meet it
        return answered("rejects" if phrases.is_typed_at(found[0].path) else "otherwise", entry, found)
    mends = entry.kind == "fix" and first.family in _MENDED
    if "condition" in first.traits:
        return Made("mends" if mends else "otherwise", findings=found[:1])
    return answered("mends" if mends else "otherwise", entry, found)


def _asks_for_package(finding: Finding) -> bool:
    """A check that came and turns away whoever lacks something that is installed."""
    return kind_of(finding.kind).change == "added" and _LACKS.search(finding.after or "") is not None


_LACKS = re.compile(r"\bnot (?:\w+\.)?(?:has_\w+|is_\w+_(?:available|installed))\(\)[^:]{0,200}:\s*raise\b")
_MENDED = frozenset({"dispatch", "passing", "exception"})
"""What a fix puts right; of the others a deployment must know before it takes the fix."""


def _adds(_repo: RepoReport, entry: Entry) -> Made | None:
    """Settings, models and names that came, and that nobody meets who does not ask for them."""
    found = [f for f in entry.reading.findings if is_front(f.path) and phrases.effect_of(f) == "added" and has_words(f)]
    if not found or entry.kind == "fix":
        return None
    return answered("adds", entry, found)


def _differs(_repo: RepoReport, entry: Entry) -> Made | None:
    """A fix of which nothing more can be said, but that it alters what users run; any other title alone leads nowhere."""
    return Made("mends") if entry.kind == "fix" and alters(entry.change) else None


_DIGEST = re.compile(r"(?<![0-9a-fA-F])[0-9a-f]{32}")


def _is_value(finding: Finding) -> bool:
    """Something a user could set: not a table, an expression that fills lines, or the digest of a build."""
    values = (finding.before or "", finding.after or "")
    return all(len(x) <= LONGEST_VALUE and "lambda" not in x and not _DIGEST.search(x) for x in values)


_READ: dict[Severity, Does] = {
    "wrong_result": "corrupts",
    "crash": "stops",
    "refuses": "rejects",
    "contract": "breaks",
    "default": "default",
}
_OF_A_FIX: frozenset[Severity] = frozenset({"refuses", "default"})
"""What it takes away is nobody's new rule."""
_FAULTS: frozenset[Severity] = frozenset({"wrong_result", "crash"})
"""Told as such only where a critic found it in the lines."""


def _read(_repo: RepoReport, entry: Entry) -> Made | None:
    """What a model reads in it and rules cannot see: for those who run the default path, or set one flag, and whatever it
    names beside all others of the day. Another contract or default alone leads nowhere unless it is named so; one that callers have to
    follow breaks them also where a fix brings it, if a line that came or went shows it. Of what no critic found in the lines only that
    something is other.
    """
    read = entry.by_model
    if read is None or read.severity not in _READ or not told_by_model(entry):
        return None
    if not is_chosen(entry) and (read.hit not in ("default", "flag") or read.severity in _CONTRACTS):
        return None
    if read.severity == "contract" and not shows_change(entry):
        return Made("otherwise")
    unproved = read.shown is False or (read.severity in _FAULTS and not read.shown)
    if entry.kind == "fix" and (read.severity in _OF_A_FIX or unproved):
        return Made("mends" if is_chosen(entry) else "otherwise")
    if unproved:
        return Made("otherwise")
    of_forks = read.severity == "contract" and read.hit in ("plugins", "developers")
    return Made("fork" if of_forks else _READ[read.severity])


_CONTRACTS: frozenset[Severity] = frozenset({"contract", "default"})


_SAID: dict[str, Does] = {
    "deprecates": "deprecates",
    "handles": "otherwise",
    "chooses": "otherwise",
    "works": "otherwise",
}
"""Grades that rest on what an author says -> what it does."""


def _says(_repo: RepoReport, entry: Entry) -> Made | None:
    """What its author's words alone tell, as its grade says."""
    return next((Made(_SAID[reason.code]) for reason in entry.importance.reasons if reason.code in _SAID), None)


QUESTIONS: tuple[Callable[[RepoReport, Entry], Made | None], ...] = (
    _security,
    _breaking,
    _announces,
    takes_back,
    releases,
    _default,
    _repair,
    _mends,
    _dependency,
    _moved,
    _behaves,
    _deprecates,
    _adds,
    _differs,
    _says,
    _read,
)
"""A change gives one line at most: that of the most urgent answer."""


def asked(repo: RepoReport, entry: Entry) -> Made | None:
    """The most urgent answer to what a change asks for; what restricts something is no fix to take unread.

    A revert is told by what it takes back: the lines that it turns round are nobody's new rule, and of what no release had
    nothing is lost for those who upgrade.
    """
    if entry.kind == "revert":
        lost = entry.breaking and not (entry.exposure is not None and entry.exposure.never)
        return (_breaking(repo, entry) if lost else None) or takes_back(repo, entry)
    answers = [made for ask in QUESTIONS if (made := ask(repo, entry)) is not None]
    first = min(answers, key=lambda one: ORDER.index(one.does), default=None)
    if first is None or first.does not in FIXES or first.does == "regression" or first.findings:
        return first  # what findings show of a repair is the repair itself
    limits = [f for f in entry.reading.findings if _restricts(f, entry) and has_words(f)]
    return answered(_limit(phrases.gravest(limits)[0], entry), entry, limits) if limits else first


def _limit(finding: Finding, entry: Entry) -> Does:
    """What goes that the title is about is told to forks, however few files had to follow."""
    mark = mark_of(finding)
    if mark == "breaks_internals" and not is_tool(finding.path):
        return "fork"
    return "rejects" if mark is None else _breaks(finding, entry.change)


def _restricts(finding: Finding, entry: Entry) -> bool:
    """A capability, an accepted value, or a name that the title is about goes with what is put right; what only forks know
    by another name from now on is still there.
    """
    if not is_front(finding.path):
        return False
    mark = mark_of(finding)
    if mark in ("breaks", "breaks_internals"):
        stays = mark == "breaks_internals" and kind_of(finding.kind).change in ANOTHER_NAME
        return near(finding, entry) > 0 and not stays
    return phrases.effect_of(finding) == "tightened" and not _is_part(finding, entry)
