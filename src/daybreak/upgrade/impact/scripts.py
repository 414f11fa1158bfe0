"""Scripts of an upstream repository that are started by their path: `python3 train.py --size 8` in a checkout or an image of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.findings.kinds import kind_of
from daybreak.upgrade.impact.ends import Upstream

_MOST = 2_000
"""Scripts of one repository that are looked at."""


def scripts_of(environment: Mapping[str, str], upstreams: Iterable[Upstream]) -> dict[str, str]:
    """File name -> the command that it is of upstream, where one script alone is called so."""
    found = [path for upstream in upstreams if _tells_options(upstream) for path in _run(environment, upstream)]
    names = Counter(path.rpartition("/")[2] for path in found)
    return {name: f"python {path}" for path in found if names[name := path.rpartition("/")[2]] == 1}


def _tells_options(upstream: Upstream) -> bool:
    return any(kind_of(net.finding.kind).family == "cli_flag" for net in upstream.nets)


def _run(environment: Mapping[str, str], upstream: Upstream) -> list[str]:
    """Python files of the end that do something when they are run."""
    if upstream.mirror is None or not upstream.end:
        return []
    asked = ("grep", "-l", "-z", "--full-name", "-E", "-e", r"^if __name__ == .__main__.:", upstream.end, "--", "*.py")
    try:
        told = Git(environment).run(*asked, at=Path(upstream.mirror)).decode("utf-8", "replace")
    except GitError:  # nothing is found, or nothing can be asked
        return []
    paths = (place.partition(":")[2] for place in told.split("\0") if place)
    return [path for path in paths if not set(path.split("/")) & {"tests", "test", "docs"}][:_MOST]
