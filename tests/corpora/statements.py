"""Reads the corpora of statements: invented commits in the shapes real ones have, with true and poisoned drafts.

A file holds commits (`=== name`), each with blocks: `message:`, `pull:`, `issue:`, `diff PATH:`, `said S1:`, `findings:`, `true:` and
`false:`; columns are parted by a broken bar. Pieces are named in the order they stand: M1, P1, I1, D1…, F1….
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from daybreak.core.model.drafts import Case, Draft, Piece
from daybreak.core.model.findings import Alias, Finding

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


def relational() -> list[Sample]:
    """Lies that use the evidence's own words for the wrong thing: the limit of checks by words."""
    cases = {sample.commit: sample.case for name in ("tuned", "heldout", "later") for sample in samples(name)}
    rows = (FOLDER / "relational.txt").read_text(encoding="utf-8").split("\n")
    cells = [[cell.strip() for cell in row.split(BAR)] for row in rows if row.strip()]
    return [Sample(name, cases[name], draft_of(draft), "relational") for name, *draft in cells]


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
            yield Sample(name, case, draft_of(cells), poison)


def draft_of(cells: list[str]) -> Draft:
    role, zh, en, refs, *quote = cells
    return Draft(role, {"zh": zh, "en": en}, tuple(refs.split()), quote[0] if quote else "")  # type: ignore[arg-type]


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
