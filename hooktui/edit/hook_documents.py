"""The files of a hook as an editor reads, saves and approves them: an edit in the app keeps the hook approved."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from hooktui import config
from hooktui.core.atomic_write import error_message
from hooktui.core.model import ONLY_IN_AGENT
from hooktui.edit import approval
from hooktui.edit.approval import CoveredFile, difference
from hooktui.edit.file_entries import parse
from hooktui.formats import documents, hook_dependencies
from hooktui.formats.documents import ChangedError, TextFile, content, is_gone, line_feeds, read, read_hook, with_endings
from hooktui.runner import trust

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hooktui.core.model import Hook

    Identities = Mapping[str, tuple[int, ...]]

__all__ = [
    "ApprovalReview", "Approvals", "ChangedError", "CoveredFile", "TextFile",
    "approve", "content", "difference", "error_message", "is_gone", "line_feeds", "read", "read_hook",
    "review", "save", "with_endings",
]  # fmt: skip


def save(hook: Hook, project: str, document: TextFile, text: str, *, overwrite: bool = False) -> TextFile:
    """Save a file of a hook as `documents.save` does, and keep the hook approved.

    The person has seen what they typed; a change by anyone else in the meantime leaves the hook unapproved.
    """
    approvals = Approvals(hook, project, document.path)
    saved = documents.save(document, text, overwrite=overwrite)
    approvals.renew(saved.stamp)
    return saved


class Approvals:
    """The approvals of a hook file's hooks, taken before an edit and renewed after it."""

    def __init__(self, hook: Hook, project: str, path: str) -> None:
        """Record the approvals before `path` is edited."""
        self._hook, self._project, self._path = hook, project, path
        hooks = [other for other in _hooks_of_file(hook, project) if trust.needs_approval(other)]
        store = trust.approvals(project)
        digests = [(other, trust.digest(other)) for other in hooks]
        self._approved = {other.id for other, digest in digests if digest in store.get(other.identity, ())}
        self._refused = {digest for other, digest in digests if other.id not in self._approved}
        self._others = _identities(hooks, path)

    def renew(self, stamp: str = "") -> None:
        """Approve again what was approved before the edit. `stamp`: the stamp that the file must have, if known."""
        if not self._approved:
            return
        hooks = [hook for hook in _hooks_of_file(self._hook, self._project) if trust.needs_approval(hook)]
        edited = _identities(hooks)
        digests = [(hook, trust.digest(hook)) for hook in hooks if hook.id in self._approved or not self._refused]
        others_unchanged = _identities(hooks, self._path) == self._others and _identities(hooks) == edited
        if others_unchanged and stamp in ("", documents.read(self._path).stamp):
            # An unapproved entry may have taken the number of an approved one.
            approval.approve(self._project, [pair for pair in digests if pair[1] not in self._refused])


def _hooks_of_file(hook: Hook, project: str) -> Sequence[Hook]:
    """Read all hooks of a hook's file from disk; none for one that only the agent can run and that needs no approval."""
    if hook.type in ONLY_IN_AGENT:
        return ()
    return parse(documents.read(hook.file).raw, hook, project)


def _identities(hooks: Iterable[Hook], apart_from: str = "") -> Identities:
    """Return what any write changes, for each file that trust covers; a ctime cannot be forged."""
    paths = {path for hook in hooks for path in (hook.file, *(path for _, path in trust.covered(hook)))}
    return {path: _identity(path) for path in paths if path != apart_from}


def _identity(path: str) -> tuple[int, ...]:
    try:
        status = os.stat(path)
    except OSError:
        return ()
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


class ApprovalReview(NamedTuple):
    """The files that a hook would run, the digest of just those bytes, and what it may load besides.

    `is_refused`: because of the latter, the hook does not run even if it is approved.
    """

    digest: str
    files: tuple[CoveredFile, ...]
    gaps: tuple[str, ...]
    is_refused: bool


def review(hook: Hook, project: str) -> ApprovalReview:
    """Read what a hook would run; read again if a file changed meanwhile."""
    while True:
        digest = trust.digest(hook)
        files, gaps = approval.covered_files(project, hook), hook_dependencies.gaps(hook)
        if digest == trust.digest(hook):
            return ApprovalReview(digest, files, gaps, bool(gaps) and config.load_or_defaults()[0].require_covered)


def approve(hook: Hook, project: str, reviewed: ApprovalReview) -> None:
    """Approve a hook as it was reviewed; if a file has changed since, the hook stays unapproved."""
    approval.approve(project, [(hook, reviewed.digest)])
