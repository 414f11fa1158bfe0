"""`daybreak docs`: the documentation that comes with the program, page by page."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from daybreak.cli.console import Voice
from daybreak.core.errors import EXIT_DONE, UsageError

_FOLDERS = (Path(__file__).parent.parent / "docs", Path(__file__).parents[3] / "docs")
"""In a wheel beside the code; in a clone at its top."""


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """`daybreak docs [PAGE]`."""
    parser = commands.add_parser(
        "docs", parents=[common], allow_abbrev=False, help="print a page of the documentation, or the list of pages"
    )
    parser.add_argument("page", metavar="PAGE", nargs="?", help="such as `upgrades`; left out: the list")
    parser.add_argument("--lang", choices=("en", "zh"), default="en", help="language, where the page has it")
    parser.add_argument("--json", action="store_true", help="print data instead of text")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, voice: Voice) -> int:  # noqa: ARG001  all commands are called alike
    """Print the page, or one line for each."""
    import json

    from daybreak.cli.common_options import printed

    found = pages()
    if not found:
        raise UsageError("This installation has no documentation.", "Read docs/ in a clone of Daybreak.")
    if arguments.page is None:
        titles = {name: title(path.read_text(encoding="utf-8")) for name, path in found.items() if "." not in name}
        listed = "".join(f"{name:<24} {told}\n" for name, told in titles.items())
        printed(f"{json.dumps(titles)}\n" if arguments.json else listed)
        return EXIT_DONE
    name = arguments.page.removeprefix("docs/").removesuffix(".md")
    path = found.get(f"{name}.{arguments.lang}") or found.get(name)
    if path is None:
        raise UsageError(f"There is no page {name!r}.", _near(name, list(found)))
    text = path.read_text(encoding="utf-8")
    printed(f"{json.dumps({'page': name, 'text': text})}\n" if arguments.json else text)
    return EXIT_DONE


def pages() -> dict[str, Path]:
    """Name of each page → its file."""
    folder = next((one for one in _FOLDERS if (one / "upgrades.md").is_file()), None)
    if folder is None:
        return {}
    files = sorted(folder.rglob("*.md"))
    return {file.relative_to(folder).as_posix().removesuffix(".md"): file for file in files}


def title(text: str) -> str:
    """The heading of a page."""
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    return found[1].strip() if found else ""


def _near(name: str, names: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, names, n=1)
    return f"Did you mean {near[0]!r}?" if near else "See the list: `daybreak docs`."
