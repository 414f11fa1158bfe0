"""The grade for one reader: what is not the reader's goes down, never away.

`[reader]` names hardware, models and things to ignore. Whose a change is, is judged by the code it touches: the paths of
its files that are not tests, docs or CI, and nothing of its title.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from daybreak.core.config import ReaderConfig
from daybreak.core.model.changes import Change
from daybreak.core.model.statements import Importance, Level, Reason
from daybreak.core.words import say
from daybreak.judge.change_kinds import elsewhere, front
from daybreak.judge.vocabulary import hardware

_DOWN: dict[Level, Level] = {"high": "medium", "medium": "low", "low": "low"}
_FACTOR = 0.4

_ARCH = re.compile(r"(?<![a-z0-9])(?:sm_?(\d{2,3})[af]?|(gfx\d{3,4})[a-z]?)(?![a-z0-9])", re.IGNORECASE)
_MODEL = re.compile(
    r"(?:^|/)(?:models?|model_executor/models|models_\w{1,20}|tool_parsers|reasoning)/([\w-]{1,80})(?:\.py$|/)"
)
_SHARED = re.compile(
    r"^(?:registry|utils?|interfaces\w{0,10}|base|__init__|common|adapters|config|vision|transformers)$"
)
"""Files of a models folder that belong to no one model."""


def for_reader(found: Importance, change: Change, reader: ReaderConfig) -> Importance:
    """One level down, and lower within it, when all the code touched is for what the reader does not use.

    Who names no hardware is taken to have what most have.
    """
    paths = [file.path[-300:] for file in front(change)]
    foreign = _foreign(paths, reader) if paths else ""
    if found.level == "low" or not (foreign or (not reader.hardware and elsewhere(change))):
        return found
    words = say("judge.grade.not_yours", what=foreign) if foreign else say("judge.grade.elsewhere")
    lower = _DOWN[found.level]
    why = () if lower == "low" else found.reasons  # what made it medium is no reason for low
    reasons = (Reason("not_yours", words), *why)[:3]
    return replace(found, level=lower, score=round(found.score * _FACTOR, 4), reasons=reasons)


def _foreign(paths: Sequence[str], reader: ReaderConfig) -> str:
    """The word that makes every path foreign; empty when one of them may be the reader's."""
    words = [_ignored(p, reader.ignore) or _hardware(p, reader.hardware) or _model(p, reader.models) for p in paths]
    return words[0] if all(words) else ""


def _ignored(path: str, ignore: Iterable[str]) -> str:
    """A word to ignore that stands in the path between marks."""
    for word in ignore:
        if word and re.search(rf"(?:^|[/_.-]){re.escape(word)}(?:[/_.-]|s?/|$)", path, re.IGNORECASE):
            return word
    return ""


def _hardware(path: str, wanted: Sequence[str]) -> str:
    """Hardware the path is for, when it is none of the wanted."""
    named = {f"sm{m[1]}" if m[1] else m[2].lower() for m in _ARCH.finditer(path)}
    named |= hardware(path)
    ours = {
        word.lower().replace("_", "").rstrip("af") if word.lower().startswith("sm") else word.lower() for word in wanted
    }
    if "rocm" in named and any(word.startswith(("gfx", "mi3", "amd")) for word in ours):
        return ""
    return min(named) if wanted and named and not named & ours else ""


def _model(path: str, wanted: Sequence[str]) -> str:
    """The model whose file it is, when it is none of the wanted; files that many models share are everybody's."""
    match = _MODEL.search(path)
    if not wanted or match is None or _SHARED.match(match[1]):
        return ""
    plain = re.sub(r"[\W_]", "", match[1].lower())
    mine = any(re.sub(r"[\W_]", "", word.lower()) in plain for word in wanted if word)
    return "" if mine else match[1]
