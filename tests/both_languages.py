"""A sentence of a reported day, in both languages."""

from __future__ import annotations


def both(zh: str = "", en: str = "") -> dict[str, str]:
    return {"zh": zh, "en": en}
