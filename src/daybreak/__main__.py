"""Entry point of the `daybreak` program and of `python -m daybreak`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and leave with its exit code; Ctrl-C while we are still being loaded is no accident either."""
    try:
        from daybreak.cli import main as cli_main

        code = cli_main(sys.argv[1:])
    except KeyboardInterrupt:
        code = 1
    sys.exit(code)


if __name__ == "__main__":
    main()
