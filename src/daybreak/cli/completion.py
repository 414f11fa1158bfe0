"""`daybreak completion`: a script by which a shell completes commands, options and their choices."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any, NamedTuple

from daybreak.cli.console import Voice
from daybreak.core.errors import EXIT_DONE

SHELLS = ("bash", "zsh", "fish")


class Word(NamedTuple):
    """An option of a command as a shell knows it."""

    name: str
    help: str
    choices: tuple[str, ...] = ()
    files: bool = False


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """`daybreak completion SHELL`."""
    parser = commands.add_parser(
        "completion", parents=[common], allow_abbrev=False, help="a script that completes commands in your shell"
    )
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=f"one of {', '.join(SHELLS)}")
    parser.add_argument("--json", action="store_true", help="print the words themselves as data")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, voice: Voice) -> int:  # noqa: ARG001  all commands are called alike
    """Print the script."""
    from daybreak.cli.common_options import as_line, printed
    from daybreak.cli.parser import COMMANDS, build_parser

    words = {name: tuple(_words(command)) for name, command in _commands(build_parser()).items()}
    if arguments.json:
        printed(as_line({name: [word.name for word in some] for name, some in words.items()}))
        return EXIT_DONE
    script = _fish(COMMANDS, words) if arguments.shell == "fish" else _bash(words, zsh=arguments.shell == "zsh")
    printed(script)
    return EXIT_DONE


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    return next(dict(one.choices) for one in parser._actions if isinstance(one.choices, dict))  # noqa: SLF001


def _words(parser: argparse.ArgumentParser) -> Iterator[Word]:
    for action in parser._actions:  # noqa: SLF001
        choices = tuple(map(str, action.choices or ()))
        places = isinstance(action.metavar, str) and action.metavar in ("DIR", "F", "FILE", "PATH")
        for name in action.option_strings:
            yield Word(name, str(action.help or "").replace("%(default)s", str(action.default)), choices, places)


def _bash(words: dict[str, tuple[Word, ...]], zsh: bool) -> str:
    """Both shells take this one: zsh has a door for what was written for bash."""
    options = "\n".join(
        f'    {name}) words="{" ".join(word.name for word in some)}" ;;' for name, some in words.items()
    )
    choices = "\n".join(
        f'    {name}:{word.name}) words="{" ".join(word.choices)}" ;;'
        for name, some in words.items()
        for word in some
        if word.choices
    )
    files = "|".join(sorted({f"{name}:{word.name}" for name, some in words.items() for word in some if word.files}))
    head = "autoload -U +X bashcompinit && bashcompinit\n" if zsh else ""
    return f"""{head}_daybreak() {{
  local now="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" command="${{COMP_WORDS[1]}}" words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{" ".join(words)} --help --version" -- "$now"))
    return
  fi
  case "$command:$before" in
{choices}
    {files}) COMPREPLY=($(compgen -f -- "$now")); return ;;
  esac
  if [ -z "$words" ]; then
    case "$now" in -*) ;; *) COMPREPLY=($(compgen -f -- "$now")); return ;; esac
    case "$command" in
{options}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$now"))
}}
complete -o filenames -F _daybreak daybreak
"""


def _fish(helps: dict[str, str], words: dict[str, tuple[Word, ...]]) -> str:
    lines = [f"complete -c daybreak -n __fish_use_subcommand -f -a {name} -d {_quoted(helps[name])}" for name in words]
    for name, some in words.items():
        for word in some:
            flag = f"-l {word.name[2:]}" if word.name.startswith("--") else f"-s {word.name[1:]}"
            values = f" -x -a {_quoted(' '.join(word.choices))}" if word.choices else " -r" if word.files else ""
            lines.append(
                f"complete -c daybreak -n '__fish_seen_subcommand_from {name}' {flag}{values} -d {_quoted(word.help)}"
            )
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
