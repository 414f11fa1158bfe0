"""The page of a release: its notes as quoted text, the changes that it holds, and who took it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from daybreak.archive.addresses import release_path
from daybreak.pages.joined import Joined, JoinedRelease
from daybreak.pages.summaries import DaySummary
from daybreak.pages.views import ViewPages, without_language


class ReleasePages(ViewPages[JoinedRelease]):
    """One page for each release that a report names."""

    template = "release.html"
    section = "release"
    beginning = "releases/"

    def views(self, days: Sequence[DaySummary]) -> Mapping[str, JoinedRelease]:
        releases = Joined(days).releases
        return {without_language(release_path("-", repo, tag)): one for (repo, tag), one in releases.items()}
