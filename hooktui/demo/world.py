"""The demo's world: a home with a project in it, and an environment in which nothing of the user's is touched."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui.catalog import catalog
from hooktui.core import paths
from hooktui.demo.shop import FILES
from hooktui.security import trust

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_HOOKS = os.path.join(os.path.dirname(__file__), "hooks")
# Where each host finds the project's hooks.
_PLACES: Mapping[str, str] = {
    "project": os.path.join(".agents", "hooks"),
    "claude": ".claude",
    "vscode": os.path.join(".github", "hooks"),
    "copilot": os.path.join(".github", "hooks"),
    "azure": "agents",
}
_UNAPPROVED = ("deploy-guard",)


@dataclass(frozen=True, slots=True)
class World:
    """Where the demo takes place: everything it writes is below `home`, that of the person in the story."""

    home: str

    @property
    def project(self) -> str:
        """The project that the agents work on."""
        return os.path.join(self.home, "shop")

    @property
    def environment(self) -> Mapping[str, str]:
        """A whole environment for processes of this world; hooks find the `python3` that runs hooktui if there is no other."""
        own = ("HOOKTUI_", "XDG_", "CLAUDE_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
        search = (kept.get("PATH", os.defpath), os.path.dirname(sys.executable))
        return {**kept, "HOME": self.home, "PATH": os.pathsep.join(search)}

    def write(self, name: str, text: str) -> None:
        """Write a file of the project."""
        with open(os.path.join(self.project, name), "w", encoding="utf-8") as file:
            file.write(text)

    @contextmanager
    def entered(self) -> Iterator[None]:
        """This process in the world's environment, for as long as the context lasts."""
        before = dict(os.environ)
        _become(self.environment)
        try:
            yield
        finally:
            _become(before)


def build(directory: str) -> World:
    """Make the world in an empty or new directory: user hooks, a project with hooks of every host, all but one approved.

    Raises FileExistsError when the directory holds something, OSError when it cannot be written.
    """
    os.makedirs(directory, exist_ok=True)
    if os.listdir(directory):
        raise FileExistsError(f"{directory} is not empty")
    world = World(paths.canonical(directory))
    os.mkdir(world.project)
    for name, text in FILES.items():
        world.write(name, text)
    with world.entered():
        _copy_hooks("user", paths.agenthooks_user_root())
        for host, place in _PLACES.items():
            _copy_hooks(host, os.path.join(world.project, place))
        _approve(world.project)
    return world


def _copy_hooks(source: str, root: str) -> None:
    """Hooks with executable scripts, however the package was installed."""
    shutil.copytree(os.path.join(_HOOKS, source), root, dirs_exist_ok=True)
    for directory, _, files in os.walk(root):
        for path in (os.path.join(directory, name) for name in files):
            with open(path, "rb") as file:
                if file.read(2) == b"#!":
                    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)


def _approve(project: str) -> None:
    hooks = [hook for hook in catalog.load(project).hooks if hook.scope != trust.OWN_SCOPE and hook.name not in _UNAPPROVED]
    trust.approve(project, {hook.id: trust.digest(hook) for hook in hooks})


def _become(environment: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
