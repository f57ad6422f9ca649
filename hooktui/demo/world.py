"""The demo's home directory with its project, and an environment that keeps the user's files untouched."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from hooktui import connect, hosts
from hooktui.catalog import catalog
from hooktui.core import paths
from hooktui.runner import trust

_HOOKS = os.path.join(os.path.dirname(__file__), "hooks")
# The project directory for each host's hooks. The demo has no hooks for some hosts.
_PLACES: Mapping[str, str] = {
    "project": os.path.join(".agents", "hooks"),
    "azure": "agents",
    **{spec.name: os.path.dirname(spec.copies["project"][0]) for spec in hosts.json_specs() if "project" in spec.copies},
}
_UNAPPROVED = ("deploy-guard",)
_CONNECTED = "claude"  # it runs the HOOK.md hooks of the project


class World(NamedTuple):
    """A demo on disk. Everything it writes is below `home`."""

    home: str

    @property
    def project(self) -> str:
        return os.path.join(self.home, "shop")

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment for processes of the demo. Its PATH ends with the Python that runs hooktui."""
        own = ("HOOKTUI_", "XDG_", "CLAUDE_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
        search = (kept.get("PATH", os.defpath), os.path.dirname(sys.executable))
        return {**kept, "HOME": self.home, "PATH": os.pathsep.join(search)}

    def restore(self) -> None:
        for name, text in FILES.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        with open(os.path.join(self.project, name), "w", encoding="utf-8") as file:
            file.write(text)

    @contextmanager
    def entered(self) -> Iterator[None]:
        before = dict(os.environ)
        _become(self.environment)
        try:
            yield
        finally:
            _become(before)


def build(directory: str) -> World:
    """Create a demo in a new or empty directory: user hooks, and a project with hooks for every host, all but one approved,
    in which Claude Code is connected.

    Raises FileExistsError if the directory is not empty, OSError if it cannot be written.
    """
    os.makedirs(directory, exist_ok=True)
    if os.listdir(directory):
        raise FileExistsError(f"{directory} is not empty")
    world = World(paths.canonical(directory))
    os.mkdir(world.project)
    world.restore()
    with world.entered():
        _copy_hooks("user", paths.agenthooks_user_root())
        for host, place in _PLACES.items():
            if os.path.isdir(os.path.join(_HOOKS, host)):
                _copy_hooks(host, os.path.join(world.project, place))
        _approve(world.project)
        site = connect.SITES[_CONNECTED]
        connect.carry_out(connect.connect(_CONNECTED, site.scopes[0], world.project, site.events()))
    return world


def _copy_hooks(source: str, root: str) -> None:
    """Copy hooks and make their scripts executable; packages do not keep the executable bit."""
    shutil.copytree(os.path.join(_HOOKS, source), root, dirs_exist_ok=True)
    for directory, _, files in os.walk(root):
        for path in (os.path.join(directory, name) for name in files):
            with open(path, "rb") as file:
                if file.read(2) == b"#!":
                    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)


def _approve(project: str) -> None:
    hooks = [hook for hook in catalog.load(project).hooks if hook.scope != trust.OWN_SCOPE and hook.name not in _UNAPPROVED]
    trust.approve(project, {hook.identity: trust.digest(hook) for hook in hooks})


def _become(environment: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)


_CART = '''\
"""The shopping cart: what a customer pays."""

from __future__ import annotations


def total(prices: list[float], discount: float = 0.0) -> float:{blanks}
    """Return the total price in euros, less a discount between 0 and 1."""
    return {formula}
'''
CART_WITH_BUG = _CART.format(blanks="", formula="sum(prices) - discount")
CART_STILL_WRONG = _CART.format(blanks="   ", formula="sum(prices) * discount")  # with trailing spaces
CART_FIXED = _CART.format(blanks="", formula="sum(prices) * (1 - discount)")

TEST_CART = '''\
"""Tests of the cart."""

from __future__ import annotations

import unittest

from cart import total


class Total(unittest.TestCase):
    """What a customer pays."""

    def test_items_are_added_up(self) -> None:
        """Without a discount."""
        self.assertEqual(total([10, 5]), 15)

    def test_discount_is_a_share_of_the_price(self) -> None:
        """A quarter off 40 euros."""
        self.assertEqual(total([10, 30], 0.25), 30)
'''

README = """\
# Shop

The cart of a small shop. `python3 -m unittest` runs the tests.
"""
README_WITH_DISCOUNT = f"{README}\nA discount is a share between 0 and 1: `total([10, 30], discount=0.25)` is 30 euros.\n"

# The project at the start of the demo.
FILES: Mapping[str, str] = {"README.md": README, "cart.py": CART_WITH_BUG, "test_cart.py": TEST_CART}
