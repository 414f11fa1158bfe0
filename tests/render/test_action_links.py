"""A line of several changes has each one's links where it is named."""

from dataclasses import replace

from daybreak.model import Action
from render import factory
from render.test_pages import day


def test_links_stand_beside_what_they_belong_to() -> None:
    whole = factory.report()
    entries = [entry for repo in whole.repos for entry in repo.entries if entry.change.pr][:2]
    repo = next(r for r in whole.repos if entries[0] in r.entries)
    first, second = (entry.change for entry in entries)
    words = f"Fixes: `one #{second.pr}` #{first.pr}; `two` #{second.pr}."
    told = replace(whole, actions=(Action(repo.repo.name, (first.sha, second.sha), {"zh": words, "en": words}),))
    (line,) = (x for x in day(told, ".en.md").split("\n") if x.startswith("1. Fixes"))
    url = repo.repo.url
    assert (
        f"[#{first.pr}]({url}/pull/{first.pr}) [`{first.sha[:9]}`]({url}/commit/{first.sha}); `two` "
        f"[#{second.pr}]({url}/pull/{second.pr}) [`{second.sha[:9]}`]({url}/commit/{second.sha})."
    ) in line
    assert f"`one #{second.pr}`" in line, "a number inside a title is the title's"
    assert line.count("/commit/") == 2
