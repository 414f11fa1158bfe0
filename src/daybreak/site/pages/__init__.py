"""The pages people read: the same functions make them for the static site and for the server."""

SECTIONS = {
    "assets": "daybreak.site.pages.templates:AssetFiles",
    "home": "daybreak.site.pages.home:HomePages",
    "days": "daybreak.site.pages.days:DayPages",
    "changes": "daybreak.site.pages.changes:ChangePages",
    "calendar": "daybreak.site.pages.calendar:CalendarPages",
    "repos": "daybreak.site.pages.repository:RepositoryPages",
    "stories": "daybreak.site.pages.views:StoryPages",
    "releases": "daybreak.site.pages.views:ReleasePages",
    "status": "daybreak.site.pages.status:StatusPages",
    "search": "daybreak.site.pages.search_page:SearchPages",
    "search_files": "daybreak.site.pages.search_page:SearchFiles",
    "feeds": "daybreak.site.pages.feeds:FeedFiles",
}
"""Each family of pages by name; adding one is one class with the methods of `Section` and one line here."""
