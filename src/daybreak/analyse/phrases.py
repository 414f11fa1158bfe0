"""What a finding says, in both languages.

Three tables by kind: what changed, who is affected, what to do. `{s}` is the symbols, `{b}` and `{a}` before and
after, `{p}` the path. A new kind of finding is a row here; a kind without a row is kept as data and not told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from daybreak.analyse.wording import code, coded, say
from daybreak.model import Finding, Text


class Phrase(NamedTuple):
    """One sentence, and the findings it rests on."""

    text: Text
    findings: tuple[Finding, ...]


_LISTS: dict[str, tuple[str, str]] = {
    "cli_flag_removed": ("删除命令行参数 {s}（{p}）。", "Removes the command line option{x} {s} ({p})."),
    "cli_flag_added": ("新增命令行参数 {s}（{p}）。", "Adds the command line option{x} {s} ({p})."),
    "env_removed": ("删除环境变量 {s}（{p}）。", "Removes the environment variable{x} {s} ({p})."),
    "env_added": ("新增环境变量 {s}（{p}）。", "Adds the environment variable{x} {s} ({p})."),
    "env_read_removed": ("{p} 不再读取环境变量 {s}。", "{p} no longer reads the environment variable{x} {s}."),
    "env_read_added": ("{p} 开始读取环境变量 {s}。", "{p} now reads the environment variable{x} {s}."),
    "function_removed": ("删除函数 {s}（{p}）。", "Removes the function{x} {s} ({p})."),
    "class_removed": ("删除类 {s}（{p}）。", "Removes the class definition{x} {s} ({p})."),
    "field_removed": ("删除字段 {s}（{p}）。", "Removes the field{x} {s} ({p})."),
    "operator_removed": ("删除算子注册 {s}（{p}）。", "Removes the registered operator{x} {s} ({p})."),
    "macro_removed": ("删除宏 {s}（{p}）。", "Removes the macro{x} {s} ({p})."),
    "deprecated": ("为 {s} 新增弃用标记（{p}）。", "Marks {s} as deprecated ({p})."),
    "parameter_removed": ("删除参数 {s}（{p}）。", "Removes the parameter{x} {s} ({p})."),
    "parameter_added": ("新增可选参数 {s}（{p}）。", "Adds the optional parameter{x} {s} ({p})."),
    "parameter_required_added": ("新增必填参数 {s}（{p}）。", "Adds the required parameter{x} {s} ({p})."),
    "dependency_added": ("新增依赖 {s}（{p}）。", "Adds {s} to the dependencies ({p})."),
    "dependency_removed": ("移除依赖 {s}（{p}）。", "Drops {s} from the dependencies ({p})."),
    "submodule_changed": ("子模块 {s} 指向新的提交。", "The submodule {s} points to a new commit."),
}
_PAIRS: dict[str, tuple[str, str]] = {
    "cli_flag_renamed": ("命令行参数 {b} 更名为 {a}（{p}）。", "Renames the command line option {b} to {a} ({p})."),
    "cli_default_changed": ("{s} 的默认值：{b} → {a}（{p}）。", "Default of {s}: {b} → {a} ({p})."),
    "env_renamed": ("环境变量 {b} 更名为 {a}（{p}）。", "Renames the environment variable {b} to {a} ({p})."),
    "env_default_changed": (
        "环境变量 {s} 的默认值：{b} → {a}。",
        "Default of the environment variable {s}: {b} → {a}.",
    ),
    "field_default_changed": ("{s} 的默认值：{b} → {a}（{p}）。", "Default of {s}: {b} → {a} ({p})."),
    "parameter_default_changed": ("参数默认值 {s}：{b} → {a}（{p}）。", "Parameter default {s}: {b} → {a} ({p})."),
    "parameter_renamed": ("参数更名 {s}：{b} → {a}（{p}）。", "Renames a parameter, {s}: {b} → {a} ({p})."),
    "operator_changed": ("算子 {s} 的 schema 改变：{b} → {a}。", "Schema of the operator {s}: {b} → {a}."),
    "macro_changed": ("宏 {s}：{b} → {a}（{p}）。", "Macro {s}: {b} → {a} ({p})."),
    "cpp_signature_changed": ("函数签名：{b} → {a}（{p}）。", "Function signature: {b} → {a} ({p})."),
    "dependency_changed": ("依赖 {s}：{b} → {a}（{p}）。", "Dependency {s}: {b} → {a} ({p})."),
    "pin_changed": ("{s}：{b} → {a}（{p}）。", "{s}: {b} → {a} ({p})."),
    "image_changed": ("基础镜像 {s}：{b} → {a}（{p}）。", "Base image {s}: {b} → {a} ({p})."),
    "source_changed": ("源码依赖 {s}：{b} → {a}（{p}）。", "Source dependency {s}: {b} → {a} ({p})."),
    "version_changed": ("项目版本：{b} → {a}（{p}）。", "Project version: {b} → {a} ({p})."),
    "python_required_changed": ("要求的 Python 版本：{b} → {a}（{p}）。", "Required Python: {b} → {a} ({p})."),
}
_HASHED: dict[str, tuple[str, str]] = {
    "source_changed": ("源码依赖 {s} 指向新的提交（{p}）。", "The source dependency {s} points to a new commit ({p})."),
    "pin_changed": ("{s} 指向新的提交（{p}）。", "{s} points to a new commit ({p})."),
}
_AFFECTED: dict[str, tuple[str, str]] = {
    "cli_default_changed": ("没有显式设置 {s} 的部署", "deployments that do not set {s} themselves"),
    "env_default_changed": ("没有显式设置 {s} 的环境", "environments that do not set {s} themselves"),
    "field_default_changed": (
        "没有显式设置 {s} 的配置或请求",
        "configurations and requests that do not set {s} themselves",
    ),
    "cli": ("启动命令或部署脚本里用到 {s} 的部署", "deployments whose launch commands use {s}"),
    "env": ("设置了 {s} 的环境", "environments that set {s}"),
    "field": ("使用 {s} 的配置、请求或启动参数", "configurations, requests and launch options that use {s}"),
    "parameter": ("调用 {s} 的代码", "callers of {s}"),
    "function": ("导入或调用 {s} 的代码", "modules that import or call {s}"),
    "class": ("导入 {s} 的代码", "modules that import {s}"),
    "operator": ("直接调用算子 {s} 的代码", "direct callers of the operator {s}"),
    "macro": ("使用宏 {s} 的代码", "users of the macro {s}"),
}
_REMEDY: dict[str, tuple[str, str]] = {
    "cli_flag_removed": ("升级前删去该参数", "remove the option before upgrading"),
    "cli_flag_renamed": ("改用 {a}", "use {a} instead"),
    "cli_choices_changed": ("换成当前列表中的取值", "choose a value of the current list"),
    "cli_default_changed": ("需要旧行为时显式设为 {b}", "set {b} explicitly to keep the old behaviour"),
    "env_removed": ("升级前删去该变量的设置", "remove the setting before upgrading"),
    "env_renamed": ("改用 {a}", "use {a} instead"),
    "env_default_changed": ("需要旧行为时显式设为 {b}", "set {b} explicitly to keep the old behaviour"),
    "field_removed": ("升级前去掉该字段", "drop the field before upgrading"),
    "field_default_changed": ("需要旧行为时显式设为 {b}", "set {b} explicitly to keep the old behaviour"),
    "function_removed": ("升级前改掉这些引用", "replace the references before upgrading"),
    "class_removed": ("升级前改掉这些引用", "replace the references before upgrading"),
    "parameter_removed": ("去掉该参数", "drop the argument"),
    "parameter_required_added": ("补上该参数", "pass the new argument"),
    "operator_changed": ("按新 schema 调用", "call it with the new schema"),
    "operator_removed": ("升级前改掉这些调用", "replace the calls before upgrading"),
}
_SOUGHT = frozenset(
    {"cli_flag_removed", "env_removed", "field_removed", "function_removed", "class_removed", "operator_removed"}
)
"""Removals that readers only tell when the name stands on no other line of the commit's diff."""
_HASH = re.compile(r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}")
_QUOTED = re.compile(r"[\"']([^\"'\n]{1,80})[\"']")


def what(findings: Sequence[Finding], limit: int) -> list[Phrase]:
    """The first `limit` sentences that a change's findings give, breaking ones first."""
    out: list[Phrase] = []
    for group in _grouped(findings):
        phrase = _one(group)
        if phrase is not None:
            out.append(phrase)
        if len(out) == limit:
            break
    return out


def _grouped(findings: Sequence[Finding]) -> Iterator[tuple[Finding, ...]]:
    """Findings that one sentence tells: lists by kind and path, pairs alone."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for f in findings:
        key = (f.kind, f.path, f.breaking) if f.kind in _LISTS else (f.id,)
        groups.setdefault(key, []).append(f)
    yield from map(tuple, groups.values())


def _one(group: tuple[Finding, ...]) -> Phrase | None:
    first = group[0]
    if first.kind == "cli_choices_changed":
        return Phrase(_choices(first), group)
    hashed = bool(_HASH.fullmatch(first.after or "") or _HASH.fullmatch(first.before or ""))
    table = _LISTS if first.kind in _LISTS else _HASHED if hashed else _PAIRS
    row = table.get(first.kind)
    return Phrase(_fill(row, group), group) if row else None


def _fill(row: tuple[str, str], group: Iterable[Finding]) -> Text:
    """A row of a table with its places filled; braces inside filled words stay as they are."""
    found = list(group)
    zh, en = coded(f.symbol for f in found)
    places = {"{b}": code(found[0].before or ""), "{a}": code(found[0].after or ""), "{p}": code(found[0].path)}
    return say(
        _place(row[0], {**places, "{s}": zh}),
        _place(row[1], {**places, "{s}": en, "{x}": "s" if len({f.symbol for f in found}) > 1 else ""}),
    )


def _place(template: str, places: dict[str, str]) -> str:
    return re.sub(r"\{[sbapx]\}", lambda m: places[m[0]], template)


def _choices(finding: Finding) -> Text:
    """Which values went and which came; the whole lists when they are not lists of literals."""
    lost, come = _lost_and_new(finding)
    symbol, path = code(finding.symbol), code(finding.path)
    if not lost and not come:
        return say(f"{symbol} 的取值列表有改动（{path}）。", f"The allowed values of {symbol} changed ({path}).")
    gone, new = (coded(v, 8) if v else ("", "") for v in (lost, come))
    zh = "；".join(x for x in (f"移除取值 {gone[0]}" if lost else "", f"新增取值 {new[0]}" if come else "") if x)
    en = "; ".join(x for x in (f"removes {gone[1]}" if lost else "", f"adds {new[1]}" if come else "") if x)
    return say(f"{symbol}：{zh}（{path}）。", f"{symbol}: {en} ({path}).")


def _users_of_values(finding: Finding) -> Text | None:
    lost, _ = _lost_and_new(finding)
    zh, en = coded(lost, 8) if lost else ("", "")
    return say(f"启动命令里仍写 {zh} 的部署", f"deployments whose launch commands still say {en}") if lost else None


def _lost_and_new(finding: Finding) -> tuple[list[str], list[str]]:
    """Literal values that only the old list has, and that only the new one has."""
    was, now = (_QUOTED.findall(x or "") for x in (finding.before, finding.after))
    return [v for v in was if v not in now], [v for v in now if v not in was]


def affected(findings: Sequence[Finding]) -> Text | None:
    """Who meets these findings (all of one kind)."""
    if findings[0].kind == "cli_choices_changed":
        return _users_of_values(findings[0])
    row = _AFFECTED.get(findings[0].kind) or _AFFECTED.get(findings[0].kind.split("_")[0])
    return _fill(row, findings) if row else None


def remedy(findings: Sequence[Finding]) -> Text | None:
    """What they do about it."""
    row = _REMEDY.get(findings[0].kind)
    return _fill(row, findings) if row else None


def alias(findings: Sequence[Finding]) -> Text | None:
    """What the diff shows of the old name's fate; nothing when it shows nothing."""
    if all(f.alias is not None and f.alias.status == "none" for f in findings):
        return say("旧写法没有保留。", "The old form is not kept.")
    if all(f.kind in _SOUGHT and f.alias is None for f in findings):
        zh, en = coded(f.symbol.rsplit(".", 1)[-1] for f in findings)
        return say(
            f"在该提交的 diff 中，{zh} 只出现在被删除的行里。",
            f"In the commit's diff, {en} can be seen on removed lines only.",
        )
    return None
