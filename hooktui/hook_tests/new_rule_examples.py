"""Examples for a new hook, written together with it: an event on which it acts, and one that it leaves alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hooktui import hosts
from hooktui.edit import file_steps
from hooktui.hook_tests import example_files, kept_examples
from hooktui.hook_tests.example import Example, Expected, TestError
from hooktui.hook_tests.example_events import at_host
from hooktui.log.read import event_subject
from hooktui.runner import matching
from hooktui.trials import payload_templates

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hooktui.core.model import Hook
    from hooktui.edit.change_plan import ChangePlan
    from hooktui.edit.drafts import HookDraft

_SHELL = hosts.spec(hosts.DEFAULT).tools["shell"]


def with_examples(plan: ChangePlan, draft: HookDraft) -> ChangePlan:
    """The plan of a new hook with examples of it, as far as such calls are known. The plan as it is for a user's own hook,
    which runs in every project, and for a rule that acts outside the project, such as one that notifies."""
    is_local = draft.rule is not None and draft.rule.is_local
    examples = tuple(_examples(draft, plan.hook.label)) if draft.place.scope == "project" and not is_local else ()
    if not examples or (draft.denies and len(examples) == 1):
        return plan
    try:
        return plan._replace(steps=(*plan.steps, _step(examples, plan.hook, draft.place.project)))
    except (TestError, file_steps.ChangeRefusedError, OSError):
        return plan  # the Tests tab tells what is wrong with the file


def _step(examples: Sequence[Example], hook: Hook, project: str) -> file_steps.Write:
    """Write the examples at the end of the file of the hook. Raises TestError, ChangeRefusedError or OSError."""
    file = kept_examples.file_of(project, hook.label)
    text = file_steps.text(file) or ""
    taken = {example.name for example in example_files.load(project).examples}
    for example in examples:
        name = kept_examples.name_of(example, taken)
        text = kept_examples.appended(text, example._replace(name=name, file=file))
        taken.add(name)
    return file_steps.write(file, text)


def _examples(draft: HookDraft, label: str) -> Iterator[Example]:
    """What the new hook acts on, and what it leaves alone."""
    denies: Expected = {"decision": "deny", "by": label}
    passes: Expected = {"decision": "none"}
    rule = draft.rule
    if rule is not None and rule.denies:
        for command, expect in ((rule.denies, denies), (rule.passes, passes)):
            call = _example(hosts.DEFAULT, draft.canonical)._replace(tool=_SHELL, input={"command": command})
            example = at_host(call, draft.place.format)
            if example is not None and (example.host == hosts.DEFAULT or example.tool != _SHELL):
                yield example._replace(expect=expect)
    elif rule is not None and rule.ignores:
        quiet = _example(draft.place.format, draft.canonical)
        yield quiet._replace(payload=rule.ignores, expect={"decision": "none", "by": label, "state": "ok"})
    elif draft.denies:
        yield from _tried(draft, denies, passes)
    else:
        yield from _tried(draft, {"by": label, "state": "ok"}, {"by": label, "state": "skipped"})


def _tried(draft: HookDraft, acts: Expected, rests: Expected) -> Iterator[Example]:
    """Events that the matcher accepts and refuses; it is asked."""
    listener, then = draft.listener, draft.script_listener
    matchers = [listener] if then is None else [listener, then]
    project = draft.place.project
    accepted = payload_templates.payload_for(listener, project, then)
    if _matches(matchers, accepted, project):
        yield _of_payload(listener, accepted)._replace(expect=acts)
    refused = (payload for payload in payload_templates.samples(listener, project) if not _matches(matchers, payload, project))
    if (payload := next(refused, None)) is not None:
        yield _of_payload(listener, payload)._replace(expect=rests)


def _matches(matchers: Sequence[Hook], payload: Mapping[str, Any], project: str) -> bool:
    event = payload_templates.readable(matchers[0], payload, project)
    return event is not None and all(matching.match(hook, event).skip is None for hook in matchers)


def _of_payload(listener: Hook, payload: Mapping[str, Any]) -> Example:
    """The event of a sample; of one without a tool, an example has the same fields by itself."""
    tool = payload.get("tool_name") or payload.get("toolName")
    return _example(listener.format, listener.event)._replace(tool=tool, input=event_subject.tool_input_of(payload) or {})


def _example(host: str, event: str) -> Example:
    return Example(name="", file="", line=1, host=host, event=hosts.spec(host).spelling(event) or event, canonical=event)
