"""The `[publish]` part of the config: mistakes are one sentence, and what is left out is neutral."""

from __future__ import annotations

from pathlib import Path

import pytest

from daybreak.core.config import load
from daybreak.core.config.sections import PublishConfig
from daybreak.core.errors import ConfigError


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('git = "https://me:hunter2@github.com/us/news"', "there is a password in the address"),
        ('git = "--upload-pack=x"', "is not an address"),
        ('git = "x"\ngit_branch = "../x"', "is not a branch"),
        ('git = "x"\ngit_branch = "a..b"', "is not a branch"),
        ('git = "x"\ngit_folder = "../x"', "is not a folder"),
        ('git = "x"\ngit_folder = ".git/x"', "is not a folder"),
        ('git = "x"\ngit_author = "A <a@b>"', "cannot stand in a commit"),
        ('github_issue = "news"', "is not OWNER/NAME"),
        ('github_discussion = "us/news"', "discussion_category is missing"),
        ('site_url = "javascript:x"', "is not a web address"),
        ('labels = [""]', "a label is empty"),
        ('github_isue = "us/news"', "unknown key"),
    ],
)
def test_a_mistake_in_the_config_is_one_sentence(tmp_path: Path, lines: str, said: str) -> None:
    (tmp_path / "daybreak.toml").write_text(f"[publish]\n{lines}\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load(tmp_path / "daybreak.toml", {}, {})
    assert said in caught.value.message
    assert caught.value.tip
    assert "hunter2" not in caught.value.message + caught.value.tip


@pytest.mark.parametrize(
    "lines",
    [
        'git = "git@github.com:us/news.git"',
        'git = "ssh://git@github.com/us/news.git"',
        'git = "../news.git"\ngit_branch = "daily/reports"\ngit_folder = "docs/our news"',
        'github_discussion = "us/news"\ndiscussion_category = "Announcements"\nlabels = ["daily"]',
        'site = true\nsite_url = "https://news.example/daily/"\npages_url = "https://git.example/us/news/src"',
    ],
)
def test_what_is_right_is_taken(tmp_path: Path, lines: str) -> None:
    (tmp_path / "daybreak.toml").write_text(f"[publish]\n{lines}\n", encoding="utf-8")
    assert load(tmp_path / "daybreak.toml", {}, {}).config.publish.beyond


def test_nothing_leaves_the_folder_by_itself() -> None:
    assert not PublishConfig().beyond
    assert PublishConfig().git_email.endswith(".invalid"), "nobody's address"
