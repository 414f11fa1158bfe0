"""Shas: each names a commit of the repository it is given for, on its branch; a sha in a link is whole."""

from __future__ import annotations

import re

from daybreak.verify.check_input import Study
from daybreak.verify.context import Named, Spot
from daybreak.verify.mirror import Mirror

_NO_MIRROR = "no mirror of that repository"
_WHOLE = (40, 64)


def check(study: Study) -> None:
    _look_everywhere(study)
    for spot in study.prose:
        linked = {one.text for one in spot.names if one.linked}
        for one in spot.names:
            if one.linked or not any(full.startswith(one.text) for full in linked):
                _one(study, spot, one)


def _look_everywhere(study: Study) -> None:
    """Shas that their own repository lacks may be another's, or of a file: every mirror is asked for all of them."""
    lost = {
        one.text
        for spot in study.prose
        for one in spot.names
        if (mirror := _meant(study, spot, one)) and mirror.commit(one.text) is None
    }
    for mirror in study.known.mirrors.values() if lost else ():
        mirror.seek(sorted(lost))


def _meant(study: Study, spot: Spot, one: Named) -> Mirror | None:
    return study.known.by_url.get(one.base) if one.base else study.mirror(spot.repo)


def _one(study: Study, spot: Spot, one: Named) -> None:
    mirror = _meant(study, spot, one)
    if mirror is None:
        _anywhere(study, spot, one)
        return
    span = (one.start, one.end)
    if one.linked:
        words = f"the link's sha has {len(one.text)} digits, a whole one has 40"
        study.findings.decide(len(one.text) in _WHOLE, "link", one.line, one.text, words, span)
    commit = mirror.commit(one.text) if len(one.text) <= 64 else None
    if commit is None:
        _missing(study, spot, one, mirror)
    elif commit.sha not in mirror.log:
        study.findings.unknown("sha", "a commit that is not on the branch")
    else:
        study.findings.true("sha")


def _anywhere(study: Study, spot: Spot, one: Named) -> None:
    """Under no repository: any of them will do; one that is in none of them can still be of another."""
    if not one.base and not spot.foreign and any(m.commit(one.text) for m in study.known.mirrors.values()):
        study.findings.true("sha")
    elif one.sure:
        study.findings.unknown("sha", _NO_MIRROR if one.base or spot.foreign else "named under no repository")


def _missing(study: Study, spot: Spot, one: Named, mirror: Mirror) -> None:
    others = [m.name for m in study.known.mirrors.values() if m is not mirror and m.commit(one.text)]
    why = f"{one.text[:12]} is no commit of {mirror.name}"
    if others:
        why += f", but one of {others[0]}"
    elif not one.sure or mirror.holds([one.text])[one.text]:
        return  # a word, a number, or a file's or tree's own id
    elif not one.linked and _quoted(study, spot, one):
        study.findings.unknown("sha", "stands in the diff of the commit")
        return
    elif len(one.text) > 12 and (meant := mirror.commit(one.text[:12])):
        why += f"; {meant.short} is"
    study.findings.false("sha", one.line, one.text, why, (one.start, one.end))


def _quoted(study: Study, spot: Spot, one: Named) -> bool:
    """A pin that the commit itself speaks of."""
    for commit in spot.commits:
        mirror = study.mirror(commit.repo)
        shown = mirror.shown(commit.sha) if mirror else None
        if shown and re.search(re.escape(one.text[:7]), shown.text):
            return True
    return False
