"""Pauses of the garbage collector, kept short: it goes through all there is, 100 ms in which no key is answered.

What lasts as long as the app is set apart from it, so that a collection sees only what came since.
"""

from __future__ import annotations

import gc

_YOUNG, _ROUNDS = 5_000, 20  # objects made before a collection, and collections before a greater one


def begin() -> None:
    """Collect nothing until `set_apart`: what comes into being until the first paint lasts."""
    gc.disable()


def set_apart() -> None:
    """What there is now lasts; collect what comes."""
    gc.freeze()
    gc.set_threshold(_YOUNG, _ROUNDS, _ROUNDS)
    gc.enable()


def end() -> None:
    """Nothing lasts any more."""
    gc.unfreeze()
