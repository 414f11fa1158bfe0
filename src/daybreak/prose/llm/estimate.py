"""How many tokens a text may have, without any model's tokenizer: near enough to split by, and an upper bound to pay by."""

from __future__ import annotations

_PER_MESSAGE = 16
"""What the form of a chat adds around the texts."""


def tokens(text: str) -> int:
    """About as many as usual tokenizers make of code and prose; rather more than less."""
    plain = len(text.encode("ascii", "ignore"))
    return plain // 3 + (len(text) - plain) + 1


def most_tokens(text: str) -> int:
    """An upper bound for budgets: half a token for each byte holds for all but texts of random letters."""
    return len(text.encode("utf-8", "replace")) // 2 + _PER_MESSAGE
