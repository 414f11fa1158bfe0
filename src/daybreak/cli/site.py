"""`daybreak site`: the reported days as pages that need no server."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from daybreak.cli.console import Voice
from daybreak.core.errors import EXIT_DONE, EXIT_LOOK

if TYPE_CHECKING:
    from daybreak.core.config import Settings
    from daybreak.site.pages.site import Site


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """`daybreak site` with its options."""
    parser = commands.add_parser(
        "site", parents=[common], allow_abbrev=False, help="write the reported days as a static site"
    )
    parser.add_argument(
        "--out", metavar="DIR", help="folder of the site (default: `site` in the folder of the reports)"
    )
    parser.add_argument("--json", action="store_true", help="print data instead of text")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    """Write what changed since the last time; the folder may be published as it is."""
    from pathlib import Path

    from daybreak.cli.common_options import as_line, printed
    from daybreak.core.config import environment, load

    settings = load(Path(arguments.config), {}, environment())
    out = Path(arguments.out) if arguments.out else settings.out / "site"
    site = with_spans(settings)
    with voice.progress("pages of the site"):
        built = site.build(out)
    voice.say(f"{len(built.written)} written, {built.kept} as they were, {len(built.removed)} removed.")
    for label in site.unreadable():
        voice.warn(f"The report of {label} cannot be read; its page says so.")
    first = out / "index.html"
    data = {"index": str(first), "written": len(built.written), "kept": built.kept, "removed": len(built.removed)}
    printed(as_line(data | {"unreadable": list(site.unreadable())}) if arguments.json else f"{first}\n")
    return EXIT_LOOK if site.unreadable() else EXIT_DONE


def with_spans(settings: Settings) -> Site:
    """The site, after the weeks and months that it has pages of were brought up to date."""
    from daybreak.deliver.publish.folder import FolderPublisher
    from daybreak.report.archive.opening import open_archive
    from daybreak.site.pages.site import Site
    from daybreak.upgrade.rollup.pages import fresh_pages

    archive = open_archive(settings)
    FolderPublisher(settings.out).publish(list(fresh_pages(archive, settings.out, settings.languages)))
    return Site(archive, settings)
