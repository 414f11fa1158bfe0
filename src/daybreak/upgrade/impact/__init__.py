"""What upstream changes mean for your own code: nets of a range or a window, your uses, hits, acknowledgements.

A window is exactly the commits dated in it, wherever they stand on the branch; they are read in the same way as those
of a range and from the same cache. Your code is only read, never run.
"""

from daybreak.upgrade.impact.answer import (
    Yours,
    beside,
    every_failure,
    impact,
    in_range,
    in_window,
    refuse_unreadable,
    touching,
)
from daybreak.upgrade.impact.ends import Upstream
from daybreak.upgrade.impact.form_text import ImpactReport
from daybreak.upgrade.impact.forms import fork_rendered, rendered

__all__ = [
    "ImpactReport",
    "Upstream",
    "Yours",
    "beside",
    "every_failure",
    "fork_rendered",
    "impact",
    "in_range",
    "in_window",
    "refuse_unreadable",
    "rendered",
    "touching",
]
