"""Match hooks against many events of the log by the rule of a dispatch (runner/matching.py).

A matcher judges each tool once; a payload is parsed only for what then depends on the input. Nothing here opens a file or
starts a process. Regexes are untrusted: call it where CPU time is limited (backtest_worker.py).
"""

from __future__ import annotations

import json
import re
import warnings
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, NamedTuple

from hooktui import hosts
from hooktui.core import patterns
from hooktui.core.model import Event, JsonEntry
from hooktui.hosts import UnreadableEventError
from hooktui.runner import matching, trust

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook

# Characters that no JSON encoder escapes, even in JSON text inside a JSON string.
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-.:=,;@%+~()[]{}|*")
_SHORTEST = 2  # characters; shorter texts are in every payload


class PastCall(NamedTuple):
    """An event as the log has it: `event` is the canonical name, `payload` JSON text, "" where it is not needed."""

    id: int
    event: str
    tool: str | None
    host: str
    project: str
    payload: str = ""


class PastMatcher:
    """Judges logged events by the matchers of hooks.

    `then` is a further matcher, such as what the script of a draft checks itself: only events that both accept count.
    `formats` are those whose hooks run in every host, None for all; any other hook counts only in hosts that read its file.
    `project` is where hooks that are not the user's count, None for everywhere.
    """

    def __init__(
        self,
        hooks: Iterable[Hook],
        then: Hook | None = None,
        formats: Iterable[str] | None = None,
        project: str | None = None,
    ) -> None:
        self._listeners: dict[str, list[_Listener]] = {}
        for hook in hooks:
            everywhere = formats is None or hook.format in formats
            readers = None if everywhere else frozenset(host.name for host in hosts.readers(hook.format))
            at = None if hook.scope in ("user", "managed") else project
            self._listeners.setdefault(hook.event, []).append(_Listener(hook, then, readers, at))

    def by_name(self, call: PastCall) -> bool | None:
        """Whether any hook matches an event, whatever its payload; None if that depends on it."""
        verdicts = {listener.by_name(call) for listener in self._listeners.get(call.event, ())}
        return None if None in verdicts else True in verdicts

    def matching(self, call: PastCall) -> tuple[Hook, ...]:
        """The hooks whose matcher accepts an event, in their order. Raises UnreadableEventError."""
        event, hooks = None, []
        for listener in self._listeners.get(call.event, ()):
            accepts = listener.by_name(call)
            if accepts is None and not listener.is_ruled_out(call.payload):
                event = event or event_of(call)
                accepts = listener.accepts(event)
            if accepts:
                hooks.append(listener.hook)
        return tuple(hooks)


class _Listener:
    def __init__(self, hook: Hook, then: Hook | None, readers: frozenset[str] | None, project: str | None) -> None:
        self.hook = hook
        self._matchers = (hook,) if then is None else (hook, then)
        self._readers = readers
        self._project = project
        self._by_name: dict[tuple[str, str | None], bool | None] = {}
        self._literals = [required_texts(matcher.pattern) for matcher in self._matchers if _searches_input(matcher)]

    def by_name(self, call: PastCall) -> bool | None:
        """The verdict on all events of a host and a project with a tool; None if it depends on the payload."""
        if self._project not in (None, call.project):
            return False
        key = call.host, call.tool
        if key not in self._by_name:
            self._by_name[key] = self._judged(*key)
        return self._by_name[key]

    def _judged(self, host: str, tool: str | None) -> bool | None:
        if self._readers is not None and host not in self._readers:
            return False
        verdicts = [_verdict_by_name(matcher, host, tool) for matcher in self._matchers]
        if False in verdicts:
            return False
        return None if None in verdicts else True

    def is_ruled_out(self, payload: str) -> bool:
        """Whether a pattern cannot match because the payload lacks a text that each match contains."""
        return any(texts and not any(text in payload for text in texts) for texts in self._literals)

    def accepts(self, event: Event) -> bool:
        return all(matching.match(matcher, event).skip is None for matcher in self._matchers)


def _searches_input(hook: Hook) -> bool:
    return hook.pattern is not None and hook.event in matching.WITH_TOOL


def _verdict_by_name(hook: Hook, host: str, tool: str | None) -> bool | None:
    if hook.event not in matching.WITH_TOOL:
        compares = hook.tool is not None and hook.event in matching.SUBJECTS
        return None if compares or hook.condition else True
    source = hook.source.replace(condition=None) if isinstance(hook.source, JsonEntry) else hook.source
    event = Event(
        name=hook.event,
        as_written=hook.event_as_written,
        known=True,
        host=_known(host),
        session_id="",
        work_dir="",
        timestamp="",
        tool_name=tool,
    )
    if matching.match(hook.replace(pattern=None, source=source), event).skip is not None:
        return False
    return None if _searches_input(hook) or hook.condition else True


def _known(host: str, payload: Mapping[str, object] | None = None) -> str:
    """The host that an event is read as: its own, else the one that its payload is like."""
    if host in hosts.names():
        return host
    return hosts.detect(dict(payload)) if payload else hosts.DEFAULT


def event_of(call: PastCall) -> Event:
    """The event of a logged payload. Raises UnreadableEventError."""
    try:
        payload = json.loads(call.payload)
    except (ValueError, RecursionError) as error:
        raise UnreadableEventError(str(error)) from error
    if not isinstance(payload, dict):
        raise UnreadableEventError("the payload is not a JSON object")
    return hosts.read(_known(call.host, payload), payload, call.event, "")


def todays_hooks(catalog: Catalog) -> tuple[Hook, ...]:
    """The hooks that run today on an event of a main agent that they match, in firing order."""
    able = (hook for hook in catalog.own_hooks if hook.enabled and not hook.obstacle and not hook.agent and not _is_part(hook))
    approved = (hook for hook in able if catalog.trust[hook.id] not in trust.UNAPPROVED)
    return tuple(hook for hook in approved if not catalog.overridden_by(hook))


def _is_part(hook: Hook) -> bool:
    """Whether a hook runs only while a skill or command is in use."""
    return isinstance(hook.source, JsonEntry) and bool(hook.source.part)


def required_texts(pattern: str | None) -> tuple[str, ...]:
    """Texts of which a JSON text contains one if the regex matches a string in it; () if none are known.

    Most payloads need not be parsed to know that they do not match.
    """
    if not pattern:
        return ()
    if patterns.is_plain(pattern):
        return _longest([text] for text in pattern.split("|"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about syntax that may change in a later Python
            parsed = _parser.parse(pattern)
    except (re.error, OverflowError, RecursionError):
        return ()
    return () if parsed.state.flags & re.IGNORECASE else _of_sequence(parsed)


def _of_sequence(parts: Iterable[tuple[Any, Any]]) -> tuple[str, ...]:
    """The best of what the parts of a regex, all of which must match, require."""
    candidates = [_longest([_texts(parts)])]
    for kind, value in parts:
        if kind is _constants.BRANCH:
            branches = [_of_sequence(branch) for branch in value[1]]
            candidates.append(tuple(text for branch in branches for text in branch) if all(branches) else ())
        elif kind is _constants.SUBPATTERN and not value[1] & re.IGNORECASE:
            candidates.append(_of_sequence(value[3]))
    return max(candidates, key=lambda texts: min(map(len, texts), default=0))


def _texts(parts: Iterable[tuple[Any, Any]]) -> Iterator[str]:
    text = ""
    for kind, value in parts:
        if kind is _constants.LITERAL:
            text += chr(value)
        elif kind is not _constants.AT:  # a word limit or an end has no characters
            yield text
            text = ""
    yield text


def _longest(branches: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """The longest plain part of each branch; () if a branch has none that is long enough."""
    best = []
    for texts in branches:
        parts = (part for text in texts for part in "".join(c if c in _PLAIN else "\0" for c in text).split("\0"))
        longest = max(parts, key=len, default="")
        if len(longest) < _SHORTEST:
            return ()
        best.append(longest)
    return tuple(best)
