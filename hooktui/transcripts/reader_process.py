"""Read transcripts in processes of their own, while the importing process stores what they tell.

A reader gets files on stdin and answers with their portions on stdout. It ends when one of both is closed.
"""

from __future__ import annotations

import gc
import marshal
import os
import pickle
import subprocess
import sys
import threading
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, cast

from hooktui.transcripts import past_portions
from hooktui.transcripts.agents import BY_NAME
from hooktui.transcripts.past_rows import EventRows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import BinaryIO, Self

    from hooktui.transcripts.past_portions import ImportChoice, PastPortion
    from hooktui.transcripts.transcript_files import FilePosition

_WORTH = 32 << 20  # bytes that take longer to read than readers to start
_READERS = 2


def is_worth(size: int) -> bool:
    """Whether so many bytes of transcripts are read sooner by other processes."""
    return size >= _WORTH and (os.cpu_count() or 1) > 1


def portions_of(files: Sequence[FilePosition], choice: ImportChoice, secrets: Sequence[str]) -> Iterator[Iterator[PastPortion]]:
    """The portions of each file, in order; an iteration raises OSError for a file that cannot be read."""
    with ExitStack() as stack:
        readers = [stack.enter_context(_Reader(files[place::_READERS], choice, secrets)) for place in range(_READERS)]
        for place in range(len(files)):
            yield readers[place % _READERS].portions()


class _Reader:
    """A process that reads files; pickle and marshal are safe here, because only our own processes write to the pipes."""

    def __init__(self, files: Sequence[FilePosition], choice: ImportChoice, secrets: Sequence[str]) -> None:
        command = [sys.executable, "-I", "-m", "hooktui.transcripts.reader_process"]
        self._process = subprocess.Popen(  # ctrl+c is for the importing process
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        self._requests = threading.Thread(target=self._send, args=([(choice, secrets), *files],), daemon=True)

    def _send(self, requests: Sequence[object]) -> None:
        """Send all files; the pipe blocks as long as the reader is busy."""
        with suppress(OSError), cast("BinaryIO", self._process.stdin) as stream:
            for request in requests:
                stream.write(pickle.dumps(request))
                stream.flush()

    def portions(self) -> Iterator[PastPortion]:
        """The portions of the next file. Raises OSError."""
        stream = cast("BinaryIO", self._process.stdout)
        try:
            while answer := pickle.load(stream):  # noqa: S301
                if isinstance(answer, str):
                    raise OSError(answer)
                portion, events = answer
                portion.events = list(map(EventRows._make, marshal.loads(events)))  # noqa: S302
                yield portion
        except (EOFError, TypeError, ValueError, pickle.UnpicklingError) as error:
            raise OSError("the reader has ended") from error

    def __enter__(self) -> Self:
        self._requests.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._requests.join()
        cast("BinaryIO", self._process.stdout).close()


def main() -> None:
    """Answer for each file with its portions, None behind the last; with the reason if it cannot be read."""
    gc.disable()  # records are trees, and a search for cycles among them takes some percent of the time
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    choice, secrets = pickle.load(requests)  # noqa: S301
    while True:
        try:
            file = pickle.load(requests)  # noqa: S301
        except EOFError:
            return
        try:
            for portion in past_portions.portions(BY_NAME[file.host], file, choice, secrets):
                events, portion.events = portion.events, []
                rows = marshal.dumps(list(map(tuple, events)))  # three times as fast as pickle
                answers.write(pickle.dumps((portion, rows)))
        except OSError as error:
            answers.write(pickle.dumps(error.strerror or str(error) or "not readable"))
        else:
            answers.write(pickle.dumps(None))
        answers.flush()


if __name__ == "__main__":
    try:
        main()
    except (BrokenPipeError, EOFError, KeyboardInterrupt):
        os._exit(1)  # nobody is left to answer
