"""Every error a user may see: one sentence, one tip, an exit code.

DaybreakError                 exit 1: failed, nothing was published
├── UsageError                exit 2: bad usage or config
│   └── ConfigError
├── GitError                  git ended badly; carries its own words
│   ├── GitNotFound
│   ├── GitTooOld
│   └── RepositoryError       a repository could not be had: becomes a `skipped`, does not end the run
├── LockedError               another run holds the folder
├── NotOursError              a file in the way was not written by Daybreak
├── WriteError                disk full, no permission, read-only folder
├── CheckError                the finished pages do not agree with the facts
├── PublishError              one place besides the folder did not take the pages; the others go on
└── Interrupted               Ctrl-C or a termination signal
"""

from __future__ import annotations

import re

EXIT_DONE = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_LOOK = 3
"""Done, with something to look at."""


class DaybreakError(Exception):
    """Base of all errors that may be shown to a user."""

    exit_code = EXIT_FAILED

    def __init__(self, message: str, tip: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.tip = tip


class UsageError(DaybreakError):
    """The command line asks for something that cannot be."""

    exit_code = EXIT_USAGE


class ConfigError(UsageError):
    """The config file or an environment variable has a mistake."""


class GitError(DaybreakError):
    """A git command failed; `detail` holds its last words, `code` how it ended where that is known."""

    def __init__(self, message: str, tip: str = "", detail: str = "", code: int | None = None) -> None:
        super().__init__(message, tip)
        self.detail, self.code = detail, code

    @property
    def found_nothing(self) -> bool:
        """It has looked, and ended without a word; so does one that was killed, but not with this code."""
        return self.code == 1 and not self.detail.strip()


class GitNotFound(GitError):
    """There is no git program."""


class GitTooOld(GitError):
    """The git program lacks what we need."""


class RepositoryError(GitError):
    """One repository could not be had; the others go on."""

    @property
    def reason(self) -> str:
        """The same for a report, which knows no folder of this machine and none of git's own words."""
        known = self.message if self.telling else self.message.partition(":")[0]
        return re.sub(r"(?<![\w:/.])/[^\s'\"]*[^\s'\",;:.]", "its folder", known)

    telling = True
    """The message is ours; False when it holds git's words, which may name anything."""


class LockedError(DaybreakError):
    """Another run is using the same folder."""


class NotOursError(DaybreakError):
    """A file that Daybreak did not write stands where it would write."""


class WriteError(DaybreakError):
    """The pages could not be written."""


class CheckError(DaybreakError):
    """The pages contradict the facts; they are not published."""


class PublishError(DaybreakError):
    """A place besides the folder did not take the pages: told, and tried again by the next run."""


class Interrupted(DaybreakError):
    """The user or the system asked us to stop."""


def toml_tip(error: Exception) -> str:
    """What to look for at the place that the parser names."""
    twice = str(error).startswith(("Cannot overwrite", "Cannot declare", "Cannot mutate"))
    return (
        "The key or table there stands a second time: keep one." if twice else "Check quotes and brackets near there."
    )
