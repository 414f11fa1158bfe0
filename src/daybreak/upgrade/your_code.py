"""What of a day touches the reader's own code: the day's findings netted, joined with what the code uses.

The code is only read, never run. What cannot be read of it is named in the report, and costs nobody the day.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from msgspec.structs import replace

from daybreak.core.errors import DaybreakError
from daybreak.core.model.changes import Skipped, Window
from daybreak.core.model.day import Touch, Touches
from daybreak.core.model.report import RepoReport
from daybreak.core.model.upgrade import Hit, Net
from daybreak.store.acks import Ack, accepted
from daybreak.upgrade.impact.join import RANK, fingerprint, join
from daybreak.upgrade.range.net import net


def touches_of(
    repos: Sequence[RepoReport], window: Window, paths: Sequence[tuple[str, Path]], acks: Sequence[Ack] = ()
) -> Touches:
    """Every path's hits together, surest first; `paths` are names as the config has them, with their places."""
    nets = {repo.repo.name: _nets(repo) for repo in repos}
    found: list[Touch] = []
    skipped: list[Skipped] = []
    files = dropped = 0
    for name, root in paths:
        try:
            count, hits, unread = _of_path(root, nets)
        except (DaybreakError, OSError) as error:
            words = error.message if isinstance(error, DaybreakError) else f"it cannot be read ({error.strerror})"
            skipped.append(Skipped(name, words.rstrip("."), "Correct `paths` in [impact], or let this user read them."))
            continue
        files += count
        skipped += [replace(item, what=_below(name, item.what)) for item in unread]
        rows = [
            (fingerprint(hit.repo, hit.net.finding), hit, (_below(name, hit.use.path), hit.use.path)) for hit in hits
        ]
        over = accepted(acks, rows, date.fromisoformat(window.label))
        dropped += sum(reason is not None for reason in over.reasons)
        kept = [hit for (_, hit, _), reason in zip(rows, over.reasons, strict=True) if reason is None]
        found += [_touch(name, hit) for hit in kept]
    found.sort(key=lambda one: (RANK[one.certainty], one.path, one.line, one.repo, one.findings))
    return Touches(tuple(name for name, _ in paths), files, tuple(found), dropped, tuple(skipped))


def _nets(repo: RepoReport) -> tuple[Net, ...]:
    """What the day comes to; a change that `paths` or `exclude` filtered is not the reader's."""
    told = [entry for entry in reversed(repo.entries) if not entry.change.filtered]
    released = {entry.change.sha: entry.released for entry in told}
    steps = ((entry.change.sha, finding) for entry in told for finding in entry.reading.findings)
    return tuple(replace(one, since=released.get(one.commits[-1])) for one in net(steps))


def _of_path(root: Path, nets: dict[str, tuple[Net, ...]]) -> tuple[int, tuple[Hit, ...], tuple[Skipped, ...]]:
    from daybreak.core.projects import wanted_for
    from daybreak.upgrade.downstream.walk import read_uses

    wanted = wanted_for(nets)
    uses = read_uses(root, wanted)
    return uses.files, join(uses, nets, wanted.released, window=True), uses.skipped


def _touch(name: str, hit: Hit) -> Touch:
    return Touch(
        certainty=hit.certainty,
        path=_below(name, hit.use.path),
        line=hit.use.line,
        repo=hit.repo,
        commits=hit.net.commits,
        why=hit.why,
        action=hit.action,
        findings=(hit.net.finding.id,),
        pinned=hit.pinned,
        pin_at=_below(name, hit.pin_at) if hit.pin_at else None,
        id=fingerprint(hit.repo, hit.net.finding),
    )


def _below(name: str, path: str) -> str:
    bare = name.rstrip("/")
    if path == ".":
        return name
    return path if bare in ("", ".") else f"{bare}/{path}"
