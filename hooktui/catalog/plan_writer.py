"""Write the compiled plan of a project, which `run` uses while none of its sources changes (runner/plan.py)."""

from __future__ import annotations

import json
import marshal
import os
import warnings
from _blake2 import blake2b
from re import _compiler, _parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any

from hooktui.core import paths, patterns
from hooktui.core.hook_sources import encode_source
from hooktui.core.model import Hook, HookDirectory
from hooktui.core.paths import may_change, stamp
from hooktui.formats.agenthooks.hook_file import HOOK_FILE
from hooktui.runner import matching, plan
from hooktui.runner.redaction import redact, redacted_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hooktui.core.patterns import RegexCode
    from hooktui.runner.plan import Compiled, Numbered, Stamped

_RUN_FIELDS = ("text", "argv", "command", "commands", "env", "prompt", "source")  # texts that a run needs as they are


def store(
    directory: str,
    formats: Sequence[str],
    compiled: Compiled,
    watched: Iterable[str],
    begun_ns: int,
    variables: Iterable[str] = (),
    regexes: Mapping[str, bytes] | None = None,
) -> None:
    """Write the plan. Failures to write are ignored. `variables` of the environment say where hosts keep their files.
    `regexes` are matchers from `compiled_regexes`; the others are compiled when they are searched.

    Nothing is written if a source changed after `begun_ns` (nanoseconds since 1970) or so shortly before that it may change
    again within one timestamp, nor if a hook needs a secret to run.
    """
    hooks = _without_secrets(compiled.hooks)
    if hooks is None:
        return
    stamps = {path: stamp(path) for path in sorted({paths.config_file(), paths.managed_file(), *watched})}
    if any(may_change(known, begun_ns) for known in stamps.values()):
        return
    own = _own_files(hooks, stamps)
    stamped = {root: [(path, stamps.pop(path)) for path in files] for root, files in own.items()}
    groups = _groups(hooks, stamped, regexes or {})
    prompt = compiled.settings.prompt
    content = {
        "key": plan.key_of(directory, formats),
        "stamps": list(stamps.items()),
        "variables": [(name, os.environ.get(name)) for name in variables],
        "groups": groups,
        "digest": blake2b(b"".join(groups.values()), digest_size=16).hexdigest(),
        "rivals": _rivals(hooks),
        "settings": {**compiled.settings.as_dict(), "prompt": prompt.as_dict() if prompt else None},
        "trouble": compiled.trouble,
    }
    path = plan.path_of(directory, formats)
    try:
        paths.write_private(path, marshal.dumps(content))
    except OSError:
        return  # the next run loads in full again


def _without_secrets(hooks: Sequence[Hook]) -> tuple[Hook, ...] | None:
    """The hooks with redacted texts; None if one cannot run without a secret. The text of an entry is part of its digest."""
    clean = []
    for hook in hooks:
        text = redact(hook.text) if isinstance(hook.source, HookDirectory) else hook.text
        shown = hook.replace(text=text, description=redact(hook.description), scripts_text=redact(hook.scripts_text))
        run = json.loads(json.dumps([value for name, value in _plain(shown).items() if name in _RUN_FIELDS]))
        if redacted_value(run) != run:
            return None
        clean.append(shown)
    return tuple(clean)


def _own_files(hooks: Sequence[Hook], watched: Iterable[str]) -> dict[str, list[str]]:
    """The watched files in each directory with a HOOK.md, except that: only an event that may run its hook looks at them."""
    roots = {hook.root for hook in hooks if hook.file == os.path.join(hook.root, HOOK_FILE)}
    own: dict[str, list[str]] = {}
    for path in watched:
        directory = path
        while directory not in roots and len(directory) > 1:
            directory = os.path.dirname(directory)
        if directory in roots and path != os.path.join(directory, HOOK_FILE):
            own.setdefault(directory, []).append(path)
    return own


def _groups(hooks: Sequence[Hook], own: Mapping[str, list[Stamped]], codes: Mapping[str, bytes]) -> dict[str, bytes]:
    """The hooks of each event, as marshalled pairs, with their regexes; "" has the broken hooks without a known event."""
    groups: dict[str, tuple[list[Numbered], dict[str, bytes]]] = {}
    for position, hook in enumerate(hooks):
        stored, regexes = groups.setdefault(hook.event, ([], {}))
        files = own.get(hook.root, []) if isinstance(hook.source, HookDirectory) else []
        stored.append((position, marshal.dumps((_plain(hook), files))))
        regexes.update((text, codes[text]) for text in matching.regexes(hook) if text in codes)
    return {event: marshal.dumps(group) for event, group in groups.items()}


def _rivals(hooks: Sequence[Hook]) -> dict[str, list[str]]:
    """For each event, the other events whose hooks may replace one of its hooks."""
    event_of = {hook.id: hook.event for hook in hooks}
    others = {hook.event: {event_of[rival] for rival in hook.rivals} - {hook.event} for hook in hooks if hook.rivals}
    return {event: sorted(events) for event, events in others.items() if events}


def _plain(hook: Hook) -> dict[str, Any]:
    """The fields of a hook that differ from their defaults, without metadata, which may contain dates."""
    plain = {**hook.as_dict(), "source": encode_source(hook.source), "metadata": {}}
    if hook.obstacle:
        plain["obstacle"] = hook.obstacle.as_dict()
    return {name: value for name, value in plain.items() if name not in Hook._defaults or value != Hook._defaults[name]}


def compiled_regexes(hooks: Iterable[Hook]) -> dict[str, bytes]:
    """The code of each regex that judging hooks may search with, marshalled, without plain texts and invalid regexes.

    It is what `re`, which takes 6 ms to import, passes to its C module; it fits the version that the plan names in its key.
    """
    usable = [hook for hook in hooks if not hook.obstacle]
    regexes = {text for hook in usable for text in matching.regexes(hook) if not patterns.is_plain(text)}
    codes = {text: regex_code(text) for text in regexes}
    return {text: marshal.dumps(code) for text, code in codes.items() if code}


def regex_code(regex: str) -> RegexCode | None:
    """The arguments of `_sre.compile` that follow the pattern; None if it is not valid."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about syntax that may change in a later Python
            parsed = _parser.parse(regex)
            words = _compiler._code(parsed, 0)
    except (_compiler.error, OverflowError, RecursionError):
        return None
    state = parsed.state
    names: list[str | None] = [None] * state.groups
    for name, number in state.groupdict.items():
        names[number] = name
    return int(state.flags), [int(word) for word in words], state.groups - 1, state.groupdict, tuple(names)
