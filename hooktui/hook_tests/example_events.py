"""The event of an example: what its host would send to a hook."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from hooktui import hosts
from hooktui.core import ids
from hooktui.formats import host_tools
from hooktui.hook_tests.example import PROJECT
from hooktui.hook_tests.tested_hooks import in_copy
from hooktui.runner import pipeline
from hooktui.runner.matching import WITH_TOOL
from hooktui.trials.payload_templates import example_payload

_DIRECTORIES = frozenset(("cwd", "work_dir"))  # by either name, the agent's

if TYPE_CHECKING:
    from hooktui.core.model import Event
    from hooktui.hook_tests.example import Example


def event_of(example: Example, project: str, directory: str, origin: str = "") -> Event:
    """The event of an example in a project, for an agent that was started in a directory of it.

    Of a copy, `origin` is the project: its absolute paths in the example become those of the copy.
    Raises hosts.UnreadableEventError.
    """
    call: dict[str, Any] = {}
    if example.canonical in WITH_TOOL and example.tool is not None:
        tool_input = filled(dict(example.input), project, origin)
        call = {"tool_name": example.tool, "tool_input": tool_input, "tool_use_id": "tool_1"}
    payload = example_payload(example.host, example.canonical, example.event, directory, call)
    session = "sessionId" if "sessionId" in payload else "session_id"
    own = filled(dict(example.payload), project, origin)
    for key in own.keys() & _DIRECTORIES:
        own[key] = os.path.normpath(os.path.join(project, own[key])) if isinstance(own[key], str) else own[key]
    if own.keys() & _DIRECTORIES:
        payload = {key: value for key, value in payload.items() if key not in _DIRECTORIES}
    whole = {**payload, session: f"test-{ids.text(ids.new())}", **own}
    return hosts.read(example.host, whole, example.event, pipeline.now())


def filled(value: Any, project: str, origin: str = "") -> Any:
    """A value with the project's root in place of `{project}`, and of `origin`, in its texts."""
    if isinstance(value, str):
        return in_copy(value, origin, project).replace(PROJECT, project)
    if isinstance(value, dict):
        return {key: filled(inner, project, origin) for key, inner in value.items()}
    return [filled(inner, project, origin) for inner in value] if isinstance(value, list) else value


def at_host(example: Example, host: str) -> Example | None:
    """An example of an agent that reads HOOK.md, as another host would send the event; None where it never does."""
    event = hosts.spec(host).spelling(example.canonical)
    if event is None:
        return None
    tool, tool_input = example.tool, dict(example.input)
    twins = host_tools.twins(example.host, host)
    if tool in twins:
        tool, tool_input = twins[tool], host_tools.renamed_input(tool_input, example.host, host)
    return example._replace(host=host, event=event, tool=tool, input=tool_input)
