"""Entry point of the `daybreak` program and of `python -m daybreak`."""

import gc
import os
import sys

from daybreak.core.safe_path import leave_current_folder, open_closed_streams, outlive_reader, speak_utf8


def collect_seldom() -> None:
    """Changes are many objects that all stay: looking for garbage among them every time is time lost."""
    gc.set_threshold(200_000, 50, 50)


def shows_help(words: list[str]) -> bool:
    """A call that asks for the list of commands gets it as `make docs` wrote it: nothing is loaded for that."""
    if words not in ([], ["help"], ["-h"], ["--help"]):
        return False
    with open(os.path.join(os.path.dirname(__file__), "cli", "help.txt"), encoding="utf-8") as file:  # noqa: PTH118, PTH120, PTH123  pathlib takes longer than all of this
        text = file.read()
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(text.encode(encoding, "replace").decode(encoding))
        sys.stdout.flush()
    except OSError:
        sys.stderr.close()  # the output takes nothing, and there is nothing else to do
    return True


def main() -> None:
    """Run the command line and leave with its exit code; Ctrl-C while we are still being loaded is no accident either."""
    open_closed_streams()
    speak_utf8()
    leave_current_folder()
    outlive_reader()
    if shows_help(sys.argv[1:]):
        return
    collect_seldom()
    try:
        from daybreak.cli import main as cli_main

        code = cli_main(sys.argv[1:])
    except KeyboardInterrupt:
        code = 1
    sys.exit(code)


if __name__ == "__main__":
    main()
