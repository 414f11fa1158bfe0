"""Messages really go to each kind of target, fit its limits and its markup, and arrive once."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import pytest

from daybreak.core.config.sections import TargetConfig
from daybreak.deliver.notify.by_apprise import ByApprise, Seen
from daybreak.deliver.notify.delivery import Notifier
from daybreak.deliver.notify.senders import utc_now
from daybreak.deliver.notify.targets import SENT, Outcome
from daybreak.store import Store
from notify import days
from notify.scene import QUICK, keep
from notify.services import KINDS, SECRET, TOKEN, Fault, tags

ALL = (*KINDS, "mail")
Tell = Callable[..., Notifier]
Serve = Callable[[str], Any]


def words_of(service: Any) -> str:
    """All that a reader sees of the one message."""
    (one,) = service.taken
    if service.kind == "mail":
        return str(one.get_body(("plain",)).get_content())
    return re.sub("\u2060", "", service.texts()[0])


@pytest.mark.parametrize("kind", ALL)
def test_a_report_arrives_with_counts_breaking_before_and_after_and_the_way_out(
    kind: str, serve: Serve, tell: Tell, store: Store
) -> None:
    service = serve(kind)
    day = keep(store, days.day(days.breaking(2, "old_flag"), days.commit(1)))
    (receipt,) = tell(TargetConfig(url=service.url), link="https://example.org/news").report(day)
    assert (receipt.state, receipt.event, receipt.tries, receipt.reason) == ("sent", "report", 1, None)
    told = words_of(service).replace("\\_", "_").replace("&#95;", "_").replace("&#45;", "-").replace("\\-", "-")
    for wanted in ("Daybreak 日报 2026-03-06", "破坏性变更 1", "old_flag", "old_flag-new", "→", "改用"):
        assert wanted in told, told
    assert getattr(service, "refused", []) == []


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("languages", [("zh",), ("zh", "en")])
def test_a_large_day_is_cut_at_items_and_says_how_many_more(
    kind: str, languages: tuple[str, ...], serve: Serve, tell: Tell, store: Store
) -> None:
    service = serve(kind)
    day = keep(store, days.large())
    target = TargetConfig(url=service.url, languages=languages)
    (receipt,) = tell(target, link="https://example.org/news").report(day)
    assert (receipt.state, receipt.reason) == ("sent", None)
    told = words_of(service)
    assert "另有" in told
    assert bool(re.search(r"and \d+ more", told)) == ("en" in languages)
    assert getattr(service, "refused", []) == []


@pytest.mark.parametrize("kind", ALL)
def test_a_re_run_a_restart_and_force_send_nothing_again(kind: str, serve: Serve, tell: Tell, store: Store) -> None:
    service = serve(kind)
    target = TargetConfig(url=service.url)
    for number in range(3):
        changed = keep(store, days.day(days.breaking(2), days.commit(10 + number)))
        tell(target).report(changed)
        tell(target).retry_pending()
    assert len(service.taken) == 1


LATER = Fault("status", 429, (("Retry-After", "17"),))


@pytest.mark.parametrize("kind", KINDS)
def test_a_target_that_says_when_to_come_again_is_heard(
    kind: str, serve: Serve, tell: Tell, store: Store, clock: Any
) -> None:
    service = serve(kind)
    service.faults.extend([LATER, Fault("status", 503)])
    (receipt,) = tell(TargetConfig(url=service.url)).report(keep(store, days.day(days.breaking())))
    assert (receipt.state, receipt.tries) == ("sent", 3)
    assert clock.slept[0] == 17
    assert len(service.taken) == 1


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("telegram", b'{"ok":false,"error_code":429,"parameters":{"retry_after":23}}'),
        ("discord", b'{"message":"You are being rate limited.","retry_after":23.0,"global":false}'),
        ("matrix", b'{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":23000}'),
    ],
)
def test_a_wait_that_stands_in_the_answer_is_heard_too(
    kind: str, body: bytes, serve: Serve, tell: Tell, store: Store, clock: Any
) -> None:
    service = serve(kind)
    service.faults.append(Fault("status", 429, (), body))
    (receipt,) = tell(TargetConfig(url=service.url)).report(keep(store, days.day(days.breaking())))
    assert (receipt.state, receipt.tries, clock.slept) == ("sent", 2, [23.0])


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("feishu", b'{"code":11232,"msg":"frequency limited"}'),
        ("wecom", b'{"errcode":45009,"errmsg":"api freq out of limit"}'),
        ("dingtalk", b'{"errcode":130101,"errmsg":"send too fast"}'),
    ],
)
def test_a_robot_that_is_busy_says_so_with_status_200(
    kind: str, body: bytes, serve: Serve, tell: Tell, store: Store
) -> None:
    service = serve(kind)
    service.faults.append(Fault("status", 200, (), body))
    (receipt,) = tell(TargetConfig(url=service.url)).report(keep(store, days.day(days.breaking())))
    assert (receipt.state, receipt.tries, len(service.taken)) == ("sent", 2, 1)


@pytest.mark.parametrize(
    ("kind", "status", "body", "words"),
    [
        ("feishu", 200, b'{"code":19024,"msg":"Key Words Not Found"}', "keyword"),
        ("feishu", 200, b"<html>a proxy</html>", "refused the message (code -999)"),
        ("lark", 200, b'{"code":19001,"msg":"token invalid"}', "no robot with this token"),
        ("wecom", 200, b'{"errcode":93000,"errmsg":"invalid webhook url"}', "no robot with this key"),
        ("dingtalk", 200, b'{"errcode":310000,"errmsg":"keywords not in content"}', "keyword"),
        ("slack", 404, b"no_service", "nothing at its address"),
        ("discord", 401, b"{}", "does not know our token"),
        ("telegram", 400, b'{"ok":false}', "does not understand"),
        ("json", 302, b"", "sends us elsewhere"),
        ("json", 413, b"", "too long"),
    ],
)
def test_a_refusal_is_final_and_told_in_our_words(
    kind: str, status: int, body: bytes, words: str, serve: Serve, tell: Tell, store: Store
) -> None:
    service = serve(kind)
    headers = (("Location", f"http://127.0.0.1:{service.port}/elsewhere"),) if status == 302 else ()
    service.faults.append(Fault("status", status, headers, body))
    (receipt,) = tell(TargetConfig(url=service.url)).report(keep(store, days.day(days.breaking())))
    assert (receipt.state, receipt.tries, service.taken) == ("failed", 1, [])
    assert words in (receipt.reason or "")


@pytest.mark.parametrize("kind", ["feishu", "lark", "dingtalk"])
def test_signatures_are_what_the_robot_computes(kind: str, serve: Serve, tell: Tell, store: Store) -> None:
    service = serve(kind)
    target = TargetConfig(url=service.url, secret_env="ROBOT")
    (receipt,) = tell(target, environment={"ROBOT": SECRET}).report(keep(store, days.day(days.breaking())))
    assert receipt.state == "sent"
    path, body = service.requests[0][1], service.requests[0][3].decode()
    assert "sign=" in path or '"sign"' in body
    (other,) = tell(TargetConfig(url=service.url, secret_env="ROBOT", name="b"), environment={"ROBOT": "wrong"}).report(
        keep(store, days.day(days.breaking(), label="2026-03-05"))
    )
    assert other.state == "failed"


def test_mail_has_a_text_part_and_an_html_part_with_its_style_inside(serve: Serve, tell: Tell, store: Store) -> None:
    service = serve("mail")
    day = keep(store, days.day(days.breaking(2, "--old<b>"), days.commit(1)))
    tell(TargetConfig(url=service.url, languages=("en",)), link="https://example.org/news").report(day)
    (mail,) = service.taken
    assert mail["Subject"] == "Daybreak report 2026-03-06"
    assert (mail["To"], mail["From"]) == ("ada@example.org", "bot@example.org")
    assert mail.get_content_type() == "multipart/alternative"
    html = mail.get_body(("html",)).get_content()
    found = tags(html)
    assert not found.wrong
    assert found.seen[0] == ("html", {"lang": "en"})
    assert not {tag for tag, _ in found.seen} & {"script", "style", "link", "img"}
    assert any(attributes.get("style") for tag, attributes in found.seen if tag == "code")
    assert ("a", "https://example.org/news/en/days/2026-03-06.html") in [(t, a.get("href")) for t, a in found.seen]
    assert "--old<b>" in mail.get_body(("plain",)).get_content()
    assert service.logins == [("bot", TOKEN)]


def test_mail_of_which_some_receivers_are_refused_says_so(serve: Serve, tell: Tell, store: Store) -> None:
    service = serve("mail")
    url = service.url.replace("to=ada@example.org", "to=ada@example.org,nobody@example.org")
    (receipt,) = tell(TargetConfig(url=url)).report(keep(store, days.day(days.breaking())))
    assert (receipt.state, receipt.reason) == ("sent", "1 of 2 receivers were refused")
    (other,) = tell(TargetConfig(url=service.url.replace("ada@", "nobody@"))).report(
        keep(store, days.day(days.breaking(), label="2026-03-05"))
    )
    assert (other.state, other.reason) == ("failed", "it refused every receiver")


def test_mail_with_a_wrong_password_is_refused_without_showing_it(serve: Serve, tell: Tell, store: Store) -> None:
    service = serve("mail")
    (receipt,) = tell(TargetConfig(url=service.url.replace(TOKEN, "wr0ngPassword"))).report(
        keep(store, days.day(days.breaking()))
    )
    assert (receipt.state, receipt.reason) == ("failed", "it does not know our user or password")


@pytest.mark.parametrize("kind", ["json", "mail", "feishu", "slack"])
def test_nobody_at_home_is_tried_again_and_given_up_with_a_receipt(
    kind: str, serve: Serve, tell: Tell, store: Store, clock: Any
) -> None:
    service = serve(kind)
    service.close()
    day = keep(store, days.day(days.breaking()))
    target = TargetConfig(url=service.url)
    (receipt,) = tell(target, tries=3, patience=30).report(day)
    assert (receipt.state, receipt.tries, receipt.reason) == (
        "failed",
        3,
        "given up after 3 tries: it cannot be reached",
    )
    (receipt,) = tell(target, tries=3, patience=30).report(day)
    assert (receipt.state, receipt.tries) == ("failed", 3)
    assert len(clock.slept) == 2


def test_what_a_run_has_no_patience_for_is_sent_by_the_next_one(
    serve: Serve, tell: Tell, store: Store, clock: Any
) -> None:
    service = serve("feishu")
    service.faults.append(Fault("status", 429, (("Retry-After", "600"),)))
    day = keep(store, days.day(days.breaking()))
    target = TargetConfig(url=service.url)
    (receipt,) = tell(target).report(day)
    assert (receipt.state, clock.slept) == ("planned", [])
    assert tell(target).retry_pending()[0].state == "planned"
    clock.sleep(601)
    (receipt,) = tell(target).retry_pending()
    assert (receipt.state, receipt.tries, len(service.taken)) == ("sent", 2, 1)
    assert tell(target).retry_pending() == ()


def test_a_retry_after_that_is_a_date_is_understood(serve: Serve, tell: Tell, store: Store, clock: Any) -> None:
    service = serve("json")
    service.faults.append(Fault("status", 429, (("Retry-After", "Sat, 07 Mar 2026 08:00:31 GMT"),)))
    tell(TargetConfig(url=service.url)).report(keep(store, days.day(days.breaking())))
    assert (clock.slept, len(service.taken)) == ([31.0], 1)


# --- when nobody knows whether it arrived ------------------------------------------------------------------------------

KEYED = ("json", "form", "matrix", "mail")
UNKEYED = ("feishu", "wecom", "dingtalk", "slack", "discord", "telegram")


@pytest.mark.parametrize("kind", KEYED)
@pytest.mark.parametrize("fault", ["cut", "lost"])
def test_a_target_that_knows_messages_by_a_key_is_tried_again_and_shows_one(
    kind: str, fault: str, serve: Serve, tell: Tell, store: Store
) -> None:
    service = serve(kind)
    service.faults.append(Fault(fault))
    (receipt,) = tell(TargetConfig(url=service.url)).report(keep(store, days.day(days.breaking())))
    assert (receipt.state, receipt.tries, len(service.taken)) == ("sent", 2, 1)


@pytest.mark.parametrize("kind", UNKEYED)
def test_a_chat_is_not_sent_twice_what_may_have_arrived(kind: str, serve: Serve, tell: Tell, store: Store) -> None:
    service = serve(kind)
    service.faults.append(Fault("lost"))
    day = keep(store, days.day(days.breaking()))
    (receipt,) = tell(TargetConfig(url=service.url)).report(day)
    assert (receipt.state, receipt.tries) == ("unsure", 1)
    assert "in the middle" in (receipt.reason or "")
    tell(TargetConfig(url=service.url)).report(day)
    tell(TargetConfig(url=service.url)).retry_pending()
    assert len(service.taken) == 1


@pytest.mark.parametrize("kind", ["feishu", "slack"])
def test_a_chat_behind_a_gateway_that_did_not_wait_is_not_sent_it_twice(
    kind: str, serve: Serve, tell: Tell, store: Store
) -> None:
    service = serve(kind)
    service.faults.append(Fault("status", 504))
    (receipt,) = tell(TargetConfig(url=service.url)).report(keep(store, days.day(days.breaking())))
    assert (receipt.state, receipt.tries, len(service.requests)) == ("unsure", 1, 1)
    assert "504" in (receipt.reason or "")


def test_a_webhook_behind_a_gateway_that_did_not_wait_gets_it_again_with_its_key(
    serve: Serve, tell: Tell, store: Store
) -> None:
    service = serve("json")
    service.faults.append(Fault("status", 504))
    (receipt,) = tell(TargetConfig(url=service.url)).report(keep(store, days.day(days.breaking())))
    assert (receipt.state, receipt.tries, len(service.taken)) == ("sent", 2, 1)


def test_a_message_that_got_through_is_sent_whatever_went_wrong_before_it() -> None:
    seen = Seen(fault=Outcome("unsure", "it ended the connection in the middle"))
    sender = ByApprise(utc_now)
    assert sender._told("matrix", True, seen) == SENT
    assert sender._told("matrix", False, seen) == seen.fault


@pytest.mark.parametrize("kind", ["wecom", "discord"])
def test_a_chat_that_would_rather_have_it_twice_than_never_gets_it_again(
    kind: str, serve: Serve, tell: Tell, store: Store
) -> None:
    service = serve(kind)
    service.faults.append(Fault("cut"))
    (receipt,) = tell(TargetConfig(url=service.url, again=True)).report(keep(store, days.day(days.breaking())))
    assert (receipt.state, receipt.tries, len(service.taken)) == ("sent", 2, 1)


def test_what_may_have_arrived_is_sent_again_when_somebody_asks(serve: Serve, tell: Tell, store: Store) -> None:
    service = serve("feishu")
    service.faults.append(Fault("cut"))
    day = keep(store, days.day(days.breaking()))
    target = TargetConfig(url=service.url)
    assert tell(target).report(day)[0].state == "unsure"
    assert tell(target).report(day, asked=True)[0].state == "unsure"
    assert tell(target).report(day, asked=True, again=True)[0].state == "sent"
    assert tell(target).report(day, asked=True, again=True)[0].tries == 2
    assert len(service.taken) == 1


@pytest.mark.parametrize(("kind", "state"), [("telegram", "unsure"), ("wecom", "unsure"), ("json", "sent")])
def test_an_answer_that_does_not_come_in_time(kind: str, state: str, serve: Serve, tell: Tell, store: Store) -> None:
    service = serve(kind)
    service.faults.append(Fault("hang-lost"))
    (receipt,) = tell(TargetConfig(url=service.url), wait=QUICK).report(keep(store, days.day(days.breaking())))
    assert (receipt.state, len(service.taken)) == (state, 1)


# --- one target does not cost the others -------------------------------------------------------------------------------


def test_a_fault_with_one_target_costs_the_others_nothing(serve: Serve, tell: Tell, store: Store) -> None:
    good, bad = serve("feishu"), serve("wecom")
    bad.faults.extend([Fault("status", 500)] * 9)
    targets = [
        TargetConfig(url=bad.url),
        TargetConfig(url="slack://no"),
        TargetConfig(url="feishu://${NOT_THERE}"),
        TargetConfig(url="nonsense://x"),
        TargetConfig(url="https://example.org/hook/x"),
        TargetConfig(url=good.url),
    ]
    receipts = tell(*targets, tries=2).report(keep(store, days.day(days.breaking())))
    assert [one.state for one in receipts] == ["failed"] * 5 + ["sent"]
    reasons = [one.reason or "" for one in receipts]
    assert reasons[2] == "the environment has no NOT_THERE"
    assert "json://" in reasons[4]
    assert len(good.taken) == 1


def test_several_chats_in_one_address_are_refused_since_one_might_get_it_twice(
    serve: Serve, tell: Tell, store: Store
) -> None:
    service = serve("telegram")
    (receipt,) = tell(TargetConfig(url=f"{service.url}-99887766/")).report(keep(store, days.day(days.breaking())))
    assert receipt.state == "failed"
    assert "several receivers" in (receipt.reason or "")


def test_a_sender_that_breaks_is_a_receipt_and_no_crash(
    tell: Tell, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError(f"https://example.org/{TOKEN}")

    monkeypatch.setattr("notify.scene.QuickSenders.send", broken)
    (receipt,) = tell(TargetConfig(url=f"feishu://{TOKEN}")).report(keep(store, days.day(days.breaking())))
    assert (receipt.state, receipt.reason) == ("unsure", "it could not be sent (RuntimeError)")


def test_without_apprise_the_receipt_says_how_to_install_it(
    tell: Tell, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "apprise", None)
    (receipt,) = tell(TargetConfig(url="json://127.0.0.1:9/")).report(keep(store, days.day(days.breaking())))
    assert receipt.state == "failed"
    assert "[notify]" in (receipt.reason or "")
