"""The page of a story: its changes over the days, what each report said of it, and how long the branch was affected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from daybreak.report.archive.addresses import story_path
from daybreak.site.pages.across_days import Joined, JoinedStory
from daybreak.site.pages.summaries import DaySummary
from daybreak.site.pages.views import ViewPages, without_language


class StoryPages(ViewPages[JoinedStory]):
    """One page for each story, whether it runs in one repository or across several."""

    template = "story.html"
    section = "story"
    beginning = "stories/"

    def views(self, days: Sequence[DaySummary]) -> Mapping[str, JoinedStory]:
        stories = Joined(days).stories
        return {without_language(story_path("-", repo, name)): one for (repo, name), one in stories.items()}
