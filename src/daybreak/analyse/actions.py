"""What a reader must act on: security, breaks, reverts, changed defaults, repairs, requirements; most urgent first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from daybreak.analyse import phrases
from daybreak.analyse.breaking import is_breaking
from daybreak.analyse.links import quoted_title, title
from daybreak.analyse.titles import bare
from daybreak.analyse.wording import code, say
from daybreak.model import Action, Entry, Finding, RepoReport, Text

OFFERED = 12
LONGEST_VALUE = 60
_DEFAULTS = frozenset(
    {"cli_default_changed", "env_default_changed", "field_default_changed", "request_field_default_changed"}
)


class _Candidate(NamedTuple):
    urgency: int
    score: float
    action: Action


def actions(repos: Sequence[RepoReport]) -> tuple[Action, ...]:
    """The day's actions; nothing of low importance, nothing that `paths` or `exclude` filtered."""
    found = [c for repo in repos for c in _of_repository(repo)]
    found.sort(key=lambda c: (c.urgency, -c.score, c.action.repo, c.action.commits))
    return tuple(c.action for c in found[:OFFERED])


def _of_repository(repo: RepoReport) -> Iterator[_Candidate]:
    """A story is told once: a change that the same window took back asks for nothing but its revert."""
    undone = {sha for s in repo.stories if s.kind == "revert" for sha in s.commits[:-1]}
    for entry in repo.entries:
        change = entry.change
        if entry.importance.level == "low" or change.filtered or change.sha in undone:
            continue
        made = next(filter(None, (ask(repo, entry) for ask in _QUESTIONS)), None)
        if made is not None:
            urgency, text, findings = made
            text = _dated(text, entry)
            commits = _commits(repo, entry) if entry.kind == "revert" else (change.sha,)
            action = Action(repo.repo.name, commits, text, tuple(f.id for f in findings))
            yield _Candidate(urgency, entry.importance.score, action)


def _dated(text: Text, entry: Entry) -> Text:
    """In which release the reader meets it."""
    if entry.released:
        name = code(entry.released)
        return say(f"{text['zh']}已在 {name} 中。", f"{text['en']} Released in {name}.")
    if entry.after:
        name = code(entry.after)
        return say(f"{text['zh']}仅在主分支，{name} 不含。", f"{text['en']} On the branch only, not in {name}.")
    return text


def _commits(repo: RepoReport, entry: Entry) -> tuple[str, ...]:
    """A revert's own commit first, then those of its story that this report holds."""
    story = next((s for s in repo.stories if s.id == entry.story), None)
    others = (s for s in story.commits if s != entry.change.sha and repo.find(s)) if story else ()
    return (entry.change.sha, *others)


_Made = tuple[int, Text, Sequence[Finding]]


def _security(_repo: RepoReport, entry: Entry) -> _Made | None:
    if entry.kind != "security":
        return None
    name = code(title(entry.change))
    text = say(
        f"安全相关：{name}。改法：升级到包含该提交的版本。",
        f"Security: {name}. What to do: take a version that holds this commit.",
    )
    return 0, text, ()


def _breaking(_repo: RepoReport, entry: Entry) -> _Made | None:
    found = [f for f in entry.reading.findings if f.breaking]
    # What an operator types comes before what a developer calls.
    called = all(f.kind.startswith(("operator_", "cpp_", "macro_")) for f in found)
    return (2 if called else 1, _told(found), _first_kind(found)) if found else None


def _announced(_repo: RepoReport, entry: Entry) -> _Made | None:
    """A break that no finding names, but that the message announces and the code bears out."""
    reasons = is_breaking(entry.change, entry.reading)[1] if entry.breaking else ()
    if not reasons:
        return None
    name, why = code(title(entry.change)), reasons[0].text
    if bare(entry.change.subject) in why["en"]:
        return 3, say(f"{why['zh']}。", f"{why['en'][:1].upper()}{why['en'][1:]}."), ()
    return 3, say(f"{name}：{why['zh']}。", f"{name}: {why['en']}."), ()


_REPAIRS = {"fixes_wrong_result": 3, "fixes_regression": 3, "fixes_hang": 4, "fixes_crash": 4}


def _repair(_repo: RepoReport, entry: Entry) -> _Made | None:
    """A fix that a deployment wants: wrong results and regressions before hangs and crashes."""
    codes = [r for r in entry.importance.reasons if r.code in _REPAIRS]
    if not codes or entry.kind not in ("fix", "revert"):
        return None
    name, why = code(title(entry.change)), codes[0].text
    text = say(
        f"{name}：{why['zh']}。改法：受影响的部署升级到包含该提交的版本。",
        f"{name}: {why['en']}. What to do: where it hits you, take a version that holds this commit.",
    )
    later = 0 if entry.importance.level == "high" else 3
    return _REPAIRS[codes[0].code] + later, text, ()


def _dependency(_repo: RepoReport, entry: Entry) -> _Made | None:
    """What images and lock files must follow; after everything that breaks or repairs."""
    found = [f for f in entry.reading.findings if f.kind in _REQUIRED and _is_value(f)]
    return (8, _told(found), found[:1]) if found else None


_REQUIRED = frozenset({"dependency_changed", "toolchain_required_changed", "python_required_changed"})


def _default(_repo: RepoReport, entry: Entry) -> _Made | None:
    found = [f for f in entry.reading.findings if f.kind in _DEFAULTS and _is_value(f)]
    return (3, _told(found), found[:1]) if found else None


def _is_value(finding: Finding) -> bool:
    """Something a user could set: not a table or an expression that fills lines."""
    return all(len(x or "") <= LONGEST_VALUE and "lambda" not in (x or "") for x in (finding.before, finding.after))


def _first_kind(found: Sequence[Finding]) -> list[Finding]:
    return [f for f in found if f.kind == found[0].kind and f.path == found[0].path]


def _told(found: Sequence[Finding]) -> Text:
    """What, who, how: of the first kind of finding; the change itself tells the rest."""
    group = _first_kind(found)
    sentence = phrases.what(group, 1)
    head = (
        sentence[0].text if sentence else say(f"{code(group[0].symbol)} 有改动。", f"{code(group[0].symbol)} changed.")
    )
    used = sentence[0].findings if sentence else tuple(group[:1])
    who, how = phrases.affected(used), phrases.remedy(used)
    zh, en = head["zh"], head["en"]
    if who:
        zh, en = f"{zh}受影响：{who['zh']}。", f"{en} Affected: {who['en']}."
    if how:
        zh, en = f"{zh}改法：{how['zh']}。", f"{en} What to do: {how['en']}."
    return say(zh, en)


def _revert(repo: RepoReport, entry: Entry) -> _Made | None:
    if entry.kind != "revert":
        return None
    story = next((s for s in repo.stories if s.id == entry.story), None)
    if story is not None and (story.kind == "reland" or repo.find(story.commits[0])):
        return None  # back on the branch, or never part of it before this window: nothing to do
    quoted = quoted_title(entry.change)
    name = code(quoted or title(entry.change))
    if quoted is None:
        zh, en = f"回退：{name}。", f"Reverted: {name}."
    else:
        zh, en = f"{name} 被回退。", f"{name} was reverted."
    zh += "受影响：已经用上该改动的部署。改法：升级前确认不再依赖它。"
    en += (
        " Affected: deployments that already use it. What to do: before upgrading, make sure that nothing relies on it."
    )
    return 2, say(zh, en), ()


_QUESTIONS: tuple[Callable[[RepoReport, Entry], _Made | None], ...] = (
    _security,
    _breaking,
    _revert,
    _default,
    _announced,
    _repair,
    _dependency,
)
"""Asked in this order; a change gives one line at most."""
