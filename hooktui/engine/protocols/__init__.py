"""What hooks read on stdin and how their answers count: one module per protocol, loaded only when one of its hooks runs.

A protocol module offers `stdin`, `environment`, `directory` and `read`; see `agenthooks` for the plainest one.
"""

from __future__ import annotations

import sys

from hooktui import hosts
from hooktui.core import fast_json
from hooktui.core.model import Outcome
from hooktui.core.records import Record
from hooktui.security.redaction import CAP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol

    from hooktui.core.model import Event, Hook, Run, State
    from hooktui.core.settings import Setting
    from hooktui.engine.process import Ended

    class HookProtocol(Protocol):
        """What dispatch asks of a format."""

        def stdin(self, hook: Hook, event: Event) -> dict[str, Any]:
            """The JSON object that the hook reads."""

        def environment(self, hook: Hook, setting: Setting) -> Mapping[str, str]:
            """The variables that the hook gets beside those that the agent has (`setting.env`)."""

        def directory(self, hook: Hook, event: Event, project: str) -> str:
            """Where the hook runs."""

        def read(self, hook: Hook, event: Event, ended: Ended) -> Heard:
            """What the hook said; never raises."""


class Heard(Record):
    """The state a run ended in, and what it said."""

    state: State
    outcome: Outcome = Outcome()


def load(format_name: str) -> HookProtocol:
    """The protocol of a host's hooks."""
    spec = hosts.spec(format_name)
    module = f"{__name__}.{spec.speech.protocol}"
    __import__(module)
    protocol: Any = sys.modules[module]
    made: HookProtocol = protocol.of(spec) if hasattr(protocol, "of") else protocol
    return made


def finished(run: Run, event: Event, ended: Ended) -> Run:
    """A run with what became of its process, as the hook's own host reads it."""
    answer = load(run.hook.format).read(run.hook, event, ended)
    return run.replace(
        state=answer.state,
        outcome=answer.outcome,
        exit_code=ended.exit_code,
        signal=ended.signal,
        duration_ms=ended.duration_ms,
        stdout=ended.stdout.decode(errors="replace"),
        stderr=ended.stderr.decode(errors="replace"),
        truncated=ended.overflow or max(len(ended.stdout), len(ended.stderr)) > CAP,
    )


def failure(hook: Hook, ended: Ended) -> str | None:
    """Why a run counts as failed, in words; None for exit codes 0 and 2."""
    if ended.timed_out:
        return f"timed out after {hook.timeout_ms} ms"
    if ended.spawn_error is not None:
        return f"could not be started: {ended.spawn_error}"
    if ended.signal is not None:
        return f"was ended by signal {ended.signal}"
    if ended.exit_code and hook.type != "command":  # a process of ours, which says on stderr what was wrong
        return f"got no answer: {ended.stderr.decode(errors='replace').strip()}"
    return None if ended.exit_code in (0, 2) else f"exited with {ended.exit_code}"


def failed(ended: Ended, problem: str) -> Heard:
    """A hook that did not do its work: no opinion."""
    return Heard(state="timeout" if ended.timed_out else "failed", outcome=Outcome(problems=(problem,)))


def invalid(*problems: str) -> Heard:
    """Output that cannot be read: nothing of it is used."""
    return Heard(state="invalid-output", outcome=Outcome(problems=problems))


def hear(ended: Ended, text: str, understand: Callable[[dict[str, Any]], Heard]) -> Heard:
    """What `understand` makes of the JSON object in `text`, a hook's stdout without white space around it; none: no opinion."""
    if ended.overflow:
        return invalid("stdout is longer than 10 MiB")
    if not text:
        return Heard(state="ok")
    try:
        said = fast_json.loads(text)
    except (ValueError, RecursionError) as error:
        return invalid(f"stdout is not valid JSON: {error}")
    return understand(said) if isinstance(said, dict) else invalid("stdout must be a JSON object")


def blocked_by_exit_2(hook: Hook, ended: Ended) -> Heard:
    """Exit 2: stderr is the reason, stdout is ignored."""
    reason = ended.stderr.decode(errors="replace").strip() or f"Blocked by hook {hook.name}"
    return Heard(state="ok", outcome=Outcome(decision="deny", via="exit-2", reason=reason))


def unfenced(text: str) -> str:
    """The text without the code fence that models like to put around their JSON; stripped."""
    text = text.strip()
    if text.startswith("```"):
        text = text[3:]
        text = text[4:] if text[:4].lower() == "json" else text
    return text.removesuffix("```").strip()
