"""Run hooks on disk for an agent in another process: `python -I -m hooktui.stack.hook_worker`, JSON in and out.

An agent's process has threads and must not fork (docs/decisions/0013-stack-in-process.md). The worker uses the runner of
`hooktui run`; the agent records the decision together with those of its own hooks.
"""

from __future__ import annotations

import sys

from hooktui.core import fast_json
from hooktui.core.model import Event, Hook, Outcome, Run
from hooktui.core.records import Record
from hooktui.engine import interruption, pipeline
from hooktui.log.write.writer import Recorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# What the log keeps of a hook.
_KEPT = ("id", "name", "event", "event_as_written", "format", "scope", "file", "line", "text", "version")


class Dispatched(Record):
    """The dispatch in the agent's log that the runs belong to, and the place of the first of them."""

    db: str
    id: int
    position: int


class Question(Record):
    """An event for the hooks of a project. `denials`: how often the gate has said no in a row. `into`: None records nothing."""

    event: Event
    project: str
    denials: int = 0
    into: Dispatched | None = None


class Answer(Record):
    """What the hooks decided; as in a Dispatch."""

    runs: tuple[Run, ...]
    decision: str
    reason: str | None
    modified_input: Mapping[str, Any] | None
    additional_context: tuple[str, ...]
    system_messages: tuple[str, ...]
    warnings: tuple[str, ...]


def decide(question: Question) -> Answer:
    """Run the hooks that listen to the event; an async hook that ends later tells the log itself."""
    found = pipeline.compiled(question.project, ())
    into = question.into

    def on_async_end(run: Run, _id: int, position: int) -> None:
        if into is not None:
            Recorder(into.db, found.settings.redact).hand_over(run, into.id, into.position + position)

    setting = pipeline.setting_of(
        question.project, found.hooks, found.settings, denials_in_a_row=lambda: question.denials, on_async_end=on_async_end
    )
    done = pipeline.decide(question.event, found.hooks, setting)
    trouble = (found.trouble,) if found.trouble else ()
    values = {**{name: getattr(done, name) for name in Answer.__annotations__}, "warnings": (*trouble, *done.warnings)}
    return Answer(**values)


def question_json(question: Question) -> bytes:
    """A question as this module reads it."""
    into = question.into and question.into.as_dict()
    return fast_json.dumps({**question.as_dict(), "event": question.event.as_dict(), "into": into}).encode()


def answer_of(text: bytes) -> Answer:
    """The answer that this module wrote. Raises ValueError, LookupError or TypeError for anything else."""
    said = fast_json.loads(text)
    runs = tuple(Run(**{**run, "hook": Hook(**run["hook"]), "outcome": _outcome(run["outcome"])}) for run in said["runs"])
    lists = {name: tuple(said[name]) for name in ("additional_context", "system_messages", "warnings")}
    return Answer(**{**said, **lists, "runs": runs})


def _outcome(said: dict[str, Any]) -> Outcome:
    return Outcome(**{**said, "problems": tuple(said["problems"])})


def _run_json(run: Run) -> dict[str, Any]:
    hook = {name: getattr(run.hook, name) for name in _KEPT}
    return {**run.as_dict(), "hook": hook, "outcome": run.outcome.as_dict()}


def main() -> None:
    """Answer the question on stdin."""
    asked = fast_json.loads(sys.stdin.buffer.read())
    interruption.heed(*interruption.ENDING)
    into = Dispatched(**asked["into"]) if asked["into"] else None
    answer = decide(Question(**{**asked, "event": Event(**asked["event"]), "into": into}))
    sys.stdout.write(fast_json.dumps({**answer.as_dict(), "runs": [_run_json(run) for run in answer.runs]}))


if __name__ == "__main__":
    main()
