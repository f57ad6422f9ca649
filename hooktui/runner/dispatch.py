"""Dispatch of one event: judge every hook, run those that match in the order of their host, merge their outcomes."""

from __future__ import annotations

import os
import sys
import time

from hooktui import hosts
from hooktui.core import fast_json, ids, paths, patterns
from hooktui.core.model import DECISIONS, Dispatch, JsonEntry, Run
from hooktui.hosts.base import Scheduling
from hooktui.runner import interruption, process, trust
from hooktui.runner.matching import DISPATCH_BUDGET_S
from hooktui.runner.process import TEXT_LIMIT, Command
from hooktui.runner.redaction import CAP, capped
from hooktui.runner.verdict import Judge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hooktui.core.model import DecisionName, Event, Hook, Outcome
    from hooktui.core.settings import DispatchContext


def dispatch(event: Event, hooks: Sequence[Hook], context: DispatchContext) -> Dispatch:
    """Handle one event with the hooks that listen to it, in firing order and grouped by format.

    An interruption kills the running hooks and is recorded in the dispatch, not raised.
    """
    return _Progress(hooks, event, context).run()


class _Progress:
    """The state of a dispatch while its hooks run: the input as rewritten so far, the hook that blocked, the runs."""

    def __init__(self, hooks: Sequence[Hook], event: Event, context: DispatchContext) -> None:
        self.id = ids.new()
        self.hooks = hooks
        self.event = event
        self.context = context
        self.judge = Judge(hooks, event, context)
        self.runs: list[Run] = []
        self.warnings: list[str] = []
        self.blocker: str | None = None
        self.started = time.monotonic()

    def run(self) -> Dispatch:
        """Run the hooks of each format in the order of its host; a block skips only later hooks of the same format."""
        patterns.share(DISPATCH_BUDGET_S)
        try:
            for name in dict.fromkeys(hook.format for hook in self.hooks):
                self._run_format(name)
        finally:
            patterns.share(float("inf"))
        return self._merged()

    def _run_format(self, name: str) -> None:
        self.blocker = None
        scheduling = hosts.spec(name).scheduling
        own = [hook for hook in self.hooks if hook.format == name]
        if scheduling.order == "together":
            self._run_together(own)
        else:
            self._run_in_order(own, scheduling)

    def _run_in_order(self, hooks: Sequence[Hook], scheduling: Scheduling) -> None:
        for hook in hooks:
            self._run_next(self._judged(hook), scheduling)

    def _run_next(self, run: Run, scheduling: Scheduling) -> None:
        if run.state == "would-run" and not self.context.dry_run:
            (run,) = self._run([run.replace(started_ms=self._elapsed_ms())], len(self.runs))
            run = self._applied(run, scheduling)
        self.runs.append(run)

    def _run_together(self, hooks: Sequence[Hook]) -> None:
        """Run hooks at once, or one after another if one of them asks for that."""
        runs = [self._judged(hook) for hook in hooks]
        if any(run.state == "would-run" and _is_sequential(run.hook) for run in runs):
            for run in runs:
                self._run_next(run, Scheduling(order="rewriting"))
            return
        if not self.context.dry_run:
            runs = [self._applied(run, Scheduling()) for run in self._run(runs, len(self.runs))]
        self.runs += runs

    def _run(self, judged: Sequence[Run], position: int) -> list[Run]:
        """Run hooks side by side; skipped ones stay as they are. `position` is the index of the first in the dispatch."""
        runs = list(judged)
        waiting = {}
        for number, run in enumerate(runs):
            if run.state != "would-run":
                continue
            try:
                command = command_of(run, self.event, self.context)
            except UnrunnableHookError as error:
                unspawned = process.Ended(spawn_error=str(error), exhausted=error.exhausted)
                runs[number] = self._finished(run, unspawned)
                continue
            if run.hook.is_async:
                runs[number] = self._detach(run, command, position + number)
            else:
                waiting[number] = command
        for number, ended in zip(waiting, self._wait(tuple(waiting.values())), strict=True):
            run = runs[number]
            runs[number] = self._finished(run, ended) if ended else self._interrupted(run)
        return runs

    def _finished(self, run: Run, ended: process.Ended) -> Run:
        """A run with its result. What the system lacks must not disarm a guard: the event is denied in the hook's place."""
        run = finished(run, self.event, ended)
        if ended.exhausted and self.context.on_error == "deny" and hosts.spec(self.event.host).can_deny(self.event.name):
            reason = f"Hook {run.hook.label} {run.outcome.problems[0]}"
            run = run.replace(outcome=run.outcome.replace(decision="deny", reason=reason))
        return run

    def _judged(self, hook: Hook) -> Run:
        verdict = self.judge.verdict(hook, self.event, "an interruption" if interruption.was_interrupted() else self.blocker)
        if verdict.skip and (remedy := _REMEDIES.get(verdict.skip)):
            self.warnings.append(f"hook {hook.label} was skipped ({verdict.skip}): {verdict.why}; {remedy}")
        return Run(
            id=ids.new(),
            hook=hook,
            state="skipped" if verdict.skip else "would-run",
            skip=verdict.skip,
            why=verdict.why,
            started_ms=0.0 if verdict.skip else self._elapsed_ms(),
        )

    def _wait(self, commands: tuple[process.Command, ...]) -> Sequence[process.Ended | None]:
        try:
            return process.run_all(commands, self.context.meanwhile)
        except interruption.Interrupted:
            return [None] * len(commands)

    def _detach(self, run: Run, command: process.Command, position: int) -> Run:
        if self.context.mismatches:
            position = self.context.mismatches.places[position]

        def on_start() -> None:
            self.context.on_async_start(run, self.id, position)

        def on_end(ended: process.Ended) -> None:
            self.context.on_async_end(finished(run, self.event, ended), self.id, position)

        process.start_detached(command, on_start, on_end)
        return run.replace(state="started")

    def _interrupted(self, run: Run) -> Run:
        self.warnings.append(f"interrupted while hook {run.hook.label} ran: hooktui ended it and its child processes")
        return run.replace(state="interrupted", duration_ms=self._elapsed_ms() - run.started_ms)

    def _applied(self, run: Run, scheduling: Scheduling) -> Run:
        """Apply an outcome to later hooks; returns the run with its final outcome."""
        for problem in run.outcome.problems:
            self.warnings.append(f"hook {run.hook.label}: {problem}")
        outcome = run.outcome
        failed = run.state in ("failed", "timeout")
        if failed and hosts.spec(run.hook.format).failure_denies(self.context.on_hook_failure):
            outcome = outcome.replace(decision="deny", reason=f"Hook {run.hook.label} {outcome.problems[0]}")
        if outcome.decision in scheduling.ends_at:
            self.blocker = run.hook.label
        elif scheduling.order == "rewriting" and outcome.modified_input is not None:
            fields = {**self.event.fields, "tool_input": outcome.modified_input}
            self.event = self.event.replace(tool_input=outcome.modified_input, fields=fields)
        return run.replace(outcome=outcome)

    def _elapsed_ms(self) -> float:
        return (time.monotonic() - self.started) * 1000

    def _merged(self) -> Dispatch:
        runs = tuple(self.runs)
        decision = merged_decision(runs)
        return Dispatch(
            id=self.id,
            event=self.event,
            project=self.context.project,
            runs=runs,
            decision=decision,
            reason=merged_reason(runs, decision),
            modified_input=merged_input(runs, decision),
            additional_context=merged_context(runs),
            system_messages=tuple(run.outcome.system_message for run in runs if run.outcome.system_message),
            logs=tuple(run.outcome.log for run in runs if run.outcome.log),
            warnings=tuple(self.warnings),
            duration_ms=self._elapsed_ms(),
            synthetic=self.context.synthetic,
            origin="try" if self.context.synthetic else "run",
            mismatches=self.context.mismatches,
        )


def _is_sequential(hook: Hook) -> bool:
    return isinstance(hook.source, JsonEntry) and hook.source.sequential


# Skips to warn of, and what to do about each. Guards that did not run have notices of their own (skip_notices).
_REMEDIES: Mapping[str, str] = {
    "unsupported-type": "see `hooktui check`",
    "gate-limit": "the agent may stop; [run] gate_limit in your configuration sets the limit",
}


def merged_decision(runs: Sequence[Run]) -> DecisionName:
    """The most severe decision."""
    return max((run.outcome.decision for run in runs), key=DECISIONS.index, default="none")


def merged_reason(runs: Sequence[Run], merged: DecisionName) -> str | None:
    """The reasons behind the merged decision, joined by newlines."""
    return "\n".join(run.outcome.reason for run in runs if run.outcome.decision == merged and run.outcome.reason) or None


def merged_input(runs: Sequence[Run], merged: DecisionName) -> Mapping[str, Any] | None:
    """The rewrite of the hook that finished last; none with a deny or stop."""
    rewrites = [run for run in runs if run.outcome.modified_input is not None]
    if not rewrites or merged in ("deny", "stop"):
        return None
    return max(rewrites, key=lambda run: run.started_ms + run.duration_ms).outcome.modified_input


def merged_context(runs: Sequence[Run]) -> tuple[str, ...]:
    """The contexts in order, as far as the host of each hook has a use for several."""
    given: dict[str, list[str]] = {}
    for run in runs:
        if run.outcome.additional_context:
            given.setdefault(run.hook.format, []).append(run.outcome.additional_context)
    return tuple(text for name, contexts in given.items() for text in hosts.spec(name).contexts(contexts))


def finished(run: Run, event: Event, ended: process.Ended) -> Run:
    """A run with the result of its process, by the rules of the hook's host."""
    result = hosts.judge(run.hook.format, run.hook, event, ended)
    return run.replace(
        state=result.state,
        outcome=_unheard(result.outcome) if run.hook.is_async else _capped(result.outcome),
        exit_code=ended.exit_code,
        signal=ended.signal,
        duration_ms=ended.duration_ms,
        stdout=ended.stdout[: TEXT_LIMIT if ended.overflow else None].decode(errors="replace"),
        stderr=ended.stderr.decode(errors="replace"),
        truncated=ended.overflow or max(len(ended.stdout), len(ended.stderr)) > CAP,
    )


def _unheard(outcome: Outcome) -> Outcome:
    """The outcome of an async hook, whose decision comes too late."""
    if outcome.decision == "none":
        return _capped(outcome)
    problem = f"{outcome.decision} has no effect: the agent does not wait for an async hook"
    return _capped(outcome).replace(decision="none", problems=(*outcome.problems, problem))


def _capped(outcome: Outcome) -> Outcome:
    """An outcome whose reason is cut as in the log: an agent reads all of it."""
    reason = outcome.reason
    return outcome.replace(reason=capped(reason)) if reason and len(reason) > CAP else outcome


class UnrunnableHookError(Exception):
    """A hook cannot be started; the message says why. `exhausted`: the system has run out of a resource."""

    def __init__(self, message: str, *, exhausted: bool = False) -> None:
        super().__init__(message)
        self.exhausted = exhausted


_RUN_VARIABLE = "HOOKTUI_RUN"  # the ID of the run, by which the processes of a hook are found that have left its group


def command_of(run: Run, event: Event, context: DispatchContext) -> Command:
    """The command of a run. Raises UnrunnableHookError."""
    hook, number = run.hook, ids.text(run.id)
    host = hosts.spec(hook.format)
    argv, stdin = _BY_TYPE[hook.type](hook, host.hook_stdin(hook, event), context)
    environment = host.hook_environment(hook, _given(hook, context), context.started_in or context.project)
    return Command(
        argv=argv,
        stdin=fast_json.dumps(stdin).encode(),
        cwd=_directory(hook, event, context),
        env={**environment, _RUN_VARIABLE: number},
        timeout_s=hook.timeout_ms / 1000,
        mark=f"{_RUN_VARIABLE}={number}",
    )


def _given(hook: Hook, context: DispatchContext) -> Mapping[str, str]:
    """The agent's environment; a project's hook and a managed one get a part of it (runner/environment.py)."""
    if hook.type != "command" or not (trust.needs_approval(hook) or trust.is_managed(hook)):
        return context.env
    from hooktui.runner import environment

    return environment.managed() if trust.is_managed(hook) else environment.reduced(context.env, context.env_keep)


def _directory(hook: Hook, event: Event, context: DispatchContext) -> str:
    """The working directory: the host's choice, but for an approved entry that names files by paths from the project's root."""
    verified = context.verified(hook.id)
    is_bound = verified is not None and verified.in_root
    return hook.cwd or hook.root if is_bound else hosts.spec(hook.format).hook_directory(hook, event, context.project)


def _process(hook: Hook, payload: dict[str, Any], context: DispatchContext) -> tuple[tuple[str, ...], dict[str, Any]]:
    return _argv(hook, context) or _script(hook), payload


def _argv(hook: Hook, context: DispatchContext) -> tuple[str, ...]:
    """The program and its arguments; those of a project's hook run what was approved."""
    verified = context.verified(hook.id)
    if verified is None:
        return hook.arguments(context.project)
    if verified.fault:
        raise UnrunnableHookError(verified.fault, exhausted=True)
    return hook.replace(argv=verified.argv).arguments(context.project)


def _script(hook: Hook) -> tuple[str, ...]:
    """Write an inline script to a file and return its command; bash runs a script without a shebang (formats.md §4)."""
    text = hook.inline_script
    if text is None:
        raise UnrunnableHookError("it has no command")
    path = _written(hook.version, text)
    return (path,) if text.startswith("#!") else ("bash", path)


def _written(name: str, text: str) -> str:
    """Write a script below our state, or below the system's temporary directory if that is not possible; its path."""
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        raise UnrunnableHookError(f"cannot write its script: {error}") from error
    faults = []
    for directory in (paths.state_dir, paths.temporary_dir):
        try:
            path = os.path.join(directory(), "scripts", name)
            paths.write_private(path, content, mode=0o700)
        except OSError as fault:
            faults.append(fault)
        else:
            return path
    raise UnrunnableHookError(f"cannot write its script: {faults[0]}", exhausted=True)


def _http(hook: Hook, payload: dict[str, Any], _context: DispatchContext) -> tuple[tuple[str, ...], dict[str, Any]]:
    entry = hook.source
    if not isinstance(entry, JsonEntry):
        raise UnrunnableHookError("it has no url")
    request = {"url": entry.url, "headers": entry.headers, "allowed": entry.allowed_variables}
    return (sys.executable, "-I", "-m", "hooktui.cli.http_hooks"), {**request, "body": payload}


def _prompt(hook: Hook, payload: dict[str, Any], context: DispatchContext) -> tuple[tuple[str, ...], dict[str, Any]]:
    if not context.model_endpoint:
        raise UnrunnableHookError("no model configured ([prompt] in your configuration)")
    request = {"endpoint": context.model_endpoint.as_dict(), "tier": hook.model, "prompt": rendered_prompt(hook, payload)}
    return (sys.executable, "-I", "-m", "hooktui.cli.prompt_hooks"), request


def rendered_prompt(hook: Hook, payload: dict[str, Any]) -> str:
    """The prompt for the model, with the payload as JSON in place of `$ARGUMENTS`, or at the end without it (§4)."""
    prompt, text = hook.prompt or "", fast_json.dumps(payload, ascii_only=False)
    return prompt.replace("$ARGUMENTS", text) if "$ARGUMENTS" in prompt else f"{prompt}\n\n{text}"


_BY_TYPE = {"command": _process, "http": _http, "prompt": _prompt}
