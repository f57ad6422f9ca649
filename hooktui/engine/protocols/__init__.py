"""The stdin and the answers of hooks: one module per protocol, loaded when one of its hooks runs.

A protocol module has `stdin` and `read`; `agenthooks` is the plainest.
"""

from __future__ import annotations

import sys

from hooktui import hosts
from hooktui.core import fast_json
from hooktui.core.model import Outcome
from hooktui.core.records import Record
from hooktui.engine.process import TEXT_LIMIT
from hooktui.security import trust
from hooktui.security.redaction import CAP, capped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol

    from hooktui.core.model import Event, Hook, Run, State
    from hooktui.core.settings import Setting
    from hooktui.engine.process import Ended

    class HookProtocol(Protocol):
        """What dispatch needs from a host's protocol."""

        def stdin(self, hook: Hook, event: Event) -> dict[str, Any]:
            """The JSON object that the hook reads."""

        def read(self, hook: Hook, event: Event, ended: Ended) -> RunResult:
            """The result of a process that has ended; never raises."""


class RunResult(Record):
    """The final state of a run and the outcome of its hook."""

    state: State
    outcome: Outcome = Outcome()


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
    result = load(run.hook.format).read(run.hook, event, ended)
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


def failure(hook: Hook, ended: Ended) -> str | None:
    """Why a run failed; None for exit codes 0 and 2."""
    if ended.timed_out:
        return f"timed out after {hook.timeout_ms} ms"
    if ended.spawn_error is not None:
        return f"could not be started: {ended.spawn_error}"
    if ended.signal is not None:
        return f"was terminated by signal {ended.signal}"
    if ended.exit_code and hook.type != "command":  # our own process, which reports the error on stderr
        return f"got no answer: {ended.stderr.decode(errors='replace').strip()}"
    return None if ended.exit_code in (0, 2) else f"exited with {ended.exit_code}"


def failed(ended: Ended, problem: str) -> RunResult:
    """The result of a failed run, which decides nothing."""
    return RunResult(state="timeout" if ended.timed_out else "failed", outcome=Outcome(problems=(problem,)))


def invalid(*problems: str) -> RunResult:
    """The result of a run whose output is invalid and ignored."""
    return RunResult(state="invalid-output", outcome=Outcome(problems=problems))


def parse(ended: Ended, text: str, interpret: Callable[[dict[str, Any]], RunResult]) -> RunResult:
    """Apply `interpret` to the JSON object in `text`, a hook's stripped stdout. Empty output decides nothing."""
    if ended.overflow:
        return invalid("stdout is longer than 10 MiB")
    if not text:
        return RunResult(state="ok")
    try:
        answer = fast_json.loads(text)
    except (ValueError, RecursionError) as error:
        return invalid(f"stdout is not valid JSON: {error}")
    return interpret(answer) if isinstance(answer, dict) else invalid("stdout must be a JSON object")


def blocked_by_exit_2(hook: Hook, ended: Ended) -> RunResult:
    """The denial of exit code 2: stderr is the reason, stdout is ignored."""
    reason = ended.stderr.decode(errors="replace").strip() or f"Blocked by hook {hook.label}"
    return RunResult(state="ok", outcome=Outcome(decision="deny", via="exit-2", reason=reason))


def unfenced(text: str) -> str:
    """The stripped text without the code fence that models put around JSON."""
    text = text.strip()
    if text.startswith("```"):
        text = text[3:]
        text = text[4:] if text[:4].lower() == "json" else text
    return text.removesuffix("```").strip()
