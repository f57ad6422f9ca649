"""The real Claude Agent SDK for Python, with its own copy of Claude Code, driven by a scripted model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.command_world import CommandWorld
from tests.hosts.scripted_model import ScriptedModel

if TYPE_CHECKING:
    from tests.hosts.protocols import Block

ROOT = Path(__file__).parents[2]
_QUIET = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
_DEADLINE_S = 120
_AGENT = """
import asyncio, json, sys
from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient
from hooktui.stack import *

seen = []
{hooks}

async def main():
    options = ClaudeAgentOptions(hooks=hooks.as_claude_hooks(), allowed_tools=["Bash", "Agent"], cwd=sys.argv[1])
    async with ClaudeSDKClient(options) as client:
        for prompt in range(int(sys.argv[2])):
            await client.query("do it")
            async for message in client.receive_response():
                pass

asyncio.run(main())
print(json.dumps(seen))
"""


class SdkWorld(CommandWorld):
    """An agent that is built on the SDK, in a home and a project of its own."""

    def __init__(self, root: Path, sdk: Path) -> None:
        super().__init__(root)
        self.sdk = sdk
        self.path = os.pathsep.join((str(ROOT), str(sdk)))

    def agent(self, hooks: str, *script: Block, prompts: int = 1) -> tuple[Any, str]:
        """Run an agent whose `hooks` this code creates; return its notes in `seen`, and the text that its model got."""
        with ScriptedModel(*script) as model:
            done = subprocess.run(
                [sys.executable, "-c", _AGENT.format(hooks=hooks), str(self.project), str(prompts)],
                env={
                    **self.environment,
                    **_QUIET,
                    "PYTHONPATH": self.path,
                    "ANTHROPIC_BASE_URL": model.url,
                    "ANTHROPIC_API_KEY": "none",
                },
                cwd=self.project,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_DEADLINE_S,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            return json.loads(done.stdout), model.heard()
