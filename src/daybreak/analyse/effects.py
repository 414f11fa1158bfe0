"""What a finding does to a user, as a short reason in Chinese and English."""

from __future__ import annotations

from daybreak.analyse.wording import code, say
from daybreak.model import Finding, Reason

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
    "message_field": ("消息字段", "message field"),
    "metric": ("指标", "metric"),
    "operator": ("算子", "operator"),
    "cpp": ("C++ 符号", "C++ symbol"),
    "header": ("头文件", "header"),
    "macro": ("宏", "macro"),
    "check": ("检查", "check"),
    "extension_method": ("扩展点方法", "extension point"),
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
    "removed": ("移除{noun} {name}", "removes {noun} {name}"),
    "added": ("新增{noun} {name}", "adds {noun} {name}"),
    "renamed": ("更名{noun} {name}", "renames {noun} {name}"),
    "moved": ("移动{noun} {name}", "moves {noun} {name}"),
    "changed": ("改变{noun} {name}", "changes {noun} {name}"),
    "deprecated": ("弃用{noun} {name}", "deprecates {noun} {name}"),
    "required_added": ("新增必填{noun} {name}", "adds required {noun} {name}"),
    "default_changed": ("改变{noun} {name} 的默认值", "changes the default of {noun} {name}"),
    "choices_changed": ("改变{noun} {name} 的可选值", "changes the choices of {noun} {name}"),
    "kind_changed": ("改变{noun} {name} 的传递方式", "changes how {noun} {name} is passed"),
    "signature_changed": ("改变{noun} {name} 的签名", "changes the signature of {noun} {name}"),
    "read_removed": ("不再读取{noun} {name}", "no longer reads {noun} {name}"),
    "read_added": ("读取{noun} {name}", "reads {noun} {name}"),
    "renumbered": ("改变{noun} {name} 的编号", "renumbers {noun} {name}"),
    "narrowed": ("收窄{noun} {name}", "narrows {noun} {name}"),
    "widened": ("放宽{noun} {name}", "widens {noun} {name}"),
}
_WHOLE: dict[str, tuple[str, str]] = {
    "deprecated": ("弃用 {name}", "deprecates {name}"),
    "switched_off": ("停用代码路径 {name}", "switches off {name}"),
    "gate_added": ("原有路径改为开启 {name} 才生效", "puts an existing path behind {name}"),
    "gate_removed": ("原有路径不再受 {name} 控制", "frees a path from {name}"),
    "dispatch_changed": ("改变 kernel 或后端的选择条件 {name}", "changes when {name} is chosen"),
    "passing_default_changed": ("改变取不到值时的默认 {name}", "changes the fallback value of {name}"),
    "decorator_changed": ("改变 {name} 的装饰器", "changes a decorator of {name}"),
    "exception_changed": ("改抛 {name}", "raises {name} instead"),
    "source_changed": ("变更上游源码 {name}", "takes another version of {name}"),
    "submodule_changed": ("变更子模块 {name}", "takes another version of submodule {name}"),
    "version_changed": ("变更项目版本 {name}", "changes the project's version in {name}"),
    "python_required_changed": ("改变所需 Python 版本", "requires another Python version"),
    "toolchain_required_changed": ("改变所需工具链版本 {name}", "requires another version of {name}"),
    "dependency_changed": ("变更依赖 {name} 的版本", "requires another version of {name}"),
    "pin_changed": ("变更 {name} 的版本", "pins another version of {name}"),
    "image_changed": ("变更镜像 {name}", "uses another image {name}"),
}
_OTHER = ("改变 {name}", "changes {name}")


def said_by(finding: Finding) -> Reason:
    """The finding as a reason: what is done to which name."""
    zh, en = _template(finding.kind)
    name = code(finding.symbol)
    return Reason(finding.kind, say(zh.replace("{name}", name).strip(), en.replace("{name}", name).strip()))


def _template(kind: str) -> tuple[str, str]:
    """Kinds are made of a noun and a verb; the longest verb that fits decides."""
    if kind in _WHOLE:
        return _WHOLE[kind]
    for verb in sorted(_VERBS, key=len, reverse=True):
        noun = kind.removesuffix(f"_{verb}")
        if noun != kind and noun in _NOUNS:
            zh, en = _VERBS[verb]
            return zh.replace("{noun}", _NOUNS[noun][0]), en.replace("{noun}", _NOUNS[noun][1])
    return _OTHER
