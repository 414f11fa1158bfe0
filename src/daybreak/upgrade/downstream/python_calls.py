"""What a call in a Python file tells: who is called with which arguments, and the calls that name things by string."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import lru_cache

from daybreak.upgrade.downstream.python_definitions import REGISTERED
from daybreak.upgrade.downstream.python_expressions import extend
from daybreak.upgrade.downstream.python_given import hold, pass_on, registered, stands_for, taker_of
from daybreak.upgrade.downstream.python_literals import (
    KEY,
    behind,
    grow,
    is_whole,
    of_call,
    pairs_of,
    text_of,
    value_of,
    variable,
    word_of,
)
from daybreak.upgrade.downstream.python_strings import CLIENTS, METHODS, client, completion, request
from daybreak.upgrade.downstream.python_values import (
    AS_CLASS,
    EVERYTHING,
    Above,
    Check,
    Handing,
    Inherited,
    Instance,
    Many,
    Own,
    OwnClass,
    Value,
    followed,
    is_class_name,
    made_by,
    member,
    one_round,
    owner_of,
)
from daybreak.upgrade.downstream.python_walk import Handler, Walk

_MESSAGES = frozenset(
    ("print", "debug", "info", "warning", "warn", "error", "exception", "critical", "getLogger", "init_logger", "echo",
     "fail", "skip", "skipif", "xfail", "info_once", "warning_once")
)  # fmt: skip
_ACTING = frozenset((*METHODS, "getenv", "run", "call", "check_call", "check_output", "Popen", "system", "popen"))
"""What a message shows the outcome of: `print(requests.get(URL + "/health"))` sends a request all the same."""
_TEXTS = frozenset(("help", "description", "epilog", "usage", "reason", "message", "msg", "doc", "title"))
_BUILDS = ("nvcc", "compile", "cxx", "link", "cflags")
"""Keywords whose lists are flags for a compiler."""
_FREE = frozenset(
    ("model", "model_path", "tokenizer", "prompt", "name", "served_model_name", "revision", "host", "seed", "role",
     "action", "default", "dest", "metavar", "nargs", "prefix", "suffix", "label", "text", "key")
)  # fmt: skip
"""Keywords that take any text, not a name of a registry."""
UNSAID = Instance("")
"""What a special call gives when it leaves the answer to the ordinary rules."""


def call(walk: Walk, node: ast.Call) -> Value:
    callee = walk.resolve(node.func)
    func = node.func
    last = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
    given: Value = UNSAID
    special = _SPECIAL.get(last)
    muted = walk.found.muted
    if muted and last in _ACTING:
        walk.found.muted = False
    if special is not None:
        given = special(walk, node, callee)
    elif "version" in last and any(top in last for top in walk.words.tops):
        walk.tested = True
    if callee is not None:
        tell(walk, node, callee)
    else:
        walk.wait(node)
    if walk.selves and node.args:
        _put_on(walk, node)
    if walk.found.has_variable:
        of_call(walk, node, last)
    taker = taker_of(walk, node, callee)
    _arguments(walk, node, last, walk.visit if special is None and taker is None else walk.once)
    if taker is not None:
        pass_on(walk, node, taker)
    walk.found.muted = muted
    if given is not UNSAID:
        return given
    made = made_by(callee)
    walk.tested = walk.tested or isinstance(made, Check)
    theirs = isinstance(callee, Inherited) or (isinstance(callee, str) and walk.words.watches(callee))
    return followed(callee, "()") if made is None and theirs else made


def _put_on(walk: Walk, node: ast.Call) -> None:
    """`setattr(Upstream, "method", function)` and helpers that do so: the function's `self` is an object of the class."""
    first = node.args[0]
    if isinstance(node.func, ast.Name) and isinstance(first, ast.Name) and first.id == "self":
        put_on(walk, node.func.id, walk.look_up("self"))  # called as the method that it does the work of
    functions = [one.id for one in node.args if isinstance(one, ast.Name) and one.id in walk.selves]
    for name in functions:
        for one in node.args:
            value = walk.resolve(one) if isinstance(one, ast.Name | ast.Attribute) else None
            put_on(walk, name, value)


def put_on(walk: Walk, name: str, value: Value) -> None:
    """A function becomes a method of what a value stands for."""
    if isinstance(value, Own) and value.kind.upstream and name in walk.selves:
        walk.selves[name].names["self"] = walk.selves[name].names.get("self") or value
        return
    path = value.path if isinstance(value, Instance) else value if isinstance(value, str) else ""
    scope = walk.selves.get(name)
    if scope is not None and walk.words.watches(path) and scope.names.get("self") is None:
        scope.names["self"] = Instance(path)


def tell(walk: Walk, node: ast.Call, callee: Value) -> None:
    """The call itself, with the names of what is passed."""
    handing = callee.member("__init__") if isinstance(callee, OwnClass) else callee
    if isinstance(handing, Handing):
        for one in node.keywords:
            if one.arg is not None and one.arg not in handing.own:
                _tell_key(walk, handing.target, one.arg, one)
        return
    if isinstance(callee, OwnClass) and callee.upstream and not callee.defines("__init__"):
        callee = Inherited(callee, "__init__", callee.upstream)
    if not (isinstance(callee, Inherited) or (isinstance(callee, str) and walk.is_theirs(callee))):
        return
    starred = any(arg.__class__ is ast.Starred for arg in node.args)
    line = node.func.end_lineno or node.lineno
    passed = _passed(walk, node)
    for key, value in passed:
        if value is not None and value.lineno != line:
            _tell_key(walk, callee, key, value)
    # A key that is passed under a condition of its own may be passed here, or not.
    unsure = {key for key, value in passed if value is not None and _is_conditional(walk, value)}
    always = dict.fromkeys(f"**{key}" if key in unsure else key for key, _ in passed)
    places = len(node.args) - _is_unbound(walk, node, callee)
    walk.refer("call", callee, line, tuple(always), None if starred else places)
    if isinstance(callee, str) and walk.words.watches(callee):
        _choices(walk, node, callee)
        if callee.rpartition(".")[2].startswith("register"):
            registered(walk, node, callee)


def _is_unbound(walk: Walk, node: ast.Call, callee: Value) -> bool:
    """`Upstream.method(self, …)`: the first argument is the object."""
    first = node.args[0] if node.args else None
    if not isinstance(callee, str) or not isinstance(first, ast.Name) or first.id != "self":
        return False
    by_class = not isinstance(node.func, ast.Attribute) or isinstance(walk.resolve(node.func.value), str)
    return by_class and is_class_name(callee.rpartition(".")[0].rpartition(".")[2])


def _passed(walk: Walk, node: ast.Call) -> list[tuple[str, ast.keyword | ast.expr | None]]:
    """What is passed by keyword, each with the place where it is written; `**` for what is not known."""
    passed: list[tuple[str, ast.keyword | ast.expr | None]] = []
    for one in node.keywords:
        if one.arg is not None:
            passed.append((one.arg, one))
            continue
        pairs = pairs_of(one.value, walk.scope)
        passed += pairs
        if not pairs or not is_whole(one.value, walk.scope):
            passed.append(("**", None))
    return passed


def _is_conditional(walk: Walk, value: ast.AST) -> bool:
    when, guard = walk.grown.get(id(value), ((), 0))
    return bool(guard & ~walk.found.guard) or not set(when) <= set(walk.found.when)


def _tell_key(walk: Walk, callee: Value, key: str, value: ast.keyword | ast.expr) -> None:
    """A keyword that stands on another line than the call which passes it, with what holds on that line."""
    found = walk.found
    when, guard = found.when, found.guard
    own, guarded = walk.grown.get(id(value), ((), 0))
    found.when, found.guard = tuple(dict.fromkeys((*when, *own))), guard | guarded
    walk.refer("call", callee, value.lineno, (key, "**"), None)
    found.when, found.guard = when, guard


def _choices(walk: Walk, node: ast.Call, callee: str) -> None:
    """What is passed by keyword and has a name of its own: `quantization="awq"`, `compilation_config={"level": 3}`."""
    for one in node.keywords:
        pairs = [(one.arg, one.value)] if one.arg is not None else pairs_of(one.value, walk.scope)
        for key, value in pairs:
            text = value.value if isinstance(value, ast.Constant) and key not in _FREE else None
            if isinstance(text, str) and text.replace("_", "").replace("-", "").isalnum() and text.isascii():
                walk.done.add(id(value))
                walk.found.add("model", text, value.lineno, value=key)
            for inner, below in pairs_of(value, walk.scope) if key.endswith("_config") else ():
                told = value_of(below, walk.scope)
                walk.found.add("config_key", f"{key}.{inner[:100]}", below.lineno, value=told, program=callee)


def _arguments(walk: Walk, node: ast.Call, last: str, visit: Callable[[ast.expr], Value]) -> None:
    found = walk.found
    muted, found.muted = found.muted, found.muted or last in _MESSAGES
    for arg in node.args:
        visit(arg)
    for one in node.keywords:
        outer = found.muted
        if one.arg is not None and _is_text(one.arg):
            found.muted = True
        visit(one.value)
        found.muted = outer
    found.muted = muted


@lru_cache(maxsize=4096)
def _is_text(keyword: str) -> bool:
    """Whether a keyword takes words for people or flags for a compiler."""
    return keyword in _TEXTS or any(part in keyword for part in _BUILDS)


# --- calls that mean more than themselves ------------------------------------------------------------------------


def _named(walk: Walk, node: ast.Call) -> tuple[Value, str | None]:
    """The object and the literal name of `getattr(object, "name")` and its like."""
    if len(node.args) < 2:
        return None, None
    return walk.once(node.args[0]), text_of(node.args[1], walk.scope)


def _getattr(walk: Walk, node: ast.Call, callee: Value) -> Value:
    base, name = _named(walk, node)
    if name is None or isinstance(callee, str):
        return UNSAID
    value = member(base, name)
    before = walk.found.guard
    if len(node.args) > 2:
        walk.found.guard |= EVERYTHING
    walk.refer("attribute", value, node.lineno)
    walk.found.guard = before
    return value


def _hasattr(walk: Walk, node: ast.Call, callee: Value) -> Value:
    base = walk.once(node.args[0]) if len(node.args) == 2 else None
    name = word_of(node.args[1], walk.scope) if len(node.args) == 2 else None
    value = member(base, name) if name is not None and not isinstance(callee, str) else None
    if isinstance(value, Inherited) or (isinstance(value, str) and walk.is_theirs(value)):
        before, walk.found.guard = walk.found.guard, EVERYTHING
        if name != KEY:
            walk.refer("attribute", value, node.lineno)
        walk.found.guard = before
        walk.tested = True
    return None


def _patch(walk: Walk, node: ast.Call, callee: Value) -> Value:
    """`setattr(x, "y", …)`, `mock.patch("x.y")`, `patch.object(x, "y")`, `monkeypatch.setattr(…)`."""
    request(walk, node, callee)  # `requests.patch(url, json=…)` has the same last word
    if not node.args:
        return UNSAID
    target = text_of(node.args[0], walk.scope)
    if target is None:
        base, name = _named(walk, node)
        value = member(base, name) if name is not None else None
        if isinstance(value, str) and isinstance(base, str):
            patched(walk, value, node.lineno, node.args[2] if len(node.args) > 2 else None)
        elif name is not None:  # of one object it is a use of its attribute
            walk.refer("attribute" if isinstance(base, Instance | Own | Inherited) else "patch", value, node.lineno)
    elif walk.words.watches(target) and "." in target:
        walk.done.add(id(node.args[0]))
        new = node.args[1] if len(node.args) > 1 else None
        patched(walk, target, node.args[0].lineno, new)
        if isinstance(new, ast.Name):
            put_on(walk, new.id, target.rpartition(".")[0])
    return UNSAID


def patched(walk: Walk, path: str, line: int, node: ast.expr | None) -> None:
    """Something of a module or class gets another value for everybody: a function of yours must take what upstream passes."""
    own = walk.functions.get(node.id) if isinstance(node, ast.Name) else None
    walk.refer("patch", path, line, own.keywords if own is not None else ())
    kind = walk.look_up(node.id) if isinstance(node, ast.Name) else None
    if isinstance(kind, OwnClass) and walk.words.watches(path) and is_class_name(path.rpartition(".")[2]):
        stands_for(walk, kind, path)
    if own is not None and walk.words.watches(path):
        made = REGISTERED if path.endswith(".__init__") else None
        walk.found.add("override", path, own.line, value=made, keywords=own.keywords)


def _patch_many(walk: Walk, node: ast.Call, _callee: Value) -> Value:
    target = text_of(node.args[0], walk.scope) if node.args else None
    if target is not None and walk.words.watches(target):
        for one in node.keywords:
            if one.arg is not None:
                walk.refer("patch", f"{target}.{one.arg}", one.value.lineno)
    return UNSAID


def _import(walk: Walk, node: ast.Call, callee: Value) -> Value:
    target = text_of(node.args[0], walk.scope) if node.args else None
    if target is None:
        return UNSAID
    walk.done.add(id(node.args[0]))
    if walk.words.watches(target):
        walk.found.add("import", target, node.lineno)
    value = walk.known(target)
    return target.partition(".")[0] if callee is None else value


def _installed(walk: Walk, node: ast.Call, _callee: Value) -> Value:
    """`find_spec("vllm")` and `version("vllm")` ask, they do not use; only the latter tells one release from another."""
    target = text_of(node.args[0], walk.scope) if node.args else None
    if target is not None and target.partition(".")[0].replace("-", "_") in walk.words.tops:
        found = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        walk.tested = walk.tested or found == "version" or "." in target
        walk.done.add(id(node.args[0]))
        return f"{target.replace('-', '_')}.__version__" if found == "version" else UNSAID
    return UNSAID


def _parsed(walk: Walk, node: ast.Call, _callee: Value) -> Value:
    """`Version(vllm.__version__)` is that version still."""
    value = walk.once(node.args[0]) if len(node.args) == 1 else None
    return value if isinstance(value, str) and value.endswith(".__version__") else UNSAID


def _set_variable(walk: Walk, node: ast.Call, _callee: Value) -> Value:
    if len(node.args) >= 2 and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
        variable(walk, node.args[0], node.args[0].value, node.args[1])
    return UNSAID


def _update(walk: Walk, node: ast.Call, _callee: Value) -> Value:
    """`payload.update({…})`: the dict that a name holds grows."""
    target = behind(node.func.value, walk.scope) if isinstance(node.func, ast.Attribute) else None
    if isinstance(target, ast.Dict):
        if node.args and not is_whole(node.args[0], walk.scope):
            target.keys.append(None)
            target.values.append(ast.copy_location(ast.Constant(value=None), node))
        more = [pair for one in node.args[:1] for pair in pairs_of(one, walk.scope)]
        for key, value in (*more, *((one.arg, one.value) for one in node.keywords if one.arg is not None)):
            grow(walk, target, key, value)
    return UNSAID


def _extend(walk: Walk, node: ast.Call, callee: Value) -> Value:
    if isinstance(node.func, ast.Attribute) and node.args:
        extend(walk, node.func.value, node.args[-1])
        if callee is None and isinstance(node.args[-1], ast.Name | ast.Attribute | ast.Call):
            hold(walk, node.func.value, walk.once(node.args[-1]))
    return UNSAID


def _same(walk: Walk, node: ast.Call, callee: Value) -> Value:
    """`list(x)`, `sorted(x)` hold what x holds."""
    value = walk.once(node.args[0]) if node.args and callee is None and isinstance(node.func, ast.Name) else None
    table = isinstance(value, Many) and value.table  # of which the keys are given
    return value if isinstance(value, Instance | Inherited | Many | Own) and not table else UNSAID


def _one(walk: Walk, node: ast.Call, callee: Value) -> Value:
    """`next(x)`, `max(x)`: one of x."""
    plain = len(node.args) == 1 and callee is None and isinstance(node.func, ast.Name)
    value = walk.once(node.args[0]) if plain else None
    return one_round(value) if isinstance(value, Instance | Inherited | Many) else UNSAID


def _rounds(_walk: Walk, _node: ast.Call, _callee: Value) -> Value:
    """`enumerate(x)`, `zip(x, y)`: the loop over it asks for x and y once more."""
    return UNSAID


def as_class(walk: Walk, node: ast.expr) -> None:
    """Something that must be a class: what `isinstance` asks for, what a pattern matches."""
    path = walk.resolve(node)
    if isinstance(path, str) and walk.words.watches(path) and path not in walk.found.replaced:
        walk.found.add("attribute", f"{path}{AS_CLASS}", node.lineno)


def _matched(walk: Walk, node: ast.MatchClass) -> Value:
    """`case Upstream():`."""
    as_class(walk, node.cls)
    walk.children(node)
    return None


def _is_instance(walk: Walk, node: ast.Call, _callee: Value) -> Value:
    """`isinstance(x, Upstream)`: what is asked for must be a class."""
    asked = node.args[1] if len(node.args) == 2 else None
    for one in asked.elts if isinstance(asked, ast.Tuple) else [asked]:
        if isinstance(one, ast.Name | ast.Attribute):
            as_class(walk, one)
    return UNSAID


def _super(walk: Walk, _node: ast.Call, callee: Value) -> Value:
    owner = owner_of(walk.scope) if callee is None else None
    return UNSAID if owner is None else Above(owner)


def _cast(walk: Walk, node: ast.Call, _callee: Value) -> Value:
    base = walk.once(node.args[0]) if len(node.args) == 2 else None
    if isinstance(base, str):
        return Instance(base) if is_class_name(base.rpartition(".")[2]) else UNSAID
    return Own(base) if isinstance(base, OwnClass) else UNSAID


def _compiled(walk: Walk, node: ast.Call, callee: Value) -> Value:
    """`torch.compile(x)` is used as x."""
    value = walk.once(node.args[0]) if callee == "torch.compile" and node.args else None
    return UNSAID if value is None else value


def _partial(walk: Walk, node: ast.Call, _callee: Value) -> Value:
    target = walk.once(node.args[0]) if node.args else None
    keywords = tuple(one.arg for one in node.keywords if one.arg is not None)
    walk.refer("call", target, node.lineno, keywords)
    return UNSAID


def _elsewhere(walk: Walk, node: ast.Call, _callee: Value) -> Value:
    """`asyncio.to_thread(f, …)`, `pool.submit(f, …)`: f is called with what follows it."""
    if node.args and isinstance(node.args[0], ast.Name | ast.Attribute):
        target = walk.once(node.args[0])
        inner = ast.Call(node.args[0], node.args[1:], node.keywords)
        tell(walk, ast.copy_location(inner, node.args[0]), target)
    return UNSAID


def _request(walk: Walk, node: ast.Call, callee: Value) -> Value:
    request(walk, node, callee)
    return UNSAID


def _create(walk: Walk, node: ast.Call, callee: Value) -> Value:
    completion(walk, node, callee)
    return UNSAID


def _client(walk: Walk, node: ast.Call, callee: Value) -> Value:
    given = client(walk, node, callee)
    return UNSAID if given is None else given


def _type(walk: Walk, node: ast.Call, callee: Value) -> Value:
    """`type(x)` is the class of x."""
    value = walk.once(node.args[0]) if len(node.args) == 1 and callee is None else None
    if isinstance(value, Instance):
        return value.path
    return value.kind if isinstance(value, Own) else UNSAID


_SPECIAL: dict[str, Callable[[Walk, ast.Call, Value], Value]] = {
    "getattr": _getattr,
    "hasattr": _hasattr,
    "setattr": _patch,
    "delattr": _patch,
    "patch": _patch,
    "object": _patch,
    "multiple": _patch_many,
    "import_module": _import,
    "__import__": _import,
    "importorskip": _import,
    "find_spec": _installed,
    "version": _installed,
    "Version": _parsed,
    "parse": _parsed,
    "setenv": _set_variable,
    "putenv": _set_variable,
    "setdefault": _set_variable,
    "update": _update,
    "append": _extend,
    "extend": _extend,
    "insert": _extend,
    "super": _super,
    "isinstance": _is_instance,
    "issubclass": _is_instance,
    "cast": _cast,
    "partial": _partial,
    "compile": _compiled,
    **dict.fromkeys(("to_thread", "submit", "run_in_threadpool", "run_sync"), _elsewhere),
    "type": _type,
    **dict.fromkeys(("list", "tuple", "sorted", "reversed", "iter"), _same),
    **dict.fromkeys(("next", "max", "min"), _one),
    **dict.fromkeys(("enumerate", "zip"), _rounds),
    "create": _create,
    **dict.fromkeys(METHODS, _request),
    **dict.fromkeys(CLIENTS, _client),
}

CALLS: dict[type[ast.AST], Handler] = {ast.Call: call, ast.MatchClass: _matched}
