"""Patterns that are tried only where a word stands that they cannot do without."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from daybreak.core.markdown_page import Page


class Sieve:
    """A pattern and words, in lower case, of which every match has one: looking for words is far cheaper."""

    def __init__(self, pattern: re.Pattern[str], *words: str) -> None:
        self.pattern, self._words = pattern, words

    def on(self, page: Page) -> Callable[[str], re.Match[str] | None]:
        """Searches a text of this page."""
        words, search = page.having(self._words), self.pattern.search
        if not words:
            return nothing

        def found(text: str) -> re.Match[str] | None:
            low = text.lower()
            for word in words:
                if word in low:
                    return search(text)
            return None

        return found

    def all_on(self, page: Page) -> Callable[[str], Iterator[re.Match[str]]]:
        """Finds every match in a text of this page."""
        first, every = self.on(page), self.pattern.finditer
        return lambda text: every(text) if first(text) else iter(())


def nothing(_text: str) -> re.Match[str] | None:
    """What a pattern finds on a page that has none of its words."""
    return None
