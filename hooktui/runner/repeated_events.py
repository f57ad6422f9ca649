"""Recognize an event that a host delivers twice: to its own connection, and to that of a host whose files it also reads.

The second call has the same parent process, session, event, tool input and timestamp to the millisecond
(docs/decisions/0029-repeated-events.md). Its hooks have run: it gets the same decision, and nothing is logged.
"""

from __future__ import annotations

import os
import time

from hooktui.core import fast_json, paths
from hooktui.core.model import Dispatch
from hooktui.runner import session_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.core.model import Event

_KEPT_S = 60.0
parent = os.getppid  # the warm runner puts in its caller's


def find(event: Event, connection: str, project: str) -> Dispatch | None:
    """Return the decision that another host's connection got; None if this is the first call.

    `connection` is the host whose connection is called.
    """
    path = _path(event)
    answer = fast_json.read_object(path) if path else {}
    if not answer or answer["connection"] == connection:
        return None
    return Dispatch(
        id=answer["id"], event=event, project=project, runs=(), decision=answer["decision"], reason=answer["reason"]
    )


def remember(dispatch: Dispatch, connection: str, redact: Sequence[str]) -> None:
    """Keep the decision for a minute, with its reason as in the log."""
    path, reason = _path(dispatch.event), dispatch.reason
    if not path:
        return
    if reason:
        from hooktui.runner import redaction

        reason = redaction.redact(reason, redact)
    answer = {"connection": connection, "id": dispatch.id, "decision": dispatch.decision, "reason": reason}
    try:
        paths.write_private(path, fast_json.dumps(answer).encode())
        session_files.forget_old(os.path.dirname(path), _KEPT_S)
    except OSError:  # the hooks run again at the second call
        return


def _path(event: Event) -> str:
    """The file of the decision; "" for an event without a session or a timestamp."""
    stamp = event.payload.get("timestamp")
    if isinstance(stamp, int):  # milliseconds in Copilot's camelCase payloads, elsewhere the same moment as text
        stamp = f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(stamp // 1000))}.{stamp % 1000:03}Z"
    if not isinstance(stamp, str) or not event.session_id:
        return ""
    import binascii

    about = "\0".join((event.session_id, event.name, stamp, fast_json.dumps(event.tool_input)))
    name = f"{parent()}-{binascii.crc32(about.encode(errors='surrogatepass')):08x}"
    return os.path.join(session_files.directory("answers"), name)
