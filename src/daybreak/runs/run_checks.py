"""Checks of what a run needs: git, upstreams, GitHub, models, a folder of its own; each answers in words, or raises what a run would meet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from daybreak.core.config import Settings
from daybreak.core.errors import ConfigError, DaybreakError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Repo
from daybreak.core.model.items import Envelope
from daybreak.runs.wiring import mirror_path, program

if TYPE_CHECKING:
    from daybreak.prose.llm.endpoints import Endpoint


def git_version(environment: Mapping[str, str]) -> str:
    """The git program's version in words; raises when there is none, or an old one."""
    return "git " + ".".join(map(str, Git(environment).version()))


def ask_upstream(settings: Settings, repo: Repo, offline: bool) -> str:
    """Where a repository stands upstream, or that its mirror is on disk; raises what a run would meet."""
    from daybreak.collect.git.mirror import reachable

    if not offline:
        return f"{repo.name}: {reachable(program(settings), repo)}"
    if mirror_path(settings, repo).exists():
        return f"{repo.name}: mirror on disk"
    raise ConfigError(f"{repo.name} has no mirror on disk.", "Run once without --offline.")


def refuse_foreign(settings: Settings) -> None:
    """Raises when a file that is not ours stands where the index would be written."""
    from daybreak.deliver.publish.folder import FolderPublisher

    FolderPublisher(settings.out).refuse_foreign(["README.md"])


def ask_github(settings: Settings, offline: bool) -> str:
    """Which credentials there are and what GitHub leaves them, in words; raises what a run would meet."""
    from daybreak.collect.github.client import Bounds
    from daybreak.collect.github.requests import ForgeFault
    from daybreak.collect.github.source import Credentials, GithubSource

    credentials = Credentials.found_in(settings.environment)
    told = f"GitHub: {credentials}" + (
        "" if credentials else " (GITHUB_TOKEN is not set: 50 requests a run, releases and new issues first)"
    )
    if not any(map(settings.asked, settings.repos())):
        return f"{told}; no repository is asked about"
    if offline or settings.config.github.offline:
        return f"{told}; not asked now"
    source = GithubSource(_Nothing(), credentials, settings.config.github.api, bounds=Bounds(tries=2, wait=0.0))
    try:
        limit = source.limit()
    except ForgeFault as fault:
        raise DaybreakError(f"GitHub {fault.reason}.", fault.tip or "Check [github] api and the network.") from None
    finally:
        source.close()
    return f"{told}; " + (
        "no limit" if limit is None else f"{limit.remaining} of {limit.limit} requests left this hour"
    )


class _Nothing:
    """Keeps no answers."""

    def get(self, *_: str) -> None:
        return None

    def put(self, _: Sequence[Envelope], /) -> None:
        return None


def ask_models(settings: Settings, offline: bool) -> list[tuple[str, Callable[[], str]]]:
    """For each model that the config names: what to call it, and a question that tells of it or raises what a run meets."""
    import asyncio

    from daybreak.prose.llm.endpoints import critic_of, endpoints_of
    from daybreak.prose.llm.opening import look_at

    config = settings.config.analyst
    if config.kind != "llm":
        return []
    critic = critic_of(config, settings.environment)
    found = (*endpoints_of(config, settings.environment), *([critic] if critic else []))

    def asked(endpoint: Endpoint) -> str:
        return asyncio.run(look_at(endpoint, offline=offline))

    return [(f"model {one.model}", partial(asked, one)) for one in found]
