"""The pages people read: the same functions make them for the static site and for the server."""

SECTIONS = {
    "assets": "daybreak.pages.assets:AssetFiles",
    "home": "daybreak.pages.home:HomePages",
    "days": "daybreak.pages.days:DayPages",
    "changes": "daybreak.pages.changes:ChangePages",
    "calendar": "daybreak.pages.calendar:CalendarPages",
    "repos": "daybreak.pages.repository:RepositoryPages",
    "stories": "daybreak.pages.stories:StoryPages",
    "releases": "daybreak.pages.releases:ReleasePages",
    "status": "daybreak.pages.status:StatusPages",
    "search": "daybreak.pages.search_page:SearchPages",
    "search_files": "daybreak.pages.search_files:SearchFiles",
    "feeds": "daybreak.pages.feeds:FeedFiles",
}
"""Each family of pages by name; adding one is one class with the methods of `Section` and one line here."""
