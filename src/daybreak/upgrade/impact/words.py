"""The sentences of a hit: what you use and what became of it, and what to write instead."""

from __future__ import annotations

from daybreak.core.model.findings import Finding
from daybreak.core.model.statements import Text
from daybreak.core.model.upgrade import Net
from daybreak.findings.kinds import ANOTHER_NAME, kind_of
from daybreak.judge import phrases
from daybreak.judge.wording import code, say
from daybreak.upgrade.impact.base import Judged

_ROLES: dict[str, tuple[str, str]] = {
    "use": ("你用到 {w}", "You use {w}"),
    "reach": ("你用到 {w}，目标版本里已没有这个名字", "You use {w}, a name that is gone at the end of the range"),
    "pass": ("你给 {w} 传了 {p}", "You pass {p} to {w}"),
    "lack": ("你调用 {w} 时没有传 {p}", "You call {w} without {p}"),
    "omit": ("你调用 {w} 时没有显式传 {p}", "You call {w} and leave {p} to its default"),
    "place": ("你按位置给 {w} 传参", "You pass arguments to {w} by position"),
    "override": ("你重写了 {w}", "You override {w}"),
    "implement": ("你继承 {w}，没有实现 {p}", "You subclass {w} and do not implement {p}"),
    "patch": ("你替换了 {w}", "You patch {w}"),
    "set": ("你设置了 {w}", "You set {w}"),
    "value": ("你把 {w} 设为 {p}", "You set {w} to {p}"),
    "unset": ("你用 {w} 时没有显式设置 {p}", "You use {w} and leave {p} to its default"),
    "send": ("你的请求里有字段 {w}", "Your requests send the field {w}"),
    "pin": ("你的依赖要求是 {w}", "You require {w}"),
}
_ACTIONS: dict[str, tuple[str, str]] = {
    "implement": ("在子类中实现 {p}。", "Implement {p} in your subclass."),
    "override": ("按上游现在的写法改掉这处重写。", "Make the override follow what upstream has now."),
    "patch": ("确认这处替换仍然有效，必要时改掉。", "Make sure that the patch still works, and change it if not."),
    "place": ("改用关键字传参，并对照新的参数表。", "Pass arguments by keyword and compare with the new parameters."),
    "look": ("对照上游的改动，确认现有行为符合预期。", "Read the change and make sure that it does what you expect."),
}
_OUTDATED = ("升级前改掉这处引用。", "Replace it before upgrading.")


def why(judged: Judged, net: Net) -> Text:
    """What you use, and what upstream did to it."""
    zh, en = _filled(_ROLES[judged.role], judged)
    told = _told(net.finding)
    return say(f"{zh}。上游：{told['zh']}", f"{en}. Upstream: {told['en']}")


def action(judged: Judged, net: Net) -> Text:
    """What to write instead."""
    finding, kind = net.finding, kind_of(net.finding.kind)
    if judged.role == "reach":
        return say(*_OUTDATED)
    mine = judged.role == "override" or (judged.role == "patch" and judged.certainty != "certain")
    own = judged.role in ("implement", "place") or (mine and not _renames(finding))
    if own:
        return say(*_filled(_ACTIONS[judged.role], judged))
    if kind.means("cli_flag", "deprecated") and finding.after:
        new = code(finding.after)
        return say(f"改用 {new}。", f"Use {new} instead.")
    if judged.role == "pass" and kind.family in ("field", "cli_flag") and kind.change == "removed":
        return say(f"去掉参数 {code(judged.part)}。", f"Drop the argument {code(judged.part)}.")
    how = phrases.remedy((finding,))
    if how is None:
        return say(*(_ACTIONS["look"] if judged.certainty == "look" else _OUTDATED))
    return say(f"{how['zh']}。", f"{how['en'][:1].upper()}{how['en'][1:]}.")


def _renames(finding: Finding) -> bool:
    return kind_of(finding.kind).change in ANOTHER_NAME and bool(finding.after)


def _filled(row: tuple[str, str], judged: Judged) -> tuple[str, str]:
    """The row with its places filled at once, so that braces inside filled words stay as they are."""
    what, part = code(judged.what), code(judged.part)
    zh, en = (part.join(what.join(piece.split("{w}")) for piece in text.split("{p}")) for text in row)
    return zh, en


def _told(finding: Finding) -> Text:
    found = phrases.what((finding,), 1)
    if found:
        return found[0].text
    name, path = code(finding.symbol), code(finding.path)
    return say(f"{name} 有改动（{path}）。", f"{name} changed ({path}).")
