"""The answers as the forms that can be asked for: each loads its own renderer only."""

from __future__ import annotations

from daybreak.core.model.upgrade import ForkReport
from daybreak.upgrade.impact.form_report import ImpactReport


def rendered(report: ImpactReport, form: str, language: str) -> str:
    """The answer as `text`, `markdown`, `json`, `sarif` or `github`."""
    if form == "json":
        from daybreak.upgrade.impact.form_json import impact_json

        return impact_json(report)
    if form == "sarif":
        from daybreak.upgrade.impact.form_sarif import impact_sarif

        return impact_sarif(report, language)
    if form == "github":
        from daybreak.upgrade.impact.form_github import impact_github

        return impact_github(report, language)
    if form == "markdown":
        from daybreak.upgrade.impact.form_markdown import impact_markdown

        return impact_markdown(report, language)
    from daybreak.upgrade.impact.form_text import impact_text

    return impact_text(report, language)


def fork_rendered(report: ForkReport, form: str, language: str) -> str:
    """How a fork stands, as `text`, `markdown` or `json`."""
    if form == "json":
        from daybreak.upgrade.fork.fork_data import fork_json

        return fork_json(report)
    if form == "markdown":
        from daybreak.upgrade.fork.fork_markdown import fork_markdown

        return fork_markdown(report, language)
    from daybreak.upgrade.fork.fork_text import fork_text

    return fork_text(report, language)
