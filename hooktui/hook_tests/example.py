"""The records of hook tests: examples as their files write them, and what running them gave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hooktui.core.model import DecisionName, State
    from hooktui.core.report import RunReport

DIRECTORY = ".agents/hook-tests"
PROJECT = "{project}"  # in texts of an example, the project's root


class TestError(Exception):
    """Examples cannot be run at all; the message says why, in a sentence."""

    __test__ = False  # not a test class of pytest


class Expected(TypedDict, total=False):
    """What an example expects (contract.md, "Tests of hooks"); only what it says is compared."""

    decision: DecisionName
    by: str
    reason: str
    modified_input: Mapping[str, Any] | None
    additional_context: str
    state: State


class Got(TypedDict):
    """What the host obeyed. `by` are the labels of the hooks that decided, `state` is that of the hook that is asked for."""

    decision: DecisionName
    by: list[str]
    reason: str | None
    modified_input: Mapping[str, Any] | None
    additional_context: list[str]
    state: State | None


class Example(NamedTuple):
    """One event and what the project's hooks should make of it.

    `event` is the event's name as its host spells it, `canonical` its canonical name. `line` is 1-based.
    """

    name: str
    file: str
    line: int
    event: str = "pre-tool-call"
    canonical: str = "pre-tool-call"
    host: str = "agenthooks"
    tool: str | None = None
    input: Mapping[str, Any] = {}
    payload: Mapping[str, Any] = {}
    in_place: bool = False
    expect: Expected = Expected()


class FileProblem(NamedTuple):
    """An error in a file of examples; such a file cannot be run."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


class Suite(NamedTuple):
    """The examples of a project in the order of their files, and the errors in those.

    `project` is the project's root, `directory` the one inside it in which agents are started.
    """

    project: str
    directory: str
    examples: tuple[Example, ...] = ()
    problems: tuple[FileProblem, ...] = ()


class Result(NamedTuple):
    """What running one example gave. `why` has a sentence for each difference from what it expects: none if it passed.

    `is_unapproved`: it reaches a hook that is not approved. `differences` say what other hosts in use here make of it, `notes`
    what else to know. `hooks` are the runs of the report (contract.md), `ran` the identities of the hooks that ran.
    """

    example: Example
    got: Got | None
    why: tuple[str, ...] = ()
    is_unapproved: bool = False
    differences: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    hooks: Sequence[RunReport] = ()
    ran: tuple[str, ...] = ()
    duration_ms: float = 0.0

    @property
    def passed(self) -> bool:
        return not self.why


class Results(NamedTuple):
    """The results in the order of the examples. `unproved` are the labels of guards whose absence no example notices, empty
    unless that was asked for. `versions` are those of the hosts' programs, by host."""

    results: tuple[Result, ...] = ()
    unproved: tuple[str, ...] = ()
    versions: Mapping[str, str] = {}

    @property
    def failed(self) -> tuple[Result, ...]:
        return tuple(result for result in self.results if not result.passed)
