"""What a change may ask of a reader: each question has the words of its answer, and how urgent that is at least."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Text
from daybreak.findings.kinds import CAME, Kind, kind_of
from daybreak.judge import urgency, urgency_marks
from daybreak.judge.action_words import clause, first_kind, grounds, has_words, headed, named, noted, take, tell
from daybreak.judge.breaking import is_breaking
from daybreak.judge.effects import LONGEST_VALUE
from daybreak.judge.message_refs import quoted_title, title
from daybreak.judge.places import is_front
from daybreak.judge.titles import bare
from daybreak.judge.vocabulary import is_core
from daybreak.judge.wording import alike, code, say

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
    name, way = code(title(entry.change)), take(entry)
    text = say(f"安全相关：{name}。改法：{way['zh']}。", f"Security: {name}. What to do: {way['en']}.")
    return Made(urgency.SECURITY, text, group="security", item=alike(name))


def _breaking(_repo: RepoReport, entry: Entry) -> Made | None:
    """What an operator types comes before what a developer calls, and that before what the project calls itself."""
    found = [f for f in entry.reading.findings if f.breaking]
    if not found:
        return None
    found.sort(key=_breaks, reverse=True)
    base, said = _breaks(found[0]), tell(found)
    group = _BREAKS_IN.get(base, "")
    return Made(
        base, said, first_kind(found), group=group, item=headed(found), part=named(code(title(entry.change)), said)
    )


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
    name, why = code(title(entry.change)), reasons[0].text
    named_by = [f for f in entry.reading.findings if code(f.symbol) in why["en"]]
    told_by = [f for f in named_by if f.kind == reasons[0].code and has_words(f)]
    shown = (told_by or named_by)[:1]
    if code(bare(entry.change.subject)) in why["en"]:
        text = say(f"{why['zh']}。", f"{why['en'][:1].upper()}{why['en'][1:]}.")
        item = why
    elif told_by:  # a value before and after says more than that there was a change
        text, item = named(name, tell(shown)), noted(name, headed(shown))
    else:
        text, item = say(f"{name}：{why['zh']}。", f"{name}: {why['en']}."), noted(name, why)
    # A repair that speaks of a default puts right what was meant all along.
    # One that tidies up takes away what only the project itself used.
    mended = entry.kind == "fix" and reasons[0].code == "default_behaviour"
    base = urgency.CRASH if mended or (entry.kind == "refactor" and shown) else urgency.ANNOUNCED
    return Made(base, text, shown, group="otherwise", item=item)


_REPAIR_WORDS: dict[str, tuple[str, str]] = {
    "wrong_result": ("结果错误", "wrong results"),
    "regression": ("回归", "a regression"),
    "hang": ("卡死或竞态", "a hang or race"),
    "crash": ("崩溃或报错", "a crash or error"),
}


def _repair(_repo: RepoReport, entry: Entry) -> Made | None:
    """A fix that a deployment wants: wrong results and regressions before hangs and crashes."""
    found = urgency.repaired(entry.change, entry.kind)
    if found is None:
        return None
    name, word, (zh, en) = code(title(entry.change)), code(found.word), _REPAIR_WORDS[found.kind]
    sure = found.said and found.in_subject
    does, way = ("修复", "repairs") if sure else ("可能修复", "may repair"), take(entry)
    text = say(
        f"{name}：{does[0]}{zh}（{word}）。改法：受影响的部署{way['zh']}。",
        f"{name}: {does[1]} {en} ({word}). What to do: where it hits you, {way['en']}.",
    )
    item = say(f"{name}（修复{zh}）", f"{name} (repairs {en})") if sure else alike(name)
    doubt = 0.0 if sure else urgency.UNSURE
    return Made(found.base, text, proven=False, group="fix", item=item, doubt=doubt)


def _mends(repo: RepoReport, entry: Entry) -> Made | None:
    """A repair of lines that landed in the last days; only where the story says when the branch was broken is that the
    fault: else it may be older than the lines.
    """
    story = next((s for s in repo.stories if s.id == entry.story and s.kind == "fixup"), None)
    if story is None or entry.kind != "fix" or story.commits[-1] != entry.change.sha:
        return None
    if urgency_marks.talks(bare(entry.change.subject)):
        return None
    name, way = code(title(entry.change)), take(entry)
    if story.broken is None:
        return Made(urgency.REGRESSION, _fixes(name, way), (), False, "fix", alike(name), doubt=urgency.UNSURE)
    text = say(
        f"{name}：修复近日合入的改动。改法：用过其间主分支版本的部署更新到该提交或之后。",
        f"{name}: repairs a change of the last days. What to do: if you built from the branch in between, "
        "go to this commit or a later one.",
    )
    item = say(f"{name}（修复近日合入的改动）", f"{name} (repairs a change of the last days)")
    return Made(urgency.REGRESSION, text, proven=False, group="fix", item=item)


def _fixes(name: str, way: Text) -> Text:
    return say(
        f"修复：{name}。改法：受影响的部署{way['zh']}。", f"Fix: {name}. What to do: where it hits you, {way['en']}."
    )


def _dependency(_repo: RepoReport, entry: Entry) -> Made | None:
    """What images, wheels and lock files must follow."""
    found = [
        f for f in entry.reading.findings if kind_of(f.kind).requires and _is_value(f) and not _WITHIN.search(f.path)
    ]
    if not found:
        return None
    found.sort(key=lambda f: (not is_core(f.symbol), kind_of(f.kind).requires))
    name, said = code(title(entry.change)), tell(found)
    full = named(name, said)
    if kind_of(found[0].kind).family == "source":  # an id of a commit says nothing; the title may say why it was taken
        return Made(urgency.REQUIRES, full, grounds(found), False, "requires", alike(name), full)
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
    part = named(code(title(entry.change)), said)
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
    found = [f for f in entry.reading.findings if kind_of(f.kind).behaves and is_front(f.path)]
    if entry.kind == "feature":  # its own checks are new beside it
        found = [f for f in found if kind_of(f.kind).family not in ("guard", "check")]
    if not found or news_only(entry):
        return None
    found.sort(key=lambda f: kind_of(f.kind).behaves)
    name = code(title(entry.change))
    text, item = named(name, tell(found)), noted(name, headed(found))
    switches = kind_of(found[0].kind).family == "switch"
    base = urgency.SWITCHES if switches else urgency.BEHAVES_OTHERWISE
    mends = entry.kind == "fix" and kind_of(found[0].kind).family in _MENDED
    return Made(base, text, grounds(found), switches, "fix" if mends else "otherwise", item)


_MENDED = frozenset({"check", "dispatch", "passing", "exception"})
"""What a fix puts right; of the others a deployment must know before it takes the fix."""


def _differs(_repo: RepoReport, entry: Entry) -> Made | None:
    """Worth a look where nothing more can be said: a fix that is not of a message or a test, or an edit of what runs."""
    if entry.kind == "fix" and urgency_marks.talks(bare(entry.change.subject)):
        return None
    if entry.kind != "fix" and (news_only(entry) or not urgency.edits_what_runs(entry)):
        return None
    name, (text, shown) = code(title(entry.change)), _telling(entry)
    stops = urgency.stops_something(entry)
    if entry.kind == "fix":
        base = urgency.STOPS if stops else urgency.REPAIRS
        said = (
            _fixes(name, take(entry))
            if text is None
            else say(f"修复：{name}。{text['zh']}", f"Fix: {name}. {text['en']}")
        )
        return Made(base, said, shown, False, "fix", alike(name))
    said, item, part = say(f"升级前留意：{name}。", f"Look before upgrading: {name}."), alike(name), alike(name)
    if text is not None:
        said = say(f"{said['zh']}{text['zh']}", f"{said['en']} {text['en']}")
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
