"""The hooks that examples run: which of a project's hooks a host runs, and that in a copy they stay there."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core import paths
from hooktui.core.model import HookDirectory
from hooktui.diagnostics import exit_rules, relevant_hosts
from hooktui.runner import trust

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hooktui.core.model import Hook
    from hooktui.diagnostics.relevant_hosts import RelevantHosts

_LOCAL_GIT = re.compile(
    r"GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|PREFIX|NAMESPACE"
    r"|QUARANTINE_PATH|GRAFT_FILE|SHALLOW_FILE|IMPLICIT_WORK_TREE|INTERNAL_SUPER_PREFIX)"
)


def hosts_in_use(hooks: Iterable[Hook], project: str) -> tuple[str, ...]:
    """The hosts in which this project's HOOK.md hooks run, or would: those connected, and those with hooks in its files."""
    hooks = tuple(hooks)
    connected = relevant_hosts.find(hooks, project).connected
    own = {hook.format for hook in hooks if not trust.is_own(hook) and not isinstance(hook.source, HookDirectory)}
    names = connected | {name for name in own if hosts.spec(name).connect_scopes}
    return tuple(spec.name for spec in hosts.specs() if spec.name in names)


def guards(hooks: Iterable[Hook], *, with_users: bool = False) -> tuple[Hook, ...]:
    """The hooks that can deny an event, as far as their texts tell; the user's own only if asked for."""
    able = (hook for hook in hooks if _may_decide(hook) and (with_users or not trust.is_own(hook)))
    return tuple(hook for hook in able if hook.type == "prompt" or exit_rules.may_block(hook.full_text))


def _may_decide(hook: Hook) -> bool:
    """Whether a hook runs, and its host obeys a denial of its event."""
    is_able = hook.enabled and not hook.obstacle and not hook.calls_hooktui and not hook.is_async
    return is_able and hook.type in ("command", "prompt", "http") and hosts.spec(hook.format).can_deny(hook.event)


def run_by(host: str, hooks: Iterable[Hook], relevant: RelevantHosts, *, with_users: bool) -> tuple[Hook, ...]:
    """The hooks that run in a host, in firing order: HOOK.md hooks as if it were connected, its own entries, and those of
    other hosts' files that it reads, which it reads in its own way."""
    reads = {reads.host: reads for reads in hosts.spec(host).reads}
    chosen = []
    for hook in hooks:
        if (trust.is_own(hook) and not with_users) or hook.type in ("mod", "callback"):
            continue
        if isinstance(hook.source, HookDirectory) or hook.format == host:
            chosen.append(hook)
        elif (other := reads.get(hook.format)) and other.reads_scope(hook.scope) and not hook.owner:
            is_on = not other.setting() or (host, hook.format) in relevant.enabled
            if is_on and other.reads_event(hook.event_as_written):
                chosen.append(hook.replace(format=host))
    return tuple(chosen)


def moved(hook: Hook, project: str, copy: str) -> Hook:
    """A hook of a copy whose command names the project by its absolute path: it runs what the copy has there."""
    if not any(project in text for text in (*hook.argv, hook.cwd or "", *hook.env.values())) and not _names_home(hook):
        return hook
    argv = tuple(_moved(word, project, copy) for word in hook.argv)
    env = {name: _moved(value, project, copy) for name, value in hook.env.items()}
    return hook.replace(argv=argv, env=env, cwd=hook.cwd and _moved(hook.cwd, project, copy))


def _names_home(hook: Hook) -> bool:
    return any("~/" in word or "HOME" in word for word in hook.argv)


def _moved(text: str, project: str, copy: str) -> str:
    home = paths.canonical(paths.home())
    spellings = [re.escape(project)]
    if project.startswith(home + os.sep):
        inside = re.escape(project[len(home) :])
        spellings.append(rf"(?:(?<![\w/])~|\$HOME|\$\{{HOME\}}|\"\$HOME\"|\"\$\{{HOME\}}\"){inside}")
    return re.sub(rf"(?:{'|'.join(spellings)})(?![\w.-])", lambda _: copy, text)


def in_copy(text: str, project: str, copy: str) -> str:
    """A text with a copy's root in place of the project's; the root of the file system and "" stay."""
    return re.sub(rf"{re.escape(project)}(?![\w.-])", lambda _: copy, text) if project.strip(os.sep) else text


def still_names(hook: Hook, project: str) -> bool:
    """Whether a script of a hook names the project by its absolute path: there it reads and writes the project itself."""
    return in_copy(hook.scripts_text, project, "") != hook.scripts_text


def environment(project: str, copy: str, temporary: str) -> Mapping[str, str]:
    """The environment of hooks in a copy: nothing in it leads git, or what asks for a directory, to the project."""
    kept = {name: value for name, value in os.environ.items() if not _LOCAL_GIT.fullmatch(name)}
    variables = {name for spec in hosts.specs() for name, value in spec.variables.items() if "{project}" in value}
    kept |= {name: in_copy(kept[name], project, copy) for name in ("PWD", *variables) if name in kept}
    if project != copy:
        kept |= {"TMPDIR": temporary}
        kept.pop("OLDPWD", None)
    return kept
