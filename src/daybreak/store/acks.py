"""Acknowledgements of impacts, kept in a file that people edit and commit.

A line of the file is somebody's own words, so it is only ever added to, or a whole entry is taken out; what stands
there otherwise keeps its bytes. An entry names a finding by its id (`DB-3f9a2c11`) or by kind and symbol, with `*` for
any letters, and may be limited to a repository, to paths and to a time.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from daybreak.core.errors import ConfigError, UsageError, WriteError, toml_tip
from daybreak.core.model.upgrade import Hit

FILE_NAME = "daybreak-acks.toml"
HEAD = "# Acknowledged findings of `daybreak impact`: edit by hand, or with `daybreak ack`.\n"
_KEYS = ("finding", "repo", "path", "reason", "expires")
_ID = re.compile(r"DB-[0-9a-f]{6,16}")
_KIND = re.compile(r"([a-z]+(?:_[a-z]+)*)[: \t]\s*(\S.*)")
_LONGEST, _MOST_STARS = 300, 12
_ENTRY = "[[ack]]"


class Ack(Struct, frozen=True):
    """One entry of the file."""

    finding: str
    """`DB-…`, or `kind:symbol`."""
    reason: str
    repo: str = ""
    path: str = ""
    """Glob of your files; empty for all."""
    expires: date | None = None
    """First day on which it has no force."""

    @property
    def shown(self) -> str:
        """The entry in one line."""
        parts = [
            self.finding,
            *(f"{name}={value}" for name, value in (("repo", self.repo), ("path", self.path)) if value),
        ]
        return " ".join(parts)

    def holds(self, today: date) -> bool:
        return self.expires is None or today < self.expires

    def accepts(self, name: str, hit: Hit, paths: Iterable[str]) -> bool:
        """Whether it means this hit, whose id is `name`; `paths` are the ways to write its file."""
        if self.repo and self.repo.lower() != hit.repo.lower():
            return False
        if self.path and not any(matches(self.path, path) for path in paths):
            return False
        if _ID.fullmatch(self.finding):
            return self.finding == name
        known = _KIND.fullmatch(self.finding)
        if known is None:
            return False
        finding = hit.net.finding
        symbols = (finding.symbol, finding.before or "")
        return known[1] == finding.kind and any(fnmatchcase(symbol, _literal(known[2])) for symbol in symbols)


def _literal(pattern: str) -> str:
    """Only `*` is special: symbols hold brackets of their own."""
    return re.sub(r"[\[?]", lambda m: f"[{m[0]}]", pattern)


# --- paths ---------------------------------------------------------------------------------------------------------


def matches(glob: str, path: str) -> bool:
    """`svc/**`, `*.sh` (in any folder), `deploy` (all below it), `a/*/b.py`."""
    return _pattern(glob).fullmatch(path) is not None


@lru_cache(maxsize=256)
def _pattern(glob: str) -> re.Pattern[str]:
    bare = glob.removeprefix("./").rstrip("/")
    anywhere = "" if "/" in bare else r"(?:[^/]+/)*"
    known = {"**/": r"(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.findall(r"\*\*/?|\*|\?|[^*?]+", bare)
    body = "".join(known.get(part) or re.escape(part) for part in parts)
    return re.compile(f"{anywhere}{body}(?:/.*)?", re.DOTALL)


# --- reading -------------------------------------------------------------------------------------------------------


def load_acks(path: Path) -> tuple[Ack, ...]:
    """The file's entries in its order; none when there is no file."""
    text = _read(path)
    return _parsed(text, path) if text is not None else ()


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise ConfigError(f"{path.name} is not UTF-8 text.", "Save it as UTF-8.") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.", "Check the path given with --acks.") from None


def _parsed(text: str, path: Path) -> tuple[Ack, ...]:
    import tomllib

    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{path.name} is not valid TOML: {error}.", toml_tip(error)) from None
    rows = data.pop("ack", [])
    if data or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ConfigError(
            f"{path.name} holds something that is no [[ack]].", "See `daybreak ack --help` for an example."
        )
    return tuple(_ack(row, number, path) for number, row in enumerate(rows, start=1))


def _ack(row: Mapping[str, Any], number: int, path: Path) -> Ack:
    where = f"{path.name}: acknowledgement {number}"
    unknown = next((key for key in row if key not in _KEYS), None)
    if unknown is not None:
        raise ConfigError(f"{where} has an unknown key {unknown!r}.", f"Use: {', '.join(_KEYS)}.")
    words = {key: value for key, value in row.items() if key != "expires"}
    wrong = next((key for key, value in words.items() if not isinstance(value, str)), None)
    if wrong is not None:
        raise ConfigError(f"{where}: {wrong} is not text.", "Write it in quotes.")
    made = Ack(expires=_date(row.get("expires"), where), **{"finding": "", "reason": "", **words})
    return checked(made, where)


def checked(ack: Ack, where: str) -> Ack:
    """The same, or a sentence that says what is wrong with it."""
    if not _ID.fullmatch(ack.finding) and not _KIND.fullmatch(ack.finding):
        raise ConfigError(
            f"{where}: {ack.finding!r} names no finding.", "Use the id that `impact` prints (DB-…), or kind:symbol."
        )
    if not ack.reason.strip():
        raise ConfigError(f"{where} gives no reason.", "Say why it is accepted.")
    if max(len(ack.finding), len(ack.path)) > _LONGEST or ack.path.count("*") + ack.finding.count("*") > _MOST_STARS:
        raise ConfigError(f"{where} is too long a pattern.", f"At most {_LONGEST} characters and {_MOST_STARS} stars.")
    return ack


def _date(value: object, where: str) -> date | None:
    if value is None:
        return None
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    with suppress(ValueError, TypeError):
        return date.fromisoformat(str(value))
    raise ConfigError(f"{where}: expires is not a day.", "Write it as 2026-01-31.")


def expiry(text: str, today: date) -> date:
    """`2026-03-01`, or `30d` from today."""
    days = re.fullmatch(r"(\d{1,4})d", text)
    try:
        found = today + timedelta(days=int(days[1])) if days else date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--expires {text!r} is not a day.", "For example --expires 2026-03-01, or 30d.") from None
    if found <= today:
        raise UsageError(f"--expires {text} is over already.", "Name a later day.")
    return found


# --- writing -------------------------------------------------------------------------------------------------------


def add_ack(path: Path, ack: Ack) -> None:
    """Append an entry; the rest of the file keeps its bytes."""
    text = _read(path)
    known = _parsed(text, path) if text is not None else ()
    if ack in known:
        raise UsageError(f"{path.name} has this acknowledgement already.", "See `daybreak ack --list`.")
    before = HEAD if text is None else text if text.endswith("\n") or not text else f"{text}\n"
    new = f"{before}\n{entry_text(ack)}"
    if _parsed(new, path) != (*known, ack):
        raise UsageError(f"{path.name} cannot be added to as it stands.", "Add the entry by hand.")
    _write(path, new)


def remove_ack(path: Path, finding: str) -> int:
    """Take out every entry on a finding; how many there were."""
    text = _read(path)
    known = _parsed(text, path) if text is not None else ()
    kept = tuple(ack for ack in known if ack.finding != finding)
    if text is None or len(kept) == len(known):
        return 0
    parts = re.split(r"(?m)^(?=[ \t]*\[\[ack\]\])", text)
    gone = {number for number, ack in enumerate(known, start=1) if ack.finding == finding}
    new = "".join(part for number, part in enumerate(parts) if number not in gone)
    if len(parts) != len(known) + 1 or _parsed(new, path) != kept:
        raise UsageError(
            f"{path.name} is written in a way that cannot be edited safely.", "Take the entry out by hand."
        )
    _write(path, new)
    return len(gone)


def entry_text(ack: Ack) -> str:
    """An entry as TOML."""
    lines = [_ENTRY, f"finding = {_quoted(ack.finding)}"]
    lines += [f"repo = {_quoted(ack.repo)}"] if ack.repo else []
    lines += [f"path = {_quoted(ack.path)}"] if ack.path else []
    lines.append(f"reason = {_quoted(ack.reason)}")
    lines += [f"expires = {ack.expires.isoformat()}"] if ack.expires else []
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A TOML basic string: quotes, backslashes and everything unseen escaped."""
    text = text.encode("utf-8", "replace").decode()
    out = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]", _escaped, out) + '"'


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode())
            mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
            Path(name).chmod(mode)
            Path(name).replace(path)
        except BaseException:
            with suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as error:
        raise WriteError(
            f"{path} cannot be written: {error.strerror}.", "Check the folder and its permissions."
        ) from None


# --- ids that were told ---

_TOLD = "impact-findings"
_MOST_TOLD = 20_000


def note_told(state: Path, ids: Iterable[str]) -> None:
    """Keep the ids that an answer told, so that a wrong one is known; without them we are blinder, not wrong."""
    path = state / _TOLD
    known = told_ids(state) or ()
    every = dict.fromkeys((*known, *ids))
    if len(every) == len(known) and path.exists():
        return
    with suppress(OSError):
        state.mkdir(parents=True, exist_ok=True)
        staged = path.with_name(f"{_TOLD}.{os.getpid()}")
        staged.write_text("".join(f"{one}\n" for one in list(every)[-_MOST_TOLD:]), encoding="ascii")
        staged.replace(path)


def told_ids(state: Path) -> tuple[str, ...] | None:
    """The ids that answers told in this place; None where nobody has asked yet."""
    try:
        rows = (state / _TOLD).read_text(encoding="ascii", errors="replace").split("\n")
    except OSError:
        return None
    return tuple(row for row in rows if _ID.fullmatch(row))


# --- laid over hits ------------------------------------------------------------------------------------------------


class Accepted(Struct, frozen=True):
    """What the entries do to a list of hits."""

    reasons: tuple[str | None, ...]
    """For each hit the reason it is acknowledged with; None: it counts."""
    expired: tuple[Ack, ...]
    """Entries that would accept a hit, had they not expired."""
    unused: tuple[Ack, ...]
    """Entries that no hit needs."""


def accepted(acks: Sequence[Ack], hits: Sequence[tuple[str, Hit, Sequence[str]]], today: date) -> Accepted:
    """Lay the entries over hits, each with its id and the ways to write its file; the first that accepts one wins."""
    reasons: list[str | None] = []
    used: set[Ack] = set()
    expired: dict[Ack, None] = {}
    for name, hit, paths in hits:
        meant = [ack for ack in acks if ack.accepts(name, hit, paths)]
        used.update(meant)
        valid = next((ack for ack in meant if ack.holds(today)), None)
        reasons.append(valid.reason if valid else None)
        expired |= dict.fromkeys(ack for ack in meant if valid is None and not ack.holds(today))
    return Accepted(tuple(reasons), tuple(expired), tuple(ack for ack in dict.fromkeys(acks) if ack not in used))
