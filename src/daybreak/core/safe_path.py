"""The folder a user stands in may be anybody's: no process of ours imports from it, and none runs a program of it.

This file imports nothing but what Python itself has loaded: before it has run, any other import may be answered by
that folder. (With `from __future__` it would import a module, too.)
"""

import io
import os
import sys


def leave_current_folder() -> None:
    """What the program does first: the folder is off the way of imports, here and in every process that is started."""
    if sys.flags.ignore_environment and not sys.flags.safe_path and sys.executable:
        # Told not to look at the environment, so would our workers be: they follow the flags of this process alone.
        os.execv(sys.executable, [sys.executable, "-P", *sys.orig_argv[1:]])  # noqa: S606
    try:
        here = os.getcwd()  # noqa: PTH109
    except OSError:
        here = ""
    if not sys.flags.safe_path and sys.path[:1] == [here]:  # put there by `python -m`
        del sys.path[0]
    sys.path[:] = [place for place in sys.path if os.path.isabs(place)]  # noqa: PTH117
    keep_children_out()


def speak_utf8() -> None:
    """Names of files are UTF-8 whatever an old locale says: there this process starts again as one that reads them so."""
    if not sys.flags.utf8_mode and sys.getfilesystemencoding() != "utf-8" and sys.executable:
        os.environ["PYTHONUTF8"] = "1"  # for the processes that it starts
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606


def keep_children_out() -> None:
    """What comes before any start of a process: a Python begins without the folder, and programs are not looked for
    in places that depend on it (an empty entry of PATH is the current folder).
    """
    os.environ["PYTHONSAFEPATH"] = "1"
    if "PATH" in os.environ:
        places = os.environ["PATH"].split(os.pathsep)
        kept = [place for place in places if os.path.isabs(place)]  # noqa: PTH117
        if kept != places:
            os.environ["PATH"] = os.pathsep.join(kept) or os.defpath


def open_closed_streams() -> None:
    """A stream that was closed before we began (`>&-`) takes what is said and keeps nothing: nobody wants it, and no
    command fails for it.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8", errors="replace"))  # noqa: PTH123, SIM115


class _Outliving(io.FileIO):
    """Takes what is written after its reader left, and keeps none of it."""

    def __init__(self, before: io.IOBase) -> None:
        super().__init__(before.fileno(), "wb", closefd=False)
        self.before = before  # which would close the file when it is forgotten

    def write(self, data: object, /) -> int:
        try:
            return super().write(data)  # type: ignore[arg-type]
        except BrokenPipeError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return len(data)  # type: ignore[arg-type]


def outlive_reader() -> None:
    """Whoever reads our output may have enough (`| head -1`): the work goes on, and ends with its own exit code."""
    before = sys.stdout
    before.flush()
    raw, at_once = _Outliving(before), getattr(before, "write_through", False)  # type: ignore[arg-type]
    stream = raw if at_once else io.BufferedWriter(raw)  # nothing is held back where Python was told not to
    sys.stdout = io.TextIOWrapper(
        stream,
        before.encoding,
        "replace",
        line_buffering=before.isatty(),
        write_through=at_once,
    )
