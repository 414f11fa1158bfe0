"""When a finding, or a line of code, is about a name: a flag, its field and its keyword are one, with dashes or without."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from daybreak.core.errors import UsageError
from daybreak.core.model.findings import Finding
from daybreak.findings.kinds import ANOTHER_NAME, kind_of

_NAME = re.compile(r"-{0,2}[A-Za-z_][\w.:-]{0,150}(?:\([\w*]{1,60}\))?")
_NO_SETTING = frozenset({"function", "class", "module", "env", "env_read", "metric"})
"""Families that are not about a flag, whatever they are called."""
_DECLARED = (
    (r"[\"'](--{name})[\"']", "cli_flag"),
    (r"^\s{{0,60}}class\s{{1,9}}({name})\b", "class"),
    (r"^\s{{0,60}}(?:async\s{{1,9}})?def\s{{1,9}}({name})\b", "function"),
    (r"^\s{{1,60}}({name})\s{{0,9}}:", "field"),
    (r"^({name})\s{{0,9}}[:=](?!=)", "attribute"),
    (r"^\s{{0,9}}#\s{{0,9}}define\s{{1,9}}({name})\b", "cpp"),
)
"""How a line declares a name, and the family of what it declares."""


def check(name: str) -> None:
    """Refuse what cannot be a name."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name[:60]!r} is not a name.", "Give a flag, a variable, `Class.method`, a sha, `#PR` or a date."
        )


def concerns(finding: Finding, name: str) -> bool:
    """The finding is about this name: its symbol, or one side of a rename."""
    texts = [finding.symbol]
    if kind_of(finding.kind).change in ANOTHER_NAME:
        texts += [finding.before or "", finding.after or ""]
    flag = name.startswith("-") and kind_of(finding.kind).family in _NO_SETTING
    word = re.compile(rf"(?<![\w-]){'--' if flag else '(?:--)?'}{_spellings(re.escape(name.lstrip('-')))}(?![\w-])")
    return any(word.search(text[:400]) for text in texts)


def carries(finding: Finding, paths: Iterable[str]) -> bool:
    """The finding is the move of a module that is, or holds, one of these files."""
    if not kind_of(finding.kind).means("module", "moved") or not finding.after:
        return False
    modules = (path.removesuffix(".py").replace("/", ".") for path in paths)
    return any(f".{finding.after}." in f".{module}." for module in modules)


def declares(text: str, name: str) -> tuple[str, str] | None:
    """The family of what the line declares by this name, and the name as written there."""
    last = _spellings(re.escape(last_part(name).lstrip("-")))
    for pattern, family in _DECLARED:
        if found := re.search(pattern.format(name=last), text):
            return family, found[1]
    return None


def rank(text: str, name: str) -> int:
    """Declarations first, the surest of them foremost."""
    found = declares(text, name)
    return [family for _, family in _DECLARED].index(found[0]) if found else len(_DECLARED)


def takes_away(finding: Finding, name: str) -> bool:
    """The name is gone with it: removed, or renamed to another; what is inside a thing is not the thing."""
    change = kind_of(finding.kind).change
    if change == "removed":
        return is_symbol(finding.symbol, name)
    return change == "renamed" and is_symbol(finding.before or "", name.rpartition(".")[2])


def is_symbol(symbol: str, name: str) -> bool:
    """The symbol is the name, wherever it is declared."""
    return plain(symbol) == plain(name) or plain(symbol).endswith((f".{plain(name)}", f"::{plain(name)}"))


def others(finding: Finding, name: str) -> list[str]:
    """Other names of what is traced, from a rename; a move keeps its name."""
    if kind_of(finding.kind).change != "renamed":
        return []
    sides = [(text or "").rpartition(".")[2] for text in (finding.before, finding.after)]
    same = [text for text in sides if plain(text) == plain(name.rpartition(".")[2])]
    return [text for text in sides if same and text not in same and _NAME.fullmatch(text)]


def in_order(names: Sequence[str], findings: Iterable[Finding]) -> tuple[str, ...]:
    """The names as the project writes them, in the order of their renames; the findings are oldest first."""
    found = [names[0]]
    for finding in findings:
        old, new = ((text or "").rpartition(".")[2] for text in (finding.before, finding.after))
        for text in (old, new, finding.symbol):
            if text.startswith("--") and kind_of(finding.kind).family not in _NO_SETTING:
                found = [text if plain(text) == plain(one) else one for one in found]
        known = [plain(one) for one in found]
        if kind_of(finding.kind).change == "renamed" and (plain(old) in known) != (plain(new) in known):
            at, other = (known.index(plain(old)) + 1, new) if plain(old) in known else (known.index(plain(new)), old)
            found.insert(at, other)
    heard = {plain(one) for one in found}
    return (*found, *(name for name in names if plain(name) not in heard))


# --- how a name is written -------------------------------------------------------------------------------------------


def plain(name: str) -> str:
    """One way to write a flag, its field and its keyword."""
    return name.lstrip("-").replace("-", "_")


def _spellings(escaped: str) -> str:
    """An expression for the name with a dash or an underscore between its words."""
    return re.sub(r"\\?[-_]", "[-_]", escaped)


def last_part(name: str) -> str:
    """`method` of `module.Class.method`, `keyword` of `function(keyword)`."""
    return re.split(r"[.:]", name.partition("(")[2].removesuffix(")") or name)[-1]


def owner_of(name: str) -> str:
    """The class, or else the function, in which a name is declared: `Class` of `module.Class.method`."""
    parts = re.split(r"[.:]", name.partition("(")[0])
    return next((part for part in reversed(parts) if part[:1].isupper()), parts[-1])


def expression(name: str, whole: bool = False) -> str:
    """The last part of the name for git's search; a flag may be written as the field that declares it."""
    joined = _spellings(last_part(name).lstrip("-"))
    return f"(--)?{joined}" if whole else joined
