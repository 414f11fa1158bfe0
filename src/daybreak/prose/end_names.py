"""Names that a reader is told to set or to use must be there at the end of the window, or be told as gone by the change itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from daybreak.core.errors import GitError
from daybreak.core.model.drafts import Case, Draft
from daybreak.core.text import named, outside
from daybreak.findings.trees import Where
from daybreak.prose.frame import GONE
from daybreak.prose.plain_sentence import blank
from daybreak.prose.surroundings import Surroundings

NOT_AT_END = "not_at_end"
"""Reason of advice that names what is not there."""
_FLAG = re.compile(r"(?<![\w-])--([a-z][a-z0-9]*(?:[-_][a-z0-9]+)*)")
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+\b")
_SYMBOL = re.compile(r"[A-Za-z_]\w{3,}(?:\.[A-Za-z_]\w*)*(?:\(\))?")
_ELSEWHERE = Where(without=("docs", "tests", "test"))


class EndNames:
    """What the trees at the end of a window have, each name looked for once."""

    def __init__(self, around: Callable[[str], Surroundings | None], heads: Mapping[str, str | None]) -> None:
        self._around, self._heads = around, heads
        self._known: dict[tuple[str, str], bool] = {}

    def missing(self, draft: Draft, case: Case) -> str:
        """The first name of advice that is not there; none where it is no advice, or the tree cannot be searched."""
        if draft.role != "action":
            return ""
        names = dict.fromkeys(name for text in draft.text.values() for name in _asked_for(blank(text)))
        lacking = [name for name in names if not self._is_there(case.repo, name)]
        # Told as gone, or beside what takes its place.
        gone = len(lacking) < len(names) or any(GONE.search(outside(text)) for text in draft.text.values())
        return next((name for name in lacking if not (gone and _went(name, case))), "")

    def _is_there(self, repo: str, name: str) -> bool:
        if (repo, name) not in self._known:
            self._known[repo, name] = self._found(repo, name)
        return self._known[repo, name]

    def _found(self, repo: str, name: str) -> bool:
        head, around = self._heads.get(repo), self._around(repo)
        if not head or around is None or not around.searched:
            return True
        flag = _FLAG.fullmatch(name)
        # Programs make flags of a field: `max_len` is `--max-len`, `trace` also `--no-trace`.
        bare = flag[1].removeprefix("no-") if flag else name
        forms = [name, bare, bare.replace("-", "_")] if flag else [name]
        try:
            rows = around.trees.lines([head], dict.fromkeys(forms), _ELSEWHERE)
        except GitError:
            return True
        return rows is None or any(_whole(form, line) for _, _, line in rows for form in forms)


def _went(name: str, case: Case) -> bool:
    """The change takes it away."""
    texts = (case.context, *(piece.text for piece in case.pieces if piece.ref.startswith("D")))
    return any(line.startswith("-") and _whole(name, line) for text in texts for line in text.split("\n"))


def _whole(name: str, line: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", line) is not None


def _asked_for(text: str) -> Iterator[str]:
    """Flags, variables and the last parts of symbols that stand in backticks; values and expressions are none."""
    for name in named(text):
        if found := [*_FLAG.finditer(name)] or [*_VARIABLE.finditer(name)]:
            yield from (one[0] for one in found)
        elif _SYMBOL.fullmatch(name.strip()) and re.search(r"_|[a-z][A-Z]", name):
            yield name.strip().removesuffix("()").rpartition(".")[2]
