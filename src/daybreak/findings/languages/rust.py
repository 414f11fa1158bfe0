"""Rust: what a module exports, and the flags, variables, routes, metrics and settings of a file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from daybreak.findings.blobs import Row, Surface
from daybreak.findings.languages.exports import compare, signature_form, touched
from daybreak.findings.languages.grammar import Syntax, field, flat, parsed
from daybreak.findings.languages.rust_calls import declared_rows

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["compare", "surface", "touched"]

_TEST = re.compile(r"\bcfg\s*\((?!\s*not\b).*\btest\b|^#\[(?:tokio::)?(?:test|bench)\b", re.DOTALL)
_HIDDEN = re.compile(r"\bdoc\s*\(\s*hidden\b|\bcfg\s*\(\s*(?:any\s*\(\s*)?(?:loom|fuzzing)\b")
_GENERATED = re.compile(r"@generated|^// (?:This file is )?[Aa]utomatically generated", re.MULTILINE)
_UNSTABLE = re.compile(r"unstable")
"""Behind a switch of that name nothing is promised."""
_RESULT = re.compile(r"\bResult<((?:[^<>]|<[^<>]*>)*), ?(?:\w+::)*\w+::Error>")
_DEPRECATED = re.compile(r"^#\[deprecated\b")
_LIFETIME = re.compile(r"&?'[a-z_]\w*\b\s*(?:,\s*|\+\s*|:\s*)?")
_PATH = re.compile(r"\b(?:\w+::)+(?=\w)")
_MODIFIER = re.compile(r"^(?:pub(?:\([^)]*\))?|const|extern(?: \"[^\"]*\")?)\s+")
_GATE = re.compile(r"^#!?\[\s*(cfg\s*\(.{1,300}\))\s*\]$", re.DOTALL)
_OPEN = re.compile(
    r"cfg\s*\(\s*not\s*\(\s*(?:all\s*\(|any\s*\()?[\s,]*(?:(?:loom|test|miri|fuzzing|docsrs|doc)[\s,()]*)+$"
)
"""What is there for everybody but for the project's own checks."""
_HEAD = re.compile(r"\{\s*#!\[([^\]]{1,300})\]")
DEEPEST = 30
_SORTS = {
    "struct_item": "type", "union_item": "type", "enum_item": "type", "type_item": "type", "trait_item": "trait",
    "const_item": "const", "static_item": "const",
}  # fmt: skip


class _Item(NamedTuple):
    """One item with what stands above it."""

    node: Node
    marks: tuple[str, ...]

    def has(self, pattern: re.Pattern[str]) -> bool:
        return any(pattern.search(mark) for mark in self.marks)


def surface(path: str, text: str) -> Surface:
    """Rows `export`, `handed` (a re-export) and those of flags, variables, routes, metrics and settings."""
    if _GENERATED.search(text[:1000]):
        return Surface()
    syntax = parsed("rust", text)
    tests: list[tuple[int, int]] = []
    rows = list(_items(syntax, syntax.root, "", tests, 0))
    return Surface([*rows, *declared_rows(path, syntax, tests)])


def _gate(marks: Sequence[str]) -> str:
    """The conditions under which an item is there at all; empty where it is there for everybody."""
    found = (match[1] for mark in marks if (match := _GATE.search(mark)))
    return " ".join(f"#[{one}]" for one in found if not _OPEN.match(one))


def _behind(rows: Iterator[Row], *gates: str) -> Iterator[Row]:
    """The rows with what stands before all of them."""
    outer = [gate for gate in gates if gate]
    for row in rows:
        gate = " ".join([*outer, *filter(None, [row.details.get("gate")])])
        more = {"gate": gate} if gate else {}
        more |= {"unstable": "1"} if _UNSTABLE.search(gate) else {}
        yield replace(row, details={**row.details, **more}) if outer else row


def _listed(syntax: Syntax, body: Node) -> Iterator[_Item]:
    marks: list[str] = []
    for node in body.named_children:
        if node.type == "attribute_item":
            marks.append(flat(syntax.text(node)))
        elif not node.type.endswith("comment"):
            yield _Item(node, tuple(marks))
            marks = []


def _public(syntax: Syntax, node: Node) -> bool:
    return any(one.type == "visibility_modifier" and syntax.text(one) == "pub" for one in node.children)


def _items(syntax: Syntax, body: Node, scope: str, tests: list[tuple[int, int]], depth: int) -> Iterator[Row]:
    """Items of a file, an inline module or a macro that only wraps items, with the gate that all of them share."""
    within = [flat(syntax.text(one)) for one in body.named_children if one.type == "inner_attribute_item"]
    yield from _behind(_each(syntax, body, scope, tests, depth), _gate(within))


def _each(syntax: Syntax, body: Node, scope: str, tests: list[tuple[int, int]], depth: int) -> Iterator[Row]:
    if depth > DEEPEST:
        raise ValueError("modules within modules")
    for item in _listed(syntax, body):
        node, kind = item.node, item.node.type
        if item.has(_TEST):
            tests.append((node.start_byte, node.end_byte))
        elif item.has(_HIDDEN):  # not offered, but there
            yield Row("handed", scope + syntax.text(field(node, "name")), syntax.line(node))
        elif kind in ("macro_invocation", "expression_statement"):
            yield from _wrapped(syntax, node, scope, depth)
        elif kind == "mod_item":
            inside = field(node, "body")
            if inside is not None and _public(syntax, node):
                name = syntax.text(field(node, "name"))
                rows = _items(syntax, inside, f"{scope}{name}::", tests, depth + 1)
                yield from _behind(rows, _gate(item.marks))
            elif inside is not None:
                tests += _tests_within(syntax, inside)
        elif kind == "impl_item":
            yield from _methods(syntax, item, scope, depth)
        else:
            yield from _item(syntax, item, scope)


def _tests_within(syntax: Syntax, body: Node) -> list[tuple[int, int]]:
    return [(one.node.start_byte, one.node.end_byte) for one in _listed(syntax, body) if one.has(_TEST)]


def _wrapped(syntax: Syntax, node: Node, scope: str, depth: int, form: str = "{}") -> Iterator[Row]:
    """A macro around items (`cfg_rt! { pub fn a() {} }`): what it wraps, where that is Rust by itself or in its form."""
    node = node.named_children[0] if node.type == "expression_statement" and node.named_children else node
    inside = next((one for one in node.children if one.type == "token_tree"), None)
    if inside is None or not (text := syntax.text(inside)).startswith("{") or "pub" not in text:
        return
    macro, head = syntax.text(field(node, "macro")), _HEAD.match(text)
    gate = f"{macro}!" if macro.startswith("cfg_") or _UNSTABLE.search(macro) else ""
    if head:  # `feature! { #![feature = "x"] … }`: the macro takes the condition as its first line
        said = flat(head[1])
        gate = f"#[{said}]" if said.startswith("cfg") else f"#[cfg({said})]"
        text = "{" + "\n" * head[0].count("\n") + text[head.end() :]
    try:
        part = parsed("rust", form.replace("{}", text[1:-1], 1), syntax.line(inside) - 1)
    except ValueError:
        return
    yield from _behind(_items(part, part.root, scope, [], depth + 1), gate)


def _form(text: str, generic: Sequence[str]) -> str:
    """A type as callers see it: no lifetimes, no paths, `io::Result` as what it is, type parameters by their order."""
    text = _RESULT.sub(r"Result<\1>", text)
    plain = re.sub(r"&(?=')", "&", _LIFETIME.sub(lambda m: "&" if m[0][0] == "&" else "", text))
    plain = _PATH.sub("", plain).replace("<>", "")
    for number, name in enumerate(generic):
        plain = re.sub(rf"\b{re.escape(name)}\b", f"${number}", plain)
    return plain.replace(" ", "")


def _generics(syntax: Syntax, node: Node) -> list[str]:
    held = field(node, "type_parameters")
    return [
        syntax.text(field(one, "name"))
        for one in (held.named_children if held is not None else [])
        if field(one, "name")
    ]


def _signature(syntax: Syntax, node: Node) -> str:
    generic = _generics(syntax, node)
    taken = field(node, "parameters")
    types = [
        _form(syntax.flat(field(one, "type") if one.type == "parameter" else one), generic)
        for one in (taken.named_children if taken is not None else [])
        if one.type in ("parameter", "self_parameter", "variadic_parameter")
    ]
    modifiers = next((syntax.flat(one) for one in node.children if one.type == "function_modifiers"), "")
    how = "async" * ("async" in modifiers.split()) + "unsafe" * ("unsafe" in modifiers.split())
    bounds = ",".join(sorted({_form(one, generic) for one in _bounds(syntax, node)}))
    rest = f"{how}{len(generic)}->{_form(syntax.flat(field(node, 'return_type')), generic)}"
    return signature_form(types, f"{rest} where {bounds}")


def _bounds(syntax: Syntax, node: Node) -> Iterator[str]:
    """What is asked of each type, wherever it is written."""
    held = field(node, "type_parameters")
    where = next((one for one in node.children if one.type == "where_clause"), None)
    for one in (
        *(held.named_children if held is not None else ()),
        *(where.named_children if where is not None else ()),
    ):
        asked, name = field(one, "bounds"), syntax.flat(field(one, "name") or field(one, "left"))
        yield from (f"{name}: {syntax.flat(each)}" for each in (asked.named_children if asked is not None else ()))


def _standing(item: _Item) -> dict[str, str]:
    """Whether it is deprecated, whether it is there for everybody, and whether anything is promised of it."""
    old = {"deprecated": "1"} if item.has(_DEPRECATED) else {}
    old |= {"gate": gate} if (gate := _gate(item.marks)) else {}
    return old | ({"unstable": "1"} if item.has(_UNSTABLE) else {})


def _shown(syntax: Syntax, node: Node, body: Node | None) -> str:
    return _MODIFIER.sub("", syntax.head(node, body))[:300]


def _item(syntax: Syntax, item: _Item, scope: str) -> Iterator[Row]:
    node, kind = item.node, item.node.type
    old = _standing(item)
    if kind == "macro_definition":
        if any("macro_export" in mark for mark in item.marks):
            name = syntax.text(field(node, "name")) + "!"
            yield Row("export", name, syntax.line(node), f"macro {name}", {"sort": "macro", **old})
        return
    if not _public(syntax, node):
        return
    if kind == "use_declaration":
        for name in re.findall(r"(\w+)\s*(?=[,}]|$)", syntax.flat(field(node, "argument"))):
            yield Row("handed", name, syntax.line(node))
        return
    name = scope + syntax.text(field(node, "name"))
    if kind == "function_item":
        body = field(node, "body")
        details = {"sort": "function", "form": _signature(syntax, node), "body": syntax.digest(body, name)}
        yield Row("export", name, syntax.line(node), _shown(syntax, node, body), details | old)
    elif kind in _SORTS:
        yield from _type(syntax, item, name, old)


def _type(syntax: Syntax, item: _Item, name: str, old: dict[str, str]) -> Iterator[Row]:
    node, body = item.node, field(item.node, "body")
    sort, generic = _SORTS[node.type], _generics(syntax, node)
    form = _form(syntax.flat(field(node, "type")), generic)
    details = {"sort": sort, "form": form, "body": syntax.digest(body, name.rpartition("::")[2])}
    if sort == "const" and (value := field(node, "value")) is not None and value.type.endswith("literal"):
        details["value"] = syntax.flat(value)
    shown = _shown(syntax, node, field(node, "value") if sort == "const" else body)
    yield Row("export", name, syntax.line(node), shown, details | old)
    if body is None or node.type == "type_item":
        return
    if sort == "trait":
        yield from _trait(syntax, node, body, name)
    for one in _listed(syntax, body) if node.type in ("struct_item", "enum_item") else ():
        label = syntax.text(field(one.node, "name"))
        if one.has(_HIDDEN) or not label:
            continue
        if one.node.type == "field_declaration" and _public(syntax, one.node):
            told = syntax.flat(field(one.node, "type"))
            more = {"sort": "field", "owner": name, "form": _form(told, generic)} | _standing(one)
            yield Row("export", f"{name}.{label}", syntax.line(one.node), f"{label}: {told}", more)
        elif one.node.type == "enum_variant":
            told = syntax.flat(field(one.node, "body"))
            more = {"sort": "variant", "owner": name, "form": _form(told, generic)} | _standing(one)
            yield Row("export", f"{name}::{label}", syntax.line(one.node), f"{label}{told}", more)


def _trait(syntax: Syntax, node: Node, body: Node, name: str) -> Iterator[Row]:
    """Methods of a trait; those without a body are what implementers must provide, where there can be any outside."""
    sealed = re.search(r"\b(?:\w*[sS]ealed|private)\b", syntax.flat(field(node, "bounds"))) is not None
    for one in _listed(syntax, body):
        if one.node.type in ("function_signature_item", "function_item") and not one.has(_HIDDEN):
            inside = field(one.node, "body")
            details = {"sort": "method", "owner": name, "form": _signature(syntax, one.node)}
            details |= {"asked": "1"} if inside is None and not sealed else {}
            details |= _standing(one)
            label = f"{name}::{syntax.text(field(one.node, 'name'))}"
            yield Row("export", label, syntax.line(one.node), _shown(syntax, one.node, inside), details)


def _methods(syntax: Syntax, item: _Item, scope: str, depth: int) -> Iterator[Row]:
    """Public functions of a type; those that a trait asks for are told by the trait."""
    node, body = item.node, field(item.node, "body")
    if field(node, "trait") is not None or body is None:
        return
    own = re.sub(r"<.*$", "", _PATH.sub("", syntax.flat(field(node, "type"))), flags=re.DOTALL)
    owner = scope + own
    for one in _listed(syntax, body):
        if one.node.type in ("macro_invocation", "expression_statement") and re.fullmatch(r"\w+", own):
            rows = _wrapped(syntax, one.node, scope, depth, f"impl {own} {{{{}}}}")
            yield from _behind(rows, _gate(item.marks))
            continue
        if one.node.type != "function_item" or not _public(syntax, one.node) or one.has(_TEST):
            continue
        name, inside = syntax.text(field(one.node, "name")), field(one.node, "body")
        if one.has(_HIDDEN):
            yield Row("handed", f"{owner}::{name}", syntax.line(one.node))
            continue
        details = {"sort": "function", "owner": owner, "form": _signature(syntax, one.node)}
        details |= {"body": syntax.digest(inside, name)} | _standing(item) | _standing(one)
        details |= {"gate": gate} if (gate := _gate((*item.marks, *one.marks))) else {}
        yield Row("export", f"{owner}::{name}", syntax.line(one.node), _shown(syntax, one.node, inside), details)
