"""The identity and label of hooks without a name of their own: by content and file, and by what they run (contract.md)."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from urllib.parse import urlsplit

from hooktui import scripts
from hooktui.core import paths
from hooktui.core.model import AzureEntry, Hook
from hooktui.formats import hook_version
from hooktui.formats.json_hooks import json_command
from hooktui.scripts import analysis_budget

_DIGEST = 12  # hexadecimal digits in an identity
_LONGEST = 40  # characters of a label
_LONGEST_WORDS = 1000  # characters of a command whose syntax is broken; splitting takes quadratic time


def identified(hooks: Iterable[Hook]) -> tuple[Hook, ...]:
    """The hooks of one file with their identities and labels; of several alike, each after the first gets its number."""
    seen: Counter[tuple[str, str]] = Counter()
    known = []
    for hook in hooks:
        if not isinstance(hook.source, AzureEntry) or hook.agent:  # the others are named in their metadata
            with analysis_budget.for_hook(hook):
                identity, label = identity_of(hook), label_of(hook)
            seen.update([("", identity), (hook.event_as_written, label)])
            nth, nth_label = seen["", identity], seen[hook.event_as_written, label]
            identity = identity if nth == 1 else f"{identity}#{nth}"
            hook = hook.replace(identity=identity, label=label if nth_label == 1 else f"{label} ({nth_label})")
        known.append(hook_version.placed(hook))
    return tuple(known)


def identity_of(hook: Hook) -> str:
    """`FORMAT:SCOPE:FILE:EVENT:DIGEST`, which no other entry changes; the digest is of the matcher and of what runs."""
    content = (hook.plugin, hook.tool or "", hook.type, *hook.argv, hook.url or "", hook.prompt or "", hook.inline_script or "")
    digest = sha256("\0".join(content).encode(errors="surrogatepass")).hexdigest()[:_DIGEST]
    return ":".join((hook.format, hook.scope, _place(hook), hook.event_as_written, digest))


def label_of(hook: Hook) -> str:
    """The entry's own name, else its script's file name, else the words of its main program or a line of its prompt."""
    own = hook.metadata.get("name")
    if isinstance(own, str) and own.strip():
        return own.strip()
    if hook.calls_hooktui:
        return "hooktui"
    if hook.url:
        return _short(_web_label(hook.url)) or hook.name
    scripts = json_command.scripts(hook)
    if scripts:
        return os.path.basename(scripts[0].path)
    return _short(_first_words(hook.command) if hook.command else _first_line(hook.prompt or "")) or hook.name


def command_label(command: str) -> str:
    """The label of a hook of which only the command is known."""
    return _short(_first_words(command)) or _short(_first_line(command))


def _web_label(url: str) -> str:
    """A URL without scheme, user, port and query; whole if it is not valid."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    return f"{parts.hostname or ''}{parts.path}"


def _place(hook: Hook) -> str:
    """The hook's file, relative to its project or to the home directory."""
    inside = os.path.join(hook.root, "")
    return hook.file[len(inside) :] if hook.scope != "user" and hook.file.startswith(inside) else paths.short(hook.file)


def _first_words(command: str) -> str:
    """The first two words of a command's main program; a path alone, by its last part, says enough."""
    words = scripts.main_program(command) or _split(_first_line(command)[:_LONGEST_WORDS])
    if code := scripts.code_of(words):
        return f"{os.path.basename(words[0])} {_first_line(code)}"
    words = [first for word in words[:3] if (first := _first_line(word))]
    first, *rest = (words[1:] if words[:1] in (["."], ["source"]) else words) or [""]
    return os.path.basename(first.rstrip("/")) if "/" in first else " ".join((first, *rest[:1]))


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:  # an open quotation
        return line.split()


def _first_line(text: str) -> str:
    return next(filter(None, map(str.strip, text.splitlines())), "")


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
