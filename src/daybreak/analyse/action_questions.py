"""What a change may ask of a reader: each question has the words of its answer, and how urgent that is at least."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from daybreak.analyse import phrases, urgency, urgency_marks
from daybreak.analyse.breaking import is_breaking
from daybreak.analyse.links import quoted_title, title
from daybreak.analyse.places import is_front
from daybreak.analyse.titles import bare
from daybreak.analyse.wording import alike, code, say
from daybreak.model import Entry, Finding, RepoReport, Text

LONGEST_VALUE = 60
LONGEST_NOTE = 120
_DIGEST = re.compile(r"(?<![0-9a-fA-F])[0-9a-f]{32}")
_DEFAULTS = frozenset(
    {
        "cli_default_changed",
        "env_default_changed",
        "field_default_changed",
        "request_field_default_changed",
        "gate_added",
    }
)


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


def _security(_repo: RepoReport, entry: Entry) -> Made | None:
    if entry.kind != "security":
        return None
    name = code(title(entry.change))
    text = say(
        f"安全相关：{name}。改法：升级到包含该提交的版本。",
        f"Security: {name}. What to do: take a version that holds this commit.",
    )
    return Made(urgency.SECURITY, text, group="security", item=alike(name))


def _breaking(_repo: RepoReport, entry: Entry) -> Made | None:
    """What an operator types comes before what a developer calls, and that before what the project calls itself."""
    found = [f for f in entry.reading.findings if f.breaking]
    if not found:
        return None
    found.sort(key=_breaks, reverse=True)
    base = _breaks(found[0])
    group = "api" if base in (urgency.BREAKS_API, urgency.BREAKS_OPERATOR) else ""
    return Made(base, _told(found), _first_kind(found), group=group, item=_headed(found))


_TYPED = ("cli_", "env_", "route_", "request_field_", "message_field_", "metric_", "arch_")


def _breaks(finding: Finding) -> float:
    if finding.kind.startswith(("model_", "registry_", "dependency_")):
        return urgency.BREAKS_FEW
    if finding.kind.startswith(_TYPED):
        return urgency.BREAKS_SETTING
    called = finding.kind.startswith(("operator_", "cpp_", "macro_"))
    return urgency.BREAKS_OPERATOR if called else urgency.BREAKS_API


def _announced(_repo: RepoReport, entry: Entry) -> Made | None:
    """A break that no finding names, but that the message announces and the code bears out."""
    reasons = is_breaking(entry.change, entry.reading)[1] if entry.breaking else ()
    if not reasons:
        return None
    ending = [f for f in entry.reading.findings if f.kind == "cli_flag_deprecated"]
    if ending and reasons[0].code == "deprecates":  # its name says more than the line that warns
        return Made(urgency.ANNOUNCED, _told(ending), _first_kind(ending))
    name, why = code(title(entry.change)), reasons[0].text
    shown = [f for f in entry.reading.findings if code(f.symbol) in why["en"]][:1]
    if code(bare(entry.change.subject)) in why["en"]:
        text = say(f"{why['zh']}。", f"{why['en'][:1].upper()}{why['en'][1:]}.")
        item = why
    else:
        text = say(f"{name}：{why['zh']}。", f"{name}: {why['en']}.")
        item = _noted(name, why)
    # A repair that speaks of a default puts right what was meant all along.
    # One that tidies up takes away what only the project itself used.
    mended = entry.kind == "fix" and reasons[0].code == "default_behaviour"
    base = urgency.CRASH if mended or (entry.kind == "refactor" and shown) else urgency.ANNOUNCED
    return Made(base, text, shown, group="otherwise", item=item)


_REPAIR_WORDS: dict[str, tuple[str, str]] = {
    "wrong_result": ("错误结果", "wrong results"),
    "regression": ("回归", "a regression"),
    "hang": ("挂起或竞态", "a hang or race"),
    "crash": ("崩溃或报错", "a crash or error"),
}


def _repair(_repo: RepoReport, entry: Entry) -> Made | None:
    """A fix that a deployment wants: wrong results and regressions before hangs and crashes."""
    found = urgency.repaired(entry)
    if found is None:
        return None
    name, word, (zh, en) = code(title(entry.change)), code(found.word), _REPAIR_WORDS[found.kind]
    sure = found.said and found.in_subject
    does = ("修正", "repairs") if sure else ("可能修正", "may repair")
    text = say(
        f"{name}：{does[0]}{zh}（{word}）。改法：受影响的部署升级到包含该提交的版本。",
        f"{name}: {does[1]} {en} ({word}). What to do: where it hits you, take a version that holds this commit.",
    )
    item = say(f"{name}（{zh}）", f"{name} ({en})") if sure else alike(name)
    return Made(found.base, text, proven=False, group="fix", item=item)


def _mends(repo: RepoReport, entry: Entry) -> Made | None:
    """A repair of what landed in the last days: whoever built from the branch in between has the fault."""
    story = next((s for s in repo.stories if s.id == entry.story and s.kind == "fixup"), None)
    if story is None or entry.kind != "fix" or story.commits[-1] != entry.change.sha:
        return None
    if urgency_marks.talks(bare(entry.change.subject)):
        return None
    name = code(title(entry.change))
    text = say(
        f"{name}：修正近日合入的改动。改法：用过其间主分支版本的部署升级到包含该提交的版本。",
        f"{name}: repairs a change of the last days. What to do: if you built from the branch in between, "
        "take a version that holds this commit.",
    )
    item = say(f"{name}（修正近日合入的改动）", f"{name} (repairs a change of the last days)")
    return Made(urgency.REGRESSION, text, proven=False, group="fix", item=item)


def _dependency(_repo: RepoReport, entry: Entry) -> Made | None:
    """What images, wheels and lock files must follow."""
    found = [f for f in entry.reading.findings if f.kind in _REQUIRED and _is_value(f) and not _WITHIN.search(f.path)]
    if not found:
        return None
    told, short = _told(found), _headed(found)
    if found[0].kind == "source_changed":  # an id of a commit says nothing; the title may say why it was taken
        name = code(title(entry.change))
        told, short = say(f"{name}：{told['zh']}", f"{name}: {told['en']}"), alike(name)
    return Made(urgency.REQUIRES, told, found[:1], False, "requires", short)


_REQUIRED = frozenset(
    {
        "dependency_changed",
        "dependency_added",
        "toolchain_required_changed",
        "python_required_changed",
        "source_changed",
        "pin_changed",
    }
)


_WITHIN = re.compile(r"(?:^|/)(?:Cargo\.toml|package\.json|go\.mod)$")
"""What a part written in another language is built with: nobody's environment has to follow."""


def _default(_repo: RepoReport, entry: Entry) -> Made | None:
    found = [f for f in entry.reading.findings if f.kind in _DEFAULTS and (f.kind == "gate_added" or _is_value(f))]
    if not found:
        return None
    left_open = all(f.after in ("None", "null", "nullptr") for f in found)
    base = urgency.LEAVES_OPEN if left_open else urgency.CHANGES_DEFAULT
    return Made(base, _told(found), found[:1], group="default", item=_headed(found))


_BEHAVIOUR = (
    "switched_off", "switched_on", "guard_added", "guard_changed", "check_added", "check_changed", "dispatch_changed",
    "passing_default_changed", "arch_removed", "env_read_removed", "exception_changed",
)  # fmt: skip
"""Findings that say what existing calls meet now, the plainest first."""


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
    was, now = code(f"{first[0]}/"), code(f"{first[1]}/")
    text = say(
        f"源码目录迁移：{was} → {now}。受影响：从该目录构建的脚本和镜像。改法：改用新路径。",
        f"Source folder moved: {was} → {now}. Affected: scripts and images that build from it. "
        "What to do: use the new path.",
    )
    return Made(urgency.REQUIRES, text)


_BUILT_BY = re.compile(r"(?:^|/)(?:pyproject\.toml|setup\.py|CMakeLists\.txt)$")


def _behaves(_repo: RepoReport, entry: Entry) -> Made | None:
    """Nothing is gone, but what runs already takes another way."""
    found = [f for f in entry.reading.findings if f.kind in _BEHAVIOUR and is_front(f.path)]
    if entry.kind == "feature":  # its own checks are new beside it
        found = [f for f in found if not f.kind.startswith(("guard_", "check_"))]
    if not found or news_only(entry):
        return None
    found.sort(key=lambda f: _BEHAVIOUR.index(f.kind))
    name, told, short = code(title(entry.change)), _told(found), _headed(found)
    text = say(f"{name}：{told['zh']}", f"{name}: {told['en']}")
    switches = found[0].kind.startswith("switched_")
    base = urgency.SWITCHES if switches else urgency.BEHAVES_OTHERWISE
    return Made(base, text, found[:1], switches, "otherwise", _noted(name, short))


def _differs(_repo: RepoReport, entry: Entry) -> Made | None:
    """Worth a look where nothing more can be said: a fix that is not of a message or a test, or an edit of what runs."""
    if entry.kind == "fix" and urgency_marks.talks(bare(entry.change.subject)):
        return None
    if entry.kind != "fix" and (news_only(entry) or not urgency.edits_what_runs(entry)):
        return None
    what = next((s for s in entry.statements if s.role == "what"), None)
    if what is None:
        return None
    shown = [f for f in entry.reading.findings if f"finding:{f.id}" in what.evidence]
    name, text = code(title(entry.change)), what.text
    stops = urgency.stops_something(entry)
    if entry.kind == "fix":
        base = urgency.STOPS if stops else urgency.REPAIRS
        told = say(f"修复：{name}。{text['zh']}", f"Fix: {name}. {text['en']}")
        return Made(base, told, shown, False, "fix", alike(name))
    told = say(f"升级前留意：{name}。{text['zh']}", f"Look before upgrading: {name}. {text['en']}")
    item = _noted(name, _part(text)) if shown else alike(name)
    return Made(urgency.STOPS if stops else urgency.DIFFERS, told, shown, False, "otherwise", item)


def news_only(entry: Entry) -> bool:
    """A model or a registered name is new: good to know, nothing to do."""
    return any(f.kind in ("model_added", "registry_added") for f in entry.reading.findings)


def _is_value(finding: Finding) -> bool:
    """Something a user could set: not a table, an expression that fills lines, or the digest of a build."""
    values = (finding.before or "", finding.after or "")
    return all(len(x) <= LONGEST_VALUE and "lambda" not in x and not _DIGEST.search(x) for x in values)


def _first_kind(found: Sequence[Finding]) -> list[Finding]:
    return [f for f in found if f.kind == found[0].kind and f.path == found[0].path]


def _told(found: Sequence[Finding]) -> Text:
    """What, who, how: of the first kind of finding; the change itself tells the rest."""
    group = _first_kind(found)
    sentence = phrases.what(group, 1)
    used = sentence[0].findings if sentence else tuple(group[:1])
    head = (
        sentence[0].text if sentence else say(f"{code(group[0].symbol)} 有改动。", f"{code(group[0].symbol)} changed.")
    )
    who, how = phrases.affected(used), phrases.remedy(used)
    zh, en = head["zh"], head["en"]
    if who:
        zh, en = f"{zh}受影响：{who['zh']}。", f"{en} Affected: {who['en']}."
    if how:
        zh, en = f"{zh}改法：{how['zh']}。", f"{en} What to do: {how['en']}."
    return say(zh, en)


def _headed(found: Sequence[Finding]) -> Text:
    """What alone, as a part of a longer sentence."""
    sentence = phrases.what(_first_kind(found), 1)
    return _part(sentence[0].text if sentence else alike(code(found[0].symbol)))


def _part(text: Text) -> Text:
    """A sentence as a part of a longer one."""
    en = text["en"].rstrip(".")
    return say(text["zh"].rstrip("。"), en if en[1:2].isupper() else f"{en[:1].lower()}{en[1:]}")


def _noted(name: str, more: Text) -> Text:
    """A title, and what code says of it, unless that would fill the line."""
    if len(more["en"]) > LONGEST_NOTE:
        return alike(name)
    return say(f"{name}（{more['zh']}）", f"{name} ({more['en']})")


def _revert(repo: RepoReport, entry: Entry) -> Made | None:
    if entry.kind != "revert":
        return None
    story = next((s for s in repo.stories if s.id == entry.story), None)
    if story is not None and story.kind == "reland":
        return None  # back on the branch: nothing to do
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
    about_tests = urgency_marks.talks(entry.change.subject)
    return Made(urgency.DIFFERS if about_tests else urgency.TAKEN_BACK, say(zh, en))


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
