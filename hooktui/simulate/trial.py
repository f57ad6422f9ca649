"""Tries in a process of their own, so that whoever waits for them can end them with all that they started.

Standard input holds JSON lines: first a request (`project`, `hook`: its id, `edits`: each path, stamp and text), which is
answered by whether the hook can be tried at all; then for each try `payload` and `edited`, whether the edited version is meant.
Each answer is one line: `report`, or `trouble` in a sentence.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any

from hooktui.catalog import catalog
from hooktui.core import paths
from hooktui.engine import interruption
from hooktui.engine.dispatch_report import report_json
from hooktui.simulate import run
from hooktui.simulate.edited_hook import Edit, require_approval, version
from hooktui.simulate.payload_templates import CannotTry, NotApproved

if TYPE_CHECKING:
    from collections.abc import Mapping

_KEPT_S = 3600.0  # an async hook may go on in its copy after the try


class _Tries:
    """The versions of one hook, ready to be tried. Raises CannotTry when one of them must not, or cannot.

    `linger`: what is tried may still be running in its copy when all tries are over.
    """

    def __init__(self, request: Mapping[str, Any], place: str) -> None:
        self._found = catalog.load(request["project"])
        saved = next((hook for hook in self._found.hooks if hook.id == request["hook"]), None)
        if saved is None:
            raise CannotTry("that hook is not there any more")
        require_approval(saved, self._found.trust[saved.id])
        self._versions = {False: saved}
        self.linger = False
        if request["edits"]:
            edits = [Edit(**edit) for edit in request["edits"]]
            self._versions[True] = edited = version(self._found, saved, edits, place)
            self.linger = edited.is_async

    def run(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """The report of one try. Raises CannotTry."""
        edited = wanted["edited"]
        return report_json(run(self._found, self._versions[edited], wanted["payload"], edited=edited).dispatch)


def main() -> int:
    """Answer until there is nothing more to try, or the try was ended."""
    interruption.heed(signal.SIGTERM)
    place, tries = _place(), None
    try:
        tries = _begin(place)
        if tries:
            _answer_all(tries)
    except (interruption.Interrupted, BrokenPipeError):
        return 1
    finally:
        if not (tries and tries.linger):
            shutil.rmtree(place, ignore_errors=True)
    return 0


def _begin(place: str) -> _Tries | None:
    try:
        tries = _Tries(json.loads(sys.stdin.readline()), place)
    except CannotTry as error:
        _say(_trouble(error))
        return None
    _say({})
    return tries


def _answer_all(tries: _Tries) -> None:
    while line := _next():
        try:
            report = tries.run(json.loads(line))
        except CannotTry as error:
            _say(_trouble(error))
            continue
        _say({"report": report})
        if any(one["state"] == "interrupted" for one in report["hooks"]):
            return


def _trouble(error: CannotTry) -> dict[str, Any]:
    return {"trouble": str(error), "unapproved": isinstance(error, NotApproved)}


def _next() -> str:
    """The next try; "" when there is none."""
    with interruption.INTERRUPTIBLE:
        return sys.stdin.readline()


def _say(answer: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def _place() -> str:
    """An empty directory for copies; those that tries have left behind long ago are removed."""
    root = os.path.join(paths.state_dir(), "tries")
    os.makedirs(root, mode=0o700, exist_ok=True)
    for name in os.listdir(root):
        old = os.path.join(root, name)
        with contextlib.suppress(OSError):
            if time.time() - os.stat(old).st_mtime > _KEPT_S:
                shutil.rmtree(old)
    return tempfile.mkdtemp(dir=root)


if __name__ == "__main__":
    sys.exit(main())
