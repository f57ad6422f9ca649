"""How the log knows a hook that its own host ran and `hooktui exec` recorded."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooktui.core.model import Hook


def as_observed(hook: Hook) -> Hook:
    """A hook with its scripts (`hook_version.with_scripts`) as the log has it when its host runs it.

    Its version is the hash of its command and of the scripts that the command starts.
    """
    from hashlib import sha256  # 2 ms, when the host has gone on already

    argv = hook.arguments(hook.root)
    identity = ("observed", hook.file, hook.name, hook.event, *argv, *filter(None, [hook.scripts_digest]))
    version = sha256("\0".join(identity).encode("utf-8", "surrogatepass")).hexdigest()
    return hook.replace(version=version, text=" ".join(argv))
