"""What can go wrong with one exchange, in words of our own: no address, no header and no answer is in them."""

from __future__ import annotations


class NetFault(Exception):
    """The exchange did not bring a whole answer; `reason` is part of a sentence."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class TimedOut(NetFault):
    """No answer, or not the whole of it, in the time we give."""


class Unreachable(NetFault):
    """No connection could be made."""


class Cut(NetFault):
    """The connection ended inside the answer, or the answer is damaged."""


class TooLarge(NetFault):
    """The answer is larger than we take."""


class Astray(NetFault):
    """The answer sends us somewhere we do not go."""
