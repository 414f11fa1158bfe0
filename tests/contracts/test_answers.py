"""Raw answers of a forge stand in their places on every store, byte for byte, until others take them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts import stored
from contracts.conftest import opened
from daybreak.store import schema

if TYPE_CHECKING:
    from pathlib import Path

    from daybreak.core.model.items import Envelope
    from daybreak.store.sql import SqlStore


def kept(store: SqlStore, one: Envelope) -> Envelope | None:
    return store.answers.get(one.repo, one.label, one.category, one.id)


def test_an_answer_comes_back_from_its_place_and_from_no_other(store: SqlStore) -> None:
    one = stored.answer()
    assert kept(store, one) is None
    store.answers.put([one, stored.answer("6", etag=None, body=b"")])
    assert kept(store, one) == one
    found = kept(store, stored.answer("6"))
    assert found is not None
    assert (found.etag, found.body) == (None, b"")
    for place in range(4):
        names = [one.repo, one.label, one.category, one.id]
        names[place] = "another"
        assert store.answers.get(*names) is None
    assert list(store.verify()) == []


def test_a_later_answer_takes_the_place_of_the_first(store: SqlStore) -> None:
    later = stored.answer(body=b"later", fetched_at=stored.answer().fetched_at + timedelta(hours=1))
    store.answers.put([stored.answer(), stored.answer("6")])
    store.answers.put([stored.answer(body=b"between"), later])
    assert kept(store, later) == later
    assert kept(store, stored.answer("6")) == stored.answer("6")
    assert list(store.verify()) == []


def test_answers_are_put_as_a_whole_or_not_at_all(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.answers.put([stored.answer(body=b"old")])

    def breaks(*_: object, **__: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(store._database, "insert", breaks)
        with pytest.raises(KeyboardInterrupt):
            store.answers.put([stored.answer(body=b"new"), stored.answer("6")])
    found = kept(store, stored.answer())
    assert found is not None
    assert found.body == b"old"
    assert kept(store, stored.answer("6")) is None


def test_answers_are_there_for_the_next_run(address: str, tmp_path: Path) -> None:
    first = opened(address, tmp_path)
    first.answers.put([stored.answer()])
    first.close()
    second = opened(address, tmp_path)
    assert kept(second, stored.answer()) == stored.answer()
    second.close()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(), st.text(), st.binary(max_size=300), st.none() | st.text())
def test_any_answer_can_be_kept(store: SqlStore, category: str, name: str, body: bytes, etag: str | None) -> None:
    one = stored.answer(name, category=category, body=body, etag=etag)
    store.answers.put([one])
    found = kept(store, one)
    assert found is not None
    assert found.body == body
    assert list(store.verify()) == []


@pytest.mark.parametrize("damage", [{"body": b"\x78\x9cnonsense"}, {"repo": "acme/other"}])
def test_a_damaged_answer_is_asked_for_again_and_told_of(store: SqlStore, damage: dict[str, bytes | str]) -> None:
    store.answers.put([stored.answer()])
    with store._database.write() as connection:
        stored.set_all(connection, schema.answers, **damage)
    assert kept(store, stored.answer()) is None
    assert [found.table for found in store.verify()] == ["answers"]
    store.answers.put([stored.answer()])
    assert kept(store, stored.answer()) == stored.answer()
    assert list(store.verify()) == []
