"""What a finding does to a user, as a short reason in Chinese and English."""

from __future__ import annotations

import re

from daybreak.core.model.findings import Finding
from daybreak.core.model.statements import Reason, Text
from daybreak.core.signatures import arguments
from daybreak.judge.phrases import is_hash, side
from daybreak.judge.wording import code, coded, say

LONGEST_VALUE = 60
"""A longer value would bury the name it belongs to."""

_NOUNS: dict[str, tuple[str, str]] = {
    "function": ("函数", "function"),
    "class": ("类", "class"),
    "module": ("模块", "module"),
    "export": ("导出", "export"),
    "parameter": ("参数", "parameter"),
    "attribute": ("属性", "attribute"),
    "enum_member": ("枚举成员", "enum member"),
    "field": ("配置字段", "field"),
    "cli_flag": ("命令行参数", "CLI flag"),
    "cli": ("命令行参数", "CLI flag"),
    "env": ("环境变量", "environment variable"),
    "route": ("HTTP 路由", "route"),
    "request_field": ("请求字段", "request field"),
    "response_field": ("响应字段", "response field"),
    "message_field": ("消息字段", "message field"),
    "metric": ("指标", "metric"),
    "operator": ("算子", "operator"),
    "cpp": ("C++ 符号", "C++ symbol"),
    "header": ("头文件", "header"),
    "macro": ("宏", "macro"),
    "check": ("检查", "check"),
    "extension_method": ("扩展点方法", "extension method"),
    "dependency": ("依赖", "dependency"),
    "pin": ("版本固定", "pin"),
    "arch": ("架构支持", "architecture"),
    "model": ("模型", "model"),
    "registry": ("注册项", "registered name"),
    "guard": ("校验", "check"),
    "base": ("基类", "base class"),
    "literal": ("取值", "allowed values of"),
}
_VERBS: dict[str, tuple[str, str]] = {
    "removed": ("删除{noun} {name}", "removes {noun} {name}"),
    "added": ("新增{noun} {name}", "adds {noun} {name}"),
    "renamed": ("{noun} {name} 更名", "renames {noun} {name}"),
    "moved": ("{noun} {name} 移动", "moves {noun} {name}"),
    "changed": ("{noun} {name} 变更", "changes {noun} {name}"),
    "deprecated": ("弃用{noun} {name}", "deprecates {noun} {name}"),
    "required_added": ("新增必填{noun} {name}", "adds required {noun} {name}"),
    "default_changed": ("{noun} {name} 的默认值变更", "changes the default of {noun} {name}"),
    "choices_changed": ("{noun} {name} 的可选值变更", "changes the choices of {noun} {name}"),
    "kind_changed": ("{noun} {name} 的传递方式变更", "changes how {noun} {name} is passed"),
    "signature_changed": ("{noun} {name} 签名变更", "changes the signature of {noun} {name}"),
    "read_removed": ("不再读取{noun} {name}", "no longer reads {noun} {name}"),
    "read_added": ("读取{noun} {name}", "reads {noun} {name}"),
    "renumbered": ("{noun} {name} 的编号变更", "renumbers {noun} {name}"),
    "narrowed": ("收窄{noun} {name}", "narrows {noun} {name}"),
    "widened": ("放宽{noun} {name}", "widens {noun} {name}"),
}
_VALUED_VERBS: dict[str, tuple[str, str]] = {
    "renamed": ("{noun} {name} 更名为 {a}", "renames {noun} {name} to {a}"),
    "moved": ("{noun} {name} 移至 {a}", "moves {noun} {name} to {a}"),
    "default_changed": ("{noun} {name} 的默认值：{b} → {a}", "changes the default of {noun} {name} from {b} to {a}"),
    "renumbered": ("{noun} {name} 的编号：{b} → {a}", "renumbers {noun} {name} from {b} to {a}"),
}
"""The same where the finding has a value before and after."""
_WHOLE: dict[str, tuple[str, str]] = {
    "deprecated": ("弃用 {name}", "deprecates {name}"),
    "switched_off": ("停用代码路径 {name}", "switches off {name}"),
    "gate_added": ("原有路径改为开启 {name} 才生效", "puts an existing path behind {name}"),
    "gate_removed": ("原有路径不再受 {name} 控制", "frees a path from {name}"),
    "dispatch_changed": ("{name} 中的分派条件变更", "changes a dispatch condition in {name}"),
    "operator_changed": ("算子 {name} 签名变更", "changes the signature of operator {name}"),
    "extension_method_changed": ("扩展点方法 {name} 签名变更", "changes the signature of extension method {name}"),
    "passing_default_changed": ("取不到 {name} 时的默认值变更", "changes the fallback value of {name}"),
    "decorator_changed": ("{name} 的装饰器变更", "changes a decorator of {name}"),
    "exception_changed": ("改抛 {name}", "raises {name} instead"),
    "source_changed": ("上游源码 {name} 变更", "takes another version of {name}"),
    "submodule_changed": ("子模块 {name} 变更", "takes another version of submodule {name}"),
    "version_changed": ("项目版本 {name} 变更", "changes the project's version in {name}"),
    "python_required_changed": ("所需 Python 版本变更", "requires another Python version"),
    "toolchain_required_changed": ("所需工具链 {name} 的版本变更", "requires another version of {name}"),
    "dependency_changed": ("依赖 {name} 的版本变更", "requires another version of {name}"),
    "pin_changed": ("{name} 的版本变更", "pins another version of {name}"),
    "image_changed": ("镜像 {name} 变更", "uses another image {name}"),
}
_VALUED: dict[str, tuple[str, str]] = {
    "passing_default_changed": (
        "取不到 {name} 时的默认值：{b} → {a}",
        "changes the fallback value of {name} from {b} to {a}",
    ),
    "exception_changed": ("改抛 {name}（此前为 {b}）", "raises {name} instead of {b}"),
    "source_changed": ("上游源码 {name}：{b} → {a}", "takes {name} {a} instead of {b}"),
    "python_required_changed": ("所需 Python 版本：{b} → {a}", "requires Python {a} instead of {b}"),
    "toolchain_required_changed": ("所需工具链 {name}：{b} → {a}", "requires {name} {a} instead of {b}"),
    "dependency_changed": ("依赖 {name}：{b} → {a}", "requires {name} {a} instead of {b}"),
    "pin_changed": ("{name} 的版本：{b} → {a}", "pins {name} to {a} instead of {b}"),
}
_OTHER = ("{name} 变更", "changes {name}")
_NO_NAME = frozenset({"module_moved", "parameter_moved"})
"""What they have before and after is a list or a part of the path, not the name they speak of."""


def said_by(finding: Finding) -> Reason:
    """The finding as a reason: what is done to which name, with its old and new value where they are short."""
    return Reason(finding.kind, _operator(finding) or _valued(finding) or _plain(finding))


def _plain(finding: Finding) -> Text:
    row = _row(_spoken(finding), _WHOLE, _VERBS) or _OTHER
    return _filled(row, {"{name}": finding.symbol})


def _valued(finding: Finding) -> Text | None:
    """Old and new value; nothing where there is no such pair, or one that a reader has nothing from."""
    row = None if finding.kind in _NO_NAME else _row(_spoken(finding), _VALUED, _VALUED_VERBS)
    before, after = finding.before or "", _new(finding)
    if row is None or not (_tells(before) or "{b}" not in row[1]) or not _tells(after) or before == after:
        return None
    return _filled(row, {"{name}": finding.symbol, "{b}": before, "{a}": after})


def _spoken(finding: Finding) -> str:
    """The kind as it is spoken of: a field of an answer is no field of a request."""
    return finding.kind.replace("request_", "response_") if side(finding) == "read" else finding.kind


def _row(kind: str, whole: dict[str, tuple[str, str]], verbs: dict[str, tuple[str, str]]) -> tuple[str, str] | None:
    """Kinds are made of a noun and a verb; the longest verb that fits decides."""
    if kind in whole or kind in _WHOLE:
        return whole.get(kind)
    for verb in sorted(_VERBS, key=len, reverse=True):
        noun = kind.removesuffix(f"_{verb}")
        if noun != kind and noun in _NOUNS:
            row, (zh, en) = verbs.get(verb), _NOUNS[noun]
            return row and (_joined(row[0], zh), row[1].replace("{noun}", en))
    return None


def _joined(phrase: str, noun: str) -> str:
    """A Latin noun behind a Chinese word stands apart from it."""
    apart = noun[0].isascii() and not phrase.startswith("{noun}")
    return phrase.replace("{noun}", f" {noun}" if apart else noun)


def _filled(row: tuple[str, str], places: dict[str, str]) -> Text:
    """Filled at once, so that braces inside filled words stay as they are."""
    zh, en = (_PLACE.sub(lambda m: code(places[m[0]]), text) for text in row)
    return say(zh, en)


_PLACE = re.compile(r"\{(?:name|a|b)\}")


def _new(finding: Finding) -> str:
    """What it is now: of a thing with another name that name alone, of one that moved its new place."""
    before, after, symbol = finding.before or "", finding.after or "", finding.symbol
    if not before.endswith(f".{symbol}"):
        return after
    if finding.kind.endswith("_moved"):
        return after.removesuffix(f".{symbol}")
    return after.rpartition(".")[2] if finding.kind.endswith("_renamed") else after


def _tells(value: str) -> bool:
    """Short, and no id of a commit elsewhere."""
    return 0 < len(value) <= LONGEST_VALUE and not is_hash(value) and "://" not in value


def _operator(finding: Finding) -> Text | None:
    """Parameters that an operator lost and won, where both schemas are known and name them."""
    if finding.kind != "operator_changed":
        return None
    was, now = (_parameters(schema or "") for schema in (finding.before, finding.after))
    if was is None or now is None:
        return None
    lost, come = [x for x in was if x not in now], [x for x in now if x not in was]
    if not lost and not come:
        return None
    head = _plain(finding)
    (gone_zh, gone_en), (new_zh, new_en) = (coded(x, 3) if x else ("", "") for x in (lost, come))
    parts_zh = [f"删除参数 {gone_zh}" if lost else "", f"新增参数 {new_zh}" if come else ""]
    parts_en = [f"loses {gone_en}" if lost else "", f"gains {new_en}" if come else ""]
    return say(
        f"{head['zh']}：{'，'.join(filter(None, parts_zh))}", f"{head['en']}: {', '.join(filter(None, parts_en))}"
    )


def _parameters(schema: str) -> list[str] | None:
    """Names of what stands in the first parentheses; None where they do not close or do not name each."""
    parts = [part.partition("=")[0].strip() for part in arguments(schema)]
    if not parts:
        return None
    found = [_parameter(part) for part in parts if part not in ("", "*")]
    return [name for name in found if name] if all(found) else None


_NAMED = re.compile(
    r"(\w{1,80})\s{0,4}:(?!:).{1,200}|([^:]{0,200}(?:::[^:]{0,200}){0,9}[\s&*])([A-Za-z_]\w{0,80})", re.DOTALL
)
"""`name: type`, or `type name`."""
_QUALIFIERS = frozenset({"const", "volatile", "struct", "class", "enum", "typename"})
"""Before a word, and nothing else, they make it a type: `const Tensor` has no name."""
_TYPES = _QUALIFIERS | frozenset("unsigned signed long short int char bool float double void auto __restrict__".split())  # noqa: SIM905  words read better than a list of strings


def _parameter(part: str) -> str | None:
    """Its name; None for a type without one, as C++ allows."""
    match = _NAMED.fullmatch(part)
    if match is None or match[1]:
        return match and match[1]
    unnamed = match[3] in _TYPES or _QUALIFIERS.issuperset(match[2].split())
    return None if unnamed else match[3]
