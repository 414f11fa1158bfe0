"""A hunk as HTML: added and deleted lines, and the parts of code in few colours; whatever it holds shows as text.

Both sides are read as code, each with the lines that they share, so that a string that opens on a deleted line colours
no added one. A small reader of our own does it: it takes time in proportion to the text, whatever that holds, and a
tenth of the time of a library of grammars (docs/decisions/0019-pages.md). Markup is kept small: a day has more than a
hundred hunks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup, escape

from daybreak.render.escape import showable

LONGEST = 20_000
"""Characters of a hunk that gets colours; no report holds a longer one."""

_STRING = r'"(?:[^"\\\n]|\\.)*"?'
_QUOTED = r"'(?:[^'\\\n]|\\.)*'?"
_TRIPLE = r'"""[\s\S]*?"""|\'\'\'[\s\S]*?\'\'\''
_NUMBER = r"(?<![\w.])\d[\w.]*"
_WORD = r"[A-Za-z_]\w*"


@dataclass(frozen=True, slots=True)
class _Language:
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
    """Lines of the hunk from `@@` on; None where it holds characters that cannot be shown safely."""
    text = text.replace("\r\n", "\n").rstrip("\n")
    if not showable(text):
        return None
    lines = text.split("\n")
    language = _of(path) if len(text) <= LONGEST else None
    old = _coloured(language, [line[1:] for line in lines if not line.startswith(("+", "@@", "\\"))])
    new = _coloured(language, [line[1:] for line in lines if not line.startswith(("-", "@@", "\\"))])
    return Markup("".join(_joined(lines, iter(old), iter(new))))  # noqa: S704  every part was escaped


def _of(path: str) -> _Language | None:
    name = path.rpartition("/")[2].lower()
    return _NAMED.get(name) or _BY_ENDING.get(name.rpartition(".")[2])


def _joined(lines: Sequence[str], old: Iterator[str], new: Iterator[str]) -> Iterator[str]:
    """Blocks for changed lines, plain text for the others."""
    for line in lines:
        if line.startswith("@@"):
            yield f"<s>{_shown(line)}</s>"
        elif line.startswith("\\"):
            yield f"{_shown(line)}\n"
        elif line.startswith("-"):
            yield f"<del>-{next(old)}</del>"
        elif line.startswith("+"):
            yield f"<ins>+{next(new)}</ins>"
        else:
            next(old)
            yield f" {next(new)}\n"


def _shown(text: str) -> str:
    return str(escape(text))


def _coloured(language: _Language | None, lines: Sequence[str]) -> list[str]:
    """One piece of HTML for each line."""
    if language is None:
        return [_shown(line) for line in lines]
    out: list[str] = []
    line: list[str] = []
    for mark, value in _parts(language, "\n".join(lines)):
        first, *rest = value.split("\n")
        line.append(_marked(mark, first))
        for more in rest:
            out.append("".join(line))
            line = [_marked(mark, more)]
    out.append("".join(line))
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


def _marked(mark: str, value: str) -> str:
    return f'<i class="{mark}">{_shown(value)}</i>' if mark and value else _shown(value)
