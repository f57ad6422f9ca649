"""Mods of Claude Code on disk: plugins whose file of hooks names a module."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PASSES = "($, e, next) => next(e)"


def registering(*calls: str) -> str:
    """A module whose `register` makes these calls."""
    return "export function register(on, options) {\n" + "".join(f"  {call}\n" for call in calls) + "}\n"


def write_mod(
    root: Path,
    module: str = registering(f"on('tool.call', {PASSES})"),
    *,
    name: str = "sk",
    hooks: dict[str, Any] | None = None,
    manifest: str | None = None,
    files: Mapping[str, str] | None = None,
) -> Path:
    """A plugin with a module, command `hooks` beside it, and further `files` of its folder `hooks`."""
    texts = {
        ".claude-plugin/plugin.json": manifest if manifest is not None else json.dumps({"name": name}),
        "hooks/hooks.json": json.dumps({"modules": ["./m.js"], **({"hooks": hooks} if hooks else {})}),
        "hooks/m.js": module,
        **{f"hooks/{file}": text for file, text in (files or {}).items()},
    }
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root
