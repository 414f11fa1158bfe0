"""Addresses of repositories in two halves: the bare form, which is all that is shown, stored or started, and its credentials.

Whatever may be a secret counts as one: a password with `@` or `/` in it, a token in the query, a user of a web address.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from urllib.parse import unquote

from msgspec import Struct

_SCHEME = re.compile(
    r"(https?|git|ssh|ftps?|git\+ssh|ssh\+git)(://|:(?=[^/@]{0,200}:[^@]{0,400}@))(.*)", re.DOTALL | re.IGNORECASE
)
_HOST = re.compile(r"(?:\[[0-9a-f:.]+\]|localhost|[\w-]+(?:\.[\w-]+)+)\.?(?::\d{1,5})?(?=[/?#]|$)", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]")
_IN_TEXT = re.compile(
    r"(?<=//)[^\s'\"<>`]{1,2000}@(?=[\w\[])"
    r"|(?<=[?&;])[\w.-]{0,40}(?:token|key|secret|passw|auth|sig)[\w.-]{0,40}=[^&\s'\"<>`]+",
    re.IGNORECASE,
)
VARIABLE = "DAYBREAK_GIT_CREDENTIALS"
"""Holds the credentials of addresses on their way from the config to git, within this machine."""


class Address(Struct, frozen=True):
    """An address without its secrets; those stand apart and are not shown with it."""

    bare: str
    user: str = ""
    secret: str = ""

    def __repr__(self) -> str:
        return f"Address({self.bare!r})"

    __str__ = __repr__

    @classmethod
    def of(cls, text: str) -> Address:
        found = _SCHEME.fullmatch(text)
        if found is None:
            return _path_like(text)
        scheme, rest = found[1].lower(), found[3]
        info, place = _apart(rest)
        place, _, query = place.partition("?")
        user, _, secret = info.partition(":")
        if scheme in ("ssh", "git+ssh", "ssh+git"):
            return cls(f"{scheme}://{user}@{place}" if user else f"{scheme}://{place}")
        place = place.partition("#")[0]
        secret = secret or (query.rpartition("=")[2] if query else "")
        if not scheme.startswith("http"):
            return cls(f"{scheme}://{place}")
        return cls(f"{scheme}://{place}", unquote(user), unquote(secret))


def _apart(rest: str) -> tuple[str, str]:
    """What stands before the host, and the rest from the host on; the last `@` that a host may follow parts them."""
    first = re.split(r"[/?#]", rest, maxsplit=1)[0]
    if "@" not in rest or _HOST.match(rest) or not ("@" in first or ":" in first):
        return "", rest
    places = [at.end() for at in re.finditer("@", rest) if _HOST.match(rest, at.end())]
    cut = places[-1] if places else rest.index("@") + 1
    return rest[: cut - 1], rest[cut:]


def _path_like(text: str) -> Address:
    """A path, or `user@host:path`; a password between them is nothing that ssh could take."""
    head, at, rest = text.rpartition("@")
    if at and ":" in head and "/" not in head.partition(":")[0] and ":" in rest.partition("/")[0]:
        return Address(f"{head.partition(':')[0]}@{rest}")
    return Address(text)


def without_credentials(text: str) -> str:
    """Any text, with what stands before the host of an address and what looks like a secret in a query taken out."""
    return _IN_TEXT.sub(lambda found: "***@" if found[0].endswith("@") else "***", text)


def readable(text: str) -> str:
    """Words of others fit for a terminal: no control codes, no passwords of addresses."""
    return without_credentials(_CONTROL.sub("", text))


# --- From the config to git: by a helper that git asks, in no argument and in no file ------------------------------------

_HELPER = '!f() {{ test "$1" = get && printf "username=%s\\npassword=%s\\n" "$DAYBREAK_USER_{0}" "$DAYBREAK_SECRET_{0}"; }}; f'


def packed(found: Mapping[str, Address]) -> dict[str, str]:
    """Variables that carry the credentials of addresses; none when no address has any."""
    some = [
        [one.bare, one.user or "x-access-token", one.secret or one.user]
        for one in found.values()
        if one.user or one.secret
    ]
    return {VARIABLE: json.dumps(some)} if some else {}


def for_git(environment: Mapping[str, str]) -> tuple[list[tuple[str, str]], dict[str, str]]:
    """Settings that name a helper for each address, and variables from which it takes what it answers."""
    settings: list[tuple[str, str]] = []
    variables: dict[str, str] = {}
    for number, (bare, user, secret) in enumerate(json.loads(environment.get(VARIABLE, "[]"))):
        settings.append((f"credential.{bare}.helper", _HELPER.format(number)))
        variables |= {f"DAYBREAK_USER_{number}": user, f"DAYBREAK_SECRET_{number}": secret}
    return settings, variables
