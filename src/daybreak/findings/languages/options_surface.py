"""Command line options that a Python file defines: argparse, click, typer, and dataclass fields that become flags."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from daybreak.findings.blobs import Row, Surface
from daybreak.findings.languages.base import keywords, literal
from daybreak.findings.languages.text_surface import Call, Source, evaluated, is_value

MAX_CONSTANTS = 400
"""Constants of a file that are looked up: each costs a search through the file."""
MAX_DELEGATES = 50
_CALLS = (".add_argument(", "click.option(", "typer.Option(", "@option(")
DEFINES = (*_CALLS, ": A[", "FrontendArgs")
"""One of these is in every file that defines an option."""
_FLAG = re.compile(r"--?[A-Za-z][\w.-]{0,80}")
_CONSTANT = re.compile(r"([A-Z][A-Z0-9_]{0,80}CHOICES\w{0,40})(?:[ \t]*:[^=\n]{1,80})?[ \t]*=[ \t]*(?=[^\s=])")
_REFERS = re.compile(r"(?:list\(|sorted\(|tuple\()?(?:get_args\()?(?:typing\.)?([A-Za-z_]\w*)(?:\.__args__)?\)?\)?")
_LIST = re.compile(r"(?:list\(|tuple\()?(?:(?:typing\.)?Literal)?[\[({]")
_DOTTED = re.compile(r"([A-Z]\w*)\.(\w+)")
_GENERATED = re.compile(r"add_argument\([^()]{0,80}f[\"']--\{")
_GONE = re.compile(r"^\W*(?:removed\b|no longer supported)", re.IGNORECASE)
_OLD = re.compile(r"deprecated", re.IGNORECASE)
_ENDING = re.compile(r"\.endswith\([\"'](-[\w-]{2,40})[\"']\)")
_FORMED = re.compile(r"f([\"'])(--[\w{}.-]{0,60}\{[^\n]{0,80}?)\1")
_COMPUTED = re.compile(r"\badd_argument\(\s{0,80}\*?[A-Za-z_][\w.]{0,80}\s{0,80}[,)]")
_BARE = re.compile(r"([\"'])([a-z][a-z0-9]*(?:[-_][a-z0-9]+){0,9})\1")
_MOST_BARE = 4000
_DELEGATED = re.compile(
    r"\b(?<!def )(?:add_cli_args|make_arg_parser)\(|\b(?<!def )add_\w{0,40}args\(\s{0,80}\w{0,40}parser|\bparents=\[[^\]]{0,80}"
)
"""A parser that others fill: which flags it takes does not stand in this file."""
_CALLED = re.compile(r"\n    def __call__\((?:[^()]|\([^()]{0,80}\)){0,400}\)[^:\n]{0,40}:")
_RAISES = re.compile(
    r"(?:\s{0,40}(?:\"\"\"[^\"]{0,800}\"\"\"|#[^\n]{0,200}\n)){0,9}\s{0,40}(?:raise\b|parser\.error\()"
)
_FAILING = re.compile(r"(?:\w+\.){0,3}Deprecated(?!\w*(?:Store|Alias))\w*Action")
_KEPT = ("default", "choices", "dest", "action", "type", "nargs", "help")


class _File:
    """What options of one file refer to: module constants and fields of classes."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._held: dict[str, str | None] = {}
        self.fields: dict[str, dict[str, str]] = {}
        self.flags: list[tuple[str, str, int, str, str]] = []
        self._classes: dict[str, tuple[int, int]] = {}
        self._failing: dict[str, bool | None] = {}
        generated = bool(_GENERATED.search(source.text))
        for name, bases, start, end in source.classes():
            self._classes[name] = (start, end)
            if not name.endswith(("Args", "Config", "Arguments", "Params")):
                continue
            by_itself = name.endswith("Args") and (generated or any(b.endswith("FrontendArgs") for b in bases))
            known = self.fields.setdefault(name, {})
            for field, at, stated in source.fields(start, end):
                if stated.value is not None:
                    known[field] = stated.value
                if stated.head.startswith("A[") or by_itself:
                    self.flags.append((name, field, at, stated.head, stated.value or ""))

    def constant(self, name: str) -> str | None:
        """What a module constant holds; looked for only when an option names it."""
        if name not in self._held and len(self._held) < MAX_CONSTANTS:
            text = self.source.text
            places = (text.find(f"\n{name}{sign}") for sign in (" =", ":", "="))
            at = next((p + 1 for p in places if p >= 0), 0 if text.startswith((f"{name} =", f"{name}:")) else -1)
            stated = self.source.statement(at) if at >= 0 else None
            self._held[name] = stated.value if stated else None
        return self._held.get(name)

    def fails(self, action: str) -> bool | None:
        """Whether an action does nothing but raise; None when its class is not in this file."""
        if action not in self._failing:
            start, end = self._classes.get(action, (0, 0))
            called = _CALLED.search(self.source.text, start, min(end, start + 4000))
            raises = called is not None and _RAISES.match(self.source.text, called.end(), end) is not None
            self._failing[action] = raises if end else None
        return self._failing[action]

    def default(self, text: str) -> str:
        """A default as a value, through `ServerArgs.field` and module constants of the same file."""
        dotted = _DOTTED.fullmatch(text)
        if dotted:
            return self.fields.get(dotted[1], {}).get(dotted[2], text)
        return self.constant(text) or text if re.fullmatch(r"[A-Z][A-Z0-9_]{2,100}", text) else text

    def choices(self, text: str) -> tuple[str, str]:
        """(values, name of the constant that holds them)."""
        if values := listed(text):
            return values, ""
        refers = _REFERS.fullmatch(text)
        value = self.constant(refers[1]) if refers else None
        return (listed(value) if value else "") or text, refers[1] if refers and value else ""


def listed(text: str) -> str:
    """`["a", "b"]` or `Literal["a", "b"]` on one line, without a trailing comma; empty for anything else."""
    opened = _LIST.match(text)
    call = Source(text).arguments(opened.end()) if opened else None
    if opened is None or call is None or text[call.end :] not in ("", ")" * opened[0].count("(", 0, -1)):
        return ""
    if not call.parts or not all(is_value(p) and p[0] not in "[({" for p in call.parts):
        return ""
    return "[" + ", ".join(call.parts) + "]"


def values(text: str) -> frozenset[object] | None:
    """The values of a list; None when it is no list of literals."""
    try:
        found = evaluated(text)
        return frozenset(found) if isinstance(found, list) else None
    except (ValueError, TypeError):
        return None


def surface(path: str, text: str, partial: bool = False) -> Surface:  # noqa: ARG001
    """One row for each name of each option; those of constants with choices that no option of the file uses, too."""
    source = Source(text)
    delegated = list(_delegated(source)) if "parser" in text else []
    if not any(
        word in text for word in ("add_argument", ".option(", ".Option(", "@option(", "CHOICES", ": A[", "Args")
    ):
        return Surface(delegated)
    file = _File(source)
    rows = list(_numbered([*_called(file), *_fields(file)]))
    used = {row.details["constant"] for row in rows if row.details.get("constant")}
    rows += [row for row in _constants(file) if row.name not in used]
    rows += [Row("setting", f, 1) for name, known in file.fields.items() if name.endswith("Args") for f in known]
    rows += [*_patterns(source), *_words(source, rows), *_tabled(source), *delegated]
    return Surface(rows, broken=source.lost > 0 and not partial)


def _delegated(source: Source) -> Iterator[Row]:
    """Whoever else fills a parser of this file: `ServerArgs.add_cli_args(parser)`, `parents=[base]`."""
    text, seen = source.text, set[str]()
    for at in sorted({at for word in ("_args(", "make_arg_parser(", "parents=[") for at in source.find(word)}):
        near = _DELEGATED.finditer(text, max(0, at - 50), at + 170)
        match = next((m for m in near if m.start() <= at < m.end()), None)
        if match is None or source.quiet(at):
            continue
        owner = re.search(r"(\w{0,60})\.$", text[max(0, match.start() - 61) : match.start()])
        name = match[0].partition("(")[0]
        full = f"{owner[1]}.{name}" if owner else name
        if full not in seen and len(seen) < MAX_DELEGATES:
            seen.add(full)
            own = owner is None or owner[1] in ("self", "cls")
            if (f"def {name}(" if own or owner is None else f"class {owner[1] or '-'}") not in text:
                yield Row("delegated", full, 1)


def _patterns(source: Source) -> Iterator[Row]:
    """Shapes of flags that are made or taken apart at run time: `f"--{name}-path"`, `arg.endswith("-path")`."""
    if "known_args" in source.text or "unknown" in source.text:
        for at in source.find(".endswith("):
            match = _ENDING.match(source.text, at)
            if match:
                yield Row("pattern", "--.+" + re.escape(match[1]), source.line(at))
    for at in (*source.find('f"--'), *source.find("f'--")):
        match = _FORMED.match(source.text, at)
        if match:
            shape = ".+".join(map(re.escape, re.split(r"\{[^{}]{0,80}\}", match[2])))
            yield Row("pattern", shape, source.line(at))


def _words(source: Source, rows: Iterable[Row]) -> Iterator[Row]:
    """Flags that stand in quotes outside of definitions: tables of aliases, looks at `sys.argv`."""
    seen: Counter[str] = Counter()
    for at in (*source.find('"-'), *source.find("'-")):
        match = _FLAG.match(source.text, at + 1)
        if match and source.text[match.end() : match.end() + 1] == source.text[at]:
            seen[match[0]] += 1
    seen.subtract(row.name for row in rows if row.kind in ("option", "refused"))
    for flag, count in seen.items():
        if count > 0:
            yield Row("word", flag, 1)


def _tabled(source: Source) -> Iterator[Row]:
    """What stands in quotes without dashes where a parser is filled with names that are no literals: each may be a flag."""
    if any(not source.quiet(match.start()) for match in _COMPUTED.finditer(source.text)):
        found = {match[2].replace("_", "-") for match in islice(_BARE.finditer(source.text), _MOST_BARE)}
        yield from (Row("tabled", f"--{name}", 1) for name in sorted(found))


def _numbered(rows: Iterable[Row]) -> Iterator[Row]:
    """Rows with the same name in two parsers of a file say so: their values cannot be told apart."""
    rows = list(rows)
    seen: dict[str, int] = {}
    for row in rows:
        seen[row.name] = seen.get(row.name, 0) + 1
    for row in rows:
        details = {**row.details, "several": "1"} if seen[row.name] > 1 else row.details
        yield Row(row.kind, row.name, row.line, row.text, details)


def _called(file: _File) -> Iterator[Row]:
    for at, word, call in file.source.calls(*_CALLS):
        given = keywords(call.parts)
        flags = _flags(call, word, file.source.text, at)
        fails = file.fails(given.get("action", ""))
        if not flags or fails or _refused(given):
            yield from (Row("refused", f, 1) for f in flags)
            continue
        if "typer" in word and call.parts and "=" not in call.parts[0] and literal(call.parts[0]) not in flags:
            given.setdefault("default", call.parts[0])
        details = _details(file, given, flags, "argparse" if "add_argument" in word else "click")
        if fails is None and _FAILING.fullmatch(given.get("action", "")) and "new_flag" not in given:
            details["failing"] = "1"
        if any(p.startswith("*") for p in call.parts):
            details["open"] = "1"
        if "BooleanOptionalAction" in given.get("action", ""):
            details["negation"] = "1"
        line = file.source.line(_place(file.source.text, at, call.end, flags[0]))
        for flag in flags:
            yield Row("option", flag, line, flag, details)


def _place(text: str, start: int, end: int, flag: str) -> int:
    at = text.find(flag, start, end)
    return at if at >= 0 else start


def _flags(call: Call, word: str, text: str, at: int) -> tuple[str, ...]:
    told = (literal(p) or _without_prefix(p, text, at) for p in call.parts)
    out = [f for part in told for f in part.split("/") if _FLAG.fullmatch(f)]
    if not out and "typer" in word:
        before = text[text.rfind("\n", max(0, at - 200), at) + 1 : at]
        name = re.match(r"\s{0,40}([a-z]\w{0,80})\s?:", before)
        out = ["--" + name[1].replace("_", "-")] if name else []
    return tuple(sorted(dict.fromkeys(out), key=lambda f: not f.startswith("--")))


def _without_prefix(part: str, text: str, at: int) -> str:
    """`f"--{prefix}port"` as users type it: behind what the function that holds it gives the prefix where nobody does, or
    behind nothing where the file gives it an empty text.
    """
    found = _AFTER_PREFIX.fullmatch(part)
    if found is None:
        return ""
    head = text.rfind("def ", 0, at)
    own = re.compile(rf"\b{found[1]}\s?(?::\s?str\s?)?=\s?([\"'])([\w.-]{{0,60}})\1[,)\s]")
    if head >= 0 and (given := own.search(text, head, min(at, head + _HEAD))):
        return f"--{given[2]}{found[2]}"
    empty = rf"\b{found[1]}\s?(?::\s?str\s?)?=(?:[^=\n]{{0,120}}\selse)?\s?(?:\"\"|'')(?![\"'])"
    return f"--{found[2]}" if found[2][0].isalpha() and re.search(empty, text) else ""


_HEAD = 800
"""Characters of the head of a function."""
_AFTER_PREFIX = re.compile(r"f[\"']--\{([a-z_]\w{0,60})\}([A-Za-z.-][\w.-]{0,80})[\"']")


def _refused(given: dict[str, str]) -> bool:
    """Only there to say that it is gone: using it is an error."""
    return "error_message" in given or bool(_GONE.match(given.get("help", "").lstrip("(\"'f[ ")))


def _details(file: _File, given: dict[str, str], flags: Iterable[str], how: str) -> dict[str, str]:
    out = {key: given[key] for key in _KEPT if key in given}
    out |= {"flags": " ".join(flags), "how": how}
    if "default" in out:
        out["default"] = file.default(out["default"])
    if "choices" in out:
        out["choices"], out["constant"] = file.choices(out["choices"])
    if "Deprecated" in given.get("action", "") or _OLD.search(given.get("help", "")[:60]) or "deprecated" in given:
        out["deprecated"] = (literal(given.get("new_flag", "")) or "") or "1"
    return out


def _fields(file: _File) -> Iterator[Row]:
    """Fields that a class turns into flags by itself: `tp_size: A[int, Arg(help="…", aliases=["--tp"])] = 1`."""
    for _, field, at, head, value in file.flags:
        inner = Source(head[2:-1] + ")").arguments(0) if head.startswith("A[") else None
        parts = inner.parts if inner else ()
        spec = next((p for p in parts if p.startswith("Arg(")), None)
        said = Source(spec[4:]).arguments(0) if spec else None
        given = keywords(said.parts) if said else {"help": next((p for p in parts if literal(p) is not None), "")}
        if given.get("no_cli") == "True" or _refused(given):
            continue
        own = literal(given.get("cli_name", "")) or "--" + field.replace("_", "-")
        aliases: list[str] = re.findall(r"--?[A-Za-z][\w-]{0,80}", given.get("aliases", ""))
        kind = parts[0] if parts else head
        given |= {"default": value, "type": kind} if value else {"type": kind}
        options = re.search(r"Literal\[[^\]]{1,2000}\]", kind)
        if options and "choices" not in given and not re.search(r"\bstr\b", kind.replace(options[0], "")):
            given["choices"] = options[0]
        details = _details(file, given, (own, *aliases), "argparse")
        for flag in (own, *aliases):
            yield Row("option", flag, file.source.line(at), flag, details)


def _constants(file: _File) -> Iterator[Row]:
    source = file.source
    for at in source.find("CHOICES"):
        match = _CONSTANT.match(source.text, source.line_start(at))
        if match is None or source.quiet(match.start()):
            continue
        stated = source.statement(match.start())
        held = listed(stated.value) if stated and stated.value else ""
        if held:
            yield Row("constant", match[1], source.line(match.start()), held, {"choices": held})
