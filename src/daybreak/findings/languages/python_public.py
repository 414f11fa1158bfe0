"""Who can be hurt: which Python names users import, which classes others implement, which fields users set."""

from __future__ import annotations

import re
from functools import cache

from msgspec.structs import replace

from daybreak.core.model.findings import Alias
from daybreak.core.profiles import Profile, Public, field
from daybreak.findings.blobs import Row, Surface
from daybreak.findings.languages.base import ReadFile
from daybreak.findings.paths import SOURCES, area, ships

_NOT_IMPORTED = re.compile(r"(?:^|/)(?:compilation|layers|mem_cache|kernels|scripts)/")
"""Named like an interface, but only the project itself imports it."""
_PLUGIN = re.compile(
    r"(?:\w*Platform|\w+Interface|WorkerBase|Executor|ExecutorBase|AttentionBackend|AttentionImpl\w*|AttentionMetadataBuilder"
    r"|LogitsProcessor|QuantizationConfig|QuantizeMethodBase|LinearMethodBase|FusedMoEMethodBase|ToolParser|ReasoningParser"
    r"|BaseMultiModalProcessor|BaseModelLoader)"
)
"""What engines call the classes that others implement; a project's own are in its profile."""
_DATA = re.compile(r"(?:^|\.)(?:\w*dataclass\w*|config|define|attrs?|frozen|mutable)(?:$|\()")
_DATA_BASE = re.compile(r"(?:^|\.)(?:\w*BaseModel|\w*Struct|NamedTuple|TypedDict|BaseSettings)$")
_DATA_NAME = re.compile(r"\w*(?:Args|Config|Request|Response|Params|Req|ReqInput)$")
_ENUM = re.compile(r"(?:^|\.)(?:\w*Enum|Int?Flag|Flag)$")
_SETTING = re.compile(r"(?:^|\.)\w*(?:Args|Config|Request|Params)$")
_ABSTRACT = re.compile(r"(?:^|\.)(?:ABC|Protocol)(?:$|\[)|metaclass\s*=\s*(?:abc\.)?ABCMeta")
_ROUTE = re.compile(r"\.(?:get|post|put|delete|patch|head|options|route|websocket|middleware|exception_handler)\(")


def read_at_all(file: ReadFile) -> bool:
    """Tests, documents, tools and copies of other projects offer nothing to users."""
    return file.area in SOURCES and not file.tool


def importable(file: ReadFile, path: str | None = None) -> bool:
    """Users write `from … import …` with this file's module."""
    where = (path or file.path)[-400:]
    if file.reach != "usual" and read_at_all(file):
        return file.reach == "all" or not hidden(where) or bool(file.handed)
    public = file.profile.public
    if _NOT_IMPORTED.search(where) or public.is_internal.search(where):
        return False
    if public.is_imported.search(where):
        return read_at_all(file)
    if file.handed and not public.is_marked.search(where):
        return True
    if path in (None, file.path):
        return file.library
    return ReadFile(replace(file.change, path=where), area(where, file.profile), (), profile=file.profile).library


def serves(side: Surface, hook: Row, name: str) -> bool:
    """A `__getattr__` gives the name, or may: one that refuses names gives those which it or a table of the module has."""
    if "served" not in hook.details or name in hook.details["served"].split("\n"):
        return True
    tables = [side.get(("attribute", table)) for table in hook.details["tables"].split()]
    known = [table.details["value"] for table in tables if table is not None]
    held = any(value.startswith("…") or f'"{name}"' in value or f"'{name}'" in value for value in known)
    return held or len(known) < len(tables)


def alive(side: Surface, name: str) -> Alias | None:
    """The name still works in its class by a property, a method or a hook."""
    owner = name.rpartition(".")[0]
    if side.has("method", name):
        old = side["method", name].details.get("deprecated")
        return Alias("deprecated" if old else "kept", name)
    hook = side.get(("method", f"{owner}.__getattr__"))
    if hook is not None and serves(side, hook, name.rpartition(".")[2]):
        return Alias("kept", f"{owner}.__getattr__")
    return None


def is_root(file: ReadFile, path: str) -> bool:
    """The front of a package that the project is known by: what it takes in, it hands to others."""
    roots = (f"/{name.replace('.', '/')}/__init__.py" for name in file.profile.names.packages)
    return read_at_all(file) and any(f"/{path}".endswith(root) for root in roots)


def hidden(path: str) -> bool:
    """Some package on the way, or the module itself, starts with an underscore."""
    return any(part.startswith("_") and not part.startswith("__") for part in path.split("/"))


def forked(file: ReadFile, name: str) -> bool:
    """Plug-ins and forks of a known application reach it, though it is nobody's interface: a name of a module that is shipped,
    stands on no private way and holds more than one model's own code; of a public class also a method that starts with an
    underscore, for a subclass may write it.
    """
    if not file.profile.landmarks or file.reach == "all":
        return False
    owner, _, short = name.rpartition(".")
    mangled = short.startswith("__") and not short.endswith("__")
    if mangled or private(owner or short) or hidden(file.path) or not read_at_all(file):
        return False
    return ships(file.path) and not _of_one_model().search(file.path[-400:])


@cache
def _of_one_model() -> re.Pattern[str]:
    return re.compile(rf"(?:^|/)(?:{'|'.join(field().one_a_model)})/")


def passed_over(file: ReadFile, name: str) -> bool:
    """A private name; for those inside, a private method of a public class is one that a subclass may override."""
    owner, _, short = name.rpartition(".")
    hidden = private(owner) if file.reach == "all" and owner else private(name)
    return hidden or (short.startswith("__") and not short.endswith("__"))


def may_be_written(file: ReadFile, name: str) -> bool:
    """A method that somebody else may call, or write in a class of their own."""
    return not passed_over(file, name) or forked(file, name)


def private(name: str) -> bool:
    """Some part of the dotted name starts with an underscore; `__init__` and its like are public."""
    if not name.startswith("_") and "._" not in name:
        return False
    return any(p.startswith("_") and not (p.startswith("__") and p.endswith("__")) for p in name.split("."))


def exported(file: ReadFile, side: Surface, row: Row, path: str | None = None) -> bool:
    """Users import this very name; where a project marks or lists its public names, the mark must be there."""
    return not called_by_others(row) and _offers(file, side, row, path)


def _offers(file: ReadFile, side: Surface, row: Row, path: str | None) -> bool:
    where = path or file.path
    if row.details.get("deprecated") == "marked" and not private(row.name) and read_at_all(file):
        return True  # whoever marks a name as deprecated says that others use it
    if _bears_mark(file, side, row.name, where):
        return True  # so does the project's own mark, wherever the name stands
    if offered_by_list(file, side, row.name, where):
        return True  # and a list of what its package offers, for what bears no mark
    if private(row.name) or not importable(file, path) or row.name in ("main", "test"):
        return False
    top = row.name.split(".")[0]
    if top.startswith("__") or any("autograd.Function" in b for b in bases(side.get(("class", top)))):
        return False  # what torch calls, users do not
    aside = _served(row) or hidden(where) if file.reach == "public" else file.handed and not file.library
    return top in file.handed if file.reach != "all" and aside else _offered(file.profile.public, side, top, where)


def _bears_mark(file: ReadFile, side: Surface, name: str, where: str) -> bool:
    """The project marks what it offers, and this name has the mark."""
    public = file.profile.public
    marks = bool(public.mark) and public.is_marked.search(where) is not None
    return (
        marks and not private(name) and read_at_all(file) and _marked(side, name.split(".", maxsplit=1)[0], public.mark)
    )


def offered_by_list(file: ReadFile, side: Surface, name: str, where: str) -> bool:
    """A function, a structure, an enum or an error that a package lists: whoever lists it offers it, marked or not."""
    top = name.split(".", maxsplit=1)[0]
    if top not in file.handed or file.reach != "usual" or not file.profile.public.is_marked.search(where):
        return False
    row = side.get(("class", top))
    error = row is not None and lost_base(top) != lost_base("")
    return not private(name) and (side.has("function", top) or is_data(row) or is_enum(row) or error)


def _offered(public: Public, side: Surface, top: str, where: str) -> bool:
    """The module lists the name or marks it, where it lists or marks any."""
    if side.has("export", top) or where.endswith("__init__.py"):
        return True
    if public.is_marked.search(where):
        return _marked(side, top, public.mark)
    return not (public.is_listed.search(where) or side.of("export"))


def _served(row: Row) -> bool:
    """A server calls it when a request comes in; nobody imports it."""
    return any(_ROUTE.search(d) for d in row.details.get("decorators", "").split("\n") if d)


def called_by_others(row: Row) -> bool:
    """What its decorator hands to a library, which calls it, whatever its name: a validator, a hook, a fixture."""
    return any(_HANDED_ON.search(d.split("(")[0]) for d in row.details.get("decorators", "").split("\n") if d)


_HANDED_ON = re.compile(
    r"(?:^|\.)(?:field_validator|model_validator|validator|root_validator|(?:field|model)_serializer|validates|hookimpl|fixture|setter|deleter)$"
)


def _marked(side: Surface, top: str, mark: str) -> bool:
    """The mark (`@engine_api`) stands on the function or on a method of the class."""
    if side.has("function", top):
        return _bears(side["function", top], mark)
    prefix = top + "."
    return any(_bears(row, mark) for row in side.of("method") if row.name.startswith(prefix))


def _bears(row: Row, mark: str) -> bool:
    return any(mark in d.split("(")[0] for d in row.details.get("decorators", "").split("\n"))


def bases(row: Row | None) -> list[str]:
    return row.details.get("bases", "").split("\n") if row and row.details.get("bases") else []


def takes_fields(row: Row) -> bool:
    """Its constructor may take what it declares: a decorator or a base may make one. Annotations alone ask nobody for anything."""
    return bool(row.details.get("decorators") or bases(row))


def is_data(row: Row | None) -> bool:
    """A dataclass, pydantic model, msgspec struct, or a child of something that is named like one."""
    if row is None:
        return False
    if any(_DATA.search(d) for d in row.details.get("decorators", "").split("\n") if d):
        return True
    return any(_DATA_BASE.search(b) or _DATA_NAME.fullmatch(b.split(".")[-1]) for b in bases(row))


def is_keyed(side: Surface, row: Row | None) -> bool:
    """A TypedDict, also by a base of the same file: whoever writes or reads one names its keys."""
    met, left = set[str](), [row]
    while left:
        above = {base.split("[")[0] for base in bases(left.pop())} - met
        if any(base.rpartition(".")[2] == "TypedDict" for base in above):
            return True
        met |= above  # each base once: classes may be each other's bases in any number of ways
        left += [side.get(("class", base)) for base in above]
    return False


def may_lack(side: Surface, row: Row) -> bool:
    """A key that a dictionary of its type may be without; what its own type says of that comes before the class's."""
    owner = side.get(("class", row.name.rpartition(".")[0]))
    said = _REQUIRED.match(row.details["annotation"])
    return (said[1] == "Not" if said else "total=False" in bases(owner)) and is_keyed(side, owner)


_REQUIRED = re.compile(r"(?:\w{1,40}\.)?(Not)?Required\[")


def is_enum(row: Row | None) -> bool:
    return any(_ENUM.search(b) for b in bases(row))


def joins_base(row: Row, above: Row) -> bool:
    """It registers with a base of one that it is or derives from, as plug-ins do that put a class of theirs in its place."""
    marks = {d.split("(")[0] for d in row.details.get("decorators", "").split("\n")}
    return any(f"{base}.register" in marks for base in bases(above))


def lost_base(name: str, raised: bool = False) -> str:
    """The kind of finding that a class lost a base: of an error, who catches it by the base does not any more."""
    return "error_base_removed" if raised or name.endswith(("Error", "Exception")) else "base_removed"


def is_setting(name: str) -> bool:
    """Users write the fields of this class: arguments, configurations, requests, parameters."""
    return _SETTING.search(name) is not None and not private(name)


def holds_settings(file: ReadFile, name: str) -> bool:
    """A method of a class that holds what a user writes, where users meet it."""
    return file.public and is_setting(name.rpartition(".")[0])


def is_protocol(row: Row | None) -> bool:
    return any(re.search(r"(?:^|\.)Protocol(?:$|\[)", b) for b in bases(row))


def is_extension(row: Row | None, profile: Profile) -> bool:
    """Others implement this class: it is abstract, or it leaves methods for them to write and is named so."""
    if row is None or private(row.name):
        return False
    return _abstract(row) or is_plugin(row, profile)


def implemented(file: ReadFile, side: Surface, row: Row | None) -> bool:
    """People outside implement this class: known as such in an application; in a library, any that they can import."""
    return is_plugin(row, file.profile) or (file.reach == "public" and row is not None and exported(file, side, row))


def overridden(file: ReadFile, side: Surface, row: Row | None) -> bool:
    """Plug-ins and forks write the methods of this class: it is implemented, or an abstract one that they can import."""
    abstract = file.reach == "usual" and is_extension(row, file.profile)
    return (abstract and read_at_all(file) and not hidden(file.path)) or implemented(file, side, row)


def implements(row: Row | None, profile: Profile) -> bool:
    """The class is one that plug-ins write, or implements one: who calls it knows it by its base."""
    names = (b.split("[")[0].split(".")[-1] for b in bases(row))
    return row is not None and (is_plugin(row, profile) or any(is_plugin_name(name, profile) for name in names))


def implements_any(side: Surface, row: Row | None, profile: Profile) -> bool:
    """The same, also by a base of the same file."""
    met, left = set[str](), [row]
    while left:
        one = left.pop()
        if implements(one, profile):
            return True
        above = {base.split("[")[0] for base in bases(one)} - met
        met |= above
        left += [side.get(("class", base)) for base in above]
    return False


def is_plugin(row: Row | None, profile: Profile) -> bool:
    """People outside the project implement this class."""
    if row is None or not is_plugin_name(row.name, profile) or is_enum(row) or is_data(row):
        return False
    above = (b.split("[")[0].split(".")[-1] for b in bases(row))
    if any(is_plugin_name(name, profile) for name in above) and not row.name.endswith("Base"):
        return False  # one of those who implement it
    return _abstract(row) or "unwritten" in row.details


def is_plugin_name(name: str, profile: Profile) -> bool:
    """What engines, or this project, call a class that others implement."""
    return bool(_PLUGIN.fullmatch(name) or profile.public.is_plugin.fullmatch(name))


def _abstract(row: Row) -> bool:
    return "abstract" in row.details or any(_ABSTRACT.search(b) for b in bases(row))
