"""Go: what a package exports, and the flags, variables, routes, metrics and settings of a file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from daybreak.findings.blobs import Row, Surface
from daybreak.findings.languages.exports import compare, signature_form, touched
from daybreak.findings.languages.grammar import Syntax, field, flat, nodes, parsed, quoted
from daybreak.findings.languages.rust_calls import SERVED

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["compare", "surface", "touched"]

_GENERATED = re.compile(r"^// Code generated .{0,200} DO NOT EDIT\.$", re.MULTILINE)
_INNER = re.compile(r"(?:^|/)internal/")
_TAG = re.compile(r"\b(json|yaml|mapstructure|toml):\"([^\"]*)\"")
_FLAG = re.compile(
    r"(?:Bool|String|Int|Int32|Int64|Uint|Uint32|Uint64|Float64|Float32|Duration|StringSlice|StringArray|IntSlice|StringToString|Func|Text|)"
    r"(Var)?(P)?$"
)
_FLAGS = re.compile(r"(?:^|[.\s(])\w{0,40}(?:[fF]lags?|[fF]lag[sS]et|fs|pflag)(?:\(\))?$")
_VERBS = frozenset(
    [
        "GET",
        "POST",
        "PUT",
        "DELETE",
        "PATCH",
        "HEAD",
        "OPTIONS",
        "Get",
        "Post",
        "Put",
        "Del",
        "Delete",
        "Patch",
        "Head",
        "Options",
        "Any",
        "Handle",
        "HandleFunc",
    ]
)
_CLIENT = re.compile(r"(?:^|\.)(?:http|[cC]lient|\w*Client)$")
_METRIC = re.compile(r"(?:^|\.)(Counter|Gauge|Histogram|Summary)?(?:Vec)?Opts$")
_DEPRECATED = re.compile(r"^//\s*Deprecated:", re.MULTILINE)
_NAME = re.compile(r"[A-Z]\w*")


def surface(path: str, text: str) -> Surface:
    """Rows `export` and those of flags, variables, routes, metrics and settings; none of what a program wrote."""
    if _GENERATED.search(text[:4000]):
        return Surface()
    syntax = parsed("go", text)
    package = next((flat(syntax.text(n)) for n in syntax.root.children if n.type == "package_clause"), "")
    private = package in ("package main", "package main_test") or bool(_INNER.search(path))
    rows = [*_structs(syntax, SERVED.search(path[-300:]) is not None), *_Calls(syntax).rows()]
    if not private:
        rows += [row for node in syntax.root.named_children for row in _declared(syntax, node)]
    return Surface(rows)


def _exported(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


def _old(syntax: Syntax, node: Node) -> dict[str, str]:
    """The comment right above says that it is deprecated."""
    above, line = node.prev_named_sibling, node.start_point[0]
    while above is not None and above.type == "comment" and above.end_point[0] == line - 1:
        if _DEPRECATED.match(syntax.text(above)):
            return {"deprecated": "1"}
        line = above.start_point[0]
        above = above.prev_named_sibling
    return {}


def _declared(syntax: Syntax, node: Node) -> Iterator[Row]:
    if node.type in ("function_declaration", "method_declaration"):
        yield from _function(syntax, node)
    elif node.type == "type_declaration":
        for spec in node.named_children:
            yield from _type(syntax, spec, {**_old(syntax, node), **_old(syntax, spec)})
    elif node.type in ("const_declaration", "var_declaration"):
        sort = node.type.partition("_")[0]
        specs = [s for one in node.named_children for s in (one.named_children if "list" in one.type else [one])]
        for spec in specs:
            yield from _values(syntax, spec, sort)


def _values(syntax: Syntax, spec: Node, sort: str) -> Iterator[Row]:
    names = spec.children_by_field_name("name")
    kind, value = syntax.flat(field(spec, "type")), field(spec, "value")
    given = value.named_children if value is not None else []
    for number, node in enumerate(names):
        name = syntax.text(node)
        if _exported(name):
            literal = given[number] if number < len(given) and given[number].type.endswith("literal") else None
            details = {"sort": sort, "form": kind, **_old(syntax, spec)}
            if literal is not None and sort == "const" and literal.type != "composite_literal":
                details["value"] = syntax.flat(literal)
            yield Row("export", name, syntax.line(node), f"{sort} {name} {kind}".strip(), details)


def _function(syntax: Syntax, node: Node) -> Iterator[Row]:
    name, body, owner = syntax.text(field(node, "name")), field(node, "body"), ""
    receiver = field(node, "receiver")
    if receiver is not None:
        owner = next(iter(re.findall(r"([A-Za-z_]\w*)(?:\[[^\]]*\])?\s*\)$", syntax.flat(receiver))), "")
        if not _exported(owner):
            return
    if not _exported(name):
        return
    whole = f"{owner}.{name}" if owner else name
    details = {"sort": "function", "owner": owner, "form": _form(syntax, node), "body": syntax.digest(body, name)}
    yield Row("export", whole, syntax.line(node), syntax.head(node, body), details | _old(syntax, node))


def _form(syntax: Syntax, node: Node) -> str:
    generic = syntax.flat(field(node, "type_parameters"))
    result = field(node, "result")
    back = ",".join(_types(syntax, result)) if result is not None and result.type == "parameter_list" else ""
    back = back or syntax.flat(result)
    return signature_form(_types(syntax, field(node, "parameters")), f"{generic}->{back}")


def _types(syntax: Syntax, parameters: Node | None) -> list[str]:
    """One type for each parameter, whatever the parameters are called."""
    out: list[str] = []
    for one in parameters.named_children if parameters is not None else []:
        if one.type == "comment":
            continue
        told = syntax.flat(field(one, "type"))
        told = f"...{told}?" if one.type.startswith("variadic") else told
        out += [told] * max(1, len(one.children_by_field_name("name")))
    return out


def _type(syntax: Syntax, spec: Node, old: dict[str, str]) -> Iterator[Row]:
    name, kind = syntax.text(field(spec, "name")), field(spec, "type")
    if not _exported(name) or kind is None:
        return
    plain = kind.type in ("struct_type", "interface_type")
    form = f"{kind.type if plain else syntax.flat(kind)} {syntax.flat(field(spec, 'type_parameters'))}".strip()
    shown = f"type {name} {kind.type.removesuffix('_type') if plain else syntax.flat(kind)}"
    details = {"sort": "type", "form": form, "body": syntax.digest(kind, name)}
    yield Row("export", name, syntax.line(spec), shown, details | old)
    if kind.type == "struct_type":
        for one in (f for group in kind.named_children for f in group.named_children):
            for label in one.children_by_field_name("name") if one.type == "field_declaration" else []:
                told, what = syntax.text(label), syntax.flat(field(one, "type"))
                if _exported(told):
                    more = {"sort": "field", "owner": name, "form": what}
                    yield Row("export", f"{name}.{told}", syntax.line(one), f"{told} {what}", more | _old(syntax, one))
    elif kind.type == "interface_type":
        yield from _methods(syntax, name, kind)


def _methods(syntax: Syntax, name: str, kind: Node) -> Iterator[Row]:
    """Methods that implementers provide; with one that nobody outside can write, there are no implementers outside."""
    methods = [one for one in kind.named_children if one.type == "method_elem"]
    sealed = not all(_exported(syntax.text(field(one, "name"))) for one in methods)
    for one in methods:
        told = syntax.text(field(one, "name"))
        if _exported(told):
            details = {"sort": "method", "owner": name, "form": _form(syntax, one)} | ({} if sealed else {"asked": "1"})
            yield Row("export", f"{name}.{told}", syntax.line(one), syntax.flat(one), details | _old(syntax, one))


# --- fields that files and clients write ---------------------------------------------------------------------------


def _structs(syntax: Syntax, served: bool) -> Iterator[Row]:
    """Structs with tags: of YAML and its kin settings, of JSON alone what goes over the wire."""
    for spec in nodes("go", syntax.root, "type_spec"):
        kind, name = field(spec, "type"), syntax.text(field(spec, "name"))
        if kind is None or kind.type != "struct_type":
            continue
        settings: dict[str, str] = {}
        wire: dict[str, str] = {}
        for one in (f for group in kind.named_children for f in group.named_children):
            slot = syntax.text(field(one, "name")) or syntax.flat(field(one, "type"))
            for form, value in _TAG.findall(syntax.text(field(one, "tag"))):
                written = value.partition(",")[0]
                if written not in ("", "-"):
                    (wire if form == "json" else settings)[written] = f"{slot}|" if form != "json" else "<made>"
        if settings:
            yield Row("settings", name, syntax.line(spec), name, settings)
        elif wire and served and _exported(name):
            yield Row("model", name, syntax.line(spec), "", wire)


# --- calls ---------------------------------------------------------------------------------------------------------


class _Calls:
    """Calls and literals of a file, with the strings that its constants hold."""

    def __init__(self, syntax: Syntax) -> None:
        self.syntax = syntax
        self.constants: dict[str, str] = {}
        for spec in nodes("go", syntax.root, "const_spec"):
            value = field(spec, "value")
            if value is not None and value.named_child_count == 1:
                told = quoted(syntax.text(value.named_children[0]))
                if told is not None:
                    self.constants[syntax.text(field(spec, "name"))] = told

    def rows(self) -> Iterator[Row]:
        for call in nodes("go", self.syntax.root, "call_expression"):
            function, given = field(call, "function"), field(call, "arguments")
            parts = [one for one in (given.named_children if given is not None else []) if one.type != "comment"]
            if function is not None and function.type == "selector_expression" and parts:
                yield from self._call(call, function, parts)
        for made in nodes("go", self.syntax.root, "composite_literal"):
            yield from self._made(made)

    def _string(self, node: Node) -> str | None:
        text = self.syntax.text(node)
        return self.constants.get(text, quoted(text))

    def _call(self, call: Node, function: Node, parts: list[Node]) -> Iterator[Row]:
        on, name = self.syntax.flat(field(function, "operand")), self.syntax.text(field(function, "field"))
        line = self.syntax.line(call)
        first = self._string(parts[0])
        if name in ("Getenv", "LookupEnv") and on in ("os", "syscall") and first:
            yield Row("read", first, line, first)
        elif name == "Flag" and first and len(parts) == 2 and self._string(parts[1]) is not None:
            yield self._kingpin(call, first, parts)
        elif (form := _FLAG.fullmatch(name)) and name and _FLAGS.search(on):
            yield from self._flag(line, form, parts, name)
        elif name in _VERBS and first and len(parts) >= 2:
            route = first.rpartition(" ")[2]
            if route.startswith("/") and not (_CLIENT.search(on) and not name.startswith("Handle")):
                details = {"method": name.upper(), "handler": self.syntax.flat(parts[-1])[:80]}
                yield Row("route", route, line, route, details)
        elif name == "NewDesc" and len(parts) >= 2:
            labels = self._labels(parts[2]) if len(parts) > 2 else ""
            yield from self._metric(line, self._joined(parts[0]), self._string(parts[1]) or "", "desc", labels)

    def _kingpin(self, call: Node, name: str, parts: list[Node]) -> Row:
        """`a.Flag("x", "help").Default("1").String()`: what follows the call says the rest."""
        details = {"flags": f"--{name}", "how": "kingpin", "help": self._string(parts[1]) or ""}
        above = call.parent
        while above is not None and above.type in ("selector_expression", "call_expression"):
            if above.type == "call_expression":
                function, given = field(above, "function"), field(above, "arguments")
                word = self.syntax.text(field(function, "field"))
                told = [self.syntax.flat(one) for one in given.named_children] if given is not None else []
                if word == "Default" and len(told) == 1 and quoted(told[0]) is not None:
                    details["default"] = told[0]
                elif word.startswith("Enum") and told:
                    details["choices"] = "[" + ", ".join(one for one in told if quoted(one) is not None) + "]"
                elif word not in ("Default", "Short", "PlaceHolder", "Hidden", "Required", "Envar"):
                    details["type"] = word.removesuffix("Var")
            above = above.parent
        return Row("option", f"--{name}", self.syntax.line(call), f"--{name}", details)

    def _flag(self, line: int, form: re.Match[str], parts: list[Node], kind: str) -> Iterator[Row]:
        at = 1 if form[1] or not form[0].removesuffix("P") else 0
        name = self._string(parts[at]) if len(parts) > at + 1 else None
        if not name or not re.fullmatch(r"[\w][\w.-]{0,80}", name):
            return
        value = at + (2 if form[2] else 1)
        details = {"flags": f"--{name}", "how": "flag", "type": kind.removesuffix("P").removesuffix("Var")}
        if len(parts) > value + 1:
            details["default"] = self.syntax.flat(parts[value])
        details["help"] = self._string(parts[-1]) or ""
        yield Row("option", f"--{name}", line, f"--{name}", details)

    def _made(self, made: Node) -> Iterator[Row]:
        """`prometheus.CounterOpts{Namespace: n, Name: "x"}`, and `cli.StringFlag{Name: "x"}`."""
        kind = self.syntax.flat(field(made, "type"))
        metric, flag = _METRIC.search(kind), kind.startswith("cli.") and kind.endswith("Flag")
        if not metric and not flag:
            return
        given: dict[str, Node] = {}
        body = field(made, "body")
        for one in body.named_children if body is not None else []:
            sides = [n for n in one.named_children if n.type != "comment"]
            if one.type == "keyed_element" and len(sides) == 2:
                given[self.syntax.text(sides[0])] = sides[1].named_children[0] if sides[1].named_children else sides[1]
        name = self._string(given["Name"]) if "Name" in given else None
        if not name:
            return
        line = self.syntax.line(made)
        if flag:
            details = {"flags": f"--{name}", "how": "cli", "type": kind, "help": ""}
            if "Value" in given:
                details["default"] = self.syntax.flat(given["Value"])
            yield Row("option", f"--{name}", line, f"--{name}", details)
        elif metric:
            before = [self._string(given[key]) or "*" for key in ("Namespace", "Subsystem") if key in given]
            said = self._string(given["Help"]) if "Help" in given else ""
            labels = self._labels(made.parent.next_named_sibling if made.parent else None) or self._labels(
                made.next_named_sibling
            )
            yield from self._metric(line, "_".join((*before, name)), said or "", metric[1] or "opts", labels)

    def _joined(self, node: Node) -> str:
        """The name of a metric, through `BuildFQName`."""
        if (told := self._string(node)) is not None:
            return told
        given = field(node, "arguments")
        if node.type == "call_expression" and "BuildFQName" in self.syntax.text(field(node, "function")) and given:
            parts = [self._string(one) for one in given.named_children]
            return (
                "_".join(one if one is not None else "*" for one in parts if one != "") if parts[-1:] != [None] else ""
            )
        return ""

    def _labels(self, node: Node | None) -> str:
        """The list of names that is handed on behind the options: `[]string{"code", "handler"}`."""
        text = self.syntax.flat(node) if node is not None and node.type == "composite_literal" else ""
        return f"[{text.partition('{')[2][:-1]}]" if text.startswith("[]string{") else ""

    def _metric(self, line: int, name: str, said: str, kind: str, labels: str) -> Iterator[Row]:
        if re.fullmatch(r"[*\w:]{3,200}", name):
            yield Row("metric", name, line, name, {"type": kind, "help": said, "labels": labels})
