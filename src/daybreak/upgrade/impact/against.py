"""An answer beside that for another commit of your own repository: what both have is not what your change brings."""

from __future__ import annotations

import io
import re
import tarfile
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from daybreak.core.errors import GitError, UsageError
from daybreak.core.git_program import Git
from daybreak.upgrade.impact.answer import Yours, impact, prefix_of
from daybreak.upgrade.impact.ends import Upstream
from daybreak.upgrade.impact.form_text import ImpactReport, Told

_NAME = re.compile(r"(?!-)[\w./@{}^~-]{1,200}")
_LARGEST = 5_000_000
"""Bytes of a file that is written out to be read; a larger one is not read in your folder either."""


def beside(
    report: ImpactReport,
    yours: Yours,
    upstreams: Sequence[Upstream],
    environment: Mapping[str, str],
    commit: str,
    window: bool = False,
) -> ImpactReport:
    """The report without the hits that the code of a commit has as well."""
    with tempfile.TemporaryDirectory(prefix="daybreak-") as folder:
        _write_out(environment, yours.root, commit, Path(folder))
        before = impact(replace(yours, root=Path(folder), every=True), upstreams, environment, window=window)
    had = Counter(_key(one, "") for one in before.told)
    prefix = prefix_of(yours)
    kept = []
    for one in report.told:
        key = _key(one, prefix)
        had[key] -= 1
        if had[key] < 0:
            kept.append(one)
    return replace(report, told=tuple(kept), against=commit, known=len(report.told) - len(kept))


def _key(one: Told, prefix: str) -> tuple[str, ...]:
    """The same hit in another state of the code: lines above it may have come and gone."""
    use = one.hit.use
    return one.id, use.path.removeprefix(prefix), use.kind, use.name, use.text


def _write_out(environment: Mapping[str, str], root: Path, commit: str, folder: Path) -> None:
    """The files of a commit below a root; what is no plain file is left out."""
    if not _NAME.fullmatch(commit):
        raise UsageError(f"{commit!r} is not a commit.", "Give a sha, a branch or a tag of your own repository.")
    try:
        packed = Git(environment).run("archive", "--format=tar", commit, at=root if root.is_dir() else root.parent)
    except GitError as error:
        raise UsageError(
            f"{root} cannot be compared with {commit}: {error.message}",
            "Is it a git repository, and is that commit in it? In CI: check out with fetch-depth: 0.",
        ) from error
    with tarfile.open(fileobj=io.BytesIO(packed)) as files:
        for one in files:
            if one.isfile() and one.size <= _LARGEST:
                files.extract(one, folder, filter="data")
