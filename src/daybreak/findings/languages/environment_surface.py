"""Environment variables that a file declares or reads, in every way the watched projects do it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from daybreak.findings.languages.base import keywords, literal
from daybreak.findings.languages.text_surface import Source, plain
from daybreak.findings.surface import Row, Surface

_NAME = r"([A-Z][A-Z0-9]*_[A-Z0-9_]{2,100})"
_WORDS = ("env", "Env", "ENV", "lambda")
_TABLE = re.compile(r"\w*(?:environment_variables|ENVIRONMENT_VARIABLES|ENV_VARS)\b[^\n=]{0,120}=\s?\{")
_ENTRY = re.compile(rf"[ \t]{{0,16}}[\"']{_NAME}[\"'][ \t]?:[ \t]?(?=lambda\b|env_\w+\(|maybe_\w+\(|get_\w*env\w*\()")
_FIELD = re.compile(rf"[ \t]{{1,16}}{_NAME}[ \t]?=[ \t]?(Env[A-Z]\w{{0,40}})\(")
_READ = re.compile(
    rf"env(?:iron(?:\.get|\.pop|\.setdefault)?[ \t]?[(\[]|\(|_var\(|::var(?:_os)?\(|_(?:bool|int|flag)\()"
    rf"\s{{0,40}}[\"']{_NAME}[\"'](?!\s?\]\s?=[^=])"
)
_GO = re.compile(rf"nv\(\"{_NAME}\"\)")
_SHELL = re.compile(rf"\$\{{{_NAME}(?::?[-=?+])")
_PREFIX = re.compile(r"\.replace\(\s?[\"']([A-Z]{2,20}_)[\"'],\s?[\"']([A-Z]{2,20}_)[\"']")
_RENAMES = re.compile(rf"\"{_NAME}\": \"{_NAME}\"")
_FORMED = re.compile(r"f[\"']([A-Z][A-Z0-9]*_[A-Z0-9_]{2,60})\{")
_SECOND = re.compile(r"\s{0,20},\s{0,20}(\"[^\"\\\n]{0,80}\"|'[^'\\\n]{0,80}'|[\w.+-]{1,40})\s{0,20},?\s{0,20}\)")
_DEFAULT = re.compile(r"(?:getenv|environ\.get|environ\.setdefault|env_with_choices|env_var|env_\w+)\(")
_ASKED = re.compile(
    r"(?<!set)(?<!put)env(?:iron(?:\.get|\.pop|\.setdefault)?\s?[(\[]|\w{0,40}\()\s{0,80}[\"']([A-Z][A-Z0-9_]{2,100})[\"']"
    r"|[\"']([A-Z][A-Z0-9_]{2,100})[\"']\s{1,40}(?:not\s{1,40})?in\s{1,40}os\.environ\b"
)
"""A variable that the value of a table's row looks at: by `os.environ`, or by any function that speaks of `env`."""
_ROW_END = re.compile(r"\n[ \t]{0,40}(?:[\"'][A-Z][A-Z0-9_]{2,100}[\"']\s?:|[}#])")
_LONGEST_ROW = 600


def surface(path: str, text: str, partial: bool = False) -> Surface:
    """Rows `env` (declared for users), `read` (looked at in one place), `alias` (an old name that still works)."""
    if not any(word in text for word in _WORDS) and not path.endswith((".sh", ".bash")):
        return Surface()
    if not path.endswith((".py", ".pyi")):
        return Surface(_reads(Source(text), path))
    source = Source(text)
    # plain reads come first: they know the default of what a table's row only looks at
    rows = [*_reads(source, path), *_tables(source), *_declared(source), *_aliases(source)]
    return Surface(rows, broken=source.lost > 0 and not partial)


def _tables(source: Source) -> Iterator[Row]:
    known: set[int] = set()
    for place, row in _table(source):
        known.add(place)
        yield row
    yield from _entries(source, known)


def _table(source: Source) -> Iterator[tuple[int, Row]]:
    for word in ("environment_variables", "ENVIRONMENT_VARIABLES", "ENV_VARS"):
        for at in source.find(word):
            match = _TABLE.match(source.text, source.line_start(at))
            for name, place, value in source.table(match.end()) if match else ():
                if re.fullmatch(r"[A-Z][A-Z0-9_]{2,100}", name):
                    yield place, _entry(source, name, place, value, _variable(name, value))


def _entries(source: Source, known: set[int]) -> Iterator[Row]:
    """Rows of tables of another name, told by their shape."""
    for word in ('": lambda', '": env_', '": maybe_', '": get_'):
        for at in source.find(word):
            match = _ENTRY.match(source.text, source.line_start(at))
            if match and match.start(1) - 1 not in known and not source.quiet(match.start()):
                value = source.text[match.end() : source.text.find("\n", match.end())]
                read = _variable(match[1], _whole(source, match.end(), value))
                yield _entry(source, match[1], match.start(1), value.rstrip(", "), read)


def _whole(source: Source, start: int, line: str) -> str:
    """A row to its end: its line, and those that follow where that leaves a bracket open."""
    if sum(line.count(char) for char in "([{") <= sum(line.count(char) for char in ")]}"):
        return line
    text = source.text[start : start + _LONGEST_ROW]
    end = _ROW_END.search(text)
    return text[: end.start()] if end else text


def _variable(key: str, value: str) -> str:
    """What users set: the variable that the row reads; the first of several, since the others are fallbacks."""
    read = [m[1] or m[2] for m in _ASKED.finditer(value)]
    return key if key in read or not read else read[0]


def _entry(source: Source, key: str, at: int, value: str, name: str) -> Row:
    """A row by its variable; one of another project is not declared here, it is only looked at."""
    details = {"body": value.replace(name, "")}
    if name != key:
        details["key"] = key
    if name.partition("_")[0] != key.partition("_")[0]:
        return Row("read", name, source.line(at), name)
    call = _DEFAULT.search(value)
    given = Source(value + ")").arguments(call.end()) if call else None
    if given and len(given.parts) > 1 and literal(given.parts[0]) == name:
        details["default"] = plain(given.parts[1])
    return Row("env", name, source.line(at), name, details)


def _declared(source: Source) -> Iterator[Row]:
    """`SGLANG_X = EnvBool(False)`; an old name that it still takes is an alias."""
    for at in source.find("= Env"):
        match = _FIELD.match(source.text, source.line_start(at))
        call = source.arguments(match.end()) if match and not source.quiet(match.start()) else None
        if match is None or call is None:
            continue
        given = keywords(call.parts)
        details = {"type": match[2].removesuffix("WithAlias").removesuffix("WithFallback"), "declared": "1"}
        if call.parts and call.parts[0].partition("=")[0].strip() not in given:
            details["default"] = call.parts[0]
        elif "default" in given:
            details["default"] = given["default"]
        details["body"] = f"{details['type']}({details.get('default', '')})"
        yield Row("env", match[1], source.line(match.start(1)), match[1], details)
        for key, value in given.items():
            for old in re.findall(r"[\"']([A-Z][A-Z0-9_]{3,100})[\"']", value if key != "default" else ""):
                yield Row("alias", old, source.line(match.start(1)), match[1])


def _aliases(source: Source) -> Iterator[Row]:
    """Old names that are forwarded to new ones when the module loads, and prefixes that are rewritten."""
    for at, word, call in source.calls("DeprecatedEnv(", "_print_deprecated_env("):
        line = source.line(at)
        key = re.search(rf"[\"']{_NAME}[\"']\s?:\s?_?$", source.text[max(0, at - 200) : at])
        given = [literal(p) for p in call.parts]
        if word == "DeprecatedEnv(" and key:
            new = literal(keywords(call.parts).get("replacement", ""))
            yield Row("alias" if new else "warned", key[1], line, new or "")
        elif word != "DeprecatedEnv(" and len(given) >= 2 and given[0] and given[1]:
            yield Row("alias", given[1], line, given[0])
    for match in _RENAMES.finditer(source.text) if "eprecated" in source.text else ():
        yield Row("alias", match[1], source.line(match.start()), match[2])
    for match in _FORMED.finditer(source.text) if 'f"' in source.text else ():
        yield Row("pattern", match[1], source.line(match.start()))
    for at in source.find(".replace("):
        prefix = _PREFIX.match(source.text, at)
        if prefix:
            yield Row("prefix", prefix[1], source.line(at), prefix[2])


def _reads(source: Source, path: str) -> Iterator[Row]:
    found: dict[str, list[tuple[int, str | None]]] = {}
    for match in _read_places(source, path):
        if not source.quiet(match.start()):
            found.setdefault(match[1], []).append((match.start(1), _fallback(source.text, match.end())))
    for name, places in found.items():
        details = {"default": places[0][1]} if len(places) == 1 and places[0][1] is not None else {}
        yield Row("read", name, source.line(places[0][0]), name, details)


def _read_places(source: Source, path: str) -> Iterator[re.Match[str]]:
    if path.endswith((".sh", ".bash")):
        yield from _SHELL.finditer(source.text)
        return
    for at in source.find("nv(") if path.endswith(".go") else source.find("env"):
        match = (_GO if path.endswith(".go") else _READ).match(source.text, at)
        if match and source.text[max(0, at - 5) : at].endswith(("set", "del os.")) is False:
            yield match


def _fallback(text: str, at: int) -> str | None:
    """The second argument of a read, when it is a plain value."""
    match = _SECOND.match(text, at)
    return plain(match[1]) if match else None
