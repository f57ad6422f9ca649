"""Examples in a process of their own: it has one copy of the project, and ending it ends all that its hooks have started.

Standard input holds JSON lines: first a Request, answered when the copy is made; then for each run an example and `off`,
the identity of a hook to switch off. Each answer is one line: an Answer, or `error` with a message.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
import time
from typing import TYPE_CHECKING, Final

from hooktui import formats, hosts
from hooktui.catalog.hook_files import CatalogFiles
from hooktui.core import ids, paths
from hooktui.core.model import Hook, HookDirectory, Run
from hooktui.core.settings import Verified
from hooktui.diagnostics import relevant_hosts
from hooktui.formats import hook_dependencies
from hooktui.hook_tests import tested_hooks
from hooktui.hook_tests.example import Example, TestError
from hooktui.hook_tests.example_events import at_host, event_of
from hooktui.hook_tests.grounds import MARK, Grounds
from hooktui.hosts.shared.interpretation import Ended
from hooktui.runner import dispatch as dispatching
from hooktui.runner import matching, pipeline, process_tree, trust
from hooktui.runner.dispatch_report import report_json
from hooktui.trials import serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hooktui.core.model import Dispatch, Event
    from hooktui.core.report import DispatchReport
    from hooktui.core.settings import DispatchContext
    from hooktui.hook_tests.grounds import Ground
    from hooktui.hook_tests.workers import Answer, Request

_LARGEST: Final = 256 * 1024 * 1024  # bytes of a file that a hook writes
_ASYNC_S: Final = 5.0  # how long async hooks may run on
_POLL_S: Final = 0.005
_OURS: Final = "hooktui"


class _Worker:
    def __init__(self, request: Request) -> None:
        place, repository = request["place"], request["repository"]
        self.grounds = Grounds(request["directory"], place, repository, request["formats"], trusts=request["trusts"])
        self._hosts = request["hosts"]
        self._with_users = request["with_users"]
        self._trusts = request["trusts"]
        self._relevant = relevant_hosts.find(self.grounds.hooks, self.grounds.project)

    def run(self, example: Example, off: str) -> Answer:
        """Run one example, without a hook. Raises TestError."""
        ground = self.grounds.ground(example)
        done, problems = self._decided(example, ground, off)
        differences = [] if off or example.host != hosts.DEFAULT else list(self._differences(example, ground, done))
        unapproved = [run for run in done.runs if run.skip == "untrusted" and matching.match(run.hook, done.event).skip is None]
        notes = [f"{hosts.spec(example.host).title}: {problem}" for problem in problems]
        notes += [note for run in done.runs if run.state != "skipped" for note in self._notes(run.hook, ground)]
        return {
            "report": self._in_project(report_json(done), ground),
            "unapproved": [f"{run.hook.label}: {run.why}" for run in unapproved],
            "differences": differences,
            "notes": notes,
        }

    def _decided(self, example: Example, ground: Ground, off: str = "") -> tuple[Dispatch, tuple[str, ...]]:
        """The dispatch as the example's host reads it, and what that does not obey. Raises TestError."""
        try:
            event = event_of(example, ground.project, ground.directory, self.grounds.project if ground.is_copy else "")
        except hosts.UnreadableEventError as error:
            raise TestError(str(error)) from error
        hooks = tested_hooks.run_by(example.host, ground.hooks, self._relevant, with_users=self._with_users)
        able = tuple(hook.replace(enabled=False) if hook.identity == off else hook for hook in hooks)
        hook_md = [hook for hook in able if isinstance(hook.source, HookDirectory)]
        own = [hook for hook in able if not isinstance(hook.source, HookDirectory)]
        done = [self._dispatched(event, hooks, ground) for hooks in (hook_md, own)]
        runs = [run for dispatch in done for run in dispatch.runs]
        if any(run.state != "skipped" for run in runs):
            self._end_processes(runs)
            self.grounds.renew()
        return _as_read(*done)

    def _dispatched(self, event: Event, hooks: Sequence[Hook], ground: Ground) -> Dispatch:
        if os.path.isdir(ground.directory):  # the first hooks may have removed it
            os.chdir(ground.directory)
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST if hard == resource.RLIM_INFINITY else min(_LARGEST, hard), hard))
        try:
            return pipeline.decide(event, hooks, self._context(event.host, hooks, ground))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    def _context(self, host: str, hooks: Sequence[Hook], ground: Ground) -> DispatchContext:
        context = pipeline.dispatch_context(
            self.grounds.project,
            hooks,
            self.grounds.settings,
            CatalogFiles,
            denials_in_a_row=lambda: 0,
            on_async_end=lambda run, *_: self._tell_end(run),
        )
        if ground.is_copy or self._trusts:  # what was approved is in the copy: it does not run from elsewhere
            context = context.replace(trust=ground.trust, verified=self._verified(ground))
        variables = hosts.spec(host).variables.items()  # a HOOK.md hook inherits them from the host
        env = {**ground.env, **{name: value.format(project=ground.project) for name, value in variables}}
        return context.replace(project=ground.project, env=env, started_in=ground.directory)

    def _verified(self, ground: Ground) -> Callable[[str], Verified | None]:
        """What is verified of hooks in a copy: what their approval does not cover, if that keeps them from running."""
        if self._trusts or not self.grounds.settings.require_covered:
            return lambda _: None
        hooks = {hook.id: hook for hook in ground.hooks}

        def verified(hook_id: str) -> Verified | None:
            hook = hooks[hook_id]
            if not trust.needs_approval(hook) or hook.type != "command":
                return None
            return Verified(facts=(), digest="", argv=hook.argv, copy="", gaps=hook_dependencies.gaps(hook))

        return verified

    def _end_processes(self, runs: Sequence[Run]) -> None:
        """Wait for async hooks, and kill what hooks have left behind."""
        latest = time.monotonic() + _ASYNC_S
        pending = {str(run.id) for run in runs if run.state == "started"}
        while pending.difference(os.listdir(self.grounds.ended)) and time.monotonic() < latest:
            time.sleep(_POLL_S)
        process_tree.kill_marked(f"{MARK}={self.grounds.mark}")

    def _tell_end(self, run: Run) -> None:
        with contextlib.suppress(OSError):
            os.close(os.open(os.path.join(self.grounds.ended, str(run.id)), os.O_CREAT | os.O_WRONLY, 0o600))

    def _differences(self, example: Example, ground: Ground, done: Dispatch) -> Iterator[str]:
        """How hosts in use here decide on an example without a host, where that differs; with their own hooks."""
        elsewhere = f"{done.decision} in agents that read HOOK.md"
        for name in self._hosts:
            title, there = hosts.spec(name).title, at_host(example, name)
            if there is None:
                if done.decision != "none":
                    yield f"{title} has no event {example.canonical}: {elsewhere}"
                continue
            read, problems = self._decided(there, ground)
            if read.decision != done.decision:
                why = next(iter(problems), "") or _why(read)
                yield f"{read.decision} in {title} (host: {name}), {elsewhere}{f': {why}' if why else ''}"

    def _notes(self, hook: Hook, ground: Ground) -> Iterator[str]:
        if ground.is_copy and tested_hooks.still_names(hook, self.grounds.project):
            place = paths.short(self.grounds.project)
            yield f"{hook.label} names {place} in its script: there it uses the project, not the copy"

    def _in_project(self, report: DispatchReport, ground: Ground) -> DispatchReport:
        """The report with the project's paths in place of those of the copy."""
        copy, project = (json.dumps(path)[1:-1] for path in (ground.project, self.grounds.project))
        moved: DispatchReport = json.loads(json.dumps(report).replace(copy, project))
        return moved


def _why(dispatch: Dispatch) -> str:
    """Who decided, else why nobody did: the first hook that failed, or did not run."""
    deciders = [run.hook.label for run in dispatch.runs if run.outcome.decision == dispatch.decision != "none"]
    problems = [f"{run.hook.label}: {run.outcome.problems[0]}" for run in dispatch.runs if run.outcome.problems]
    skipped = [f"{run.hook.label} did not run: {run.why}" for run in dispatch.runs if run.state == "skipped"]
    return f"by {', '.join(deciders)}" if deciders else next(iter((*problems, *skipped)), "")


def _as_read(hook_md: Dispatch, own: Dispatch) -> tuple[Dispatch, tuple[str, ...]]:
    """The dispatch with the decision and effects that the event's host obeys, and why it does not obey the rest.

    `hook_md` is that of HOOK.md hooks, which get one answer of hooktui; `own` that of the hooks of the host itself, which see
    the event as it was. An agent that reads HOOK.md obeys the first as it is.
    """
    if hook_md.event.host == hosts.DEFAULT:
        return hook_md, ()
    answers = (_read_answer(hook_md),) if hook_md.runs else ()
    read = _merged(own, (*answers, *own.runs)).replace(
        runs=(*hook_md.runs, *own.runs),
        warnings=tuple(dict.fromkeys((*hook_md.warnings, *own.warnings))),
        duration_ms=max(hook_md.duration_ms, own.duration_ms),
    )
    return read, tuple(problem for answer in answers for problem in answer.outcome.problems)


def _read_answer(dispatch: Dispatch) -> Run:
    """The run of our own entry in the host's configuration, as the host judges it."""
    event = dispatch.event
    given = hosts.answer(event.host, dispatch)
    entry = formats.detached_hook(event.host, event.name, event.as_written, name=_OURS)
    printed, reported = (text.encode(errors="replace") for text in (given.stdout, given.stderr))
    judged = hosts.judge(event.host, entry, event, Ended(exit_code=given.exit_code, stdout=printed, stderr=reported))
    ends = max((run.started_ms + run.duration_ms for run in dispatch.runs), default=0.0)
    return Run(id=ids.new(), hook=entry, state=judged.state, outcome=judged.outcome, duration_ms=ends)


def _merged(dispatch: Dispatch, runs: Sequence[Run]) -> Dispatch:
    """The dispatch as if these had been all runs."""
    decision = dispatching.merged_decision(runs)
    return dispatch.replace(
        runs=tuple(runs),
        decision=decision,
        reason=dispatching.merged_reason(runs, decision),
        modified_input=dispatching.merged_input(runs, decision),
        additional_context=dispatching.merged_context(runs),
        system_messages=tuple(run.outcome.system_message for run in runs if run.outcome.system_message),
        logs=tuple(run.outcome.log for run in runs if run.outcome.log),
    )


def main() -> int:
    """Answer requests until stdin ends or a signal arrives."""
    begun = list[_Worker]()

    def begin(request: Request) -> serving.Answer:
        worker = _Worker(request)
        begun.append(worker)
        if request["copies"]:
            worker.grounds.prepare()
        return lambda question: worker.run(Example(**question["example"]), question["off"])

    try:
        return serving.serve(begin, TestError, lambda error: {"error": str(error)})
    finally:
        for worker in begun:
            process_tree.kill_marked(f"{MARK}={worker.grounds.mark}")
            worker.grounds.end()


if __name__ == "__main__":
    sys.exit(main())
