"""What modules still offer at the end of a range: asked before a name that you import is called gone.

A finding tells what a change did to one file; whether the package you import from hands the name on all the same
stands in that package's own file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from daybreak.analyse.impact_base import Item
from daybreak.analyse.impact_names import meets, path_parts, rest_of

Tree = Callable[[str, str], str | None]
"""Repository and path → text of the file at the end; None when there is none."""
_LARGEST = 2_000_000
_STAR = re.compile(r"(?m)^[ \t]*from[ \t]+\S+[ \t]+import[ \t]+\*")
_HOOK = re.compile(r"(?m)^def __getattr__\(")
_CHOOSY = re.compile(r"\bif \w{1,40} (?:not )?(?:in|==) ")
"""A hook that answers for some names only: they stand quoted in the file."""


class Modules:
    """Files of the end, each read once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._texts: dict[tuple[str, str], str | None] = {}

    def offers(self, repo: str, path: str, name: str) -> bool:
        """Whether a file defines, imports or lists a name."""
        text = self._text(repo, path)
        return text is not None and offers(text, name)

    def still_offer(self, item: Item, name: str) -> bool:
        """Whether what you import can still be imported from where you import it."""
        parts, symbol = name.split("."), item.where.symbol
        root = self._root(item, parts[0])
        if root is None or len(symbol) > 1:
            return False  # of the members of a class a file says nothing that can be trusted
        met = meets(parts, item.where)
        if met is None:
            text = self._module(item.repo, root, parts[:-1])
            return text is not None and offers(text, parts[-1])
        rest = rest_of(parts, item.where)
        if not symbol:
            text = self._module(item.repo, root, parts[: len(parts) - rest])
            return text is not None and (rest == 0 or offers(text, parts[-rest]))
        text = self._module(item.repo, root, parts[: len(parts) - rest - 1])
        if text is None:
            return False
        if met != "handed" and item.net.finding.kind.endswith(("_removed", "_renamed")):
            return defines(text, symbol[0])  # the finding is about this very file: only a new definition says more
        return offers(text, symbol[0])

    def lack(self, item: Item, name: str) -> bool:
        """Whether the module that you import from surely offers the name no longer, whatever a change left as alias."""
        parts = name.split(".")
        root = self._root(item, parts[0])
        if root is None or len(item.where.symbol) > 1 or meets(parts, item.where) is None:
            return False
        rest = rest_of(parts, item.where)
        end = len(parts) - rest if not item.where.symbol else len(parts) - rest - 1
        wanted = parts[end] if end < len(parts) else ""
        text = self._module(item.repo, root, parts[:end])
        if text is None or not wanted:
            return False
        unknown = _STAR.search(text) or (_HOOK.search(text) and not _CHOOSY.search(text))
        return not unknown and not offers(text, wanted)

    def _module(self, repo: str, root: str, parts: Sequence[str]) -> str | None:
        place = root + "/".join(parts)
        text = self._text(repo, f"{place}.py")
        return self._text(repo, f"{place}/__init__.py") if text is None else text

    def _root(self, item: Item, top: str) -> str | None:
        """The folder that holds the top-level package, as the finding's own path shows it."""
        parts = path_parts(item.net.finding.path)
        if top not in parts:
            return None
        return "".join(f"{part}/" for part in parts[: parts.index(top)])

    def _text(self, repo: str, path: str) -> str | None:
        key = (repo, path)
        if key not in self._texts:
            text = self._tree(repo, path)
            self._texts[key] = None if text is None else text[:_LARGEST]
        return self._texts[key]


def defines(text: str, name: str) -> bool:
    """A function or class of that name at the top of a module."""
    return re.search(rf"(?m)^(?:async[ \t]+def|def|class)[ \t]+{re.escape(name)}\b", text) is not None


def offers(text: str, name: str) -> bool:
    """A definition, an assignment, an import, or an entry of a list or table of names."""
    if name not in text:
        return False
    word = re.escape(name)
    return (
        re.search(
            rf"(?m)^(?:[ \t]*(?:async[ \t]+def|def|class)[ \t]+{word}\b|{word}[ \t]*[:=]"
            rf"|[ \t]*(?:from|import)\b[^\n#]*[ \t,(]{word}(?:[ \t]*(?:,|\)|#|$)|[ \t]+as[ \t]+{word}\b)"
            rf"|[^\n#]*\bas[ \t]+{word}[ \t]*(?:,|\)|#|$)|[ \t]+{word}[ \t]*,?[ \t]*(?:#[^\n]*)?$)|[\"']{word}[\"']",
            text,
        )
        is not None
    )
