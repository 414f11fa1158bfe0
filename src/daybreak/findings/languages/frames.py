"""Frames of messages between processes: how many parts a message has, and the layout of packed bytes.

Whoever reads them counts: `send_multipart((id, b"", seq, body))` with one more part, `struct.pack("<IQ", …)` with another
format. Where the same change follows in an example or a document, readers outside the project are meant.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from daybreak.core.text import contrast
from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import one_line, quiet
from daybreak.findings.languages.python_functions import Function, Pair, sources
from daybreak.findings.languages.python_syntax import walk

_SENDS = "send_multipart"
_ENCODES = frozenset({"encode", "packb"})
_KIND = re.compile(r"(?:\w+\.)*[A-Z][A-Z0-9_]{3,60}")
_PACKS = frozenset({"pack", "unpack", "pack_into", "unpack_from", "iter_unpack", "calcsize", "Struct"})
_READS = re.compile(r"\brecv_multipart\(|\bunpack(?:_from)?\(|\bstruct\.Struct\(")
_COUNTS = re.compile(r"\blen\((\w{1,60})\)\s?>[\s\S]{0,160}?\b\1\[|\b(\w{1,60})\[[^\n]{0,80}?\blen\(\2\)\s?>")
"""How many there are is asked before one of them is taken, or in the words around it."""
_FORMAT = re.compile(r"[@=<>!]?(?:\d{0,6}[xcbB?hHiIlLqQnNefdspP]\s?){1,80}")


class Frame(NamedTuple):
    """One message or layout that a function writes or reads."""

    line: int
    shape: str
    """What a reader at the other end must know."""
    text: str
    parts: tuple[str, ...] = ()

    def begins(self, other: Frame) -> bool:
        """The other has the same parts, and more behind them."""
        return bool(self.parts) and other.parts[: len(self.parts)] == self.parts


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Messages and layouts that have another shape now."""
    patch = file.change.patch
    if quiet(file) or not (_SENDS in patch or "struct." in patch or "encode((" in patch or "packb((" in patch):
        return
    for one in sources(whole).changed(file.path):
        yield from _compare(*one, whole)


def _compare(pair: Pair, old: Function, new: Function, whole: Whole) -> Iterator[Fact]:
    before, after = _frames(old), _frames(new)
    for key in sorted(before.keys() & after.keys()):
        shapes = [{frame.shape for frame in side[key]} for side in (before, after)]
        if shapes[0] == shapes[1] or any(len(some) != 1 for some in shapes):
            continue
        if not (before[key][0].begins(after[key][0]) and _counted(whole)):
            texts = contrast(before[key][0].text, after[key][0].text)
            away = any(_AWAY.search(part) for part in after[key][0].parts)
            inside = "peer_frame_changed" if away else "internal_frame_changed"
            kind = "frame_changed" if _read_outside(whole) else inside
            yield Fact(kind, pair.file.path, after[key][0].line, pair.place, *texts, breaking=True)


_AWAY = re.compile(r"(?:^|[._])(?:\w*_)?(?:ip|host|hostname)\b|(?:^|[._])(?:remote|peer)_\w")
"""A message that names the machine which sends it, or one at the other end, goes to one that may run another version."""


def _frames(function: Function) -> dict[str, list[Frame]]:
    """Socket or way of packing → the shapes that a function gives."""
    out: dict[str, list[Frame]] = defaultdict(list)
    for node in walk(function.body):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
            continue
        given, place = node.args[0], ast.unparse(node.func)
        text = one_line(function.source(given))
        if node.func.attr == _SENDS and isinstance(given, ast.Tuple | ast.List):
            if not any(isinstance(part, ast.Starred) for part in given.elts):
                parts = tuple(map(ast.unparse, given.elts))
                out[place].append(Frame(function.at(given), str(len(parts)), text, parts))
        elif node.func.attr in _ENCODES and isinstance(given, ast.Tuple) and _is_kind(given):
            parts = tuple(map(ast.unparse, given.elts))
            out[f"{place} {parts[0]}"].append(Frame(function.at(given), str(len(parts)), text, parts))
        elif node.func.attr in _PACKS and place.startswith("struct.") and (layout := _layout(given)):
            out[place].append(Frame(function.at(given), layout, text))
    return out


def _is_kind(given: ast.Tuple) -> bool:
    """A message that begins with the constant of its kind: `(GET_META, rank)`; who reads it takes as many parts."""
    plain = not any(isinstance(part, ast.Starred) for part in given.elts)
    return plain and len(given.elts) > 1 and _KIND.fullmatch(ast.unparse(given.elts[0])) is not None


def _layout(given: ast.expr) -> str | None:
    """A format of packed bytes that is written out."""
    text = given.value if isinstance(given, ast.Constant) and isinstance(given.value, str) else ""
    return "".join(text.split()) if _FORMAT.fullmatch(text) else None


def _counted(whole: Whole) -> bool:
    """Who reads a message here asks how many parts it has before they take one: more of them hurt nobody."""
    files = (file for file in whole.files if not quiet(file))
    lines = (x.text[:400] for file in files for hunk in file.hunks for x in hunk.lines if x.sign != "-")
    return _COUNTS.search("\n".join(lines)) is not None


def _read_outside(whole: Whole) -> bool:
    """An example or a document that the change touches reads messages: people outside do so too."""
    shown = (file for file in whole.files if file.area == "docs")
    return any(_READS.search(line.text[:400]) for f in shown for h in f.hunks for line in h.lines if line.sign == "+")
