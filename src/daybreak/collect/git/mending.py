"""Which changes may put a fault right, by their titles and by how much they touch."""

from __future__ import annotations

import re

from daybreak.collect.git.places import code
from daybreak.core.model.changes import Change

_SMALL = 120
"""Lines that a fix takes away; of more than that, which is a rewrite, single lines say nothing of a fault."""
_FILES = 16
_LARGEST = 60
"""Files of code that are looked at."""
_MENDS = re.compile(
    r"fix(?!(?:es|ed|ing)?\s(?:the\s|broken\s|failing\s)?(?:ci|tests?|lint|mypy)\b)|\bbug|\brestor|\bcorrect|\brepair|\bregress|\bbroke|\bprevent|\bavoid|\bhandl|\bresolv|\bcrash|\bhang|\bleak|\brace"
    r"|\bwrong|\bincorrect|\berror|\bproper|\bbarrier|\bsecurity|\bCVE-|\bvulnerab|\bguard|\bmissing|\bdeadlock",
    re.IGNORECASE,
)
_REVERT = re.compile(r"\brevert|\broll(?:ed|ing)?[ -]?back\b|\bback(?:ed|ing)? out\b", re.IGNORECASE)
_TAG = re.compile(r"\[[^\]]{0,60}\]|^\w{2,12}(?:\([^()]{0,60}\))?!?:")
"""`[Bugfix]`, `fix(core):`: of a title that goes on with what it takes back, these say nothing."""


def may_mend(change: Change) -> bool:
    return 0 < len(code(change)) <= _LARGEST and not change.skipped and mends(change)


def mends(change: Change) -> bool:
    """Its title speaks of a fault."""
    subject = change.subject[:400]
    back = _REVERT.search(subject)
    told = _TAG.sub("", subject[: back.start()]) if back else subject
    return bool(_MENDS.search(told))


def rewrites(change: Change) -> bool:
    """It takes more away than a fault needs: only nearly all of that together tells where the fault is."""
    files = code(change)
    return len(files) > _FILES or sum(file.deleted for file in files) > _SMALL


def takes_back(change: Change) -> bool:
    return _REVERT.search(change.subject[:400]) is not None
