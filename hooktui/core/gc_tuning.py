"""Shorten the pauses of the garbage collector: a full collection blocks the app for 100 ms.

Objects that live as long as the app are frozen, so that a collection visits only newer ones.
"""

from __future__ import annotations

import gc

_THRESHOLDS = (5_000, 20, 20)  # new objects per collection, collections per older generation
_DEFAULT_THRESHOLDS = gc.get_threshold()


def begin() -> None:
    """Pause collection until `freeze`: objects created before the first paint live as long as the app."""
    gc.disable()


def freeze() -> None:
    """Freeze the current objects and collect newer ones."""
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
    gc.enable()


def end() -> None:
    """Unfreeze the heap and restore GC thresholds."""
    gc.unfreeze()
    gc.set_threshold(*_DEFAULT_THRESHOLDS)
