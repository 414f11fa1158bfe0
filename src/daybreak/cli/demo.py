"""`daybreak demo`: the main job on the sample upstreams inside the package."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daybreak.cli.common_options import spoken
from daybreak.cli.console import Voice
from daybreak.core.errors import EXIT_DONE, UsageError, WriteError
from daybreak.core.words.phrases import languages

if TYPE_CHECKING:
    from daybreak.core.config import Settings


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """`daybreak demo [--out DIR]`."""
    parser = commands.add_parser(
        "demo",
        parents=[common],
        allow_abbrev=False,
        help="the main job on sample upstreams: no network, no key, seconds",
    )
    parser.add_argument(
        "--out", metavar="DIR", default="daybreak-demo", help="folder to work in (default: %(default)s)"
    )
    parser.add_argument(
        "--lang",
        choices=languages(),
        action="append",
        default=[],
        help="report languages (repeat; default: both, yours first)",
    )
    parser.add_argument("--json", action="store_true", help="print data instead of text")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    """Build the upstreams in the folder and report their week."""
    from daybreak.cli.run import Wish, report_days
    from daybreak.core.config import environment, load
    from daybreak.core.git_program import Git
    from daybreak.demo import week

    folder = Path(arguments.out)
    Git(environment()).version()  # nothing is made where it cannot be finished
    try:
        _clear_own(folder)
        editions = tuple(dict.fromkeys(arguments.lang)) or spoken(environment())
        week.prepare(folder, github=True, languages=editions)
        week.write_service(folder)
    except (OSError, RuntimeError) as error:
        why = (isinstance(error, OSError) and error.strerror) or str(error)
        raise WriteError(f"{folder} cannot be used: {why}.", "Name another folder with --out.") from error
    outside = {name: value for name, value in environment().items() if not name.startswith("DAYBREAK_")}
    settings = load(folder / week.CONFIG, {}, outside)
    _keep_answers(settings)
    codes = week.each_morning(folder, lambda window, _: report_days(settings, [window], voice, Wish()))
    with voice.progress("the site of the week"):
        pages = _build_pages(settings)
    others = "".join(f"; .{language}.md: the same in another language" for language in editions[1:])
    voice.say(f"read {folder}/README.md, or the fullest day: {folder}/reports/{week.SHOWCASE}.md{others}")
    voice.say(f"the same as pages: open {pages} in a browser")
    voice.say("the three projects are made up: links to their commits, issues and releases lead nowhere")
    if arguments.json:
        from daybreak.cli.common_options import as_line, printed

        showcase = folder / "reports" / f"{week.SHOWCASE}.md"
        printed(as_line({"index": str(folder / "README.md"), "day": str(showcase), "site": str(pages)}))
    return max(codes, default=EXIT_DONE)


def _build_pages(settings: Settings) -> Path:
    """The first page of the site, with all others beside it."""
    from daybreak.cli.site import with_spans

    folder = settings.out / "site"
    with_spans(settings).build(folder)
    return folder / "index.html"


def _keep_answers(settings: Settings) -> None:
    """Put what GitHub would have answered where a run that asks nobody finds it."""
    from daybreak.demo import week
    from daybreak.store import open_store

    store = open_store(settings.config.store, settings.base)
    try:
        store.answers.put(week.recorded())
    finally:
        store.close()


def _clear_own(folder: Path) -> None:
    """A demo folder is made anew; any other folder that is not empty is left alone."""
    import shutil

    mark = folder / ".daybreak" / "demo"
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file.", "Name a folder with --out.")
    if folder.is_dir() and any(folder.iterdir()):
        if not mark.is_file():
            raise UsageError(f"{folder} is not empty and was not made by the demo.", "Name a new folder with --out.")
        for one in folder.iterdir():  # the folder itself may be the one that somebody stands in
            if one.is_dir() and not one.is_symlink():
                shutil.rmtree(one)
            else:
                one.unlink()
    mark.parent.mkdir(parents=True)
    mark.write_text("made by `daybreak demo`\n", encoding="utf-8")
