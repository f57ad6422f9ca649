"""From a hook and an event to the command that is run: each type of hook is a process, so that one deadline holds for all."""

from __future__ import annotations

import os
import sys

from hooktui.core import fast_json, paths
from hooktui.core.model import JsonEntry
from hooktui.engine import protocols
from hooktui.engine.process import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Event, Hook
    from hooktui.core.settings import Setting


class Unrunnable(Exception):
    """This hook cannot be started; the message says why."""


def command_of(hook: Hook, event: Event, setting: Setting) -> Command:
    """The process that stands for one run; raises Unrunnable."""
    protocol = protocols.load(hook.format)
    said = protocol.stdin(hook, event)
    argv, stdin = _BY_TYPE[hook.type](hook, said, setting)
    return Command(
        argv=argv,
        stdin=fast_json.dumps(stdin).encode(),
        cwd=protocol.directory(hook, event, setting.project),
        env={**setting.env, **protocol.environment(hook, setting)},
        timeout_s=hook.timeout_ms / 1000,
    )


def _process(hook: Hook, said: dict[str, Any], setting: Setting) -> tuple[tuple[str, ...], dict[str, Any]]:
    return hook.arguments(setting.project) or _script(hook), said


def _script(hook: Hook) -> tuple[str, ...]:
    """An inline script as a file that its shebang's interpreter can be given; bash without one (formats.md §4)."""
    text = hook.inline_script
    if text is None:
        raise Unrunnable("it has no command")
    directory = os.path.join(paths.state_dir(), "scripts")
    path = os.path.join(directory, hook.version)
    draft = f"{path}.{os.getpid()}"
    try:
        os.makedirs(directory, mode=0o700, exist_ok=True)
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o700), "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(draft, path)
    except (OSError, UnicodeEncodeError) as error:
        raise Unrunnable(f"its script cannot be written: {error}") from error
    return (path,) if text.startswith("#!") else ("bash", path)


def _http(hook: Hook, said: dict[str, Any], _setting: Setting) -> tuple[tuple[str, ...], dict[str, Any]]:
    entry = hook.source
    if not isinstance(entry, JsonEntry):
        raise Unrunnable("it has no url")
    request = {"url": entry.url, "headers": entry.headers, "allowed": entry.allowed_variables}
    return (sys.executable, "-I", "-m", "hooktui.engine.http_hooks"), {**request, "body": said}


def _prompt(hook: Hook, said: dict[str, Any], setting: Setting) -> tuple[tuple[str, ...], dict[str, Any]]:
    if not setting.model_endpoint:
        raise Unrunnable("no model configured ([prompt] in your configuration)")
    request = {"endpoint": setting.model_endpoint.as_dict(), "tier": hook.model, "prompt": rendered_prompt(hook, said)}
    return (sys.executable, "-I", "-m", "hooktui.engine.prompt_hooks"), request


def rendered_prompt(hook: Hook, said: dict[str, Any]) -> str:
    """The prompt as a model gets it: `$ARGUMENTS` replaced by the context JSON, which is appended when it is absent (§4)."""
    prompt, context = hook.prompt or "", fast_json.dumps(said, ascii_only=False)
    return prompt.replace("$ARGUMENTS", context) if "$ARGUMENTS" in prompt else f"{prompt}\n\n{context}"


_BY_TYPE = {"command": _process, "http": _http, "prompt": _prompt}
