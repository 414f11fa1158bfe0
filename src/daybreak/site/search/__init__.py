"""Search over everything that reported days tell: changes with findings and statements, issues, pulls and releases.

    with open_search(settings) as search:               # cheap; the index is brought up to date by the first question
        found = search.find("kv cache repo:vllm breaking:yes", limit=20, offset=0, language="zh")
        found.total, [(hit.kind, hit.repo, hit.id, hit.title) for hit in found.hits]

`find` may be called by several threads and may be kept open as long as a server runs: days that were reported since
are seen. A mistake in the query raises `UsageError` (one sentence, one tip); `docs/search.md` has the language of
queries. There is one tokenizer (`tokens.py`), one parser (`query.py`) and one order of results, in SQLite, in
PostgreSQL and in the site's script.
"""

from daybreak.site.search.opening import Found, Hit, Search, open_search

__all__ = ["Found", "Hit", "Search", "open_search"]
