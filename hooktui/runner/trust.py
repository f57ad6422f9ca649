"""Trust in project hooks by content: a hook that is not approved, or has changed since, never runs (contract.md, "status").

An approval is a digest of every byte that hooktui would execute. It is stored in the user's state, never in the project.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat

from hooktui.core import fast_json, paths
from hooktui.core import project as projects
from hooktui.core.model import HookDirectory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from io import RawIOBase

    from hooktui.core.model import Hook, Trust
    from hooktui.runner.approved_copy import Begin

    Approvals = Mapping[str, frozenset[str]]  # the approved digests of a hook by its id

OWN_SCOPE = "user"
_OWN_SCOPES = (OWN_SCOPE, "managed", "plugin")  # in files that no clone can bring
UNAPPROVED: tuple[Trust, ...] = ("untrusted", "changed")
MOST_BYTES = 64 * 1024 * 1024  # of one hook; hashing happens before every run
MOST_FILES = 5_000  # of one hook, directories included
_CHUNK = 1024 * 1024
_CANONICAL_NAMES = {"HOOK.md.off": "HOOK.md"}  # disabling a hook keeps its approval


class _TooLargeError(Exception):
    """A hook has more than can be hashed before every run, or was not read; the message says why."""


def store_path() -> str:
    """The path of the file with all approvals."""
    return os.path.join(paths.state_dir(), "trust.json")


def approvals(project: str) -> Approvals:
    """The approved digests of a project's hooks by hook ID, those approved in other worktrees of its repository included.

    A missing or broken store approves nothing.
    """
    approved: dict[str, frozenset[str]] = {}
    store = _read_store()
    for key in projects.of_same_repository(project, store):
        for hook_id, known in store[key].items():
            if isinstance(known, str):
                approved[hook_id] = approved.get(hook_id, frozenset()) | {known}
    return approved


def state(hook: Hook, approved: Approvals, digested: Callable[[Hook], str] | None = None) -> Trust:
    """Whether a hook may run: the user's own always, a project's when its content is approved.

    `digested` replaces `digest` for a caller that caches digests.
    """
    if is_own(hook):
        return "user"
    if not needs_approval(hook):
        return "trusted"
    known = approved.get(hook.identity)
    if not known:
        return "untrusted"
    return "trusted" if (digested or digest)(hook) in known else "changed"


def needs_approval(hook: Hook) -> bool:
    """Whether hooktui would execute a project's code for this hook; an entry that only calls hooktui needs no approval."""
    return not is_own(hook) and not hook.calls_hooktui


def is_own(hook: Hook) -> bool:
    """Whether a hook is the user's own, an installed plugin's or the administrator's."""
    return hook.scope in _OWN_SCOPES


def is_managed(hook: Hook) -> bool:
    """Whether the administrator has hooktui run a hook for everyone on the machine."""
    return hook.scope == "managed" and isinstance(hook.source, HookDirectory)


def digest(hook: Hook, begin: Begin | None = None) -> str:
    """`sha256:…` of everything that would be executed.

    It covers the path, executable bit and bytes of each covered file, and the event, matcher and text of an entry. "" for a
    hook that cannot be approved (`refusal`). `begin` gets the name and kind of each file and returns what takes its bytes.
    """
    try:
        return _digest(hook, begin)
    except _TooLargeError:
        return ""


def _digest(hook: Hook, begin: Begin | None = None) -> str:
    import hashlib  # 3 ms, needed for project hooks only

    total, left = hashlib.sha256(), MOST_BYTES
    for name, path in _named(_reached(hook)):
        name = _CANONICAL_NAMES.get(name, name)
        kind, length, content = _content(name, path, left)
        total.update(f"{len(name)}:{name}\0{kind}\0{length}\0".encode(errors="surrogatepass"))
        keep = begin(name, kind) if begin else None
        for chunk in content:
            total.update(chunk)
            left -= len(chunk)
            if keep:
                keep(chunk)
    if not isinstance(hook.source, HookDirectory):
        entry = "\0".join((hook.event_as_written, hook.tool or "", hook.unwrapped_text))
        total.update(entry.encode(errors="surrogatepass"))
    return f"sha256:{total.hexdigest()}"


def copy(hook: Hook, approved: str) -> str:
    """Make the private copy of a hook with an approved digest; its path, "" if the hook has another digest by now.

    Raises OSError, and NotCopiedError for a hook that runs in place.
    """
    from hooktui.runner import approved_copy

    if any(os.path.islink(path) and os.path.isfile(path) for _, path in covered(hook)):
        raise approved_copy.NotCopiedError  # the file may look for its neighbors
    return approved_copy.make(approved, lambda begin: digest(hook, begin))


def combined(digests: Mapping[str, str]) -> str:
    """One hash for several hooks: `hash` at the top of `status --json`."""
    import hashlib

    lines = "".join(f"{key}={value}\n" for key, value in sorted(digests.items()))
    return f"sha256:{hashlib.sha256(lines.encode()).hexdigest()}"


def refusal(hook: Hook) -> str:
    """Why a hook cannot be approved, "" if it can, by the sizes of its files."""
    left = MOST_BYTES
    try:
        for name, path in _named(_reached(hook)):
            left -= _size(path)
            if left < 0:
                raise _too_many_bytes(name)
    except _TooLargeError as error:
        return str(error)
    return ""


def _size(path: str) -> int:
    try:
        status = os.stat(path)
    except OSError:
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def _too_many_bytes(name: str) -> _TooLargeError:
    return _TooLargeError(f"its files have more than {MOST_BYTES >> 20} MiB: {name}")


def covered(hook: Hook) -> list[tuple[str, str]]:
    """The files that trust in a hook covers, as (name relative to its root, absolute path), sorted by name.

    Some of them for a hook that has too many. An approval also covers that a file is not there.
    """
    return [(name, path) for name, path in _named(_some_reached(hook)) if os.path.lexists(path)]


def reached(hook: Hook) -> tuple[str, ...]:
    """All paths that affect what trust covers: the files, and the directories where files may be added."""
    return tuple(path for _, path in _some_reached(hook))


def _named(found: Iterator[tuple[str, str]]) -> list[tuple[str, str]]:
    return sorted((name, path) for name, path in found if name and not name.endswith("/"))


def _some_reached(hook: Hook) -> Iterator[tuple[str, str]]:
    try:
        yield from _reached(hook)
    except _TooLargeError:
        return


def approve(project: str, digests: Mapping[str, str]) -> None:
    """Approve hooks by the digests that the user has reviewed. Raises OSError, also for a hook that cannot be approved."""
    if not all(digests.values()):
        raise OSError(errno.EFBIG, f"more than {MOST_BYTES >> 20} MiB or {MOST_FILES:,} files cannot be approved")
    key = projects.checkout_key(project)
    with _Locked():
        store = _read_store()
        store[key] = {**store.get(key, {}), **digests}
        _write_store(store)


def revoke(project: str, hook_ids: set[str]) -> None:
    """Revoke approvals, in all worktrees of the project's repository."""
    with _Locked():
        store = _read_store()
        for key in projects.of_same_repository(project, store):
            store[key] = {hook_id: digest for hook_id, digest in store[key].items() if hook_id not in hook_ids}
        _write_store(store)


def _content(name: str, path: str, most: int) -> tuple[str, int, Iterable[bytes]]:
    """The kind, length and bytes of a file. Raises _TooLargeError above `most` bytes."""
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISREG(mode):
            file = open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0)  # noqa: SIM115  # _chunks closes it
            size = os.fstat(file.fileno()).st_size
            if size > most:
                file.close()
                raise _too_many_bytes(name)
            return "executable" if mode & 0o111 else "plain", size, _chunks(file, size)
        body, kind = (os.fsencode(os.readlink(path)), "link") if stat.S_ISDIR(mode) else (b"", "special")
    except OSError as error:
        body, kind = b"", f"unreadable {error.errno}"
    return kind, len(body), (body,)


def _chunks(file: RawIOBase, size: int) -> Iterator[bytes]:
    with file:
        while size > 0 and (chunk := file.read(min(size, _CHUNK))):
            size -= len(chunk)
            yield chunk


def _reached(hook: Hook) -> Iterator[tuple[str, str]]:
    """The paths that trust covers, with their names. Raises _TooLargeError after MOST_FILES or for an unread hook."""
    if hook.is_unread:
        raise _TooLargeError("hooktui has not read all scripts here; approve it by name: hooktui trust --hook NAME")
    if isinstance(hook.source, HookDirectory):
        every = _below(hook.root, "", {os.path.realpath(hook.root)})
    else:
        every = ((name, os.path.join(hook.root, name)) for name in hook.covers)
    for count, item in enumerate(every):
        if count > MOST_FILES:
            raise _TooLargeError(f"it has more than {MOST_FILES:,} files")
        yield item


def _below(directory: str, prefix: str, seen: set[str]) -> Iterator[tuple[str, str]]:
    """A directory with all files and links below it. Links are followed once; names of directories end with a slash."""
    yield prefix, directory
    try:
        with os.scandir(directory) as entries:
            names = [entry.name for entry, _ in zip(entries, range(MOST_FILES + 1), strict=False)]
    except OSError:
        return
    for name in names:
        path, relative = os.path.join(directory, name), prefix + name
        if os.path.islink(path) or not os.path.isdir(path):
            yield relative, path
        if os.path.isdir(path) and (real := os.path.realpath(path)) not in seen:
            yield from _below(path, relative + "/", seen | {real})


def _read_store() -> dict[str, dict[str, str]]:
    return {key: value for key, value in fast_json.read_object(store_path()).items() if isinstance(value, dict)}


def _write_store(store: Mapping[str, Mapping[str, str]]) -> None:
    """Write the store, and remove the copies of what is no longer approved."""
    from hooktui.runner import approved_copy

    paths.write_private(store_path(), fast_json.dumps(store).encode())
    approved_copy.remove_unused({digest for hooks in store.values() for digest in hooks.values()})


class _Locked:
    """Hold the store's lock, so that concurrent approvals do not overwrite each other."""

    def __enter__(self) -> None:
        paths.make_directories(paths.state_dir())
        self._fd = os.open(store_path() + ".lock", os.O_WRONLY | os.O_CREAT, 0o600)
        fcntl.flock(self._fd, fcntl.LOCK_EX)

    def __exit__(self, *_exception: object) -> None:
        os.close(self._fd)
