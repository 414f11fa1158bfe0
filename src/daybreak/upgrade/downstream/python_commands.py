"""Commands that a Python file builds, as a list of words or as one string, read by the rules of shell scripts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from daybreak.core.wanted_names import Wanted
from daybreak.upgrade.downstream.commands import flags, guessed_program
from daybreak.upgrade.downstream.shell_commands import Shell
from daybreak.upgrade.downstream.shell_words import Word
from daybreak.upgrade.downstream.use import Found

OTHER = ""
"""The program is visible and is none of the watched ones."""
UNKNOWN = "{}"
"""A word that is only known at run time."""
_LAST = "--the-flag-that-comes-last"


def of_words(words: Sequence[Word], wanted: Wanted, program: str | None) -> list[Found]:
    """What a list of words says; `program` is the one that earlier words of the same command start, if known."""
    if program == OTHER or not words:
        return []
    if program is not None:
        return _cleaned(flags(words, program))
    found = list(Shell(wanted).run(words, 0))
    if not found and _is_open(words):
        guessed = guessed_program(words, wanted)
        found = [one for one in flags(words, guessed or "") if guessed or one.name.startswith("--")]
    return _cleaned(found)


def _is_open(words: Sequence[Word]) -> bool:
    """Whether the program may be a watched one: bare flags, or an unknown program with a subcommand."""
    head = [word.text for word in words[:3]]
    if any(text.endswith(".py") for text in head):
        return False
    return head[0].startswith("--") or (head[0] == UNKNOWN and len(head) > 1 and head[1].isalpha())


def program_of(words: Sequence[Word], wanted: Wanted) -> str | None:
    """The program a command starts: None when it cannot be seen, OTHER when it is not watched."""
    for one in Shell(wanted).run([*words, Word(_LAST, 1)], 0):
        if one.name == _LAST:
            return one.program or None
    seen = [word.text for word in words[:4]]
    hidden = not seen or seen[0] == UNKNOWN or seen[0].startswith("-")
    return None if hidden and not any(text.endswith(".py") for text in seen) else OTHER


def of_text(text: str, line: int, wanted: Wanted) -> list[Found]:
    """What a command written as one string says."""
    return _cleaned(Shell(wanted).read(text, line))


def of_rest(text: str, line: int, program: str | None) -> list[Found]:
    """Flags in a string that is added to a command."""
    return _cleaned(flags([Word(word, line) for word in text.split()[:1000]], program or ""))


def _cleaned(found: Iterable[Found]) -> list[Found]:
    """Without values and programs that are not known."""
    return [
        one._replace(
            value=None if one.value is None or UNKNOWN in one.value else one.value, program=one.program or None
        )
        for one in found
        if UNKNOWN not in one.name
    ]
