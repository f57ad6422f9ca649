"""Prompt hooks: ask an OpenAI-compatible endpoint and print its answer (formats.md §4). A process of its own, see `http`."""

from __future__ import annotations

import json
import os
import sys

from hooktui.runner.http import post

_INSTRUCTION = """\
You judge one step of an AI agent. Answer with one JSON object and nothing else:
{"ok": true} or {"ok": false, "reason": "…"}."""


def main() -> int:
    """Read {endpoint, tier, prompt} on stdin; print what the model said. Exit 1, and why on stderr, when it said nothing."""
    wanted = json.load(sys.stdin)
    endpoint = wanted["endpoint"]
    model = endpoint["models"].get(wanted["tier"] or "", wanted["tier"] or endpoint["model"])
    headers = {"Authorization": f"Bearer {key}"} if (key := os.environ.get(endpoint["key_env"] or "", "")) else {}
    messages = [{"role": "system", "content": _INSTRUCTION}, {"role": "user", "content": wanted["prompt"]}]
    url = endpoint["base_url"].rstrip("/") + "/chat/completions"
    try:
        answer = json.loads(post(url, headers, {"model": model, "messages": messages}))
        sys.stdout.write(answer["choices"][0]["message"]["content"])
    except (OSError, ValueError, LookupError, TypeError) as error:
        sys.stderr.write(f"{url}: {type(error).__name__}: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
