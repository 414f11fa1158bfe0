"""Worth knowing: at most thirty changes by area of work, one sentence each, and nothing that stands above."""

from __future__ import annotations

from msgspec.structs import replace

from daybreak.core.model.changes import Exposure
from daybreak.core.model.day import MOST_WORTH, Action, WorkArea
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.quotes import Gist, Quote
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Importance, Level, Reason
from daybreak.core.profiles import generic, profiles
from daybreak.core.words import known
from daybreak.judge.first_screen import asking, candidates
from daybreak.judge.work_areas import area_of
from daybreak.judge.worth_knowing import by_area, lines, sentence_of
from render import factory

VLLM = "vllm-project/vllm"


def entry(number: int, level: Level = "medium", path: str = "engine/core.py", repo: str = "acme/engine") -> Entry:
    change = replace(factory.change(number, f"[Core] Do thing {number}", files=(factory.file(path),)), repo=repo)
    said = factory.both(f"代码注释写道：「It does {number}.」", f"A comment says: “It does {number}.”")
    return replace(factory.entry(change, level), gist=Gist(said, "comment"))


def report(*entries: Entry, name: str = "acme/engine") -> RepoReport:
    return RepoReport(factory.repo(name), "main", None, entries, in_git=len(entries))


def worth_knowing(repos: list[RepoReport], above: tuple[Action, ...]) -> tuple[WorkArea, ...]:
    return by_area(lines(repos, above, asking(candidates(repos))))


def shas(repo: RepoReport, *above: Action) -> list[str]:
    return [sha for area in worth_knowing([repo], above) for one in area.changes for sha in one.commits]


def test_there_are_at_most_thirty_and_the_gravest_of_them() -> None:
    many = [entry(n) for n in range(1, 60)] + [entry(99, "high")]
    found = shas(report(*many))
    assert len(found) == MOST_WORTH
    assert many[-1].change.sha in found


def test_what_is_low_stands_above_or_says_nothing_is_left_out() -> None:
    kept, low, above, mute = entry(1), entry(2, "low"), entry(3), replace(entry(4), gist=None)
    action = Action("acme/engine", (above.change.sha,), {"en": "x"})
    assert shas(report(kept, low, above, mute), action) == [kept.change.sha]


def test_speed_that_nobody_measured_stands_behind_all_else() -> None:
    unshown = Importance("low", 0.1, (Reason("unshown", factory.both("无", "nothing")),))
    perf, other = (replace(entry(n), kind=kind, importance=unshown) for n, kind in ((1, "perf"), (2, "feature")))
    assert shas(report(perf, other, entry(3))) == [entry(3).change.sha, perf.change.sha]


def test_what_users_can_set_from_now_on_stands_here_though_it_asks_for_nothing() -> None:
    made = replace(entry(1), importance=Importance("low", 0.1))
    came = Finding(f"{made.change.short}/1", "env_added", "engine/core.py", 1, "ENGINE_STEPS", after="2")
    offered = replace(made, reading=Reading(made.change.sha, findings=(came,)))
    assert shas(report(offered, replace(entry(2), importance=made.importance))) == [made.change.sha]


def test_of_one_story_one_change_is_told() -> None:
    first, second = (replace(entry(n), story="s") for n in (1, 2))
    assert len(shas(report(first, second))) == 1


def test_a_line_is_the_quoted_title_without_tags_and_the_sentence() -> None:
    (area,) = worth_knowing([report(entry(7))], ())
    assert area.changes[0].text["en"] == "“Do thing 7”: a comment says: “It does 7.”"
    assert area.changes[0].text["zh"] == "「Do thing 7」：代码注释写道：「It does 7.」"


def test_a_repair_says_what_is_known_of_the_release() -> None:
    fix = replace(entry(7), kind="fix", exposure=Exposure("v1.0", True, applies=True))
    (area,) = worth_knowing([report(fix)], ())
    assert area.changes[0].text["en"].endswith("“It does 7.” `v1.0` has this fault; the fix cherry-picks cleanly.")
    (unknown,) = worth_knowing([report(replace(fix, exposure=Exposure("v1.0")))], ())
    assert unknown.changes[0].text["en"].endswith("“It does 7.”")


def test_areas_are_those_of_the_project_in_the_order_of_the_catalogue() -> None:
    paths = [
        "vllm/model_executor/models/llama.py",
        "vllm/v1/core/sched/scheduler.py",
        "vllm/distributed/kv_transfer/a.py",
    ]
    repo = report(*(entry(n, path=path, repo=VLLM) for n, path in enumerate(paths, start=1)), name=VLLM)
    names = [area.area["en"] for area in worth_knowing([repo], ())]
    assert names == ["PD and KV transfer", "Scheduler and cache", "Models"]


def test_a_project_that_nobody_wrote_down_has_its_folders_as_areas() -> None:
    own = replace(entry(1).reading, components=("tokio/src/net",))
    unknown = replace(entry(1, path="tokio/src/net/tcp.rs", repo="some/thing"), reading=own)
    assert area_of(unknown) == "tokio/src/net"
    assert area_of(entry(2, path="src/server/http.rs", repo="some/thing")) == "api"


def test_a_sentence_names_no_file_at_its_end() -> None:
    said = Gist({"en": "Default of `--x`: `1` → `2` (`a/b.py`).", "zh": "`--x`：`1` → `2`（`a/b.py`）。"}, "finding")
    told = sentence_of(replace(entry(1), gist=said))
    assert told is not None
    assert told.text == {"en": "Default of `--x`: `1` → `2`.", "zh": "`--x`：`1` → `2`。"}


def test_every_area_of_a_profile_has_a_name() -> None:
    areas = {area for one in (*profiles(), generic()) for area in one.areas}
    assert [area for area in sorted(areas) if not known("judge.area", area)] == []


def test_a_quote_that_is_too_long_does_not_lose_what_follows_from_it() -> None:
    lead = "Requests of the group are sorted by the age of the oldest one among them and by the number of their pages in the pool"
    text = f"{lead}, since a request that is freed while it is being sent would corrupt the pages of another one."
    said = factory.both(f"代码注释写道：「{text}」", f"A comment says: “{text}”")
    quote = Quote("comment", "engine/core.py", 3, "added", text)
    one = replace(entry(1), gist=Gist(said, "comment", (quote,)))
    ((area,),) = (worth_knowing([report(one)], ()),)
    assert (
        area.changes[0]
        .text["en"]
        .endswith("“… since a request that is freed while it is being sent would corrupt the pages of another one.”")
    )
