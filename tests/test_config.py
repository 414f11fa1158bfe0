"""The config: typed, file < environment < flags, and every mistake one sentence that names the key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli.place import default_config
from daybreak.core.config import Settings, is_remote, load, now, zone
from daybreak.core.errors import EXIT_USAGE, ConfigError

REPO = '[[repo]]\nname = "org/a"\n'


def settings(tmp_path: Path, text: str | bytes, flags: dict[str, Any] | None = None, **environment: str) -> Settings:
    path = tmp_path / "daybreak.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load(path, flags or {}, environment)


def mistake(tmp_path: Path, text: str | bytes, **environment: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        settings(tmp_path, text, None, **environment)
    error = caught.value
    assert error.exit_code == EXIT_USAGE
    assert "\n" not in error.message
    assert error.message.endswith(".")
    return error


def test_the_file_that_init_writes_is_valid_and_holds_the_default_watchlist(tmp_path: Path) -> None:
    found = settings(tmp_path, default_config())
    assert [repo.name for repo in found.repos()] == [
        "deepseek-ai/DeepGEMM",
        "deepseek-ai/FlashMLA",
        "NVIDIA/cutlass",
        "flashinfer-ai/flashinfer",
        "Dao-AILab/flash-attention",
        "sgl-project/sglang",
        "vllm-project/vllm",
        "NVIDIA/cutile-python",
    ]
    assert found.repos()[0].git == "https://github.com/deepseek-ai/DeepGEMM.git"
    assert (found.zone.key, found.languages, found.out) == ("UTC", ("en", "zh"), tmp_path)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("timezone = 1", "timezone"),
        ('languages = "zh"', "languages"),
        ("languages = [1]", "languages"),
        ("out = []", "out"),
        ("store = 2026-01-01", "store"),
        ("repo = 1", "repo"),
        ('repo = ["x"]', "repo"),
        ("[repo]\nname = 'org/a'", "repo"),
        ("[[repo]]\nname = 1", "name"),
        ("[[repo]]\ngit = 'x'", "name"),
        (REPO + "paths = 'src'", "paths"),
        (REPO + "branch = true", "branch"),
        (REPO + "tags = ['v*']", "tags"),
        ("reader = []", "reader"),
        ("[reader]\nhardware = [1]", "reader.hardware"),
        ("[execute]\nworkers = 'two'", "execute.workers"),
        ("[execute]\nworkers = true", "execute.workers"),
        ("[execute]\nworkers = -1", "execute.workers"),
        ("[schedule]\ncatch_up = -1", "schedule.catch_up is below zero"),
        ("[schedule]\ncatch_up = 32", "schedule.catch_up is more than 31 days"),
        ("[schedule]\ncatch_up = 365", "schedule.catch_up is more than 31 days"),
        ("[retention]\ndays = -1", "retention.days is below zero"),
        ("[retention]\ndays = 999999999", "retention.days is more than 36500 days"),
        ("[execute]\nkind = 'cloud'", "execute.kind"),
        ("[analyst]\nkind = 'magic'", "analyst.kind"),
        ("[analyst]\nbudget = 'much'", "analyst.budget"),
        ("[publish]\nsite = 1", "publish.site"),
        ("[notify]\nurls = 'x'", "notify.urls"),
    ],
)
def test_a_wrong_type_or_value_names_its_key(tmp_path: Path, text: str, key: str) -> None:
    assert key in mistake(tmp_path, text).message


def test_a_month_can_be_caught_up_and_the_tip_names_the_command_for_more(tmp_path: Path) -> None:
    assert settings(tmp_path, "[schedule]\ncatch_up = 31").config.schedule.catch_up == 31
    assert "daybreak run --since DATE" in mistake(tmp_path, "[schedule]\ncatch_up = 32").tip


@pytest.mark.parametrize(
    ("text", "key", "near"),
    [
        ('timezon = "UTC"', "timezon", "timezone"),
        ('langauges = ["zh"]', "langauges", "languages"),
        ("[[repos]]\nname = 'a/b'", "repos", "repo"),
        (REPO + 'brnach = "x"', "repo.brnach", "branch"),
        ("[execute]\nworker = 1", "execute.worker", "workers"),
        ("[reader]\nhardwares = []", "reader.hardwares", "hardware"),
        ("[analyst]\ntoken = 'x'", "analyst.token", "kind"),
        ('"a\\nb\\u001b" = 1', "a\\nb\\x1b", ""),
    ],
)
def test_an_unknown_key_names_the_nearest(tmp_path: Path, text: str, key: str, near: str) -> None:
    error = mistake(tmp_path, text)
    assert key in error.message
    assert "Did you mean" in error.tip
    if near != "kind":
        assert near in error.tip


@pytest.mark.parametrize(
    "name", ["Asia/Shangai", "", "../etc/passwd", "Asia", "/etc/localtime", "UTC\\u0000", "Mars/Olympus"]
)
def test_a_wrong_zone_is_said(tmp_path: Path, name: str) -> None:
    assert "time zone" in mistake(tmp_path, f'timezone = "{name}"').message


def test_a_misspelled_zone_gets_the_right_one() -> None:
    with pytest.raises(ConfigError) as caught:
        zone("Asia/Shangai")
    assert "Asia/Shanghai" in caught.value.tip


@pytest.mark.parametrize("value", ['["zh", "fr"]', "[]", '["en", "en"]', '["EN"]', '[""]'])
def test_languages_are_known_ones_each_once(tmp_path: Path, value: str) -> None:
    assert "languages" in mistake(tmp_path, f"languages = {value}").message


@pytest.mark.parametrize(
    "name",
    [
        "a",
        "a/b/c",
        "../x",
        "a/..",
        "a/.",
        "/a",
        "a/",
        "-x/y",
        "a b/c",
        "a/b\\n",
        'a/\\"b',
        "a/b\\u202e",
        "a/\\u001b[0m",
        "ä/b",
        "",
    ],
)
def test_hostile_names_of_repositories_are_refused(tmp_path: Path, name: str) -> None:
    error = mistake(tmp_path, f'[[repo]]\nname = "{name}"')
    assert "OWNER/NAME" in error.message
    assert error.message.isprintable()


@pytest.mark.parametrize("name", ["a/b", "NVIDIA/cutile-python", "a/.github", "a1/b_c.d", "x/-y"])
def test_names_github_allows_are_allowed(tmp_path: Path, name: str) -> None:
    assert settings(tmp_path, f'[[repo]]\nname = "{name}"').repos()[0].name == name


@pytest.mark.parametrize(
    "line",
    [
        'git = "--upload-pack=x"',
        'branch = "-x"',
        'git = "a\\nb"',
        'url = "javascript:alert(1)"',
        'url = "https://x/ y"',
        'url = "-"',
    ],
)
def test_hostile_addresses_are_refused(tmp_path: Path, line: str) -> None:
    mistake(tmp_path, REPO + line)


def test_one_repository_stands_once(tmp_path: Path) -> None:
    assert "twice" in mistake(tmp_path, REPO + REPO).message
    assert "twice" in mistake(tmp_path, REPO + REPO.replace("org/a", "Org/A")).message
    shared = '[[repo]]\nname = "a-b/c"\n[[repo]]\nname = "a/b-c"\n'
    assert "share its page" in mistake(tmp_path, shared).message


def test_flags_win_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    text = 'timezone = "UTC"\nout = "file"\nlanguages = ["zh"]\n[analyst]\nmodel = "m"\nbase_url = "http://u"\n'
    environment = {"DAYBREAK_TIMEZONE": "Europe/Berlin", "DAYBREAK_OUT": "env", "DAYBREAK_LANGUAGES": " en , zh ,"}
    found = settings(tmp_path, text, {"out": "flag", "analyst": {"kind": "llm"}}, **environment)
    assert (found.config.timezone, found.config.out, found.languages) == ("Europe/Berlin", "flag", ("en", "zh"))
    assert (found.config.analyst.kind, found.config.analyst.model, found.config.analyst.base_url) == (
        "llm",
        "m",
        "http://u",
    )
    assert settings(tmp_path, text, DAYBREAK_OUT="").config.out == "file"


def test_a_flag_does_not_hide_a_mistake_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="analyst"):
        settings(tmp_path, "analyst = 1", {"analyst": {"kind": "llm"}})


def test_a_mistake_in_the_environment_is_said_too(tmp_path: Path) -> None:
    assert "Nowhere" in mistake(tmp_path, REPO, DAYBREAK_TIMEZONE="Nowhere").message
    assert (
        mistake(tmp_path, REPO, DAYBREAK_LANGUAGES="fr").message == "DAYBREAK_LANGUAGES: 'fr' is not a report language."
    )


def test_relative_paths_start_at_the_folder_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    text = 'out = "reports-here"\n[[repo]]\nname = "o/a"\ngit = "../up.git"\n[[repo]]\nname = "o/b"\ngit = "~/b.git"\n'
    found = settings(tmp_path / "sub", text)
    assert found.out == tmp_path / "sub" / "reports-here"
    assert found.state == tmp_path / "sub" / ".daybreak"
    assert [repo.git for repo in found.repos()] == [str(tmp_path / "up.git"), str(tmp_path / "home" / "b.git")]
    monkeypatch.chdir(tmp_path / "sub")
    assert load(Path("daybreak.toml"), {}, {}).out == found.out


@pytest.mark.parametrize("out", ["~no-such-user-here/x", "", "a\\u0000b", "a\\nb"])
def test_a_folder_that_cannot_be_named_is_refused(tmp_path: Path, out: str) -> None:
    assert "out" in mistake(tmp_path, f'out = "{out}"').message


def test_a_home_nobody_has_is_refused(tmp_path: Path) -> None:
    assert "home" in mistake(tmp_path, REPO + 'git = "~no-such-user-here/x"').message


@pytest.mark.parametrize(
    ("address", "remote"),
    [
        ("https://h/x", True),
        ("file:///x", True),
        ("git@host:org/x.git", True),
        ("host:x", True),
        ("ext::sh -c x", True),
        ("/srv/x", False),
        ("../x", False),
        ("./a:b", False),
        ("~/x", False),
    ],
)
def test_addresses_are_told_from_paths_as_git_does(address: str, remote: bool) -> None:
    assert is_remote(address) is remote


def test_files_that_cannot_be_read_are_one_sentence(tmp_path: Path) -> None:
    assert "UTF-8" in mistake(tmp_path, b"# \xff\n").message
    assert "TOML" in mistake(tmp_path, "timezone = ").message
    assert "nested" in mistake(tmp_path, "a = " + "[" * 20_000).message
    with pytest.raises(ConfigError, match="There is no"):
        load(tmp_path / "none.toml", {}, {})
    with pytest.raises(ConfigError, match="is a folder"):
        load(tmp_path, {}, {})
    with pytest.raises(ConfigError, match="cannot be read"):
        load(tmp_path / "daybreak.toml" / "x", {}, {})
    assert settings(tmp_path, b"\xef\xbb\xbftimezone = 'UTC'\r\n").config.timezone == "UTC"


def test_an_address_follows_from_the_name_unless_it_is_given(tmp_path: Path) -> None:
    text = '[[repo]]\nname = "o/a"\nurl = "https://git.example.org/o/a/"\n[[repo]]\nname = "o/b"\ngit = "ssh://h/b"\nbranch = "dev"\n'
    one, two = settings(tmp_path, text).repos()
    assert (one.url, one.git, one.branch) == ("https://git.example.org/o/a", "https://git.example.org/o/a.git", None)
    assert (two.url, two.git, two.branch) == ("https://github.com/o/b", "ssh://h/b", "dev")
    assert one.commit_url("s") == "https://git.example.org/o/a/commit/s"


def test_the_present_can_be_set() -> None:
    assert now({"DAYBREAK_NOW": "2026-01-20T08:00:00+08:00"}).isoformat() == "2026-01-20T08:00:00+08:00"
    assert now({"DAYBREAK_NOW": "2026-01-20"}).isoformat() == "2026-01-20T00:00:00+00:00"
    assert now({}).tzinfo is not None
    with pytest.raises(ConfigError, match="DAYBREAK_NOW"):
        now({"DAYBREAK_NOW": "soon"})


@pytest.mark.parametrize(
    ("git", "github", "asked"),
    [
        ("", "", True),
        ("https://github.com/o/a.git", "", True),
        ("git@github.com:o/a.git", "", True),
        ("ssh://git@ssh.github.com:443/o/a.git", "", True),
        ("https://user@GitHub.com/o/a.git", "", True),
        ("https://github.com.example.org/o/a.git", "", False),
        ("https://example.org/github.com/o/a.git", "", False),
        ("https://[broken/o/a.git", "", False),
        ("../github.com/a", "", False),
        ("/srv/github.com/a", "", False),
        ("/srv/a", "ask = true", True),
        ("", "ask = false", False),
        ("", 'api = "https://ghe.example.org/api/v3"', False),
        ("git@ghe.example.org:o/a.git", 'api = "https://ghe.example.org/api/v3"', True),
        ("https://acme.ghe.com/o/a.git", 'api = "https://api.acme.ghe.com"', True),
        ("https://api.github.com/o/a.git", 'api = "https://ghe.example.org/api/v3"', False),
    ],
)
def test_github_is_asked_about_what_is_there(tmp_path: Path, git: str, github: str, asked: bool) -> None:
    path = tmp_path / "daybreak.toml"
    path.write_text(f'[[repo]]\nname = "o/a"\ngit = "{git}"\n[github]\n{github}\n')
    found = load(path, {}, {})
    assert [found.asked(repo) for repo in found.repos()] == [asked]
