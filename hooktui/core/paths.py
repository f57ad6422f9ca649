"""Where configuration, state and cache live (architecture.md, "Where state lives").

The XDG layout on every platform: the hook roots of seed 000 are fixed XDG paths, and one rule is easier to remember than four.
"""

from __future__ import annotations

import os


def home() -> str:
    """The person's home directory."""
    return os.path.expanduser("~")


def _xdg(variable: str, default: str) -> str:
    value = os.environ.get(variable, "")
    return value if os.path.isabs(value) else os.path.join(home(), default)


def config_home() -> str:
    """`$XDG_CONFIG_HOME`; a relative value is ignored, as the XDG specification wants."""
    return _xdg("XDG_CONFIG_HOME", ".config")


def config_file() -> str:
    """The user's configuration."""
    return os.path.join(config_home(), "hooktui", "config.toml")


def state_dir() -> str:
    """Log, spool, trust store and the trash of deleted hooks."""
    return os.path.join(_xdg("XDG_STATE_HOME", os.path.join(".local", "state")), "hooktui")


def cache_dir() -> str:
    """Compiled indexes; safe to delete at any time."""
    return os.path.join(_xdg("XDG_CACHE_HOME", ".cache"), "hooktui")


def agenthooks_user_root() -> str:
    """The user's HOOK.md directories (seed 000)."""
    return os.path.join(config_home(), "agents", "hooks")


def agenthooks_project_root(project: str) -> str:
    """The project's HOOK.md directories (seed 000)."""
    return os.path.join(project, ".agents", "hooks")


def here() -> str:
    """The current directory; the root when it has been deleted under us."""
    try:
        return os.getcwd()
    except OSError:
        return os.sep


def is_here_gone() -> bool:
    """Whether the current directory has been deleted under us."""
    try:
        return not os.getcwd()
    except OSError:
        return True


def canonical(path: str) -> str:
    """An absolute path with links resolved: the one spelling under which projects are trusted, indexed and logged."""
    return os.path.realpath(os.path.expanduser(path))


def missing(directory: str) -> tuple[str, ...]:
    """The directories that must be made for one to exist, the outermost first."""
    missing: list[str] = []
    while not os.path.lexists(directory):
        missing.insert(0, directory)
        directory = os.path.dirname(directory)
    return tuple(missing)


def short(path: str) -> str:
    """A path for a person: the home directory as `~`."""
    base = home()
    return "~" + path[len(base) :] if base != "/" and (path == base or path.startswith(base + os.sep)) else path
