"""Approving with a memory: what was approved is kept, so that a person sees later what has changed since.

One snapshot a hook, the last one, below the user's state; it is for reading only and approves nothing by itself.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from hooktui.core import atomic_write, paths
from hooktui.core.hook_source import HookDirectory
from hooktui.security import documents, trust

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hooktui.core.model import Hook

_AROUND = 3  # lines shown before and after one that changed
_ENTRY = "the entry"  # what stands for a JSON or YAML hook's own text among its files


@dataclass(frozen=True, slots=True)
class FileSeen:
    """One file that an approval covers, as it is now and as it was approved.

    `text` is what it holds, `problem` why that cannot be shown, `about` whether it is a link or executable. `lines` are
    those of a diff against what was approved, each with its sign (" ", "-", "+"), with few of those that are as they were
    around what changed; empty when nothing is known of it or nothing has changed.
    """

    name: str
    text: str
    problem: str
    state: Literal["unknown", "same", "new", "changed", "gone"]
    lines: tuple[str, ...] = ()
    about: str = ""


def approve(project: str, hooks: Iterable[tuple[Hook, str]]) -> None:
    """Approve hooks, each by the digest that a person has seen, and keep what was approved. Raises OSError."""
    hooks = tuple(hooks)
    trust.approve(project, {hook.id: digest for hook, digest in hooks})
    for hook, digest in hooks:
        texts = _texts(hook)
        if trust.digest(hook) == digest:
            _keep(project, hook, {"digest": digest, "files": texts})


def seen(project: str, hook: Hook) -> tuple[FileSeen, ...]:
    """What trust in a hook covers, beside what was approved last; what has changed since stands before the rest."""
    before, now = _kept(project, hook), _texts(hook)
    paths_by_name = dict(trust.covered(hook))
    files = [_compared(name, before, text, paths_by_name.get(name, "")) for name, text in now.items()]
    gone = [
        FileSeen(name, "", "", "gone", difference(text or "", "")) for name, text in (before or {}).items() if name not in now
    ]
    return tuple(sorted((*files, *gone), key=lambda file: file.state == "same"))


def difference(before: str, now: str) -> tuple[str, ...]:
    """The lines of both texts with their signs (" ", "-", "+"), all of them; empty when nothing differs."""
    if before == now:
        return ()
    lines = difflib.ndiff(before.splitlines(), now.splitlines())
    return tuple(line[0] + line[2:] for line in lines if line[0] != "?")


def _compared(name: str, before: Mapping[str, str | None] | None, text: str | None, path: str) -> FileSeen:
    problem = documents.read(path, name).problem if text is None else ""
    file = FileSeen(name, text or "", problem, "unknown", about=_about(path))
    if before is None:
        return file
    if name not in before:
        return replace(file, state="new", lines=difference("", file.text))
    old = before[name] or ""
    return replace(file, state="same" if old == file.text else "changed", lines=_folded(difference(old, file.text)))


def _folded(lines: Sequence[str]) -> tuple[str, ...]:
    """A diff without the lines that are as they were and far from any that changed; how many they are stands in their place."""
    near = {at + step for at, line in enumerate(lines) if line[0] != " " for step in range(-_AROUND, _AROUND + 1)}
    runs = [(is_near, list(run)) for is_near, run in groupby(range(len(lines)), key=near.__contains__)]
    shown = ([lines[at] for at in run] if is_near else [f" … {len(run)} lines as approved"] for is_near, run in runs)
    return tuple(line for part in shown for line in part)


def _about(path: str) -> str:
    link = f"→ {os.readlink(path)}" if os.path.islink(path) else ""
    return ", ".join(filter(None, (link, "executable" if os.access(path, os.X_OK) else "")))


def _texts(hook: Hook) -> dict[str, str | None]:
    """The text of each file that is covered, by its name; None for what cannot be read as text."""
    read = [documents.read(path, name) for name, path in trust.covered(hook)]
    texts = {document.name: None if document.problem else document.text for document in read}
    return texts if isinstance(hook.source, HookDirectory) else {_ENTRY: hook.text, **texts}


def _path(project: str, hook: Hook) -> str:
    name = hashlib.sha256(f"{project}\0{hook.id}".encode(errors="surrogatepass")).hexdigest()
    return os.path.join(paths.state_dir(), "approved", f"{name}.json")


def _keep(project: str, hook: Hook, snapshot: Mapping[str, object]) -> None:
    path = _path(project, hook)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    atomic_write.write(path, json.dumps(snapshot).encode(), mode=0o600)


def _kept(project: str, hook: Hook) -> Mapping[str, str | None] | None:
    """What was approved last; None when that is not known, or is not what the store of approvals says."""
    try:
        with open(_path(project, hook), encoding="utf-8") as file:
            snapshot = json.load(file)
    except (OSError, ValueError):
        return None
    known = isinstance(snapshot, dict) and snapshot.get("digest") == trust.approvals(project).get(hook.id)
    files = snapshot["files"] if known else None
    return files if isinstance(files, dict) else None
