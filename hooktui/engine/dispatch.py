"""One event handled: consider every hook, run those that match in the manner of their host, merge what they said."""

from __future__ import annotations

import os
import sys
import time

from hooktui import hosts
from hooktui.core import fast_json, ids, paths
from hooktui.core.model import DECISIONS, Dispatch, JsonEntry, Run
from hooktui.engine import process, protocols
from hooktui.engine.process import Command
from hooktui.engine.verdict import Judge
from hooktui.hosts.shared.spec import Manner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hooktui.core.model import DecisionName, Event, Hook
    from hooktui.core.settings import Setting


def dispatch(event: Event, hooks: Sequence[Hook], setting: Setting) -> Dispatch:
    """Handle one event with the hooks that listen to it, given in firing order, each format's together.

    An interruption kills what runs, and the dispatch says so; it is not raised again.
    """
    return _Progress(hooks, event, setting).play(hooks)


class _Progress:
    """One dispatch while its hooks run: the input as rewritten so far, who blocked, what was done."""

    def __init__(self, hooks: Sequence[Hook], event: Event, setting: Setting) -> None:
        self.id = ids.new()
        self.event = event
        self.setting = setting
        self.judge = Judge(hooks, event, setting)
        self.runs: list[Run] = []
        self.warnings: list[str] = []
        self.blocker: str | None = None
        self.started = time.monotonic()

    def play(self, hooks: Sequence[Hook]) -> Dispatch:
        """Run each format's hooks in its own manner; a block ends only its own format's turn."""
        for name in dict.fromkeys(hook.format for hook in hooks):
            self.blocker = None
            manner = hosts.spec(name).speech.manner
            own = [hook for hook in hooks if hook.format == name]
            if manner.at_once:
                self._at_once(own)
            else:
                self._in_turn(own, manner)
        return self._merged()

    def _in_turn(self, hooks: Sequence[Hook], manner: Manner) -> None:
        for hook in hooks:
            run = self._considered(hook)
            if run.state == "would-run" and not self.setting.dry_run:
                run = self._heed(self._run(run), manner)
            self.runs.append(run)

    def _at_once(self, hooks: Sequence[Hook]) -> None:
        first = len(self.runs)
        self.runs += [self._considered(hook) for hook in hooks]
        if self.setting.dry_run:
            return
        waiting = {}
        for place, run in enumerate(self.runs[first:], first):
            if run.state != "would-run":
                continue
            command = self._command(run)
            if isinstance(command, process.Ended):
                self.runs[place] = self._finished(run, command)
            elif run.hook.is_async:
                self.runs[place] = self._detach(run, command, place)
            else:
                waiting[place] = command
        ended = self._attend(tuple(waiting.values()))
        for place, one in zip(waiting, ended, strict=True):
            self.runs[place] = self._finished(self.runs[place], one) if one else self._cut_short(self.runs[place])
        self.runs[first:] = [self._heed(run, Manner()) for run in self.runs[first:]]

    def _considered(self, hook: Hook) -> Run:
        verdict = self.judge.verdict(hook, self.event, "an interruption" if process.has_come() else self.blocker)
        run = Run(id=ids.new(), hook=hook, state="would-run", why=verdict.why, started_ms=self._elapsed_ms())
        if verdict.skip is None:
            return run
        if remedy := _REMEDIES.get(verdict.skip):
            self.warnings.append(f"hook {hook.name} was skipped ({verdict.skip}): {verdict.why}; {remedy}")
        return run.replace(state="skipped", skip=verdict.skip)

    def _run(self, run: Run) -> Run:
        run = run.replace(started_ms=self._elapsed_ms())
        command = self._command(run)
        if isinstance(command, process.Ended):
            return self._finished(run, command)
        if run.hook.is_async:
            return self._detach(run, command, len(self.runs))
        ended = self._attend((command,))[0]
        return self._finished(run, ended) if ended else self._cut_short(run)

    def _command(self, run: Run) -> process.Command | process.Ended:
        try:
            return command_of(run.hook, self.event, self.setting)
        except Unrunnable as error:
            return process.Ended(spawn_error=str(error))

    def _attend(self, commands: tuple[process.Command, ...]) -> Sequence[process.Ended | None]:
        try:
            return process.run_all(commands, self.setting.meanwhile)
        except process.Interrupted:
            return [None] * len(commands)

    def _detach(self, run: Run, command: process.Command, place: int) -> Run:
        process.start_detached(command, lambda ended: self.setting.on_async_end(self._finished(run, ended), self.id, place))
        return run.replace(state="started")

    def _cut_short(self, run: Run) -> Run:
        self.warnings.append(f"interrupted while hook {run.hook.name} ran: it and all it started were ended")
        return run.replace(state="interrupted", duration_ms=self._elapsed_ms() - run.started_ms)

    def _finished(self, run: Run, ended: process.Ended) -> Run:
        return protocols.finished(run, self.event, ended)

    def _heed(self, run: Run, manner: Manner) -> Run:
        """Let an outcome take effect on what comes after."""
        for problem in run.outcome.problems:
            self.warnings.append(f"hook {run.hook.name}: {problem}")
        said = run.outcome
        failed = run.state in ("failed", "timeout")
        if failed and manner.heeds_setting and self.setting.on_hook_failure == "deny":
            said = said.replace(decision="deny", reason=f"Hook {run.hook.name} {said.problems[0]}")
        if said.decision in manner.ends_at:
            self.blocker = run.hook.name
        elif manner.hands_on and said.modified_input is not None:
            fields = {**self.event.fields, "tool_input": said.modified_input}
            self.event = self.event.replace(tool_input=said.modified_input, fields=fields)
        return run.replace(outcome=said)

    def _elapsed_ms(self) -> float:
        return (time.monotonic() - self.started) * 1000

    def _merged(self) -> Dispatch:
        runs = tuple(self.runs)
        decision = merged_decision(runs)
        return Dispatch(
            id=self.id,
            event=self.event,
            project=self.setting.project,
            runs=runs,
            decision=decision,
            reason=merged_reason(runs, decision),
            modified_input=merged_input(runs, decision),
            additional_context=merged_context(runs),
            system_messages=tuple(run.outcome.system_message for run in runs if run.outcome.system_message),
            logs=tuple(run.outcome.log for run in runs if run.outcome.log),
            warnings=tuple(self.warnings),
            duration_ms=self._elapsed_ms(),
            synthetic=self.setting.synthetic,
        )


# Skips that keep a hook from doing what its owner wants are never silent (formats.md, head); with what to do about each.
_REMEDIES: Mapping[str, str] = {
    "host-skips-file": "see `hooktui check`",
    "invalid": "see `hooktui check`",
    "bad-matcher": "see `hooktui check`",
    "unsupported-type": "see `hooktui check`",
    "untrusted": "look at it and approve it with `hooktui trust`",
    "gate-limit": "the agent may stop; [run] gate_limit in your configuration sets the limit",
}


def merged_decision(runs: Sequence[Run]) -> DecisionName:
    """The strictest that any hook said."""
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
    """All contexts in order; of some hosts' hooks only the last one counts (formats.md §4)."""
    spoken = [run for run in runs if run.outcome.additional_context]
    limited = [run for run in spoken if hosts.spec(run.hook.format).speech.last_context_only]
    return tuple(run.outcome.additional_context or "" for run in spoken if run not in limited[:-1])


class Unrunnable(Exception):
    """This hook cannot be started; the message says why."""


def command_of(hook: Hook, event: Event, setting: Setting) -> Command:
    """The process that stands for one run; raises Unrunnable."""
    protocol = protocols.load(hook.format)
    said = protocol.stdin(hook, event)
    argv, stdin = _BY_TYPE[hook.type](hook, said, setting)
    return Command(
        argv=argv,
        stdin=fast_json.dumps(stdin).encode(),
        cwd=protocol.directory(hook, event, setting.project),
        env={**setting.env, **protocol.environment(hook, setting)},
        timeout_s=hook.timeout_ms / 1000,
    )


def _process(hook: Hook, said: dict[str, Any], setting: Setting) -> tuple[tuple[str, ...], dict[str, Any]]:
    return hook.arguments(setting.project) or _script(hook), said


def _script(hook: Hook) -> tuple[str, ...]:
    """An inline script as a file that its shebang's interpreter can be given; bash without one (formats.md §4)."""
    text = hook.inline_script
    if text is None:
        raise Unrunnable("it has no command")
    directory = os.path.join(paths.state_dir(), "scripts")
    path = os.path.join(directory, hook.version)
    draft = f"{path}.{os.getpid()}"
    try:
        os.makedirs(directory, mode=0o700, exist_ok=True)
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o700), "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(draft, path)
    except (OSError, UnicodeEncodeError) as error:
        raise Unrunnable(f"its script cannot be written: {error}") from error
    return (path,) if text.startswith("#!") else ("bash", path)


def _http(hook: Hook, said: dict[str, Any], _setting: Setting) -> tuple[tuple[str, ...], dict[str, Any]]:
    entry = hook.source
    if not isinstance(entry, JsonEntry):
        raise Unrunnable("it has no url")
    request = {"url": entry.url, "headers": entry.headers, "allowed": entry.allowed_variables}
    return (sys.executable, "-I", "-m", "hooktui.engine.http_hooks"), {**request, "body": said}


def _prompt(hook: Hook, said: dict[str, Any], setting: Setting) -> tuple[tuple[str, ...], dict[str, Any]]:
    if not setting.model_endpoint:
        raise Unrunnable("no model configured ([prompt] in your configuration)")
    request = {"endpoint": setting.model_endpoint.as_dict(), "tier": hook.model, "prompt": rendered_prompt(hook, said)}
    return (sys.executable, "-I", "-m", "hooktui.engine.prompt_hooks"), request


def rendered_prompt(hook: Hook, said: dict[str, Any]) -> str:
    """The prompt as a model gets it: `$ARGUMENTS` replaced by the context JSON, which is appended when it is absent (§4)."""
    prompt, context = hook.prompt or "", fast_json.dumps(said, ascii_only=False)
    return prompt.replace("$ARGUMENTS", context) if "$ARGUMENTS" in prompt else f"{prompt}\n\n{context}"


_BY_TYPE = {"command": _process, "http": _http, "prompt": _prompt}
