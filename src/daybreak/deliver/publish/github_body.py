"""The day page as title and body of an issue or a discussion."""

from __future__ import annotations

from daybreak.deliver.publish.github_issue import Kind, Wanted, mark
from daybreak.deliver.publish.neutralise import disarmed, title
from daybreak.deliver.publish.page_links import Links
from daybreak.deliver.publish.shortened import shortened


def post_of(kind: Kind, label: str, page: str, language: str, links: Links) -> Wanted:
    """Of the page `reports/LABEL.md`, which was checked; its heading becomes the title."""
    lines = page.replace("\r\n", "\n").split("\n")
    heading = next((line for line in lines if line.startswith("# ")), f"# Daybreak {label}")
    # The first line says whose file it is; here our own mark does.
    rest = [line for n, line in enumerate(lines) if line is not heading and not (n == 0 and line.startswith("<!--"))]
    path = f"reports/{label}.md"
    whole = links.place(path)
    place = f"[`{path}`]({whole})" if whole else f"`{path}`"
    body = shortened(disarmed("\n".join(rest).strip("\n"), links), language, place)
    return Wanted(label, title(heading[2:]), f"{mark(kind, label)}\n\n{body.strip()}\n")
