"""The program, called as a user calls it: within this process (`run`), or as one of its own (`start`).

A start costs most of a second, so tests go through `run`. A process of its own is for what only a process has: signals,
kills, its encoding, its end. `cli/test_current_folder.py` starts every command once.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from subprocess import DEVNULL, PIPE, CompletedProcess, Popen
from typing import IO

from daybreak.cli import main

PROGRAM = (sys.executable, "-m", "daybreak")


def run(*arguments: str, cwd: Path, env: Mapping[str, str] | None = None, stdin: str = "") -> CompletedProcess[str]:
    """A call of `main` in that folder, with these variables beside ours; whatever it changed is put back."""
    return called(lambda: main(arguments), arguments, cwd=cwd, env=env, stdin=stdin)


def called(
    program: Callable[[], int],
    arguments: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    stdin: str = "",
) -> CompletedProcess[str]:
    """The same for any program that can be called."""
    with ExitStack() as held:
        held.enter_context(_environment(env or {}))
        held.enter_context(_folder(cwd))
        held.enter_context(_signals())
        out, err = (held.enter_context(_stream(name)) for name in ("stdout", "stderr"))
        held.enter_context(_heard(stdin))
        try:
            code = program()
        except SystemExit as end:  # `--help` and `--version` end by themselves
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        return CompletedProcess(arguments, code, _written(sys.stdout, out), _written(sys.stderr, err))


def start(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None, program: Sequence[str] = PROGRAM
) -> Popen[str]:
    """A process of its own, heard through pipes."""
    return Popen(
        [*program, *arguments],
        cwd=cwd,
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        text=True,
        errors="replace",
        env={**os.environ, **(env or {})},
    )


def ended(process: Popen[str], patience: float = 120.0) -> CompletedProcess[str]:
    """What it said, once it is over."""
    out, err = process.communicate(timeout=patience)
    return CompletedProcess(process.args, process.returncode, out, err)


@contextmanager
def _environment(more: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(more)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def _folder(path: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def _signals() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _stream(name: str) -> Iterator[IO[bytes]]:
    """A file in place of standard output or error, for the program and for what it starts; no terminal, like a pipe."""
    before, number = getattr(sys, name), {"stdout": 1, "stderr": 2}[name]
    before.flush()
    with tempfile.TemporaryFile() as file:
        kept = os.dup(number)
        os.dup2(file.fileno(), number)
        setattr(sys, name, io.TextIOWrapper(os.fdopen(os.dup(number), "wb"), "utf-8", write_through=True))
        try:
            yield file
        finally:
            getattr(sys, name).close()
            setattr(sys, name, before)
            os.dup2(kept, number)
            os.close(kept)


@contextmanager
def _heard(text: str) -> Iterator[None]:
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8")
    try:
        yield
    finally:
        sys.stdin = before


def _written(stream: IO[str], file: IO[bytes]) -> str:
    if not stream.closed:  # it is, when the reader of our output left
        stream.flush()
    file.seek(0)
    return file.read().decode(errors="replace").replace("\r\n", "\n")
