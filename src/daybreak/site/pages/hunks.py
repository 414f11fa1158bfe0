"""Hunks as HTML: added and deleted lines, and the parts of code in few colours; whatever they hold shows as text.

Both sides are read as code, each with the lines that they share, so that a string that opens on a deleted line colours
no added one. A small reader of our own does it: it takes time in proportion to the text, whatever that holds, and a
tenth of the time of a library of grammars (docs/decisions/0019-pages.md). Markup is kept small: a day has more than a
hundred hunks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby

from markupsafe import Markup, escape
from msgspec import Struct

from daybreak.report.render.escape import showable

LONGEST = 20_000
"""Characters of a hunk that gets colours; no report holds a longer one."""

TAG, COLOURS = "<", frozenset("cfkns")
"""What a piece is: one of our own tags, or text in one of the colours, or ("") in none."""
_Piece = tuple[str, str]
_Line = list[_Piece]
_BLOCK = {"-": "del", "+": "ins"}

_STRING = r'"(?:[^"\\\n]|\\.)*"?'
_QUOTED = r"'(?:[^'\\\n]|\\.)*'?"
_TRIPLE = r'"""[\s\S]*?"""|\'\'\'[\s\S]*?\'\'\''
_NUMBER = r"(?<![\w.])\d[\w.]*"
_WORD = r"[A-Za-z_]\w*"


class _Language(Struct, frozen=True):
    """How to tell comments, strings and words that carry the structure."""

    parts: re.Pattern[str]
    words: frozenset[str]
    naming: frozenset[str]
    """The word after one of these is the name of something new."""


def _language(comment: str, string: str, words: str, naming: str = "", mark: str = r"(?!)") -> _Language:
    parts = f"(?P<c>{comment})|(?P<s>{string})|(?P<f>{mark})|(?P<n>{_NUMBER})|(?P<w>{_WORD})"
    names = frozenset(naming.split())
    return _Language(re.compile(parts, re.MULTILINE), frozenset(words.split()) | names, names)


_PYTHON = _language(
    r"#.*", f"{_TRIPLE}|{_STRING}|{_QUOTED}",
    "and as assert async await break case continue del elif else except finally for from global if import in is lambda "
    "match nonlocal not or pass raise return try while with yield True False None self",
    "def class", r"^[ ]*@[\w.]+",
)  # fmt: skip
_C = _language(
    r"//.*|/\*[\s\S]*?(?:\*/|\Z)", f"{_STRING}|'(?:[^'\\\\\\n]|\\\\.)'|`[^`]*`?",
    "alignas auto bool break case catch char const constexpr continue default delete do double else explicit export extern "
    "false float for friend from goto if impl import in inline int int32_t int64_t let long match mod mut mutable new "
    "noexcept nullptr null operator override package private protected public pub ref return self short signed size_t "
    "sizeof static static_assert switch template this throw true try typedef typename uint32_t uint64_t union unsigned use "
    "using var virtual void volatile where while yield async await const_cast static_cast reinterpret_cast message "
    "repeated optional __global__ __device__ __host__ __shared__ __forceinline__ range defer go chan",
    "class struct enum namespace fn func function interface trait type", r"^[ ]*#[ ]*\w+",
)  # fmt: skip
_HASH = _language(
    r"(?:^|(?<=\s))#.*", f"{_STRING}|{_QUOTED}",
    "if then else elif fi for in do done while case esac function return export local set echo true false null yes no on "
    "off endif foreach endforeach endfunction option project FROM RUN COPY ENV ARG WORKDIR CMD ENTRYPOINT",
    "", r"^[ -]*[\w.\"'/-]+(?=[ ]*[:=](?:[ ]|$))|^\[.*\]$",
)  # fmt: skip


def _endings(names: str) -> list[str]:
    return names.split()


_BY_ENDING = {
    **dict.fromkeys(("py", "pyi", "pyx", "bzl"), _PYTHON),
    **dict.fromkeys(
        _endings("c cc cpp cxx cu cuh h hpp hxx inl inc hip mm metal rs go js mjs jsx ts tsx java kt proto swift"), _C
    ),
    **dict.fromkeys(_endings("sh bash zsh yml yaml toml cmake cfg ini mk dockerfile makefile json"), _HASH),
}
_NAMED = {"cmakelists.txt": _HASH, "build": _PYTHON}


@lru_cache(maxsize=1024)  # the same hunk stands on two pages in two languages
def hunk_html(path: str, text: str) -> Markup | None:
    """Lines of the hunk from `@@` on, in colours; None where it holds characters that cannot be shown safely."""
    lines = _lines(text)
    if lines is None:
        return None
    pieces = _joined(lines, *_sides(path, lines))
    return Markup('<pre tabindex="0">%s</pre>') % Markup("".join(_tag(*one) for one in pieces))  # noqa: S704  escaped


@lru_cache(maxsize=1024)
def folded_hunk_html(path: str, text: str) -> Markup | None:
    """The same where most hunks stay folded: the colours are an attribute, which the script turns into markup when the
    hunk is seen. A page of a hundred and fifty changes has a fifth fewer elements so, and can be used that much sooner.
    """
    lines = _lines(text)
    if lines is None:
        return None
    shown: list[str] = []
    marks: list[str] = []
    plain = 0
    for mark, value in _joined(lines, *_sides(path, lines)):
        shown.append(value if mark == TAG else _shown(value))
        if mark in COLOURS and value:
            marks.append(f"{plain}{mark}{_units(value)}")
            plain = 0
        elif mark != TAG:
            plain += _units(value)
    start = Markup('<pre tabindex="0" data-m="%s">') % " ".join(marks)
    return start + Markup("".join(shown)) + Markup("</pre>")  # noqa: S704  every part was escaped


def _units(text: str) -> int:
    """As a browser counts: in UTF-16."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def _lines(text: str) -> list[str] | None:
    text = text.replace("\r\n", "\n").rstrip("\n")
    return text.split("\n") if showable(text) else None


def _sides(path: str, lines: Sequence[str]) -> tuple[Iterator[_Line], Iterator[_Line]]:
    """The lines before and the lines after, each in pieces."""
    language = _of(path) if sum(map(len, lines)) + len(lines) <= LONGEST else None
    old = _coloured(language, [line[1:] for line in lines if not line.startswith(("+", "@@", "\\"))])
    new = _coloured(language, [line[1:] for line in lines if not line.startswith(("-", "@@", "\\"))])
    return iter(old), iter(new)


def _of(path: str) -> _Language | None:
    name = path.rpartition("/")[2].lower()
    return _NAMED.get(name) or _BY_ENDING.get(name.rpartition(".")[2])


def _joined(lines: Sequence[str], old: Iterator[_Line], new: Iterator[_Line]) -> Iterator[_Piece]:
    """One block for neighbouring lines that were changed in the same way, plain text for the others."""
    for sign, group in groupby(lines, key=_sign):
        if sign == "@":
            for line in group:
                yield from ((TAG, "<s>"), ("", line), (TAG, "</s>"))
        elif sign == "\\":
            yield from (("", f"{line}\n") for line in group)
        elif sign in _BLOCK:
            yield from _block(_BLOCK[sign], sign, [next(old if sign == "-" else new) for _ in group])
        else:
            for _ in group:
                next(old)
                yield from (("", " "), *next(new), ("", "\n"))


def _block(tag: str, sign: str, lines: Sequence[_Line]) -> Iterator[_Piece]:
    yield TAG, f"<{tag}>"
    for at, line in enumerate(lines):
        yield "", f"\n{sign}" if at else sign
        yield from line
    yield TAG, f"</{tag}>"


def _sign(line: str) -> str:
    return "@" if line.startswith("@@") else line[:1] if line.startswith(("+", "-", "\\")) else " "


def _shown(text: str) -> str:
    return str(escape(text))


def _coloured(language: _Language | None, lines: Sequence[str]) -> list[_Line]:
    """The pieces of each line."""
    if language is None:
        return [[("", line)] for line in lines]
    out: list[_Line] = [[]]
    for mark, value in _parts(language, "\n".join(lines)):
        first, *rest = value.split("\n")
        out[-1].append((mark, first))
        out.extend([(mark, more)] for more in rest)
    return out if lines else []


def _parts(language: _Language, code: str) -> Iterator[tuple[str, str]]:
    """The code in order: a mark, or none, and what it stands for."""
    at, naming = 0, False
    for found in language.parts.finditer(code):
        mark, value = found.lastgroup or "", found[0]
        if mark == "w":
            mark = "k" if value in language.words else "f" if naming else ""
            naming = value in language.naming
        elif value.strip():
            naming = False
        if not mark:
            continue
        yield "", code[at : found.start()]
        yield mark, value
        at = found.end()
    yield "", code[at:]


def _tag(mark: str, value: str) -> str:
    if mark == TAG:
        return value
    return f'<i class="{mark}">{_shown(value)}</i>' if mark and value else _shown(value)
