"""An entry of the first screen has its tag, its place and the links of every change that it tells."""

from msgspec.structs import replace

from daybreak.core.model.day import Action
from render import factory
from render.test_pages import day


def test_links_of_all_changes_of_a_story_stand_behind_what_is_said_of_it() -> None:
    whole = factory.report()
    entries = [entry for repo in whole.repos for entry in repo.entries if entry.change.pr][:2]
    repo = next(r for r in whole.repos if entries[0] in r.entries)
    first, second = (entry.change for entry in entries)
    line = Action(repo.repo.name, (first.sha, second.sha), factory.both("`一`。", "`one`."), tag="breaks")
    lines = day(replace(whole, actions=(line,)), ".en.md").split("\n")
    url, label = repo.repo.url, whole.window.label
    page = f"{label}/{repo.repo.name.replace('/', '-')}.en.md#c-{first.sha[:9]}"
    links = " ".join(
        f"[#{one.pr}]({url}/pull/{one.pr}) [`{one.sha[:9]}`]({url}/commit/{one.sha})" for one in (first, second)
    )
    assert f"1. **BREAKS** · [{repo.repo.name}]({page}) · `one`. {links}" in lines
