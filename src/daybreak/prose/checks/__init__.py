"""Checks of what a model wrote, one small file each: a draft becomes a statement only when the evidence carries it."""

from daybreak.prose.checks.interface import REASONS, Claim, ClaimCheck, Fault
from daybreak.prose.checks.judging import CHECKS, judge

__all__ = ["CHECKS", "REASONS", "Claim", "ClaimCheck", "Fault", "judge"]
