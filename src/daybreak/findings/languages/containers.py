"""What a container of the project's image starts with: its command, its variables, where it looks for libraries, and how
packages are installed into it.

Only what reaches the image counts: the last stage of a Dockerfile and the stages that it is built on. Of a script that
starts a container it is the program that takes its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from daybreak.core.text import contrast
from daybreak.findings.blobs import Row, Surface
from daybreak.findings.languages.base import MAX_LINE, Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import squeezed

if TYPE_CHECKING:
    from daybreak.findings.compare import FilePair

__all__ = ["compare", "surface", "touched"]

_HINT = re.compile(r"\b(?:ENTRYPOINT|CMD|ENV|ldconfig|ld\.so|exec|pip)\b")
_SAYS = re.compile(r"(FROM|ENTRYPOINT|CMD|ENV|RUN|COPY)\s+(\S.*)", re.IGNORECASE)
_COPIED = re.compile(r"--from=([\w.-]{1,80})")
_STAGE = re.compile(r"(?:--\S+\s+)?(\S+)(?:\s+AS\s+(\S+))?", re.IGNORECASE)
_GIVEN = re.compile(r"([A-Za-z_]\w{0,80})(?:=|\s+)(\"[^\"$]{0,200}\"|[^\s\"'$]{1,200})$")
"""One variable with a value that is written out."""
_LIBRARIES = re.compile(r"ldconfig\s+/|ld\.so\.")
_INSTALL = re.compile(r"(?:python3? -m |uv )?pip3? install (\S.{0,400})")
_PACKAGE = re.compile(r"([A-Za-z][\w.-]{1,80})(?:\[[\w,]{1,80}\])?(?:[=<>~!].{0,40})?")
_STEPS = re.compile(r"&&|;")
_EXEC = re.compile(r"exec\s+(\S.*)")
_REDIRECTS = re.compile(r"\d?[<>]")
_MOST = 4000


class _Said(NamedTuple):
    line: int
    word: str
    rest: str


def touched(file: ReadFile) -> bool:
    """Some changed line may be one of these."""
    return any(x.sign != " " and _HINT.search(x.text[:MAX_LINE]) for h in file.hunks for x in h.lines)


def surface(path: str, text: str) -> Surface:
    """One row for each thing that a container starts with, by its name; the last one holds."""
    found = _script(text) if path.endswith(".sh") else _image(text)
    return Surface(list({(row.kind, row.name): row for row in found}.values()))


def compare(pairs: Sequence[FilePair], _whole: Whole) -> Iterator[Fact]:
    """Those that stand on both sides of the same image and are not the same; one that comes behind is another image."""
    for pair in pairs:
        same = [row.name for row in pair.old.of("stage")] == [row.name for row in pair.new.of("stage")]
        for now in pair.new.of("setting") if same else ():
            was = pair.old.get(("setting", now.name))
            if was is not None and squeezed(was.text) != squeezed(now.text):
                breaks = not now.name.startswith(_INSTALLS)  # what is installed otherwise may be put right by it
                name, old, new = _other_file(was.text, now.text) or (now.name, *contrast(was.text, now.text))
                yield Fact("container_changed", pair.file.path, now.line, name, old, new, breaks)


def _other_file(before: str, after: str) -> tuple[str, str, str] | None:
    """The folder and the two names, where one word is another and both are files of that folder: the commands around them stay."""
    old, new = before.split(" "), after.split(" ")
    others = [pair for pair in zip(old, new, strict=False) if pair[0] != pair[1]] if len(old) == len(new) else []
    (home, _, was), (there, _, now) = (word.rpartition("/") for word in (others[0] if len(others) == 1 else ("", "")))
    return (home, was, now) if home.startswith("/") and home == there else None


def _script(text: str) -> Iterator[Row]:
    found = [(said.line, match[1]) for said in _joined(text) if (match := _EXEC.match(said.rest))]
    started = [(line, program) for line, program in found if not _REDIRECTS.match(program)]
    if len(started) == 1:  # of several each is for some
        yield Row("setting", "exec", *started[0])


def _image(text: str) -> Iterator[Row]:
    libraries: dict[str, int] = {}
    for said in _of_last_stage(text):
        if said.word == "FROM":
            yield Row("stage", said.rest, said.line)
        elif said.word in ("ENTRYPOINT", "CMD"):
            yield Row("setting", said.word, said.line, said.rest)
        elif said.word == "ENV" and (given := _GIVEN.match(said.rest)):
            yield Row("setting", f"ENV {given[1]}", said.line, given[2].strip('"'))
        elif said.word in ("RUN", _COPIES):
            parts = [part.strip() for part in _STEPS.split(said.rest)]
            libraries |= {part: said.line for part in parts if said.word == "RUN" and _LIBRARIES.search(part)}
            yield from (row for part in parts for row in _installed(said.line, part))
    if libraries:
        yield Row("setting", "ldconfig", max(libraries.values()), " && ".join(libraries))


def _installed(line: int, part: str) -> Iterator[Row]:
    """One package that is installed by itself, with the options beside it; its version is a pin and told as one."""
    found = _INSTALL.search(part)
    words = found[1].split() if found else []
    named = [match for word in words if not word.startswith("-") and (match := _PACKAGE.fullmatch(word.strip("\"'")))]
    options = [word for word in words if word.startswith("--")]
    if len(named) == 1 and len(options) + 1 == len(words):
        yield Row("setting", f"{_INSTALLS}{named[0][1]}", line, " ".join((named[0][1], *sorted(options))))


_INSTALLS, _COPIES = "pip install ", "copied"


def _of_last_stage(text: str) -> Iterator[_Said]:
    """The instructions of the last stage and, before them, of those that it is built on, and what others run that it copies
    from.
    """
    stages: list[tuple[str, str, list[_Said]]] = []
    for said in _joined(text):
        match = _SAYS.match(said.rest)
        if match is None:
            continue
        if match[1].upper() == "FROM" and (stage := _STAGE.match(match[2])):
            stages.append((stage[2] or "", stage[1], []))
        elif stages:
            stages[-1][2].append(_Said(said.line, match[1].upper(), match[2]))
    chain: list[list[_Said]] = []
    wanted, copied = stages[-1][0] if stages else "", set[str]()
    for name, base, inside in reversed(stages):  # a stage is built on one above it
        if not chain or name == wanted:
            chain.append(inside)
            wanted = base
        elif name in copied:
            yield from (_Said(said.line, _COPIES, said.rest) for said in inside if said.word == "RUN")
            copied.add(base)
        copied |= {match[1] for said in inside if said.word == "COPY" and (match := _COPIED.search(said.rest))}
    yield from (_Said(1, "FROM", name) for name, _, _ in stages[-1:])
    yield from (said for inside in reversed(chain) for said in inside)


def _joined(text: str) -> Iterator[_Said]:
    """Lines as they are read: without comments, and with those that a backslash continues."""
    start, held = 0, ""
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        if bare.startswith("#"):
            continue
        start = start or number
        held = f"{held} {bare.removesuffix(chr(92))}"[:_MOST]
        if not bare.endswith("\\"):
            yield _Said(start, "", " ".join(held.split()))
            start, held = 0, ""
