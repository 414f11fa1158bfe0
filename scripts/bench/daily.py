"""What is done every morning: a day collected, read, reported; an upgrade report; the impact on a code base."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from scripts.bench import generated, peers
from scripts.bench.cost import PROGRAM, PYTHON, Contend, Cost, git, plain, spend, task, total
from scripts.bench.table import MEMORY, Bar, Contender, Group
from scripts.bench.tasks import moments
from scripts.bench.views import commits

RANGE = 1000
"""Commits of an upgrade."""
PARSE = """
import ast, pathlib, sys
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.py")):
    ast.parse(path.read_bytes())
"""
GIT = "git log -p"


SINCE = "git log -p --since"
"""Quicker, since it stops at the first commit that is older, and so may lose some that lie below."""


def span(days: Sequence[str], since_flag: str = "--since-as-filter") -> list[str]:
    since, until = moments(days)
    return [f"{since_flag}={since.isoformat()}", f"--until={until.isoformat()}"]


def floors(repos: Sequence[Path], days: Sequence[str]) -> tuple[Contender, Contender]:
    """`git log -p` of some days, complete as ours is; and the quick one."""
    return (
        Contender(GIT, log(repos, "-p", *span(days))),
        Contender(SINCE, log(repos, "-p", *span(days, "--since"))),
    )


def beside_both(limit: float, of: Literal["wall", "cpu"]) -> tuple[Bar, Bar]:
    """A bar beside either of the two."""
    return Bar(limit, of, real_only=True), Bar(limit, of, over=SINCE, real_only=True)


def log(repos: Sequence[Path], *arguments: str) -> Contend:
    """What a user would type, in one repository after the other."""
    return lambda: total(
        spend(["git", "-C", str(repo), "log", "--first-parent", *arguments, "HEAD"])[0] for repo in repos
    )


@dataclass
class Place:
    """A folder with a config that watches some repositories."""

    folder: Path
    repos: Mapping[str, Path]
    config: Path = field(init=False)

    def __post_init__(self) -> None:
        rows = ['timezone = "UTC"\n']
        rows += [f'[[repo]]\nname = "{name}"\ngit = "{path}"\n' for name, path in self.repos.items()]
        self.folder.mkdir(parents=True, exist_ok=True)
        self.config = self.folder / "daybreak.toml"
        self.config.write_text("".join(rows), encoding="utf-8")

    @property
    def paths(self) -> list[Path]:
        return list(self.repos.values())

    def command(self, *arguments: str) -> Cost:
        return spend([PROGRAM, *arguments, "--config", str(self.config)])[0]

    def run(self, *arguments: str) -> Cost:
        return self.command("run", *arguments)

    def forget(self, *names: str) -> None:
        """Remove what earlier runs left: reports, what was read, the store; never the mirrors themselves."""
        for name in names:
            for path in self.folder.glob(name):
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def forget_reports(self) -> None:
        self.forget("reports", ".daybreak/published", ".daybreak/daybreak.db*")

    def forget_all(self) -> None:
        self.forget_reports()
        self.forget(".daybreak/cache", ".daybreak/mirrors/*/daybreak-recent")


def count(repos: Sequence[Path], days: Sequence[str]) -> int:
    return sum(int(git(repo, "rev-list", "--first-parent", "--count", *span(days), "HEAD")) for repo in repos)


# --- a day -----------------------------------------------------------------------------------------------------------


def day_group(place: Place, day: str, rounds: int) -> Group:
    """Collecting alone; what it found of the fortnight before is kept from round to round, unless said."""
    days, there = (day, day), count(place.paths, (day, day))
    two = task("collect", config=place.config, days=days, workers=2)

    def anew() -> Cost:
        place.forget(".daybreak/mirrors/*/daybreak-recent")
        return two()

    def checked() -> Cost:
        cost = two()
        if cost.count != there:
            raise SystemExit(f"collected {cost.count} commits, git has {there}")
        return cost

    return Group(
        f"collect one day, {len(place.repos)} repositories, {there} commits",
        "wall",
        (
            *floors(place.paths, days),
            Contender("git log -p, given shas", _given(place.paths, days)),
            Contender("ours, the fortnight before anew", anew),
            Contender(
                "ours, 2 workers",
                checked,
                (*beside_both(0.45, "wall"), peers.faster_than_pydriller(3), Bar(MEMORY, "MiB")),
            ),
            Contender(
                "ours, 1 worker", task("collect", config=place.config, days=days), (Bar(1.15, "cpu", real_only=True),)
            ),
            *peers.both(place.paths, days),
        ),
        rounds,
        lambda: place.run("--date", day),
        commits=there,
    )


def _given(repos: Sequence[Path], days: Sequence[str]) -> Contend:
    """`git log -p` of the same commits, given by name: no walking at all."""
    command = ("log", "-p", "--no-walk=unsorted", "--diff-merges=first-parent", "--stdin")
    shas = {repo: git(repo, "log", "--first-parent", "--format=%H", *span(days), "HEAD") for repo in repos}
    return lambda: total(
        spend(["git", "-C", str(repo), *command], stdin=given)[0] for repo, given in shas.items() if given
    )


def read_group(place: Place, day: str, rounds: int) -> Group:
    given = {"config": place.config, "days": (day, day)}
    return Group(
        "read the same day, nothing read before",
        "cpu",
        (
            Contender("ast.parse of its .py, both sides", task("parse", **given)),
            Contender("ours, every language", task("read", **given), (Bar(MEMORY, "MiB"),)),
            peers.pydriller(place.paths, days=(day, day), methods=True),
            peers.reads_nothing(),
        ),
        rounds,
    )


def run_group(place: Place, day: str, rounds: int) -> Group:
    def run() -> Cost:
        place.forget_reports()
        place.forget(".daybreak/cache")
        return place.run("--date", day)

    def warm() -> Cost:
        place.forget_reports()
        return place.run("--date", day)

    first = "ours, first"
    return Group(
        "daybreak run, the same day",
        "wall",
        (
            *floors(place.paths, (day, day)),
            Contender(first, run, (Bar(12.0, "wall", real_only=True), Bar(150.0, "MiB"))),
            Contender("ours, contents read before", warm, (Bar(3.0, "wall", real_only=True),)),
            Contender(
                "ours, reported before",
                lambda: place.run("--date", day),
                (Bar(0.25, "wall", over=first, minus="daybreak --version"),),
            ),
            Contender("daybreak --version", plain(PROGRAM, "--version")),
        ),
        rounds,
        lambda: place.run("--date", day),
    )


def help_group(rounds: int) -> Group:
    return Group(
        "daybreak --help",
        "wall",
        (
            Contender("python -c pass", plain(PYTHON, "-c", "pass")),
            Contender("ours", plain(PROGRAM, "--help"), (Bar(6.0, "wall"),)),
        ),
        rounds,
    )


# --- an upgrade ------------------------------------------------------------------------------------------------------


def upgrade_groups(place: Place, asked: Sequence[str] | None, rounds: int) -> tuple[Group, Group]:
    """The given range, or the last commits of the repository that has most; and its impact."""
    name = asked[0] if asked else next(iter(place.repos))
    most = commits(place.repos[name]) - 1
    start, near, end = (
        git(place.repos[name], "rev-parse", f"HEAD~{min(n, most)}").decode().strip() for n in (RANGE, 50, 0)
    )
    whole, few = (asked[1] if asked else f"{start}..{end}"), f"{near}..{end}"
    return _range(place, name, whole, rounds), _impact(place, name, few, rounds)


def _range(place: Place, name: str, whole: str, rounds: int) -> Group:
    def prepare() -> None:
        place.command("range", name, whole)  # makes the mirror

    def warm() -> Cost:
        return place.command("range", name, whole, "--offline")

    def cold() -> Cost:
        place.forget(".daybreak/cache")
        return warm()

    command = ["git", "-C", str(place.repos[name]), "log", "-p", "--first-parent", whole]
    return Group(
        f"daybreak range, {name}, {int(git(place.repos[name], 'rev-list', '--first-parent', '--count', whole))} commits",
        "wall",
        (
            Contender(GIT, lambda: spend(command)[0]),
            Contender("ours, nothing read before", cold, (Bar(12.0, "wall", real_only=True), Bar(300.0, "MiB"))),
            Contender("ours, commits read before", warm, (Bar(2.0, "wall", real_only=True),)),
        ),
        rounds,
        prepare,
    )


def _impact(place: Place, name: str, few: str, rounds: int) -> Group:
    code = place.folder / "code"

    def impact() -> Cost:
        return place.command("impact", str(code), "--range", name, few, "--offline")

    def prepare() -> None:
        generated.code_base(code, name.rpartition("/")[2].replace("-", "_"))
        impact()

    return Group(
        "daybreak impact, 200,000 lines of code, commits read before",
        "wall",
        (
            Contender("ast.parse of the code", lambda: spend([PYTHON, "-c", PARSE, str(code)])[0]),
            Contender("ours", impact, (Bar(3.0, "wall"), Bar(300.0, "MiB"))),
        ),
        rounds,
        prepare,
    )
