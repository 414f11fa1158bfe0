"""Secrets that cannot be printed by accident, and texts from which they are taken out."""

from __future__ import annotations

import re
from collections.abc import Iterable

SHORTEST = 6
"""Shorter secrets are not looked for in texts: they would blot out ordinary words."""
_FORMS = re.compile(
    r"\b(?:gh[a-z]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,})|(?<=[Bb]earer )[\w.~+/=-]{6,}|(?<=//)[^/@\s]+(?=@)"
)
"""Forms that GitHub's tokens have, headers that carry one, and passwords in addresses."""


class Secret:
    """A text that shows itself to nobody who does not ask by name."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return "Secret(***)"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a secret is not written anywhere")


def redacted(text: str, secrets: Iterable[Secret] = ()) -> str:
    """The text with every known secret, and all that has the form of one, replaced by three stars."""
    for secret in secrets:
        if len(secret.reveal()) >= SHORTEST:
            text = text.replace(secret.reveal(), "***")
    return _FORMS.sub("***", text)
