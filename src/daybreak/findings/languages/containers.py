"""What a container of the project's image starts with: its command, its variables, and where it looks for libraries.

Only what reaches the image counts: the last stage of a Dockerfile and the stages that it is built on. Of a script that
starts a container it is the program that takes its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from daybreak.findings.blobs import Row, Surface
from daybreak.findings.languages.base import MAX_LINE, Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import contrast, squeezed

if TYPE_CHECKING:
    from daybreak.findings.compare import FilePair

__all__ = ["compare", "surface", "touched"]

_HINT = re.compile(r"\b(?:ENTRYPOINT|CMD|ENV|ldconfig|ld\.so|exec)\b")
_SAYS = re.compile(r"(FROM|ENTRYPOINT|CMD|ENV|RUN)\s+(\S.*)", re.IGNORECASE)
_STAGE = re.compile(r"(?:--\S+\s+)?(\S+)(?:\s+AS\s+(\S+))?", re.IGNORECASE)
_GIVEN = re.compile(r"([A-Za-z_]\w{0,80})(?:=|\s+)(\"[^\"$]{0,200}\"|[^\s\"'$]{1,200})$")
"""One variable with a value that is written out."""
_LIBRARIES = re.compile(r"ldconfig\s+/|ld\.so\.")
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
                yield Fact("container_changed", pair.file.path, now.line, now.name, *contrast(was.text, now.text), True)


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
        elif said.word == "RUN":
            parts = (part.strip() for part in said.rest.split("&&"))
            libraries |= {part: said.line for part in parts if _LIBRARIES.search(part)}
    if libraries:
        yield Row("setting", "ldconfig", max(libraries.values()), " && ".join(libraries))


def _of_last_stage(text: str) -> Iterator[_Said]:
    """The instructions of the last stage and, before them, of those that it is built on."""
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
    wanted = stages[-1][0] if stages else ""
    for name, base, inside in reversed(stages):  # a stage is built on one above it
        if not chain or name == wanted:
            chain.append(inside)
            wanted = base
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
