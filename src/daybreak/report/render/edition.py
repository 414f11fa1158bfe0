"""One language of one report: its phrases, its file names, and the links between its pages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from daybreak.core.model.report import RepoReport, Report
from daybreak.core.model.statements import Text
from daybreak.core.words.phrases import Phrases, phrases
from daybreak.report.render.forge_view import ForgeView, view_of

MARKER = "<!-- daybreak.report/1 -->"


class Edition(Struct, frozen=True):
    """What every part of a page needs to know of the whole."""

    report: Report
    t: Phrases
    stems: Mapping[str, str]
    """Repository name -> the name of its page without ending."""
    forge: ForgeView | None
    """None: no forge was asked."""

    @property
    def language(self) -> str:
        return self.t.language

    @property
    def label(self) -> str:
        return self.report.window.label

    def ending(self, language: str) -> str:
        """`.md` for the main edition, `.en.md` and so on for the others."""
        return ".md" if language == self.report.languages[0] else f".{language}.md"

    def day_file(self, language: str = "") -> str:
        return self.label + self.ending(language or self.language)

    def repo_file(self, repo: str, language: str = "") -> str:
        return self.stems[repo] + self.ending(language or self.language)

    def say(self, text: Text) -> str:
        """The sentence in this language, or in the first one it has."""
        return text.get(self.language) or next(iter(text.values()), "")

    def others(self) -> tuple[str, ...]:
        return tuple(x for x in self.report.languages if x != self.language)

    def asked_forge(self, repo: RepoReport) -> bool:
        """Whether a forge was asked about this repository."""
        return self.forge is not None and self.forge.activity(repo.repo.name) is not None

    def ended(self, sentence: str) -> str:
        """The sentence with a full stop, which the end of a section is recognised by."""
        return sentence if re.search(r"[。．.!?！？…；;：:]$", sentence) else sentence + self.t("page.stop")

    def note(self, *parts: str) -> str:
        return self.t("page.note", text=self.t("page.comma").join(parts))


def editions(report: Report) -> tuple[Edition, ...]:
    """One edition for each language of the report, the main one first."""
    stems, forge = page_stems(report.repos), view_of(report)
    return tuple(Edition(report, phrases(language, "report"), stems, forge) for language in report.languages)


def page_stems(repos: Sequence[RepoReport]) -> dict[str, str]:
    """OWNER-NAME for each repository; `a-b/c` and `a/b-c` must not share a page, so the second gets a number."""
    stems: dict[str, str] = {}
    for repo in repos:
        stem = re.sub(r"[^\w.-]+", "-", repo.repo.name)
        same = sum(re.sub(r"-\d+$", "", s).lower() == stem.lower() or s.lower() == stem.lower() for s in stems.values())
        stems[repo.repo.name] = f"{stem}-{same + 1}" if same else stem
    return stems
