"""The repository's assessment, and the day's summary and conclusion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry, RepoReport, Story
from daybreak.core.model.statements import Statement
from daybreak.findings.kinds import kind_of
from daybreak.judge.message_refs import title
from daybreak.judge.places import front, is_front
from daybreak.judge.tally import Tally, tally
from daybreak.judge.urgency_marks import few
from daybreak.judge.vocabulary import is_core
from daybreak.judge.wording import code, plural, say

_SUMMARY_REPOS = 4
_NAMED = 2


def assessment(
    name: str, entries: Sequence[Entry], stories: Sequence[Story], late: Sequence[Entry]
) -> tuple[Statement, ...]:
    """The repository's day in one to four sentences: counts, what to handle first, what was taken back."""
    if not entries and not late:
        return ()
    where = f"repo:{name}"
    out = []
    if entries:
        t = tally(entries)
        text = say(
            f"{t.commits} 个提交：{t.kinds_zh()}；重要度{t.levels_zh()}。",
            f"{plural(t.commits, 'commit')}: {t.kinds_en()}; importance {t.levels_en()}.",
        )
        out.append(Statement("what", text, (where,)))
        out.extend(_first(where, entries, t))
    undone = [s for s in stories if s.kind == "revert"]
    if undone:
        text = say(
            f"被回退的改动 {len(undone)} 项，窗口结束时不在主分支上。",
            f"{plural(len(undone), 'change')} taken back, not on the branch at the end of the window.",
        )
        out.append(Statement("risk", text, (where, *(f"story:{s.id}" for s in undone))))
    if late:
        text = say(
            f"另有 {len(late)} 个迟到的提交，属于更早的窗口。",
            f"{plural(len(late), 'late commit')} of earlier windows besides.",
        )
        out.append(Statement("what", text, (where,)))
    return tuple(out)


def _first(where: str, entries: Sequence[Entry], t: Tally) -> Iterator[Statement]:
    """What to handle before an upgrade."""
    breaking = sorted((e for e in entries if e.breaking), key=lambda e: -e.importance.score)
    if not breaking:
        return
    name, sha = code(title(breaking[0].change)), breaking[0].change.sha
    text = say(
        f"可能破坏现有用法的提交 {t.breaking} 个；升级前先看 {name}。",
        f"{plural(t.breaking, 'commit')} may break existing use; before upgrading, look at {name} first.",
    )
    yield Statement("action", text, (where, f"commit:{sha}"), "compatibility")


def summary(repos: Sequence[RepoReport]) -> tuple[Statement, ...]:
    """A line per repository with the most to tell, the rest together, then what no user sees."""
    active = [r for r in repos if r.entries]
    ranked = sorted(active, key=lambda r: (-max(e.importance.score for e in r.entries), r.repo.name))
    out = [_line(r) for r in ranked[:_SUMMARY_REPOS]]
    rest = ranked[_SUMMARY_REPOS:]
    if rest:
        count = sum(len(r.entries) for r in rest)
        text = say(
            f"其余 {len(rest)} 个仓库合计 {count} 个提交。",
            f"The other {plural(len(rest), 'repository', 'repositories')}: {plural(count, 'commit')} in all.",
        )
        out.append(Statement("what", text, ("window", *(f"repo:{r.repo.name}" for r in rest))))
    t = tally(e for r in repos for e in r.entries)
    if t.unseen:
        text = say(
            f"只改动 CI、测试、基准、文档或示例的提交 {t.unseen} 个。",
            f"{plural(t.unseen, 'commit')} touch nothing but CI, tests, benchmarks, docs or examples."
            if t.unseen != 1
            else "1 commit touches nothing but CI, tests, benchmarks, docs or examples.",
        )
        out.append(Statement("what", text, ("window",)))
    return tuple(out)


def _line(repo: RepoReport) -> Statement:
    """Counts of one repository and the one or two changes that its users meet first."""
    t = tally(repo.entries)
    told = [e for e in repo.entries if e.importance.level != "low" and not e.change.filtered]
    top = sorted(told, key=lambda e: (_met_by(e), -e.importance.score, e.change.sha))[:_NAMED]
    zh = f"{code(repo.repo.name)}：{t.commits} 个提交（{t.levels_zh()}）"
    en = f"{code(repo.repo.name)}: {plural(t.commits, 'commit')} ({t.levels_en()})"
    if top:
        names = [code(title(e.change)) for e in top]
        zh, en = f"{zh}；重点：{'；'.join(names)}", f"{en}; above all {'; '.join(names)}"
    evidence = (f"repo:{repo.repo.name}", *(f"commit:{e.change.sha}" for e in top))
    return Statement("what", say(zh + "。", en + "."), evidence)


def _met_by(entry: Entry) -> int:
    """What whoever upgrades meets before what they may try; what concerns the users of one platform last."""
    if any(few(entry, front(entry.change))):
        return 2
    return 0 if entry.breaking or any(map(_moves_core, entry.reading.findings)) else 1


_REQUIRED = frozenset({"dependency", "toolchain_required", "python_required"})


def _moves_core(finding: Finding) -> bool:
    """Another version of what a user must install; what only an image is built with is not that."""
    kind = kind_of(finding.kind)
    if kind.family not in _REQUIRED or kind.change != "changed" or not is_front(finding.path):
        return False
    return kind.family != "dependency" or is_core(finding.symbol)


def conclusion(repos: Sequence[RepoReport]) -> tuple[Statement, ...]:
    """The state at the end of the window: breaks, what was taken back, what could not be handled."""
    t = tally(e for r in repos for e in r.entries)
    out = [_breaks(t)] if t.commits else []
    undone = [(r, s) for r in repos for s in r.stories if s.kind == "revert"]
    if undone:
        text = say(
            f"窗口结束时有 {len(undone)} 项改动处于被回退状态。",
            f"At the end of the window {plural(len(undone), 'change')} stood reverted.",
        )
        out.append(Statement("risk", text, ("window", *(f"story:{s.id}" for _, s in undone))))
    lost = sum(len(r.skipped) for r in repos) + t.unread
    if lost:
        text = say(
            f"未能处理 {lost} 项，原因见附录。", f"{plural(lost, 'item')} could not be handled; the appendix says why."
        )
        out.append(Statement("risk", text, ("window",)))
    return tuple(out)


def _breaks(t: Tally) -> Statement:
    if t.breaking:
        text = say(
            f"{t.commits} 个提交中，{t.breaking} 个可能破坏现有用法，升级前请先处理。",
            f"Of {plural(t.commits, 'commit')}, {t.breaking} may break existing use; handle that before upgrading.",
        )
        return Statement("action", text, ("window",), "compatibility")
    text = say(
        f"{t.commits} 个提交中，规则没有识别出破坏性变更。",
        f"In {plural(t.commits, 'commit')} the rules see nothing that breaks existing use.",
    )
    return Statement("what", text, ("window",))
