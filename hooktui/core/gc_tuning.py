"""Shorten the app's pauses: a full garbage collection blocks it for 100 ms, and another thread for 5 ms each time.

Objects that live as long as the app are frozen, so that a collection visits only newer ones. Threads that read the log or files
give way to keys sooner.
"""

from __future__ import annotations

import gc
import sys

_THRESHOLDS = (5_000, 5, 80)  # new objects per collection, collections per older generation
_THREAD_S = 0.001  # until another thread may run; with Python's 5 ms, keys waited 43 to 63 ms at worst, with this 37
_begun = False


def begin() -> None:
    """Pause collection until `freeze`: objects created before the first paint live as long as the app."""
    global _begun
    _begun = True
    sys.setswitchinterval(_THREAD_S)
    gc.disable()


def freeze() -> None:
    """Freeze the current objects and collect newer ones, in a process that has begun so: it shows a single app."""
    if _begun:
        gc.freeze()
        gc.set_threshold(*_THRESHOLDS)
        gc.enable()
