"""Which examples reach which hooks, by their matchers. Nothing runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.catalog import hook_states
from hooktui.config import suggest
from hooktui.core.model import Diagnostic
from hooktui.diagnostics import relevant_hosts
from hooktui.hook_tests import tested_hooks
from hooktui.hook_tests.example import Example, Suite, TestError
from hooktui.hook_tests.example_events import event_of
from hooktui.runner import matching

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from hooktui.core.model import Hook

UNTESTED = "untested-guard"


def reached(suite: Suite, hooks: Iterable[Hook], *, with_users: bool = True) -> Mapping[str, tuple[Example, ...]]:
    """The examples that reach each hook, by the hook's identity: its matcher accepts their event, or `by` names it."""
    hooks = tuple(hooks)
    relevant = relevant_hosts.find(hooks, suite.project)
    by_host: dict[str, tuple[Hook, ...]] = {}
    found: dict[str, list[Example]] = {hook.identity: [] for hook in hooks}
    for example in suite.examples:
        if example.host not in by_host:
            by_host[example.host] = tested_hooks.run_by(example.host, hooks, relevant, with_users=with_users)
        for hook in _matching(example, by_host[example.host], suite):
            found[hook.identity].append(example)
    return {identity: tuple(examples) for identity, examples in found.items()}


def _matching(example: Example, hooks: Sequence[Hook], suite: Suite) -> Iterator[Hook]:
    listeners = [hook for hook in hooks if hook.event == example.canonical and not hook.calls_hooktui]
    if not listeners:
        return
    try:
        event = event_of(example, suite.project, suite.directory)
    except hosts.UnreadableEventError:
        return
    named = example.expect.get("by")
    for hook in listeners:
        if (named and hook.goes_by(named)) or (hook.enabled and not hook.obstacle and matching.match(hook, event).skip is None):
            yield hook


def selected(suite: Suite, names: Sequence[str], hooks: Iterable[Hook]) -> Suite:
    """The examples with these names, and those that reach hooks with these names.

    Raises TestError for an unknown name, and for a hook that none reaches.
    """
    hooks = tuple(hooks)
    by_name = {example.name: example for example in suite.examples}
    chosen: set[str] = {name for name in names if name in by_name}
    others = [name for name in names if name not in by_name]
    reaching = reached(suite, hooks) if others else {}
    for name in others:
        same = hook_states.named((hook for hook in hooks if not hook.calls_hooktui), name)
        if not same:
            near = suggest.closest(name, (*by_name, *(hook.label for hook in hooks)))
            raise TestError(f"no example or hook named {name}{f'; did you mean {near}?' if near else ''}")
        found = [example.name for hook in same for example in reaching[hook.identity]]
        if not found:
            raise TestError(f"no example reaches {name}")
        chosen.update(found)
    return suite._replace(examples=tuple(example for example in suite.examples if example.name in chosen))


def untested(suite: Suite, hooks: Iterable[Hook]) -> Iterator[Diagnostic]:
    """The problems of guards that no example reaches; none in a project without examples."""
    hooks = tuple(hooks)
    if not suite.examples:
        return
    reaching = reached(suite, hooks)
    for hook in tested_hooks.guards(hooks):
        if not reaching[hook.identity]:
            yield Diagnostic(
                severity="info",
                code=UNTESTED,
                message=f"no example reaches {hook.label}",
                file=hook.file,
                line=hook.line,
                end_line=hook.line,
                hint="add one to .agents/hook-tests",
                hook=hook.id,
            )
