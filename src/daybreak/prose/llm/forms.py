"""How a server is told the form of the answer, and what else it does not take: found out once, then remembered.

The strictest form comes first. A server that refuses one is asked in the next; the form that brought an answer stays.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from daybreak.prose.llm.error_kinds import Trouble
from daybreak.prose.llm.interface import Prompt

FORMS = ("json_schema", "json_object", "text")
_TELLS = "Answer with one JSON object of this JSON Schema and with nothing else, no fences and no comment:\n"
_AGAIN = (
    "Your last answer could not be used: {wrong}. Answer again, completely, with one JSON object of the asked form."
)


class Form:
    """What one endpoint takes."""

    def __init__(self, structured: str) -> None:
        self._fixed = structured != "auto"
        self.name = structured if self._fixed else FORMS[0]
        self._tokens = "max_tokens"
        self._temperature = True
        self._proven = ""

    def works(self, sent: Mapping[str, Any]) -> None:
        """A question that was sent so brought an answer."""
        self._proven = _form_of(sent)

    def messages(self, prompt: Prompt, wrong: str = "", *, formless: bool = False) -> list[dict[str, str]]:
        """The prompt as it is; where the server is not given the schema, or did not heed it, it is told as well."""
        system, user = prompt.system, prompt.user
        if self.name != "json_schema" or formless:
            system = f"{system}\n\n{_TELLS}{compact(prompt.schema)}"
        if wrong:
            user = f"{user}\n\n{_AGAIN.format(wrong=wrong[:500])}"
        return [{"role": "system", "content": system}, {"role": "user", "content": user}]

    def options(self, prompt: Prompt) -> dict[str, Any]:
        options: dict[str, Any] = {self._tokens: prompt.most}
        if self._temperature:
            options["temperature"] = 0
        if self.name == "json_schema":
            schema = {
                "name": prompt.task.replace("/", "_").replace(".", "_")[:64],
                "strict": True,
                "schema": prompt.schema,
            }
            options["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif self.name == "json_object":
            options["response_format"] = {"type": "json_object"}
        return options

    def learn(self, trouble: Trouble, sent: Mapping[str, Any]) -> bool:
        """Take note of what the server refused; True when it is worth asking again. `sent`: the options of that time.

        Many questions are under way at once, and all of them are refused for the same reason: only the first one
        changes anything, the others go again with what is known by then.
        """
        if trouble.kind == "parameter":
            return self._drop(trouble.parameter, sent)
        if self._fixed or trouble.kind not in ("form", "rejected"):
            return False
        used = _form_of(sent)
        if used == self._proven and trouble.kind == "rejected":
            return False  # it is not the form that is at fault
        if used == self.name:
            if used == FORMS[-1]:
                self.name = self._proven or FORMS[0]
                return False
            self.name = FORMS[FORMS.index(used) + 1]
        return True

    def _drop(self, parameter: str, sent: Mapping[str, Any]) -> bool:
        if parameter == "temperature":
            self._temperature = False
            return "temperature" in sent
        if parameter == "max_tokens" and parameter in sent:
            self._tokens = "max_completion_tokens"
            return True
        return False


def _form_of(options: Mapping[str, Any]) -> str:
    return str(options.get("response_format", {}).get("type", FORMS[-1]))


def compact(schema: Mapping[str, Any]) -> str:
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
