"""A line of several changes is a list, each part of it with its own links."""

from msgspec.structs import replace

from daybreak.core.model.day import Action, ActionPart
from render import factory
from render.test_pages import day


def test_links_stand_beside_what_they_belong_to() -> None:
    whole = factory.report()
    entries = [entry for repo in whole.repos for entry in repo.entries if entry.change.pr][:2]
    repo = next(r for r in whole.repos if entries[0] in r.entries)
    first, second = (entry.change for entry in entries)
    parts = (
        ActionPart((first.sha,), factory.both("`一`。", "`one`.")),
        ActionPart((second.sha,), factory.both("`二`。", "`two`.")),
    )
    lead, flat = factory.both("修复：升级。", "Fixes: take them."), factory.both("修复：一；二。", "Fixes: one; two.")
    line = Action(repo.repo.name, (first.sha, second.sha), flat, (), lead, parts)
    lines = day(replace(whole, actions=(line,)), ".en.md").split("\n")
    at = next(n for n, x in enumerate(lines) if x.startswith("1. "))
    url, label = repo.repo.url, whole.window.label
    page = f"{label}/{repo.repo.name.replace('/', '-')}.en.md#c-{first.sha[:9]}"
    assert lines[at : at + 4] == [
        f"1. [{repo.repo.name}]({page}): Fixes: take them.",
        f"   - `one`. [#{first.pr}]({url}/pull/{first.pr}) [`{first.sha[:9]}`]({url}/commit/{first.sha})",
        f"   - `two`. [#{second.pr}]({url}/pull/{second.pr}) [`{second.sha[:9]}`]({url}/commit/{second.sha})",
        "",
    ]
