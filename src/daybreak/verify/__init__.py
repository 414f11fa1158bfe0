"""Verification of Markdown reports, ours or another tool's: every checkable claim held against git; imports `core` alone.

A claim holds, or is false, or cannot be decided here; the last is counted with its reason and never called true. A run
asks only about the links of its own pages (`page_links`); `verify` checks a whole report and is heavier. What is
checked: `docs/verify.md`. Pages are read by `core.markdown_page`, which the gates of reports share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from daybreak.verify.check_input import Items, Values
    from daybreak.verify.mirror import Mirror
    from daybreak.verify.values import Verified

__all__ = ["verify"]


def verify(
    name: str,
    text: str,
    mirrors: Mapping[str, Mirror],
    *,
    day: str | None = None,
    items: Items | None = None,
    values: Values | None = None,
    there: Callable[[str], bool] | None = None,
) -> Verified:
    """One report, checked: claims that hold by kind, alarms in the order of the text, and what could not be decided.

    :param name: what the report is called in what is said about it; often its path.
    :param text: the whole Markdown, from anywhere; nothing in it is run or fetched.
    :param mirrors: OWNER/NAME -> `verify.mirror.Mirror` of that repository. Without any, only the form is checked.
    :param day: the day the report is about as YYYY-MM-DD, for one that does not say it itself.
    :param items: issues and pull requests that were collected (`verify.check_input.items_in` reads them from DATE.json).
    :param values: words of the data beside the report (`verify.check_input.values_in`); without it values are not checked.
    :param there: tells whether a file beside the report exists, by its path from the report's folder.
    """
    from daybreak.verify.verifying import verify as checked

    return checked(name, text, mirrors, day=day, items=items, values=values, there=there)
