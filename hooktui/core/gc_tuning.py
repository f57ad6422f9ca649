"""Pauses of the garbage collector, kept short: it goes through all there is, 100 ms in which no key is answered.

What lasts as long as the app is set apart from it, so that a collection sees only what came since.
"""

from __future__ import annotations

import gc

_OURS = (5_000, 20, 20)  # objects made before a collection, and collections before a greater one, and before a full one
_PYTHONS = gc.get_threshold()


def begin() -> None:
    """Collect nothing until `set_apart`: what comes into being until the first paint lasts."""
    gc.disable()


def set_apart() -> None:
    """What there is now lasts; collect what comes."""
    gc.freeze()
    gc.set_threshold(*_OURS)
    gc.enable()


def end() -> None:
    """Nothing lasts any more."""
    gc.unfreeze()
    gc.set_threshold(*_PYTHONS)
