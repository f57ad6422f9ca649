"""Run a project's examples, and prove its guards: run the examples again with each guard switched off."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.catalog import catalog
from hooktui.hook_tests import comparing, host_versions, tested_hooks, workers
from hooktui.hook_tests.example import Result, Results, TestError
from hooktui.hook_tests.example_events import filled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from hooktui.core.model import Hook
    from hooktui.hook_tests.example import Example, Suite
    from hooktui.hook_tests.workers import Answer, Workers

_EFFECTIVE = ("deny", "stop", "ask")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to run examples. `trusts`: hooks that are not approved run for this once. `with_users`: with the person's own.

    `proves`: find guards whose absence no example notices; `is_whole`: all examples run, so that a guard which none of them
    reaches is one of those. `workers` limits the processes.
    """

    trusts: bool = False
    with_users: bool = False
    proves: bool = False
    is_whole: bool = True
    workers: int | None = None


_DEFAULTS = Options()


async def run(suite: Suite, options: Options = _DEFAULTS, on_result: Callable[[Result], object] = lambda _: None) -> Results:
    """Run all examples of a suite side by side and tell each result as it comes. Cancelling ends all that they started.

    The log gets nothing. Raises TestError if no example can run.
    """
    hooks, _ = await asyncio.to_thread(catalog.unchecked, suite.directory, hosts.names(), ())
    request = workers.Request(
        directory=suite.directory,
        place="",
        repository="",
        trusts=options.trusts,
        with_users=options.with_users,
        hosts=await asyncio.to_thread(tested_hooks.hosts_in_use, hooks, suite.project),
        formats=tuple(dict.fromkeys((hosts.DEFAULT, *(hook.format for hook in hooks)))),
        copies=any(not example.in_place for example in suite.examples),
    )
    results: dict[str, Result] = {}
    tested = {*request["hosts"], *(example.host for example in suite.examples)} - {hosts.DEFAULT}
    asking = asyncio.create_task(asyncio.to_thread(host_versions.installed, sorted(tested)))

    def tell(job: tuple[Example, str], answer: Answer | TestError) -> None:
        result = results[job[0].name] = _result(job[0], answer, suite.project)
        on_result(result)

    async with workers.opened(request, options.workers) as pool:
        await pool.run([(example, "") for example in suite.examples], tell)
        ordered = tuple(results[example.name] for example in suite.examples)
        unproved = await _unproved(ordered, hooks, suite, options, pool) if options.proves else ()
    versions = await asking
    if options.is_whole and versions:
        host_versions.keep(suite.project, versions)
    return Results(results=ordered, unproved=unproved, versions=versions)


def _result(example: Example, answer: Answer | TestError, project: str) -> Result:
    if isinstance(answer, TestError):
        return Result(example=example, got=None, why=(str(answer),))
    report, expected = answer["report"], filled(example.expect, project)
    why = tuple(answer["unapproved"]) or tuple(dict.fromkeys(comparing.differences(report, expected)))
    return Result(
        example=example,
        got=comparing.got(report, expected),
        why=why,
        is_unapproved=bool(answer["unapproved"]),
        differences=tuple(answer["differences"]),
        notes=tuple(answer["notes"]),
        hooks=report["hooks"],
        ran=tuple(run["id"] for run in report["hooks"] if run["state"] != "skipped"),
        duration_ms=report["duration_ms"] or 0.0,
    )


async def _unproved(
    results: tuple[Result, ...], hooks: Iterable[Hook], suite: Suite, options: Options, pool: Workers
) -> tuple[str, ...]:
    """The labels of guards without which every example passes as before. Examples that fail prove nothing."""
    hooks = tuple(hooks)
    candidates = _candidates(results, hooks, options)
    noticed: set[str] = set()

    def tell(job: tuple[Example, str], answer: Answer | TestError) -> None:
        if not isinstance(answer, TestError) and not _result(job[0], answer, suite.project).passed:
            noticed.add(job[1])  # an example that could not run proves nothing

    def jobs() -> Iterator[tuple[Example, str]]:
        for result in results:
            for identity in candidates if result.passed else ():
                if identity in result.ran:
                    yield result.example, identity

    await pool.run(jobs(), tell)
    return tuple(dict.fromkeys(label for identity, label in candidates.items() if identity not in noticed))


def _candidates(results: Iterable[Result], hooks: Iterable[Hook], options: Options) -> dict[str, str]:
    """The guards to prove, by identity: those whose text can deny, and those that have decided in an example."""
    results = tuple(results)
    decided = {run["id"] for result in results for run in result.hooks if run["decision"] in _EFFECTIVE}
    ran = {identity for result in results for identity in result.ran}
    known = {hook.identity for hook in tested_hooks.guards(hooks, with_users=options.with_users)}
    every = {hook.identity: hook.label for hook in hooks if hook.identity in known | decided}
    return {identity: label for identity, label in every.items() if options.is_whole or identity in ran}
