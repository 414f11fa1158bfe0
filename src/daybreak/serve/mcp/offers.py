"""Resources and prompts of the MCP server: days to put beside a conversation, and questions that teams ask again and again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from daybreak.serve.mcp import days
from daybreak.serve.mcp.context import Desk, visible

JSON = "application/json"
_LONGEST = 200
"""Characters of an argument that a prompt repeats."""


class Server(Protocol):
    """What of the server is needed here: `server.py` alone knows the package."""

    def resource(self, uri: str, /, *, title: str, mime_type: str) -> Callable[[Callable[..., str]], Any]: ...

    def prompt(self, /, *, title: str) -> Callable[[Callable[..., str]], Any]: ...


def offer(server: Server, desk: Desk) -> None:
    """Adds them; the same data as the tools give, with strangers' texts marked alike."""
    _resources(server, desk)
    _prompts(server)


def _resources(server: Server, desk: Desk) -> None:
    @server.resource("daybreak://days", title="Reported days", mime_type=JSON)
    def reported_days() -> str:
        """Reported days, newest first, with counts by importance; also the watchlist, time zone and languages."""
        return _json(days.list_days(desk, None, None, 100, None))

    @server.resource("daybreak://days/{date}", title="One day", mime_type=JSON)
    def one_day(date: str) -> str:
        """One day's report: what to act on, what touches your code, changes by importance. `date`: a day, or `latest`."""
        return _json(days.get_report(desk, date, None, None, "medium", None, 25, None))


def _prompts(server: Server) -> None:
    @server.prompt(title="What must we act on today?")
    def today(repo: str = "") -> str:
        """What of the newest day asks for action, with the way out."""
        return (
            f"Call get_report with date `latest`{_about(repo)}. Name what must be acted on, gravest first, each with who "
            "meets it, what to do, and the address of its commit. Name what was skipped. Add nothing that is not in it."
        )

    @server.prompt(title="What do we do before an upgrade?")
    def before_upgrade(repo: str, old: str, new: str = "latest") -> str:
        """Steps before going from one release to another."""
        return (
            f"Call list_breaking{_about(repo)} and range `{_word(old)}..{_word(new)}`, first with mark `breaks`, then "
            "`deprecates`, and `internals` for plug-ins and forks; go on with `cursor` until nothing is omitted. Make a "
            "checklist in the order in which a deployment meets it: before, after, what to do, address of the change."
        )

    @server.prompt(title="What became of a name?")
    def life_of(name: str, repo: str = "") -> str:
        """The life of a flag, variable, class or operator."""
        return (
            f"Call symbol_history with name `{_word(name)}`{_about(repo)}. Tell when it came, changed, was renamed or "
            "went, in which release, and what to use now; say whether the whole history was looked at."
        )

    @server.prompt(title="The last week in two minutes")
    def last_week() -> str:
        """A week for somebody who was away."""
        return (
            "Call list_days with limit 7, then get_report with sections `summary`, `actions` and `stories` for each of "
            "them. Leave out what a later day took back. Give at most ten lines, each with the address of its commit."
        )


def _about(repo: str) -> str:
    return f" with repo `{_word(repo)}`" if repo.strip() else ""


def _word(given: str) -> str:
    """An argument on one line, without what would end its quotation."""
    return visible(" ".join(given.replace("`", "'").split()), _LONGEST)


def _json(answer: Any) -> str:
    return msgspec.json.encode(answer).decode()
