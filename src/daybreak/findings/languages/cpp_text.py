"""Small linear scanners over C++ text: literals and comments blanked, brackets matched, heads taken apart."""

from __future__ import annotations

import re

MAX_HEAD = 4000
"""Characters of a declaration's head that are looked at."""
_QUIET = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)|R\"(\w{0,16})\((?:.*?\)\1\"|.*)|(?<![0-9A-Fa-f])'(?:[^'\\\n]|\\.){1,12}'"
    r"|\"(?:[^\"\\\n]|\\.)*\"?",
    re.DOTALL,
)
_TYPE = re.compile(r"(class|struct|union)\b\s*(.*)", re.DOTALL)
_NAME_BEHIND = re.compile(r"(?<![\w:~])([A-Za-z_~][\w:~]{0,150})\s{0,20}$")
_NOT_NAMES = frozenset(
    re.findall(
        r"\w+",
        "if for while switch return sizeof decltype alignas __align__ requires noexcept explicit __launch_bounds__ void "
        "int bool float double char unsigned long short auto __attribute__ __declspec __cluster_dims__ alignof throw "
        "catch static_assert constexpr delete new operator assert __block_size__ asm __asm__ defined",
    )
)
_KEYWORDS = frozenset(
    re.findall(
        r"\w+", "const volatile int bool float double char void auto unsigned signed long short restrict __restrict__"
    )
)


def quieted(text: str) -> str:
    """The text with comments and the insides of literals blanked, every offset and line kept."""
    return _QUIET.sub(_blank, text)


def _blank(match: re.Match[str]) -> str:
    found = match[0]
    if found[0] == "/":
        return re.sub(r"[^\n]", " ", found)
    if len(found) < 2 or "\n" in found:
        return re.sub(r"[^\n]", " ", found)
    return '"' + " " * (len(found) - 2) + '"'


def type_name(head: str) -> str | None:
    """`struct Foo : Base` → `Foo`; a specialisation ends in `<`; None for anything else."""
    match = _TYPE.match(head)
    if match is None:
        return None
    rest = re.sub(
        r"(?:alignas|__align__|[A-Z]{1,40}_ALIGNAS|__attribute__)\s*\([^()]*(?:\([^()]*\)[^()]*)*\)",
        " ",
        match[2][:1000],
    )
    rest = re.split(r"(?<!:):(?!:)", re.sub(r"\[\[.*?\]\]", " ", rest), maxsplit=1)[0]
    if "(" in rest.split("<")[0] or "=" in rest.split("<")[0]:
        return None
    words: list[str] = re.findall(r"[A-Za-z_][\w:]*", rest.split("<")[0])
    words = [w for w in words if w != "final"]
    if not words:
        return ""
    return words[-1] + ("<" if "<" in rest else "")


def call_of(head: str) -> tuple[str, int, int] | None:
    """Name, opening and closing bracket of the parameter list in a function's head."""
    at, angle, seen, macro = 0, 0, 0, True
    while (at := head.find("(", at)) >= 0:
        close = _match_paren(head, at)
        if close < 0:
            return None
        before = head[seen:at]
        angle += before.count("<") - before.count(">") + before.count("->") - before.count("<<") * 2
        name = _NAME_BEHIND.search(head[max(0, at - 200) : at])
        # calls of macros may stand before the declaration, with nothing between them
        macro = macro and name is not None and before.strip() == name[1] and name[1].isupper()
        if angle <= 0 and name and name[1] not in _NOT_NAMES and not name[1].endswith("_ALIGNAS") and not macro:
            front = head[: at - len(name[0])].strip()
            return (name[1], at, close) if front and "::" not in name[1] and not name[1].startswith("~") else None
        at = seen = close + 1
    return None


def _match_paren(text: str, at: int) -> int:
    depth = 0
    for match in re.finditer(r"[()]", text[at:]):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            return at + match.start()
    return -1


def split_template(head: str) -> tuple[str | None, str]:
    """`template <class T> struct X` → (`class T`, `struct X`); None where there is no template head."""
    template: str | None = None
    while head.startswith("template"):
        rest = head[8:].lstrip()
        if not rest.startswith("<"):
            break  # an explicit instantiation
        close = _match_angle(rest)
        if close < 0:
            break
        template, head = rest[1:close], rest[close + 1 :].lstrip()
    return template, head


def _match_angle(text: str) -> int:
    """Where the angle bracket at the start closes; brackets of other kinds hide what is in them."""
    depth = parens = 0
    for match in re.finditer(r"[<>()]", text):
        char = match[0]
        if char in "()":
            parens += 1 if char == "(" else -1
        elif parens == 0 and text[match.start() - 1 : match.start()] != "-":
            depth += 1 if char == "<" else -1
            if depth == 0:
                return match.start()
    return -1


def split_top(text: str) -> list[str]:
    """Cut at the commas that no bracket holds; an angle bracket counts where a name or `template` opens it."""
    depth, angle, start, out = 0, 0, 0, []
    for match in re.finditer(r"(?:(?<=\w)|(?<=template ))<(?![<=])|[>(){}\[\],]", text):
        char = match[0]
        if char == "<":
            angle += 1
        elif char == ">":
            angle -= 1 if angle and text[match.start() - 1] != "-" else 0
        elif char in "({[":
            depth += 1
        elif char in ")}]":
            depth -= 1
        elif depth == 0 and angle == 0:
            out.append(text[start : match.start()])
            start = match.end()
    return [*out, text[start:]]


def template_arguments(template: str | None) -> tuple[int, int]:
    """How many arguments a template needs and takes."""
    if template is None:
        return 0, 0
    parts = [p for p in split_top(template) if p.strip()]
    many = any("..." in p for p in parts)
    return sum("=" not in p and "..." not in p for p in parts), 999 if many else len(parts)


def parameters(inside: str) -> list[str]:
    """The parts of a parameter list; `(void)` has none."""
    return [p for p in split_top(inside) if p.strip() and p.strip() != "void"]


def function_head(name: str, parts: list[str]) -> str:
    """`name(types)`: what tells one overload from the others."""
    return f"{name}({', '.join(map(parameter_type, parts))})"


def unspaced(head: str) -> str:
    """A head as it is compared: white space says nothing."""
    return "".join(head.split())


def heads_of(name: str, text: str) -> set[str]:
    """Every `name(…)` of a text as the head it would have as a declaration, without its blanks."""
    found = set()
    for match in re.finditer(rf"\b{re.escape(name)}\s{{0,9}}\(", text):
        rest = quieted(text[match.end() - 1 : match.end() + MAX_HEAD])
        close = _match_paren(rest, 0)
        if close > 0:
            found.add(unspaced(function_head(name, parameters(rest[1:close]))))
    return found


def parameter_type(part: str) -> str:
    """A parameter without its name and default: what matters to a caller."""
    text = " ".join(re.split(r"(?<![=!<>])=(?!=)", part, maxsplit=1)[0].split())
    match = re.fullmatch(r"(.*[\s*&>.])(\w+)", text, re.DOTALL)
    if (
        match
        and match[2] not in _KEYWORDS
        and match[1].strip() not in ("const", "typename", "struct", "unsigned", "class")
    ):
        text = match[1].strip()
    return re.sub(r"\s*([*&])\s*", r"\1", text)
