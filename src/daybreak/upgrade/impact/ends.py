"""What the repositories hold at both ends, as far as they have their history at hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.core.model.upgrade import Uses
from daybreak.upgrade.impact.files import Files
from daybreak.upgrade.impact.modules import Ends, Tree
from daybreak.upgrade.impact.upstreams import Upstream

_ASIDE = ("**/*.md", "**/*.rst", "**/*.txt", "docs/**", "**/tests/**", "**/test/**", "**/CHANGELOG*")


def ends_of(upstreams: Sequence[Upstream], environment: Mapping[str, str], uses: Uses) -> Ends:
    """What the repositories hold at both ends, as far as they have their history at hand."""
    from daybreak.core.projects import wanted_for

    by_name = {upstream.repo.name: upstream for upstream in upstreams}
    programs = {name: wanted_for([name], {name: one.project}).programs for name, one in by_name.items()}
    if any(upstream.mirror is None for upstream in upstreams if upstream.nets):
        return Ends(programs=programs)
    hints = {use.name for use in uses.uses if "." in use.name}

    def tree(at: Callable[[Upstream], str]) -> Tree:
        files = {name: Files(environment, one.mirror, at(one), hints) for name, one in by_name.items()}
        return lambda repo, path: files[repo].text(path)

    def mentions(repo: str, word: str) -> bool:
        return _mentions(environment, by_name[repo], word)

    return Ends(tree(lambda one: one.end), tree(lambda one: one.start), mentions, programs)


def _mentions(environment: Mapping[str, str], upstream: Upstream, word: str) -> bool:
    """A file that is not there to be read by people or tests has the word at the end; so it is assumed on failure."""
    if upstream.mirror is None:
        return True
    asked = ["grep", "-l", "-w", "-F", "-e", word, upstream.end, "--", *(f":(exclude,glob){x}" for x in _ASIDE)]
    try:
        return bool(Git(environment).run(*asked, at=Path(upstream.mirror)))
    except GitError as error:
        return not error.found_nothing
