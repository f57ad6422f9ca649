"""What a worker process (worker.py) and the process that started it say to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypedDict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.core.report import DispatchReport

QUOTA: Final = 256 * 1024 * 1024  # bytes that an example may add to its copy, and of one file that a hook writes


class Request(TypedDict):
    """What all examples of a worker share.

    `objects` is a copy of the objects of the project's repository; `hosts` are those in use here, `formats` those with hooks;
    `copies`: some example needs a copy of the project.
    """

    directory: str
    place: str
    objects: str
    trusts: bool
    with_users: bool
    hosts: Sequence[str]
    formats: Sequence[str]
    copies: bool


class Answer(TypedDict):
    """The report of an example. `unapproved` says which hooks it reaches that may not run."""

    report: DispatchReport
    unapproved: list[str]
    differences: list[str]
    notes: list[str]
