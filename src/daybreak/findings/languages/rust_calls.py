"""Flags, variables, routes, metrics and fields of settings and messages that a Rust file declares."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from daybreak.findings.blobs import Row
from daybreak.findings.languages.grammar import Syntax, captures, field, nodes, quoted

if TYPE_CHECKING:
    from tree_sitter import Node

_SERDE = re.compile(r"\bderive\s*\(.*\b(?:Serialize|Deserialize)\b", re.DOTALL)
_CLAP = re.compile(r"\bderive\s*\(.*\b(?:Parser|Args|Subcommand)\b", re.DOTALL)
_VALUES = re.compile(r"\bderive\s*\(.*\bValueEnum\b", re.DOTALL)
_SETTINGS = re.compile(r"(?:Config|Settings|Options|Opts)$")
_WIRE = re.compile(r"(?:Request|Response|Event|Chunk|Choice|Delta|Usage|Message|Payload|Body|Params)$")
SERVED = re.compile(
    r"(?:^|/)(?:entrypoints|openai|openapi|serving|http|web|rest|api\w{0,20}|routes?|routers?|handlers?|messages?)(?:/|\.\w{1,3}$)"
)
"""Where the types of a server's requests and answers stand."""
_ARGUMENT = re.compile(r"^#\[(?:arg|clap)\s*\(")
_REFUSED = re.compile(r"\bUnsupported\b")
"""`Option<Unsupported>`: an option that is known in order to be refused is none that users have."""
_SERDE_MARK = re.compile(r"^#\[serde\s*\(")
_WORD = re.compile(r"\b(\w+)(?:\s*=\s*(\"(?:[^\"\\]|\\.)*\"|[^,()]+(?:\([^()]*\))?))?")
_METRICS = re.compile(
    r"(?:^|::|_)(counter|gauge|histogram|summary)(?:_vec)?$|^(?:register|describe)_(?:int_)?(counter|gauge|histogram)(?:_vec)?$"
)
_MADE = re.compile(r"(?:^|::)(?:Int)?(Counter|Gauge|Histogram|)(?:Vec)?(?:Opts|)::new$")
_ENV = re.compile(r"(?:^|::)env::var(?:_os)?$|^var(?:_os)?$")
_ROUTED = re.compile(r"^#\[(?:\w+::)?(get|post|put|delete|patch)\s*\(\s*(\"/[^\"]*\")")
Ranges = Sequence[tuple[int, int]]
Nodes = Mapping[str, Sequence["Node"]]
_ASKED = """
(struct_item) @type
(enum_item) @type
(attribute_item) @mark
(call_expression arguments: (arguments . (string_literal))) @call
(macro_invocation (token_tree . (string_literal))) @macro
"""
"""Calls and macros count whose first argument is a string."""


def _within(node: Node, ranges: Ranges) -> bool:
    return any(start <= node.start_byte < end for start, end in ranges)


def _above(syntax: Syntax, node: Node) -> list[str]:
    """The attributes right above."""
    out, above = [], node.prev_named_sibling
    while above is not None and (above.type == "attribute_item" or above.type.endswith("comment")):
        if above.type == "attribute_item":
            out.append(syntax.flat(above))
        above = above.prev_named_sibling
    return out


_SUBSET = re.compile(r"\b(?:subset|part|view) of (?:an? |the )?`?[\w.-]{0,60}\.(?:json|ya?ml|toml)\b", re.IGNORECASE)
"""A struct that reads some of a file which others write: a field that it reads no more is nobody's setting."""


def _remarks(syntax: Syntax, node: Node) -> str:
    """The comments right above."""
    out, above = "", node.prev_named_sibling
    while above is not None and (above.type == "attribute_item" or above.type.endswith("comment")):
        out = f"{syntax.text(above)} {out}" if above.type.endswith("comment") else out
        above = above.prev_named_sibling
    return out[:2000]


def _given(marks: Sequence[str], pattern: re.Pattern[str]) -> dict[str, str] | None:
    """`#[arg(long, default_value = "x")]` → its words; None when there is none."""
    held = [mark for mark in marks if pattern.search(mark)]
    out: dict[str, str] = {}
    for mark in held:
        inside = mark[mark.index("(") + 1 : mark.rindex(")")] if mark.rfind(")") > mark.index("(") else ""
        out.update((m[1], (m[2] or "").strip()) for m in _WORD.finditer(inside))
    return out if held else None


def _cased(name: str, form: str | None) -> str:
    """A field's name as `rename_all` has it."""
    name = name.removeprefix("r#")
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)
    if form == "kebab-case":
        return "-".join(parts).lower()
    if form == "camelCase":
        return parts[0].lower() + "".join(p.capitalize() for p in parts[1:]) if parts else name
    if form == "snake_case":
        return "_".join(parts).lower()
    if form == "SCREAMING_SNAKE_CASE":
        return "_".join(parts).upper()
    return "".join(p.capitalize() for p in parts) if form == "PascalCase" else name


def declared_rows(path: str, syntax: Syntax, tests: Ranges) -> Iterator[Row]:
    """All that stands outside of the exports."""
    found = captures("rust", syntax.root, _ASKED)
    yield from _struct_rows(path, syntax, found.get("type", ()), tests)
    yield from _call_rows(syntax, found, tests)


def _struct_rows(path: str, syntax: Syntax, types: Sequence[Node], tests: Ranges) -> Iterator[Row]:
    """Structs that are filled by a command line, by a file or by clients."""
    choices = dict(_choices(syntax, types))
    for node in types:
        marks, body = _above(syntax, node), field(node, "body")
        if body is None or _within(node, tests):
            continue
        if any(_CLAP.search(mark) for mark in marks):
            yield from _flags(syntax, node, choices)
        if node.type == "struct_item" and any(_SERDE.search(mark) for mark in marks):
            yield from _fields(syntax, node, body, marks, served=SERVED.search(path[-300:]) is not None)


def _choices(syntax: Syntax, types: Sequence[Node]) -> Iterator[tuple[str, str]]:
    """Enum → the values that a flag of that type takes."""
    for node in types:
        body = field(node, "body") if node.type == "enum_item" else None
        if body is not None and any(_VALUES.search(mark) for mark in _above(syntax, node)):
            names = []
            for one in body.named_children:
                if one.type == "enum_variant":
                    given = _given(_above(syntax, one), re.compile(r"^#\[(?:value|clap)\s*\(")) or {}
                    told = quoted(given.get("name", "")) or _cased(syntax.text(field(one, "name")), "kebab-case")
                    names.append(f'"{told}"')
            yield syntax.text(field(node, "name")), "[" + ", ".join(names) + "]"


def _flags(syntax: Syntax, node: Node, choices: dict[str, str]) -> Iterator[Row]:
    for one in nodes("rust", node, "field_declaration"):
        marks = _above(syntax, one)
        given = _given(marks, _ARGUMENT)
        if given is None:
            continue
        name, kind, line = syntax.text(field(one, "name")), syntax.flat(field(one, "type")), syntax.line(one)
        if variable := quoted(given.get("env", "")):
            yield Row("read", variable, line, variable)
        if "long" not in given or _REFUSED.search(kind):
            continue
        flag = "--" + (quoted(given["long"]) or _cased(name, "kebab-case"))
        others = [f"--{quoted(given[key])}" for key in ("alias", "visible_alias") if quoted(given.get(key, ""))]
        details = {"flags": " ".join((flag, *others)), "how": "clap", "type": kind, "dest": name, "help": ""}
        if default := given.get("default_value_t") or given.get("default_value"):
            details["default"] = default
        values = choices.get(re.sub(r"^(?:Option|Vec)<|>$", "", kind))
        if values:
            details["choices"] = values
        for each in (flag, *others):
            yield Row("option", each, line, each, details)


def _fields(syntax: Syntax, node: Node, body: Node, marks: Sequence[str], *, served: bool) -> Iterator[Row]:
    """Settings that somebody writes, and what clients send or read; what processes tell each other is nobody's."""
    name = syntax.text(field(node, "name"))
    filled = _SETTINGS.search(name) and any("Deserialize" in mark for mark in marks)
    settings = filled and not _SUBSET.search(_remarks(syntax, node))
    wire = served and _WIRE.search(name)
    if not settings and not wire:
        return
    held = _given(marks, _SERDE_MARK) or {}
    form = quoted(held.get("rename_all", ""))
    fields: dict[str, str] = {}
    for one in body.named_children:
        if one.type != "field_declaration":
            continue
        given = _given(_above(syntax, one), _SERDE_MARK) or {}
        if given.keys() & {"skip", "skip_deserializing", "flatten"}:
            continue
        told = syntax.text(field(one, "name"))
        written = quoted(given.get("rename", "")) or _cased(told, form)
        free = "default" in given or "default" in held or syntax.flat(field(one, "type")).startswith("Option<")
        must = "Deserialize" in " ".join(marks) and not free
        fields[written] = f"{told}|{'must' if must else ''}" if settings else "" if must else "<made>"
    if fields:
        yield Row("settings" if settings else "model", name, syntax.line(node), "" if wire else name, fields)


def _call_rows(syntax: Syntax, found: Nodes, tests: Ranges) -> Iterator[Row]:
    """Variables that are read, routes that are served, metrics that are kept."""
    for call in found.get("call", ()):
        function, given = field(call, "function"), field(call, "arguments")
        if function is None or given is None or _within(call, tests):
            continue
        first = quoted(syntax.text(given.named_children[0]))
        if first:
            yield from _call(syntax, call, function, first, given)
    for macro in found.get("macro", ()):
        if not _within(macro, tests):
            yield from _macro(syntax, macro)
    for mark in found.get("mark", ()):
        if (routed := _ROUTED.match(syntax.flat(mark))) and not _within(mark, tests):
            route = routed[2][1:-1]
            yield Row("route", route, syntax.line(mark), route, {"method": routed[1]})


def _call(syntax: Syntax, call: Node, function: Node, first: str, given: Node) -> Iterator[Row]:
    name, line = syntax.flat(function), syntax.line(call)
    parts = [syntax.flat(one) for one in given.named_children if not one.type.endswith("comment")]
    if _ENV.search(name) and re.fullmatch(r"[A-Z][A-Z0-9_]{2,100}", first):
        yield Row("read", first, line, first)
    elif function.type == "field_expression" and name.endswith(".route") and first.startswith("/"):
        how = re.match(r"(?:\w+::)*(\w+)\((?:\w+::)*(\w*)", parts[1]) if len(parts) > 1 else None
        details = {"method": how[1] if how else "any", "handler": how[2] if how else ""}
        yield Row("route", first, line, first, details)
    elif (made := _MADE.search(name)) and len(parts) >= 2 and re.fullmatch(r"[a-zA-Z_][\w:]{2,120}", first):
        yield Row(
            "metric",
            first,
            line,
            first,
            {"type": (made[1] or "opts").lower(), "help": quoted(parts[1]) or "", "labels": _labels(syntax, call)},
        )
    elif name.endswith(".register") and len(parts) >= 3 and re.fullmatch(r"[a-z_][\w:]{2,120}", first):
        yield Row("metric", first, line, first, {"type": "registered", "help": quoted(parts[1]) or ""})


def _labels(syntax: Syntax, call: Node) -> str:
    """The names that stand behind the options of a metric: `&["code", "handler"]`."""
    beside = call.next_named_sibling
    return syntax.flat(beside).removeprefix("&") if beside is not None and beside.type == "reference_expression" else ""


def _macro(syntax: Syntax, macro: Node) -> Iterator[Row]:
    name = syntax.text(field(macro, "macro"))
    inside = next((one for one in macro.children if one.type == "token_tree"), None)
    strings = [one for one in (inside.named_children if inside is not None else []) if one.type == "string_literal"]
    if not strings or inside is None or inside.named_children[0] != strings[0]:
        return
    first, line = quoted(syntax.text(strings[0])) or "", syntax.line(macro)
    metric = _METRICS.search(name)
    if metric and re.fullmatch(r"[a-zA-Z_][\w:.]{2,120}", first):
        said = quoted(syntax.text(strings[1])) if len(strings) > 1 else ""
        listed = next((one for one in inside.named_children[1:] if one.type == "token_tree"), None)
        labels = syntax.flat(listed) if listed is not None else ""
        yield Row("metric", first, line, first, {"type": metric[1] or metric[2], "help": said or "", "labels": labels})
