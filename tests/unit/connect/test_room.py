"""The names of the room are what they say, whichever of its modules was imported first."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from hooktui import connect


def test_no_module_hides_a_name_of_the_room() -> None:
    for module in iter_modules(connect.__path__):
        if not module.ispkg:
            import_module(f"{connect.__name__}.{module.name}")
    assert [name for name in connect.__all__ if isinstance(getattr(connect, name), ModuleType)] == []
