"""The parser of all commands. A mistake is told as one sentence with the nearest valid word."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

from daybreak import __version__
from daybreak.core.errors import UsageError

# About each command: what it does, in a sentence or two, and a call that works; shown by `daybreak COMMAND --help`.
ABOUT: dict[str, str] = {
    "init": "Writes a commented daybreak.toml: a watchlist, your time zone and languages. With --from it reads what your "
    "own code pins, imports and deploys, and watches that. A file that is there is left alone.",
    "run": "Reports on one day or several: collects, reads every change, judges, writes pages and sends what is due. "
    "What was reported before is left alone. Exit code 3: something was skipped, and the report says what.",
    "demo": "Reports a week of three sample projects that come with the program, in a folder of its own.",
    "verify": "Holds every checkable claim of a Markdown report (shas, links, titles, counts, paths, code) against git. "
    "Exit code 3: a claim is false.",
    "range": "Tells an upgrade: what holds at the end of the range and did not at its start, netted over all its commits. "
    "Example: daybreak range acme/engine v1.0.0..latest",
    "impact": "Reads your code, scripts, manifests and pins, never runs them, and says which upstream changes touch them, "
    "with file and line. Exit code 3: something does. Example: daybreak impact ../our-service --range "
    "acme/engine v1.0.0..latest",
    "ack": "Accepts a finding of `impact` until a day, with a reason, in a file that can be committed.",
    "show": "Shows one change (a sha or #123), one reported day (2026-01-19), or everything that happened to a name.",
    "notify": "Sends a test message to each target of [notify], or what is due for a day that is stored.",
    "site": "Writes the reported days as pages that need no server; what did not change is left alone.",
    "serve": "Serves the pages, search and a JSON API on 127.0.0.1:8080, and runs the daily job with --schedule.",
    "mcp": "Offers the reports to agents as read-only tools, over stdin and stdout or over HTTP.",
    "status": "Tells what ran, which days are missing or incomplete, and what it cost. Exit code 3: days are missing or "
    "incomplete, the last run failed, a message did not get through or the store is damaged; the last line says which.",
    "doctor": "Checks everything that a run needs and says how to mend what fails. Exit code 3: something fails.",
    "docs": "Prints a page of the documentation that comes with the program; without a name, the list of pages.",
    "completion": "Prints a script that lets your shell complete commands and options. For bash: "
    'eval "$(daybreak completion bash)"',
    "grade": "Grades listed commits and prints a JSON line for each: for evaluation.",
}


COMMANDS: dict[str, str] = {
    "init": "write a commented daybreak.toml that fits you",
    "run": "the main job: report on the window (default: yesterday)",
    "demo": "the main job on sample upstreams: no network, no key, seconds",
    "verify": "check every claim of Markdown reports against git",
    "range": "an upgrade report between two refs of a repository",
    "rollup": "a week or a month of reported days as one page",
    "impact": "which upstream changes touch your own code",
    "ack": "accept a finding of `impact`, with a reason",
    "search": "full-text search over everything that was reported",
    "show": "one change, one day, or the history of a name",
    "notify": "send a test message, or what is due for a stored day",
    "site": "write the reported days as a static site",
    "serve": "the pages, search and a JSON API, with the daily schedule",
    "mcp": "the reports as tools for agents (MCP), over stdio or HTTP",
    "status": "what ran, what is incomplete, what it cost",
    "doctor": "check config, git, repositories, disk; one line each",
    "docs": "print a page of the documentation, or the list of pages",
    "completion": "a script that completes commands in your shell",
    "grade": "grade the listed commits and print JSON lines",
}
"""Each has a file of its name here, which is loaded when the command is asked for: `--help` needs none of them."""


class Parser(argparse.ArgumentParser):
    """An argument parser that raises instead of printing a page of usage."""

    hint = ""
    """What users of this command get wrong most, for when nothing nearer can be said."""
    asked = ""
    """The command of a call: what argparse leaves over of its words, the parser above it hears of."""

    def error(self, message: str) -> NoReturn:
        told = message.partition(" (choose from ")[0]  # the tip names what is near, or all of it
        raise UsageError(f"{told[:1].upper()}{told[1:]}.", self._tip(message))

    def _tip(self, message: str) -> str:
        import difflib
        import re

        unknown = re.search(r"invalid choice: '([^']*)'|unrecognized arguments: (\S+)", message)
        said = (unknown[1] or unknown[2]) if unknown else ""
        # Dashes are no likeness: with them every short option would be near to every other.
        words = {word.lstrip("-"): word for word in self._words() if word.startswith("-") == said.startswith("-")}
        near = [words[one] for one in difflib.get_close_matches(said.lstrip("-"), words, n=1, cutoff=0.6)]
        if self.asked and (near == [said] or message.startswith("argument COMMAND")):
            return f"Options stand behind the command: `{self.prog}{self.asked} --help` has them."
        if unknown and not near and (choices := re.search(r"^argument .*\(choose from (.+)\)$", message)):
            several = re.findall(r"[^\s,']+", choices[1])
            near = difflib.get_close_matches(said, several, n=1, cutoff=0.6)
            if not near:
                return f"Use one of {', '.join(several)}."
        return f"Did you mean {near[0]!r}?" if near else self._hint(said) or f"See `{self.prog}{self.asked} --help`."

    def _hint(self, said: str) -> str:
        """Of the command that was asked for: what it leaves over, the parser above it tells."""
        commands: dict[str, Parser] = next((one.choices for one in self._actions if isinstance(one.choices, dict)), {})
        command = commands.get(self.asked.strip(), self)
        if said[:4].isdecimal() and "--date" in command._words():  # noqa: SLF001
            return f"A day is named by --date {said}."
        return self.hint or getattr(command, "hint", "")

    def _words(self) -> list[str]:
        words: list[str] = []
        for action in self._actions:
            words += action.option_strings
            words += [] if action.option_strings or isinstance(action.choices, dict) else action.choices or []
            if isinstance(action.choices, dict):
                words += [word for name, command in action.choices.items() for word in (name, *command._words())]  # noqa: SLF001
        return words


def build_parser(argv: Sequence[str] | None = None) -> Parser:
    """`daybreak` with its commands; given the words of a call, only the commands among them know their options."""
    parser = Parser(
        prog="daybreak",
        allow_abbrev=False,
        description="A true, complete daily report on the repositories you build on.",
        epilog="Exit codes: 0 done · 1 failed, nothing published · 2 bad usage or config · 3 done, with something to look at.",
    )
    parser.add_argument("--version", action="version", version=f"daybreak {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=Parser)
    for name, what in COMMANDS.items():
        if argv is None or name in argv:
            _add_whole(commands, name)
        else:
            commands.add_parser(name, help=what)
    parser.asked = next((f" {word}" for word in argv or () if word in COMMANDS), "")
    return parser


def _add_whole(commands: Any, name: str) -> None:
    """A command with its options and, where it says nothing of itself, what the table says."""
    import_module(f"daybreak.cli.{name}").add(commands, common_options())
    command = commands.choices[name]
    command.description = command.description or ABOUT[name]


def in_full(argv: Sequence[str]) -> list[str]:
    """A call as the parser knows it: nothing asks for help, `help COMMAND` for that of a command, `version` for ours."""
    words = list(argv) or ["help"]
    if words[0] == "help":
        return [*(word for word in words[1:2] if word in COMMANDS), "--help"]
    return ["--version"] if words == ["version"] else words


def common_options() -> argparse.ArgumentParser:
    """Options that every command takes."""
    common = argparse.ArgumentParser(add_help=False)
    group = common.add_argument_group("common options")
    group.add_argument("--config", metavar="F", default="daybreak.toml", help="config file (default: %(default)s)")
    group.add_argument("--verbose", action="store_true", help="say more, and show where an error came from")
    group.add_argument("--quiet", action="store_true", help="no messages but errors; results are printed")
    group.add_argument("--log-format", choices=("text", "json"), default="text", help="form of messages on stderr")
    group.add_argument("--no-color", action="store_true", help="no colours and no moving progress display")
    return common
