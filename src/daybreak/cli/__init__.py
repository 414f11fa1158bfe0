"""The command line: parse, call, print. One file per command; nothing heavy is imported before it is needed."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from io import TextIOWrapper

from daybreak.cli.console import Voice
from daybreak.cli.interrupts import printed, terminated_like_interrupted
from daybreak.cli.parser import build_parser, in_full
from daybreak.core.errors import DaybreakError, Interrupted, LockedError

_SERVICES = ("serve", "mcp")
"""They speak when something happens, or a protocol; to be ended is their ordinary end."""
_TAKES_NOTHING = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""What an output answers that is full or closed."""


def main(argv: Sequence[str]) -> int:
    """Run one command and return its exit code; an error is one sentence and one tip, never a traceback."""
    voice = Voice()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character is no reason to fail
    try:
        argv = in_full(argv)
        arguments = build_parser(argv).parse_args(argv)
        voice = Voice.from_arguments(arguments)
        with nullcontext() if argv[0] in _SERVICES else _attended(voice):
            return int(arguments.run(arguments, voice))
    except KeyboardInterrupt:
        return tell(Interrupted("Interrupted; no page is half-written.", "Run again to go on."), voice)
    except Exception as error:  # noqa: BLE001  the last resort: a bug is told as one sentence too
        return tell(error, voice)


def _in_words(error: Exception) -> DaybreakError:
    if isinstance(error, MemoryError):
        return DaybreakError(
            "Out of memory; what was being made is not published.", "Watch fewer repositories at once."
        )
    if isinstance(error, OSError) and error.errno in _TAKES_NOTHING and error.filename is None:
        printed(sys.stdout.flush)  # nor must it fail us once more at the end
        return DaybreakError(f"The output could not be written: {error.strerror}.", "See where it goes, and run again.")
    return DaybreakError(
        f"This is a bug in Daybreak: {type(error).__name__}: {error}", "See it with --verbose and report it."
    )


@contextmanager
def _attended(voice: Voice) -> Iterator[None]:
    with terminated_like_interrupted(), voice.attended():
        yield


def tell(fault: Exception, voice: Voice) -> int:
    """Its exit code; it is said once, by whoever hears of it first."""
    error = fault if isinstance(fault, DaybreakError) else _in_words(fault)
    if voice.told is fault:
        return error.exit_code
    voice.told = fault
    # Said as data too: a service that started this run waits then, and does not take it for a failure.
    voice.error(error.message, error.tip, **({"locked": True} if isinstance(error, LockedError) else {}))
    if voice.verbose:
        import traceback

        from daybreak.core.address import readable

        for line in "".join(traceback.format_exception(fault)).splitlines():
            sys.stderr.write(f"{readable(line)}\n")
    return error.exit_code
