"""What a finding says, in both languages, from the table in phrases.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import resources
from typing import Literal, NamedTuple

from daybreak.core.model.findings import Finding
from daybreak.core.model.statements import Text
from daybreak.judge.wording import code, code_pair, coded, say

_HASH = re.compile(r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}")
_DIGEST = re.compile(r"…[0-9a-f]{12}")
"""What stands for a value of more than a thousand characters."""
_QUOTED = re.compile(r"[\"']([^\"'\n]{1,80})[\"']")
_PLACE = re.compile(r"\{[sbapx]\}")
_SOUGHT = frozenset(
    {"cli_flag_removed", "env_removed", "field_removed", "function_removed", "class_removed", "operator_removed"}
)
"""Removals that readers only tell when the name stands on no other line of the commit's diff."""
_LEAVES = ("_removed", "_renamed", "_moved")
_NAMELESS = (
    "dependency_",
    "pin_",
    "arch_",
    "check_",
    "guard_",
    "gate_",
    "base_",
    "env_read_",
    "waiting_note_",
    "only_",
)
"""What has no name that could live on beside the new one."""
_READ = re.compile(r"(?:Response(?:Base)?|Output|Chunk|Response\w{0,20}(?:Choice|Data|Usage|Event))$")
_SENT = re.compile(r"(?:Request|ReqInput)(?:Base|Body|Input|\w{0,20}Mixin)?$")
_ALIAS: dict[str, tuple[str, str]] = {
    "none": ("，没有兼容别名", ", no alias is kept"),
    "deprecated": ("，旧名暂时可用（已弃用）", ", the old name still works but is deprecated"),
    "kept": ("，旧名仍可用", ", the old name still works"),
}


Side = Literal["sent", "read"]


class Phrase(NamedTuple):
    """One sentence, and the findings it rests on."""

    text: Text
    findings: tuple[Finding, ...]


@lru_cache(maxsize=1)
def table() -> Mapping[str, Mapping[str, str]]:
    """The rows of phrases.toml by kind."""
    return tomllib.loads(resources.files("daybreak.judge").joinpath("phrases.toml").read_text(encoding="utf-8"))


def is_hash(text: str) -> bool:
    """An id of a commit: it tells a reader nothing."""
    return _HASH.fullmatch(text) is not None


def side(finding: Finding) -> Side | None:
    """Whether clients send or read a server's field, by the name of its class; None where that does not say."""
    owner = finding.symbol.rpartition(".")[0] if finding.kind.startswith("request_field_") else ""
    return "read" if _READ.search(owner) else "sent" if _SENT.search(owner) else None


def _row(finding: Finding) -> Mapping[str, str]:
    """The words of a finding: those of its kind, and in their place those of the side it stands on."""
    row, start = table().get(finding.kind, {}), f"{side(finding)}_"
    row = {**row, **{part.removeprefix(start): text for part, text in row.items() if part.startswith(start)}}
    if any(_DIGEST.fullmatch(value or "") for value in (finding.before, finding.after)):
        return _without_values(row)
    return row


def _without_values(row: Mapping[str, str]) -> dict[str, str]:
    """The words for values that are too long to be shown: that they changed, and no remedy that names one."""
    told = {
        part: text.replace("：{b} → {a}", "有改动").replace(": {b} → {a}", " changes") for part, text in row.items()
    }
    return {part: text for part, text in told.items() if part in ("zh", "en") or "{b}" not in text}


def what(findings: Sequence[Finding], limit: int) -> list[Phrase]:
    """The first `limit` sentences that a change's findings give, breaking ones first."""
    out: list[Phrase] = []
    for group in _grouped(findings):
        out.append(_one(group))
        if len(out) == limit:
            break
    return out


def _grouped(findings: Sequence[Finding]) -> Iterator[tuple[Finding, ...]]:
    """Findings that one sentence tells: lists by kind, path and alias; what has a before and after alone."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for f in findings:
        row = _row(f)
        if not row:
            continue
        alone = "{b}" in row["zh"] or "{a}" in row["zh"] or f.kind == "cli_choices_changed"
        key = (f.id,) if alone else (f.kind, f.path, f.breaking, f.alias, f.effective, side(f))
        groups.setdefault(key, []).append(f)
    yield from map(tuple, groups.values())


def _one(group: tuple[Finding, ...]) -> Phrase:
    first = group[0]
    text = _choices(first) if first.kind == "cli_choices_changed" else _sentence(group)
    zh, en = _fate(first)
    more_zh, more_en = _effect(first.effective)
    return Phrase(say(f"{text['zh']}{zh}{more_zh}。", f"{text['en']}{en}{more_en}."), group)


def _sentence(group: tuple[Finding, ...]) -> Text:
    first, row = group[0], _row(group[0])
    if any(is_hash(x or "") for x in (first.before, first.after)):
        # An id of a commit elsewhere tells a reader nothing, and is no commit of this repository.
        return _fill(("{s} 指向新的提交（{p}）", "{s} points to a new commit ({p})"), group)
    if first.kind == "dependency_added" and first.after and len(group) == 1:
        return _fill(("新增依赖 {s} {a}（{p}）", "Adds {s} {a} to the dependencies ({p})"), group)
    if _asks_nothing(first):
        return _fill((row["free_zh"], row["free_en"]), group)
    return _fill((row["zh"], row["en"]), group)


def _asks_nothing(finding: Finding) -> bool:
    """A kind that breaks in one form only, and this is the other."""
    return not finding.breaking and "free_zh" in table().get(finding.kind, {})


def _fate(finding: Finding) -> tuple[str, str]:
    """Whether an old name still works: said of names and values that went, and of nothing else."""
    named = finding.kind.endswith(_LEAVES) and not finding.kind.startswith(_NAMELESS)
    named = named or (finding.kind == "cli_choices_changed" and bool(_lost_and_new(finding)[0]))
    return _ALIAS[finding.alias.status] if named and finding.alias is not None else ("", "")


def _effect(effective: str | None) -> tuple[str, str]:
    if not effective:
        return "", ""
    return f"；随 {code(effective)} 的版本生效", f"; takes effect with a release of {code(effective)}"


def _fill(row: tuple[str, str], group: Iterable[Finding]) -> Text:
    """A row of the table with its places filled; braces inside filled words stay as they are."""
    found = list(group)
    zh, en = coded(f.symbol for f in found)
    before, after = code_pair(found[0].before or "", found[0].after or "")
    places = {"{b}": before, "{a}": after, "{p}": code(found[0].path)}
    many = "s" if len({f.symbol for f in found}) > 1 else ""
    return say(_place(row[0], {**places, "{s}": zh}), _place(row[1], {**places, "{s}": en, "{x}": many}))


def _place(template: str, places: dict[str, str]) -> str:
    return _PLACE.sub(lambda m: places.get(m[0], ""), template)


def _choices(finding: Finding) -> Text:
    """Which values went and which came; that there was a change when they are not lists of literals."""
    lost, come = _lost_and_new(finding)
    if not lost and not come:
        return _sentence((finding,))
    symbol, path = code(finding.symbol), code(finding.path)
    gone, new = (coded(v, 8) if v else ("", "") for v in (lost, come))
    zh = "；".join(x for x in (f"删除取值 {gone[0]}" if lost else "", f"新增取值 {new[0]}" if come else "") if x)
    en = "; ".join(x for x in (f"removes {gone[1]}" if lost else "", f"adds {new[1]}" if come else "") if x)
    return say(f"{symbol}：{zh}（{path}）", f"{symbol}: {en} ({path})")


def _lost_and_new(finding: Finding) -> tuple[list[str], list[str]]:
    """Literal values that only the old list has, and that only the new one has."""
    was, now = (_QUOTED.findall(x or "") for x in (finding.before, finding.after))
    return [v for v in was if v not in now], [v for v in now if v not in was]


def affected(findings: Sequence[Finding]) -> Text | None:
    """Who meets these findings (all of one kind and side)."""
    first = findings[0]
    if first.kind == "cli_choices_changed":
        lost, _ = _lost_and_new(first)
        zh, en = coded(lost, 8) if lost else ("", "")
        return say(f"启动命令里仍写 {zh} 的部署", f"deployments whose launch commands still say {en}") if lost else None
    return _of_row(findings, "who")


def remedy(findings: Sequence[Finding]) -> Text | None:
    """What they do about it."""
    first = findings[0]
    if any(is_hash(x or "") for x in (first.before, first.after)):
        return None
    if successor := _successor(findings):
        return say(f"改用 {code(successor)}", f"use {code(successor)} instead")
    instead = {f.after for f in findings} == {first.after} and bool(first.after)
    return (_of_row(findings, "to") if instead else None) or _of_row(findings, "how")


def _successor(findings: Sequence[Finding]) -> str | None:
    """The one name that a registry has now for what went; readers of registries know it, and tell no rename."""
    if len(findings) != 1 or findings[0].kind not in ("model_removed", "registry_removed"):
        return None
    alias = findings[0].alias
    return alias.where if alias and alias.status == "none" else None


def _of_row(findings: Sequence[Finding], part: str) -> Text | None:
    row = _row(findings[0])
    if _asks_nothing(findings[0]):
        return None
    return _fill((row[f"{part}_zh"], row[f"{part}_en"]), findings) if f"{part}_zh" in row else None


def alias(findings: Sequence[Finding]) -> Text | None:
    """What the diff shows of a removed name when nothing more is known of its fate."""
    if all(f.kind in _SOUGHT and f.alias is None for f in findings):
        zh, en = coded(f.symbol.rsplit(".", 1)[-1] for f in findings)
        return say(
            f"在该提交的 diff 中，{zh} 只出现在被删除的行里。",
            f"In the commit's diff, {en} can be seen on removed lines only.",
        )
    return None
