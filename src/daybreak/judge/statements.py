"""Statements about one change, made from its findings; where there are none, its size and place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.statements import Dimension, Level, Role, Statement, Text
from daybreak.judge import phrases
from daybreak.judge.wording import MAX_CODE, code, coded, plural, say, size

_SENTENCES: dict[Level, int] = {"high": 4, "medium": 2, "low": 1}
"""How many findings sentences a change of each level gets."""


def statements(change: Change, reading: Reading, level: Level) -> tuple[Statement, ...]:
    """What one change does, for the report."""
    plain = _special(change)
    if plain is not None:
        return (plain,)
    told = phrases.what(reading.findings, _SENTENCES[level])
    out = [_statement("what", p.text, change, p.findings) for p in told]
    if level == "low":
        return (*(out[:1] or [_place("what", change, reading)]), *_unread(change, reading))
    if not out:
        out.append(_place("what", change, reading))
        out.extend(_largest(change, reading) if level == "medium" else ())
    out.extend(_consequences(change, [f for f in reading.findings if f.breaking], level))
    out.extend(_unread(change, reading))
    return tuple(out)


def _special(change: Change) -> Statement | None:
    """Changes of which only their form can be told."""
    if change.skipped is not None:
        reason = code(change.skipped)
        return _statement("what", say(f"内容未能读取：{reason}。", f"Its content could not be read: {reason}."), change)
    if change.empty:
        text = say("提交为空：树与父提交相同。", "An empty commit: its tree equals its parent's.")
        return _statement("what", text, change)
    if change.filtered:
        zh, en = _counts(change)
        text = say(f"不在关注的路径内；{zh}。", f"Outside the watched paths; {en}.")
        return _statement("what", text, change)
    return None


def _statement(
    role: Role, text: Text, change: Change, findings: Sequence[Finding] = (), dimension: Dimension | None = None
) -> Statement:
    evidence = (f"commit:{change.sha}", *(f"finding:{f.id}" for f in findings))
    return Statement(role, text, evidence, dimension)


def _counts(change: Change) -> tuple[str, str]:
    """Size in words; of a merge also how many commits it brought in."""
    lines = size(change.added, change.deleted)
    zh = f"改动 {change.files_total} 个文件（{lines}）"
    en = f"{plural(change.files_total, 'file')} changed ({lines})"
    if change.merged:
        zh = f"合并提交，带入 {len(change.merged)} 个提交；相对第一父提交" + zh
        en = f"a merge that brings in {plural(len(change.merged), 'commit')}; against its first parent, " + en
    return zh, en


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _place(role: Role, change: Change, reading: Reading) -> Statement:
    """Size and place, which is all there is to say without findings."""
    if (
        change.files_total == 1
        and len(change.files) == 1
        and not change.merged
        and len(change.files[0].path) <= MAX_CODE
    ):
        told = f"{code(change.files[0].path)} ({size(change.added, change.deleted)})"
        return _statement(role, say(f"改动 {told}。", f"Changes {told}."), change)
    zh, en = _counts(change)
    if reading.components:
        where_zh, where_en = coded(reading.components, 3)
        zh, en = f"{zh}，主要在 {where_zh}", f"{en}, mainly in {where_en}"
    return _statement(role, say(zh + "。", _capital(en) + "."), change)


def _largest(change: Change, reading: Reading) -> Iterator[Statement]:
    """The file a reader would open first, and the new ones, within the part of the project that changed most."""
    part = f"{reading.components[0]}/" if reading.components else ""
    files = [f for f in change.files if f.path.startswith(part) and len(f.path) <= MAX_CODE and _weight(f)]
    if change.files_total < 2 or not files or change.files_total > len(change.files):
        return  # of files that were not looked at, one may be larger
    first = max(files, key=_weight)
    told = f"{code(first.path)} ({size(first.added, first.deleted)})"
    zh, en = f"改动最多的文件是 {told}", f"Most of it is in {told}"
    others = [f.path for f in files if f.status == "A" and f is not first]
    if others:
        listed_zh, listed_en = coded(others, 3)
        zh, en = f"{zh}；新增 {listed_zh}", f"{en}; new: {listed_en}"
    yield _statement("what", say(zh + "。", en + "."), change)


def _weight(file: FileChange) -> int:
    return file.added + file.deleted


def _consequences(change: Change, breaking: Sequence[Finding], level: Level) -> Iterator[Statement]:
    """Who is affected by what breaks, what the diff shows of the old name, and what to do."""
    groups: dict[tuple[str, phrases.Side | None], list[Finding]] = {}
    for finding in breaking:
        groups.setdefault((finding.kind, phrases.side(finding)), []).append(finding)
    for group in list(groups.values())[: 2 if level == "high" else 1]:
        who, how, old = phrases.affected(group), phrases.remedy(group), phrases.alias(group)
        if who:
            text = say(f"{who['zh']}会受影响。", f"{_capital(who['en'])} are affected.")
            yield _statement("impact", text, change, group, "compatibility")
        if old and level == "high":
            yield _statement("risk", old, change, group, "compatibility")
        if how:
            text = say(f"{how['zh']}。", f"{_capital(how['en'])}.")
            yield _statement("action", text, change, group, "compatibility")


def _unread(change: Change, reading: Reading) -> Iterator[Statement]:
    """What of the change was not seen: nothing may be concluded from its absence."""
    if reading.partly:
        text = say(
            f"有 {reading.partly} 个文件改动过多，只分析了开头的 hunk。",
            f"{plural(reading.partly, 'file')} changed too much to look at whole; only the first hunks were analysed.",
        )
        yield _statement("risk", text, change)
    if reading.omitted:
        text = say(
            f"发现过多，另有 {reading.omitted} 条未列出。",
            f"Too many findings: {reading.omitted} more are not listed.",
        )
        yield _statement("risk", text, change)
    cut = sum(f.patch_cut for f in change.files)
    lost = sum(f.skipped is not None for f in change.files)
    beyond = change.files_total - len(change.files)
    if cut:
        text = say(
            f"有 {cut} 个文件的 diff 超过读取上限，只读了开头的 hunk。",
            f"The diff of {plural(cut, 'file')} exceeds the reading limit; only its first hunks were read.",
        )
        yield _statement("risk", text, change)
    if lost:
        text = say(f"有 {lost} 个文件的内容未能读取。", f"The content of {plural(lost, 'file')} could not be read.")
        yield _statement("risk", text, change)
    if beyond > 0:
        text = say(
            f"文件过多，只读了前 {len(change.files)} 个。",
            f"Too many files: only the first {len(change.files)} were read.",
        )
        yield _statement("risk", text, change)
