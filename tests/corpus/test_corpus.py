"""The bar of impact: forty downstream projects, what must be found in them and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from corpus.corpus import Outcome, outcome, projects, upstream


def test_the_corpus_is_as_large_as_promised_and_its_rows_stand_on_lines() -> None:
    every = projects()
    rows = [(project, row) for project in every for row in (*project.expected, *project.also)]
    assert len(every) >= 40
    assert sum(len(project.expected) for project in every) >= 150
    assert sum(not project.expected for project in every) >= 6
    assert len({(project.name, row.path, row.line, row.symbol) for project, row in rows}) == len(rows)
    for project, row in rows:
        assert project.files[row.path].splitlines()[row.line - 1].strip(), (project.name, row)


def test_recall_and_precision_over_the_corpus(tmp_path: Path) -> None:
    every = projects()
    sources = {name: upstream(name, tmp_path / "upstreams") for name in sorted({p.upstream for p in every})}
    outcomes = [outcome(project, sources[project.upstream], tmp_path / "projects") for project in every]
    expected, met = sum(len(o.project.expected) for o in outcomes), sum(o.met for o in outcomes)
    false = sum(len(o.false) for o in outcomes)
    unequal = sum(len(o.unequal) for o in outcomes)
    recall, precision, agreement = met / expected, met / (met + false), (met - unequal) / met
    table = _table(outcomes)
    print(f"{table}\nrecall {recall:.3f}, precision {precision:.3f}, certainty {agreement:.3f} of {met}")
    assert recall >= 0.95, table
    assert precision >= 0.95, table
    assert agreement >= 0.9, table


def _table(outcomes: Sequence[Outcome]) -> str:
    lines = [f"{'project':24}{'expected':>9}{'found':>7}{'missed':>8}{'false':>7}"]
    for o in outcomes:
        lines.append(f"{o.project.name:24}{len(o.project.expected):9}{o.met:7}{len(o.missed):8}{len(o.false):7}")
        lines += [f"    missed {row.path}:{row.line} {row.symbol} ({row.certainty})" for row in o.missed]
        lines += [
            f"    false  {hit.use.path}:{hit.use.line} {hit.use.name} ({hit.certainty}, {hit.net.finding.kind} of "
            f"{hit.net.finding.symbol})"
            for hit in o.false
        ]
        lines += [
            f"    says   {row.path}:{row.line} {row.symbol} is {hit.certainty}, expected {row.certainty}"
            for row, hit in o.unequal
        ]
    return "\n".join(lines)
