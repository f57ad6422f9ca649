"""Shorten the pauses of the garbage collector: a full collection blocks the app for 100 ms.

Objects that live as long as the app are frozen, so that a collection visits only newer ones.
"""

from __future__ import annotations

import gc

_THRESHOLDS = (5_000, 5, 80)  # new objects per collection, collections per older generation
_begun = False


def begin() -> None:
    """Pause collection until `freeze`: objects created before the first paint live as long as the app."""
    global _begun
    _begun = True
    gc.disable()


def freeze() -> None:
    """Freeze the current objects and collect newer ones, in a process that has begun so: it shows a single app."""
    if _begun:
        gc.freeze()
        gc.set_threshold(*_THRESHOLDS)
        gc.enable()
