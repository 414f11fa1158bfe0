"""What a container starts with: commands, variables and libraries of the image that the last stage makes."""

from __future__ import annotations

import pytest

from daybreak.findings import read
from daybreak.judge.breaking import mark_of

PATH = "docker/Dockerfile"
IMAGE = """FROM ${{BASE}} AS build
ENV SIZE={build}
FROM cuda AS runtime
# ENV SIZE=9
RUN apt-get update \\
    && {libraries}
ENV SIZE={size}
FROM runtime AS test
ENV SIZE={test}
ENTRYPOINT ["pytest"]
FROM runtime AS {last}
ENTRYPOINT {start}
"""
USUAL = {
    "build": "1", "size": "1", "test": "1", "last": "serve", "start": '["engine", "serve"]',
    "libraries": "ldconfig /usr/local/compat",
}  # fmt: skip


def _image(**given: str) -> str:
    return IMAGE.format(**(USUAL | given))


def _told(before: str, after: str, path: str = PATH) -> list[tuple[str, str | None, str | None]]:
    found = read({path: before}, {path: after})
    return [(f.symbol, f.before, f.after) for f in found if f.kind == "container_changed"]


def test_of_commands_in_which_one_file_has_another_name_the_names_are_told() -> None:
    before = 'echo "/opt/$(cut -d. -f1)/compat" > /etc/ld.so.conf.d/{}.conf && ldconfig'
    sides = (_image(libraries=before.format(name)) for name in ("00-compat", "compat"))
    assert _told(*sides) == [("/etc/ld.so.conf.d", "00-compat.conf", "compat.conf")]


PERSISTS = "echo /usr/local/compat > /etc/ld.so.conf.d/00.conf && ldconfig"


@pytest.mark.parametrize(
    ("part", "value", "told"),
    [
        ("start", '["engine"]', ("ENTRYPOINT", '["engine", "serve"]', '["engine"]')),
        ("size", "2", ("ENV SIZE", "1", "2")),
        ("libraries", PERSISTS, ("ldconfig", "ldconfig /usr/local/compat", PERSISTS.partition(" && ")[0])),
    ],
)
def test_what_reaches_the_image_is_told(part: str, value: str, told: tuple[str, str, str]) -> None:
    assert _told(_image(), _image(**{part: value})) == [told]


@pytest.mark.parametrize(
    ("part", "value"),
    [("build", "2"), ("test", "2"), ("start", '["engine","serve"]'), ("size", '"1"'), ("size", "${SIZE_OF}")],
)
def test_other_stages_and_other_ways_to_write_it_are_not(part: str, value: str) -> None:
    assert _told(_image(), _image(**{part: value})) == []


def test_an_image_that_comes_behind_is_another_one() -> None:
    more = _image() + 'FROM serve AS plain\nENTRYPOINT ["/start.sh"]\n'
    assert _told(_image(), more) == []


def test_images_of_tests_are_nobody_elses() -> None:
    assert _told(_image(), _image(size="2"), "docker/Dockerfile.ci") == []


def test_the_program_that_a_script_starts_is_told() -> None:
    script = '#!/bin/bash\nARGS=(--port 80)\nexec {}engine serve \\\n    "${{ARGS[@]}}"\n'
    said = 'engine serve "${ARGS[@]}"'
    path = "examples/serving/cloud-entrypoint.sh"
    assert _told(script.format(""), script.format("keeper "), path) == [("exec", said, f"keeper {said}")]
    assert _told(script.format(""), script.format("keeper "), "docker/test_cloud_entrypoint.sh") == []


def test_an_image_that_starts_otherwise_breaks_who_runs_it() -> None:
    found = read({PATH: _image()}, {PATH: _image(size="2")})
    assert [mark_of(f) for f in found if f.kind == "container_changed"] == ["breaks"]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("pip install kit", "pip install kit --no-deps", True),
        ("python3 -m pip install kit==1.0 ; echo", "python3 -m pip install kit==1.0 --no-deps ; echo", True),
        ("pip install kit==1.0", "pip install kit==1.1", False),
        ("pip install kit", "pip install kit more", False),
        ("pip install -r list.txt", "pip install -r list.txt --no-deps", False),
    ],
)
def test_a_package_that_is_installed_otherwise_is_told_and_breaks_nobody_for_sure(
    before: str, after: str, told: bool
) -> None:
    found = read({PATH: _image(libraries=before)}, {PATH: _image(libraries=after)})
    rows = [(f.symbol, mark_of(f)) for f in found if f.kind == "container_changed"]
    assert rows == ([("pip install kit", None)] if told else [])


def test_what_is_installed_into_a_stage_that_the_image_copies_from_is_told() -> None:
    image = "FROM cuda AS made\nRUN if true; then \\\n    pip install kit{} ; \\\nfi\nFROM cuda AS serve\nCOPY --from=made /lib /lib\n"
    found = read({PATH: image.format("")}, {PATH: image.format(" --no-deps")})
    assert [f.symbol for f in found if f.kind == "container_changed"] == ["pip install kit"]
