"""The project's examples, and what running them gave: for the Hooks screen, which shows them, and the app, which holds them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from hooktui.catalog.hook_states import counted
from hooktui.config import ui_state
from hooktui.core import paths
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.hook_tests.example import DIRECTORY, TestError
from hooktui.screens.widgets.throttle import Throttle

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.app import App
    from textual.screen import Screen
    from textual.timer import Timer

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.hook_tests.example import Example, Result, Results, Suite

_REST_S = 1.0  # without another change before the examples run again
_REDRAW_S = 0.1  # between two updates while they run
_AGAIN = "tests-run-after-changes"  # in the stored UI state


@dataclass(frozen=True, slots=True)
class ProjectExamples:
    """The examples of a project, those that reach each hook by its identity, and what the hooks are that they test."""

    suite: Suite
    by_hook: Mapping[str, tuple[Example, ...]]
    hooks: frozenset[tuple[str, str, bool]]

    @property
    def version(self) -> object:
        """What results depend on, as far as hooktui watches it: with another version they are old."""
        return self.suite, self.hooks


@dataclass(frozen=True, slots=True)
class HookTestState:
    """What is known of the examples. `results` are those of the last run by name; `is_current`: nothing has changed since.

    `done` is the number of examples that have run, None while none do. `trouble` is why they cannot run.
    """

    examples: ProjectExamples | None = None
    results: Mapping[str, Result] = field(default_factory=dict)
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
        return result if result and replace(result.example, line=example.line) == example else None

    def counts(self, hook: Hook) -> str:
        """`3 ✔ 1 ✕`: how many of a hook's examples passed and failed; "" unless all have run and nothing has changed since."""
        results = [result for _, result in self.of_hook(hook)]
        return tally(results) if results and self.is_current and self.done is None else ""


def tally(results: Sequence[Result | None]) -> str:
    """`3 ✔ 1 ✕`, without what there is none of."""
    passed = sum(result is not None and result.passed for result in results)
    failed = sum(result is not None and not result.passed for result in results)
    return " ".join([*([f"{passed:,} ✔"] if passed else []), *([f"{failed:,} ✕"] if failed else [])])


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
        self._state.tests = replace(before, examples=examples, is_current=False, trouble="")
        if before.examples is not None and examples is not None and self.runs_again:
            self._run_soon()

    def _run_soon(self) -> None:
        if self._resting is not None:
            self._resting.stop()
        self._resting = self._app.set_timer(_REST_S, lambda: self._work(self._run()))

    def start(self, screen: Screen[Any], *, proves: bool = False) -> None:
        """Run all examples, once the hooks that they reach are approved; cancel them if they run."""
        if self._known.done is not None:
            self.cancel()
        else:
            self._work(self._ask_and_run(screen, proves=proves))

    def cancel(self) -> None:
        self._app.workers.cancel_group(self._app, "tests")

    def _work(self, run: Any) -> None:
        self._app.run_worker(run, group="tests", description="Running the examples", exclusive=True, exit_on_error=False)

    async def _ask_and_run(self, screen: Screen[Any], *, proves: bool) -> None:
        from hooktui.screens.services import example_keeping

        catalog, examples = self._state.catalog, self._known.examples
        if catalog is None:
            return
        if examples is not None:
            await example_keeping.approved(screen, examples.suite, catalog)  # the others fail, with that reason
        results = await self._run(proves=proves)
        if results is not None and proves:
            await _show_proof(screen, results)

    async def _run(self, *, proves: bool = False) -> Results | None:
        """Run all examples; None if they cannot run."""
        from hooktui.hook_tests import example_files, suite_run

        catalog = self._state.catalog
        assert catalog is not None
        examples = self._known.examples
        suite = examples.suite if examples else await asyncio.to_thread(example_files.load, catalog.directory)
        if suite.problems:
            self._app.notify(f"{counted(len(suite.problems), 'problem')} in the examples: nothing ran.", severity="warning")
            return None
        self._results = {}
        self._state.tests = replace(self._known, results={}, is_current=False, done=0, trouble="")
        results, trouble = None, ""
        try:
            results = await suite_run.run(suite, suite_run.Options(proves=proves), self._take)
        except TestError as error:
            trouble = str(error)
        finally:
            now = self._known
            is_same = examples is not None and now.examples is not None and now.examples.version == examples.version
            self._state.tests = replace(
                now, results=self._results, is_current=results is not None and is_same, done=None, trouble=trouble
            )
        return results

    def _take(self, result: Result) -> None:
        self._results[result.example.name] = result
        self._showing.request()

    def _show_progress(self) -> None:
        tests = self._known
        if tests.done is not None:
            self._state.tests = replace(tests, results={**self._results}, done=len(self._results))


async def _show_proof(screen: Screen[Any], results: Results) -> None:
    """Name the guards that nobody would miss."""
    from textual.widgets import Static

    from hooktui.screens.dialogs.reading_dialog import ReadingDialog

    failed = f"{counted(len(results.failed), 'example')} failed, and proved nothing. " if results.failed else ""
    if not results.unproved:
        screen.notify(f"{failed}Every guard has an example that notices when it is off.")
        return
    text = Static("\n".join(f"∅ {one_line(label)}" for label in results.unproved), markup=False)
    has, their = ("guard has", "its") if len(results.unproved) == 1 else ("guards have", "their")
    title = f"{len(results.unproved):,} {has} no example that would notice {their} absence"
    introduction = f"{failed}Each example ran again with one guard off after the other, and gave the same for these."
    await screen.app.push_screen_wait(ReadingDialog(title, [text], introduction=visible(introduction), back_keys="enter"))
