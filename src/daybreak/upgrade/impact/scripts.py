"""Scripts of an upstream repository that are started by their path: `python3 train.py --size 8` in a checkout or an image of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.findings.kinds import kind_of
from daybreak.upgrade.impact.ends import Upstream

_MOST = 2_000
"""Scripts of one repository that are looked at."""
_NONE_FOUND = 1
"""How `git grep` ends where no file has what was asked for."""
_ASIDE = frozenset({"tests", "test", "docs"})
Gone = Mapping[str, Mapping[str, str]]
"""Repository -> scripts of the start that the end lacks -> where the end has each; empty where it has none."""


def scripts_of(environment: Mapping[str, str], upstreams: Iterable[Upstream], gone: Gone) -> dict[str, str]:
    """File name -> the command that it is of upstream, where one script alone is called so."""
    found = dict.fromkeys(path for upstream in upstreams for path in _with_options(environment, upstream))
    found |= dict.fromkeys(now or path for paths in gone.values() for path, now in paths.items())
    names = Counter(path.rpartition("/")[2] for path in found)
    return {name: f"python {path}" for path in found if names[name := path.rpartition("/")[2]] == 1}


def gone_scripts(environment: Mapping[str, str], upstream: Upstream) -> dict[str, str]:
    """Scripts of the start that the end lacks."""
    if upstream.mirror is None or not upstream.start or not upstream.end:
        return {}
    # What moved is known by its file name: to follow contents a mirror might have to fetch them.
    asked = (
        "diff",
        "--name-status",
        "-z",
        "--no-renames",
        "--diff-filter=AD",
        upstream.start,
        upstream.end,
        "--",
        "*.py",
    )
    try:
        told = Git(environment).run(*asked, at=Path(upstream.mirror)).decode("utf-8", "replace").split("\0")
        lost, came = (
            [path for sign, path in zip(told[::2], told[1::2], strict=False) if sign == which] for which in "DA"
        )
        lost = [path for path in lost if not set(path.split("/")) & _ASIDE]
        scripts = _run(environment, upstream.start, upstream, lost) if 0 < len(lost) <= _MOST else []
        there = set(_run(environment, upstream.end, upstream)) & set(came) if scripts else set()
    except GitError:  # without both trees nothing is told of them
        return {}
    named = {path: [one for one in there if one.rpartition("/")[2] == path.rpartition("/")[2]] for path in scripts}
    return {path: (one[0] if one else "") for path, one in named.items() if len(one) < 2}


def _with_options(environment: Mapping[str, str], upstream: Upstream) -> list[str]:
    """Scripts of the end, where the range tells of options that one of them may have."""
    if not any(kind_of(net.finding.kind).family == "cli_flag" for net in upstream.nets):
        return []
    try:
        return _run(environment, upstream.end, upstream)
    except GitError:  # what starts a script is then no use of upstream's
        return []


def _run(environment: Mapping[str, str], commit: str, upstream: Upstream, paths: Sequence[str] = ()) -> list[str]:
    """Python files of a commit that do something when they are run."""
    if upstream.mirror is None or not commit:
        return []
    places = [f":(literal){path}" for path in paths] or ["*.py"]
    asked = ("grep", "-l", "-z", "--full-name", "-E", "-e", r"^if __name__ == .__main__.:", commit, "--", *places)
    try:
        told = Git(environment).run(*asked, at=Path(upstream.mirror)).decode("utf-8", "replace")
    except GitError as error:
        if error.code == _NONE_FOUND:
            return []
        raise
    found = (place.partition(":")[2] for place in told.split("\0") if place)
    return [path for path in found if not set(path.split("/")) & _ASIDE]
