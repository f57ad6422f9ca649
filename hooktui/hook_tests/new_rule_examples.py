"""Two examples for a new rule, written together with it: a call that it denies, and one that it lets pass."""

from __future__ import annotations

from dataclasses import replace
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

    from hooktui.core.model import DecisionName, Hook
    from hooktui.edit.change_plan import ChangePlan
    from hooktui.edit.drafts import HookDraft

_SHELL = hosts.spec(hosts.DEFAULT).tools["shell"]


def with_examples(plan: ChangePlan, draft: HookDraft) -> ChangePlan:
    """The plan of a new hook with two examples of it. The plan as it is for a user's own hook, which runs in every project,
    for one that denies nothing, and where no such calls are known."""
    calls = tuple(_calls(draft)) if draft.place.scope == "project" else ()
    if len(calls) != len(_DECISIONS):
        return plan
    try:
        return replace(plan, steps=(*plan.steps, _step(calls, plan.hook, draft.place.project)))
    except (TestError, file_steps.ChangeRefusedError, OSError):
        return plan  # the Tests tab tells what is wrong with the file


_DECISIONS: Sequence[DecisionName] = ("deny", "none")


def _step(calls: Sequence[Example], hook: Hook, project: str) -> file_steps.Write:
    """Write the examples at the end of the file of the hook. Raises TestError, ChangeRefusedError or OSError."""
    file = kept_examples.file_of(project, hook.label)
    text = file_steps.text(file) or ""
    taken = {example.name for example in example_files.load(project).examples}
    for call, decision in zip(calls, _DECISIONS, strict=True):
        expect = Expected(decision=decision)
        if decision == "deny":
            expect["by"] = hook.label
        name = kept_examples.name_of(call, decision, taken)
        text = kept_examples.appended(text, replace(call, name=name, file=file, expect=expect))
        taken.add(name)
    return file_steps.write(file, text)


def _calls(draft: HookDraft) -> Iterator[Example]:
    """A call that the new hook denies, and one that it lets pass, as far as they are known."""
    host = draft.place.format
    if draft.rule is not None:
        for command in filter(None, (draft.rule.denies, draft.rule.passes)):
            call = at_host(_example(hosts.DEFAULT, draft.canonical, _SHELL, {"command": command}), host)
            if call is not None and (host == hosts.DEFAULT or call.tool != _SHELL):
                yield call
    elif draft.denies:
        yield from _tried(draft)


def _tried(draft: HookDraft) -> Iterator[Example]:
    """The same for a matcher, which is asked."""
    listener, then = draft.listener, draft.script_listener
    matchers = [listener] if then is None else [listener, then]
    project = draft.place.project
    denied = payload_templates.payload_for(listener, project, then)
    if _matches(matchers, denied, project):
        yield _of_payload(listener, denied)
    passing = (payload for payload in payload_templates.samples(listener, project) if not _matches(matchers, payload, project))
    if (payload := next(passing, None)) is not None:
        yield _of_payload(listener, payload)


def _matches(matchers: Sequence[Hook], payload: Mapping[str, Any], project: str) -> bool:
    event = payload_templates.readable(matchers[0], payload, project)
    return event is not None and all(matching.match(hook, event).skip is None for hook in matchers)


def _of_payload(listener: Hook, payload: Mapping[str, Any]) -> Example:
    tool = payload.get("tool_name") or payload.get("toolName")
    return _example(listener.format, listener.event, str(tool), event_subject.tool_input_of(payload) or {})


def _example(host: str, event: str, tool: str, tool_input: Mapping[str, Any]) -> Example:
    spelled = hosts.spec(host).spelling(event) or event
    return Example(name="", file="", line=1, host=host, event=spelled, canonical=event, tool=tool, input=tool_input)
