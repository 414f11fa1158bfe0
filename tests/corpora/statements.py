"""Reads the corpora of statements: invented commits in the shapes real ones have, with true and poisoned drafts.

A file holds commits (`=== name`), each with blocks: `message:`, `pull:`, `issue:`, `diff PATH:`, `said S1:`, `findings:`, `true:` and
`false:`; columns are parted by a broken bar. Pieces are named in the order they stand: M1, P1, I1, D1…, F1….
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from daybreak.core.model.drafts import Case, Draft, Piece, Span
from daybreak.core.model.findings import Alias, Finding
from daybreak.prose.frame import Frame

FOLDER = Path(__file__).parent / "claims"
BAR = "¦"


class Sample(NamedTuple):
    """A draft, its case, and whether it is true."""

    commit: str
    case: Case
    draft: Draft
    poison: str
    """The kind of poison; empty for a true statement."""


def samples(name: str, folder: Path = FOLDER) -> list[Sample]:
    """All drafts of one file."""
    return [sample for block in _blocks(folder / f"{name}.txt") for sample in _of_commit(*block)]


def _blocks(path: Path) -> Iterator[tuple[str, list[tuple[str, list[str]]]]]:
    name, parts = "", list[tuple[str, list[str]]]()
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.startswith("=== "):
            if name:
                yield name, parts
            name, parts = line[4:].strip(), []
        elif line and not line.startswith(" ") and line.endswith(":"):
            parts.append((line[:-1], []))
        elif parts:
            parts[-1][1].append(line.removeprefix("  "))
    if name:
        yield name, parts


def _of_commit(name: str, parts: list[tuple[str, list[str]]]) -> Iterator[Sample]:
    case = case_of(name, [(kind, rows) for kind, rows in parts if kind not in ("true", "false")])
    for kind, rows in parts:
        if kind not in ("true", "false"):
            continue
        for row in filter(str.strip, rows):
            cells = [cell.strip() for cell in row.split(BAR)]
            poison = cells.pop(0) if kind == "false" else ""
            yield Sample(name, case, _with_line(draft_of(cells), case), poison)


def draft_of(cells: list[str]) -> Draft:
    role, zh, en, refs, *quote = cells
    return drafted(role, zh, en, refs.split(), quote[0] if quote else "")


def _with_line(draft: Draft, case: Case) -> Draft:
    """With the line in the cited piece that has it; one that gives none rests on the first line of its evidence."""
    frame = Frame(case)
    line = draft.spans[0].line if draft.spans else ""
    holding = (ref for ref in draft.refs if line and frame.side_of(Span(ref, line)) is not None)
    ref = next(holding, draft.refs[0])
    piece = case.piece(ref)
    first = next((row for row in piece.text.split("\n")[::-1] if len(row.strip(" +-")) > 4), "") if piece else ""
    return replace(draft, spans=(Span(ref, line or first),))


def drafted(role: str, zh: str, en: str, refs: Sequence[str], line: str = "") -> Draft:
    """A draft that cites these pieces, and of the first of them this line."""
    spans = (Span(refs[0], line),) if line and refs else ()
    return Draft(role, {"zh": zh, "en": en}, spans, tuple(refs))  # type: ignore[arg-type]


def case_of(name: str, parts: list[tuple[str, list[str]]]) -> Case:
    """A case with its pieces as an analyst would number them."""
    sha = f"{abs(sum(ord(c) * 31**i for i, c in enumerate(name))):040x}"[-40:]
    pieces: list[Piece] = []
    findings: list[Finding] = []
    plain: list[str] = []
    count = 0
    for kind, rows in parts:
        text = "\n".join(rows).rstrip()
        if kind in ("message", "pull", "issue"):
            ref = {"message": "M1", "pull": "P1", "issue": "I1"}[kind]
            pieces.append(Piece(ref, f"commit:{sha}" if ref == "M1" else f"{kind}:{sha}", text))
            plain.append(text)
        elif kind.startswith("said "):
            pieces.append(Piece(kind[5:].strip(), f"repo:{sha[:6]}", text))
        elif kind.startswith("diff "):
            count += 1
            path = kind[5:].strip()
            pieces.append(Piece(f"D{count}", f"file:{sha}:{path}", f"{path}\n{text}", {f"file:{count}": path}))
            plain += [path, text]
        elif kind == "findings":
            findings = [_finding(sha, at, row) for at, row in enumerate(filter(str.strip, rows), 1)]
    for at, one in enumerate(findings, 1):
        said = f"{one.kind} {one.path} {one.symbol} before: {one.before} after: {one.after}"
        pieces.append(Piece(f"F{at}", f"finding:{one.id}", said))
    return Case(sha, "example/engine", tuple(pieces), tuple(findings), "\n".join(plain))


def _finding(sha: str, at: int, row: str) -> Finding:
    kind, path, symbol, before, after, *rest = [cell.strip() for cell in row.split(BAR)] + [""]
    alias = next((word for word in rest if word in ("none", "deprecated", "kept")), None)
    return Finding(
        f"{sha[:12]}/{at}",
        kind,
        path,
        1,
        symbol,
        before or None,
        after or None,
        breaking="breaking" in rest,
        alias=Alias(alias) if alias else None,
    )
