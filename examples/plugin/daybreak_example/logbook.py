"""A notifier for `logbook:///path/to/file`: each message is a line of that file."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from daybreak.deliver.notify.message import Message
from daybreak.deliver.notify.targets import SENT, Outcome, Target


class Logbook:
    """Made once a run; `send` never raises for what goes wrong on the way."""

    def send(self, target: Target, message: Message) -> Outcome:
        path = Path(unquote(urlsplit(target.address.reveal()).path))
        try:
            with path.open("a", encoding="utf-8") as file:
                file.write(f"{message.key} {message.title}\n")
        except OSError as error:
            return Outcome("refused", f"the file cannot be written ({error.strerror})")
        return SENT
