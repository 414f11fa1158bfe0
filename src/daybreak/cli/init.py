"""`daybreak init`: a commented config that fits: your zone, your languages, and what your own code builds on."""

from __future__ import annotations

import argparse
import json
import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daybreak.cli.common_options import spoken
from daybreak.cli.console import Voice
from daybreak.core.errors import EXIT_DONE, ConfigError, UsageError, WriteError
from daybreak.core.text import counted

if TYPE_CHECKING:
    from daybreak.cli.own_code import OwnCode

TITLES = {"zh": "上游日报", "en": "Upstream daily"}
"""Of a watchlist of one's own."""


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """`daybreak init [DIR]` with its options."""
    parser = commands.add_parser(
        "init", parents=[common], allow_abbrev=False, help="write a commented daybreak.toml that fits you"
    )
    parser.add_argument("folder", metavar="DIR", nargs="?", default=".", help="folder to write it to (default: here)")
    parser.add_argument(
        "--lang", metavar="L", action="append", default=[], help="report language, zh or en; the first is the main edition "
        "(repeat; default: both, that of your locale first)"
    )  # fmt: skip
    parser.add_argument("--timezone", metavar="ZONE", help="such as Europe/Berlin (default: this machine's)")
    parser.add_argument(
        "--repo", metavar="NAME", action="append", default=[], help="OWNER/NAME on GitHub, or an address (repeat)"
    )
    parser.add_argument("--title", metavar="TEXT", help="what the report is called")
    parser.add_argument(
        "--from", metavar="PATH", dest="own", help="your own code: watch what it pins, imports and deploys"
    )
    parser.add_argument("--json", action="store_true", help="print what was written as data")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    """Write the file unless there is one."""
    target = Path(arguments.folder) / "daybreak.toml"
    if target.exists():
        raise UsageError(f"{target} is already there and is left alone.", "Edit it, or name another folder.")
    own = _own_code(arguments.own, target, voice) if arguments.own else None
    text = _filled(arguments, own, voice)
    _write(target, text)
    there = "" if target.parent.resolve() == Path.cwd() else f"cd {shlex.quote(str(target.parent))} && "
    voice.say(f"wrote {target}; next: {there}daybreak run")
    if arguments.json:
        from daybreak.cli.common_options import printed

        printed(json.dumps({"file": str(target), **_told(text)}) + "\n")
    return EXIT_DONE


def watched() -> tuple[str, ...]:
    """The watchlist of those who name none."""
    return tuple(Path(__file__).with_name("watchlist.txt").read_text(encoding="utf-8").split())


def _filled(arguments: argparse.Namespace, own: OwnCode | None, voice: Voice) -> str:
    """The text for what was asked; what the config would refuse is refused here, before it is written."""
    from daybreak.core.config import environment, load_text, machine_zone, zone

    variables = environment()
    languages = tuple(dict.fromkeys(arguments.lang)) or spoken(variables)
    found_zone, source = machine_zone(variables)
    place = arguments.timezone or found_zone
    zone(place)
    repos = dict.fromkeys((*arguments.repo, *(own.repos if own else ())))
    title = arguments.title or (TITLES.get(languages[0], "") if repos else "")
    found: dict[str, Any] = {"title": title}
    if own is not None:
        where = os.path.relpath(Path(arguments.own).resolve(), Path(arguments.folder).resolve())
        found |= {"hardware": own.hardware, "paths": [where], "why": own.repos, "aside": own.aside}
        found["examples"] = own.examples
    text = _text(found, tuple(repos) or watched(), languages, place)
    try:
        load_text(text, Path(arguments.folder) / "daybreak.toml")
    except ConfigError as error:  # the file is not there yet: what is wrong in it was an option
        message = error.message.removeprefix("daybreak.toml: ").replace("repo.name", "--repo")
        raise UsageError(message, error.tip) from error
    if not arguments.timezone:
        why = f"from {source}" if source else "for this machine names no other"
        voice.say(f"the day's zone is {place}, {why}; another: --timezone ZONE")
    return text


def _own_code(path: str, target: Path, voice: Voice) -> OwnCode:
    from daybreak.cli.own_code import own_code

    with voice.progress(f"reading {path}"):
        found = own_code(Path(path))
    if not found.repos and found.examples:  # what is known of packages is better than nothing
        found = found._replace(repos=dict(found.examples), examples={})
        voice.say(
            f"{path} names no project of the field: the well-known packages below are watched; take off what you do not want"
        )
    if not found.repos:
        raise UsageError(
            f"Nothing in {path} names a project whose repository is known.",
            "Name what you build on with --repo OWNER/NAME.",
        )
    for repo, why in found.repos.items():
        voice.say(f"{repo}: {why}")
    for name, why in found.hardware.items():
        voice.say(f"hardware {name}: {why}")
    if found.aside:
        told = counted(len(found.aside), "repository")
        voice.say(f"{told} that {path} requires besides are in the file as comments, and not watched")
    if found.examples:
        told = counted(len(found.examples), "repository")
        some = ", ".join(list(found.examples)[:8]) + (", …" if len(found.examples) > 8 else "")
        voice.say(
            f"{told} of well-known packages that {path} names, in {target} as examples to check, and not watched: {some}"
        )
    if found.unknown:
        some = ", ".join(found.unknown[:8])
        voice.say(
            f"left out, since their repository is not known: {counted(len(found.unknown), 'pin')}, such as {some}; "
            f"add a [[repo]] for what you watch of them to {target}"
        )
    for reason, names in found.unread.items():
        more = f" and {len(names) - 3} more (--verbose names all)" if len(names) > 3 and not voice.verbose else ""
        voice.say(f"not read, {reason}: {', '.join(names if voice.verbose else names[:3])}{more}")
    return found


def _text(found: Mapping[str, Any], repos: Sequence[str], languages: Sequence[str], zone: str) -> str:
    """The template with its four places filled."""
    title = f"title = {_toml(found['title'])}\n" if found.get("title") else '# title = "Our daily"         # example\n'
    head = title + _line(f"timezone = {_toml(zone)}", "the day's zone; the report states it")
    head += "\n" + _line(f"languages = {_toml(list(languages))}", "the first is the main edition")
    why: Mapping[str, str] = found.get("why", {})
    rows = "\n\n".join("[[repo]]\n" + _line(f"name = {_toml(name)}", why.get(name, "")) for name in repos)
    if aside := found.get("aside"):
        rows += f"\n\n# Required as well, and not watched: {len(aside)} that no profile knows; write [[repo]] above a name.\n"
        rows += "\n".join(_line(f"# name = {_toml(name)}", place) for name, place in aside.items())
    if examples := found.get("examples"):
        rows += "\n\n# Named as well, and not watched: where these packages are made, by a table; check one, and write [[repo]] above it.\n"
        rows += "\n".join(_line(f"# name = {_toml(name)}", f"example; {place}") for name, place in examples.items())
    hardware, paths = found.get("hardware") or {}, found.get("paths") or ()
    places = {
        "@head@": head,
        "@repos@": rows,
        "@hardware@": _line(f"hardware = {_toml(list(hardware))}", ", ".join(dict.fromkeys(hardware.values())))
        if hardware
        else '# hardware = ["sm90", "sm100"]  # example',
        "@paths@": f"paths = {_toml(list(paths))}" if paths else '# paths = ["../our-service"]    # example',
    }
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    for mark, value in places.items():
        text = text.replace(mark, value)
    return text


def _line(code: str, comment: str) -> str:
    return f"{code:<31} # {comment}" if comment else code


def _toml(value: Any) -> str:
    """Text and lists of text; a string of JSON is one of TOML, but for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _told(text: str) -> dict[str, Any]:
    import tomllib

    data = tomllib.loads(text)
    return {
        "timezone": data["timezone"],
        "languages": data["languages"],
        "repos": [repo["name"] for repo in data["repo"]],
    }


def _write(target: Path, text: str) -> None:
    """The file, and beside it the schema that editors complete and check it by."""
    from daybreak.core.config import SCHEMA_FILE

    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
        state = target.parent / ".daybreak"
        state.mkdir(exist_ok=True)
        (state / SCHEMA_FILE.name).write_bytes(SCHEMA_FILE.read_bytes())
    except FileExistsError:
        raise UsageError(f"{target} is already there and is left alone.", "Edit it, or name another folder.") from None
    except OSError as error:
        raise WriteError(
            f"{target} could not be written: {error.strerror}.", "Choose a folder you may write to."
        ) from error
