"""Check: the draft names evidence that was shown, and that evidence says something."""

from __future__ import annotations

from daybreak.prose.checks.interface import Claim, Fault


class CitedPieces:
    """Every cited piece exists and is not empty."""

    def fault(self, claim: Claim) -> Fault | None:
        if not claim.draft.refs:
            return Fault("no_evidence")
        for ref in claim.draft.refs:
            ground = claim.grounds.pieces.get(ref)
            if ground is None:
                return Fault("unknown_evidence", ref[:40])
            if not ground.plain:
                return Fault("empty_evidence", ref)
        return None
