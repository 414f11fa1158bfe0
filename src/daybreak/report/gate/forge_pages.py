"""What pages may say of a forge's items: addresses that are known, and quotes that stand in the body they come from."""

from __future__ import annotations

import re
from urllib.parse import quote

from msgspec import Struct, field

from daybreak.core.markdown_page import visible
from daybreak.core.model.report import Report
from daybreak.core.plain_words import plain

_MARKS = re.compile(r"\*\*|`")
_QUOTED = re.compile(r"^(?:  > - |> )")
_DULL = str.maketrans("[]()", "{}{}")


class Items(Struct, frozen=True):
    """Web addresses of the report's items."""

    labels: dict[str, str] = field(default_factory=dict)
    """Address -> what a link to it is called."""
    bodies: dict[str, str] = field(default_factory=dict)
    """Address of a pull request or a release -> its text."""
    made: dict[str, str] = field(default_factory=dict)

    def body(self, address: str) -> str:
        """A text in the form to compare in; made when first asked for, since few are quoted."""
        if address not in self.made:
            self.made[address] = plain(self.bodies.get(address, ""))
        return self.made[address]


def items_of(report: Report) -> Items:
    """All that the forge has of the report's repositories."""
    labels: dict[str, str] = {}
    bodies: dict[str, str] = {}
    for repo in report.repos:
        found = report.forge.activity(repo.repo.name) if report.forge else None
        if found is None:
            continue
        url = repo.repo.url
        for pull in found.pulls:
            labels[f"{url}/pull/{pull.number}"] = f"#{pull.number}"
            bodies[f"{url}/pull/{pull.number}"] = pull.body
        labels |= {f"{url}/issues/{issue.number}": f"#{issue.number}" for issue in found.issues}
        for release in found.releases:
            address = f"{url}/releases/tag/{quote(release.tag, safe='/', errors='replace')}"
            labels[address], bodies[address] = release.tag, _MARKS.sub("", release.body)
    return Items(labels, bodies)


def item_problem(label: str, target: str, items: Items) -> str | None:
    """What is wrong with a link to an item; None when the address is no item of the forge."""
    if target not in items.labels:
        return None
    told, wanted = plain(visible(label)).translate(_DULL), plain(items.labels[target]).translate(_DULL)
    return "" if told == wanted else f"labels {target} as {told}"


def quote_problem(line: str, escaped: bool, named: str, items: Items) -> str:
    """A line that is told as the words of a pull request or release and is not in its body; of notes without emphasis."""
    words = plain(visible(_QUOTED.sub("", line))) if escaped else plain(line)
    if not words or words in items.body(named):
        return ""
    return f"quotes words that are not in {named or 'any pull request'}: {words[:60]!r}"
