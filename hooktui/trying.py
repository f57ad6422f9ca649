"""Trying one hook on one event: the real hook, under its real limits, in this process or in one of its own."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from typing import TYPE_CHECKING, Any

from hooktui import handling
from hooktui.payloads import CannotTry, event_of, payload_again, payload_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.catalog import Catalog
    from hooktui.handling import Handled
    from hooktui.model import Hook

__all__ = ["CannotTry", "event_of", "payload_again", "payload_for", "run", "try_hook"]

_GRACE_S = 2.0  # how long a cancelled try may take to end its hook


def run(found: Catalog, hook: Hook, payload: Mapping[str, Any]) -> Handled:
    """Run one hook, alone, under its real limits, and record it as synthetic. Raises CannotTry."""
    event = event_of(hook, payload, found.project)
    if found.trust[hook.id] not in ("user", "trusted"):
        state = "changed since it was approved" if found.trust[hook.id] == "changed" else "not approved"
        raise CannotTry(f"{hook.name} is {state}: look at it and approve it with `hooktui trust --hook {hook.name}`")
    alone = hook.replace(rivals=())  # also one that a project's hook replaces can be tried
    return handling.handle(event, found.project, [alone], found.settings, synthetic=True)


async def try_hook(project: str, hook_id: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Try a hook through `hooktui try` in a process of its own; the report (contract.md).

    Cancelling ends the hook and all it started. Raises CannotTry.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-m", "hooktui", "try", hook_id),
        *("--project", project, "--payload", "-", "--json"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        stdout, stderr = await process.communicate(json.dumps(dict(payload)).encode())
    finally:
        await _end(process)
    if process.returncode:
        raise CannotTry(stderr.decode(errors="replace").strip().removeprefix("hooktui: "))
    report = json.loads(stdout)
    assert isinstance(report, dict)
    return report


async def _end(process: asyncio.subprocess.Process) -> None:
    """Ask a try that still runs to end its hook, which leads a process group of its own; then end the try."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.returncode is not None:
            return
        os.killpg(process.pid, number)
        try:
            await asyncio.wait_for(process.wait(), _GRACE_S)
        except TimeoutError:
            continue
