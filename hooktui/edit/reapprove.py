"""What a person edits from within the app: hooks that were approved stay so, if nothing but this edit has changed them."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from hooktui import formats
from hooktui.formats.azure import azure_files
from hooktui.security import approval, documents, trust

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hooktui.core.model import Hook
    from hooktui.security.documents import Document

    Identities = Mapping[str, tuple[int, ...]]


def save(hook: Hook, project: str, document: Document, text: str, *, overwrite: bool = False) -> Document:
    """Save a file of a hook, as `saving.save` does.

    What a person has typed here needs no second look; whatever somebody else does meanwhile leaves the hook unapproved.
    """
    approvals = Approvals(hook, project, document.path)
    saved = documents.save(document, text, overwrite=overwrite)
    approvals.renew(saved.stamp)
    return saved


class Approvals:
    """What is approved in a hook's file, from before an edit of one of its hooks' files to after it."""

    def __init__(self, hook: Hook, project: str, path: str) -> None:
        """Before the edit of `path`."""
        self._hook, self._project, self._path = hook, project, path
        hooks = [one for one in _as_they_are(hook, project) if trust.needs_approval(one)]
        store = trust.approvals(project)
        digests = {one.id: trust.digest(one) for one in hooks}
        self._approved = {key for key, digest in digests.items() if store.get(key) == digest}
        self._refused = {digest for key, digest in digests.items() if key not in self._approved}
        self._others = _identities(hooks, path)

    def renew(self, stamp: str = "") -> None:
        """After it: approve what was approved before. `stamp`: what the file must hold, where that is known."""
        if not self._approved:
            return
        hooks = [one for one in _as_they_are(self._hook, self._project) if trust.needs_approval(one)]
        edited = _identities(hooks)
        digests = [(one, trust.digest(one)) for one in hooks if one.id in self._approved or not self._refused]
        others_alone = _identities(hooks, self._path) == self._others and _identities(hooks) == edited
        if others_alone and stamp in ("", documents.read(self._path).stamp):
            # An entry that was not approved may have come to stand where an approved one stood.
            approval.approve(self._project, [pair for pair in digests if pair[1] not in self._refused])


def _as_they_are(hook: Hook, project: str) -> tuple[Hook, ...]:
    """All hooks of a hook's file, as it stands on disk; none where it is a Python agent's, of which nothing is approved."""
    if hook.type == "callback":
        return ()
    parse = partial(azure_files.parse, project=project) if hook.format == "azure" else formats.load(hook.format).parse
    return parse(documents.read(hook.file).raw, hook.file, hook.scope).hooks


def _identities(hooks: Iterable[Hook], apart_from: str = "") -> Identities:
    """What no write leaves as it was, for each file that trust in the hooks covers: nobody can set a ctime."""
    paths = {path for hook in hooks for path in (hook.file, *(path for _, path in trust.covered(hook)))}
    return {path: _identity(path) for path in paths if path != apart_from}


def _identity(path: str) -> tuple[int, ...]:
    try:
        status = os.stat(path)
    except OSError:
        return ()
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
