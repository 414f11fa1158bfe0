"""Routes that are mounted only where a setting is on, and were mounted always."""

import pytest

from daybreak.findings import read

PATH = "vllm/entrypoints/serve/control/api_router.py"
ROUTES = '@router.post("/pause")\nasync def pause(raw):\n    return 1\n\n\n@router.get("/is_paused")\nasync def is_paused(raw):\n    return 1\n\n\n'
HEAD = "def attach_router(app):\n"
MOUNTED = f"{ROUTES}{HEAD}    app.include_router(router)\n"
LEFT = "    if not envs.ENGINE_DEV_MODE:\n        return\n"
GATED = MOUNTED.replace(HEAD, HEAD + LEFT)


def told(before: str, after: str) -> list[tuple[str, str | None, bool]]:
    found = read({PATH: before}, {PATH: after}, project="vllm-project/vllm")
    return [(f.symbol, f.after, f.breaking) for f in found if f.kind == "route_gated"]


BOTH = [("/is_paused", "ENGINE_DEV_MODE", True), ("/pause", "ENGINE_DEV_MODE", True)]


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("a way out before they are mounted", MOUNTED, GATED, BOTH),
        ("a question around the call", MOUNTED, MOUNTED.replace("    app.include", "    if envs.ENGINE_DEV_MODE.get():\n        app.include"), BOTH),
        ("by a setting of the program", MOUNTED, GATED.replace("envs.ENGINE_DEV_MODE", "args.dev_mode"), [("/is_paused", "dev_mode", True), ("/pause", "dev_mode", True)]),
        ("the setting was asked before", GATED, GATED.replace("    app.", "    x = 1\n    app."), []),
        ("mounted always from now on", GATED, MOUNTED, []),
        ("only where it is off", MOUNTED, GATED.replace("not ", ""), []),
        ("what is asked is no setting", MOUNTED, GATED.replace("envs.ENGINE_DEV_MODE", "ready(app)"), []),
        ("a router that comes with it", ROUTES, GATED, []),
    ],
)  # fmt: skip
def test_a_route_behind_a_setting(
    what: str, before: str, after: str, expected: list[tuple[str, str | None, bool]]
) -> None:
    assert sorted(told(before, after)) == expected, what


def test_what_is_mounted_before_the_way_out_is_mounted_always() -> None:
    last = "    app.include_router(other_router)\n"
    found = told(MOUNTED + last, f"{MOUNTED}{LEFT}{last}")
    assert found == [("app.include_router(other_router)", "ENGINE_DEV_MODE", True)], "and no route of the first one"


SERVER, AUDIO = "vllm/entrypoints/api_server.py", "vllm/entrypoints/audio/api_router.py"
BUILD = "def build_app(args, tasks):\n    app = App()\n    from vllm.entrypoints.audio.api_router import attach_router as register_audio_router\n\n{}    return app\n"
CALLED = "    register_audio_router(app)\n"
ASKED = f"    if 'audio' in tasks:\n    {CALLED}"
INNER = "def register_all_routers(app):\n    from vllm.entrypoints.audio.api_router import attach_router as register_audio_router\n\n    register_audio_router(app)\n\n\n"


@pytest.mark.parametrize(
    ("what", "before", "after", "told"),
    [
        ("below a question", BUILD.format(CALLED), BUILD.format(ASKED), True),
        ("through a helper that came", BUILD.format(CALLED), INNER + BUILD.format("    if 'audio' in tasks:\n        register_all_routers(app)\n"), True),
        ("the question was asked before", BUILD.format(ASKED), BUILD.format(f"    log(1)\n{ASKED}"), False),
        ("always from now on", BUILD.format(ASKED), BUILD.format(CALLED), False),
        ("on both sides of the question", BUILD.format(CALLED), BUILD.format(f"{ASKED}    else:\n        register_audio_router(app, slow=True)\n"), False),
        ("where another question was asked before", BUILD.format(f"    if tasks:\n        return app\n{CALLED}"), BUILD.format(ASKED), False),
        ("below what always holds", BUILD.format(CALLED), BUILD.format(f"    if True:\n    {CALLED}"), False),
        ("where there is a program", BUILD.format(CALLED), BUILD.format(f"    if app is not None:\n    {CALLED}"), False),
        ("below a question and what always holds", BUILD.format(CALLED), BUILD.format("    if app:\n        if 'audio' in tasks:\n            register_audio_router(app)\n"), True),
        ("in a loop", BUILD.format(CALLED), BUILD.format("    for app in tasks:\n        register_audio_router(app)\n"), False),
    ],
)  # fmt: skip
def test_what_a_helper_mounts_only_under_a_condition_is_told_by_its_routes(
    what: str, before: str, after: str, told: bool
) -> None:
    routes = ROUTES.replace("1", "{}")
    found = read(
        {SERVER: before, AUDIO: routes.format(1, 1)},
        {SERVER: after, AUDIO: routes.format(1, 2)},
        project="vllm-project/vllm",
    )
    given = [(f.symbol, f.after, f.breaking) for f in found if f.kind == "route_limited"]
    expected = [(route, "'audio' in tasks", True) for route in ("/is_paused", "/pause")]
    assert given == (expected if told else []), what


@pytest.mark.parametrize(
    ("module", "level", "where", "told"),
    [
        ("api", 1, "vllm/tools/openapi.py", []),
        ("api", 1, "vllm/tools/api.py", []),
        ("api", 1, "vllm/entrypoints/api.py", ["/is_paused", "/pause"]),
        ("tools.api", 2, "vllm/tools/api.py", ["/is_paused", "/pause"]),
        ("tools.api", 0, "vllm/tools/api.py", ["/is_paused", "/pause"]),
        ("tools.api", 0, "vllm/mytools/api.py", []),
        ("tools.other", 0, "vllm/tools/api.py", []),
    ],
)
def test_the_routes_are_those_of_the_file_that_is_imported(
    module: str, level: int, where: str, told: list[str]
) -> None:
    build = BUILD.replace("vllm.entrypoints.audio.api_router", f"{'.' * level}{module}")
    routes = ROUTES.replace("1", "{}")
    found = read(
        {SERVER: build.format(CALLED), where: routes.format(1, 1)},
        {SERVER: build.format(ASKED), where: routes.format(1, 2)},
        project="vllm-project/vllm",
    )
    assert [f.symbol for f in found if f.kind == "route_limited"] == told


def test_two_questions_are_told_together() -> None:
    after = BUILD.format(
        "    if args.fast:\n        if 'audio' in tasks or tasks.all:\n            register_audio_router(app)\n"
    )
    routes = ROUTES.replace("1", "{}")
    found = read(
        {SERVER: BUILD.format(CALLED), AUDIO: routes.format(1, 1)},
        {SERVER: after, AUDIO: routes.format(1, 2) + '@router.get("/came")\nasync def came(raw):\n    return 1\n'},
        project="vllm-project/vllm",
    )
    given = {(f.symbol, f.after) for f in found if f.kind == "route_limited"}
    assert given == {(route, "args.fast and ('audio' in tasks or tasks.all)") for route in ("/is_paused", "/pause")}
