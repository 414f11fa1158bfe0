"""`daybreak init`: a commented config with the default watchlist."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

from daybreak.cli.console import Voice
from daybreak.core.errors import EXIT_DONE, UsageError, WriteError

DEFAULT = """\
# What Daybreak watches and how it reports. Every key that is left out has the value shown behind `#`.

timezone = "Asia/Shanghai"      # the day's zone; the report states it
languages = ["zh", "en"]        # the first is the main edition
out = "."                       # where reports/ and README.md go: a folder of its own
# store = "sqlite:///.daybreak/daybreak.db"

[[repo]]
name = "deepseek-ai/DeepGEMM"   # git and web addresses follow from the name

[[repo]]
name = "deepseek-ai/FlashMLA"

[[repo]]
name = "NVIDIA/cutlass"

[[repo]]
name = "flashinfer-ai/flashinfer"

[[repo]]
name = "Dao-AILab/flash-attention"

[[repo]]
name = "sgl-project/sglang"

[[repo]]
name = "vllm-project/vllm"
# git = "/srv/mirrors/vllm.git" # any URL or path git can fetch from
# branch = "main"               # the default branch when left out
# paths = ["vllm/**"]           # commits that touch nothing of these are only listed
# exclude = ["docs/**"]         # commits that touch nothing else are only listed

[[repo]]
name = "NVIDIA/cutile-python"

[github]                        # issues, pull requests, releases; tokens from the environment: GITHUB_TOKEN
# ask = false                   # true: of every repository; left out: of those whose git address is on GitHub
# api = "https://ghe.example.com/api/v3"   # GitHub Enterprise
# offline = true                # only answers that the store has: nobody is asked

[reader]                        # what is not yours goes down in the report, not away
# hardware = ["sm90", "sm100"]
# models = ["deepseek", "qwen"]
# ignore = ["diffusion", "npu"]

[analyst]                       # who writes the prose: docs/models.md
# kind = "llm"                  # needs: pip install "daybreak[llm]"
# base_url = "https://api.openai.com/v1"
# model = "…"
# api_key_env = "OPENAI_API_KEY"   # the name of the variable, never the key
# budget = { tokens = 0, money = 0.0 }   # of one run; 0: no limit

[publish]                       # where reports go besides this folder: docs/publishing.md
# site = true                   # keep site/ up to date with every run
# git = "git@github.com:our-team/news.git"   # push the pages to its branch `reports`
# github_issue = "our-team/news"   # one issue a report; GITHUB_TOKEN

[notify]                        # needs: pip install "daybreak[notify]"; docs/notify.md
# urls = ["feishu://${FEISHU_TOKEN}"]   # ${NAME} is taken from the environment
# link = "https://our-team.github.io/news/"

[execute]
# workers = 0                   # repositories at once; 0: one a core, at most eight
# processes = true              # processes instead of threads: they parse side by side
# kind = "ray"                  # a cluster: pip install "daybreak[ray]"; address = "auto"

[schedule]                      # for `daybreak serve --schedule`
# at = "08:00"                  # in the zone above
# catch_up = 7                  # days before yesterday that are reported as well after downtime; at most 31

[retention]                     # reports and facts always stay
# days = 0                      # runs and raw answers older than this are dropped; 0: they stay
"""


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """`daybreak init [DIR]`."""
    parser = commands.add_parser(
        "init", parents=[common], allow_abbrev=False, help="write a commented daybreak.toml with the default watchlist"
    )
    parser.add_argument("folder", metavar="DIR", nargs="?", default=".", help="folder to write it to (default: here)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    """Write the file unless there is one."""
    target = Path(arguments.folder) / "daybreak.toml"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8") as file:
            file.write(DEFAULT)
    except FileExistsError:
        raise UsageError(f"{target} is already there and is left alone.", "Edit it, or name another folder.") from None
    except OSError as error:
        raise WriteError(
            f"{target} could not be written: {error.strerror}.", "Choose a folder you may write to."
        ) from error
    voice.say(f"wrote {target}; next: cd {shlex.quote(str(target.parent))} && daybreak run")
    return EXIT_DONE
