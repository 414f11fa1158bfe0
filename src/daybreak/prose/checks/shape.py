"""Check: both languages are there, whole, and of a length that a reader takes."""

from __future__ import annotations

import re

from daybreak.prose.checks.interface import LANGUAGES, Claim, Fault

MOST = {"zh": 260, "en": 560}
LEAST = {"zh": 6, "en": 12}
_WHOLE = re.compile(r"[。！？.!?]$")
_STOPS = re.compile(r"[。！？]|[.!?](?=\s|$)")
_MOST_SENTENCES = 3


class Shape:
    """A sentence or three, closed and not cut."""

    def fault(self, claim: Claim) -> Fault | None:
        for language in LANGUAGES:
            text = claim.bare[language].strip()
            if not text:
                return Fault("language_missing", language)
            if len(text) > MOST[language]:
                return Fault("too_long", language)
            if len(text) < LEAST[language]:
                return Fault("too_short", text)
            if text.count("`") % 2 or not _WHOLE.search(text) or text.endswith(("...", "……", "…。")):
                return Fault("cut", text[-30:])
            if len(_STOPS.findall(text)) > _MOST_SENTENCES + 1:
                return Fault("too_long", language)
        return None
