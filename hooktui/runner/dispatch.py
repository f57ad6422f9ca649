"""One event handled: consider every hook, run those that match, merge what they said (formats.md §2)."""

from __future__ import annotations

import time

from hooktui import events, ids, matching
from hooktui.model import DECISIONS, Dispatch, Outcome, Run
from hooktui.record import Record
from hooktui.runner import detached, outcome, process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Literal

    from hooktui.model import DecisionName, Event, Hook, Skip, Trust


class Interrupted(BaseException):
    """Raised by a signal handler while hooks run: the agent, or the person, wants no answer any more."""


class Setting(Record):
    """What a dispatch needs to know beside event and hooks.

    `trust` and `denials_in_a_row` are asked only when an answer depends on them: they read files and the log.
    `on_async_end(run, dispatch id, position)` is called in the supervisor's process when an async hook has ended; `meanwhile`
    while a hook works.
    """

    project: str
    env: Mapping[str, str]
    trust: Callable[[str], Trust]
    denials_in_a_row: Callable[[], int]
    on_async_end: Callable[[Run, int, int], None]
    meanwhile: Callable[[], None] = lambda: None
    gate_limit: int = 3
    on_hook_failure: Literal["allow", "deny"] = "allow"
    dry_run: bool = False
    synthetic: bool = False


def dispatch(event: Event, hooks: Sequence[Hook], setting: Setting) -> Dispatch:
    """Handle one event with the hooks that listen to it, given in firing order.

    An interruption kills what runs, and the dispatch says so; it is not raised again.
    """
    return _Progress(event, setting).play(hooks)


class _Progress:
    """The state of one dispatch while its hooks run: the input as rewritten so far, who blocked, what was done."""

    def __init__(self, event: Event, setting: Setting) -> None:
        self.id = ids.new()
        self.event = event
        self.setting = setting
        self.runs: list[Run] = []
        self.warnings: list[str] = []
        self.blocker: str | None = None
        self.started = time.monotonic()
        self._gate_denials: int | None = None

    def play(self, hooks: Sequence[Hook]) -> Dispatch:
        for hook in hooks:
            skip, why = self._verdict(hook)
            run = Run(id=ids.new(), hook=hook, state="would-run", why=why, started_ms=self._elapsed_ms())
            if skip is not None:
                run = run.replace(state="skipped", skip=skip)
                self._warn_of_skip(run)
            elif not self.setting.dry_run:
                run = self._run(run)
            self.runs.append(run)
        return self._merged()

    def _elapsed_ms(self) -> float:
        return (time.monotonic() - self.started) * 1000

    # Whether it runs ---------------------------------------------------------------------------------------------------------

    def _verdict(self, hook: Hook) -> tuple[Skip | None, str]:
        """The first of contract.md's skip reasons that holds, or none; and why, in words."""
        if not hook.enabled:
            return "disabled", "switched off"
        if hook.obstacle:
            return hook.obstacle.skip, hook.obstacle.why
        rival = next((rival for rival in hook.rivals if self.setting.trust(rival) == "trusted"), None)
        if rival:
            return "overridden", f"replaced by {rival}"
        verdict = matching.match(hook, self.event)
        if verdict.skip:
            return verdict.skip, verdict.why
        return self._verdict_of_circumstance(hook) or (None, verdict.why)

    def _verdict_of_circumstance(self, hook: Hook) -> tuple[Skip, str] | None:
        trust = self.setting.trust(hook.id)
        if trust not in ("user", "trusted"):
            why = "changed since it was approved" if trust == "changed" else "a project hook that nobody has approved"
            return "untrusted", why
        if self._gate_is_exhausted():
            return "gate-limit", f"the gate has denied {self._gate_denials} times in a row in this turn"
        if self.blocker:
            return "blocked-earlier", f"blocked earlier by {self.blocker}"
        return None

    def _gate_is_exhausted(self) -> bool:
        if self.event.name != events.GATE or not self.setting.gate_limit:
            return False
        if self._gate_denials is None:
            self._gate_denials = self.setting.denials_in_a_row()
        return self._gate_denials >= self.setting.gate_limit

    def _warn_of_skip(self, run: Run) -> None:
        """A hook that is kept from running is never silent (formats.md, head)."""
        remedy = _REMEDIES.get(run.skip or "")
        if remedy:
            self.warnings.append(f"hook {run.hook.name} was skipped ({run.skip}): {run.why}; {remedy}")

    # Running -----------------------------------------------------------------------------------------------------------------

    def _input(self) -> Any:
        """The tool's input as the hooks before have rewritten it."""
        return self.event.tool_input

    def _run(self, run: Run) -> Run:
        hook = run.hook
        command = process.Command(
            argv=hook.argv,
            stdin=outcome.stdin(hook, self.event, self._input()),
            cwd=self.event.work_dir,
            env=self.setting.env,
            timeout_s=hook.timeout_ms / 1000,
        )
        if hook.is_async:
            place = len(self.runs)
            detached.start(command, lambda ended: self.setting.on_async_end(self._ended(run, ended), self.id, place))
            return run.replace(state="started")
        try:
            ended = process.run(command, self.setting.meanwhile)
        except Interrupted:
            self.blocker = "an interruption"
            self.warnings.append(f"interrupted while hook {hook.name} ran: it and all it started were ended")
            return run.replace(state="interrupted", duration_ms=self._elapsed_ms() - run.started_ms)
        return self._heed(self._ended(run, ended))

    def _ended(self, run: Run, ended: process.Ended) -> Run:
        answer = outcome.read(run.hook, self.event, ended)
        return run.replace(
            state=answer.state,
            outcome=answer.outcome,
            exit_code=ended.exit_code,
            signal=ended.signal,
            duration_ms=ended.duration_ms,
            stdout=outcome.shown(ended.stdout),
            stderr=outcome.shown(ended.stderr),
            truncated=ended.overflow or max(len(ended.stdout), len(ended.stderr)) > outcome.SHOWN_LIMIT,
        )

    def _heed(self, run: Run) -> Run:
        """Let an outcome take effect on what comes after."""
        for problem in run.outcome.problems:
            self.warnings.append(f"hook {run.hook.name}: {problem}")
        if run.state in ("failed", "timeout") and self.setting.on_hook_failure == "deny":
            reason = f"Hook {run.hook.name} {run.outcome.problems[0]}"
            run = run.replace(outcome=run.outcome.replace(decision="deny", reason=reason))
        if run.outcome.decision in ("deny", "stop"):
            self.blocker = run.hook.name
        elif run.outcome.modified_input is not None:
            fields = {**self.event.fields, "tool_input": run.outcome.modified_input}
            self.event = self.event.replace(tool_input=run.outcome.modified_input, fields=fields)
        return run

    # Merging -----------------------------------------------------------------------------------------------------------------

    def _merged(self) -> Dispatch:
        said = [run.outcome for run in self.runs]
        decision = merged_decision(said)
        blocked = decision in ("deny", "stop")
        rewrites = [one.modified_input for one in said if one.modified_input is not None]
        if any(run.skip == "gate-limit" for run in self.runs):
            self.warnings.append(f"gate_limit reached ({self.setting.gate_limit}): the agent may stop")
        return Dispatch(
            id=self.id,
            event=self.event,
            project=self.setting.project,
            runs=tuple(self.runs),
            decision=decision,
            reason=merged_reason(said, decision),
            modified_input=rewrites[-1] if rewrites and not blocked else None,
            additional_context=tuple(one.additional_context for one in said if one.additional_context),
            system_messages=tuple(one.system_message for one in said if one.system_message),
            logs=tuple(one.log for one in said if one.log),
            warnings=tuple(self.warnings),
            duration_ms=self._elapsed_ms(),
            synthetic=self.setting.synthetic,
        )


# Skips that mean a hook cannot do what its owner wants, with what to do about it.
_REMEDIES: Mapping[str, str] = {
    "invalid": "see `hooktui check`",
    "bad-matcher": "see `hooktui check`",
    "unsupported-type": "see `hooktui check`",
    "untrusted": "look at it and approve it with `hooktui trust`",
    "gate-limit": "raise [run] gate_limit to let it go on",
}


def merged_decision(said: Sequence[Outcome]) -> DecisionName:
    """stop > deny > ask > allow > none (formats.md, head)."""
    return max((one.decision for one in said), key=DECISIONS.index, default="none")


def merged_reason(said: Sequence[Outcome], decision: DecisionName) -> str | None:
    """The reasons behind the merged decision, joined by newlines."""
    reasons = [one.reason for one in said if one.decision == decision and one.reason]
    return "\n".join(reasons) or None
