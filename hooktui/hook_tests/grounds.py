"""Where examples run: in a copy of the project, or in the project itself. Each has the hooks that are there."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING, NamedTuple

from hooktui.catalog import catalog
from hooktui.core import paths
from hooktui.core import project as projects
from hooktui.hook_tests import tested_hooks
from hooktui.hook_tests.example import TestError
from hooktui.hook_tests.project_copy import ProjectCopy, remove
from hooktui.runner import trust

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hooktui.core.model import Hook, Trust
    from hooktui.hook_tests.example import Example

MARK = "HOOKTUI_TEST"  # the variable by which processes are found that a hook has left behind


class Ground(NamedTuple):
    """A directory with a project, the one in it where agents are started, and what hooks need there."""

    project: str
    directory: str
    hooks: tuple[Hook, ...]
    trust: Callable[[str], Trust]
    env: Mapping[str, str]
    is_copy: bool


class Grounds:
    """The places of one process for examples. Both are made when an example needs them."""

    def __init__(self, directory: str, place: str, repository: str, formats: Sequence[str], *, trusts: bool) -> None:
        """`place` is an empty directory, `repository` what a copy has for `.git`; `trusts`: all hooks count as approved."""
        self.project = projects.root(directory)
        self.mark = f"{os.getpid()}-{time.time_ns()}"
        self.ended = os.path.join(place, "ended")  # has a file for each async hook that has ended
        self._directory = directory
        self._formats = formats
        self._trusts = trusts
        self._approved = trust.approvals(self.project)
        self.hooks, self.settings = catalog.unchecked(directory, formats, self._approved)
        self._copy = ProjectCopy(self.project, place, repository)
        self._temporary = os.path.join(place, "tmp")
        self._in_copy: Ground | None = None
        self._in_place: Ground | None = None
        for made in (self.ended, self._temporary):
            os.mkdir(made, 0o700)

    def ground(self, example: Example) -> Ground:
        """Where an example runs. Raises TestError if the project cannot be copied."""
        if example.in_place:
            self._in_place = self._in_place or self._project_itself()
            return self._in_place
        self._in_copy = self._in_copy or self._made_copy()
        return self._in_copy

    def prepare(self) -> None:
        """Make the copy before the first example. Raises TestError."""
        self._in_copy = self._made_copy()

    def renew(self) -> None:
        """Undo what an example has left behind, in the project itself apart. Raises TestError."""
        if self._in_copy:
            self._copy.renew()
        for directory in (self._temporary, self.ended):
            remove(directory)
            os.mkdir(directory, 0o700)

    def end(self) -> None:
        """Remove the copy."""
        os.chdir(os.sep)
        with contextlib.suppress(OSError):
            remove(self._copy.root)

    def _project_itself(self) -> Ground:
        state = {hook.id: self._state(hook, hook) for hook in self.hooks}
        env = tested_hooks.environment(self.project, self.project, self._temporary)
        return Ground(self.project, self._directory, self.hooks, state.__getitem__, self._marked(env), is_copy=False)

    def _made_copy(self) -> Ground:
        self._copy.make(self._directory)
        copy = self._copy.root
        directory = copy + self._directory[len(self.project) :]
        if not os.path.isdir(directory):
            name = paths.near(self._directory, self.project)
            raise TestError(f"git ignores {name}, so that it is not in the copy of the project")
        read, _ = catalog.unchecked(directory, self._formats, self._approved)
        hooks = tuple(tested_hooks.moved(hook, self.project, copy) for hook in read)
        state = {hook.id: self._state(hook, own) for hook, own in zip(read, hooks, strict=True)}
        env = tested_hooks.environment(self.project, copy, self._temporary)
        return Ground(copy, directory, hooks, state.__getitem__, self._marked(env), is_copy=True)

    def _marked(self, env: Mapping[str, str]) -> Mapping[str, str]:
        return {**env, MARK: self.mark}

    def _state(self, hook: Hook, moved: Hook) -> Trust:
        """The approval of a hook as it is in the copy; of one that names the project, as it is in the project."""
        if self._trusts:
            return "user" if trust.is_own(hook) else "trusted"
        here = next((other for other in self.hooks if other.identity == hook.identity), None) if moved is not hook else None
        return trust.state(here or hook, self._approved)
