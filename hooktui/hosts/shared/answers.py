"""What `hooktui run` returns to a host."""

from __future__ import annotations

from hooktui.core import fast_json
from hooktui.core.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BLOCKED = 2
# Events whose answer may carry context for the model, and events that ask for a permission.
CONTEXT_ON = ("pre-tool-call", "post-tool-call", "post-tool-call-failure", "pre-agent-turn", "pre-session", "pre-subagent")
PERMISSION_REQUESTS = ("PermissionRequest", "permissionRequest")


class HostAnswer(Record):
    """What `hooktui run` returns to a host."""

    exit_code: int
    stdout: str = ""
    stderr: str = ""


def denied(reason: str | None, stdout: str = "") -> HostAnswer:
    """A denial by exit 2, with the reason on stderr."""
    return HostAnswer(exit_code=BLOCKED, stdout=stdout, stderr=f"{reason}\n")


def printed(value: dict[str, Any]) -> HostAnswer:
    """A JSON object on stdout at exit 0; nothing for an empty one."""
    return HostAnswer(exit_code=0, stdout=fast_json.dumps(value) + "\n" if value else "")
