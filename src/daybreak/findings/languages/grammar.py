"""Grammars of tree-sitter: a text as a syntax tree, within limits of nesting and time, and what is asked of its nodes.

A grammar is a library in C that trusts its input: without a bound on nesting it ends the process (objects of TypeScript, a
megabyte of `{a:`), and an unclosed quote makes it read the rest again and again. So nesting is counted first, and the text
is handed over in pieces that stop when the time is up. The parser's own callback for that ends the process as well.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Language, Node

LARGEST = 1 << 20
"""Bytes of a source; a larger one is generated."""
DEEPEST = 200
"""Brackets that are open at once."""
SECONDS = 2.0
"""Of the processor, not of the clock: a busy machine reads the same files."""
_PIECE = 4096
_MODULES = {
    "rust": ("tree_sitter_rust", "language"),
    "go": ("tree_sitter_go", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
}
_BRACKET = re.compile(rb"[(\[{]|[)\]}]|<(?![=-])|(?<![=-])>(?!=)|;")
_OTHERS = bytes(set(range(256)) - set(b"()[]{}<;"))
_STEPS = [1 if char in b"([{" else -1 if char in b")]}" else 0 for char in range(256)]
_ENDS = re.compile(rb"[;{}]")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_TIGHT = re.compile(r"(?<=[(\[<&*.!])\s+|\s+(?=[)\]>,;?]|\.(?!\.))")
_TRAILING = re.compile(r",\s*(?=[)\]}>])")


@lru_cache(maxsize=8)
def _language(name: str) -> Language | None:
    """The grammar, or None where it is not installed."""
    module, function = _MODULES[name]
    try:
        from tree_sitter import Language

        return Language(getattr(import_module(module), function)())
    except (ImportError, OSError):
        return None


class Syntax(NamedTuple):
    """A syntax tree with its text."""

    root: Node
    data: bytes
    first: int = 0
    """Lines that stand before the text, where it is a part of a file."""

    def text(self, node: Node | None) -> str:
        """The node as it is written."""
        return "" if node is None else self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def flat(self, node: Node | None) -> str:
        """The node in one form, whatever its lines, blanks, comments and trailing commas."""
        return flat(self.text(node))

    def head(self, node: Node, body: Node | None) -> str:
        """A declaration up to its body, in one form."""
        end = body.start_byte if body is not None else node.end_byte
        return flat(self.data[node.start_byte : end].decode("utf-8", "replace")).rstrip("={;, ")

    def line(self, node: Node) -> int:
        """Number of the node's line in its file."""
        return int(node.start_point[0]) + 1 + self.first

    def digest(self, node: Node | None, name: str) -> str:
        """What a body says, whatever its form and its own name; empty for one that says next to nothing."""
        words = re.sub(rf"\b{re.escape(name)}\b", "", _COMMENT.sub("", self.text(node)))
        plain = "".join(words.split())
        return hashlib.sha256(plain.encode()).hexdigest()[:16] if len(plain) > 12 else ""


def flat(text: str) -> str:
    """A piece of code on one line: comments, line ends and trailing commas do not count."""
    plain = " ".join(_COMMENT.sub(" ", text).split()) if "/" in text else " ".join(text.split())
    return _TRAILING.sub("", _TIGHT.sub("", plain)).strip()


def parsed(name: str, text: str, first: int = 0) -> Syntax:
    """The tree of a whole text; ValueError where it is too large, too deep, too slow, or not of the language."""
    language, data = _language(name), text.encode("utf-8", "replace")
    if language is None:
        raise ValueError("no grammar")
    if len(data) > LARGEST or (_depth_at_most(data) > DEEPEST and _depth(data) > DEEPEST):
        raise ValueError("no source")
    from tree_sitter import Parser

    end = time.thread_time() + SECONDS
    cut = False

    def piece(offset: int, _point: object) -> bytes:
        nonlocal cut
        cut = cut or time.thread_time() > end
        return b"" if cut else data[offset : offset + _PIECE]

    tree = Parser(language).parse(piece)
    if cut or tree.root_node.has_error:
        raise ValueError("not understood")
    return Syntax(tree.root_node, data, first)


def _depth_at_most(data: bytes) -> int:
    """What the depth does not exceed, without a look at each bracket: most sources need no more."""
    brackets = data.translate(None, _OTHERS)
    depths = [0, *accumulate(map(_STEPS.__getitem__, brackets))]
    angles = max(part.count(b"<") for part in _ENDS.split(brackets))
    return max(angles, max(depths) - min(depths))


def _depth(data: bytes) -> int:
    """How many brackets are open at once; `<` counts until its statement ends."""
    depth = deepest = angles = 0
    for mark in _BRACKET.finditer(data):
        char = mark[0]
        if char in b"([{":
            depth, angles = depth + 1, 0 if char == b"{" else angles
        elif char in b")]}":
            depth, angles = max(0, depth - 1), 0 if char == b"}" else angles
        elif char == b";":
            angles = 0
        else:
            angles = max(0, angles + (1 if char == b"<" else -1))
        deepest = max(deepest, depth, angles)
        if deepest > DEEPEST:
            break
    return deepest


@lru_cache(maxsize=32)
def _query(language: str, pattern: str) -> object:
    from tree_sitter import Query

    grammar = _language(language)
    assert grammar is not None
    return Query(grammar, pattern)


def captures(language: str, root: Node, pattern: str) -> dict[str, list[Node]]:
    """Name in a pattern of the grammar → the nodes of that name, from top to bottom; the tree is walked once for all."""
    from tree_sitter import QueryCursor

    found = QueryCursor(_query(language, pattern)).captures(root)  # type: ignore[arg-type]
    return {name: sorted(some, key=lambda node: (node.start_byte, -node.end_byte)) for name, some in found.items()}


def nodes(language: str, root: Node, *kinds: str) -> Iterator[Node]:
    """Every node of these kinds, from top to bottom."""
    return iter(captures(language, root, " ".join(f"({kind}) @n" for kind in kinds)).get("n", []))


def field(node: Node | None, name: str) -> Node | None:
    """A part of a node by its name in the grammar."""
    return None if node is None else node.child_by_field_name(name)


def quoted(text: str) -> str | None:
    """The content of a plain string; None for anything else."""
    if len(text) >= 2 and text[0] in "\"'`" and text[-1] == text[0] and "${" not in text:
        return text[1:-1]
    return None
