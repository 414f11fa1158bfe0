"""Frames: messages with another number of parts and bytes with another layout, and who reads them."""

import pytest

from daybreak.findings.languages.frames import facts
from read.behaviour import Told, facts_of, file_of

PATH = "engine/distributed/events.py"
EXAMPLE = file_of("examples/subscriber.py", "a, b = s.recv_multipart()\n", "_, a, b = s.recv_multipart()\n")


def sender(*calls: str) -> str:
    return "class Publisher:\n    def replay(self, client, seq, buf):\n" + "".join(
        f"        {call}\n" for call in calls
    )


TWO = sender('self.out.send_multipart((client, b"", seq, buf))', 'self.out.send_multipart((client, b"", END, b""))')
AWAY = sender('self.out.send_multipart((self.local_ip, b"", seq, buf))')
CASES: dict[str, tuple[str, str, list[Told]]] = {
    "one more frame": (
        TWO,
        TWO.replace('b"", ', 'b"", self.topic, '),
        [
            (
                "internal_frame_changed",
                "Publisher.replay",
                '(client, b"", seq, buf)',
                '(client, b"", self.topic, seq, buf)',
            )
        ],
    ),
    "another layout of bytes": (
        sender('self.head = struct.pack("<IQ", seq, buf)'),
        sender('self.head = struct.pack("<QQ", seq, buf)'),
        [("internal_frame_changed", "Publisher.replay", '"<IQ"', '"<QQ"')],
    ),
    "one more frame to another machine": (
        AWAY,
        AWAY.replace('b"", ', 'b"", self.topic, '),
        [
            (
                "peer_frame_changed",
                "Publisher.replay",
                '(self.local_ip, b"", seq, buf)',
                '(self.local_ip, b"", self.topic, seq, buf)',
            )
        ],
    ),
    "one more part behind its kind": (
        sender("sock.send(msgpack.encode((GET_META, remote_rank)))"),
        sender("sock.send(msgpack.encode((GET_META, remote_stage, remote_rank)))"),
        [
            (
                "peer_frame_changed",
                "Publisher.replay",
                "(GET_META, remote_rank)",
                "(GET_META, remote_stage, remote_rank)",
            )
        ],
    ),
    "a pair that is no message": (sender("x = tok.encode((a, b))"), sender("x = tok.encode((a, b, c))"), []),
    "other names at the same places": (TWO, TWO.replace("seq", "number"), []),
    "a list in place of a tuple": (TWO, TWO.replace("((", "([").replace("))", "])"), []),
    "a message more": (TWO, TWO + '        self.out.send_multipart((client, b""))\n', []),
    "parts that nobody counts": (TWO, TWO.replace("(client", "(*route, client"), []),
    "a text that is no layout": (sender('struct.pack("hello there", 1)'), sender('struct.pack("other text", 1)'), []),
}


@pytest.mark.parametrize("case", CASES)
def test_a_message_is_told_by_what_its_reader_must_count(case: str) -> None:
    before, after, expected = CASES[case]
    assert facts_of(facts, file_of(PATH, before, after)) == expected


def test_a_frame_behind_the_others_hurts_nobody_who_counts_them_first() -> None:
    before = sender("self.out.send_multipart([seq, buf])")
    after = sender("self.out.send_multipart([seq, buf, self.salt])")
    reads = "\n    def read(self, msg):\n        return msg[0], msg[2] if len(msg) > 2 else b''\n"
    assert facts_of(facts, file_of(PATH, before, after + reads)) == []
    assert len(facts_of(facts, file_of(PATH, before, after))) == 1, "nobody is seen to count"
    between = after.replace("seq, buf, self.salt", "seq, self.salt, buf")
    assert len(facts_of(facts, file_of(PATH, before, between + reads))) == 1, "another part stands in its place"


def test_where_an_example_reads_the_new_frames_people_outside_are_hit() -> None:
    file = file_of(PATH, TWO, TWO.replace('b"", ', 'b"", self.topic, '))
    assert [kind for kind, *_ in facts_of(facts, file, EXAMPLE)] == ["frame_changed"]


@pytest.mark.parametrize("path", ["tests/test_events.py", "benchmarks/events.py", "docs/events.py"])
def test_messages_of_what_is_not_shipped_are_no_news(path: str) -> None:
    assert facts_of(facts, file_of(path, TWO, TWO.replace('b"", ', 'b"", self.topic, '))) == []
