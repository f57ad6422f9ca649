"""The project's hooks of a dispatch: whether each is approved, and how it runs.

A HOOK.md hook runs from its private copy (runner/approved_copy.py), an entry in place. What was verified is stored with the
stamps of the covered files and directories, so that an unchanged hook is neither read nor hashed again.
"""

from __future__ import annotations

import _imp
import marshal
import os
import sys
import time

from hooktui import __version__
from hooktui.core import paths
from hooktui.core.paths import may_change, stamp
from hooktui.core.settings import Verified
from hooktui.runner import trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from hooktui.core.model import Hook, Trust
    from hooktui.runner.hook_files import Files


class ApprovedHooks:
    """The trust in the hooks of one project, verified when it is asked for, at most once each."""

    def __init__(self, project: str, hooks: Iterable[Hook], files: Files) -> None:
        self._project = project
        self._files = files
        self._hooks = {hook.id: hook for hook in hooks}
        self._states: dict[str, Trust] = {}
        self._verified: dict[str, Verified] = {}  # by hook ID
        self._stored: dict[str, dict[str, Any]] = {}  # by identity
        self._approvals: trust.Approvals | None = None

    def trust(self, hook_id: str) -> Trust:
        if hook_id not in self._states:
            self._states[hook_id] = self._judged(self._hooks[hook_id])
        return self._states[hook_id]

    def verified(self, hook_id: str) -> Verified | None:
        """How an approved hook runs; None for a hook that needs no approval or has none."""
        self.trust(hook_id)
        return self._verified.get(hook_id)

    def _judged(self, hook: Hook) -> Trust:
        if trust.is_own(hook):
            return "user"
        if not trust.needs_approval(hook):
            return "trusted"
        if self._approvals is None:
            self._approvals = trust.approvals(self._project)
            self._stored = _load(self._project)
        known = self._approvals.get(hook.identity)
        if not known:
            return "untrusted"
        verified = self._verify(hook, known)
        if verified is None:
            return "changed"
        self._verified[hook.id] = verified
        return "trusted"

    def _verify(self, hook: Hook, known: frozenset[str]) -> Verified | None:
        """Compare a hook with its approvals, by the stamps of its files if it has not changed; None if it has."""
        before = self._stored_of(hook)
        if before and before.stamps is not None and before.digest in known and _are_unchanged(before.stamps):
            return before
        begun_ns = time.time_ns()
        stamps = tuple((path, stamp(path)) for path in trust.reached(hook))
        digest = trust.digest(hook)
        if digest not in known:
            return None
        after = before if before and before.digest == digest else self._files().verified(hook, digest)
        is_steady = not any(may_change(known, begun_ns) for _, known in stamps)
        if after and is_steady:
            after = after.replace(stamps=stamps)
        if after and after is not before and not after.fault:
            self._stored[hook.identity] = after.as_dict()
            _store(self._project, self._stored)
        return after

    def _stored_of(self, hook: Hook) -> Verified | None:
        """What is stored of a hook, unless it was loaded differently or its copy is gone."""
        values = self._stored.get(hook.identity)
        if values is None or values["facts"] != facts_of(hook) or (values["copy"] and not os.path.isdir(values["copy"])):
            return None
        return Verified(**values)


def facts_of(hook: Hook) -> tuple[Any, ...]:
    """What was loaded of a hook, as marshal stores it. The version identifies its texts."""
    return hook.version, hook.event_as_written, hook.tool, hook.root, hook.covers, hook.argv


def _are_unchanged(stamps: Iterable[tuple[str, Any]]) -> bool:
    return all(stamp(path) == known for path, known in stamps)


def _key(project: str) -> tuple[str, ...]:
    return (__version__, project, paths.home())


def _path(project: str) -> str:
    """One file per project, named as its index is. A key inside distinguishes equal hashes."""
    name = _imp.source_hash(0, project.encode(errors="surrogatepass")).hex()
    return os.path.join(paths.state_dir(), "verified", f"{name}.{sys.implementation.cache_tag}")


def _load(project: str) -> dict[str, dict[str, Any]]:
    try:
        with open(_path(project), "rb") as file:
            key, stored = marshal.loads(file.read())
    except (OSError, EOFError, ValueError, TypeError):
        return {}
    return stored if key == _key(project) and isinstance(stored, dict) else {}


def _store(project: str, stored: dict[str, dict[str, Any]]) -> None:
    """Write what was verified, without commands that hold a secret. Failures are ignored: the next run verifies again."""
    from hooktui.runner.redaction import redacted_value

    clean = {key: values for key, values in stored.items() if redacted_value([*values["argv"]]) == [*values["argv"]]}
    try:
        paths.write_private(_path(project), marshal.dumps((_key(project), clean)))
    except OSError:
        return
