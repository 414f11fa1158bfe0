"""The MCP server: tools with arguments, limits and schemas; over HTTP behind checks of Host, Origin and token."""

from __future__ import annotations

import difflib
import functools
import inspect
import re
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field, ValidationError
from pydantic.fields import FieldInfo
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from daybreak import __version__
from daybreak.core.errors import DaybreakError
from daybreak.core.http import is_loopback
from daybreak.core.words.phrases import languages
from daybreak.findings.kinds import kinds
from daybreak.serve.mcp import answers, breaking, changes, days, statements
from daybreak.serve.mcp.context import NOTICE, Desk, address, plain_word, quoted, visible
from daybreak.serve.mcp.days import Room, start_of
from daybreak.serve.mcp.offers import offer

if TYPE_CHECKING:
    from daybreak.site.search import Hit, Search


# --- Tool `search`: the index of reported days, asked as on the pages and the command line ---


_LOCK = threading.Lock()


class Searcher:
    """Opened by the first question and kept: the index follows the archive by itself."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._search: Search | None = None

    def find(self, query: str, limit: int = 20, language: str | None = None, cursor: str | None = None) -> answers.Hits:
        """Best first."""
        start, room = start_of(cursor)[1], Room()
        lang = self._desk.language(language)
        found = self._opened().find(query, limit, start, lang)
        rows = room.fill("hits", found.hits, lambda hit: row_of(hit, lang), limit)
        after = start + len(rows)
        left: answers.Omitted = (
            {"hits": {"count": found.total - after, "next": f"hits:{after}"}} if found.total > after and rows else {}
        )
        answer: answers.Hits = {
            "total": found.total, "hits": rows, "missing": list(found.missing), "omitted": left
        }  # fmt: skip
        if found.also:
            answer["also"] = list(found.also)
        if found.suggestion:
            answer["suggestion"] = found.suggestion
        return answer

    def _opened(self) -> Search:
        from daybreak.site.search import open_search

        with _LOCK:
            if self._search is None:
                self._search = open_search(self._desk.settings)
            return self._search

    def close(self) -> None:
        with _LOCK:
            if self._search is not None:
                self._search.close()
                self._search = None


def row_of(hit: Hit, language: str) -> answers.Hit:
    row: answers.Hit = {
        "kind": hit.kind,
        "repo": hit.repo,
        "date": hit.label,
        "url": address(hit.url),
        "page": f"{language}/{hit.url_path}",
        "breaking": hit.breaking,
        "untrusted": quoted(300, title=hit.title, author=hit.author, snippet=hit.snippet),
    }
    if hit.level:
        row["level"] = hit.level
    if hit.later:
        row["later"] = {"what": hit.later.what, "date": hit.later.label, "sha": hit.later.sha[:12]}
    if hit.kind == "change":
        row["sha"] = hit.id[:12]
    elif hit.id.isdigit():
        row["number"] = int(hit.id)
    elif plain_word(hit.id) is None:
        row["untrusted"] |= quoted(100, id=hit.id)
    return row


INSTRUCTIONS = f"""\
Daybreak reports each day what changed in the repositories a team builds on. These tools read reported days and git \
mirrors on this machine; they change nothing and ask no network.
{NOTICE}
Facts come from code that read the diff: cite them by `url`, `sha` and finding `id` (`SHA/N`). Sentences marked \
`by: model` passed a checker. What a list leaves off is counted under `omitted`; call the tool again with the same \
arguments and its `next` as `cursor`. What could not be read is named under `skipped`: do not take it for "nothing \
happened". Begin with list_days or search; get_change has the evidence of one change."""

DAY = r"^\d{4}-\d{2}-\d{2}$"
Date = Annotated[str | None, Field(pattern=DAY, description="A day such as 2026-01-31")]
Repo = Annotated[str | None, Field(max_length=200, description="A repository of the watchlist: OWNER/NAME, or NAME")]
if TYPE_CHECKING:
    _Code = str
else:  # the schema of a tool names the languages that there are
    _Code = Literal[languages()]
Language = Annotated[_Code | None, Field(description="Language of sentences; default: the config's first")]
Cursor = Annotated[str | None, Field(max_length=40, description="`next` of an earlier answer, with the same arguments")]
Limit = Annotated[int, Field(ge=1, le=100, description="Rows at most")]
Level = Annotated[Literal["high", "medium", "low"], Field(description="Least importance; what breaks is always told")]
_SURFACES = {one.surface: None for one in kinds().values()}
KINDS = f"A surface ({', '.join(_SURFACES)}) or a kind: {', '.join(kinds())}"
READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


class OurTool(Tool):
    """A tool whose faults are one sentence and a tip, and which refuses arguments that it does not know."""

    async def run(self, arguments: dict[str, Any], context: Any, convert_result: bool = False) -> Any:
        try:
            return await super().run(arguments, context, convert_result)
        except UnexpectedToolError as error:
            if isinstance(error.__cause__, DaybreakError):
                return _fault(error.__cause__.message, error.__cause__.tip)
            raise
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                return _fault(*_in_words(error.__cause__, self.fn_metadata.arg_model.model_fields))
            raise


def _fault(message: str, tip: str) -> CallToolResult:
    text = visible(f"{message} {tip}".strip().replace("\n", " "), 600)
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)


def _in_words(error: ValidationError, fields: Mapping[str, FieldInfo]) -> tuple[str, str]:
    """The first thing that is wrong, without the value, which may be long; and what the argument is."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "arguments"
    if first["type"] == "extra_forbidden":
        near = difflib.get_close_matches(name[:60], fields, n=1)
        return f"{name[:60]!r} is no argument of this tool.", f"Did you mean {near[0]!r}?" if near else ""
    said = str(first["msg"]).rstrip(".")
    told = fields[name].description if name in fields else None
    return f"{name}: {said[:1].lower()}{said[1:]}.", f"{told}." if told else ""


def make_server(desk: Desk) -> MCPServer[Any]:
    """All tools, resources and prompts on one desk."""
    tools = [_tool(function) for function in Tools(desk).every()]
    server = MCPServer[Any](
        "daybreak", "Daybreak", instructions=INSTRUCTIONS, version=__version__, tools=list(tools), log_level="WARNING"
    )
    offer(server, desk)
    return server


def _tool(function: Callable[..., Any]) -> Tool:
    made = OurTool.from_function(function, annotations=READ_ONLY, structured_output=True)
    model = made.fn_metadata.arg_model
    model.model_config["extra"] = "forbid"
    model.model_rebuild(force=True)
    made.parameters = model.model_json_schema(by_alias=True)
    return made


def _compact(function: Callable[..., Any]) -> Callable[..., CallToolResult]:
    """The answer as data, and the same as one line of JSON for clients that read text only."""

    @functools.wraps(function)
    def answer(**arguments: Any) -> CallToolResult:
        import msgspec

        data = function(**arguments)
        text = msgspec.json.encode(data).decode()
        return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=data)

    # The schema is made of the return annotation; the SDK reads it beside the result's own type.
    signature = inspect.signature(function, eval_str=True)
    form = Annotated[CallToolResult, signature.return_annotation]
    answer.__signature__ = signature.replace(return_annotation=form)  # type: ignore[attr-defined]
    return answer


class Tools:
    """Each method is a tool: its name, its docstring and its annotations are what a client is told."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._searcher = Searcher(desk)

    def list_days(
        self, since: Date = None, until: Date = None, limit: Limit = 14, cursor: Cursor = None
    ) -> answers.Days:
        """Reported days, newest first, with counts by importance; also the watchlist, time zone and languages."""
        return days.list_days(self._desk, since, until, limit, cursor)

    def get_report(
        self,
        date: Annotated[
            str, Field(pattern=r"^(\d{4}-\d{2}-\d{2}|latest)$", description="A day, or `latest`")
        ] = "latest",
        sections: Annotated[
            list[
                Literal[
                    "summary",
                    "actions",
                    "also",
                    "touches",
                    "changes",
                    "stories",
                    "issues",
                    "pulls",
                    "releases",
                    "links",
                    "skipped",
                ]
            ]
            | None,
            Field(
                max_length=11, description="Parts to give; default: summary, actions, also, touches, changes, skipped"
            ),
        ] = None,
        repo: Repo = None,
        level: Level = "medium",
        language: Language = None,
        limit: Limit = 25,
        cursor: Cursor = None,
    ) -> answers.Report:
        """One day's report: what to act on, what touches your code (`touches`), changes by importance, and more."""
        return days.get_report(self._desk, date, sections, repo, level, language, limit, cursor)

    def search(
        self,
        query: Annotated[
            str,
            Field(
                min_length=1,
                max_length=400,
                description="Words, symbols, shas, #numbers, Chinese; filters repo: kind: breaking:yes since: until: author:",
            ),
        ],
        limit: Limit = 20,
        language: Language = None,
        cursor: Cursor = None,
    ) -> answers.Hits:
        """Changes, issues, pull requests and releases of all reported days that match, best first."""
        return self._searcher.find(query, limit, language, cursor)

    def get_change(
        self,
        change: Annotated[
            str,
            Field(
                min_length=2,
                max_length=400,
                description="A sha (7 digits or more), OWNER/NAME#PR, #PR with `repo`, or its address",
            ),
        ],
        repo: Repo = None,
        language: Language = None,
        cursor: Cursor = None,
    ) -> answers.Changes:
        """One change with statements, findings as before and after, hunks, reasons for its grade and evidence ids."""
        return changes.get_change(self._desk, change, repo, language, cursor)

    def list_breaking(
        self,
        since: Date = None,
        until: Date = None,
        repo: Repo = None,
        range: Annotated[  # noqa: A002  # the word that users know from `daybreak range`
            str | None,
            Field(
                max_length=400, description="A..B of tags, branches or shas, with `repo`; `latest`: the newest release"
            ),
        ] = None,
        mark: Annotated[
            Literal["breaks", "deprecates", "internals"],
            Field(
                description="breaks: commands, settings, APIs; deprecates: still works; internals: plug-ins and forks"
            ),
        ] = "breaks",
        language: Language = None,
        limit: Limit = 25,
        cursor: Cursor = None,
    ) -> answers.Breaking:
        """What breaks existing use, with before, after and the way out: of reported days (default: the last seven), or net between two refs of a repository (read from its mirror). What breaks plug-ins and forks is told with `mark: internals`."""
        return breaking.list_breaking(self._desk, since, until, repo, range, mark, language, limit, cursor)

    def findings(
        self,
        kind: Annotated[str | None, Field(max_length=60, description=KINDS)] = None,
        symbol: Annotated[
            str | None,
            Field(max_length=200, description="A name as it is written, or a part of it: a class has its methods"),
        ] = None,
        repo: Repo = None,
        since: Date = None,
        until: Date = None,
        mark: Annotated[
            Literal["breaks", "deprecates", "internals"] | None, Field(description="What it does to existing use")
        ] = None,
        limit: Limit = 30,
        cursor: Cursor = None,
    ) -> answers.Facts:
        """Facts that code read from diffs, by kind, symbol, repository and mark, newest day first (default: the last 30 days): which flag, variable, class, method, operator or pin changed from what to what, in which change."""
        return breaking.findings(self._desk, kind, symbol, repo, since, until, mark, limit, cursor)

    def symbol_history(
        self,
        name: Annotated[
            str,
            Field(
                min_length=1,
                max_length=200,
                description="A flag, a variable, a function, Class.method, as it is written",
            ),
        ],
        repo: Repo = None,
        since: Annotated[
            str | None,
            Field(pattern=r"^(\d{4}-\d{2}-\d{2}|all)$", description="How far back, or `all`; default: half a year"),
        ] = None,
        limit: Limit = 30,
        cursor: Cursor = None,
    ) -> answers.History:
        """What became of a name: when it came, changed, was renamed or went, and in which release. `source` says whether the whole history (`mirror`) or only reported days (`reports`) were looked at."""
        return breaking.symbol_history(self._desk, name, repo, since, limit, cursor)

    def check_statement(
        self,
        text: Annotated[
            str,
            Field(
                min_length=1,
                max_length=statements.MOST_TEXT,
                description="A sentence or a piece of Markdown; names in backticks, shas or OWNER/NAME#PR make more of it checkable",
            ),
        ],
        repo: Repo = None,
        change: Annotated[
            str | None, Field(max_length=400, description="The change it is about, where the text does not say")
        ] = None,
        date: Date = None,
    ) -> answers.Checked:
        """Hold a statement against git, findings and collected items. `holds`, `false` with the reason, or `undecided`: what cannot be decided is never called true."""
        return statements.check_statement(self._desk, text, repo, change, date)

    def every(self) -> list[Callable[..., CallToolResult]]:
        ours = (self.list_days, self.get_report, self.search, self.get_change)
        names = (self.list_breaking, self.findings, self.symbol_history, self.check_statement)
        return [_compact(one) for one in (*ours, *names)]


def run_stdio(desk: Desk) -> None:
    """Until the client closes our input."""
    make_server(desk).run("stdio")


# --- Streamable HTTP: the server as an application behind checks of Host, Origin and token ---

PATH = "/mcp"
LARGEST = 256_000
"""Bytes of one question; the longest statement is a tenth of it."""
_EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104  # compared with, not listened on


class Guarded:
    """Lets in what is addressed to this machine and carries the token; others hear no more than what is missing.

    Host and Origin are looked at so that a page in a browser, led here by another name, cannot ask.
    """

    def __init__(self, app: ASGIApp, host: str, is_token: Callable[[str], bool] | None) -> None:
        self._app, self._host, self._is_token = app, host, is_token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (refused := self._refused(scope)):
            await refused(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _refused(self, scope: Scope) -> JSONResponse | None:
        hosts, origins, tokens = (_values(scope, name) for name in (b"host", b"origin", b"authorization"))
        if len(hosts) != 1 or not self._addressed(_name(hosts[0])):
            return JSONResponse({"error": "This host is not served here."}, status_code=421)
        if any(_name(origin.rpartition("://")[2]) != _name(hosts[0]) for origin in origins):
            return JSONResponse({"error": "Pages of other origins may not ask."}, status_code=403)
        scheme, _, given = tokens[0].partition(" ") if len(tokens) == 1 else ("", "", "")
        if self._is_token is not None and not (scheme.lower() == "bearer" and self._is_token(given.strip())):
            headers = {"WWW-Authenticate": 'Bearer realm="daybreak"'}
            return JSONResponse({"error": "A token is needed."}, status_code=401, headers=headers)
        return None

    def _addressed(self, name: str) -> bool:
        """On all addresses of the machine any name will do: there the token keeps strangers out."""
        if is_loopback(self._host):
            return is_loopback(name)
        return self._host in _EVERYWHERE or name == self._host.lower()


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


def _name(host: str) -> str:
    """Without its port and brackets, in lower case."""
    found = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]{2,45})\]|([^:\[\]/@]{1,255}))(?::\d{1,5})?", host)
    return (found[1] or found[2]).lower() if found else ""


@asynccontextmanager
async def application(desk: Desk, host: str, is_token: Callable[[str], bool] | None) -> AsyncIterator[ASGIApp]:
    """Answers while it is open. Each question stands alone: nothing is kept of a client, so that none can fill memory."""
    server = make_server(desk)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        max_request_body_size=LARGEST,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # `Guarded` does it
    )
    async with server.session_manager.run():
        yield Guarded(app, host, is_token)
