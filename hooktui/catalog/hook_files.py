"""The hook files, for the runner: what the compiled plan does not say (runner/hook_files.py)."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from hooktui import config
from hooktui.core import paths
from hooktui.core.model import HookDirectory
from hooktui.core.settings import Verified
from hooktui.runner import trust
from hooktui.runner.approved_copy import NotCopiedError
from hooktui.runner.approved_hooks import facts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.core.model import Event, Hook
    from hooktui.core.settings import Settings
    from hooktui.runner.plan import Compiled

_NO_TIMEOUT_MS = 2**31 - 1


class CatalogFiles:
    """The runner's HookFiles. Each method imports what it needs: `exec` asks for the settings alone, at every call."""

    def compiled(self, directory: str, formats: Sequence[str]) -> Compiled:
        from hooktui.catalog import catalog
        from hooktui.formats import yaml_composer  # noqa: F401  # missing packages are reported before the first HOOK.md

        return catalog.compiled(directory, formats)

    def settings(self) -> Settings:
        return config.load_or_defaults()[0]

    def calls_hooktui(self, host: str, event: Event, directory: str) -> bool:
        from hooktui import formats

        hooks = formats.load(host).discover(directory).hooks
        called = (hook for hook in hooks if hook.calls_hooktui and hook.enabled and hook.obstacle is None)
        return any(hook.event_as_written == event.as_written for hook in called)

    def verified(self, hook: Hook, digest: str) -> Verified | None:
        """Find what an approval does not cover, and copy a HOOK.md directory."""
        from hooktui.formats import hook_dependencies

        plain = Verified(facts=facts_of(hook), digest=digest, argv=hook.argv, copy="", gaps=())
        if hook.type != "command":
            return plain
        plain = plain.replace(gaps=hook_dependencies.gaps(hook), in_root=hook_dependencies.runs_in_root(hook))
        return _copied(hook, plain) if isinstance(hook.source, HookDirectory) else plain

    def unlisted(self, argv: tuple[str, ...], event: Event, project: str) -> Hook:
        from hooktui import formats
        from hooktui.formats import hook_dependencies, hook_version

        command = argv[2] if len(argv) == 3 and argv[1] == "-c" else shlex.join(argv)
        title, here = " ".join(command.split()[:2]) or argv[0], paths.working_directory()
        hook = formats.detached_hook(event.host, event.name, event.as_written, name=title).replace(
            id=f"{event.host}:observed:{title}",
            argv=argv,
            command=command,
            cwd=here if here != project else None,
            timeout_ms=_NO_TIMEOUT_MS,
            root=project,
        )
        return hook_version.with_scripts(hook_dependencies.covered(hook).replace(text=" ".join(argv)), hook.id)


def _copied(hook: Hook, plain: Verified) -> Verified | None:
    """The hook as it runs from its copy, or in place if it cannot be copied; None if it has changed."""
    from hooktui.formats.agenthooks import entry_script

    try:
        copy = trust.copy(hook, plain.digest)
    except OSError as error:
        return plain.replace(fault=f"cannot copy its approved files: {error.strerror or error}")
    except NotCopiedError:
        return plain
    if not copy:
        return None
    return plain.replace(argv=entry_script.find(copy).argv, copy=copy)
