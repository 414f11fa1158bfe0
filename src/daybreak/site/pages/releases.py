"""The page of a release: its notes as quoted text, the changes that it holds, and who took it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from daybreak.report.archive.addresses import release_path
from daybreak.site.pages.across_days import Joined, JoinedRelease
from daybreak.site.pages.summaries import DaySummary
from daybreak.site.pages.views import ViewPages, without_language


class ReleasePages(ViewPages[JoinedRelease]):
    """One page for each release that a report names."""

    template = "release.html"
    section = "release"
    beginning = "releases/"

    def views(self, days: Sequence[DaySummary]) -> Mapping[str, JoinedRelease]:
        releases = Joined(days).releases
        return {without_language(release_path("-", repo, tag)): one for (repo, tag), one in releases.items()}
