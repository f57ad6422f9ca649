"""The HOOK.md samples of seeds 000 and 001, as printed there, are read as they say."""

from __future__ import annotations

import pytest

from hooktui.core.model import Hook
from hooktui.formats.agenthooks import hook_directories

SEED_000 = """\
---
name: {hook-name}
description: {hook-description}
trigger: {event-type}
matcher: # 可选
tool: {tool-name-regex} # 工具名匹配
pattern: {input-pattern-regex} # 参数内容匹配
timeout: 30000 # 毫秒,默认 30000
async: false # 默认 false
priority: 100 # 0-1000,默认 100,高值先执行
---
"""
SECURITY_CHECK = """\
---
name: security-check
trigger: before_tool
async: false # default, optional
---
"""
BLOCK_DANGEROUS = """\
---
name: block-dangerous-commands
trigger: before_tool
matcher:
  tool: "Shell" # Tool name regex
  pattern: "rm -rf /|mkfs|>:/dev/sda" # Parameter content regex
---
"""
ENFORCE_TESTS = """\
---
name: enforce-tests
description: Ensure all tests pass before completing
trigger: before_stop
timeout: 60000
async: false
priority: 999
---
"""
AUTO_FORMAT = """\
---
name: auto-format-python
description: Auto-format Python files after write
trigger: after_tool
matcher:
  tool: WriteFile
  pattern: "\\.py$"
timeout: 30000
async: true
---
"""
BLOCK_DEPLOY = """\
---
name: block-prod-deploy
description: Block production deployment operations
trigger: before_tool
matcher:
  tool: Shell
  pattern: "deploy.*prod|kubectl.*production"
timeout: 60000
async: false
---
"""
AUDIT_LOG = """\
---
name: audit-log
description: Log all session activities
trigger: session_end
async: true
---
"""


def read(text: str, name: str) -> tuple[Hook, list[tuple[str, int]]]:
    """The hook of a sample, and code and line of its problems except for the missing script."""
    found = hook_directories.parse(text, f"/nowhere/{name}/HOOK.md", "user")
    return found.hooks[0], [(one.code, one.line) for one in found.diagnostics if one.code != "missing-entry"]


@pytest.mark.parametrize(
    ("text", "name", "event", "wrong"),
    [
        # The samples of §3 and §4 leave out the description, which the field reference calls required.
        (SECURITY_CHECK, "security-check", "pre-tool-call", [("missing-field", 5)]),
        (BLOCK_DANGEROUS, "block-dangerous-commands", "pre-tool-call", [("missing-field", 7)]),
        (ENFORCE_TESTS, "enforce-tests", "pre-agent-turn-stop", []),
        (AUTO_FORMAT, "auto-format-python", "post-tool-call", [("bad-yaml", 7)]),
        (BLOCK_DEPLOY, "block-prod-deploy", "pre-tool-call", []),
        (AUDIT_LOG, "audit-log", "post-session", []),
    ],
)
def test_samples_of_seed_001(text: str, name: str, event: str, wrong: list[tuple[str, int]]) -> None:
    hook, found = read(text, name)
    assert (hook.name, hook.event, found) == (name, event, wrong)


def test_values_of_seed_001s_samples() -> None:
    gate, deploy, audit = (read(text, "x")[0] for text in (ENFORCE_TESTS, BLOCK_DEPLOY, AUDIT_LOG))
    assert (gate.timeout_ms, gate.is_async, gate.priority) == (60_000, False, 999)
    assert (deploy.tool, deploy.pattern) == ("Shell", "deploy.*prod|kubectl.*production")
    assert (audit.timeout_ms, audit.is_async, audit.priority) == (30_000, True, 100)


def test_the_template_of_seed_000_says_what_must_be_filled_in() -> None:
    hook, found = read(SEED_000, "x")
    assert hook.obstacle is not None
    assert ("wrong-type", 2) in found
    assert ("unknown-key", 6) in found  # `tool` is in the first column there


def test_the_fix_of_seed_001s_bad_escape_makes_a_good_hook() -> None:
    found = hook_directories.parse(AUTO_FORMAT, "/nowhere/auto-format-python/HOOK.md", "user")
    fix = next(one.fix for one in found.diagnostics if one.code == "bad-yaml")
    assert fix is not None
    hook, wrong = read(AUTO_FORMAT[: fix.start] + fix.text + AUTO_FORMAT[fix.end :], "auto-format-python")
    assert (hook.pattern, hook.is_async, wrong) == (r"\.py$", True, [])
