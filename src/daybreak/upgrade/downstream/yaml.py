"""YAML and JSON files and templates: manifests, charts, compose files, workflows, dashboards, settings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from daybreak.core.projects import Unreadable, Wanted
from daybreak.upgrade.downstream.manifests import Manifest
from daybreak.upgrade.downstream.nodes import Node, Style, Unclosed, flow, json_tree
from daybreak.upgrade.downstream.readers import Found, lines_of
from daybreak.upgrade.downstream.shell_commands import Embedded

# --- YAML by its lines, templates included: a tolerant reader that keeps lines and never fails ---
# Helm and Jinja templates are no YAML: lines that are only a template mark are passed over, marks inside a value are
# part of it. Anchors, tags and merge keys are not resolved: what a file uses stands in it once.


DEEPEST = 60
_UNCLOSED_MOST = 3
"""Brackets that do not close are looked through to the end of the file: so often, then no more."""
_CONTROL = re.compile(r"\{\{[^\n]{0,1000}\}\}|\{%[^\n]{0,1000}%\}|\{\{-?\s{0,9}/\*.{0,1000}|%\w.{0,200}")
_QUOTED_KEY = re.compile(r"(\"(?:[^\"\\]|\\.){0,300}\"|'[^']{0,300}')\s{0,40}:(?:\s|$)")
_DECORATION = re.compile(r"(?:[&!][^\s,\[\]{}]{0,100}(?:\s{1,40}|$)){1,3}")
_BLOCK = re.compile(r"([|>])[+-]?\d?[+-]?\s{0,40}(?:#.{0,500})?")
_COMMENT = re.compile(r"\s#")


_DOCUMENT = re.compile(r"^---", re.MULTILINE)
_SCHEMA = re.compile(r"^kind:[ \t]{1,9}[\"']?CustomResourceDefinition\b", re.MULTILINE)
"""A document that says what fields others may have: megabytes of generated schema, and no use of anything."""


def yaml_trees(text: str) -> list[Node]:
    """One tree for each document of a file."""
    return _Yaml(_without_schemas(text)).documents()


def _without_schemas(text: str) -> str:
    """The text with the lines of schemas emptied, so that the others keep their numbers."""
    if "CustomResourceDefinition" not in text:
        return text
    starts = [0, *(one.start() for one in _DOCUMENT.finditer(text)), len(text)]
    documents = (text[start:end] for start, end in pairwise(starts))
    return "".join(
        f"---{newlines}" if _SCHEMA.search(one) and (newlines := "\n" * one.count("\n")) else one for one in documents
    )


class _Yaml:
    def __init__(self, text: str) -> None:
        self.raw = lines_of(text.removeprefix("\ufeff"))
        self.text = "\n".join(self.raw)
        self.starts = [0]
        for line in self.raw:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.at = 0
        self.pending: tuple[int, str] | None = None
        """What is left of the line after `- `: its indent and text."""
        self.flows = _UNCLOSED_MOST
        self.document = 0
        self.counted = -1
        """The last line that began a document."""

    def documents(self) -> list[Node]:
        trees: list[Node] = []
        while self.peek() is not None:
            before = (self.at, self.pending)
            trees.append(self.node(0))
            if (self.at, self.pending) == before:  # never stand still
                self.skip()
        return trees

    def peek(self) -> tuple[int, str] | None:
        """Indent and content of the next line that says something."""
        if self.pending is not None:
            return self.pending
        while self.at < len(self.raw):
            line = self.raw[self.at]
            content = line.strip()
            if self.at > self.counted and line.startswith("---"):
                self.document, self.counted = self.document + 1, self.at
            if content and content[0] != "#" and not _CONTROL.fullmatch(content) and content not in ("---", "..."):
                if content.startswith("--- "):
                    content = content[4:].strip()
                return len(line) - len(line.lstrip()), content
            self.at += 1
        return None

    def skip(self) -> None:
        self.pending = None
        self.at += 1

    def node(self, depth: int) -> Node:
        here = self.peek()
        line = self.at + 1
        if here is None or depth > DEEPEST:
            self.skip()
            return Node(line, "")
        indent, content = here
        if content == "-" or content.startswith("- "):
            return self.sequence(indent, depth)
        if _key(content) is not None:
            return self.mapping(indent, depth)
        self.pending = here
        return self.value(content, indent - 1, len(self.raw[line - 1].rstrip()) - len(content))

    def sequence(self, indent: int, depth: int) -> Node:
        node, document = Node(self.at + 1), self.document
        while (here := self.peek()) and here[0] == indent and (here[1] == "-" or here[1].startswith("- ")):
            if self.document != document:
                break
            rest = here[1][1:].lstrip()
            if rest and not rest.startswith("#"):
                self.pending = (indent + len(here[1]) - len(rest), rest)
                node.items.append(self.node(depth + 1))
                continue
            line = self.at + 1
            self.skip()
            after = self.peek()
            deeper = after is not None and after[0] > indent and self.document == document
            node.items.append(self.node(depth + 1) if deeper else Node(line, ""))
        return node

    def mapping(self, indent: int, depth: int) -> Node:
        node, document = Node(self.at + 1), self.document
        while (here := self.peek()) and here[0] >= indent and self.document == document:
            if here[0] > indent:  # badly indented, by a template perhaps: belongs to the last key
                self.stray(node, depth)
                continue
            found = _key(here[1])
            if found is None:
                break
            line = self.at + 1
            node.pairs.append((found[0], line, self.value_of(found[1], indent, depth)))
        return node

    def stray(self, node: Node, depth: int) -> None:
        before = (self.at, self.pending)
        inner = self.node(depth + 1)
        if (self.at, self.pending) == before:
            self.skip()
        node.pairs += inner.pairs
        node.pairs += [("", item.line, item) for item in inner.items]

    def value_of(self, rest: str, indent: int, depth: int) -> Node:
        line = self.at + 1
        rest = _DECORATION.sub("", rest, count=1) if rest[:1] in "&!" and rest else rest
        if rest and not rest.startswith("#"):
            return self.value(rest, indent, len(self.raw[self.at].rstrip()) - len(rest))
        document = self.document
        self.skip()
        after = self.peek()
        if after is not None and self.document == document:
            listed = after[1] == "-" or after[1].startswith("- ")
            if after[0] > indent or (listed and after[0] == indent):
                return self.node(depth + 1)
        return Node(line, "")

    def value(self, rest: str, indent: int, column: int) -> Node:
        """A value that starts on this line."""
        line = self.at + 1
        if _BLOCK.fullmatch(rest):
            return self.block(indent, "literal" if rest[0] == "|" else "folded")
        if rest[0] in "[{" and not rest.startswith("{{") and self.flows:
            try:
                node, end = flow(self.text, self.starts[self.at] + max(0, column), line)
            except Unclosed:
                self.flows -= 1
            else:
                self.pending = None
                while self.at < len(self.raw) and self.starts[self.at] < end:
                    self.at += 1
                return node
        if rest[0] in "\"'":
            return self.quoted(rest, indent)
        self.skip()
        parts = [_uncommented(rest)]
        while self.at < len(self.raw) and (more := self.continued(indent)) is not None:
            parts.append(more)
            self.at += 1
        return Node(line, "\n".join(parts).rstrip("\n"), "folded" if len(parts) > 1 else "plain")

    def continued(self, indent: int) -> str | None:
        """The next line if it goes on with a plain value."""
        line = self.raw[self.at]
        content = line.strip()
        if not content or content[0] == "#" or len(line) - len(line.lstrip()) <= max(indent, 0):
            return None
        if _key(content) is not None or content.startswith("- ") or _CONTROL.fullmatch(content):
            return None
        return _uncommented(content)

    def quoted(self, rest: str, indent: int) -> Node:
        line, mark = self.at + 1, rest[0]
        self.skip()
        parts = [rest]
        while not _closed("\n".join(parts) if len(parts) < 3 else parts[-1], mark, opened=len(parts) < 3):
            if self.at >= len(self.raw) or len(parts) > 500:
                break
            more = self.raw[self.at]
            if more.strip() and len(more) - len(more.lstrip()) <= max(indent, 0):
                break
            parts.append(more.strip())
            self.at += 1
        text = "\n".join(parts)
        end = text.rfind(mark, 1)
        inner = text[1 : end if end > 0 else len(text)]
        escaped = mark == '"' and "\\" in inner
        inner = _unescaped(inner) if escaped else inner.replace("''", "'") if mark == "'" else inner
        return Node(line, inner, "quoted" if escaped else "folded" if len(parts) > 1 else "plain")

    def block(self, indent: int, style: Style) -> Node:
        """`|` and `>`: every deeper line, without the first one's indent."""
        self.skip()
        start = self.at
        depth: int | None = None
        lines: list[str] = []
        while self.at < len(self.raw):
            line = self.raw[self.at]
            inner = len(line) - len(line.lstrip())
            if line.strip():
                if inner <= max(indent, -1):
                    break
                depth = inner if depth is None else depth
            lines.append(line[min(depth or 0, inner) :])
            self.at += 1
        return Node(start + 1, "\n".join(lines), style)


def _key(content: str) -> tuple[str, str] | None:
    """The key a line starts with, and what follows it."""
    if content[0] in "\"'":
        match = _QUOTED_KEY.match(content)
        return (match.group(1)[1:-1], content[match.end() :].strip()) if match else None
    if content[0] in "[{&*!|>%@`#" and not content.startswith(("{{", "<<", "*")):
        return None
    at = content.find(": ", 0, 300)
    if at < 0:
        bare = _uncommented(content)
        if not bare.endswith(":") or len(bare) > 300:
            return None
        return bare[:-1].strip(), ""
    comment = content.find(" #", 0, at)
    return None if comment >= 0 else (content[:at].strip(), content[at + 1 :].strip())


def _uncommented(content: str) -> str:
    if "#" not in content:
        return content
    match = _COMMENT.search(content)
    return content[: match.start()].rstrip() if match else content


def _closed(text: str, mark: str, *, opened: bool) -> bool:
    body = text[1:] if opened else text
    if mark == "'":
        return body.replace("''", "").find("'") >= 0
    return re.search(r'(?<!\\)(?:\\\\)*"', body) is not None


def _unescaped(text: str) -> str:
    known = {"n": "\n", "t": "\t", "r": "", "\n": " "}
    return re.sub(r"\\(.)", lambda match: known.get(match.group(1), match.group(1)), text, flags=re.DOTALL)


def yaml_file(
    name: str, text: str, wanted: Wanted, embedded: Embedded | None = None, program: str | None = None
) -> Iterator[Found]:
    """What a YAML file uses; `program` when it is known that its keys are that program's settings."""
    manifest = Manifest(f"{name}\n{text}", wanted, embedded, program)
    yield from manifest.read(yaml_trees(text))


# --- JSON files: dashboards, launch configurations, locks, settings, a model's config ---

_STRICT = (".json", ".jsonc", ".json5", ".lock")


def json_file(
    name: str, text: str, wanted: Wanted, embedded: Embedded | None = None, program: str | None = None
) -> Iterator[Found]:
    """What a JSON file uses; one that names nothing watched is not read further."""
    manifest = Manifest(f"{name}\n{text}", wanted, embedded, program)
    if not program and not manifest.mentions(text) and '"architectures"' not in text and not name.endswith(".lock"):
        return
    try:
        tree = json_tree(text)
    except Unclosed as error:
        if not name.endswith(_STRICT):  # a template of JSON
            yield from manifest.read(yaml_trees(text))
            return
        raise Unreadable(f"not JSON: {error}") from None
    yield from manifest.read([tree])
    yield from _locked(tree, wanted)
    architectures = tree.get("architectures")
    for one in architectures.items if architectures is not None else ():
        if one.text:
            yield Found("model", one.text, one.line)


def _locked(tree: Node, wanted: Wanted) -> Iterator[Found]:
    """Versions in Pipfile.lock."""
    for group in ("default", "develop"):
        packages = tree.get(group)
        for key, line, value in packages.pairs if packages is not None else ():
            version = value.get("version")
            if key in wanted.projects and version is not None:
                yield Found("pin", key, version.line, version.text)
            elif key in wanted.projects and value.text is not None:
                yield Found("pin", key, line, value.text)
