"""Nothing on the user's machine or in a repository changes what is read, or runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from daybreak.core.git_program import Git

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Collector
    from gitrepo import GitRepo

HOSTILE_CONFIG = """\
[diff]
	external = {evil}
	noprefix = true
	renames = false
	mnemonicPrefix = true
	algorithm = patience
	context = 0
	orderFile = {order}
	suppressBlankEmpty = true
	submodule = log
[diff "evil"]
	textconv = {evil}
	command = {evil}
	binary = true
[core]
	pager = {evil}
	attributesFile = {attributes}
	quotePath = false
	fsmonitor = {evil}
	hooksPath = {hooks}
	abbrev = 4
[alias]
	log = !{evil}
	rev-list = !{evil}
[log]
	showSignature = true
	showRoot = false
	date = relative
	follow = true
	mailmap = true
[color]
	ui = always
[format]
	pretty = oneline
[i18n]
	logOutputEncoding = UTF-16
[gpg]
	program = {evil}
[transfer]
	fsckObjects = true
[clone]
	filterSubmodules = true
[init]
	templateDir = {hooks}
[protocol]
	allow = always
"""


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that leaves a mark when it runs."""
    program = tmp_path / "evil"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o755)
    return program


def history(repo: GitRepo) -> None:
    lines = "".join(f"line {n}\n" for n in range(30))
    repo.commit("root", {"a.py": lines, ".gitattributes": "*.py binary\n*.c -diff\n*.md diff=evil\n", "x.c": "1\n"})
    repo.commit("é", {"a.py": None, "b.py": lines + "\nmore\n", "x.c": "2\n", "y.md": "text\n"}, author="Ann")


def test_neither_config_nor_environment_nor_attributes_change_what_is_read(
    repo: GitRepo, collector: Collector, trap: Path, tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history(repo)
    plain = collector.collect(repo)
    assert [file.status for file in plain.changes[0].files] == ["R", "M", "A"]
    assert not any(file.binary for change in plain.changes for file in change.files)
    for name, text in {"order": "y.md\n", "attributes": "* diff=evil binary\n"}.items():
        (tmp_path / name).write_text(text)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("post-checkout", "reference-transaction", "post-update"):
        (hooks / hook).symlink_to(trap)
    config = HOSTILE_CONFIG.format(evil=trap, order=tmp_path / "order", attributes=tmp_path / "attributes", hooks=hooks)
    (own_home / ".gitconfig").write_text(config)
    (own_home / ".config" / "git").mkdir(parents=True)
    (own_home / ".config" / "git" / "attributes").write_text("* diff=evil binary\n")
    (own_home / ".mailmap").write_text("Mallory <m@example.org> <someone@example.org>\n")
    for name, value in {
        "GIT_EXTERNAL_DIFF": str(trap),
        "GIT_DIR": str(tmp_path / "elsewhere"),
        "GIT_WORK_TREE": str(tmp_path),
        "GIT_CONFIG_PARAMETERS": "'diff.noprefix=true' 'diff.external=evil'",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "diff.external",
        "GIT_CONFIG_VALUE_0": str(trap),
        "GIT_PAGER": str(trap),
        "GIT_DIFF_OPTS": "-u0",
        "GIT_OBJECT_DIRECTORY": str(tmp_path),
        "GIT_TRACE": "1",
        "PAGER": str(trap),
        "LANG": "de_DE.UTF-8",
    }.items():
        monkeypatch.setenv(name, value)
    collector.mirrors = tmp_path / "other" / "mirrors"
    for offline in (False, True):
        found = collector.collect(repo, offline=offline)
        assert (found.changes, found.head, found.skipped) == (plain.changes, plain.head, ())
    assert not (tmp_path / "ran").exists()


def test_replace_refs_grafts_and_notes_change_nothing(repo: GitRepo, collector: Collector) -> None:
    history(repo)
    plain = collector.collect(repo)
    evil = repo.commit("forged", {"a.py": "x"}, branch="evil", parents=[])
    repo.git("replace", "main", evil)
    repo.git("update-ref", "refs/notes/commits", evil)
    (repo.path / "info").mkdir(exist_ok=True)
    (repo.path / "info" / "grafts").write_text(f"{repo.oid('refs/heads/main')}\n")
    assert collector.collect(repo) == plain
    assert collector.collect(repo, name="org/fresh").changes[0].sha == plain.changes[0].sha


def test_settings_and_hooks_of_the_source_run_nothing(
    repo: GitRepo, collector: Collector, trap: Path, tmp_path: Path
) -> None:
    history(repo)
    (repo.path / "hooks").mkdir()
    for hook in ("post-checkout", "post-upload-pack", "pre-upload-pack", "reference-transaction", "post-index-change"):
        (repo.path / "hooks" / hook).symlink_to(trap)
    for key in (
        "core.fsmonitor",
        "uploadpack.packObjectsHook",
        "core.alternateRefsCommand",
        "core.pager",
        "diff.external",
    ):
        repo.git("config", key, str(trap))
    for number, address in enumerate((str(repo.path), f"file://{repo.path}")):
        found = collector.collect(address, name=f"org/r{number}")
        assert len(found.changes) == 2
    assert not (tmp_path / "ran").exists()


def test_the_users_proxy_credentials_and_trust_are_passed_on(own_home: Path, tmp_path: Path) -> None:
    (own_home / "more").write_text("[credential]\n\thelper = store\n")
    (own_home / ".gitconfig").write_text(
        '[http]\n\tproxy = http://proxy:1\n[http "https://x"]\n\textraHeader = A: b\n[include]\n\tpath = more\n'
        '[url "https://mirror/"]\n\tinsteadOf = https://github.com/\n[safe]\n\tdirectory = "/srv/\\"q"\n[user]\n\tname = x\n'
    )
    git = Git(dict(os.environ))
    git.take_user_settings(tmp_path / "state")
    settings = git.run("config", "--list", "--name-only").decode().splitlines()
    wanted = {"http.proxy", "http.https://x.extraheader", "credential.helper", "url.https://mirror/.insteadof"}
    assert wanted <= set(settings)
    assert "user.name" not in settings


def test_a_git_repository_named_by_the_environment_lends_no_settings(
    repo: GitRepo, trap: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repo.git("config", "core.sshCommand", str(trap))
    monkeypatch.setenv("GIT_DIR", str(repo.path))
    git = Git(dict(os.environ))
    git.take_user_settings(tmp_path / "state")
    assert str(trap) not in git.run("config", "--list").decode()
