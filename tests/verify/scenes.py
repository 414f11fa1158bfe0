"""Small histories, true reports about them in many forms, and one false claim of each sort to plant in a report."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from daybreak.core.git_program import Git
from daybreak.verify.mirror import Mirror
from gitrepo import GitRepo

DAY = "2026-01-19"
SHANGHAI = timezone(timedelta(hours=8))
AUTHORS = ("Ann Lee", "王晓明", "Zhang Yiyang (SII)", "Inès Lefèvre", "renew-bot")
WORDS = ("scheduler", "cache", "router", "sampler", "loader", "kernel", "tokenizer", "batcher")
QUIET, ENGINE, KERNELS = "acme/quiet", "acme/engine", "acme/kernels"


@dataclass(frozen=True)
class Made:
    """A commit as the report may tell it."""

    repo: str
    sha: str
    subject: str
    number: int
    author: str
    at: int
    files: dict[str, tuple[int, int]]
    line: str
    """One added line of its diff."""

    @property
    def short(self) -> str:
        return self.sha[:9]

    @property
    def link(self) -> str:
        return f"[`{self.short}`](https://github.com/{self.repo}/commit/{self.sha})"

    @property
    def pull(self) -> str:
        return f"[#{self.number}](https://github.com/{self.repo}/pull/{self.number})"

    def time(self, zone: timezone = SHANGHAI) -> str:
        return datetime.fromtimestamp(self.at, zone).strftime("%Y-%m-%d %H:%M:%S")


@dataclass
class World:
    """Three repositories: two with commits of the day and older ones, one without any of the day."""

    repos: dict[str, GitRepo]
    mirrors: dict[str, Mirror]
    today: list[Made]
    older: list[Made]

    def of(self, repo: str) -> list[Made]:
        return [made for made in self.today if made.repo == repo]


def mirror(name: str, repo: GitRepo) -> Mirror:
    return Mirror(name, f"https://github.com/{name}", Git(dict(os.environ)), repo.path)


def build(folder: Path) -> World:
    repos = {name: GitRepo.make(folder / f"{name.rpartition('/')[2]}.git") for name in (ENGINE, KERNELS, QUIET)}
    world = World(repos, {}, [], [])
    number = 100
    for name, repo in repos.items():
        for when in ("2026-01-10", "2026-01-11", *([DAY] * (6 if name == ENGINE else 3 if name == KERNELS else 0))):
            number += 1
            made = _commit(repo, name, number, when)
            (world.today if when == DAY else world.older).append(made)
    world.mirrors = {name: mirror(name, repo) for name, repo in repos.items()}
    return world


def _commit(repo: GitRepo, name: str, number: int, day: str) -> Made:
    rng = random.Random(number)
    short = name.rpartition("/")[2]
    word = WORDS[number % len(WORDS)]
    subject = f"[Core] Rework the {word} of {short} for batch {number} (#{number})"
    added = [f"    value_{number}_{n} = {word}.step({n})" for n in range(rng.randint(2, 5))]
    path, other = f"{short}/{word}_{number}.py", f"tests/test_{word}_{number}.py"
    body = "\n".join([f"def run_{word}_{number}():", *added, ""])
    at = int(datetime.fromisoformat(f"{day}T{4 + number % 9:02}:{number % 60:02}:{number % 50:02}+00:00").timestamp())
    author = AUTHORS[number % len(AUTHORS)]
    sha = repo.commit(subject, {path: body, other: f"assert run_{word}_{number}()\n"}, at=at, author=author)
    return Made(name, sha, subject, number, author, at, {path: (len(added) + 1, 0), other: (1, 0)}, added[0])


# --- true reports ------------------------------------------------------------------------------------------------------


def true_report(rng: random.Random, world: World, language: str) -> str:
    """Every claim of it holds."""
    zh = language == "zh"
    out = [f"# {'每日更新报告' if zh else 'Daily report'} ({DAY})", ""]
    out += [f"- [{name}](#{name.replace('/', '')})" for name in (ENGINE, KERNELS)]
    for name in rng.sample((ENGINE, KERNELS), 2):
        out += ["", f"## {name}", ""]
        rows = world.of(name)
        rng.shuffle(rows)
        out += rng.choice((_sections, _table, _bullets, _notes))(rng, rows[: rng.randint(2, len(rows))], zh)
    out += ["", f"### {QUIET}", "", "昨日无更新。" if zh else "No updates yesterday."]
    out += ["", "## 总结" if zh else "## Summary", ""]
    out += ["以上各项均已逐一核对完毕。"] * 3 if zh else ["Everything above was looked at with care and in time."] * 3
    return "\n".join(out) + "\n"


def _sections(rng: random.Random, rows: list[Made], zh: bool) -> list[str]:
    out = []
    for one in rows:
        out += [
            f"### {one.subject}",
            "",
            f"**SHA**: `{one.sha[:7]}` | [{'查看提交' if zh else 'the commit'}]({_url(one)})",
            "",
        ]
        out += _facts(rng, one, zh)
        out += ["", "```diff", f"+{one.line}", "```", ""]
    return out


def _facts(rng: random.Random, one: Made, zh: bool, indent: str = "") -> list[str]:
    dash = rng.choice("-\u2011\u2013")
    who = (
        f"作者: {one.author}，{DAY.replace('-', dash if dash != chr(0x2013) else '-')}"
        if zh
        else f"Author: {one.author}, {DAY}"
    )
    files = [_count(rng, path, *count, zh) for path, count in one.files.items()]
    total = (sum(c[n] for c in one.files.values()) for n in (0, 1))
    added, deleted = total
    lines = [who, ("变更: " if zh else "Changes: ") + ("、" if zh else ", ").join(files)]
    lines.append(
        f"规模: {len(one.files)} 个文件 +{added} −{deleted}"
        if zh
        else f"Size: {len(one.files)} files +{added} -{deleted}"
    )
    if zh:
        lines.append(f"合计: 累计 +{added} / -{deleted} 行。")
    lines.append("说明: 这一改动让批处理更稳。" if zh else "Note: this makes the batches steadier than before.")
    return [f"{indent}- {line}" for line in lines]


def _count(rng: random.Random, path: str, added: int, deleted: int, zh: bool) -> str:
    short = rng.choice((path, path, path.rpartition("/")[2]))
    forms = (f"`{short}` (+{added} -{deleted})", f"`{short}` (+{added} −{deleted})")
    chinese = (f"`{short}`（+{added} / –{deleted} 行）", f"`{short}`（+{added} 行）", f"`{short}` 新增 {added} 行")
    return rng.choice(forms + chinese if zh else (*forms, f"`{short}` (+{added} lines)"))


def _table(rng: random.Random, rows: list[Made], zh: bool) -> list[str]:
    zone = rng.choice((SHANGHAI, UTC))
    linked = rng.random() < 0.5
    head = ["提交时间", "作者", "提交信息"] if zh else ["committed", "author", "subject"]
    out = ["| " + " | ".join(head + ["link"] * linked) + " |", "|" + " --- |" * (3 + linked)]
    ends = [f" {one.link} |" if linked else "" for one in rows]
    return out + [f"| {r.time(zone)} | {r.author} | {r.subject} |{end}" for r, end in zip(rows, ends, strict=True)]


def _bullets(rng: random.Random, rows: list[Made], zh: bool) -> list[str]:
    out = ["提交：" if zh else "Commits:", ""]
    for one in rows:
        out.append(f"- {one.subject} {one.link}")
        out.append(f"- {'受影响文件' if zh else 'Files'}: {', '.join(one.files)}")
    return out


def _notes(rng: random.Random, rows: list[Made], zh: bool) -> list[str]:
    out = []
    for one in rows:
        out.append(f"- **{'修复' if zh else 'Fix'}** {one.pull} {one.link}")
        out += _facts(rng, one, zh, "  ")
    return out


def _url(one: Made) -> str:
    return f"https://github.com/{one.repo}/commit/{one.sha}"


# --- one false claim ---------------------------------------------------------------------------------------------------

Plant = Callable[[random.Random, str, World], str | None]
"""The report with one false claim; None when the report has no such claim to falsify."""


def _swap(rng: random.Random, text: str, pattern: str, new: Callable[[re.Match[str]], str]) -> str | None:
    found = list(re.finditer(pattern, text))
    if not found:
        return None
    m = rng.choice(found)
    return text[: m.start()] + new(m) + text[m.end() :]


def _other_digit(digit: str) -> str:
    return "0123456789abcdef"[("0123456789abcdef".index(digit) + 1) % 16]


def wrong_sha(rng: random.Random, text: str, world: World) -> str | None:
    return _swap(rng, text, r"/commit/([0-9a-f]{40})", lambda m: f"/commit/{m[1][:-1]}{_other_digit(m[1][-1])}")


def short_link(rng: random.Random, text: str, world: World) -> str | None:
    return _swap(rng, text, r"/commit/([0-9a-f]{40})", lambda m: f"/commit/{m[1][:20]}{m[1][21:]}")


def wrong_label(rng: random.Random, text: str, world: World) -> str | None:
    return _swap(rng, text, r"\[`([0-9a-f]{9})`\]", lambda m: f"[`{_other_digit(m[1][0])}{m[1][1:]}`]")


def wrong_number(rng: random.Random, text: str, world: World) -> str | None:
    return _swap(
        rng, text, r"\[#(\d+)\]\((.*?)/pull/\d+\)", lambda m: f"[#{int(m[1]) + 800}]({m[2]}/pull/{int(m[1]) + 800})"
    )


def wrong_pull_label(rng: random.Random, text: str, world: World) -> str | None:
    return _swap(rng, text, r"\[#(\d+)\](?=\(https)", lambda m: f"[#{int(m[1]) + 1}]")


def commit_called_pull(rng: random.Random, text: str, world: World) -> str | None:
    one = rng.choice(world.of(ENGINE))
    return _into(text, ENGINE, f"- PR: <{_url(one)}>")


def wrong_author(rng: random.Random, text: str, world: World) -> str | None:
    return _swap(rng, text, "|".join(map(re.escape, AUTHORS)), lambda m: "Nobody Else")


def wrong_date(rng: random.Random, text: str, world: World) -> str | None:
    return _swap(
        rng, text, r"(?<=[，,|] )2026-01-19(?= |\n)|(?<=，)2026-01-19|(?<=\| )2026-01-19(?= \d)", lambda m: "2026-01-13"
    )


def wrong_path(rng: random.Random, text: str, world: World) -> str | None:
    return _swap(rng, text, r"(?:engine|kernels|tests)/\w+\.py", lambda m: "engine/never_was_here.py")


def wrong_count(rng: random.Random, text: str, world: World) -> str | None:
    return _swap(
        rng,
        text,
        r"(?<=[（(]\+)\d+|(?<=新增 )\d+|(?<=文件 \+)\d+|(?<=files \+)\d+|(?<=累计 \+)\d+",
        lambda m: str(int(m[0]) + 7),
    )


def false_no_update(rng: random.Random, text: str, world: World) -> str | None:
    return text.replace(f"### {QUIET}", f"### {KERNELS}")


def wrong_anchor(rng: random.Random, text: str, world: World) -> str | None:
    return _swap(rng, text, r"\]\(#(\w+)\)", lambda m: f"](#-{m[1]}-2)")


def wrong_snippet(rng: random.Random, text: str, world: World) -> str | None:
    return _swap(rng, text, r"(?<=\n\+)    (value_\w+) = (\w+)\.step", lambda m: f"    {m[1]} = {m[2]}.stride")


def invented_code(rng: random.Random, text: str, world: World) -> str | None:
    one = rng.choice(world.of(ENGINE))
    return _into(text, ENGINE, f"- {one.link}\n\n  ```python\n  def never_written_{one.number}(a):\n      ...\n  ```")


def wrong_title(rng: random.Random, text: str, world: World) -> str | None:
    return _swap(rng, text, r"(?<=Rework the )\w+(?= of \w+ for batch \d+ \(#)", lambda m: f"{m[0]}s and more")


def older_commit(rng: random.Random, text: str, world: World) -> str | None:
    one = rng.choice([made for made in world.older if made.repo == ENGINE])
    return _into(text, ENGINE, f"- {one.subject} {one.link}")


def other_repository(rng: random.Random, text: str, world: World) -> str | None:
    return _into(text, ENGINE, f"- `{rng.choice(world.of(KERNELS)).sha[:7]}`: a change")


def _into(text: str, repo: str, line: str) -> str:
    """Below the heading of the repository."""
    head = f"\n## {repo}\n"
    return text.replace(head, f"{head}\n{line}\n", 1)


def cut_off(rng: random.Random, text: str, world: World) -> str | None:
    rows = text.rstrip("\n")
    return rows[: -len("逐一核对完毕。")] if rows.endswith("。") else rows[: -len("care and in time.")].rstrip()


def open_block(rng: random.Random, text: str, world: World) -> str | None:
    return f"{text}\n```python\nprint(1)\n"


def empty_heading(rng: random.Random, text: str, world: World) -> str | None:
    return text.replace("\n## ", "\n## 风险 / Risks\n\n## ", 1)


def leak(rng: random.Random, text: str, world: World) -> str | None:
    words = (
        "正文已截断（`body_truncated: true`）。",
        "Issue 内容已截断。",
        '{"sha": "abc", "patch": "@@ -1 +1 @@"}',
        "As an AI language model I summarise this.",
        "作为一个AI语言模型，我无法访问网络。",
        "<|im_start|>assistant",
        "The diff was truncated here.",
    )
    return _into(text, ENGINE, rng.choice(words))


PLANTS: dict[str, tuple[Plant, set[str]]] = {
    "wrong sha": (wrong_sha, {"sha"}),
    "short link": (short_link, {"link"}),
    "wrong label": (wrong_label, {"label"}),
    "wrong number": (wrong_number, {"pull request"}),
    "wrong pull label": (wrong_pull_label, {"label"}),
    "commit called pull request": (commit_called_pull, {"label"}),
    "wrong author": (wrong_author, {"author"}),
    "wrong date": (wrong_date, {"date"}),
    "wrong path": (wrong_path, {"path"}),
    "wrong count": (wrong_count, {"line count"}),
    "false no update": (false_no_update, {"no update"}),
    "wrong anchor": (wrong_anchor, {"anchor"}),
    "wrong snippet": (wrong_snippet, {"snippet"}),
    "invented code": (invented_code, {"snippet"}),
    "wrong title": (wrong_title, {"title"}),
    "older commit": (older_commit, {"day"}),
    "other repository": (other_repository, {"sha"}),
    "cut off": (cut_off, {"whole"}),
    "open block": (open_block, {"whole"}),
    "empty heading": (empty_heading, {"whole"}),
    "leak": (leak, {"leak"}),
}
"""Name -> how it is planted, and the sort of claim that must be found false."""
