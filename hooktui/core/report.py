"""The JSON report of a dispatch (contract.md, "Report"), as types. Keys may be added, but never renamed or removed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

from hooktui.core.events import GATES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.core.model import DecisionName, Effect, Origin, Scope, Skip, State, Via


HooksRecorded = Literal["all", "some", "none"]


class RunReport(TypedDict):
    """One hook in a dispatch. `version` is the hash of its content, "" if it is not known."""

    id: str
    name: str
    label: str
    version: str
    origin: Origin
    format: str
    scope: Scope
    file: str
    line: int
    state: State
    skip: Skip | None
    why: str
    decision: DecisionName
    via: Via | None
    reason: str | None
    exit_code: int | None
    signal: int | None
    started_ms: float
    duration_ms: float | None
    stdout: str
    stderr: str
    truncated: bool
    modified_input: Mapping[str, Any] | None
    additional_context: str | None
    system_message: str | None
    log: str | None
    problems: list[str]


class DispatchReport(TypedDict):
    """One dispatch with its hooks. `overruled`: a hook denied the call, and it ran all the same."""

    id: str
    event: str
    host: str
    session_id: str
    project: str
    tool_name: str | None
    decision: DecisionName
    effect: Effect
    origin: Origin
    overruled: bool
    reason: str | None
    modified_input: Mapping[str, Any] | None
    additional_context: list[str]
    system_messages: list[str]
    log: list[str]
    warnings: list[str]
    duration_ms: float | None
    synthetic: bool
    hooks: list[RunReport]


class LoggedReport(DispatchReport):
    """A dispatch in the log: `at` is its time in ISO 8601, `payload` the host's input, a string if it was cut.

    `title` is its session's. `outcome` is what became of the call, None if not recorded. `hooks_recorded` tells how many of
    the hooks that ran are known. Only reports of a fleet have a `machine`. `may_have_allowed` names the mods that could let an
    overruled call run; `debug_log` is what the agent's debug log says that mods did with a call, if it has one.
    """

    at: str
    title: str
    outcome: str | None
    hooks_recorded: HooksRecorded
    payload: Any
    machine: NotRequired[str]
    may_have_allowed: NotRequired[list[str]]
    debug_log: NotRequired[str]


def what_went_on(event: str) -> str:
    """What the agent did although a hook denied it, in words."""
    return "it stopped" if event in GATES else "it ran"


def effect_word(effect: str) -> str:
    """An effect as people read it."""
    return "rewrote" if effect == "rewrite" else effect


def effect_named(word: str) -> str:
    """The effect that people read as a word."""
    return "rewrite" if word == "rewrote" else word
