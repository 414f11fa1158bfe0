"""One typed configuration: file < environment < flags.

This is the only file that reads the environment. A mistake in the file is one sentence that names the key,
and an unknown key names the nearest valid one.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct, field, structs

from daybreak.core.address import Address, packed
from daybreak.core.config.sections import (
    AnalystConfig,
    NotifyConfig,
    PublishConfig,
    check_analyst,
    check_notify,
    check_publish,
)
from daybreak.core.errors import ConfigError, toml_tip
from daybreak.core.model.changes import Repo
from daybreak.core.text import valid_text
from daybreak.core.words.phrases import languages

FILE_NAME = "daybreak.toml"
SCHEMA_FILE = Path(__file__).with_name("daybreak.schema.json")
"""For editors, which complete and check the file by it."""
MOST_CAUGHT_UP = 31
"""A service that was down for a year must not fill a year in, unasked and perhaps paid for: that is for people to start."""
MOST_KEPT = 36_500
REPO_NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]*/(?!\.\.?$)[A-Za-z0-9_.-]+"


class RepoConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """One `[[repo]]` of the watchlist."""

    name: str
    """OWNER/NAME; git and web addresses on GitHub follow from it. A web address is taken as well."""
    git: str = ""
    """Any URL or path that git can fetch from."""
    url: str = ""
    """Where links lead, when it is not GitHub."""
    branch: str = ""
    """Left out: the default branch."""
    paths: tuple[str, ...] = ()
    """Globs; commits that touch nothing of these are only listed."""
    exclude: tuple[str, ...] = ()
    """Globs; commits that touch nothing else are only listed."""
    tags: str = ""
    """Glob of the tags that are its releases; left out: told by their names and ages."""


class ReaderConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """What is not the reader's goes down, not away."""

    hardware: tuple[str, ...] = ()
    """What you run on, such as sm90, sm100, rocm."""
    ignore: tuple[str, ...] = ()
    """Words for what is none of yours, such as diffusion."""
    models: tuple[str, ...] = ()
    """Models that you run, such as deepseek."""
    training: bool = False
    """Whether you train as well: what only a backward pass runs is yours then."""


class ImpactConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """The reader's own code."""

    paths: tuple[str, ...] = ()
    """Folders that are held against each day's changes."""
    launchers: dict[str, str] = {}
    """Your own program, script, module or image → the upstream program that it hands its options on to."""


class GithubConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the GitHub API answers."""

    api: str = "https://api.github.com"
    """The API of GitHub, or of a GitHub Enterprise."""
    ask: bool | None = None
    """Left out: of repositories whose git address is on GitHub (or on the host of `api`)."""
    offline: bool = False
    """Only answers that the store has: nobody is asked."""


class ExecuteConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the work runs."""

    kind: str = "local"
    address: str = "auto"
    workers: int = 0
    """0: as many as there are cores, at most eight; on Ray, tasks given out at a time: 0 is two a core of the cluster."""
    processes: bool = False
    """Local workers are processes: they parse side by side, where threads take turns."""
    state: str = ""
    """Folder for mirrors and caches on each node of a cluster; empty: the config's own, where the node has it."""


class ScheduleConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """When `daybreak serve --schedule` reports on the day before."""

    at: str = "08:00"
    """In the zone of `timezone`."""
    catch_up: int = 7
    """Days before yesterday that are reported as well when the service was down; at most `MOST_CAUGHT_UP`."""


class RetentionConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """How long the store keeps what only explains how a report came about; reports and facts always stay."""

    days: int = 0
    """Runs, steps and envelopes older than so many days are dropped; 0: they are kept. Answers of GitHub always stay."""


class Config(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole of `daybreak.toml`."""

    title: str = ""
    """What the report is called, at the head of its pages; empty: a name of our own."""
    timezone: str = "Asia/Shanghai"
    """The zone whose calendar days are reported, by its IANA name."""
    languages: tuple[str, ...] = field(default_factory=languages)
    """Editions of the report; the first is the main one."""
    out: str = "."
    """Folder that reports/ and README.md go to."""
    store: str = "sqlite:///.daybreak/daybreak.db"
    """Where runs are remembered: a file of SQLite, or postgresql+psycopg://…"""
    repo: tuple[RepoConfig, ...] = ()
    """The watchlist."""
    reader: ReaderConfig = ReaderConfig()
    impact: ImpactConfig = ImpactConfig()
    github: GithubConfig = GithubConfig()
    analyst: AnalystConfig = AnalystConfig()
    publish: PublishConfig = PublishConfig()
    notify: NotifyConfig = NotifyConfig()
    execute: ExecuteConfig = ExecuteConfig()
    schedule: ScheduleConfig = ScheduleConfig()
    retention: RetentionConfig = RetentionConfig()


class Settings(Struct, frozen=True):
    """A config with its folder: what the rest of the program is given."""

    config: Config
    base: Path
    """Folder of daybreak.toml: relative paths start here."""
    environment: dict[str, str]
    """The process environment, for the programs we start."""

    @property
    def zone(self) -> ZoneInfo:
        return zone(self.config.timezone)

    @property
    def out(self) -> Path:
        return (self.base / Path(self.config.out).expanduser()).resolve()

    @property
    def state(self) -> Path:
        """Mirrors, lock and what must survive between runs."""
        return self.base / ".daybreak"

    @property
    def languages(self) -> tuple[str, ...]:
        return self.config.languages

    @property
    def workers(self) -> int:
        return self.config.execute.workers or min(os.cpu_count() or 1, 8)

    def asked(self, repo: Repo) -> bool:
        """GitHub is asked about this repository."""
        if self.config.github.ask is not None:
            return self.config.github.ask
        api = _host(self.config.github.api)
        homes = ("github.com", "www.github.com", "ssh.github.com") if api == "api.github.com" else (api,)
        return bool(api) and is_remote(repo.git) and _host(repo.git) in (*homes, api.removeprefix("api."))

    def repos(self) -> tuple[Repo, ...]:
        return tuple(self._repo(entry) for entry in self.config.repo)

    def _repo(self, entry: RepoConfig) -> Repo:
        url = (entry.url or f"https://github.com/{entry.name}").rstrip("/")
        return Repo(
            name=entry.name,
            url=url,
            git=self._address(entry.git or f"{url}.git"),
            branch=entry.branch or None,
            paths=entry.paths,
            exclude=entry.exclude,
            tags=entry.tags,
        )

    def _address(self, address: str) -> str:
        """A path is taken relative to the config's folder; anything with a scheme or host is left alone."""
        if is_remote(address):
            return address
        return str((self.base / Path(address).expanduser()).resolve())


def is_remote(address: str) -> bool:
    """True for URLs and for `host:path`, as git itself decides: a colon before the first slash."""
    return "://" in address or re.match(r"[^/\\]+:", address) is not None


def _host(address: str) -> str:
    """Of a URL or of `user@host:path`; empty where there is none."""
    if "://" not in address:
        return address.partition(":")[0].rpartition("@")[2].lower()
    try:
        return (urlsplit(address).hostname or "").lower()
    except ValueError:
        return ""


def zone(name: str) -> ZoneInfo:
    """The named time zone, or a config error that names a near one."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ConfigError(f"timezone {name!r} is not a known time zone.", _zone_tip(name)) from None


def _zone_tip(name: str) -> str:
    """A city stands behind the slash of a zone's name: that is what people write, and it must be near."""
    from zoneinfo import available_timezones

    zones = {
        form: one for one in sorted(available_timezones()) for form in (one.rpartition("/")[2].lower(), one.lower())
    }
    word = name.strip().replace(" ", "_").lower()
    near = [zones[one] for one in difflib.get_close_matches(word, zones, n=1, cutoff=0.75)]
    return f"Did you mean {near[0]!r}?" if near else "Use a name such as 'Asia/Shanghai', 'Europe/Berlin' or 'UTC'."


def machine_zone(environment: Mapping[str, str], etc: Path = Path("/etc")) -> tuple[str, str]:
    """The zone of this machine by its IANA name, and what says so; UTC and nothing where none does."""
    told = [(environment.get("TZ", "").removeprefix(":"), "the variable TZ")]
    with suppress(OSError):
        told.append((os.path.realpath(etc / "localtime").partition("zoneinfo/")[2], str(etc / "localtime")))
    with suppress(OSError, UnicodeDecodeError):
        told.append(((etc / "timezone").read_text(encoding="utf-8").strip(), str(etc / "timezone")))
    for name, source in ((one.removeprefix("posix/"), source) for one, source in told if one and one != "Etc/UTC"):
        with suppress(ConfigError):
            return zone(name).key, source
    return "UTC", ""


# --- loading -------------------------------------------------------------------------------------------------------


def load(path: Path, flags: Mapping[str, Any], environment: Mapping[str, str]) -> Settings:
    """Read the file, lay the environment and then the flags over it, and check the whole."""
    return _loaded(_read(path), path, flags, environment)


def load_text(text: str, path: Path) -> Settings:
    """The settings of a text that is to be written there; it is checked as the file would be."""
    return _loaded(tomllib.loads(text), path, {}, {})


def _loaded(data: dict[str, Any], path: Path, flags: Mapping[str, Any], environment: Mapping[str, str]) -> Settings:
    _known_keys(data, Config, "", path)
    data["repo"] = (
        [_by_address(one) for one in data["repo"]] if isinstance(data.get("repo"), list) else data.get("repo", ())
    )
    merged = _laid_over(_laid_over(data, _from_environment(environment)), flags)
    try:
        config = msgspec.convert(merged, Config)
    except msgspec.ValidationError as error:
        raise ConfigError(
            f"{path.name}: {_in_words(str(error))}", "Compare with the file `daybreak init` writes."
        ) from None
    config, credentials = _without_credentials(config)
    by_variable = "languages" not in flags and bool(environment.get(_LANGUAGES))
    _check_languages(config.languages, _LANGUAGES if by_variable else f"{path.name}: languages")
    _check(config, path)
    base = path.parent.resolve()
    if valid_text(str(base)) != str(base):
        raise ConfigError(f"The name of the folder {base} is no UTF-8.", "Use a folder whose name can be written.")
    return Settings(config=config, base=base, environment={**environment, **credentials})


def _without_credentials(config: Config) -> tuple[Config, dict[str, str]]:
    """The config with bare addresses alone, and variables that hold what git is asked for at them."""
    found: dict[str, Address] = {}
    repos = []
    for entry in config.repo:
        page, git = Address.of(entry.url), Address.of(entry.git)
        if not entry.git and (page.user or page.secret):
            git = structs.replace(page, bare=f"{page.bare.rstrip('/')}.git")
        found[entry.name] = git
        repos.append(structs.replace(entry, git=git.bare, url=page.bare))
    return structs.replace(config, repo=tuple(repos)), packed(found)


_WEB = re.compile(r"(?:https?://|ssh://git@|git@)(?P<host>[\w.-]{1,100})[:/](?P<path>[\w./-]{3,200}?)(?:\.git)?/?")
_FORGE = "github.com"


def _by_address(entry: Any) -> Any:
    """A repository whose name is its address, as it is copied from a browser: name and addresses follow from it."""
    name = entry.get("name") if isinstance(entry, dict) else None
    told = _WEB.fullmatch(name.strip()) if isinstance(name, str) else None
    if told is None:
        return entry
    parts = [part for part in told["path"].split("/") if part]
    if told["host"].lower().removeprefix("www.") == _FORGE:
        return {**entry, "name": "/".join(parts[:2])}
    where = {"url": f"https://{told['host']}/{'/'.join(parts)}"}
    return {**where, "git": f"{where['url']}.git", **entry, "name": "/".join(parts[-2:])}


def _laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """What stands above wins; in a table, key by key."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        if isinstance(value, Mapping) and old is not None:
            merged[key] = _laid_over(old, value) if isinstance(old, dict) else old
        else:
            merged[key] = value
    return merged


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        raise ConfigError(f"There is no {path}.", "Write one with `daybreak init`, or name it with --config.") from None
    except IsADirectoryError:
        raise ConfigError(f"{path} is a folder.", f"Name the file, for example --config {path}/{FILE_NAME}.") from None
    except PermissionError:
        raise ConfigError(f"{path} may not be read.", "Check the permissions of the file.") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.", "Check the path given with --config.") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path.name} is not UTF-8 text.", "Save it as UTF-8.") from None
    except RecursionError:
        raise ConfigError(
            f"{path.name} is nested too deeply.", "Compare with the file `daybreak init` writes."
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path.name} is not valid TOML: {error}.", toml_tip(error)) from None


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """DAYBREAK_TIMEZONE, DAYBREAK_OUT, DAYBREAK_STORE, DAYBREAK_LANGUAGES (comma-separated)."""
    found: dict[str, Any] = {
        key: environment[name]
        for key in ("timezone", "out", "store")
        if environment.get(name := f"DAYBREAK_{key.upper()}")
    }
    if languages := environment.get(_LANGUAGES):
        found["languages"] = [part.strip() for part in languages.split(",") if part.strip()]
    return found


_LANGUAGES = "DAYBREAK_LANGUAGES"


def _check_languages(wanted: Sequence[str], where: str) -> None:
    """`where`: what gave them, as the user knows it."""
    for language in (one for one in wanted if one not in languages()):
        tip = f"Use {' and '.join(map(repr, languages()))}."
        raise ConfigError(f"{where}: {language!r} is not a report language.", tip)
    if not wanted or len(set(wanted)) != len(wanted):
        raise ConfigError(f"{where} must name each language once.", 'For example ["zh", "en"].')


def _known_keys(data: Mapping[str, Any], kind: type[Struct], where: str, path: Path) -> None:
    """Raise for the first key that the typed config does not have, naming the nearest that it has."""
    hints = get_type_hints(kind)
    for key, value in data.items():
        if key not in hints:
            near = difflib.get_close_matches(key, hints, n=1, cutoff=0.0)
            raise ConfigError(
                f"{path.name}: unknown key {where + key!r}.", f"Did you mean {near[0]!r}?" if near else ""
            )
        inner = next(iter(get_args(hints[key])), None) if get_origin(hints[key]) is tuple else hints[key]
        if isinstance(inner, type) and issubclass(inner, Struct):
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, dict):
                    _known_keys(item, inner, f"{where}{key}.", path)


def _in_words(error: str) -> str:
    """Msgspec's 'Expected `str`, got `int` - at `$.repo[0].name`' as a sentence about the key."""
    match = re.fullmatch(r"(.*?) - at `\$\.?(.*?)`", error)
    names = {
        "`str`": "text",
        "`int`": "a whole number",
        "`array`": "a list",
        "`object`": "a table",
        "`bool`": "true or false",
        "`float`": "a number",
    }
    text = match[1] if match else error
    for name, word in names.items():
        text = text.replace(name, word)
    text = text.replace("Expected", "expected")
    return f"{match[2]}: {text}." if match and match[2] else f"{text}."


def _check(config: Config, path: Path) -> None:
    """What types alone cannot say."""
    zone(config.timezone)
    check_analyst(config.analyst, path.name)
    check_publish(config.publish, path.name)
    check_notify(config.notify, path.name)
    if config.execute.kind not in ("local", "ray"):
        raise ConfigError(f"{path.name}: execute.kind: {config.execute.kind!r} is unknown.", "Use 'local' or 'ray'.")
    if config.execute.workers < 0:
        raise ConfigError(f"{path.name}: execute.workers is below zero.", "Use 0 for one a core.")
    if not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", config.schedule.at):
        raise ConfigError(f"{path.name}: schedule.at: {config.schedule.at!r} is not a time.", 'For example "08:00".')
    _check_days("schedule.catch_up", config.schedule.catch_up, MOST_CAUGHT_UP, path)
    _check_days("retention.days", config.retention.days, MOST_KEPT, path)
    _check_path(config.out, f"{path.name}: out")
    _check_repos(config, path)


def _check_days(key: str, days: int, most: int, path: Path) -> None:
    if days < 0:
        raise ConfigError(f"{path.name}: {key} is below zero.", f"Use a number of days from 0 to {most}.")
    if days > most:
        more = " Longer gaps: `daybreak run --since DATE`." if key == "schedule.catch_up" else ""
        raise ConfigError(f"{path.name}: {key} is more than {most} days.", f"Use 0 to {most}.{more}")


def _check_path(text: str, where: str) -> None:
    if not text or any(ord(c) < 32 for c in text):
        raise ConfigError(f"{where}: {text!r} is not a folder.", 'For example "." for the folder of the config.')
    _expanded(text, where)


def _expanded(text: str, where: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise ConfigError(f"{where}: there is no home folder for {text!r}.", "Write the path from / on.") from None


def _check_repos(config: Config, path: Path) -> None:
    seen: dict[str, str] = {}
    for repo in config.repo:
        if not re.fullmatch(REPO_NAME, repo.name):
            raise ConfigError(
                f"{path.name}: repo.name {repo.name!r} is not OWNER/NAME.",
                "For example 'pytorch/pytorch'; where it lies on this disk is said by `git` in its [[repo]].",
            )
        page = repo.name.replace("/", "-").lower()
        other = seen.setdefault(page, repo.name)
        if other is not repo.name:
            fault = "is listed twice" if other.lower() == repo.name.lower() else f"would share its page with {other!r}"
            raise ConfigError(f"{path.name}: repository {repo.name!r} {fault}.", "Remove one of the two.")
        for text in (repo.git, repo.branch, repo.url):
            if text.startswith("-") or any(ord(c) < 32 or ord(c) == 127 for c in text):
                raise ConfigError(
                    f"{path.name}: {text!r} of {repo.name} is not an address or a branch.", "Check the line."
                )
        if not is_remote(repo.git):
            _expanded(repo.git, f"{path.name}: git of {repo.name}")
        if repo.url and not re.fullmatch(r"https?://[^\s()<>\"'`\\]+", repo.url):
            raise ConfigError(f"{path.name}: repo.url of {repo.name} is not a web address.", "It starts with https://.")


def environment() -> dict[str, str]:
    """The process environment, for those who are given it by wiring."""
    return dict(os.environ)


def now(environment: Mapping[str, str]) -> datetime:
    """The present moment; DAYBREAK_NOW (ISO 8601 with offset) sets another one, to rebuild what a past run saw."""
    text = environment.get("DAYBREAK_NOW")
    if not text:
        return datetime.now(UTC)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ConfigError(f"DAYBREAK_NOW={text!r} is not a time.", "Write it as 2026-01-20T08:00:00+08:00.") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def today(settings: Settings) -> date:
    """The day that it is in the zone of the config."""
    return now(settings.environment).astimezone(settings.zone).date()
