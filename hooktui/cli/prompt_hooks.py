"""Prompt hooks: ask an OpenAI-compatible endpoint and print its answer (formats.md §4), in a process like `http_hooks`.

The API key is read from the environment and never printed, not even in an error.
"""

from __future__ import annotations

import json
import os
import sys

from hooktui.cli.http_hooks import RequestRefusedError, post
from hooktui.core.settings import ModelEndpoint
from hooktui.runner.redaction import MARK

_INSTRUCTION = """\
You judge one step of an AI agent. Answer with one JSON object and nothing else:
{"ok": true} or {"ok": false, "reason": "…"}."""


def main() -> int:
    """Read {endpoint, tier, prompt} from stdin and print the model's answer; on failure, exit 1 with the error on stderr."""
    request = json.load(sys.stdin)
    endpoint = ModelEndpoint(**request["endpoint"])
    key = os.environ.get(endpoint.key_env or "", "")
    try:
        if endpoint.key_env and not key:
            raise RequestRefusedError(f"no API key: the environment variable {endpoint.key_env} is not set")
        sys.stdout.write(_without(key, ask(endpoint, key, request["tier"], request["prompt"])))
    except RequestRefusedError as error:
        sys.stderr.write(_without(key, f"{error}\n"))
        return 1
    return 0


def ask(endpoint: ModelEndpoint, key: str, tier: str | None, prompt: str) -> str:
    """The answer of a tier's model or the default model. Raises RequestRefusedError."""
    request = {
        "model": endpoint.models.get(tier or "", endpoint.model),
        "messages": [{"role": "system", "content": _INSTRUCTION}, {"role": "user", "content": prompt}],
    }
    url = endpoint.base_url.rstrip("/") + "/chat/completions"
    response = post(url, {"Authorization": f"Bearer {key}"} if key else {}, request)
    try:
        answer = json.loads(response)["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise RequestRefusedError(f"the model's answer is not a chat completion: {type(error).__name__}: {error}") from error
    if not isinstance(answer, str):
        raise RequestRefusedError("the model's answer is empty")
    return answer


def _without(key: str, text: str) -> str:
    return text.replace(key, MARK) if key else text


if __name__ == "__main__":
    sys.exit(main())
