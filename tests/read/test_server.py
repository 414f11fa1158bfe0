"""Interfaces of servers: tables of before, after and exactly the findings that must come out."""

import contextlib
import time

import pytest

from daybreak.findings import read
from daybreak.findings.languages import server
from read.offers import Told, facts_of, mirrored, plainly, told
from timing import beside

API = "engine/entrypoints/openai/api_server.py"
PROTOCOL = "engine/entrypoints/openai/protocol.py"


def route(path: str, handler: str = "show", how: str = "app.get") -> str:
    return f'@{how}("{path}")\nasync def {handler}(request):\n    return 1\n\n\n'


def model(*fields: str, name: str = "ChatRequest", base: str = "BaseModel") -> str:
    return f"class {name}({base}):\n    model: str\n" + "".join(f"    {f}\n" for f in fields) + "\n\nx = 1\n"


ROUTES: dict[str, tuple[str, str, list[Told]]] = {
    "gone": (route("/a") + route("/b", "b"), route("/b", "b"), [("route_removed", "/a", "/a", None, True)]),
    "new": ("", route("/a"), [("route_added", "/a", None, "/a", False)]),
    "renamed": (route("/a"), route("/v1/a"), [("route_renamed", "/a", "/a", "/v1/a", True)]),
    "another handler at another path": (
        route("/a"),
        route("/b", "other"),
        [("route_added", "/b", None, "/b", False), ("route_removed", "/a", "/a", None, True)],
    ),
    "kept beside a new one": (route("/a"), route("/a") + route("/v1/a"), [("route_added", "/v1/a", None, "/v1/a", False)]),
    "from the app to a router": (route("/a"), route("/a", how="router.get"), []),
    "a router with a prefix": (
        'router = APIRouter(prefix="/v1")\n' + route("/a", how="router.post"),
        'router = APIRouter(prefix="/v1")\n',
        [("route_removed", "/v1/a", "/v1/a", None, True)],
    ),
    "over several lines": (
        '@router.post(\n    "/a",\n    response_model=X,\n)\ndef f(): ...\n',
        "x = 1\n",
        [("route_removed", "/a", "/a", None, True)],
    ),
    "added by a call": ('app.add_api_route("/a", f)\n', "x = 1\n", [("route_removed", "/a", "/a", None, True)]),
    "a dictionary's get": ('x = config.get("/a")\n', "x = 1\n", []),
    "in a comment": ('# @app.get("/a")\n', "x = 1\n", []),
}  # fmt: skip


@pytest.mark.parametrize("name", ROUTES)
def test_routes(name: str) -> None:
    before, after, expected = ROUTES[name]
    assert told(facts_of(server, {API: (before, after)})) == expected
    assert facts_of(server, {API: (before, before)}) == []


def test_a_route_that_moved_to_another_file_is_not_removed() -> None:
    files = {API: (route("/a"), "x = 1\n"), "engine/entrypoints/serve/api.py": ("", route("/a", how="router.get"))}
    assert facts_of(server, files) == []


def test_of_a_route_that_goes_the_one_that_still_ends_as_it_did_is_known() -> None:
    (gone,) = facts_of(server, {API: (route("/rank") + route("/v1/rank", "b"), route("/v1/rank", "b"))})
    assert (gone.kind, gone.alias and gone.alias.where) == ("route_removed", "/v1/rank")
    two = route("/v1/rank", "b") + route("/v2/rank", "c")
    (gone,) = facts_of(server, {API: (route("/rank") + two, two)})
    assert gone.alias is not None
    assert gone.alias.where is None


FIELDS: dict[str, tuple[str, str, list[Told]]] = {
    "gone": (model("best_of: int = 1"), model(), [("request_field_removed", "ChatRequest.best_of", "ChatRequest.best_of", None, True)]),
    "new": (model(), model("n: int = 1"), [("request_field_added", "ChatRequest.n", None, "ChatRequest.n", False)]),
    "new and required": (model(), model("n: int"), [("request_field_required_added", "ChatRequest.n", None, "ChatRequest.n", True)]),
    "any row of values in place of a list": (model("n: list[int] = []"), model("n: Sequence[int] = []"), [("request_field_changed", "ChatRequest.n", "list[int]", "Sequence[int]", False)]),
    "what a name of another module stood for, written out": (model("n: Inputs"), model("n: Input | list[Input]"), []),
    "required as before, in brackets of its own": (model("n: int = (\n        Field(..., ge=1)\n    )"), model("n: int = Field(..., ge=1)"), []),
    "required from now on": (model("n: int = 1"), model("n: int"), [("request_field_required_added", "ChatRequest.n", "1", "ChatRequest.n", True)]),
    "new and required, through Field": (model(), model("n: int = Field(..., ge=1)"), [("request_field_required_added", "ChatRequest.n", None, "ChatRequest.n", True)]),
    "default": (model("n: int = 1"), model("n: int = 2"), [("request_field_default_changed", "ChatRequest.n", "1", "2", False)]),
    "default, through Field": (
        model("n: int = Field(default=1, description='a, b')"),
        model("n: int = Field(\n        default=2,\n    )"),
        [("request_field_default_changed", "ChatRequest.n", "1", "2", False)],
    ),
    "annotation in other words": (model("n: Optional[int] = 1"), model("n: int | None = 1"), []),
    "type": (
        model("n: int = 1"),
        model("n: float = 1"),
        [("request_field_changed", "ChatRequest.n", "int", "float", False)],
    ),
    "type that takes less": (
        model("n: float = 1"),
        model("n: int = 1"),
        [("request_field_changed", "ChatRequest.n", "float", "int", True)],
    ),
    "order only": (model("a: int = 1", "b: int = 1"), model("b: int = 1", "a: int = 1"), []),
    "moved to a base of the same file": (
        model("n: int = 1"),
        model(base="Sampling") + "\n" + model("n: int = 1", name="SamplingRequest"),
        [],
    ),
    "now inherited from elsewhere": (model("n: int = 1"), model(base="SharedRequest"), []),
    "the class as a whole": (model("n: int = 1"), "x = 1\n", []),
    "of a response": (
        model("n: int = 1", name="ChatResponse"),
        model(name="ChatResponse"),
        [("request_field_removed", "ChatResponse.n", "ChatResponse.n", None, True)],
    ),
    "new and required in an answer: nobody has to send it": (
        model(name="ChatResponse") + model(name="BatchRequestOutput"),
        model("n: int", name="ChatResponse") + model("n: int", name="BatchRequestOutput"),
        [
            ("request_field_added", "BatchRequestOutput.n", None, "BatchRequestOutput.n", False),
            ("request_field_added", "ChatResponse.n", None, "ChatResponse.n", False),
        ],
    ),
    "of a class that nobody sends": (model("n: int = 1", name="State"), model(name="State"), []),
    "a local variable of a method": (model("def f(self):", "    n: int = 1"), model("def f(self):", "    pass"), []),
    "text of a doc string": (model('"""', "n: int = 1", '"""'), model('"""', '"""'), []),
}  # fmt: skip


@pytest.mark.parametrize("name", FIELDS)
def test_request_fields(name: str) -> None:
    before, after, expected = FIELDS[name]
    assert told(facts_of(server, {PROTOCOL: (before, after)})) == expected
    assert facts_of(server, {PROTOCOL: (after, after)}) == []


@pytest.mark.parametrize("name", [n for n in FIELDS if "required" not in n])
def test_backwards_is_mirrored(name: str) -> None:
    before, after, _ = FIELDS[name]
    there, back = (facts_of(server, {PROTOCOL: pair}) for pair in ((before, after), (after, before)))
    assert mirrored(there) == plainly(back)


def test_what_processes_send_each_other_breaks_nobody() -> None:
    before, after = (model(*f, name="BatchTokenizedReqInput", base="BaseReq") for f in (("n: int = 1",), ()))
    (fact,) = facts_of(server, {"engine/managers/io_struct.py": (before, after)})
    assert (fact.kind, fact.breaking) == ("request_field_removed", False)


@pytest.mark.parametrize(
    ("name", "path", "kind"),
    [
        ("LoadsReqOutput", "engine/managers/io_struct.py", "sent_field"),
        ("LoadsReqOutput", PROTOCOL, "request_field"),
        ("LoadReqInput", "engine/managers/io_struct.py", "request_field"),
    ],
)
def test_what_one_process_answers_another_is_no_response_of_a_server(name: str, path: str, kind: str) -> None:
    one, none = (model(*f, name=name, base="BaseModel") for f in (("n: int = 1",), ()))
    assert [fact.kind for fact in facts_of(server, {path: (one, none)})] == [f"{kind}_removed"]
    assert [fact.kind for fact in facts_of(server, {path: (none, one)})] == [f"{kind}_added"]


PROTO = "message Chat {{\n  // the text\n  string text = 1;\n{}\n  message Inner {{\n    int32 n = 1;\n  }}\n}}\n"
MESSAGES: dict[str, tuple[str, str, list[Told]]] = {
    "gone": (PROTO.format("  repeated int32 ids = 2;"), PROTO.format(""), [("message_field_removed", "Chat.ids", "ids", None, True)]),
    "new": (PROTO.format(""), PROTO.format("  optional int32 n = 2 [deprecated = true];"), [("message_field_added", "Chat.n", None, "n", False)]),
    "another number": (PROTO.format("  int32 n = 2;"), PROTO.format("  int32 n = 3;"), [("message_field_renumbered", "Chat.n", "2", "3", True)]),
    "in a oneof": (PROTO.format("  oneof of {\n    int32 n = 4;\n  }"), PROTO.format(""), [("message_field_removed", "Chat.n", "n", None, True)]),
    "a map": (PROTO.format("  map<string, int32> m = 5;"), PROTO.format(""), [("message_field_removed", "Chat.m", "m", None, True)]),
    "in a comment": (PROTO.format("  // int32 n = 2;"), PROTO.format(""), []),
    "another name for a number": (
        PROTO.format("  int32 n = 2;"),
        PROTO.format("  int32 count = 2;"),
        [("message_field_added", "Chat.count", "n", "count", False), ("message_field_removed", "Chat.n", "n", "count", True)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MESSAGES)
def test_messages(name: str) -> None:
    before, after, expected = MESSAGES[name]
    assert told(facts_of(server, {"proto/chat.proto": (before, after)})) == expected
    assert facts_of(server, {"proto/chat.proto": (after, after)}) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (API, '@app.get("/' * 50_000),
        (API, "class ARequest(BaseModel):\n    x: [" * 20_000),
        ("a/b.proto", "message A {" * 50_000),
        ("a/b.proto", "/*" * 200_000),
        ("a/b.proto", "message A {" + "a " * 300_000),
    ],
)
def test_hostile_sizes_are_linear(path: str, text: str) -> None:
    started = time.process_time()
    with contextlib.suppress(ValueError):  # counted as a file that is not understood
        server.surface(path, text)
    assert time.process_time() - started < beside(4)


def test_messages_of_the_same_name_in_two_files_are_not_taken_for_each_other() -> None:
    one = "message Sampling {\n  string stop = 1;\n  string regex = 2;\n}\n"
    two = "message Sampling {\n  int32 seed = 1;\n}\n"
    files = {"proto/engine_a.proto": (one, one + "\n"), "proto/engine_b.proto": (two, two + "\n")}
    assert facts_of(server, files) == []


def test_a_message_that_moves_with_its_file_is_compared_with_itself() -> None:
    one = "message Sampling {\n  string stop = 1;\n  string regex = 2;\n}\n"
    less = "message Sampling {\n  string stop = 1;\n}\n"
    files = {"old/engine.proto": (one, None), "new/engine.proto": (None, less)}
    assert [f.symbol for f in facts_of(server, files)] == ["Sampling.regex"]


def test_another_name_for_a_path_parameter_is_the_same_route() -> None:
    files = {API: (route("/models/{model_id}"), route("/models/{model:path}"))}
    assert facts_of(server, files) == []


PART = """class ChatMessage(OpenAIBaseModel):
    role: str
    reasoning: str | None = None
{}

class ChatResponseChoice(OpenAIBaseModel):
    message: ChatMessage
"""


def test_a_field_that_leaves_a_part_of_answers_is_lost_by_clients_and_one_that_comes_asks_nothing_of_them() -> None:
    path, more = "engine/entrypoints/openai/protocol.py", "    reasoning_content: str\n"
    (gone,) = read({path: PART.format(more)}, {path: PART.format("")})
    assert (gone.kind, gone.symbol, gone.breaking) == (
        "request_field_removed",
        "ChatMessage.reasoning_content",
        True,
    )
    (come,) = read({path: PART.format("")}, {path: PART.format(more)})
    assert (come.kind, come.breaking) == ("request_field_added", False)
    aside = "engine/core/message.py"
    assert not any(f.breaking for f in read({aside: PART.format(more)}, {aside: PART.format("")}))


@pytest.mark.parametrize(
    ("field", "default"),
    [
        ("empty_cache: bool = True", "True"),
        ("empty_cache: bool = Field(default=True, description='d')", "True"),
        ("empty_cache: int | None = None", "None"),
        ("empty_cache: list = made_by(3)", None),  # nobody knows what it is
        ("empty_cache: bool", None),
    ],
)
def test_a_field_of_a_request_that_came_has_the_default_that_it_comes_with(field: str, default: str | None) -> None:
    (came,) = facts_of(server, {PROTOCOL: (model(), model(field))})
    assert (came.symbol, came.default) == ("ChatRequest.empty_cache", default)
