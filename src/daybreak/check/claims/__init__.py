"""Checks of what a model wrote, one small file each: a draft becomes a statement only when the evidence carries it."""

from daybreak.check.claims.interface import REASONS, Claim, ClaimCheck, Fault
from daybreak.check.claims.judging import CHECKS, judge

__all__ = ["CHECKS", "REASONS", "Claim", "ClaimCheck", "Fault", "judge"]
