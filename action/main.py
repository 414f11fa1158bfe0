"""The GitHub Action: `impact` on a pull request, `report` on a schedule.

It calls the `daybreak` program beside this Python, reads the event and the inputs from the environment as a runner gives
them, and asks GitHub for nothing but its own comment. No shell sees any text of the event.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

MARKER = "<!-- daybreak.impact/1 -->"
"""By this we find our earlier comment; `daybreak impact --format markdown` begins with it."""
_INDEX = b"<!-- daybreak.index/"
LEVELS = ("certain", "likely", "look")
MOST_PAGES = 30
PUBLIC = "https://api.github.com"
LONGEST = 65_000
"""Characters of a comment; GitHub takes 65,536."""
WORDS = {
    "en": {"gone": "No pin on a watched project differs from the base any more.", "cut": "… cut; all of it is in the job summary."},
    "zh": {"gone": "与 base 相比，受关注项目的 pin 已无变化。", "cut": "……已截断，全文见 job summary。"},
}  # fmt: skip


class Stop(Exception):
    """One sentence for the log; the step fails."""


def wish(name: str, default: str = "") -> str:
    return os.environ.get(f"INPUT_{name}", "").strip() or default


def say(kind: str, text: str) -> None:
    """An annotation of the run; what would end it early is written as the runner wants it."""
    plain = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    print(f"::{kind}::{plain}", flush=True)


def output(name: str, value: str) -> None:
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as file:
        file.write(f"{name}={value}\n")


def summary(text: str) -> None:
    place = os.environ.get("GITHUB_STEP_SUMMARY")
    if place:
        with Path(place).open("a", encoding="utf-8") as file:
            file.write(text)


def daybreak(*words: str, config: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The program; what it says goes to the log, what it answers to us."""
    program = Path(sys.executable).with_name("daybreak")
    command = [str(program), *words, *(["--config", str(config)] if config else [])]
    env = {name: value for name, value in os.environ.items() if name != "GITHUB_TOKEN"}
    token = _upstream_token(config)
    env |= {"GITHUB_TOKEN": token} if token else {}
    return subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=False)


def _upstream_token(config: Path | None) -> str:
    """For the GitHub that the config asks; the job's own goes to the GitHub that gave it, and to no other."""
    named = wish("UPSTREAM_TOKEN")
    if named or config is None or not config.is_file():
        return named
    asked = str(tomllib.loads(config.read_text(encoding="utf-8")).get("github", {}).get("api", PUBLIC))
    return os.environ.get("GITHUB_TOKEN", "") if asked.rstrip("/") == _api() else ""


def _api() -> str:
    """Address of the GitHub that this job runs on, Enterprise or not."""
    return os.environ.get("GITHUB_API_URL", PUBLIC).rstrip("/")


# --- GitHub ------------------------------------------------------------------------------------------------------------


def github(method: str, path: str, body: Any = None) -> Any:
    """One question to the API of this GitHub."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Accept": "application/vnd.github+json", "Authorization": f"Bearer {os.environ.get('GITHUB_TOKEN', '')}"}
    request = urllib.request.Request(_api() + path, data=data, headers=headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def comment(number: int, text: str | None, lang: str) -> None:
    """Our one comment, written or brought up to date; without a text, it is only brought up to date."""
    where = f"/repos/{os.environ['GITHUB_REPOSITORY']}/issues"
    try:
        old = _own(f"{where}/{number}/comments")
        if text is None and old is None:
            return
        body = text or f"{MARKER}\n{WORDS[lang]['gone']}\n"
        if len(body) > LONGEST:
            body = body[:LONGEST].rsplit("\n", 1)[0] + f"\n\n{WORDS[lang]['cut']}\n"
        if old is None:
            github("POST", f"{where}/{number}/comments", {"body": body})
        else:
            github("PATCH", f"{where}/comments/{old}", {"body": body})
    except urllib.error.HTTPError as error:
        why = "a pull request from a fork has no right to comment" if error.code in (403, 404) else f"HTTP {error.code}"
        say("warning", f"The comment could not be written ({why}); the answer is in the job summary.")
    except (OSError, ValueError) as error:
        say("warning", f"GitHub could not be asked ({error}); the answer is in the job summary.")


def _own(path: str) -> int | None:
    for page in range(1, MOST_PAGES + 1):
        rows = github("GET", f"{path}?per_page=100&page={page}")
        for row in rows:
            if str(row.get("body", "")).startswith(MARKER):
                return int(row["id"])
        if len(rows) < 100:
            return None
    return None


# --- impact ------------------------------------------------------------------------------------------------------------


def impact() -> int:
    """What the pins of this pull request do to its code; 1 by the policy of `fail-on`."""
    policy, lang = wish("FAIL_ON", "certain"), wish("LANG", "en")
    if policy not in (*LEVELS, "never"):
        raise Stop(f"fail-on is {policy!r}; use certain, likely, look or never.")
    if lang not in WORDS:
        raise Stop(f"lang is {lang!r}; use en or zh.")
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    pull = event.get("pull_request")
    if not pull:
        raise Stop("mode `impact` is for pull requests: on: pull_request.")
    base = _base(pull)
    counts, text = _asked(base, lang)
    for level in LEVELS:
        output(level, str(counts[level]))
    summary(text or "Daybreak: no pin on a watched project changed.\n")
    if wish("COMMENT", "true") == "true":
        comment(int(pull["number"]), text, lang)
    failing = LEVELS[: LEVELS.index(policy) + 1] if policy != "never" else ()
    bad = sum(counts[level] for level in failing)
    if bad:
        say("error", f"{bad} places of your code are touched by this upgrade (fail-on: {policy}).")
    return 1 if bad else 0


def _asked(base: str, lang: str) -> tuple[dict[str, int], str | None]:
    """Places by level, and the comment; None: no pin on a watched project changed."""
    counts = dict.fromkeys(LEVELS, 0)
    config = _config()
    if config is None:
        return counts, None
    sarif, note = wish("SARIF"), Path(os.environ.get("RUNNER_TEMP", ".")) / "daybreak-comment.md"
    note.unlink(missing_ok=True)
    save = ["--save", "markdown", str(note), *(["--save", "sarif", sarif] if sarif else [])]
    what = ("impact", wish("PATH", "."), "--bumps", base, "--lang", lang)
    done = daybreak(*what, "--json", *save, config=config)
    if done.returncode not in (0, 3):
        raise Stop("daybreak impact failed; its reason stands above.")
    told = json.loads(done.stdout)
    if not told["scopes"] and not told["not_watched"]:
        return counts, None
    if sarif:
        output("sarif", sarif)
    return counts | told["counts"], note.read_text(encoding="utf-8")


def _base(pull: dict[str, Any]) -> str:
    """The commit that the pull request is held against: what others merged since is not its doing.

    A runner checks out the merge with the base's newest commit, which is the first parent; the event's may be older.
    """
    head, base = str(pull["head"]["sha"]), str(pull["base"]["sha"])
    text = _git("cat-file", "commit", "HEAD").stdout.partition("\n\n")[0]
    parents = [row.removeprefix("parent ") for row in text.splitlines() if row.startswith("parent ")]
    if len(parents) == 2 and parents[1] == head:
        _have(parents[0])
        return parents[0]
    _have(base)
    return _git("merge-base", base, "HEAD").stdout.strip() or base


def _have(base: str) -> None:
    """A shallow checkout lacks the base; it is fetched alone."""
    if (
        _git("cat-file", "-e", f"{base}^{{commit}}").returncode
        and _git("fetch", "--depth=1", "origin", base).returncode
    ):
        raise Stop("The base of the pull request is not in the checkout; use fetch-depth: 0 in actions/checkout.")


def _git(*words: str) -> subprocess.CompletedProcess[str]:
    """Git in the checkout, whatever folder of it the code is in."""
    here = ["git", "-C", os.environ.get("GITHUB_WORKSPACE", ".")]
    return subprocess.run(
        [*here, *words], capture_output=True, text=True, encoding="utf-8", errors="replace", check=False
    )


def _config() -> Path | None:
    """The repository's own, or one of what its code builds on; None: it builds on nothing that is known."""
    named = wish("CONFIG")
    if named:
        return Path(named)
    if Path("daybreak.toml").is_file():
        return Path("daybreak.toml")
    folder = Path(os.environ.get("RUNNER_TEMP", ".")) / "daybreak"
    (folder / "daybreak.toml").unlink(missing_ok=True)
    done = daybreak("init", str(folder), "--from", wish("PATH", "."), "--timezone", "UTC")
    return folder / "daybreak.toml" if done.returncode == 0 else None


# --- report ------------------------------------------------------------------------------------------------------------


def report() -> int:
    """The daily job, and where its pages go."""
    config, to = Path(wish("CONFIG", "daybreak.toml")), wish("TO", "branch")
    if to not in ("branch", "issue", "pages", "none"):
        raise Stop(f"to is {to!r}; use branch, issue, pages or none.")
    if to == "issue":
        config = _with_issue(config)
    done = daybreak("run", config=config)
    if done.returncode == 3:
        say("warning", "Something was skipped; the report says what.")
    elif done.returncode:
        raise Stop("daybreak run failed; its reason stands above.")
    summary(done.stdout)
    if to == "branch":
        _push(config.parent)
    if to == "pages":
        site = config.parent / "site"
        if daybreak("site", "--out", str(site), config=config).returncode == 1:
            raise Stop("daybreak site failed; its reason stands above.")
        output("site", str(site))
    return 0


def _with_issue(config: Path) -> Path:
    """The same config with one issue a report in this repository, unless it says itself where reports go."""
    text = config.read_text(encoding="utf-8")
    known = tomllib.loads(text)
    if known.get("publish"):
        return config
    lines = [line for line in text.splitlines() if not line.replace(" ", "").startswith("[publish]")]
    other = config.with_name("daybreak.action.toml")
    repository = os.environ["GITHUB_REPOSITORY"]
    here = "" if "github" in known or _api() == PUBLIC else f'[github]\napi = "{_api()}"\n'
    text = "\n".join(lines) + f'\n{here}[publish]\ngithub_issue = "{repository}"\n'
    other.write_text(text, encoding="utf-8")
    return other


def _push(folder: Path) -> None:
    """Reports and the index of each language, on the branch that was checked out."""
    git = ["git", "-C", str(folder)]
    indexes = [page.name for page in sorted(folder.glob("README*.md")) if page.read_bytes().startswith(_INDEX)]
    subprocess.run([*git, "add", "--", "reports", *indexes], check=True)
    if not subprocess.run([*git, "diff", "--cached", "--quiet"], check=False).returncode:
        return
    who = ["-c", "user.name=Daybreak", "-c", "user.email=daybreak@example.invalid"]
    subprocess.run([*git, *who, "commit", "--quiet", "--message", "Daybreak: reports"], check=True)
    if subprocess.run([*git, "push", "--quiet", "origin", "HEAD"], check=False).returncode:
        raise Stop("The reports could not be pushed; the job needs `permissions: contents: write`.")


def main() -> int:
    """1: the policy says so, or something failed."""
    modes = {"impact": impact, "report": report}
    try:
        mode = modes.get(wish("MODE", "impact"))
        if mode is None:
            raise Stop(f"mode is {wish('MODE')!r}; use impact or report.")
        return mode()
    except Stop as error:
        say("error", str(error))
    except (OSError, ValueError, KeyError, subprocess.CalledProcessError) as error:
        say("error", f"The event or the checkout is not as expected: {type(error).__name__}: {error}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
