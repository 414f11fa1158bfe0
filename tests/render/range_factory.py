"""Small upgrade reports made by hand: one with everything, one of two commits, one without any."""

from __future__ import annotations

from datetime import timedelta

from msgspec.structs import replace

from daybreak.core.model.changes import Skipped
from daybreak.core.model.findings import Alias, Finding
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Grounding, Kind, Level, Reason, Statement
from daybreak.core.model.upgrade import Hit, Net, Outage, RangeReport, Ref, Span, Use
from daybreak.upgrade.range.range_page import worded
from render.factory import DAY, both, change, entry, file, repo, sha

PATH = "engine/args.py"


def finding(number: int, kind: str, symbol: str, at: int = 1, **more: object) -> Finding:
    base = Finding(f"{sha(number)[:12]}/{at}", kind, PATH, 10 + at, symbol)
    return replace(base, **more)


def graded(
    number: int,
    subject: str,
    level: Level = "low",
    kind: Kind = "fix",
    *findings: Finding,
    reason: Reason | None = None,
) -> Entry:
    """Commit `number`; a lower number is a newer one."""
    made = entry(change(number, subject, files=(file(PATH, 3, 2, ""),), pr=100 + number), level, kind)
    rank = replace(made.importance, reasons=(reason,)) if reason else made.importance
    reading = replace(made.reading, findings=findings, hunks=())
    return replace(made, reading=reading, importance=rank, statements=(), breaking=any(f.breaking for f in findings))


REMOVED = finding(4, "cli_flag_removed", "--swap", breaking=True, alias=Alias("none"))
RENAMED = finding(
    5, "cli_flag_renamed", "--tp", before="--tp", after="--tp-size", breaking=True, alias=Alias("deprecated", PATH)
)
RENAMED_AGAIN = finding(3, "cli_flag_renamed", "--tp-size", before="--tp-size", after="--tensor-size", breaking=True)
GONE = tuple(finding(6, "function_removed", f"engine.old.f{n}", n, breaking=True) for n in range(1, 10))
DEFAULT = finding(7, "field_default_changed", "Config.block", before="16", after="32")
GUARD = finding(7, "guard_added", "Config", 2, after="block % 16")
ADDED = finding(8, "env_added", "ENGINE_FAST")
HINT = finding(8, "annotation_changed", "engine.run", 2, before="int", after="str")
FIX = Reason("fixes_wrong_result", both("修正错误结果：`wrong logits`", "fixes wrong results: `wrong logits`"))
SPEED = Reason("says_measured", both("给出了性能数字：`2x`", "gives a measured gain: `2x`"))


def net(of: Finding, *numbers: int, **more: object) -> Net:
    found = replace(of, **more)
    return worded(Net(found, tuple(map(sha, numbers)), "v1.2.0"))


def nets() -> tuple[Net, ...]:
    twice = net(RENAMED, 5, 3, after="--tensor-size", alias=None, id=RENAMED_AGAIN.id)
    return (
        *(net(f, 6) for f in GONE),
        net(REMOVED, 4),
        twice,
        net(DEFAULT, 7),
        net(GUARD, 7),
        net(ADDED, 8),
        net(HINT, 8),
    )


def entries() -> tuple[Entry, ...]:
    """Newest first."""
    loud = Reason("announced", both("提交说明写明不兼容", "its message says that it is not compatible"))
    return (
        graded(1, "Fix wrong logits with MLA", "high", "fix", reason=FIX),
        graded(2, "Make prefill 2x faster", "medium", "perf", reason=SPEED),
        graded(3, "Rename --tp-size again", "high", "refactor", RENAMED_AGAIN),
        graded(4, "Remove swap space", "high", "refactor", REMOVED),
        graded(5, "Rename --tp", "medium", "refactor", RENAMED),
        graded(6, "Drop the old engine", "medium", "refactor", *GONE),
        graded(7, "Larger blocks", "medium", "feature", DEFAULT, GUARD),
        graded(8, "Add ENGINE_FAST", "low", "feature", ADDED, HINT),
        replace(graded(9, "[BREAKING] New scheduler", "high", "feature", reason=loud), breaking=True),
        replace(
            graded(10, "Update weights", "low", "other"), change=change(10, "Update weights", files=(), skipped="x")
        ),
    )


def left() -> tuple[Entry, ...]:
    return (graded(20, "Pick: fix the build on the release branch", "low", "build"),)


def hits() -> tuple[Hit, ...]:
    """One sure, one in many places, one to look at, one accepted."""
    removed, twice, default = nets()[9], nets()[10], nets()[11]

    def hit(of: Net, path: str, line: int, text: str, **more: object) -> Hit:
        name = of.finding.symbol
        use = Use("cli_flag", name, path, line, text)
        why = both(f"你用的 `{name}` 已改动。", f"`{name}`, which you use, changed.")
        base = Hit("certain", use, "acme/engine", of, why, both("换掉它。", "Replace it."))
        return replace(base, **more)

    return (
        hit(removed, "run.sh", 3, "engine serve --swap 4", pinned="1.1.0", pin_at="requirements.txt:2"),
        *(hit(twice, f"jobs/{n}.yaml", n, "- --tp=2", certainty="likely") for n in range(1, 6)),
        hit(default, "service/app.py", 40, "Config()", certainty="look"),
        hit(default, "tools/old.py", 7, "Config()", certainty="look", acknowledged="the tool goes away"),
    )


def span(gained: int = 10, lost: int = 1) -> Span:
    return Span(
        repo(),
        Ref("v1.1.0", sha(11), DAY - timedelta(days=20)),
        Ref("v1.2.0", sha(1), DAY + timedelta(hours=20)),
        tuple(map(sha, range(gained, 0, -1))),
        tuple(map(sha, range(20, 20 + lost))),
        {sha(n): "v1.2.0" for n in range(1, gained + 1)},
    )


def report(**more: object) -> RangeReport:
    told, later = entries(), DAY + timedelta(hours=21)
    times = {e.change.sha: e.change.committed_at for e in told}
    base = RangeReport(
        span(),
        "0.1.0",
        ("zh", "en"),
        told,
        left(),
        nets(),
        (
            Outage(sha(5), sha(3), times[sha(5)], times[sha(3)]),
            Outage(sha(12), sha(2), DAY - timedelta(days=30), times[sha(2)], holds_start=True),
            Outage(sha(4), sha(33), times[sha(4)], later, holds_end=True),
        ),
        (Statement("what", both("`--swap` 被删除。", "`--swap` is gone."), (f"finding:{REMOVED.id}",)),),
        skipped=(Skipped("acme/engine 0000000aa", "the patch could not be read"),),
        grounding=Grounding(17, 16, 1, {"finding_not_read": 1}),
    )
    return replace(base, **more)


def small() -> RangeReport:
    """Two commits: one breaks, one repairs."""
    told = (entries()[0], entries()[3])
    bounds = replace(span(0, 0), gained=(sha(4), sha(1)))
    return RangeReport(bounds, "0.1.0", ("zh", "en"), told, nets=(nets()[9],), grounding=Grounding(1, 1))


def empty() -> RangeReport:
    bounds = span(0, 0)
    return RangeReport(replace(bounds, start=replace(bounds.end, name="main")), "0.1.0", ("zh", "en"))


def back() -> RangeReport:
    """The end is the older one."""
    bounds = span(0, 2)
    return RangeReport(
        replace(bounds, start=bounds.end, end=bounds.start, lost=(sha(20),)), "0.1.0", ("zh", "en"), (), left()
    )
