"""The stdin of hooks: one module per protocol, loaded when one of its hooks runs. Their answers: `hosts.judge`."""

from __future__ import annotations

import sys

from hooktui import hosts
from hooktui.engine.process import TEXT_LIMIT
from hooktui.security import trust
from hooktui.security.redaction import CAP, capped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Protocol

    from hooktui.core.model import Event, Hook, Outcome, Run
    from hooktui.core.settings import Setting
    from hooktui.engine.process import Ended

    class HookProtocol(Protocol):
        """What dispatch needs from a host's protocol."""

        def stdin(self, hook: Hook, event: Event) -> dict[str, Any]:
            """The JSON object that the hook reads."""


def load(format_name: str) -> HookProtocol:
    """The protocol of a host's hooks."""
    spec = hosts.spec(format_name)
    name = f"{__name__}.{spec.speech.protocol}"
    __import__(name)
    module: Any = sys.modules[name]
    protocol: HookProtocol = module.of(spec) if hasattr(module, "of") else module
    return protocol


def directory(hook: Hook, event: Event, project: str) -> str:
    """The working directory of a hook: the session's, the entry's `cwd`, the project or the user's, depending on the host."""
    spec = hosts.spec(hook.format)
    if spec.speech.user_directory and hook.scope == "user":
        return spec.in_home(spec.speech.user_directory)
    return event.work_dir if spec.speech.runs_in_session_dir else hook.cwd or project


def environment(hook: Hook, setting: Setting) -> Mapping[str, str]:
    """The agent's environment with the variables that the host sets for its hooks and those of the hook's entry.

    A project's hook gets no variables that look like secrets (security/environment.py).
    """
    spec = hosts.spec(hook.format)
    speech = spec.speech
    started_in = setting.started_in or setting.project
    given = setting.env
    if hook.type == "command" and trust.needs_approval(hook):
        from hooktui.security import environment as environments

        given = environments.reduced(given, setting.env_keep)
    known = {**given, **{name: value.format(project=started_in) for name, value in speech.variables.items()}}
    if hook.plugin_root:
        known[spec.plugin_variable] = hook.plugin_root
    return {**known, **{name: _expanded(value, known) if speech.expands else value for name, value in hook.env.items()}}


def _expanded(value: str, known: Mapping[str, str]) -> str:
    """A value with $NAME and ${NAME} replaced; an unset variable is empty."""
    if "$" not in value:
        return value
    import re  # 5 ms, and few entries refer to another variable

    return re.sub(r"\$(?:(\w+)|\{(\w+)\})", lambda match: known.get(match[1] or match[2], ""), value)


def finished(run: Run, event: Event, ended: Ended) -> Run:
    """A run with the result of its process, by the rules of the hook's host."""
    result = hosts.judge(run.hook.format, run.hook, event, ended)
    return run.replace(
        state=result.state,
        outcome=_capped(result.outcome),
        exit_code=ended.exit_code,
        signal=ended.signal,
        duration_ms=ended.duration_ms,
        stdout=ended.stdout[: TEXT_LIMIT if ended.overflow else None].decode(errors="replace"),
        stderr=ended.stderr.decode(errors="replace"),
        truncated=ended.overflow or max(len(ended.stdout), len(ended.stderr)) > CAP,
    )


def _capped(outcome: Outcome) -> Outcome:
    """An outcome whose reason is cut as in the log: an agent reads all of it."""
    reason = outcome.reason
    return outcome.replace(reason=capped(reason)) if reason and len(reason) > CAP else outcome
