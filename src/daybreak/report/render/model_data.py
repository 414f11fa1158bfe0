"""What a model had to do with a report, as data: who wrote it, what it cost, what was left to the rules."""

from __future__ import annotations

from daybreak.core.model.drafts import Left, Retelling
from daybreak.core.model.report import Report
from daybreak.report.render.data_parts import Json, text_data


def analyst_data(told: Retelling | None) -> Json:
    """Who wrote the prose."""
    if told is None:
        return {"kind": "rules", "model": None, "prompt_version": None}
    return {"kind": "llm", "model": text_data(told.model) or None, "prompt_version": told.prompt_version}


def cost_data(report: Report) -> Json:
    """What the answers of the forge and of the model cost when they were first made."""
    told, asked = report.retelling, report.forge.requests if report.forge else 0
    return {
        "requests": asked + (told.requests if told else 0),
        "prompt_tokens": told.prompt_tokens if told else 0,
        "completion_tokens": told.completion_tokens if told else 0,
        "money": told.money if told else None,
    }


def retelling_data(told: Retelling | None) -> Json:
    """How far the model was asked; without one there is no such field."""
    if told is None:
        return {}
    grounding = told.grounding
    return {
        "retelling": {
            "told": told.told,
            "below": told.below,
            "left": [_left(one) for one in told.left],
            "partly": [_left(one) for one in told.partly],
            "answers": [
                {"endpoint": text_data(endpoint), "model": text_data(model), "count": count}
                for endpoint, model, count in told.answers
            ],
            "preferred": text_data(told.preferred),
            "grounding": {
                "statements": grounding.statements,
                "kept": grounding.kept,
                "dropped": grounding.dropped,
                "by_reason": dict(sorted(grounding.by_reason.items())),
            },
        }
    }


def _left(one: Left) -> Json:
    return {"repo": one.repo, "sha": one.sha or None, "why": one.why, "detail": text_data(one.detail)}
