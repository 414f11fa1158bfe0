"""Empty words: sentences of a change that say nothing of what it does: steps, wishes, what is tested, what stays as it is."""

from __future__ import annotations

import re

_UNBUILT = r"\bwould (?:require|need|take)\b[^.;]{0,20}\b(?:separate|another|new|further|different|additional)\b"
_LATER = re.compile(
    r"\b(?:TODO|FIXME|XXX|HACK)\b|\?\s*$|\bI(?:'m| am| don't| do not| think| felt| feel| guess)\b|\bfuture\b"
    rf"|\bnot (?:supported|implemented|handled|done) yet\b|\bout of scope\b|{_UNBUILT}",
    re.IGNORECASE,
)
_TO_REVIEWERS = re.compile(r"\b(?:this|the) (?:PR|pull request)\b|^\W*via [\w-]+(?: [\w.-]+){0,9}$", re.IGNORECASE)
_TESTED = re.compile(
    r"\W*(?:covers|exercises|these (?:[\w-]{1,20} )?tests|this (?:test )?(?:file|module|suite))\b"
    r"|\W*(?:also )?(?:adds?|extends?|covers?) [^.;]{0,80}\b(?:tests?|coverage|benchmarks?|regressions?)\b|.{0,300}\bthis test\b.{0,40}\b(?:fail|pass)\w{0,3}\b",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"\W*(?:step \d|get|set|compute|create|load|check|build|init\w*|run|convert|reshape|copy|call|parse|collect|extract|define|return|apply|handle|verify|test"
    r"|helper|args?|wrapper|identify|store|write|read|allocate|prepare|update|add|record|track|iterate|loop|repeat|register|pass|select|map|pad|save)s?\b(?! (?:only|no|when|if))",
    re.IGNORECASE,
)
_NO_NEED = re.compile(
    r"\W*check (?:if|whether)\b(?!.*\b(?:otherwise|because|since|would)\b)|\W*(?:there is )?no need (?:to|for)\b|\W*(?:we )?(?:do not|don't) (?:need to|import|remove|move|edit|modify|change)\b",
    re.IGNORECASE,
)
_CASE = re.compile(r"\W*(?:case \w{1,8}:\s*)?(?:when|if|for|in)\b[^,;:]{0,200}", re.IGNORECASE)
_STATE = re.compile(r"\W*(?:after|before|once|until) [\w.]{1,80}\(\)", re.IGNORECASE)
"""What holds once something was called: a state, and not what changes."""
_REFERENCE = re.compile(
    r"\W*(?:PR|pull request|issue|see|cf\.?|from)?\W*(?:#\W?\d{2,7}\b[^,;:]{0,60}|https?://\S+\W*)", re.IGNORECASE
)
"""Another change by its number or address, and hardly a word besides."""
_PARAMETER = re.compile(r"\W*([a-z]\w{0,60})(?: \([^()]{1,60}\))?: ")
_STAYS = re.compile(r"\b(?:leaves|preserves?|keeps?|unchanged|untouched|ignores?|no-?op)\b", re.IGNORECASE)
_GUARDS = re.compile(
    r"\b(?:keeps?|kept|continues?) (?:on )?(?:to )?work(?:s|ing)?\b|\bstill\b|\bas before\b|\bregressions?$|\bbackwards?[- ]compat",
    re.IGNORECASE,
)


def is_later(text: str) -> bool:
    """What is left to do, asked, thought aloud, or would have to be built for what there is not."""
    return _LATER.search(text) is not None


def is_to_reviewers(text: str) -> bool:
    """In a file: to those who look the change over, or which package asks for a line of a list of packages."""
    return _TO_REVIEWERS.search(text) is not None


def is_tested(text: str) -> bool:
    """That a change is tested, and how, is not what it does."""
    return _TESTED.match(text) is not None


def is_step(text: str) -> bool:
    """The next lines told in words, as a step of a recipe."""
    return _STEP.match(text) is not None


def is_no_news(text: str) -> bool:
    """What the next line asks, why something is not done, what must not be done by whoever works on it, what holds after a call,
    a case without what follows from it, or another change by its number.
    """
    whole = (_CASE.fullmatch(text), _REFERENCE.fullmatch(text))
    return any(found is not None for found in (_NO_NEED.match(text), _STATE.match(text), *whole))


def described(text: str) -> str:
    """The parameter that a line of a docstring describes, or nothing."""
    found = _PARAMETER.match(text)
    return found[1] if found else ""


def is_guarded(text: str) -> bool:
    """A test that holds what worked before and works now: of a fix it says nothing of the fault."""
    return _GUARDS.search(text) is not None or (not text.endswith(".") and _STAYS.search(text) is not None)
