"""`daybreak init`: a commented config with the default watchlist."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

from daybreak.cli.console import Voice
from daybreak.core.errors import EXIT_DONE, UsageError, WriteError


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """`daybreak init [DIR]`."""
    parser = commands.add_parser(
        "init", parents=[common], allow_abbrev=False, help="write a commented daybreak.toml with the default watchlist"
    )
    parser.add_argument("folder", metavar="DIR", nargs="?", default=".", help="folder to write it to (default: here)")
    parser.set_defaults(run=run)


def default_config() -> str:
    """The text of the file, with every key and its meaning."""
    return Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    """Write the file unless there is one."""
    target = Path(arguments.folder) / "daybreak.toml"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8") as file:
            file.write(default_config())
    except FileExistsError:
        raise UsageError(f"{target} is already there and is left alone.", "Edit it, or name another folder.") from None
    except OSError as error:
        raise WriteError(
            f"{target} could not be written: {error.strerror}.", "Choose a folder you may write to."
        ) from error
    voice.say(f"wrote {target}; next: cd {shlex.quote(str(target.parent))} && daybreak run")
    return EXIT_DONE
