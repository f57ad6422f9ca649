"""A terminal may be closed while the app still writes to it."""

from __future__ import annotations

import os
import pty

import pytest
from textual.drivers._writer_thread import MAX_QUEUED_WRITES, WriterThread

from hooktui.screens.textual_patches import ForgivingFile


def test_writing_to_a_closed_terminal_does_not_block() -> None:
    ours, theirs = pty.openpty()
    file = os.fdopen(theirs, "w")
    os.close(ours)
    with pytest.raises(OSError, match="Input/output"):
        print("the terminal has gone", file=file, flush=True)
    writer = WriterThread(ForgivingFile(file))  # type: ignore[arg-type]  # as much of a file as it needs
    writer.start()
    for number in range(2 * MAX_QUEUED_WRITES):
        writer.write(f"picture {number}")
    writer.stop()
    assert not writer.is_alive()
    with pytest.raises(OSError, match="Input/output"):
        file.close()
