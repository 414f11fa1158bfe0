"""Who is told what: repositories, grades, events, quiet days, one message a day, and your own code."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from both_languages import both
from daybreak.core.config.sections import TargetConfig
from daybreak.core.model.day import Action, PullRef, RepoDay, Skipped
from daybreak.deliver.notify.delivery import Notifier
from daybreak.store import Store
from notify import days
from notify.scene import Clock, keep
from notify.services import Fault

Tell = Callable[..., Notifier]
Serve = Callable[[str], Any]
ACTION = Action("acme/engine", (f"{1:040x}",), both("先看一眼。", "Look at it first."))


def sent(service: Any) -> list[str]:
    return [one["title"] for one in service.taken]


# --- what is worth a message -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("day", "quiet", "count"),
    [
        (days.day(days.commit(1, "low"), days.commit(2, "medium")), True, 0),
        (days.day(), True, 0),
        (days.day(), False, 1),
        (days.day(days.commit(1, "high")), True, 0),
        (days.day(days.commit(1, "high"), also=(ACTION,)), True, 1),
        (days.day(days.commit(1, "low"), actions=(ACTION,)), True, 1),
        (days.day(skipped=(Skipped("acme/engine", "it does not answer"),)), True, 1),
        (days.day(days.commit(1, "low", breaking=True)), True, 1),
    ],
)
def test_a_day_with_nothing_to_tell_is_quiet(
    day: Any, quiet: bool, count: int, serve: Serve, tell: Tell, store: Store
) -> None:
    service = serve("json")
    receipts = tell(TargetConfig(url=service.url, quiet=quiet)).report(keep(store, day))
    assert (len(receipts), len(service.taken)) == (count, count)


def test_a_quiet_day_that_gets_something_to_tell_by_a_later_run_is_told(serve: Serve, tell: Tell, store: Store) -> None:
    service = serve("json")
    target = TargetConfig(url=service.url)
    assert tell(target).report(keep(store, days.day(days.commit(1, "low")))) == ()
    tell(target).report(keep(store, days.day(days.breaking())))
    assert len(service.taken) == 1


def test_breaking_and_report_for_the_same_target_are_one_message(serve: Serve, tell: Tell, store: Store) -> None:
    service = serve("json")
    (receipt,) = tell(TargetConfig(url=service.url, on=("report", "breaking"))).report(
        keep(store, days.day(days.breaking()))
    )
    assert receipt.event == "report"
    assert len(service.taken) == 1


def test_who_wants_only_breaking_changes_hears_of_nothing_else(serve: Serve, tell: Tell, store: Store) -> None:
    service = serve("json")
    target = TargetConfig(url=service.url, on=("breaking",))
    assert tell(target).report(keep(store, days.day(days.commit(1), actions=(ACTION,)))) == ()
    (receipt,) = tell(target).report(keep(store, days.day(days.breaking(), days.commit(7), label="2026-03-05")))
    assert receipt.event == "breaking"
    assert sent(service) == ["Daybreak 2026-03-05：破坏性变更 1 个 · engine · Change number 2"]
    assert "Change number 7" not in service.taken[0]["message"]


def test_who_wants_only_failures_gets_no_report_and_the_other_way_round(serve: Serve, tell: Tell, store: Store) -> None:
    first, second = serve("json"), serve("form")
    targets = (TargetConfig(url=first.url, on=("failure",)), TargetConfig(url=second.url, on=("report",)))
    tell(*targets).report(keep(store, days.day(days.breaking())))
    tell(*targets).failure("2026-03-05", "The disk is full.")
    assert sent(first) == ["Daybreak 2026-03-05：运行失败"]
    assert sent(second) == ["Daybreak 日报 2026-03-06"]


def test_only_the_repositories_and_grades_that_a_target_wants(serve: Serve, tell: Tell, store: Store) -> None:
    service, other = serve("json"), serve("form")
    engine = RepoDay("acme/engine", "https://example.org/e", commits=(days.commit(1, "medium"), days.commit(2, "high")))
    quiet = RepoDay("other/thing", "https://example.org/o", commits=(days.breaking(3, "--gone"),))
    actions = tuple(Action("acme/engine", (f"{n:040x}",), both(f"看第 {n} 个。", f"See {n}.")) for n in (1, 2))
    day = keep(store, days.day(repos=(engine, quiet), actions=actions, skipped=(Skipped("other/thing", "no answer"),)))
    targets = (
        TargetConfig(url=service.url, repos=("ACME/*",), levels=("medium",)),
        TargetConfig(url=other.url, repos=("nobody/*",)),
    )
    tell(*targets).report(day)
    text = service.taken[0]["message"]
    assert "看第 1 个。" in text
    for hidden in ("看第 2 个。", "--gone", "other/thing"):
        assert hidden not in text
    assert other.taken == []


def test_only_the_areas_and_tags_that_a_target_wants(serve: Serve, tell: Tell, store: Store) -> None:
    areas, tags = serve("json"), serve("json")
    commits = (
        days.commit(1, components=("vllm/v1/attention",)),
        days.commit(2, components=("docs",)),
        days.breaking(3),
    )
    wanted = (("security", 1), ("crash", 2))
    actions = tuple(
        Action("acme/engine", (f"{n:040x}",), both(f"看第 {n} 个。", f"See {n}."), tag=tag) for tag, n in wanted
    )
    day = keep(store, days.day(*commits, actions=actions))
    tell(TargetConfig(url=areas.url, areas=("*Attention*",)), TargetConfig(url=tags.url, tags=("crash",))).report(day)
    texts = [one.taken[0]["message"] for one in (areas, tags)]
    assert [("看第 1 个。" in text, "看第 2 个。" in text) for text in texts] == [(True, False), (False, True)]
    assert not any("--old-flag" in text for text in texts)


def test_a_message_has_the_headline_and_the_first_screen_in_its_order_with_tags_and_a_link_each(
    serve: Serve, tell: Tell, store: Store
) -> None:
    service = serve("json")
    commits = (
        days.commit(1, pr=PullRef(12, "https://example.org/p/12")),
        days.breaking(2),
        days.commit(3),
        days.breaking(4),
    )
    rows = [("security", "一。"), ("breaks", "二。"), ("", "三。")]
    entries = tuple(
        Action("acme/engine", (f"{n:040x}",), both(zh, "x."), tag=tag) for n, (tag, zh) in enumerate(rows, 1)
    )
    day = days.day(*commits, actions=entries[:2], also=entries[2:], more_actions=4, headline=both("安全 · `一`", "x"))
    tell(TargetConfig(url=service.url), link="https://example.org/news").report(keep(store, day))
    (one,) = service.taken
    page = "https://example.org/news/zh/changes/acme-engine"
    assert one["title"] == "Daybreak 2026-03-06 · 安全 · 一"
    assert "需要行动 6" in one["message"]
    act, breaking, also, rest = one["message"].split("\n\n")[1:5]
    assert act.split("\n") == [
        "需要行动",
        f"• 安全 · acme/engine：一。 #12 {page}/{commits[0].short}.html",
        f"• 不兼容 · acme/engine：二。 {commits[1].short} {page}/{commits[1].short}.html",
    ]
    assert rest == "另有 4 项"
    assert breaking.startswith("其余标为破坏性的变更\n• acme/engine Change number 4")
    assert also == f"另有\n• acme/engine：三。 {commits[2].short} {page}/{commits[2].short}.html"


def test_where_room_is_short_what_is_only_worth_knowing_goes_first(serve: Serve, tell: Tell, store: Store) -> None:
    service = serve("wecom")
    long = "字" * 90
    entries = tuple(Action("acme/engine", (f"{n:040x}",), both(f"第 {n} 个{long}。", "x.")) for n in range(1, 17))
    day = days.day(*map(days.commit, range(1, 17)), actions=entries[:8], also=entries[8:])
    tell(TargetConfig(url=service.url)).report(keep(store, day))
    text = service.taken[0]["markdown"]["content"]
    assert all(f"第 {n} 个" in text for n in range(1, 9))
    assert "第 13 个" not in text


def test_each_target_has_its_languages_and_links(serve: Serve, tell: Tell, store: Store) -> None:
    first, second = serve("json"), serve("form")
    targets = (TargetConfig(url=first.url, languages=("en",)), TargetConfig(url=second.url, languages=("en", "zh")))
    tell(*targets, link="https://example.org/news/").report(keep(store, days.day(days.breaking())))
    english, both = first.taken[0]["message"], second.taken[0]["message"]
    assert "https://example.org/news/en/days/2026-03-06.html" in english
    assert f"https://example.org/news/en/changes/acme-engine/{2:012x}"[:50] in english
    assert "破坏性" not in english
    assert "Breaking · 破坏性变更" in both
    assert [line.split("/")[4] for line in both.split("\n") if "/days/" in line] == ["en", "zh"]


def test_a_message_has_eight_entries_whatever_there_is_to_tell(serve: Serve, tell: Tell, store: Store) -> None:
    service, touched = serve("json"), serve("json")
    entries = tuple(Action("acme/engine", (f"{n:040x}",), both(f"第 {n} 个。", "x.")) for n in range(1, 13))
    skipped = (Skipped("acme/engine", "no answer"), Skipped("acme/engine docs", "no answer"))
    commits = (*map(days.commit, range(1, 13)), *map(days.breaking, range(13, 20)))
    day = days.day(*commits, actions=entries[:8], also=entries[8:], skipped=skipped)
    tell(TargetConfig(url=service.url, languages=("zh", "en"))).report(keep(store, day))
    text = service.taken[0]["message"]
    assert text.count("• ") == 8
    assert [n for n in range(1, 13) if f"第 {n} 个。" in text] == [1, 2, 3, 4, 5, 6, 7]
    assert "另有 13 项 · and 13 more" in text  # 1 + 7 + 4 + 1
    places = tuple(days.touch(f"DB-{n}", f"deploy/{n}.sh") for n in range(10))
    tell(TargetConfig(url=touched.url)).report(keep(store, days.day(*commits, actions=entries[:8], touches=places)))
    text = touched.taken[0]["message"]
    assert (text.count("• "), text.count("deploy/"), text.count("个。")) == (8, 5, 3)


def test_in_plain_text_nothing_follows_an_address(serve: Serve, tell: Tell, store: Store) -> None:
    service = serve("json")
    target = TargetConfig(url=service.url, languages=("zh",))
    tell(target, link="https://example.org/news/").report(keep(store, days.day(days.breaking())))
    found = re.findall(r"https://\S+", service.taken[0]["message"])
    assert len(found) >= 2
    assert all(address.endswith(".html") for address in found), found


def test_without_pages_a_change_links_to_its_commit(serve: Serve, tell: Tell, store: Store) -> None:
    service = serve("json")
    tell(TargetConfig(url=service.url)).report(keep(store, days.day(days.breaking())))
    assert f"https://example.org/acme/engine/commit/{2:040x}" in service.taken[0]["message"]
    assert "days/2026" not in service.taken[0]["message"]


# --- one message a day, unless your own code is touched ------------------------------------------------------------------


def test_a_second_message_of_a_day_is_only_about_places_of_your_code_that_are_new(
    serve: Serve, tell: Tell, store: Store
) -> None:
    service = serve("json")
    target = TargetConfig(url=service.url)
    one, two = days.touch("DB-1"), days.touch("DB-2", "deploy/other.sh")
    tell(target).report(keep(store, days.day(days.breaking(), touches=(one,))))
    tell(target).report(keep(store, days.day(days.breaking(), touches=(one,))))
    assert len(service.taken) == 1
    receipts = tell(target).report(keep(store, days.day(days.breaking(), touches=(one, two))))
    assert [(r.event, r.state) for r in receipts] == [("report", "sent"), ("touched", "sent")]
    assert sent(service)[1] == "Daybreak 2026-03-06：影响你的代码 1 处"
    assert "deploy/other.sh:7" in service.taken[1]["message"]
    assert "deploy/run.sh" not in service.taken[1]["message"]
    tell(target).report(keep(store, days.day(days.breaking(), touches=(two,))))
    tell(target).report(keep(store, days.day(days.breaking(), touches=())))
    assert len(service.taken) == 2


def test_who_wants_breaking_only_hears_of_touched_code_that_came_later(serve: Serve, tell: Tell, store: Store) -> None:
    service = serve("json")
    target = TargetConfig(url=service.url, on=("breaking",))
    tell(target).report(keep(store, days.day(days.commit(1), touches=(days.touch(),))))
    assert sent(service) == ["Daybreak 2026-03-06：影响你的代码 1 处"]


def test_touched_code_comes_first_and_is_never_filtered_by_grade(serve: Serve, tell: Tell, store: Store) -> None:
    service = serve("json")
    day = keep(store, days.day(days.breaking(), touches=(days.touch(),)))
    tell(TargetConfig(url=service.url, levels=("low",))).report(day)
    assert "影响你的代码\n• deploy/run.sh:7：用到 --old-flag。 改用 --new-flag。" in service.taken[0]["message"]


# --- old days, failures, many days --------------------------------------------------------------------------------------


def test_a_run_does_not_send_days_of_long_ago_but_somebody_who_asks_gets_them(
    serve: Serve, tell: Tell, store: Store
) -> None:
    service = serve("json")
    target, at = TargetConfig(url=service.url), {"DAYBREAK_NOW": "2026-03-14T08:00:00+08:00"}
    old, new = (keep(store, days.day(days.breaking(), label=label)) for label in ("2026-03-06", "2026-03-07"))
    assert tell(target, environment=at, days=7).report(old) == ()
    assert tell(target, environment=at, days=7).too_old("2026-03-06")
    assert [r.state for r in tell(target, environment=at, days=7).report(new)] == ["sent"]
    assert [r.state for r in tell(target, environment=at, days=7).report(old, asked=True)] == ["sent"]
    assert len(service.taken) == 2


def test_a_day_that_is_not_over_is_told_when_it_is(serve: Serve, tell: Tell, store: Store) -> None:
    service = serve("json")
    target, day = TargetConfig(url=service.url), days.day(days.breaking())
    still = msgspec.structs.replace(day, window=msgspec.structs.replace(day.window, open=True))
    assert tell(target).report(keep(store, still)) == ()
    assert [r.state for r in tell(target).report(keep(store, day))] == ["sent"]


def test_programs_are_told_which_day_and_what_for(serve: Serve, tell: Tell, store: Store) -> None:
    service = serve("json")
    tell(TargetConfig(url=service.url)).report(keep(store, days.day(days.breaking())))
    (one,) = service.taken
    assert (one["event"], one["label"], one["id"]) == ("report", "2026-03-06", one["_key"])


def test_a_failure_is_told_once_for_each_day_without_secrets(serve: Serve, tell: Tell, store: Store) -> None:
    service = serve("json")
    target = TargetConfig(url="${HOOK}")
    environment = {"HOOK": service.url, "DAYBREAK_NOW": "2026-03-07T08:00:00+08:00"}
    message = f"Cannot push to https://x:hunter22@example.org with {service.url}\nand more."
    for _ in range(2):
        tell(target, environment=environment).failure("2026-03-06", message)
    (receipt,) = tell(target, environment=environment).failure("", "Something else.")
    assert receipt.label == "2026-03-07"
    assert len(service.taken) == 2
    assert "Cannot push" in service.taken[0]["message"]
    for one in (service.taken[0]["message"], *(r.said or "" for r in store.receipts.of_day("2026-03-06"))):
        assert "hunter22" not in one
        assert service.url not in one


def test_a_failure_waits_ten_seconds_for_a_dead_target_and_the_next_run_sends_it(
    serve: Serve, tell: Tell, store: Store, clock: Clock
) -> None:
    service = serve("json")
    service.faults.extend([Fault("status", 503)] * 9)
    (receipt,) = tell(TargetConfig(url=service.url)).failure("2026-03-06", "The disk is full.")
    assert (receipt.state, sum(clock.slept) <= 10) == ("planned", True)
    service.faults.clear()
    clock.sleep(3600)
    assert [one.state for one in tell(TargetConfig(url=service.url)).retry_pending()] == ["sent"]


def test_several_days_are_several_messages_each_once(serve: Serve, tell: Tell, store: Store) -> None:
    service = serve("json")
    labels = ["2026-03-04", "2026-03-05", "2026-03-06"]
    for _ in range(2):
        for label in labels:
            tell(TargetConfig(url=service.url)).report(keep(store, days.day(days.breaking(), label=label)))
    assert sent(service) == [f"Daybreak 日报 {label}" for label in labels]


# --- restarts -----------------------------------------------------------------------------------------------------------


def test_what_was_planned_by_a_killed_run_is_sent_by_the_next_one(serve: Serve, tell: Tell, store: Store) -> None:
    service = serve("feishu")
    keep(store, days.day(days.breaking()))
    notifier = tell(TargetConfig(url=service.url))
    (target,) = notifier.targets
    store.receipts.plan(target.id, target.shown, "report", days.LABEL, "", "")
    (receipt,) = notifier.retry_pending()
    assert (receipt.state, len(service.taken)) == ("sent", 1)


@pytest.mark.parametrize(
    ("kind", "again", "state", "count"),
    [
        ("feishu", False, "unsure", 0),
        ("feishu", True, "sent", 1),
        ("json", False, "sent", 1),
        ("mail", False, "sent", 1),
    ],
)
def test_a_run_that_was_killed_while_it_sent(
    kind: str, again: bool, state: str, count: int, serve: Serve, tell: Tell, store: Store
) -> None:
    service = serve(kind)
    keep(store, days.day(days.breaking()))
    config = TargetConfig(url=service.url, again=again)
    (target,) = tell(config).targets
    store.receipts.begin(store.receipts.plan(target.id, target.shown, "report", days.LABEL, "", "").id)
    (receipt,) = tell(config).retry_pending()
    assert (receipt.state, len(service.taken)) == (state, count)


def test_a_target_that_left_the_config_is_not_waited_for(serve: Serve, tell: Tell, store: Store) -> None:
    service = serve("json")
    store.receipts.plan("gone", "feishu", "report", days.LABEL, "", "")
    (receipt,) = tell(TargetConfig(url=service.url)).retry_pending()
    assert (receipt.state, receipt.reason) == ("failed", "the target is no longer in the config")


def test_what_a_target_that_left_the_config_never_got_is_nobodys_failure(
    serve: Serve, tell: Tell, store: Store
) -> None:
    service = serve("json")
    keep(store, days.day(days.breaking()))
    gone, reached = (store.receipts.plan(name, name, "report", days.LABEL, "", "") for name in ("gone", "reached"))
    store.receipts.end(gone.id, "failed", None)
    store.receipts.end(reached.id, "sent", None)
    told = tell(TargetConfig(url=service.url)).report(days.day(days.breaking()), asked=True)
    assert sorted((one.target == "reached", one.state) for one in told) == [(False, "sent"), (True, "sent")]


def test_a_day_that_left_the_store_is_given_up(serve: Serve, tell: Tell, store: Store) -> None:
    service = serve("json")
    notifier = tell(TargetConfig(url=service.url))
    store.receipts.plan(notifier.targets[0].id, "x", "report", "2026-01-01", "", "")
    (receipt,) = notifier.retry_pending()
    assert receipt.state == "failed"
    assert service.taken == []


def test_a_new_token_is_the_same_target(serve: Serve, tell: Tell, store: Store) -> None:
    service = serve("json")
    day = keep(store, days.day(days.breaking()))
    for token in ("first", "second"):
        url = service.url.replace("/hook", "/hook/${TOKEN}")
        tell(TargetConfig(url=url), environment={"TOKEN": token}).report(day)
    assert len(service.taken) == 1


def test_no_target_no_work(tell: Tell, store: Store) -> None:
    assert tell().report(days.day(days.breaking())) == ()
    assert tell().failure("2026-03-06", "x") == ()
    assert tell().retry_pending() == ()
