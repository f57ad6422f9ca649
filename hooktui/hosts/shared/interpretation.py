"""What a host makes of a hook that has ended: the parts that all hosts have in common."""

from __future__ import annotations

from hooktui.core import fast_json
from hooktui.core.model import Outcome
from hooktui.core.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hooktui.core.model import Hook, State


class Ended(Record):
    """The end of a process. One of exit_code, signal and spawn_error is set, none after a timeout or an interruption.

    `stdout` holds at most OUTPUT_LIMIT bytes, `stderr` TEXT_LIMIT; `overflow`: stdout was longer. `exhausted`: it could not be
    spawned because the system, not the hook, lacked something.
    """

    exit_code: int | None = None
    signal: int | None = None
    spawn_error: str | None = None
    exhausted: bool = False
    timed_out: bool = False
    stdout: bytes = b""
    stderr: bytes = b""
    overflow: bool = False
    duration_ms: float = 0.0


class RunResult(Record):
    """The final state of a run and the outcome of its hook."""

    state: State
    outcome: Outcome = Outcome()


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
