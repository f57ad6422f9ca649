"""The examples of a project, read together with its hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hooktui.core import paths
from hooktui.hook_tests.example import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.catalog.catalog import Catalog
    from hooktui.hook_tests.example import Example, Suite


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
