"""The loop of a worker process: JSON lines on standard input, one answer on standard output for each."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Mapping
from typing import Any

from hooktui.runner import interruption

Answer = Callable[[Any], Mapping[str, Any]]


def serve(begin: Callable[[Any], Answer], failure: type[Exception], as_json: Callable[[Any], Mapping[str, Any]]) -> int:
    """Answer each line until stdin ends or a signal arrives. The first one begins the work and is answered by {}.

    `as_json` turns a `failure` into an answer; on the first line it also ends the loop. Returns an exit code.
    """
    interruption.handle_signals(signal.SIGTERM)
    answer: Answer | None = None
    try:
        while (line := _next_line()) and not interruption.was_interrupted():
            request, reply = json.loads(line), dict[str, Any]()
            try:
                if answer is None:
                    answer = begin(request)
                else:
                    reply = dict(answer(request))
            except failure as error:
                reply = dict(as_json(error))
            sys.stdout.write(json.dumps(reply) + "\n")
            sys.stdout.flush()
            if answer is None:
                break
    except (interruption.Interrupted, BrokenPipeError):
        return 1
    return 0


def _next_line() -> str:
    with interruption.INTERRUPTIBLE:
        return sys.stdin.readline()
