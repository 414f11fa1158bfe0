"""Entry point of the `daybreak` program and of `python -m daybreak`."""

import gc
import sys

from daybreak.core.safe_path import leave_current_folder


def collect_seldom() -> None:
    """Changes are many objects that all stay: looking for garbage among them every time is time lost."""
    gc.set_threshold(200_000, 50, 50)


def main() -> None:
    """Run the command line and leave with its exit code; Ctrl-C while we are still being loaded is no accident either."""
    leave_current_folder()
    collect_seldom()
    try:
        from daybreak.cli import main as cli_main

        code = cli_main(sys.argv[1:])
    except KeyboardInterrupt:
        code = 1
    sys.exit(code)


if __name__ == "__main__":
    main()
