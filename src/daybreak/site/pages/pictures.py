"""The one door through which markup of charts gets into templates: they escape every text themselves."""

from __future__ import annotations

from markupsafe import Markup


def picture(drawn: str) -> Markup:
    """`drawn` was made by `daybreak.site.charts` and by nobody else."""
    return Markup(drawn)  # noqa: S704 made of elements whose texts are escaped; tests try hostile ones
