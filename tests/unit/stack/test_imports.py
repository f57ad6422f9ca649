"""The cost of `import hooktui.stack`."""

from __future__ import annotations

import subprocess
import sys

HEAVY = {
    "aiosqlite", "asyncio", "claude_agent_sdk", "click", "regex", "rich", "sqlite3", "subprocess", "textual", "tomllib",
    "tree_sitter", "typing_extensions", "watchfiles", "yaml",
}  # fmt: skip


def loaded(code: str) -> set[str]:
    spy = f"import sys\n{code}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-c", spy], check=True, capture_output=True, text=True)
    return set(done.stdout.split())


def test_importing_the_stack_brings_nothing_heavy() -> None:
    modules = loaded("import hooktui.stack")
    assert "hooktui.stack.agent_hooks" in modules
    assert modules & HEAVY == set()


def test_every_name_can_be_imported() -> None:
    modules = loaded("from hooktui.stack import *")
    assert {"hooktui.stack.file_hooks", "hooktui.stack.stack_recorder"} <= modules
    assert modules & {"textual", "rich", "yaml", "click", "aiosqlite", "watchfiles"} == set()
