"""TypeScript: what a module exports, and the flags, variables, routes and metrics of a file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from daybreak.findings.blobs import Row, Surface
from daybreak.findings.languages.exports import compare, signature_form, touched
from daybreak.findings.languages.grammar import Syntax, field, nodes, parsed, quoted

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["compare", "surface", "touched"]

_GENERATED = re.compile(r"@generated|DO NOT EDIT", re.IGNORECASE)
_HIDDEN = re.compile(r"\b(?:private|protected)\b")
_SERVERS = re.compile(r"(?:^|\.)(?:\w*[aA]pp|\w*[rR]outer|\w*[sS]erver|fastify)$")
_VERBS = frozenset(("get", "post", "put", "delete", "patch", "all", "head", "options"))
_METRICS = frozenset(("Counter", "Gauge", "Histogram", "Summary"))
_DECLARED = {
    "function_declaration": "function", "function_signature": "function", "generator_function_declaration": "function",
    "class_declaration": "class", "abstract_class_declaration": "class", "interface_declaration": "interface",
    "type_alias_declaration": "type", "enum_declaration": "enum",
}  # fmt: skip


def surface(path: str, text: str) -> Surface:
    """Rows `export`, `handed` (a re-export) and those of flags, variables, routes and metrics."""
    if _GENERATED.search(text[:1000]):
        return Surface()
    grammar = "tsx" if path.endswith("x") else "typescript"
    syntax = parsed(grammar, text)
    local = {name: node for node in syntax.root.named_children for name, node in _names(syntax, node)}
    rows = [
        row
        for node in syntax.root.named_children
        if node.type == "export_statement"
        for row in _exported(syntax, node, local)
    ]
    return Surface([*rows, *_calls(syntax, grammar), *_reads(syntax, grammar)])


def _names(syntax: Syntax, node: Node) -> Iterator[tuple[str, Node]]:
    """(name, declaration) of what a statement declares."""
    if node.type in _DECLARED:
        yield syntax.text(field(node, "name")), node
    elif node.type in ("lexical_declaration", "variable_declaration"):
        for one in node.named_children:
            name = field(one, "name")
            if name is not None and name.type == "identifier":
                yield syntax.text(name), one


def _exported(syntax: Syntax, node: Node, local: dict[str, Node]) -> Iterator[Row]:
    declared, source = field(node, "declaration"), field(node, "source")
    old = {"deprecated": "1"} if _old(syntax, node) else {}
    if any(one.type == "default" for one in node.children):
        value = declared or field(node, "value")
        target = local.get(syntax.text(value), value) if value is not None else None
        yield from _declaration(syntax, "default", target or node, old)
        return
    for name, one in _names(syntax, declared) if declared is not None else ():
        yield from _declaration(syntax, name, one, old)
    for clause in (one for one in node.named_children if one.type == "export_clause"):
        for one in clause.named_children:
            name = syntax.text(field(one, "name"))
            alias = syntax.text(field(one, "alias")) or name
            if source is None and name in local:
                yield from _declaration(syntax, alias, local[name], old)
            elif alias:
                yield Row("export", alias, syntax.line(one), f"export {alias}", {"sort": "handed"})
                yield Row("handed", alias, syntax.line(one))


def _old(syntax: Syntax, node: Node) -> bool:
    above = node.prev_named_sibling
    return above is not None and above.type == "comment" and "@deprecated" in syntax.text(above)


def _declaration(syntax: Syntax, name: str, node: Node, old: dict[str, str]) -> Iterator[Row]:
    sort, body, line = _DECLARED.get(node.type, "const"), field(node, "body"), syntax.line(node)
    if sort == "function":
        details = {"sort": sort, "form": _form(syntax, node), "body": syntax.digest(body, name)}
        yield Row("export", name, line, syntax.head(node, body)[:300], details | old)
    elif sort == "const":
        yield _value(syntax, name, node, old)
    else:
        form = syntax.flat(field(node, "value")) if sort == "type" else ""
        generic = syntax.flat(field(node, "type_parameters"))
        details = {"sort": sort, "form": f"{generic}{form}", "body": syntax.digest(body, name)}
        yield Row("export", name, line, syntax.head(node, body)[:300], details | old)
        for one in body.named_children if body is not None else []:
            yield from _member(syntax, name, one)


def _value(syntax: Syntax, name: str, node: Node, old: dict[str, str]) -> Row:
    """A constant; one that holds a function is that function."""
    value = field(node, "value")
    if value is not None and value.type in ("arrow_function", "function_expression"):
        body = field(value, "body")
        details = {"sort": "function", "form": _form(syntax, value), "body": syntax.digest(body, name)}
        return Row(
            "export", name, syntax.line(node), syntax.head(node, body).removesuffix("=>").strip()[:300], details | old
        )
    details = {"sort": "const", "form": syntax.flat(field(node, "type"))}
    if value is not None and value.type in ("string", "number", "true", "false"):
        details["value"] = syntax.flat(value)
    return Row("export", name, syntax.line(node), name, details | old)


def _form(syntax: Syntax, node: Node) -> str:
    taken, types = field(node, "parameters"), []
    for one in taken.named_children if taken is not None else []:
        if one.type in ("required_parameter", "optional_parameter"):
            told = syntax.flat(field(one, "type")).removeprefix(":").strip().replace(" ", "")
            free = one.type == "optional_parameter" or field(one, "value") is not None
            rest = field(one, "pattern")
            types.append(f"{told}{'?' if free or (rest is not None and rest.type == 'rest_pattern') else ''}")
    generic, back = syntax.flat(field(node, "type_parameters")), syntax.flat(field(node, "return_type"))
    return signature_form(types, f"{generic}->{back}".replace(" ", ""))


def _member(syntax: Syntax, owner: str, node: Node) -> Iterator[Row]:
    if node.type in ("enum_assignment", "property_identifier"):
        name = syntax.text(field(node, "name")) or syntax.text(node)
        details = {"sort": "member", "owner": owner, "value": syntax.flat(field(node, "value"))}
        yield Row("export", f"{owner}.{name}", syntax.line(node), syntax.flat(node), details)
        return
    name, body = syntax.text(field(node, "name")), field(node, "body")
    hidden = any(one.type == "accessibility_modifier" and _HIDDEN.search(syntax.text(one)) for one in node.children)
    if not name or hidden or name.startswith(("#", "_", "[")):
        return
    details = {"sort": "member", "owner": owner}
    if field(node, "parameters") is not None:
        details |= {"form": _form(syntax, node), "body": syntax.digest(body, name)}
        shown = syntax.head(node, body)
    else:
        mark = "?" if any(one.type == "?" for one in node.children) else ""
        details["form"] = mark + syntax.flat(field(node, "type")).replace(" ", "")
        shown = f"{name}{mark}{syntax.flat(field(node, 'type'))}"
    yield Row("export", f"{owner}.{name}", syntax.line(node), shown[:300], details)


# --- calls ---------------------------------------------------------------------------------------------------------


def _calls(syntax: Syntax, grammar: str) -> Iterator[Row]:
    for call in nodes(grammar, syntax.root, "call_expression"):
        function, given = field(call, "function"), field(call, "arguments")
        parts = [one for one in (given.named_children if given is not None else []) if one.type != "comment"]
        if function is None or function.type != "member_expression" or len(parts) < 2:
            continue
        first, name = quoted(syntax.text(parts[0])), syntax.text(field(function, "property"))
        if first is None:
            continue
        if name in ("option", "requiredOption", "addOption"):
            yield from _option(syntax, call, first, parts)
        elif name in _VERBS and first.startswith("/") and _SERVERS.search(syntax.flat(field(function, "object"))):
            details = {"method": name, "handler": syntax.flat(parts[-1])[:80]}
            yield Row("route", first, syntax.line(call), first, details)
    for made in nodes(grammar, syntax.root, "new_expression"):
        kind, given = syntax.flat(field(made, "constructor")).rpartition(".")[2], field(made, "arguments")
        first_node = given.named_children[0] if given is not None and given.named_children else None
        if kind in _METRICS and first_node is not None and first_node.type == "object":
            held = _object(syntax, first_node)
            if told := quoted(held.get("name", "")):
                details = {
                    "type": kind,
                    "help": quoted(held.get("help", "")) or "",
                    "labels": held.get("labelNames", ""),
                }
                yield Row("metric", told, syntax.line(made), told, details)


def _object(syntax: Syntax, node: Node) -> dict[str, str]:
    return {
        syntax.text(field(one, "key")): syntax.flat(field(one, "value"))
        for one in node.named_children
        if one.type == "pair"
    }


def _option(syntax: Syntax, call: Node, first: str, parts: list[Node]) -> Iterator[Row]:
    """Commander's `-p, --port <n>`, or a name and an object as yargs takes it."""
    line, details = syntax.line(call), {"how": "declared", "help": ""}
    if first.startswith("-"):
        flags = re.findall(r"--[A-Za-z][\w-]{0,80}", first)
        details["help"] = quoted(syntax.text(parts[1])) or ""
        details["nargs"] = "1" if "<" in first or "[" in first else "0"
        if len(parts) > 2 and parts[-1].type in ("string", "number", "true", "false"):
            details["default"] = syntax.flat(parts[-1])
    elif parts[1].type == "object" and re.fullmatch(r"[A-Za-z][\w-]{0,80}", first):
        held, flags = _object(syntax, parts[1]), [f"--{first}"]
        details |= {key: held[key] for key in ("default", "choices", "type") if key in held}
        details["help"] = quoted(held.get("describe", held.get("description", ""))) or ""
    else:
        return
    for flag in flags:
        yield Row("option", flag, line, flag, {**details, "flags": " ".join(flags)})


def _reads(syntax: Syntax, grammar: str) -> Iterator[Row]:
    """`process.env.X`, `process.env["X"]` and `import.meta.env.X`; what stands behind `??` is its default."""
    for node in nodes(grammar, syntax.root, "member_expression", "subscript_expression"):
        if syntax.flat(field(node, "object")) not in ("process.env", "import.meta.env"):
            continue
        key = syntax.text(field(node, "property")) or quoted(syntax.text(field(node, "index"))) or ""
        if re.fullmatch(r"[A-Z][A-Z0-9_]{2,100}", key):
            above = node.parent
            other = field(above, "right") if above is not None and above.type == "binary_expression" else None
            default = quoted(syntax.text(other)) if other is not None and field(above, "left") == node else None
            yield Row("read", key, syntax.line(node), key, {} if default is None else {"default": default})
