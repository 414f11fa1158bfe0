"""Addresses of the config become targets: by kind, with secrets from the environment, and under harmless names."""

from __future__ import annotations

from pathlib import Path

import pytest

from daybreak.core.config import load
from daybreak.core.config.sections import TargetConfig
from daybreak.core.errors import ConfigError
from daybreak.deliver.notify.senders import BadAddress, box_of, repeatable
from daybreak.deliver.notify.targets import Target, targets_of
from notify.scene import settings_for


def one(url: str, environment: dict[str, str] | None = None, **more: str) -> Target:
    (found,) = targets_of(settings_for(TargetConfig(url=url, **more), environment=environment))  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize(
    ("url", "kind", "shown", "address"),
    [
        ("feishu://abc", "feishu", "feishu", "https://open.feishu.cn/open-apis/bot/v2/hook/abc"),
        ("lark://abc?secret=x", "lark", "lark", "https://open.larksuite.com/open-apis/bot/v2/hook/abc"),
        ("wecombot://abc", "wecom", "wecom", "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=abc"),
        ("dingtalk://SEC1@abc", "dingtalk", "dingtalk", "https://oapi.dingtalk.com/robot/send?access_token=abc"),
        ("https://open.feishu.cn/open-apis/bot/v2/hook/abc", "feishu", "feishu", None),
        ("https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=abc", "wecom", "wecom", None),
        ("https://oapi.dingtalk.com/robot/send?access_token=abc", "dingtalk", "dingtalk", None),
        ("https://hooks.slack.com/services/T1/A1/x", "slack", "slack", None),
        ("feishu+https://proxy.example.org/hook/abc?a=b", "feishu", "feishu", "https://proxy.example.org/hook/abc?a=b"),
        ("slack://T1/A1/x", "slack", "slack", None),
        ("tgram://1:a/2", "telegram", "telegram", None),
        ("matrixs://:tok@example.org/!r:h", "matrix", "matrix", None),
        ("jsons://u:p@hooks.example.org/x", "webhook", "webhook hooks.example.org", None),
        ("mailtos://u:p@mail.example.org", "mail", "mail mail.example.org", None),
        ("pover://user@token", "other", "other", None),
    ],
)
def test_kinds_names_and_endpoints(url: str, kind: str, shown: str, address: str | None) -> None:
    found = one(url)
    assert (found.kind, found.shown, found.fault) == (kind, shown, None)
    assert found.address.reveal() == (address or url)
    assert "abc" not in repr(found)
    assert "abc" not in found.id + found.shown


def test_signing_secrets_come_from_the_address_or_from_the_environment() -> None:
    for found in (
        one("lark://abc?secret=s1"),
        one("dingtalk://s1@abc"),
        one("feishu://abc", {"S": "s1"}, secret_env="S"),
    ):
        assert found.secret is not None
        assert found.secret.reveal() == "s1"
        assert "s1" not in repr(found)
    assert one("feishu://abc", secret_env="S").fault == "the environment has no S"


@pytest.mark.parametrize(
    ("url", "environment", "address"),
    [
        ("jsons://u:${P}@h.example/x", {"P": "a@b#c d"}, "jsons://u:a%40b%23c%20d@h.example/x"),
        ("${U}", {"U": " https://hooks.slack.com/services/T/A/x \n"}, "https://hooks.slack.com/services/T/A/x"),
        ("tgram://${T}/5", {"T": "1:abc"}, "tgram://1:abc/5"),
    ],
)
def test_variables_are_put_into_the_address(url: str, environment: dict[str, str], address: str) -> None:
    found = one(url, environment)
    assert (found.address.reveal(), found.fault) == (address, None)


@pytest.mark.parametrize(
    ("url", "environment", "fault"),
    [
        ("feishu://${T}", {}, "the environment has no T"),
        ("feishu://${T}", {"T": ""}, "the environment has no T"),
        ("${U}", {"U": "a b"}, "blank"),
        ("https://example.org/x", {}, "no known kind"),
        ("json+http://example.org/x", {}, "no known kind"),
    ],
)
def test_what_cannot_be_a_target_says_why(url: str, environment: dict[str, str], fault: str) -> None:
    assert fault in (one(url, environment).fault or "")


def test_a_target_is_known_by_what_the_config_says_and_not_by_its_secret() -> None:
    assert one("json://u:one@h/x").id == one("json://u:two@h/x").id
    assert one("feishu://${T}", {"T": "a"}).id == one("feishu://${T}", {"T": "b"}).id
    assert one("feishu://${T}", {"T": "a"}).id != one("feishu://${V}", {"V": "a"}).id
    assert one("json://h/x", name="a").id != one("json://h/x", name="b").id
    (by_name,) = targets_of(settings_for(TargetConfig(url_env="U"), environment={"U": "feishu://t"}))
    assert (by_name.kind, by_name.fault) == ("feishu", None)


def test_only_targets_with_a_key_are_sent_a_second_time_unasked() -> None:
    urls = {
        "json://h": True,
        "mailto://u:p@h": True,
        "matrixs://:token@h/!r:h": True,
        "matrixs://user:password@h/!r:h": False,
        "feishu://t": False,
        "slack://T1/A1/x": False,
    }
    assert {url: repeatable(one(url)) for url in urls} == urls


# --- mistakes in the config -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('on = ["reports"]', "notify.on: 'reports' is unknown"),
        ('link = "example.org"', "notify.link"),
        ("tries = 0", "out of range"),
        ('urls = ["not an address"]', "target 1: url has no kind"),
        ('urls = ["json://a", "json://a"]', "target 2 is listed twice"),
        ("[[notify.target]]\nname = 'x'", "needs either `url` or `url_env`"),
        ("[[notify.target]]\nurl = 'json://h'\nurl_env = 'X'", "needs either"),
        ("[[notify.target]]\nurl_env = '$X'", "name a variable"),
        ("[[notify.target]]\nurl = 'json://h'\nlevels = ['top']", "levels: 'top'"),
        ("[[notify.target]]\nurl = 'json://h'\ntags = ['odd']", "tags: 'odd'"),
        ("[[notify.target]]\nurl = 'json://h'\nlanguages = ['fr']", "languages: 'fr'"),
        ("[[notify.target]]\nurl = 'json://h'\nquite = true", "unknown key 'notify.target.quite'"),
        ("[[notify.target]]\nurl = 'json://s3cretT0ken'\nname = \"a\\u0007\"", "control character"),
    ],
)
def test_a_mistake_names_its_place_and_never_the_address(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "daybreak.toml").write_text(f"[notify]\n{text}\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load(tmp_path / "daybreak.toml", {}, {})
    assert words in caught.value.message
    assert caught.value.tip
    assert "s3cretT0ken" not in caught.value.message


@pytest.mark.parametrize(
    ("address", "host", "port", "mode", "sender", "receivers"),
    [
        ("mailto://u:p@h.example", "h.example", 25, "plain", "u@h.example", ["u@h.example"]),
        (
            "mailtos://u%40x.org:p@h.example/?to=a@b.c,d@e.f",
            "h.example",
            587,
            "starttls",
            "u@x.org",
            ["a@b.c", "d@e.f"],
        ),
        ("mailtos://u:p@b.c:99/?mode=ssl&smtp=s.b.c&from=me@b.c", "s.b.c", 99, "ssl", "me@b.c", ["u@b.c"]),
    ],
)
def test_addresses_of_mail(address: str, host: str, port: int, mode: str, sender: str, receivers: list[str]) -> None:
    box = box_of(address)
    assert (box.host, box.port, box.mode, box.sender.addr_spec) == (host, port, mode, sender)
    assert [r.addr_spec for r in box.receivers] == receivers


@pytest.mark.parametrize(
    "address", ["mailto://u:p@h:x", "mailto://", "mailto://u:p@h?mode=odd", "mailto://u@h?to=a@b@c"]
)
def test_what_is_no_address_of_mail(address: str) -> None:
    with pytest.raises(BadAddress) as caught:
        box_of(address)
    assert "its" in str(caught.value)
