"""Links that lead to commits and items: for pages about to be published, whose other words may be upstream's.

A title, a name or an issue may say anything, a sha of elsewhere among it; what is quoted is held against the data. Only
code makes live links, so nothing a stranger writes can make this check object.
"""

from __future__ import annotations

import re

from daybreak.verify.page import Link, plain
from daybreak.verify.scene import Address, address
from daybreak.verify.study import Study

_HEX = re.compile(r"[0-9a-f]{7,64}")
_NUMBER = re.compile(r"#(\d{1,9})")


def check(study: Study) -> None:
    for spot in study.prose:
        for link in spot.line.links:
            found = address(link.target)
            if link.labelled and found is not None:
                _one(study, spot.line.number, link, found)


def _one(study: Study, line: int, link: Link, found: Address) -> None:
    label, span = plain(link.label).strip("`* "), (link.start, link.end)
    mirror = study.known.by_url.get(found.base)
    if found.kind == "commit":
        if mirror is not None:
            words = f"{found.rest[:12]} is no commit of {mirror.name}"
            study.findings.decide(mirror.commit(found.rest) is not None, "sha", line, label, words, span)
        if _HEX.fullmatch(label):
            words = f"the label says {label[:12]}, the link leads to {found.rest[:12]}"
            study.findings.decide(found.rest.startswith(label), "label", line, label, words, span)
    number = _NUMBER.fullmatch(label)
    if number and found.kind in ("pull", "issues"):
        words = f"the label says #{number[1]}, the link leads to #{found.rest}"
        study.findings.decide(number[1] == found.rest.split("/")[0], "label", line, label, words, span)
