"""Reading any file gives hooks and diagnostics at positions in that file, and never raises."""

from __future__ import annotations

import json
import random
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.core.hook_sources import encode_source
from hooktui.formats.azure import azure_files
from tests.unit.formats.json_world import CLAUDE, GITHUB, claude, codex, copilot, cursor, droid, gemini, kimi, qwen, vscode
from tests.unit.formats.test_azure import SEED_004

pytestmark = pytest.mark.slow  # reads thousands of mutations

FILES = 20  # mutated for each seed; `make fuzz` takes 2,000 seeds
ENTRY = {
    "type": "command",
    "command": "\"$CLAUDE_PROJECT_DIR\"/a.sh && echo 'é😀'",
    "timeout": 5,
    "env": {"A": "1"},
    "cwd": "~/x",
}
GROUP = {"matcher": "Edit|Write", "hooks": [ENTRY, {"type": "http", "url": "https://x"}, {"type": "prompt", "prompt": "p"}]}
CODEX = """\
model = 'x' # c
[[hooks.PreToolUse]]
matcher = "Edit|Write"
[[hooks.PreToolUse.hooks]]
type = "command"
command = '''./a.sh "é"'''
timeout = 5
[[hooks.Stop]]
hooks = [ { type = "mcp_tool", server = "s", tool = "t", input = { when = 1979-05-27 } } ]
[hooks.state."x"]
trusted_hash = "y"
"""
KIMI = """\
default_model = "x"
[[hooks]]
event = "PreToolUse"
matcher = '^Bash$'
command = '''./a.sh "é"'''
timeout = 5
[[hooks]]
event = "Stop"
command = "stop"
[[hooks_off]]
event = "Stop"
command = "off"
"""
SAMPLES: dict[Any, tuple[str, str]] = {
    claude: (CLAUDE, json.dumps({"disableAllHooks": False, "hooks": {"PreToolUse": [GROUP], "Stop": [GROUP]}}, indent=2)),
    vscode: (GITHUB, "// c\n" + json.dumps({"hooks": {"PreToolUse": [ENTRY, GROUP], "Stop": [ENTRY]}})),
    codex: ("/p/.codex/config.toml", CODEX),
    kimi: ("/p/.kimi-code/config.toml", KIMI),
    cursor: ("/p/.cursor/hooks.json", json.dumps({"version": 1, "hooks": {"preToolUse": [ENTRY], "stop": [ENTRY]}}, indent=2)),
    droid: ("/p/.factory/hooks.json", "// c\n" + json.dumps({"PreToolUse": [GROUP], "hooksDisabled": False})),
    copilot: (GITHUB, json.dumps({"version": 1, "hooks": {"preToolUse": [ENTRY], "agentStop": [GROUP]}}, indent="\t")),
    gemini: (
        "/p/.gemini/settings.json",
        json.dumps({"hooksConfig": {"enabled": True}, "hooks": {"BeforeTool": [{**GROUP, "sequential": True}]}}, indent=2),
    ),
    qwen: (
        "/p/.qwen/settings.json",
        json.dumps({"hooks": {"disabled": [], "PreToolUse": [{**GROUP, "matcher": "(?<tool>Edit)[^a]"}]}}, indent=1),
    ),
    azure_files: (
        "/p/a.yaml",
        SEED_004 + "---\nkind: GlobalHook\nmetadata: {name: g}\nspec: {eventType: Stop, hook: {prompt: p}}\n",
    ),
}
PIECES = [
    *"{}[]\",:\\/*#-&?|>%@!'` \t\r\n\0\ufeff\ud800é😀0123456789eE.+-",
    *(
        "null",
        "true",
        "-1",
        "1e999",
        "9" * 30,
        '"hooks"',
        '"type"',
        "//",
        "/*",
        "[" * 150,
        "<<: *x\n",
        "&a ",
        "*a",
        "!!int ",
        "---\n",
    ),
    *("[[hooks]]\n", "[hooks]\n", "= [", "inf", "'''", "[[hooks.Stop.hooks]]\n"),
    *("~", "$(", "${", '"\\ud800"', '{"a":1,"a":2}', "kind: ExtendedAgent\n", "hooks:\n", "- ", "\u2028", "\x85"),
]


def mutated(text: str, chance: random.Random) -> str:
    for _ in range(chance.randint(1, 3)):
        at, size = chance.randrange(len(text) + 1), chance.choice((0, 0, 1, 1, 3, 30))
        other = chance.randrange(len(text) + 1)
        piece = chance.choice((chance.choice(PIECES), "", text[other : other + size]))
        text = text[:at] + piece + text[at + size :]
    return text


@pytest.mark.parametrize("module", SAMPLES, ids=lambda module: getattr(getattr(module, "spec", None), "name", "azure"))
@given(seed=st.integers(min_value=0))
def test_mutated_files_are_read_to_hooks_and_diagnostics(module: ModuleType, seed: int) -> None:
    file, sample = SAMPLES[module]
    chance = random.Random(seed)
    for _ in range(FILES):
        text = mutated(sample, chance)
        parsed = module.parse(text, file, "project")
        lines = text.count("\n") + text.count("\r") + 1
        for found in parsed.diagnostics:
            assert 1 <= found.line <= found.end_line <= lines, text
            assert found.column >= 1
            assert found.message
        assert len({hook.id for hook in parsed.hooks}) == len(parsed.hooks) or module is azure_files, text
        for hook in parsed.hooks:
            assert hook.argv or hook.obstacle or hook.type != "command" or getattr(hook.source, "script", None), text
            json.dumps([hook.as_dict() | {"obstacle": None, "source": encode_source(hook.source)}], allow_nan=False).encode()
