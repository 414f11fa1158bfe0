"""GraphQL queries: every text that is sent, in pieces bundled by weight and halved where the forge cannot answer all at once."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from daybreak.collect.github.client import Forge
from daybreak.collect.github.requests import ForgeFault, NoGraphql, NoTokens, Refused, Unavailable
from daybreak.collect.github.tokens import Seat

# --- Every GraphQL text that is sent, in pieces that are bundled: many aliases to one request ---
# A piece names its variables as if it were alone; `document` keeps those of different pieces apart. Light pieces only find out what
# happened when; the whole item is asked for by its number, once.


EVENTS_AT_A_TIME = 50
LINKED = 100
"""Linked issues or pull requests of one item."""
TURNS = 50
"""Of the first page of a timeline: what closed, reopened, linked or unlinked an item."""

_PAGE = "pageInfo { hasNextPage endCursor }"
_EVENTS = """
  pageInfo { hasNextPage endCursor }
  nodes { __typename ... on ClosedEvent { createdAt } ... on ReopenedEvent { createdAt }"""

_NUMBERED = "number repository { nameWithOwner }"
_END = f"{{ __typename ... on Issue {{ {_NUMBERED} }} ... on PullRequest {{ {_NUMBERED} }} }}"
_TURNS = f"""
  {_PAGE} nodes {{ __typename
    ... on ClosedEvent {{ createdAt closer {{ __typename ... on Commit {{ oid repository {{ nameWithOwner }} }} ... on PullRequest {{ {_NUMBERED} }} }} }}
    ... on ReopenedEvent {{ createdAt }}
    ... on ConnectedEvent {{ createdAt source {_END} subject {_END} }}
    ... on DisconnectedEvent {{ createdAt source {_END} subject {_END} }} }}
"""
_OF_ISSUE = "[CLOSED_EVENT, REOPENED_EVENT, CONNECTED_EVENT, DISCONNECTED_EVENT]"
_OF_PULL = "[CONNECTED_EVENT, DISCONNECTED_EVENT]"

FRAGMENTS = {
    "LightIssue": f"""fragment LightIssue on Issue {{
  __typename number createdAt updatedAt closedAt
  timelineItems(first: {EVENTS_AT_A_TIME}, since: $since, itemTypes: [CLOSED_EVENT, REOPENED_EVENT]) {{{_EVENTS} }} }}
}}""",
    "LightPull": f"""fragment LightPull on PullRequest {{
  __typename number createdAt updatedAt closedAt mergedAt
  timelineItems(first: {EVENTS_AT_A_TIME}, since: $since, itemTypes: [CLOSED_EVENT, REOPENED_EVENT]) {{{_EVENTS} }} }}
}}""",
    "WholeIssue": f"""fragment WholeIssue on Issue {{
  __typename number url title body createdAt updatedAt closedAt issueState: state stateReason(enableDuplicate: true) repository {{ nameWithOwner }}
  author {{ __typename login }} milestone {{ title }} labels(first: 100) {{ nodes {{ name }} }}
  comments {{ totalCount }} reactions {{ totalCount }}
  linked: closedByPullRequestsReferences(first: {LINKED}, includeClosedPrs: true) {{
    totalCount nodes {{ {_NUMBERED} }}
  }}
  turns: timelineItems(first: {TURNS}, itemTypes: {_OF_ISSUE}) {{{_TURNS}  }}
}}""",
    "WholePull": f"""fragment WholePull on PullRequest {{
  __typename number url title body createdAt updatedAt closedAt mergedAt pullState: state isDraft repository {{ nameWithOwner }}
  author {{ __typename login }} milestone {{ title }} labels(first: 100) {{ nodes {{ name }} }}
  comments {{ totalCount }} reactions {{ totalCount }}
  mergeCommit {{ oid }} reviewDecision changedFiles additions deletions
  linked: closingIssuesReferences(first: {LINKED}) {{
    totalCount nodes {{ {_NUMBERED} }}
  }}
  turns: timelineItems(first: {TURNS}, itemTypes: {_OF_PULL}) {{{_TURNS}  }}
}}""",
}

ISSUES = f"""issues(first: $first, after: $after, filterBy: {{since: $since}}, orderBy: {{field: UPDATED_AT, direction: DESC}}) {{
  {_PAGE} nodes {{ ...LightIssue }}
}}"""
PULLS = f"""pullRequests(first: $first, after: $after, orderBy: {{field: UPDATED_AT, direction: DESC}}) {{
  {_PAGE} nodes {{ ...LightPull }}
}}"""
RELEASES = f"""releases(first: $first, after: $after, orderBy: {{field: CREATED_AT, direction: DESC}}) {{
  {_PAGE} nodes {{ tagName createdAt publishedAt isDraft }}
}}"""
TAGS = f"""refs(refPrefix: "refs/tags/", first: $first, after: $after, orderBy: {{field: TAG_COMMIT_DATE, direction: DESC}}) {{
  {_PAGE} nodes {{ name target {{ __typename oid ... on Commit {{ committedDate }}
    ... on Tag {{ target {{ __typename oid ... on Commit {{ committedDate }} }} }} }} }}
}}"""
SEARCH = f"""search(query: $query, type: ISSUE, first: $first, after: $after) {{
  issueCount {_PAGE} nodes {{ ...LightIssue ...LightPull }}
}}"""
HOME = "nameWithOwner"
EVENTS_OF_ISSUE = f"""issue(number: $number) {{
  timelineItems(first: 100, after: $after, since: $since, itemTypes: [CLOSED_EVENT, REOPENED_EVENT]) {{{_EVENTS} }} }}
}}"""
EVENTS_OF_PULL = f"""pullRequest(number: $number) {{
  timelineItems(first: 100, after: $after, since: $since, itemTypes: [CLOSED_EVENT, REOPENED_EVENT]) {{{_EVENTS} }} }}
}}"""
TURNS_OF_ISSUE = f"""issue(number: $number) {{
  turns: timelineItems(first: 100, after: $after, itemTypes: {_OF_ISSUE}) {{{_TURNS}  }}
}}"""
TURNS_OF_PULL = f"""pullRequest(number: $number) {{
  turns: timelineItems(first: 100, after: $after, itemTypes: {_OF_PULL}) {{{_TURNS}  }}
}}"""
ITEM = "issueOrPullRequest(number: $number) { ...WholeIssue ...WholePull }"
RELEASE = """release(tagName: $tag) {
  tagName url name description createdAt publishedAt isPrerelease author { __typename login } tagCommit { oid }
}"""
BROUGHT = """object(oid: $sha) { __typename ... on Commit { repository { nameWithOwner } associatedPullRequests(first: 20) {
  nodes { number mergedAt mergeCommit { oid } repository { nameWithOwner } }
} } }"""

TYPES = {
    "owner": "String!",
    "name": "String!",
    "first": "Int!",
    "after": "String",
    "since": "DateTime!",
    "query": "String!",
    "number": "Int!",
    "tag": "String!",
    "sha": "GitObjectID!",
}


class Part(Struct, frozen=True):
    """One alias of a request."""

    repo: str
    text: str
    reads: type
    """What the alias's value is read as."""
    values: Mapping[str, Any] = field(default_factory=dict)
    weight: int = 2
    """A request takes parts up to a certain weight."""

    @property
    def at_root(self) -> bool:
        return self.text.startswith("search(")


def document(parts: Sequence[Part]) -> tuple[str, dict[str, Any]]:
    """One request for all parts, aliased p0, p1, …, and its variables; beside a search, its repository as h0, h1, …"""
    writer = _Writer()
    body = []
    for number, part in enumerate(parts):
        text = writer.placed(part.text, part.values)
        owner, _, name = part.repo.partition("/")
        home = writer.placed("repository(owner: $owner, name: $name)", {"owner": owner, "name": name})
        if part.at_root:
            # A search with a token that does not see the repository finds nothing and does not say why: this does.
            body += [f"p{number}: {text}", f"h{number}: {home} {{ {HOME} }}"]
        else:
            body.append(f"p{number}: {home} {{ {text} }}")
    head = ", ".join(f"${name}: {TYPES[kind]}" for (kind, _), name in writer.names.items())
    values = {name: value for (_, value), name in writer.names.items()}
    return "\n".join([f"query({head}) {{", *body, "}", *writer.fragments.values()]), values


class _Writer:
    """Gives each value of a variable one name in the whole request, and fragments the variables of their parts."""

    def __init__(self) -> None:
        self.names: dict[tuple[str, Any], str] = {}
        self.fragments: dict[str, str] = {}

    def placed(self, text: str, values: Mapping[str, Any]) -> str:
        text = re.sub(r"\.\.\.(Light|Whole)(\w+)", lambda found: self._fragment(found[1] + found[2], values), text)
        return re.sub(r"\$([a-z]+)\b(?!\d)", lambda found: "$" + self._variable(found[1], values[found[1]]), text)

    def _variable(self, name: str, value: Any) -> str:
        return self.names.setdefault((name, value), f"{name}{sum(kind == name for kind, _ in self.names)}")

    def _fragment(self, name: str, values: Mapping[str, Any]) -> str:
        """The spread of a fragment; one that uses variables is another one for each value."""
        text = FRAGMENTS[name]
        if "$since" in text:
            own = f"{name}_{self._variable('since', values['since'])}"
            text = self.placed(text.replace(f"fragment {name} ", f"fragment {own} "), values)
            name = own
        self.fragments[name] = text
        return f"...{name}"


# --- Many parts in few requests: bundled by weight, halved where the forge cannot answer all of them at once ---


Answered = list[tuple[int, Any]]
"""Place of a part in what was asked -> its value, or the `ForgeFault` in its place."""


def fetch(forge: Forge, parts: Sequence[Part]) -> Iterator[Answered]:
    """Answers as they come, a request at a time, so that what came can be kept before the next one fails."""
    waiting = deque(_bundled(parts, forge.bounds.load))
    while waiting:
        bundle = waiting.popleft()
        try:
            yield _answered(forge, parts, bundle)
        except (NoGraphql, NoTokens):
            raise
        except Unavailable as fault:
            if fault.heavy and len(bundle) > 1:
                middle = len(bundle) // 2
                waiting.extendleft([bundle[middle:], bundle[:middle]])
            else:
                yield [(place, fault) for place in bundle]
        except ForgeFault as fault:
            yield [(place, fault) for place in bundle]


def _answered(forge: Forge, parts: Sequence[Part], bundle: Sequence[int]) -> Answered:
    """What one token is refused is asked for again with the next one, as far as there is one."""
    found: dict[int, Any] = {}
    turned_away: list[Seat] = []
    left = list(bundle)
    while left:
        text, variables = document([parts[place] for place in left])
        reads: dict[str, Any] = {f"p{number}": parts[place].reads for number, place in enumerate(left)}
        reads |= {f"h{number}": dict[str, str] for number, place in enumerate(left) if parts[place].at_root}
        values, seat = forge.graphql(text, variables, reads, turned_away)
        for number, place in enumerate(left):
            home = values.get(f"h{number}")
            found[place] = home if isinstance(home, ForgeFault) else values[f"p{number}"]
        turned_away.append(seat)
        left = [place for place in left if isinstance(found[place], Refused)]
        if forge.another("graphql", turned_away) is None:
            break
    return [(place, found[place]) for place in bundle]


def _bundled(parts: Sequence[Part], most: int) -> list[list[int]]:
    bundles: list[list[int]] = []
    load = most
    for place, part in enumerate(parts):
        if load + part.weight > most:
            bundles.append([])
            load = 0
        bundles[-1].append(place)
        load += part.weight
    return bundles
