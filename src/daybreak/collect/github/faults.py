"""Why something could not be had of the forge: each becomes a `Skipped`, none of them holds a secret.

ForgeFault
├── Unavailable     not now: limits, an outage, no network; the next run asks again
│   └── OutOfBudget     as many requests as we allow ourselves have been made
├── Offline         this run asks nobody
├── Incomplete      an answer that says of itself that it is not whole: tried again
├── Refused         not at all with these credentials
│   └── NoGraphql   the forge has no GraphQL for us: REST is asked instead
├── NoTokens        every token was refused: what needs none can still be asked
└── LeftOut         not asked for, since there is no token for it: told, but no fault
"""

from __future__ import annotations


class ForgeFault(Exception):
    """`reason` is part of a sentence, `tip` a sentence for the terminal."""

    def __init__(self, reason: str, tip: str = "") -> None:
        super().__init__(reason)
        self.reason, self.tip = reason, tip


class Unavailable(ForgeFault):
    """Not to be had now."""

    def __init__(self, reason: str, tip: str = "", *, heavy: bool = False) -> None:
        super().__init__(reason, tip)
        self.heavy = heavy
        """It may come when less is asked for at a time."""


class OutOfBudget(Unavailable):
    """We ask for no more in this run."""


class Refused(ForgeFault):
    """The forge does not give it to us."""

    def __init__(self, reason: str, tip: str = "", status: int = 0) -> None:
        super().__init__(reason, tip)
        self.status = status


class NoGraphql(Refused):
    """The forge does not answer this in GraphQL."""


class NoTokens(ForgeFault):
    """No token is left that the forge accepts."""


class LeftOut(ForgeFault):
    """We do not ask for it without what we have not got; the next run would not either."""


class Offline(ForgeFault):
    """This run asks nobody."""

    def __init__(self) -> None:
        super().__init__(
            "was not asked, since this run is offline", "Run once without --offline and without `[github] offline`."
        )


class Incomplete(ForgeFault):
    """The answer says of itself that it is not whole."""
