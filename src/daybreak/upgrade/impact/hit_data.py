"""A place of your code as data, alike in every file that tells one."""

from __future__ import annotations

from daybreak.core.model.upgrade import Hit, Use
from daybreak.report.render.data_parts import Json, optional_data, text_data, texts_data


def use_data(use: Use) -> Json:
    """One place of your code."""
    return {
        "kind": use.kind,
        "name": text_data(use.name),
        "path": text_data(use.path),
        "line": use.line,
        "text": text_data(use.text),
        "value": optional_data(use.value),
        "keywords": [text_data(word) for word in use.keywords],
        "positional": use.positional,
        "program": optional_data(use.program),
        "guarded": use.guarded,
    }


def advice_data(hit: Hit) -> Json:
    """Why a place is touched, what to do, and what you said of it before."""
    return {
        "why": texts_data(hit.why),
        "action": texts_data(hit.action),
        "pinned": optional_data(hit.pinned),
        "pin_at": optional_data(hit.pin_at),
        "acknowledged": optional_data(hit.acknowledged),
    }
