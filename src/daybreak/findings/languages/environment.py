"""Environment variables that come, go, change their name or default.

A declared variable (a row of an `envs` table, `SGLANG_X = EnvBool(…)`) is there for users: without it, setting it does
nothing. A row's variable is the one that it reads; its key is only the name that the code uses. A plain read (`os.getenv("X")`) only says that one place does or does not look at it any more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from daybreak.core.model.findings import Alias
from daybreak.findings.blobs import Row, Surface
from daybreak.findings.compare import FilePair
from daybreak.findings.languages.base import Fact, ReadFile, Whole, keywords, literal
from daybreak.findings.languages.blocks import beside, one_line, unwrapped
from daybreak.findings.languages.python_normal import same_value
from daybreak.findings.languages.restored_defaults import goes_with_function, is_put_back
from daybreak.findings.languages.text_surface import (
    Source,
    alike,
    changed_text,
    is_own,
    lives,
    names,
    pairing,
    plain,
    quiet_file,
    shown,
    unseen,
)

# --- Environment variables that a file declares or reads, in every way the watched projects do it ---


_NAME = r"([A-Z][A-Z0-9]*_[A-Z0-9_]{2,100})"
_VALUE = r"(\"[^\"\\\n]{0,80}\"|'[^'\\\n]{0,80}'|[\w.+-]{1,40})"
_WORDS = ("env", "Env", "ENV", "lambda")
_TABLE = re.compile(r"\w*(?:environment_variables|ENVIRONMENT_VARIABLES|ENV_VARS)\b[^\n=]{0,120}=\s?\{")
_ENTRY = re.compile(rf"[ \t]{{0,16}}[\"']{_NAME}[\"'][ \t]?:[ \t]?(?=lambda\b|env_\w+\(|maybe_\w+\(|get_\w*env\w*\()")
_FIELD = re.compile(rf"[ \t]{{1,16}}{_NAME}[ \t]?=[ \t]?(Env[A-Z]\w{{0,40}})\(")
_READ = re.compile(
    rf"(?:env(?:iron(?:\.get|\.pop|\.setdefault)?[ \t]?[(\[]|\(|_\w{{1,40}}\()|Env\()"
    rf"\s{{0,40}}[\"']{_NAME}[\"'](?!\s?\]\s?=[^=])"
)
_IS_SET = re.compile(rf"[\"']{_NAME}[\"'] in os\.environ\b")
_SAYS_GONE = re.compile(r"(?:deprecat|remov|obsolete|unsupported|ignor)\w{0,20}$", re.IGNORECASE)
"""The head of a call that only tells whoever still sets a variable, `print_deprecated_env("X")`."""
_FILLED = re.compile(
    rf"environ(?:\.setdefault\(|\[)\s{{0,40}}[\"']{_NAME}[\"'](?:\s?\]\s?=|\s{{0,4}},)\s{{0,40}}{_VALUE}\s{{0,40}}[)\n#]"
)
_SHELL = re.compile(rf"\$\{{{_NAME}(?::?[-=?+])")
_PREFIX = re.compile(r"\.replace\(\s?[\"']([A-Z]{2,20}_)[\"'],\s?[\"']([A-Z]{2,20}_)[\"']")
_RENAMES = re.compile(rf"\"{_NAME}\": \"{_NAME}\"")
_FORMED = re.compile(r"f[\"']([A-Z][A-Z0-9]*_[A-Z0-9_]{2,60})\{")
_SECOND = re.compile(rf"\s{{0,20}},\s{{0,20}}{_VALUE}\s{{0,20}},?\s{{0,20}}\)")
_NOTHING = re.compile(r"\s{0,20}(?:,\s{0,20}(?:None|\"\"|'')\s{0,20},?\s{0,20})?\)(?:\.(?:lower|upper|strip)\(\)){0,2}")
_INSTEAD = re.compile(rf"\s{{0,20}}\bor\s{{1,20}}{_VALUE}(?![\w.(\[])")
_GIVEN = re.compile(r"[ \t]{0,40}(\w{1,80})[ \t]{0,4}(?::[^=\n]{0,80})?=[ \t]{0,4}[\w.]{1,40}\(\s{0,40}\Z")
_DEFAULT = re.compile(r"(?:getenv|environ\.get|environ\.setdefault|env_with_choices|env_var|env_\w+)\(")
_ASKED = re.compile(
    r"(?<!set)(?<!put)env(?:iron(?:\.get|\.pop|\.setdefault)?\s?[(\[]|\w{0,40}\()\s{0,80}[\"']([A-Z][A-Z0-9_]{2,100})[\"']"
    r"|[\"']([A-Z][A-Z0-9_]{2,100})[\"']\s{1,40}(?:not\s{1,40})?in\s{1,40}os\.environ\b"
)
"""A variable that the value of a table's row looks at: by `os.environ`, or by any function that speaks of `env`."""
_ROW_END = re.compile(r"\n[ \t]{0,40}(?:[\"'][A-Z][A-Z0-9_]{2,100}[\"']\s?:|[}#])")
_OF_ARGUMENTS = re.compile(r"lambda\s+[\w*]|[\"'\d\[({]")
_LONGEST_ROW = 600


def surface(path: str, text: str, partial: bool = False) -> Surface:
    """Rows `env` (declared for users), `read` (looked at in one place), `alias` (an old name that still works)."""
    if not any(word in text for word in _WORDS) and not path.endswith((".sh", ".bash")):
        return Surface()
    if not path.endswith((".py", ".pyi")):
        return Surface(_read_rows(Source(text), path))
    source = Source(text)
    # plain reads come first: they know the default of what a table's row only looks at
    rows = [*_read_rows(source, path), *_tables(source), *_declared_rows(source), *_aliases(source)]
    rows += _filled_rows(source)
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
            rows = list(source.table(match.end())) if match else []
            for name, place, value in rows if any(_reads_any(value) for _, _, value in rows) else ():
                if re.fullmatch(r"[A-Z][A-Z0-9_]{2,100}", name):
                    yield place, _entry(source, name, place, value, _variable(name, value))


def _entries(source: Source, known: set[int]) -> Iterator[Row]:
    """Rows of tables of another name, told by their shape."""
    for word in ('": lambda', '": env_', '": maybe_', '": get_'):
        for at in source.find(word):
            match = _ENTRY.match(source.text, source.line_start(at))
            if match and match.start(1) - 1 not in known and not source.quiet(match.start()):
                value = source.text[match.end() : source.text.find("\n", match.end())]
                whole = _whole(source, match.end(), value)
                if _reads_any(whole):
                    yield _entry(source, match[1], match.start(1), value.rstrip(", "), _variable(match[1], whole))


def _reads_any(value: str) -> bool:
    """The value of a row looks at the environment, or may: what is made of arguments alone is no variable."""
    return _OF_ARGUMENTS.match(value) is None or "env" in value.lower()


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
    read = next((m for m in _ASKED.finditer(value) if m[1] == name), None)
    fallback = _fallback(value, read) if read else None
    if given and len(given.parts) > 1 and literal(given.parts[0]) == name:
        details["default"] = fallback or plain(given.parts[1])
    elif fallback and not call:
        details["default"] = fallback
    return Row("env", name, source.line(at), name, details)


def _declared_rows(source: Source) -> Iterator[Row]:
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
        elif word != "DeprecatedEnv(" and len(given) >= 2 and (one := given[0]) and (other := given[1]):
            old, now = (one, other) if _is_declared(source, other) else (other, one)
            yield Row("alias", old, line, now)
    for match in _RENAMES.finditer(source.text) if "eprecated" in source.text else ():
        yield Row("alias", match[1], source.line(match.start()), match[2])
    for match in _FORMED.finditer(source.text) if 'f"' in source.text else ():
        yield Row("pattern", match[1], source.line(match.start()))
    for at in source.find(".replace("):
        prefix = _PREFIX.match(source.text, at)
        if prefix:
            yield Row("prefix", prefix[1], source.line(at), prefix[2])


def _is_declared(source: Source, name: str) -> bool:
    """It is a field here: of an old name and a new one that a call is given, in whatever order, the new one."""
    return re.search(rf"(?m)^[ \t]{{1,16}}{re.escape(name)}[ \t]?=", source.text) is not None


def _read_rows(source: Source, path: str) -> Iterator[Row]:
    found: dict[str, list[tuple[int, str | None]]] = {}
    for match in _read_places(source, path):
        if not source.quiet(match.start()):
            found.setdefault(match[1], []).append((match.start(1), _fallback(source.text, match)))
    for name, places in found.items():
        details = {"default": places[0][1]} if len(places) == 1 and places[0][1] is not None else {}
        yield Row("read", name, source.line(places[0][0]), name, details)
    for match in _IS_SET.finditer(source.text) if "in os.environ" in source.text else ():
        if match[1] not in found and not source.quiet(match.start()):
            found[match[1]] = []
            yield Row("read", match[1], source.line(match.start()), match[1], {})


def _filled_rows(source: Source) -> Iterator[Row]:
    """Variables that the program sets itself where nobody did: `setdefault`, or under the question whether it is there."""
    for at in source.find("environ"):
        match = _FILLED.match(source.text, at)
        if match is None or source.quiet(at):
            continue
        unset = re.compile(_ASKED_FOR.format(match[1]))
        if "setdefault" in match[0] or any(map(unset.search, source.questions_over(at))):
            details = {"asked": " ".join(sorted(source.asked_over(at))), "when": _when(source, at, unset)}
            yield Row("filled", match[1], source.line(at), match[1], {"default": plain(match[2]), **details})


def _when(source: Source, at: int, unset: re.Pattern[str]) -> str:
    """What must hold beside that nobody set it, the outermost question first; of many the inner ones, of a long one its beginning."""
    told = ""
    for head in source.questions_over(at):
        asked = unwrapped(one_line(head).removeprefix("el").removeprefix("if "))
        parts = [asked] if " or " in asked else asked.split(" and ")
        parts = [one for one in parts if not unset.search(one)]
        telling = [
            one for one in parts if not one.endswith(" is not None")
        ] or parts  # what is there says nothing of whom
        left = " and ".join(map(beside, telling))
        if left and len(told) + len(left) > _LONGEST_WHEN:
            return f"… and {told}" if told else f"{left[:_LONGEST_WHEN].rstrip()} …"
        told = f"{left} and {told}" if left and told else left or told
    return told


_LONGEST_WHEN = 120
"""Characters of conditions that are read beside a value."""


_ASKED_FOR = r"[\"']{0}[\"']\s{{1,40}}not\s{{1,40}}in\s{{1,40}}os\.environ|(?:environ\.get|getenv)\([\"']{0}[\"'](?:, ?None)?\)\s{{1,40}}is\s{{1,40}}None|not\s{{1,40}}os\.(?:environ\.get|getenv)\([\"']{0}[\"']\)"


def _read_places(source: Source, path: str) -> Iterator[re.Match[str]]:
    if path.endswith((".sh", ".bash")):
        yield from _SHELL.finditer(source.text)
        return
    for at in (*source.find("env"), *source.find("Env(")):  # `getIntEnv("X")`
        match = _READ.match(source.text, at)
        before = source.text[max(0, at - 60) : at]
        if match and not before.endswith(("set", "set_", "put_", "del os.")) and not _SAYS_GONE.search(before):
            yield match


def _fallback(text: str, read: re.Match[str]) -> str | None:
    """What is taken where the variable is not set, when it is a plain value: the second argument of the read, what stands in
    for a read that gave nothing, or what is behind the `else` of the question whether it is there.
    """
    nothing = _NOTHING.match(text, read.end())
    match = _stand_in(text, read, nothing.end()) if nothing else None
    match = match or _SECOND.match(text, read.end()) or _otherwise(text, read)
    return plain(match[1]) if match else None


def _otherwise(text: str, read: re.Match[str]) -> re.Match[str] | None:
    """`int(os.environ["X"]) if "X" in os.environ else 1`."""
    asked = rf"\s?\]\){{0,4}}\s{{1,40}}if\s{{1,40}}[\"']{read[1]}[\"']\s{{1,40}}in\s{{1,40}}(?:os\.)?environ\s{{1,40}}else\s{{1,40}}"
    return re.compile(asked + rf"{_VALUE}(?![\w.(\[])").match(text, read.end())


def _stand_in(text: str, read: re.Match[str], end: int) -> re.Match[str] | None:
    """Behind an `or`, or given to the name that the read fills, if that is None."""
    if (match := _INSTEAD.match(text, end)) is not None:
        return match
    start = text.rfind("\n", max(0, read.start() - 200), read.start()) + 1
    given = _GIVEN.match(text[start : read.start(1) - 1])
    if given is None:
        return None
    name = re.escape(given[1])
    then = rf"[ \t]{{0,4}}\n[ \t]{{0,40}}if (?:not {name}|{name} is None):[ \t]{{0,4}}\n[ \t]{{0,40}}{name} = {_VALUE}[ \t]{{0,4}}(?:\n|\Z)"
    return re.compile(then).match(text, end)


__all__ = ["compare", "facts", "surface", "touched"]

_PLACES = re.compile(r"(?:^|/)(?:envs?|environ\w*|env_\w+)\.py$")
_HINT = re.compile(r"getenv|environ|Env[A-Z]\w*\(|env_\w+\(|_env\w*\(|[\"'][A-Z]+_[A-Z_]+[\"']|\$\{[A-Z]")
_INTERNAL = re.compile(r"_(?:TEST|TESTING|DEBUG_INTERNAL)_|(?:^|_)CI(?:_|$)|_TEST$|^(?:IS_|TEST_)")
"""Variables for the project's own tests and CI: nobody else sets them."""


def touched(file: ReadFile) -> bool:
    """Whether the hunks may have changed what is declared or read."""
    if quiet_file(file):
        return False
    places = file.change.patch_cut or _PLACES.search(file.path[-200:])
    return bool(places or _HINT.search(changed_text(file))) or _read_beside(file)


def _read_beside(file: ReadFile) -> bool:
    """A read beside what changed: a line below it may say what stands in for it."""
    lines = (x.text for hunk in file.hunks for x in hunk.lines)
    return any("environ" in text or "getenv" in text for text in lines)


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """From hunks alone, when nothing else is known."""
    pair = shown(file, surface, touched)
    if pair:
        yield from unseen(compare([pair], whole), file, whole)


class _Names:
    """Which variables a commit's files knew before and know after."""

    def __init__(self, pairs: Sequence[FilePair]) -> None:
        self.declared_before = names((p.old for p in pairs), "env")
        self.declared = names((p.new for p in pairs), "env")
        self.before = self.declared_before | names((p.old for p in pairs), "read")
        self.after = self.declared | names((p.new for p in pairs), "read")
        self.old_names = {row.name: row.text for p in pairs for row in p.new.of("alias")}
        self.earlier_names = {row.name for p in pairs for row in p.old.of("alias")}
        formed = names((p.new for p in pairs), "pattern") - names((p.old for p in pairs), "pattern")
        self.after |= {name for name in self.declared_before if any(name.startswith(start) for start in formed)}
        self._prefixes = [(row.name, row.text) for p in pairs for row in p.new.of("prefix")]

    def forwarded(self, name: str) -> str | None:
        """The new name under which an old one still works."""
        if name in self.old_names:
            return self.old_names[name]
        renamed = (new + name.removeprefix(old) for old, new in self._prefixes if name.startswith(old))
        return next((new for new in renamed if new in self.declared), None)


def compare(pairs: Sequence[FilePair], whole: Whole) -> Iterator[Fact]:
    """What happened to the variables of a commit's files."""
    known = _Names(pairs)
    for pair in pairs:
        yield from _declared(pair, known)
        yield from (fact for fact in _defaults(pair) if not is_put_back(fact, whole))
        yield from _filled(pair, known, whole.new_settings) if lives(pair.file) else ()
    yield from (fact for fact in _reads(pairs, known, _added_code(whole)) if not goes_with_function(fact, whole))


def _declared(pair: FilePair, known: _Names) -> Iterator[Fact]:
    path = pair.file.path
    gone = [r for r in pair.old.of("env") if r.name not in known.after]
    come = [r for r in pair.new.of("env") if r.name not in known.before and r.name not in known.earlier_names]
    successors, taken = pairing(gone, come, _alike), set()
    unread = known.before - known.declared_before - known.after - known.earlier_names
    heirs = {known.old_names[name]: name for name in sorted(unread & known.old_names.keys())}
    for row in gone:
        forwarded = known.forwarded(row.name)
        successor = forwarded or successors.get(row.name)
        alias = Alias("deprecated", forwarded) if forwarded else Alias("none")
        breaks = forwarded is None and not _INTERNAL.search(row.name)
        if successor:
            taken.add(successor)
            line = pair.new["env", successor].line if pair.new.has("env", successor) else row.line
            yield Fact("env_renamed", path, line, row.name, row.name, successor, breaks, alias)
        else:
            yield Fact("env_removed", path, row.line, row.name, row.name, None, breaks, alias)
    for row in come:
        if (old := heirs.get(row.name)) and row.name not in taken:
            yield Fact("env_renamed", path, row.line, old, old, row.name, False, Alias("deprecated", row.name))
        elif row.name not in taken:
            yield Fact("env_added", path, row.line, row.name, None, row.name, default=row.details.get("default"))
    yield from _lost_aliases(pair, known)


def _lost_aliases(pair: FilePair, known: _Names) -> Iterator[Fact]:
    """Old names that were still taken, and are not any more, while the new one lives on."""
    for row in pair.old.of("alias"):
        if row.name not in known.after and not known.forwarded(row.name) and row.text in known.after:
            breaks = not _INTERNAL.search(row.name)
            yield Fact("env_renamed", pair.file.path, row.line, row.name, row.name, row.text, breaks, Alias("none"))


def _alike(old: Row, new: Row) -> bool:
    """Defined in the same way, under a name with words in common; or two variables that one row read in turn."""
    if "key" in {**old.details, **new.details} and _key(old) == _key(new):
        return True
    return same_value(old.details.get("body", ""), new.details.get("body", "")) and alike(
        old.name.replace("_", " "), new.name.replace("_", " ")
    ) >= (0.5 if "declared" in old.details or len(old.details.get("body", "")) < 60 else 0.3)


def _key(row: Row) -> str:
    return row.details.get("key", row.name)


def _defaults(pair: FilePair) -> Iterator[Fact]:
    told = set()
    for kind in ("env", "read"):
        for old in pair.old.of(kind):
            new = pair.new.get((kind, old.name))
            if new is None or old.name in told:
                continue
            told.add(old.name)
            was, now = _of_one_type(old.details.get("default"), new.details.get("default"))
            if was is not None and now is not None and not same_value(was, now):
                yield Fact("env_default_changed", pair.file.path, new.line, old.name, was, now)


_TRUTHS = {"0": "False", "1": "True", "false": "False", "true": "True"}


def _of_one_type(was: str | None, now: str | None) -> tuple[str | None, str | None]:
    """Where one side is a truth, the text or number of the other is the truth that it was read as."""
    if was is None or now is None or not {was, now} & {"True", "False"}:
        return was, now
    first, second = (_TRUTHS.get(side.strip("\"'").lower(), side) for side in (was, now))
    return first, second


def _filled(pair: FilePair, known: _Names, settings: frozenset[str]) -> Iterator[Fact]:
    """What the program takes for a variable that nobody set; of one that comes with it, that is news already.

    Under a setting that comes with it, nobody who sets nothing meets it.
    """
    for row in pair.new.of("filled"):
        if not settings.isdisjoint(row.details["asked"].split()):
            continue
        old = pair.old.get(("filled", row.name))
        was, now = old.details["default"] if old else None, row.details["default"]
        new = row.name in known.declared and row.name not in known.before
        read = pair.old.get(("read", row.name))
        told = was is not None and read is not None and read.details.get("default") == was
        if not new and not told and not _INTERNAL.search(row.name) and (was is None or not same_value(was, now)):
            sides = _under(old) if old else None, _under(row)
            yield Fact("env_filled", pair.file.path, row.line, row.name, *sides, breaking=True)


def _under(row: Row) -> str:
    """What a variable is given, and when."""
    value, when = row.details["default"] or "", row.details["when"]
    return f"{value} if {when}" if when else value


def _reads(pairs: Sequence[FilePair], known: _Names, added: Sequence[str]) -> Iterator[Fact]:
    told: set[str] = set()
    for pair in pairs:
        path, stays = pair.file.path, lives(pair.file)
        gone = [r for r in pair.old.of("read") if stays and r.name not in known.after | known.declared_before | told]
        gone = [r for r in gone if not _is_held(r.name, added)]
        # a script that comes as a whole brings its own variables along; only of one that stays is a new one news
        script = path.endswith((".sh", ".bash")) and not stays
        come = [r for r in pair.new.of("read") if not script and r.name not in known.before | known.declared | told]
        come = [r for r in come if not r.name.endswith("_")]  # with which names are made
        successors = pairing(gone, come, _read_alike)
        told.update(row.name for row in (*gone, *come))
        for row in gone:
            successor, breaks = successors.get(row.name), not _INTERNAL.search(row.name)
            if successor:
                line = pair.new["read", successor].line
                yield Fact("env_renamed", path, line, row.name, row.name, successor, breaks, Alias("none"))
            elif is_own(row.name, pair):  # another one is read by whose it is
                yield Fact("env_read_removed", path, row.line, row.name, row.name, None, breaks)
        renamed = frozenset(successors.values())
        for row in come:
            if row.name not in renamed:
                default = row.details.get("default")
                yield Fact("env_read_added", path, row.line, row.name, None, row.name, default=default)


def _added_code(whole: Whole) -> list[str]:
    """Lines of shipped code that came: a page, a test or a comment that names a variable does not read it."""
    files = [f for f in whole.files if not quiet_file(f) and not f.path.endswith((".md", ".rst", ".txt"))]
    lines = (x.text for f in files for hunk in f.hunks for x in hunk.lines if x.sign == "+")
    return [line for line in lines if not line.lstrip().startswith(("#", "//", "*"))]


def _is_held(name: str, added: Sequence[str]) -> bool:
    """A line that came has the name as a text of its own, or asks an object for it: a variable, a table or a base holds what
    is read; or its beginning, with which names are made.
    """
    held = re.compile(rf"[\"']{re.escape(name)}[\"']|\w\.{re.escape(name)}\b")
    if any(name in line and held.search(line) for line in added):
        return True
    return any(name.startswith(begun) for line in added for begun in _BEGUN.findall(line))


_BEGUN = re.compile(r"[\"']([A-Z][A-Z0-9]{1,40}_(?:[A-Z0-9]{1,40}_){1,6})(?=[\"'{])")


def _read_alike(old: Row, new: Row) -> bool:
    """The same name but for a prefix or a word, read with the same default."""
    same = old.details.get("default") == new.details.get("default")
    return same and alike(old.name.replace("_", " "), new.name.replace("_", " ")) >= _SAME_READ


_SAME_READ = 0.6
"""How much of a name must stay, where nothing but the name says that two reads are one."""
