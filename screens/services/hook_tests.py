"""The project's examples, and what running them gave: for the Hooks screen, which shows them, and the app, which holds them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from hooktui.catalog.hook_states import counted
from hooktui.config import ui_state
from hooktui.core import paths
from hooktui.hook_tests.example import DIRECTORY, TestError
from hooktui.screens.widgets.throttle import Throttle

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.app import App
    from textual.timer import Timer

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.hook_tests.example import Example, Result, Results, Suite

_REST_S = 1.0  # without another change before the examples run again
_REDRAW_S = 0.1  # between two updates while they run
_AGAIN = "tests-run-after-changes"  # in the stored UI state


class ProjectExamples(NamedTuple):
    """The examples of a project, those that reach each hook by its identity, and what the hooks are that they test."""

    suite: Suite
    by_hook: Mapping[str, tuple[Example, ...]]
    hooks: frozenset[tuple[str, str, bool]]

    @property
    def version(self) -> object:
        """What results depend on, as far as hooktui watches it: with another version they are old."""
        return self.suite, self.hooks


def directory(project: str) -> str:
    """The directory with a project's examples."""
    return paths.join(project, DIRECTORY)


def with_examples(catalog: Catalog) -> tuple[Catalog, ProjectExamples | None]:
    """A project's examples, and its catalog with the guards that none of them reaches. Blocks: call it in a thread."""
    if not paths.stamp(directory(catalog.project)):
        return catalog, None
    from hooktui.catalog.catalog import with_diagnostics
    from hooktui.hook_tests import example_files, reach

    suite = example_files.load(catalog.directory)
    hooks = frozenset((hook.identity, hook.version, hook.enabled) for hook in catalog.own_hooks if hook.scope != "user")
    examples = ProjectExamples(suite, reach.reached(suite, catalog.hooks, with_users=False), hooks)
    return with_diagnostics(catalog, reach.untested(suite, catalog.hooks)), examples


class HookTestState(NamedTuple):
    """What is known of the examples. `results` are those of the last run by name; `is_current`: nothing has changed since.

    `done` is the number of examples that have run, None while none do. `trouble` is why they cannot run.
    """

    examples: ProjectExamples | None = None
    results: Mapping[str, Result] = {}
    is_current: bool = False
    done: int | None = None
    trouble: str = ""

    def of_hook(self, hook: Hook) -> Sequence[tuple[Example, Result | None]]:
        """The examples that reach a hook, with what running them gave."""
        reaching = self.examples.by_hook.get(hook.identity, ()) if self.examples else ()
        return [(example, self.result(example)) for example in reaching]

    def result(self, example: Example) -> Result | None:
        """The last result of an example, unless that has changed since."""
        result = self.results.get(example.name)
        return result if result and result.example._replace(line=example.line) == example else None

    def counts(self, hook: Hook) -> str:
        """`3 ✔ 1 ✕`: how many of a hook's examples passed and failed; "" unless all have run and nothing has changed since."""
        results = [result for _, result in self.of_hook(hook)]
        return tally(results) if results and self.is_current and self.done is None else ""


def tally(results: Sequence[Result | None]) -> str:
    """`3 ✔ 1 ✕`, without what there is none of."""
    passed = sum(result is not None and result.passed for result in results)
    failed = sum(result is not None and not result.passed for result in results)
    return " ".join([*([f"{passed:,} ✔"] if passed else []), *([f"{failed:,} ✕"] if failed else [])])


class WithHookTests(Protocol):
    """What the tests need of the app, and keep up to date."""

    catalog: Catalog | None
    tests: HookTestState | None


class HookTests:
    """Runs the examples when the user wants that, or by itself after each change if the user has turned that on."""

    def __init__(self, app: App[Any], state: WithHookTests) -> None:
        """`app` runs the workers and shows notices."""
        self._app = app
        self._state = state
        self._resting: Timer | None = None
        self._running: asyncio.Task[Any] | None = None
        self._results: dict[str, Result] = {}
        self._showing = Throttle(app, self._show_progress, _REDRAW_S)

    @property
    def runs_again(self) -> bool:
        """Whether the examples run again after each change."""
        return bool(ui_state.recall(_AGAIN))

    def toggle(self) -> None:
        ui_state.keep(_AGAIN, None if self.runs_again else True)

    @property
    def _known(self) -> HookTestState:
        return self._state.tests or HookTestState()

    def take(self, examples: ProjectExamples | None) -> None:
        """Take the examples as they are with a fresh catalog."""
        before = self._known
        if self._state.tests is not None and before.examples == examples is None:
            return
        if before.examples is not None and examples is not None and before.examples.version == examples.version:
            return
        self._state.tests = before._replace(examples=examples, is_current=False, trouble="")
        if before.examples is not None and examples is not None and self.runs_again:
            self._run_soon()

    def _run_soon(self) -> None:
        if self._resting is not None:
            self._resting.stop()
        self._resting = self._app.set_timer(_REST_S, self._run_again)

    def _run_again(self) -> None:
        self._app.run_worker(self.run(), group="tests", description="Running the examples", exclusive=True, exit_on_error=False)

    def cancel(self) -> None:
        if self._running is not None:
            self._running.cancel()

    async def run(self, *, proves: bool = False) -> Results | None:
        """Run all examples; None if they cannot run. A run before this one ends. Call this in a worker."""
        from hooktui.hook_tests import example_files, suite_run

        catalog, examples = self._state.catalog, self._known.examples
        assert catalog is not None
        suite = examples.suite if examples else await asyncio.to_thread(example_files.load, catalog.directory)
        if suite.problems:
            self._app.notify(f"{counted(len(suite.problems), 'problem')} in the examples: nothing ran.", severity="warning")
            return None
        self.cancel()
        self._running, self._results = asyncio.current_task(), {}
        self._state.tests = self._known._replace(results={}, is_current=False, done=0, trouble="")
        results, trouble = None, ""
        try:
            results = await suite_run.run(suite, suite_run.Options(proves=proves), self._take)
        except TestError as error:
            trouble = str(error)
        finally:
            if self._running is asyncio.current_task():
                self._running = None
                self._end(examples, results, trouble)
        return results

    def _end(self, tested: ProjectExamples | None, results: Results | None, trouble: str) -> None:
        now = self._known
        is_same = tested is not None and now.examples is not None and now.examples.version == tested.version
        is_current = results is not None and is_same
        self._state.tests = now._replace(results={**self._results}, is_current=is_current, done=None, trouble=trouble)

    def _take(self, result: Result) -> None:
        self._results[result.example.name] = result
        self._showing.request()

    def _show_progress(self) -> None:
        tests = self._known
        if tests.done is not None:
            self._state.tests = tests._replace(results={**self._results}, done=len(self._results))
