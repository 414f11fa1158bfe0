"""One command line as uses: which watched program it starts, the flags it passes, the settings inside them.

`command_uses` is for readers that have the words already (exec forms, manifests, lists in code).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from daybreak.core.projects import Wanted
from daybreak.upgrade.downstream.readers import Found
from daybreak.upgrade.downstream.shell_words import Word

_FLAG = re.compile(r"(--[A-Za-z][\w-]{0,80})((?:\.[\w-]{1,80}){0,4})\+?(?:=(.*))?", re.DOTALL)
_SHORT = re.compile(r"-[A-Za-z][A-Za-z0-9]{0,4}")
_NUMBER = re.compile(r"-\d[\d.]{0,20}")
_SUBCOMMAND = re.compile(r"[a-z][a-z-]{1,30}")
_PYTHON = re.compile(r"(?:python|pypy)(?:\d(?:\.\d{1,2})?)?")
_MODULE = re.compile(r"[A-Za-z_]\w{0,60}(?:\.\w{1,60}){0,8}")
_JSON_KEY = re.compile(
    r'"([A-Za-z_][\w.-]{0,80})"[ \t\n]{0,20}:[ \t\n]{0,20}("[^"\n]{0,200}"|[\w.+-]{1,40})?|[{}\[\]]|"(?:[^"\\\n]|\\.){0,1000}"'
)
_GROUPED = frozenset({"bench"})
"""Subcommands that have subcommands."""
_WORDS_MOST = 3000


def base(text: str) -> str:
    """The program's own name: `/opt/venv/bin/vllm` is `vllm`."""
    return text.rpartition("/")[2].removesuffix(".exe")


def watched_module(module: str, wanted: Wanted) -> bool:
    """Whether a dotted name lies in a watched package."""
    return any(module == one or module.startswith(f"{one}.") for one in wanted.packages)


def program_at(words: Sequence[Word], at: int, wanted: Wanted) -> tuple[str, int] | None:
    """The watched program that starts at a word, and where its arguments start."""
    name = base(words[at].text)
    if name in wanted.programs:
        label, at = name, at + 1
        for _ in range(2):
            if at >= len(words) or not _SUBCOMMAND.fullmatch(words[at].text):
                break
            label, at = f"{label} {words[at].text}", at + 1
            if label.rpartition(" ")[2] not in _GROUPED:
                break
        return label, at
    if not _PYTHON.fullmatch(name) and name not in ("-m", "torchrun"):
        return None
    start = at if name == "-m" else at + 1
    for i in range(start, min(start + 12, len(words) - 1)):
        if words[i].text == "-m":
            module = words[i + 1].text
            known = _MODULE.fullmatch(module) and watched_module(module, wanted)
            return (f"python -m {module}", i + 2) if known else None
    return None


def flags(words: Sequence[Word], program: str) -> Iterator[Found]:
    """The flags of a program, with their values and the settings written inside them."""
    words = words[:_WORDS_MOST]
    for i, word in enumerate(words):
        match = _FLAG.fullmatch(word.text)
        value: str | None = None
        if match is None and not _SHORT.fullmatch(word.text):
            continue
        after = words[i + 1] if i + 1 < len(words) else None
        value_line = word.line
        if match and match[3] is not None:
            value = match[3]
        elif after is not None and (not after.text.startswith("-") or _NUMBER.fullmatch(after.text)):
            value, value_line = after.text, after.line
        name = match[1] if match else word.text
        yield Found("cli_flag", name, word.line, value, program)
        if match and match[2]:
            yield Found("config_key", f"{name[2:]}{match[2]}", word.line, value, program)
        elif value and value.lstrip().startswith("{") and '"' in value:
            for key, inner, offset in json_keys(value):
                yield Found("config_key", f"{name[2:]}.{key}", value_line + offset, inner, program)


def command_uses(words: Sequence[Word], wanted: Wanted) -> Iterator[Found]:
    """What a command in exec form passes to a watched program that it starts, directly or through another."""
    for at in range(min(len(words), 40)):
        started = program_at(words, at, wanted)
        if started:
            yield from flags(words[started[1] :], started[0])
            return


def guessed_program(words: Sequence[Word], wanted: Wanted, among: Sequence[str] = ()) -> str | None:
    """The program that bare flags are for, when two of them are flags that hardly any other program has."""
    named = {word.text[2:].partition("=")[0].replace("_", "-") for word in words if word.text.startswith("--")}
    return guessed_by(named, wanted, among)


def guessed_by(names: set[str], wanted: Wanted, among: Sequence[str] = ()) -> str | None:
    """The program whose settings these names are, when at least two say so; `among` those, if any are given."""
    best = max(among or wanted.settings, key=lambda one: (len(names & wanted.settings[one]), one), default=None)
    return best if best is not None and len(names & wanted.settings[best]) >= 2 else None


def json_keys(text: str, *, deep: bool = False) -> Iterator[tuple[str, str | None, int]]:
    """Keys of a JSON object that may hold shell or template marks: outermost ones, or all; with the lines before."""
    depth, line, seen = 0, 0, 0
    for match in _JSON_KEY.finditer(text[:100_000]):
        line += text.count("\n", seen, match.start())
        seen = match.start()
        piece = match.group()
        if piece in ("{", "["):
            depth += 1
        elif piece in ("}", "]"):
            depth -= 1
        elif match[1] and (depth == 1 or deep):
            yield match[1], match[2].strip('"') if match[2] else None, line
