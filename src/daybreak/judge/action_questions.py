"""What a change may ask of a reader: each question has the words of its answer, and how urgent that is at least."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Text
from daybreak.core.words import say, term
from daybreak.core.words.grammar import alike, clause, code, joined, sentence, small
from daybreak.core.words.phrases import REFERENCE, chosen
from daybreak.findings.kinds import CAME, Kind, kind_of
from daybreak.judge import phrases, urgency
from daybreak.judge.breaking import LONGEST_VALUE, is_breaking
from daybreak.judge.change_kinds import bare, is_front
from daybreak.judge.exposure import of_branch, take
from daybreak.judge.message_refs import quoted_title, title
from daybreak.judge.vocabulary import is_core

# --- How an item of the first screen is put into words: what changed, whom it hits, what to do; alone and among others ---


LONGEST_NOTE = 120
"""Of what a line of several says beside a title, in the reference language."""


def first_kind(found: Sequence[Finding]) -> list[Finding]:
    def told_as(one: Finding) -> tuple[object, ...]:
        return one.kind, one.path, phrases.side(one)

    return [f for f in found if told_as(f) == told_as(found[0])]


def tell(found: Sequence[Finding], most: int = 1) -> Text:
    """What, who, how: of the first kind of finding, in so many sentences; the change itself tells the rest."""
    group, used = first_kind(found), grounds(found, most)
    sentences = phrases.what(group, most)
    text = joined(one.text for one in sentences) if sentences else say("judge.action.changed", name=group[0].symbol)
    who, how = phrases.affected(used), phrases.remedy(used) if len(sentences) < 2 else say("judge.action.old_values")
    if who:
        text = say("judge.action.affected", text=text, who=who)
    return say("judge.action.remedy", text=text, how=how) if how else text


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
    return say("judge.action.named", title=title, said=small(said))


def noted(title: str, more: Text) -> Text:
    """A title, and what code says of it, unless that would fill the line."""
    if len(chosen(more, REFERENCE)) > LONGEST_NOTE:
        return alike(code(title))
    return say("judge.action.noted", title=title, more=more)


_DIGEST = re.compile(r"(?<![0-9a-fA-F])[0-9a-f]{32}")


class Made(NamedTuple):
    """What one question found: how urgent, in which words, shown by which findings."""

    base: float
    text: Text
    findings: Sequence[Finding] = ()
    proven: bool = True
    """Code shows it; what only a title says is talked down by the title's own words."""
    group: str = ""
    """What it may share a line with, see `action_lines`."""
    item: Text | None = None
    part: Text | None = None
    doubt: float = 0.0
    """How much lower it stands than its base, where words that mean several things are all that shows it."""


def _security(_repo: RepoReport, entry: Entry) -> Made | None:
    if entry.kind != "security":
        return None
    name = title(entry.change)
    text = say("judge.action.security", title=name, way=take(entry))
    return Made(urgency.SECURITY, text, group="security", item=_item(entry))


def _item(entry: Entry) -> Text:
    """A change named by its title alone."""
    return alike(code(title(entry.change)))


def _breaking(_repo: RepoReport, entry: Entry) -> Made | None:
    """What an operator types comes before what a developer calls, and that before what the project calls itself."""
    found = [f for f in entry.reading.findings if f.breaking]
    if not found:
        return None
    found.sort(key=_breaks, reverse=True)
    base, said = _breaks(found[0]), tell(found)
    group = _BREAKS_IN.get(base, "")
    return Made(base, said, first_kind(found), group=group, item=headed(found), part=named(title(entry.change), said))


_BREAKS_IN = {
    urgency.BREAKS_API: "api",
    urgency.BREAKS_OPERATOR: "api",
    urgency.BREAKS_REQUIREMENT: "requires",
}
_NEEDED = frozenset({"dependency", "python_required", "toolchain_required"})
_TYPED = frozenset({"cli", "environment", "server", "metrics", "hardware"})


_TYPED_AT = re.compile(
    r"(?:^|[/_.])(?:args?|arguments|arg_utils|server_args|cli|commands?|entry_?points?|launch\w{0,20}|serv(?:e|er|ing)\w{0,20}"
    r"|api\w{0,20}|routers?|main|config\w{0,10}|env\w{0,10})(?:[/_.]|$)",
    re.IGNORECASE,
)
"""Where options stand that a deployment types; elsewhere a parser is that of a script."""


def _breaks(finding: Finding) -> float:
    kind = kind_of(finding.kind)
    if kind.change == "changed" and kind.family in _NEEDED:
        return urgency.BREAKS_REQUIREMENT
    if kind.surface == "models" or kind.family == "dependency":
        return urgency.BREAKS_FEW
    if kind.surface == "cli" and not _TYPED_AT.search(finding.path):
        return urgency.BREAKS_FEW
    if kind.surface in _TYPED:
        return urgency.BREAKS_SETTING
    return urgency.BREAKS_OPERATOR if "within" in kind.traits else urgency.BREAKS_API


def _announced(_repo: RepoReport, entry: Entry) -> Made | None:
    """A break that no finding names, but that the message announces and the code bears out."""
    reasons = is_breaking(entry.change, entry.reading)[1] if entry.breaking else ()
    if not reasons:
        return None
    ending = [f for f in entry.reading.findings if kind_of(f.kind).means("cli_flag", "deprecated")]
    if ending and reasons[0].code == "deprecates":  # its name says more than the line that warns
        return Made(urgency.ANNOUNCED, tell(ending), first_kind(ending))
    name, why = title(entry.change), reasons[0].text
    named_by = [f for f in entry.reading.findings if _quotes(why, f.symbol)]
    told_by = [f for f in named_by if f.kind == reasons[0].code and has_words(f)]
    shown = (told_by or named_by)[:1]
    if _quotes(why, bare(entry.change.subject)):
        text, item = sentence(why), why
    elif told_by:  # a value before and after says more than that there was a change
        text, item = named(name, tell(shown)), noted(name, headed(shown))
    else:
        text, item = say("judge.action.why", title=name, why=why), noted(name, why)
    # A repair that speaks of a default puts right what was meant all along.
    # One that tidies up takes away what only the project itself used.
    mended = entry.kind == "fix" and reasons[0].code == "default_behaviour"
    base = urgency.CRASH if mended or (entry.kind == "refactor" and shown) else urgency.ANNOUNCED
    return Made(base, text, shown, group="otherwise", item=item)


def _quotes(text: Text, word: str) -> bool:
    return any(code(word) in said for said in text.values())


def _repair(_repo: RepoReport, entry: Entry) -> Made | None:
    """A fix that a deployment wants: wrong results and regressions before hangs and crashes."""
    found = urgency.repaired(entry.change, entry.kind)
    if found is None:
        return None
    name, what, way = title(entry.change), term("judge.repair", found.kind), take(entry)
    if found.said and found.in_subject:
        text = say("judge.action.repairs", title=name, what=what, word=found.word, way=way)
        item = say("judge.action.repair_item", title=name, what=what)
        return Made(found.base, text, proven=False, group="fix", item=item)
    text = say("judge.action.may_repair", title=name, what=what, word=found.word, way=way)
    return Made(found.base, text, proven=False, group="fix", item=_item(entry), doubt=urgency.UNSURE)


def _mends(repo: RepoReport, entry: Entry) -> Made | None:
    """A repair of lines that landed in the last days; only where the story says when the branch was broken is that the
    fault: else it may be older than the lines.
    """
    story = next((s for s in repo.stories if s.id == entry.story and s.kind == "fixup"), None)
    if story is None or entry.kind != "fix" or story.commits[-1] != entry.change.sha:
        return None
    if urgency.talks(bare(entry.change.subject)):
        return None
    if story.broken is None or (entry.exposure is not None and entry.exposure.has):
        return Made(urgency.REGRESSION, _fixes(entry), (), False, "fix", _item(entry), doubt=urgency.UNSURE)
    text, item = of_branch(entry, title(entry.change))
    return Made(urgency.REGRESSION, text, proven=False, group="branch_fix", item=item)


def _fixes(entry: Entry) -> Text:
    return say("judge.action.fix", title=title(entry.change), way=take(entry))


def _dependency(_repo: RepoReport, entry: Entry) -> Made | None:
    """What images, wheels and lock files must follow."""
    found = [
        f for f in entry.reading.findings if kind_of(f.kind).requires and _is_value(f) and not _WITHIN.search(f.path)
    ]
    if not found:
        return None
    found.sort(key=lambda f: (not is_core(f.symbol), kind_of(f.kind).requires))
    said = tell(found)
    full = named(title(entry.change), said)
    if kind_of(found[0].kind).family == "source":  # an id of a commit says nothing; the title may say why it was taken
        return Made(urgency.REQUIRES, full, grounds(found), False, "requires", _item(entry), full)
    return Made(urgency.REQUIRES, said, grounds(found), False, "requires", headed(found), full)


_WITHIN = re.compile(r"(?:^|/)(?:Cargo\.toml|package\.json|go\.mod)$")
"""What a part written in another language is built with: nobody's environment has to follow."""


def _is_default(finding: Finding) -> bool:
    kind = kind_of(finding.kind)
    return kind.means("gate", "added") or (kind.group == "default_changed" and _is_value(finding))


def _default(_repo: RepoReport, entry: Entry) -> Made | None:
    found = [f for f in entry.reading.findings if _is_default(f)]
    if not found:
        return None
    left_open = all(f.after in ("None", "null", "nullptr") for f in found)
    base = urgency.LEAVES_OPEN if left_open else urgency.CHANGES_DEFAULT
    said = tell(found, 2)
    part = named(title(entry.change), said)
    return Made(base, said, grounds(found, 2), group="default", item=headed(found), part=part)


def _moved(_repo: RepoReport, entry: Entry) -> Made | None:
    """A folder that is built by itself lies elsewhere: scripts that enter it do not find it."""
    roots = {
        (file.old_path.rpartition("/")[0], file.path.rpartition("/")[0])
        for file in entry.change.files
        if file.old_path and file.status.startswith("R") and _BUILT_BY.search(file.path) and is_front(file.path)
    }
    ours = (pair for pair in roots if pair[0] and pair[0] != pair[1])
    first = min(ours, default=None, key=lambda pair: (len(pair[0]), pair))
    if first is None:
        return None
    return Made(urgency.REQUIRES, say("judge.action.moved", before=f"{first[0]}/", after=f"{first[1]}/"))


_BUILT_BY = re.compile(r"(?:^|/)(?:pyproject\.toml|setup\.py|CMakeLists\.txt)$")


def _behaves(_repo: RepoReport, entry: Entry) -> Made | None:
    """Nothing is gone, but what runs already takes another way."""
    found = [f for f in entry.reading.findings if kind_of(f.kind).behaves and is_front(f.path)]
    if entry.kind == "feature":  # its own checks are new beside it
        found = [f for f in found if kind_of(f.kind).family not in ("guard", "check")]
    if not found or news_only(entry):
        return None
    found.sort(key=lambda f: kind_of(f.kind).behaves)
    name = title(entry.change)
    text, item = named(name, tell(found)), noted(name, headed(found))
    switches = kind_of(found[0].kind).family == "switch"
    base = urgency.SWITCHES if switches else urgency.BEHAVES_OTHERWISE
    mends = entry.kind == "fix" and kind_of(found[0].kind).family in _MENDED
    return Made(base, text, grounds(found), switches, "fix" if mends else "otherwise", item)


_MENDED = frozenset({"check", "dispatch", "passing", "exception"})
"""What a fix puts right; of the others a deployment must know before it takes the fix."""


def _differs(_repo: RepoReport, entry: Entry) -> Made | None:
    """Worth a look where nothing more can be said: a fix that is not of a message or a test, or an edit of what runs."""
    if entry.kind == "fix" and urgency.talks(bare(entry.change.subject)):
        return None
    if entry.kind != "fix" and (news_only(entry) or not urgency.edits_what_runs(entry)):
        return None
    name, (text, shown) = title(entry.change), _telling(entry)
    stops = urgency.stops_something(entry)
    if entry.kind == "fix":
        base = urgency.STOPS if stops else urgency.REPAIRS
        said = _fixes(entry) if text is None else say("judge.action.fix_said", title=name, said=text)
        return Made(base, said, shown, False, "fix", _item(entry))
    said, item, part = say("judge.action.look", title=name), _item(entry), _item(entry)
    if text is not None:
        said = joined((said, text))
        item, part = noted(name, clause(text)), named(name, text)
    return Made(urgency.STOPS if stops else urgency.DIFFERS, said, shown, False, "otherwise", item, part)


def _telling(entry: Entry) -> tuple[Text | None, list[Finding]]:
    """Of what is said of a change by its findings, what its title speaks of, and rather what went than what came."""
    by_id = {f"finding:{f.id}": f for f in entry.reading.findings}
    words = {word for word in _WORD.findall(bare(entry.change.subject).lower()) if word not in _COMMON}

    def speaks_of(found: Sequence[Finding]) -> bool:
        return any(word in f.symbol.lower() for f in found for word in words)

    told = [(s.text, [by_id[x] for x in s.evidence if x in by_id]) for s in entry.statements if s.role == "what"]
    told = [(text, found) for text, found in told if found]
    return min(
        told,
        key=lambda one: (not speaks_of(one[1]), all(_is_news(kind_of(f.kind)) for f in one[1])),
        default=(None, []),
    )


def _is_news(kind: Kind) -> bool:
    return kind.change in CAME or kind.family == "waiting_note"


_WORD = re.compile(r"[a-z0-9]{4,40}")
_COMMON = frozenset({"support", "remove", "update", "with", "from", "when", "into", "kernel", "model", "config"})


def news_only(entry: Entry) -> bool:
    """A model or a registered name is new: good to know, nothing to do."""
    return any(kind_of(f.kind).group == "model_or_registry_added" for f in entry.reading.findings)


def _is_value(finding: Finding) -> bool:
    """Something a user could set: not a table, an expression that fills lines, or the digest of a build."""
    values = (finding.before or "", finding.after or "")
    return all(len(x) <= LONGEST_VALUE and "lambda" not in x and not _DIGEST.search(x) for x in values)


def _revert(repo: RepoReport, entry: Entry) -> Made | None:
    if entry.kind != "revert":
        return None
    story = next((s for s in repo.stories if s.id == entry.story), None)
    if story is not None and story.kind == "reland":
        return None  # back on the branch: nothing to do
    quoted = quoted_title(entry.change)
    if quoted is None:
        text = say("judge.action.revert", title=title(entry.change))
    else:
        text = say("judge.action.reverted", title=quoted or title(entry.change))
    about_tests = urgency.talks(entry.change.subject)
    return Made(urgency.DIFFERS if about_tests else urgency.TAKEN_BACK, text)


QUESTIONS: tuple[Callable[[RepoReport, Entry], Made | None], ...] = (
    _security,
    _breaking,
    _revert,
    _default,
    _announced,
    _repair,
    _mends,
    _dependency,
    _moved,
    _behaves,
    _differs,
)
"""A change gives one line at most: that of the most urgent answer."""
