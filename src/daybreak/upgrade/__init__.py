"""Upgrades: a range between two refs, what it does to your code, forks, and the history of a name."""

from __future__ import annotations

from typing import Any

from daybreak.core.model.upgrade import Hit, Use


def use_data(use: Use) -> dict[str, Any]:
    """One place of your code."""
    return {
        "kind": use.kind,
        "name": use.name,
        "path": use.path,
        "line": use.line,
        "text": use.text,
        "value": use.value,
        "keywords": list(use.keywords),
        "positional": use.positional,
        "program": use.program,
        "guarded": use.guarded,
        "when": list(use.when),
    }


def advice_data(hit: Hit) -> dict[str, Any]:
    """Why a place is touched, what to do, and what you said of it before."""
    return {
        "why": hit.why,
        "action": hit.action,
        "pinned": hit.pinned,
        "pin_at": hit.pin_at,
        "acknowledged": hit.acknowledged,
    }
