"""Tool `search`: the index of reported days, asked as on the pages and the command line."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from daybreak.serve.mcp import answers
from daybreak.serve.mcp.context import Desk
from daybreak.serve.mcp.paging import Room, start_of
from daybreak.serve.mcp.untrusted import address, plain_word, quoted

if TYPE_CHECKING:
    from daybreak.site.search import Hit, Search

_LOCK = threading.Lock()


class Searcher:
    """Opened by the first question and kept: the index follows the archive by itself."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._search: Search | None = None

    def find(self, query: str, limit: int = 20, language: str | None = None, cursor: str | None = None) -> answers.Hits:
        """Best first."""
        start, room = start_of(cursor)[1], Room()
        lang = self._desk.language(language)
        found = self._opened().find(query, limit, start, lang)
        rows = room.fill("hits", found.hits, lambda hit: _row(hit, lang), limit)
        after = start + len(rows)
        left: answers.Omitted = (
            {"hits": {"count": found.total - after, "next": f"hits:{after}"}} if found.total > after and rows else {}
        )
        return {"total": found.total, "hits": rows, "missing": list(found.missing), "omitted": left}

    def _opened(self) -> Search:
        from daybreak.site.search import open_search

        with _LOCK:
            if self._search is None:
                self._search = open_search(self._desk.settings)
            return self._search

    def close(self) -> None:
        with _LOCK:
            if self._search is not None:
                self._search.close()
                self._search = None


def _row(hit: Hit, language: str) -> answers.Hit:
    row: answers.Hit = {
        "kind": hit.kind,
        "repo": hit.repo,
        "date": hit.label,
        "url": address(hit.url),
        "page": f"{language}/{hit.url_path}",
        "breaking": hit.breaking,
        "untrusted": quoted(300, title=hit.title, author=hit.author, snippet=hit.snippet),
    }
    if hit.level:
        row["level"] = hit.level
    if hit.kind == "change":
        row["sha"] = hit.id[:12]
    elif hit.id.isdigit():
        row["number"] = int(hit.id)
    elif plain_word(hit.id) is None:
        row["untrusted"] |= quoted(100, id=hit.id)
    return row
