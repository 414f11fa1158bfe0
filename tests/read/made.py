"""Small builders: a patch as text becomes a change, a change becomes its findings."""

from __future__ import annotations

from datetime import UTC, datetime

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.profiles import profile_of
from daybreak.findings.blobs import SurfaceCache
from daybreak.findings.compare import Surfaces
from daybreak.findings.reading import _parse, read_change

SHA = "a" * 40


def patch_of(before: str, after: str, context: str = "") -> str:
    """A patch whose lines are all of `before` gone and all of `after` come, except those in both at the ends."""
    old, new = before.splitlines(), after.splitlines()
    lead: list[str] = []
    while old and new and old[0] == new[0]:
        lead.append(old.pop(0))
        new.pop(0)
    tail: list[str] = []
    while old and new and old[-1] == new[-1]:
        tail.insert(0, old.pop())
        new.pop()
    kept = len(lead) + len(tail)
    header = f"@@ -10,{kept + len(old)} +10,{kept + len(new)} @@ {context}".rstrip()
    body = [f" {x}" for x in lead] + [f"-{x}" for x in old] + [f"+{x}" for x in new] + [f" {x}" for x in tail]
    return "\n".join([header, *body])


def change_of(patches: dict[str, str], subject: str = "Change", body: str = "", **fields: object) -> Change:
    """A change from path → patch."""
    parts = tuple(
        FileChange(
            path=path,
            status="M",
            added=sum(line.startswith("+") for line in patch.split("\n")),
            deleted=sum(line.startswith("-") for line in patch.split("\n")),
            patch=patch,
        )
        for path, patch in patches.items()
    )
    moment = datetime(2026, 1, 19, 10, tzinfo=UTC)
    values: dict[str, object] = {
        "repo": "acme/engine",
        "sha": SHA,
        "parents": ("b" * 40,),
        "author": "Ada",
        "authored_at": moment,
        "committed_at": moment,
        "subject": subject,
        "body": body,
        "files": parts,
        "files_total": len(parts),
        "added": sum(f.added for f in parts),
        "deleted": sum(f.deleted for f in parts),
    }
    return Change(**(values | fields))  # type: ignore[arg-type]


def read_one(change: Change) -> Reading:
    """One change from its hunks alone, as for those who have no mirror."""
    profile = profile_of(change.repo)
    return read_change(change, [_parse(f, profile) for f in change.files], Surfaces(SurfaceCache()))


def read(path: str, before: str, after: str, context: str = "", more: dict[str, str] | None = None) -> list[Finding]:
    """Findings of one file, given before and after, and of whatever patches stand beside it."""
    files = {path: patch_of(before, after, context), **(more or {})}
    return list(read_one(change_of(files)).findings)


def told(found: list[Finding]) -> list[tuple[str, str, str | None, str | None, bool]]:
    """What a table of expectations compares."""
    return [(f.kind, f.symbol, f.before, f.after, f.breaking) for f in found]
