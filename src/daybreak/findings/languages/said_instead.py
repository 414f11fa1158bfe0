"""What upstream itself says to use in place of a setting that goes: its deprecation in comments, warnings and help texts.

Who is told to drop a setting loses what it chose. Where the lines that go, or those that come, name what to use instead,
these words are kept with the finding; nothing is made up where they name nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from msgspec.structs import replace

from daybreak.core.model.findings import Alias
from daybreak.findings.kinds import kind_of
from daybreak.findings.languages.base import MAX_LINE, Fact, Whole

_DESCRIBED = frozenset({"field", "function", "class"})
_FAMILIES = frozenset({"env", "cli_flag", "registry"}) | _DESCRIBED
_IMPORTED = frozenset({"class", "function", "export"})
_IMPORT = re.compile(r"\bfrom\s[A-Za-z_][\w.]{0,120}\simport\s([A-Za-z_]\w{0,120})\b")
_SETTING = r"--[a-z][\w.-]{2,80}|[A-Z][A-Z0-9]{0,20}_[A-Z0-9_]{2,80}"
_KEY = re.compile(rf"[\"']({_SETTING})[\"']")
_ADVICE = re.compile(
    rf"(?:^|(?<=[\s:;,.(]))(?<!not )(?<!n't )(?<!never )(?<!cannot )((?:[Uu]se|[Pp]ass|[Ss]et|[Ss]pecify|[Ss]witch to)\s(?:the\s)?[`'\"]?({_SETTING})"
    r"[^\"“”]{0,160}?)(?=(?<!e\.g)(?<!i\.e)(?<!etc)\.(?:\s|$)|$)"
)
_PLACED = re.compile(
    r"\b[Ss]et\s[`'\"]?(%r|%s|\{\w{1,40}(?:![rs])?\})[`'\"]?\s(?:inside|in|under|via)\s[a-z][\w.-]{3,120}"
)
_INSTEAD = re.compile(r"\b[Uu]se\s((?:(?![.;]\s)[^\"“”]){2,100}?)\sinstead\b(?:\s\([^()\"“”]{1,100}\))?")
_ENDS = re.compile(
    r"deprecat|remov|instead|replac|no longer|superse|renam|moved|obsolete|legacy|future|switch|prefer", re.IGNORECASE
)
"""Words of what speaks of the end of something: any other text that says to set something says how to use it."""
_NAME = re.compile(r"[A-Za-z_]\w+")
_DECLARED = re.compile(r"\s{0,40}([A-Za-z_]\w{0,120})\s?(?::[^=]{1,200})?=(?!=)|\s{0,40}(?:async\s)?(?:def|class)\s")
_STRING = re.compile(r"[rfbu]{0,2}\"((?:[^\"\\\n]|\\.){0,400})\"|[rfbu]{0,2}'((?:[^'\\\n]|\\.){0,400})'")
_COMMENT = re.compile(r"\s{0,200}(?:#|//)\s?(.*)")
_BEGINS = re.compile(r"\s{0,200}(?:#|//)|.{0,200}\badd_argument\(")
_HELPER = re.compile(r"^\s{0,40}def (\w{1,120})\(([^()]{0,400})\)", re.MULTILINE)
_TOLD = re.compile(
    r"\bwarn\w{0,20}\(((?:\s{0,200}f?\"[^\"\n]{0,200}\"){1,12}),?((?:\s{0,200}\w{1,80}\b,?){0,8})\s{0,200}\)"
)
"""A warning: its text, and what stands for the placeholders."""
_TEXTS = re.compile(r"[\"']([^\"'\n]{1,120})[\"']")
_MOST = 40
"""Settings of one change that are looked up: a longer list is no deprecation."""
Lines = Sequence[str]


def with_successors(facts: Iterable[Fact], whole: Whole) -> set[Fact]:
    """The same facts; settings and names that go carry what upstream says to use instead."""
    found = _with_imports(set(facts), whole)
    asked = [fact for fact in found if _is_asked(fact)]
    if not asked or len(asked) > _MOST:
        return found
    gone = frozenset(fact.symbol for fact in asked)
    pieces = [piece for sign in "-+" for piece in _pieces(whole, sign)]
    for fact in asked:
        if kind_of(fact.kind).family == "registry":
            said = _moved_out(fact.symbol.partition(":")[2], whole)
        elif kind_of(fact.kind).family in _DESCRIBED:
            said = _described(fact, whole, gone)
        else:
            said = next(filter(None, (_said(fact.symbol, piece, gone) for piece in pieces)), None)
            said = said or _placed(fact, whole) or _warned(fact.symbol, whole, gone)
        if said:
            found.remove(fact)
            found.add(replace(fact, alias=Alias("none", said)))
    return found


def _is_asked(fact: Fact, families: frozenset[str] = _FAMILIES) -> bool:
    """A setting, or a name of a registry, that went without another name for it."""
    kind = kind_of(fact.kind)
    none = fact.alias is not None and fact.alias.status == "none" and fact.alias.where is None
    return kind.family in families and kind.change == "removed" and none


def _with_imports(facts: set[Fact], whole: Whole) -> set[Fact]:
    """Names that go, with the import that a text which goes with them names: `Please update your imports to …`."""
    asked = {fact for fact in facts if _is_asked(fact, _IMPORTED)}
    paths = {fact.path for fact in asked}
    lines = (
        "\n".join(x.text[:MAX_LINE] for x in hunk.lines if x.sign == "-")
        for file in whole.files
        if file.path in paths and " import " in file.change.patch
        for hunk in file.hunks
    )
    told = {at[1]: " ".join(at[0].split()) for text in lines for one in _strings(text) for at in _IMPORT.finditer(one)}
    named = {fact: told[fact.symbol] for fact in asked if fact.symbol in told}
    return (facts - named.keys()) | {replace(fact, alias=Alias("none", said)) for fact, said in named.items()}


def _pieces(whole: Whole, sign: str) -> Iterator[Lines]:
    """Runs of changed lines, cut where something new begins: at a comment, an option or a blank line behind code."""
    for hunk in (hunk for file in whole.files for hunk in file.hunks):
        for own, some in groupby(hunk.lines, lambda line: line.sign == sign):
            if own:
                yield from _cut([line.text[:MAX_LINE] for line in some])


def _cut(lines: Lines) -> Iterator[Lines]:
    piece: list[str] = []
    for line in lines:
        new = _BEGINS.match(line) and piece and not _COMMENT.match(piece[-1])
        if (new or not line.strip()) and piece:
            yield piece
            piece = []
        piece += [line] if line.strip() else []
    if piece:
        yield piece


def _said(name: str, piece: Lines, gone: frozenset[str]) -> str | None:
    """The advice of a piece that is about this setting and no other."""
    text = "\n".join(piece)
    if not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text):
        return None
    owner = {*_KEY.findall("\n".join(line for line in piece if not _COMMENT.match(line)))} == {name}
    for told in (*_strings(text), _comments(piece)):
        found = _ADVICE.search(told) if (owner or name in told) and _ENDS.search(text) else None
        if found is not None and found[2] not in gone:
            return " ".join(found[1].split()).rstrip(" .")
    return None


def _strings(text: str) -> list[str]:
    """Texts of a piece of code, those that stand side by side as one."""
    out: list[str] = []
    end = -1
    for match in _STRING.finditer(text):
        said = match[1] if match[1] is not None else match[2]
        if out and not text[end : match.start()].strip():
            out[-1] += said
        else:
            out.append(said)
        end = match.end()
    return out


def _comments(piece: Lines) -> str:
    return " ".join(match[1].strip() for line in piece if (match := _COMMENT.match(line)))


def _placed(fact: Fact, whole: Whole) -> str | None:
    """The key that a table which came gives the variable, in the words of the warning beside the table."""
    entry = re.compile(
        rf"\s{{0,80}}[\"']{re.escape(fact.symbol)}[\"']\s?:\s?[\"']([a-z][\w.-]{{1,80}})[\"'],?\s{{0,20}}"
    )
    for file in whole.files:
        lines = [line.text[:MAX_LINE] for hunk in file.hunks for line in hunk.lines if line.sign == "+"]
        key = next((match[1] for line in lines if (match := entry.fullmatch(line))), None)
        told = (_PLACED.search(text) for text in _strings("\n".join(lines))) if key else ()
        if found := next(filter(None, told), None):
            return found[0].replace(found[1], str(key)).replace(f"'{key}'", str(key)).rstrip(".")
    return None


def _warned(name: str, whole: Whole, gone: frozenset[str]) -> str | None:
    """The words of a warning that went, of a helper that was called with the setting: its placeholders are what it was given."""
    for file in whole.files:
        text = "\n".join(x.text[:MAX_LINE] for hunk in file.hunks for x in hunk.lines if x.sign == "-")
        for helper in _HELPER.finditer(text) if name in text else ():
            after = _HELPER.search(text, helper.end())
            told = [*_TOLD.finditer(text, helper.end(), after.start() if after else len(text))]
            for values in _given(helper, text) if told else ():
                found = next(filter(None, (_ADVICE.search(_filled(one, values)) for one in told)), None)
                if name in values.values() and found and found[2] not in gone:
                    return " ".join(found[1].split()).rstrip(" .")
    return None


def _given(helper: re.Match[str], text: str) -> Iterator[dict[str, str]]:
    """The texts that each call of a function gives its parameters, by place."""
    names = [one for part in helper[2].split(",") if (one := part.split(":")[0].strip()) not in ("", "self", "cls")]
    calls = rf"\b{helper[1]}\(((?:\s{{0,200}}[\"'][^\"'\n]{{1,120}}[\"'],?){{1,6}})\s{{0,200}}\)"
    for call in re.finditer(calls, text):
        yield dict(zip(names, _TEXTS.findall(call[1]), strict=False))


def _filled(message: re.Match[str], values: Mapping[str, str]) -> str:
    """A message with what stands for its placeholders."""
    told = "".join(_strings(message[1]))
    for one in (part.strip() for part in message[2].split(",")):
        told = told.replace("%s", values.get(one, one), 1)
    for one, value in values.items():
        told = told.replace(f"{{{one}}}", value)
    return told


def _described(fact: Fact, whole: Whole, gone: frozenset[str]) -> str | None:
    """What the text below a field that went, or one beside it that names it, says to use instead."""
    name = fact.symbol.rpartition(".")[2]
    others = {one.rpartition(".")[2] for one in gone}
    for file in (one for one in whole.files if one.path == fact.path):
        lines = [line.text[:MAX_LINE] for hunk in file.hunks for line in hunk.lines if line.sign == "-"]
        about = [text for text in _strings("\n".join(lines)) if re.search(rf"\b{name}\b", text)]
        for text in (_below(name, lines), *about):
            found = _INSTEAD.search(text)
            if found is not None and others.isdisjoint(_NAME.findall(found[1])):
                return " ".join(found[0].split())
    return None


def _below(name: str, lines: Lines) -> str:
    """The lines behind a declaration up to the next one; a text may look like one."""
    own: list[str] = []
    inside = False
    for line in lines:
        if not inside and (declared := _DECLARED.match(line)):
            if own:
                break
            own = [line] if declared[1] == name else []
        elif own:
            own.append(line)
            inside ^= line.count('"""') % 2 == 1
    return " ".join(own)


def _moved_out(name: str, whole: Whole) -> str | None:
    """The package that pages which came say it lives in now: `GGUF support has migrated to [x-gguf-plugin](…)`."""
    word = re.escape(name)
    said = re.compile(
        rf"\b{word}\b[^.\n]{{0,60}}\b(?:migrated|moved|extracted|split out)\b[^.\n]{{0,60}}?[\[`]"
        rf"([A-Za-z][\w.-]{{0,60}}{word}[\w.-]{{0,60}})[\]`]",
        re.IGNORECASE,
    )
    pages = (file for file in whole.files if file.path.endswith((".md", ".rst", ".py")) and file.hunks)
    lines = (x.text[:MAX_LINE] for file in pages for hunk in file.hunks for x in hunk.lines if x.sign == "+")
    return next((match[1] for line in lines if (match := said.search(line))), None)
