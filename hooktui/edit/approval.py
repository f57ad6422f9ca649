"""Approve hooks and keep a snapshot of the approved texts, so that a later review shows what has changed.

The user's state holds the last snapshot of each hook, redacted. It is only shown: a snapshot approves nothing.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from hooktui.core import atomic_write, fast_json, paths
from hooktui.core.model import Hook, HookDirectory
from hooktui.formats import documents
from hooktui.runner import trust
from hooktui.runner.redaction import redact

_CONTEXT = 3  # unchanged lines shown around a change
ENTRY = "the entry"  # the name of an entry's own text among the files


class CoveredFile(NamedTuple):
    """A file that an approval covers, now and as it was approved.

    `problem` says why the text cannot be shown, `about` whether the file is a link or executable. `lines` is a diff against
    the approved text, each line with its sign (" ", "-", "+"); empty when nothing has changed or no snapshot exists. Secrets
    are redacted in the approved text only: what would be approved now is shown as it is.
    """

    name: str
    text: str
    problem: str
    state: Literal["unknown", "same", "new", "changed", "gone"]
    lines: tuple[str, ...] = ()
    about: str = ""


class _Approved(NamedTuple):
    """A text as it was approved, redacted, and the SHA-256 of the whole text."""

    text: str
    digest: str


def approve(project: str, hooks: Iterable[tuple[Hook, str]]) -> None:
    """Approve hooks by the digests that the user has reviewed, and keep their snapshots. Raises OSError."""
    hooks = tuple(hooks)
    trust.approve(project, {hook.identity: digest for hook, digest in hooks})
    for hook, digest in hooks:
        snapshot = {
            "digest": digest,
            "identity": hook.identity,
            "files": {name: _kept(text) for name, text in _texts(hook).items()},
        }
        if trust.digest(hook) == digest:
            path = _path(project, hook)
            paths.make_directories(os.path.dirname(path))
            atomic_write.write(path, json.dumps(snapshot).encode(), mode=0o600)


def covered_files(project: str, hook: Hook) -> tuple[CoveredFile, ...]:
    """The files that trust in a hook covers, compared with the last approval, changed files first."""
    before, now = _snapshot(project, hook), _texts(hook)
    paths_by_name = dict(trust.covered(hook))
    files = [_compared(name, before, text, paths_by_name.get(name, "")) for name, text in now.items()]
    gone = [
        CoveredFile(name, "", "", "gone", difference(old.text, "")) for name, old in (before or {}).items() if name not in now
    ]
    return tuple(sorted((*files, *gone), key=lambda file: file.state == "same"))


def difference(before: str, now: str) -> tuple[str, ...]:
    """All lines of both texts with their signs (" ", "-", "+"); empty when the texts are equal."""
    if before == now:
        return ()
    lines = difflib.ndiff(before.splitlines(), now.splitlines())
    return tuple(line[0] + line[2:] for line in lines if line[0] != "?")


def _compared(name: str, before: Mapping[str, _Approved] | None, text: str | None, path: str) -> CoveredFile:
    problem = documents.read(path, name).problem if text is None else ""
    link = f"→ {os.readlink(path)}" if os.path.islink(path) else ""
    about = ", ".join(filter(None, (link, "executable" if os.access(path, os.X_OK) else "")))
    file = CoveredFile(name, text or "", problem, "unknown", about=about)
    if before is None:
        return file
    if name not in before:
        return file._replace(state="new", lines=difference("", file.text))
    old = before[name]
    if old == _kept(text):
        return file._replace(state="same")
    return file._replace(state="changed", lines=_folded(difference(old.text, file.text)))


def _folded(lines: Sequence[str]) -> tuple[str, ...]:
    """A diff with only a few unchanged lines around changes; a count replaces the others."""
    near = {at + step for at, line in enumerate(lines) if line[0] != " " for step in range(-_CONTEXT, _CONTEXT + 1)}
    runs = [(is_near, list(run)) for is_near, run in groupby(range(len(lines)), key=near.__contains__)]
    shown = ([lines[at] for at in run] if is_near else [f" … {len(run)} unchanged lines"] for is_near, run in runs)
    return tuple(line for part in shown for line in part)


def _texts(hook: Hook) -> dict[str, str | None]:
    """The text of each covered file by name, None for a file that cannot be read as text."""
    read = [documents.read(path, name) for name, path in trust.covered(hook)]
    texts = {document.name: None if document.problem else document.text for document in read}
    return texts if isinstance(hook.source, HookDirectory) else {ENTRY: hook.text, **texts}


def _path(project: str, hook: Hook) -> str:
    name = hashlib.sha256(f"{project}\0{hook.id}".encode(errors="surrogatepass")).hexdigest()
    return os.path.join(paths.state_dir(), "approved", f"{name}.json")


def _kept(text: str | None) -> _Approved:
    text = text or ""
    return _Approved(redact(text), hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest())


def _snapshot(project: str, hook: Hook) -> Mapping[str, _Approved] | None:
    """The texts last approved in a hook's place; None without a snapshot, or when it is not of the current approval."""
    snapshot = fast_json.read_object(_path(project, hook))
    current = trust.approvals(project).get(snapshot.get("identity", hook.identity), ())
    files = snapshot.get("files") if snapshot.get("digest") in current else None
    try:
        return {name: _Approved(*file) for name, file in files.items()} if files else None
    except (AttributeError, TypeError):
        return None
