"""Anchors: a link within the page leads to a heading or an id of it, and a file beside the page is there."""

from __future__ import annotations

from urllib.parse import unquote

from daybreak.verify.check_input import Study


def check(study: Study) -> None:
    anchors = study.page.anchors
    for spot in study.prose:
        for link in spot.line.links:
            if not link.labelled or "://" in link.target or link.target.startswith("mailto:"):
                continue
            file, _, fragment = link.target.partition("#")
            span, line = (link.start, link.end), spot.line.number
            if not file and fragment:
                held = fragment in anchors or unquote(fragment) in anchors
                study.findings.decide(held, "anchor", line, f"#{fragment}", "nothing on the page has this anchor", span)
            elif file:
                _file(study, file, line, span)


def _file(study: Study, file: str, line: int, span: tuple[int, int]) -> None:
    """Of another tool's report the folder may be another; only our own pages are known to stand where they belong."""
    there = study.there(unquote(file)) if study.there else False
    if there:
        study.findings.true("link")
    elif study.page.ours and study.there:
        study.findings.false("link", line, file, "there is no such file beside the report", span)
    else:
        study.findings.unknown("link", "a file that is not beside the report")
