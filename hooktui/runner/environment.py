"""The environments of hooks that do not get the agent's own.

A project's hooks get it without what looks like a secret, and without relative directories in PATH. For managed hooks it counts
as a project's word, which may set variables for its agents: they get an environment of their own.
"""

from __future__ import annotations

import os

from hooktui.core import paths
from hooktui.runner.redaction import redact
from hooktui.runner.secret_patterns import NAMES, bare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ENDINGS = ("_KEY", "_PASS", "_PWD", "_AUTH", "_PAT", "_DSN")
_LONGEST_NUMBER = 7  # digits of a limit, such as MAX_TOKENS


# Of managed hooks. A locale decides what `grep -i` and `[a-z]` match; `python3 -c` imports from the project unless told not to.
_MANAGED = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LC_ALL": "C.UTF-8",
    "PYTHONNOUSERSITE": "1",
    "PYTHONSAFEPATH": "1",
}

_last: list[tuple[Mapping[str, str], Sequence[str], dict[str, str]]] = []  # the hooks of an event have the same


def reduced(env: Mapping[str, str], keep: Sequence[str] = ()) -> dict[str, str]:
    """The environment for a project's hook. `keep` are names, or beginnings of names with `*`, that stay."""
    if _last and _last[0][0] == env and _last[0][1] == keep:
        return _last[0][2]
    named = {name: value for name, value in env.items() if not _is_secret(name, value) or _is_kept(name, keep)}
    if redact("\n".join(named.values())) != "\n".join(named.values()):
        named = {name: value for name, value in named.items() if redact(value) == value or _is_kept(name, keep)}
    if "PATH" in named:
        named["PATH"] = os.pathsep.join(filter(os.path.isabs, named["PATH"].split(os.pathsep)))
    _last[:] = [(dict(env), keep, named)]
    return named


def managed() -> dict[str, str]:
    """The environment for a managed hook: no variable in it leads to code of a project or user."""
    return {**_MANAGED, "HOME": paths.account_home()}


def _is_secret(name: str, value: str) -> bool:
    """Whether a variable looks like a secret by its name. A number is a limit."""
    plain, short = bare(name), len(value) <= _LONGEST_NUMBER and value.isdigit()
    return not short and (any(secret in plain for secret in NAMES) or name.upper().endswith(_ENDINGS))


def _is_kept(name: str, keep: Sequence[str]) -> bool:
    return any(name == kept or (kept[-1:] == "*" and name.startswith(kept[:-1])) for kept in keep)
