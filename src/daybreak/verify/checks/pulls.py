"""Pull requests: the number given for a commit is the one of its subject, and a merged one is merged."""

from __future__ import annotations

import re

from daybreak.verify.check_input import Study
from daybreak.verify.context import NOT_MERGED, Address, Spot, address
from daybreak.verify.mirror import Commit

_IN_TITLE = re.compile(r"\(#(\d{1,9})\)(?=\s*(?:$|\[|\]|\(\[|\*\*|`|\||<))")


def check(study: Study) -> None:
    for spot in study.prose:
        if "#" not in spot.line.text and "/pull/" not in spot.line.text:
            continue
        links = [
            (found, (link.start, link.end))
            for link in spot.line.links
            if (found := address(link.target)) and found.kind == "pull"
        ]
        named = [one for one in spot.names if one.linked or one.sure]
        if named and spot.own:
            _of_commits(study, spot, links)
        else:
            for found, span in links:
                _alone(study, spot, found, span)


def _of_commits(study: Study, spot: Spot, links: list[tuple[Address, tuple[int, int]]]) -> None:
    """One commit with one number must agree; of several, each number must be of one of them."""
    given = [(int(n), span) for found, span in links if (n := found.rest.split("/")[0]).isdigit()]
    if not given and not spot.line.heading:
        text = spot.line.text if not spot.line.links else spot.line.text[: spot.line.links[0].start]
        given = [(int(m[1]), m.span()) for m in list(_IN_TITLE.finditer(text))[-1:]]
    numbered = [c for c in spot.own if c.pull is not None]
    for number, span in given:
        fits = any(number == c.pull or number in c.pulls for c in spot.own)
        if fits:
            study.findings.true("pull request")
        elif not numbered or len(numbered) < len(spot.own) or (len(spot.own) > 1 and len(given) > len(spot.own)):
            _elsewhere(study, number, spot)
        elif spot.issues or (len(spot.own) > 1 and _merged(study, spot.own, number)):
            study.findings.true("pull request")
        else:
            words = f"{_words(numbered)}, not #{number}"
            study.findings.false("pull request", spot.line.number, f"#{number}", words, span)


def _words(commits: list[Commit]) -> str:
    return "; ".join(f"{c.short} is of #{c.pull}" for c in commits[:2])


def _merged(study: Study, commits: tuple[Commit, ...], number: int) -> bool:
    """A line with several commits may name the pull request of another one beside them."""
    mirror = study.mirror(commits[0].repo)
    return mirror is not None and mirror.pull(number) is not None


def _elsewhere(study: Study, number: int, spot: Spot) -> None:
    mirror = study.mirror(spot.own[0].repo)
    if mirror and mirror.pull(number):
        study.findings.true("pull request")
    else:
        study.findings.unknown("pull request", "the commit's subject has no number")


def _alone(study: Study, spot: Spot, found: Address, span: tuple[int, int]) -> None:
    number = found.rest.split("/")[0]
    mirror = study.known.by_url.get(found.base)
    if not number.isdigit() or mirror is None:
        study.findings.unknown("pull request", "no mirror of that repository")
    elif mirror.pull(int(number)) or study.items.find(found.base, int(number)):
        study.findings.true("pull request")
        _beside(study, spot, int(number), span)
    elif spot.listing and not spot.issues and mirror.numbered and not NOT_MERGED.search(spot.line.text):
        words = f"is listed among the commits, but no commit of {mirror.name} is of #{number}"
        study.findings.false("pull request", spot.line.number, f"#{number}", words, span)
    else:
        study.findings.unknown("pull request", "not merged into the branch, as far as git knows")


def _beside(study: Study, spot: Spot, number: int, span: tuple[int, int]) -> None:
    """A line below a commit that only gives its pull request: `[PR #12](…)` under `- abc1234`."""
    if spot.line.item or spot.line.table or not spot.around or spot.line.heading:
        return
    near = [c for c in spot.around if c.pull is not None]
    if (
        near
        and len(near) == len(spot.around) == 1
        and spot.line.text.strip().startswith(("[", "<", "PR", "pr", "**PR"))
    ):
        held = number in near[0].pulls or number == near[0].pull
        study.findings.decide(
            held, "pull request", spot.line.number, f"#{number}", f"{_words(near)}, not #{number}", span
        )
