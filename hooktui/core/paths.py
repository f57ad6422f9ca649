"""Paths of configuration, state, data and cache (architecture.md, "Where state lives").

The XDG layout on every platform: the hook roots of seed 000 are fixed XDG paths, and one rule is easier to remember than four.
"""

from __future__ import annotations

import os
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def home() -> str:
    """The user's home directory: `$HOME`, or that of the password database if `$HOME` is not an absolute path.

    A relative one would turn files of a project into files of the user.
    """
    value = os.environ.get("HOME", "")
    return value.rstrip(os.sep) or os.sep if os.path.isabs(value) else account_home()


def account_home() -> str:
    """The home directory of the password database, which no variable changes."""
    import pwd  # rarely needed

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:  # a user that the system does not know
        return os.sep


def _xdg(variable: str, default: str) -> str:
    value = os.environ.get(variable, "")
    return value if os.path.isabs(value) else os.path.join(home(), default)


def config_home() -> str:
    """`$XDG_CONFIG_HOME`; a relative value is ignored, as the XDG specification requires."""
    return _xdg("XDG_CONFIG_HOME", ".config")


def config_file() -> str:
    """The user's configuration file."""
    return os.path.join(config_home(), "hooktui", "config.toml")


def managed_file() -> str:
    """The file in which the machine's owner fixes settings. No variable moves it: a project can set variables."""
    return os.path.join(_machine_dir(), "managed.toml")


def managed_hooks() -> str:
    """The folder of the HOOK.md directories that the machine's owner has everyone run."""
    return os.path.join(_machine_dir(), "hooks")


def managed_launcher() -> str:
    """The path of the launcher that agent programs call for everyone on the machine."""
    return os.path.join(_machine_dir(), "hook")


def _machine_dir() -> str:
    return "/Library/Application Support/hooktui" if sys.platform == "darwin" else "/etc/hooktui"


def state_dir() -> str:
    """The directory of the log, its spool, the trust store and the trash."""
    return os.path.join(_xdg("XDG_STATE_HOME", os.path.join(".local", "state")), "hooktui")


def data_dir() -> str:
    """The directory of the launcher that agent programs call."""
    return os.path.join(_xdg("XDG_DATA_HOME", os.path.join(".local", "share")), "hooktui")


def temporary_dir() -> str:
    """A directory of ours that others can neither read nor replace, for when the state cannot be written. Raises OSError."""
    directory = f"/tmp/hooktui-{os.getuid()}"  # noqa: S108  # nobody else may own it
    try:
        os.mkdir(directory, 0o700)
    except FileExistsError:
        status = os.lstat(directory)
        if status.st_uid != os.getuid() or status.st_mode != stat.S_IFDIR | 0o700:
            raise
    return directory


def cache_dir() -> str:
    """The directory of compiled indexes, safe to delete at any time.

    No variable moves it on a machine with managed hooks: a project that sets variables could bring an index without them.
    """
    root = os.path.join(account_home(), ".cache") if os.path.isdir(managed_hooks()) else _xdg("XDG_CACHE_HOME", ".cache")
    return os.path.join(root, "hooktui")


def agenthooks_user_root() -> str:
    """The folder of the user's HOOK.md directories (seed 000)."""
    return os.path.join(config_home(), "agents", "hooks")


def agenthooks_project_root(project: str) -> str:
    """The folder of a project's HOOK.md directories (seed 000)."""
    return os.path.join(project, ".agents", "hooks")


def working_directory() -> str:
    """The working directory, or the root directory if it has been deleted."""
    try:
        return os.getcwd()
    except OSError:
        return os.sep


def is_working_directory_gone() -> bool:
    """Whether the working directory has been deleted."""
    try:
        return not os.getcwd()
    except OSError:
        return True


def canonical(path: str) -> str:
    """An absolute path with links resolved: the spelling that trust, the index and the log use for a project."""
    if path == "~" or path.startswith("~/"):
        path = home() + path[1:]
    return os.path.realpath(os.path.expanduser(path))


def make_directories(directory: str, mode: int = 0o700) -> None:
    """Create a directory and the missing ones above it, writable by their owner alone whatever the umask. Raises OSError."""
    for missing in missing_directories(directory):
        try:
            os.mkdir(missing, mode)
        except FileExistsError:  # another process made it just now
            continue


def missing_directories(directory: str) -> tuple[str, ...]:
    """The directories to create so that a directory exists, the outermost first."""
    missing: list[str] = []
    while directory and not os.path.lexists(directory):
        missing.insert(0, directory)
        directory = os.path.dirname(directory)
    return tuple(missing)


def short(path: str) -> str:
    """A path for a person, with `~` for the home directory."""
    base = home()
    return "~" + path[len(base) :] if base != "/" and (path == base or path.startswith(base + os.sep)) else path


def near(path: str, project: str) -> str:
    """A path relative to the project if there is one and it is inside, else with the home directory as `~`."""
    return path[len(project) + 1 :] if project and path.startswith(project + os.sep) else short(path)


def from_project(text: str, project: str) -> str:
    """A text whose paths inside the project begin there. For the home and the root directory, it stays as it is."""
    if not project or short(project) in ("~", os.sep):
        return text
    return text.replace(f"{project}/", "").replace(f"{short(project)}/", "")


# For the screens, which must not import `os`.
join, name, parent = os.path.join, os.path.basename, os.path.dirname


def stem(path: str) -> str:
    """A path without its extension."""
    return os.path.splitext(path)[0]


def extension(path: str) -> str:
    """The extension of a path with its dot, "" if it has none."""
    return os.path.splitext(path)[1]


def log_path(configured: str | None) -> str:
    """The path of the log: from the environment, the configuration (`configured`), or the default."""
    return os.environ.get("HOOKTUI_DB") or configured or os.path.join(state_dir(), "log.db")


def launcher() -> str:
    """The path of the launcher, which agent programs call (connect/launcher.py)."""
    return os.path.join(data_dir(), "hook")


def ship_state(db: str) -> str:
    """The path of the file beside a log that says how far it was shipped (hooktui/fleet)."""
    return db + ".shipped"


def write_private(path: str, content: bytes, mode: int = 0o600) -> None:
    """Write one of hooktui's own files through a draft and a rename; creates its directory. Raises OSError."""
    make_directories(os.path.dirname(path))
    draft = f"{path}.{os.getpid()}"
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
        file.write(content)
    os.replace(draft, path)


SHARED = 0o755  # of directories that hold hooks and settings
RACY_NS = 20_000_000  # resolution of a file system's clock


def may_change(known: tuple[int, ...] | None, begun_ns: int) -> bool:
    """Whether a file may differ from what was read and still have this stamp, because it changed after reading began
    (nanoseconds since 1970) or shortly before."""
    return known is not None and begun_ns - max(known[:2]) < RACY_NS


def file_id(path: str) -> tuple[int, int] | None:
    """The device and inode of a file; None if it is missing."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def stamp(path: str, look: Callable[[str], os.stat_result] = os.stat) -> tuple[int, ...] | None:
    """The times, size, inode and mode of a file, or of a broken link; None if the path does not exist.

    The ctime changes even when a program sets the mtime back. `look` asks for the status of what a path leads to.
    """
    for read_status in (look, os.lstat):
        try:
            status = read_status(path)
        except (OSError, ValueError):
            continue
        return (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_mode)
    return None


def nearest_directory(path: str) -> str:
    """A directory itself, else the nearest one above a path."""
    while not os.path.isdir(path):
        path = os.path.dirname(path)
    return path


def changed_since(watched: Iterable[str], begun_ns: int) -> bool:
    """Whether a file or directory has changed since a time (nanoseconds since 1970); its directory shows a removal.

    Compares the ctime, which no program can set. Also true for a change shortly before that time.
    """
    return any(known[1] > begun_ns - RACY_NS for known in map(stamp, watched) if known)
