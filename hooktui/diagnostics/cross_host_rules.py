"""Rules about differences between hosts (formats.md §3, "What goes wrong between hosts").

What makes a host skip a file, an entry or an event is reported while the file is read. These rules look at values,
commands and scripts. A rule stays silent rather than report something wrong.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core.model import AzureEntry, JsonEntry
from hooktui.diagnostics import answer_traps, matcher_rules, output_rules, path_rules
from hooktui.diagnostics.codes import CODES
from hooktui.diagnostics.exit_rules import async_block, weak_exit_of_host
from hooktui.diagnostics.name_rules import missing_program, undefined_variable
from hooktui.diagnostics.script_text import texts
from hooktui.formats import shell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from hooktui.core.model import Diagnostic, Hook, HookSource
    from hooktui.diagnostics.rule_context import Snapshot
    from hooktui.diagnostics.script_text import ScriptText

    _Rule = Callable[[Hook, Snapshot], Iterator[Diagnostic]]
    _TextRule = Callable[[ScriptText], Iterator[Diagnostic]]

_THOUSAND = 1000  # from here on a timeout is probably in milliseconds, below in seconds
_SNAKE_CASE = {
    "sessionId": "session_id",
    "hookEventName": "hook_event_name",
    "toolName": "tool_name",
    "toolArgs": "tool_input",
    "toolInput": "tool_input",
}
_CAMEL_CASE = {"session_id": "sessionId", "tool_name": "toolName", "tool_input": "toolArgs", "tool_response": "toolResult"}
# Fields of Claude Code's tools under other names, where the matcher allows only tools that do not have them.
_TOOL_FIELD = r"tool_input\b[\"'\])}},.{{ ]*(?:get\([\"']|\[[\"']|\.)(?P<name>{0})\b"
_PATH_NAMES = ("path", "filePath", "filepath", "filename", "file")
_COMMAND_NAMES = ("cmd", "script", "commandLine")
_KEY_READ = r"(?:\bget\(\s*|\[)[\"']{0}[\"']"
_JQ_FIELD = r"\bjq\b[^\n|]{{0,300}}?(?<![\w\])\"?])\.{0}\b(?!\s*//)"


def between_hosts(catalog: Snapshot) -> Iterator[Diagnostic]:
    """Apply the rules to each hook in a JSON or Azure file."""
    for hook in catalog.hooks:
        rules, text_rules = _RULES.get(type(hook.source), ((), ()))
        for rule in rules:
            yield from rule(hook, catalog)
        readers = catalog.relevant.readers(hook)
        for script in texts(hook, catalog.places, readers) if text_rules else ():
            for text_rule in text_rules:
                yield from text_rule(script)


def _suspect_unit(hook: Hook, catalog: Snapshot) -> Iterator[Diagnostic]:
    """A JSON timeout that is probably in the other unit."""
    places, spec = catalog.places, hosts.spec(hook.format)
    in_seconds = spec.entry.timeout_unit == "s"
    is_long = hook.timeout_ms >= _THOUSAND * (1000 if in_seconds or spec.entry.seconds_below else 1)
    if is_long != in_seconds:
        return
    node = places.node(hook, *spec.entry.timeout_keys)
    if node is None or not isinstance(node.value, int | float) or not node.value > 0 or (node.value < _THOUSAND) == in_seconds:
        return
    if in_seconds:
        meant, unit = f"{node.value / 1000:g}", "ms"
        message = f"timeout is in seconds: {node.value:g} is {node.value / 60:.0f} minutes"
    else:
        meant, unit = f"{node.value * 1000:g}", "s"
        which = "older versions of " if spec.entry.seconds_below else ""
        message = f"timeout is in milliseconds: {which}{spec.title} end{'' if which else 's'} the hook after "
        message += f"{node.value / 1000:g} s, and go{'' if which else 'es'} on"
    fix = places.replacement(hook, f"write {meant}", node, meant)
    yield places.at(hook, node, "warning", "unit-suspect", message, hint=f"{node.value:g} {unit} would be {meant}", fix=fix)


def _ignored_arguments(hook: Hook, catalog: Snapshot) -> Iterator[Diagnostic]:
    """A host reads the file and runs the program without its `args`."""
    arguments = catalog.places.node(hook, "args")
    if arguments is None or not arguments.value:
        return
    for host in catalog.relevant.readers(hook):
        is_own = host.name == hook.format
        if (is_own and "args" not in host.entry.keys) or catalog.places.node(hook, host.entry.program_key) is not None:
            continue
        program = hook.argv[0] if hook.argv[-1:] != (hook.command,) else hook.command or ""
        fails = host.fails_closed(hook.event) and "/" not in program and " " not in program  # python3 without its script
        effect = "denies every tool call" if fails else "runs the program without them"
        message = f"{host.title} {'' if is_own else 'reads this file too, '}ignores args and {effect}"
        code = "denies-everything" if fails else "ignored-key"
        hint = "write them into the command" if not is_own else f"write them into the command, or use {host.entry.program_key}"
        yield catalog.places.at(hook, arguments, CODES[code].severity, code, message, hint=hint, hosts=(host.name,))


def _undefined_field(script: ScriptText) -> Iterator[Diagnostic]:
    """A jq program reads a field by another host's name: it is null."""
    hook = script.hook
    elsewhere = {} if hosts.spec(hook.format).speech.result_object else {"tool_output": "tool_response"}
    is_camel = hosts.spec(hook.format).speech.camel_payloads and hook.event_as_written[:1].islower()
    for wrong, right in (_CAMEL_CASE if is_camel else _SNAKE_CASE | elsewhere).items():
        # A text that also uses the right name is written for several hosts.
        if re.search(rf"\b{right}\b", script.text):
            continue
        program = re.search(_JQ_FIELD.format(wrong), script.text)
        match = re.compile(rf"\.{wrong}\b").search(script.text, program.start()) if program else None
        match = match or (None if script.is_shell else re.search(_KEY_READ.format(wrong), script.text))
        if match:
            message = f"{hosts.spec(hook.format).title} events have no field {wrong}: it is null"
            meant = match.group().replace(wrong, right) if script.text.count(wrong) == 1 else ""
            diagnostic = script.warn("undefined-field", message, match.span(), f"use {right}", meant)
            yield diagnostic.replace(hosts=(hook.format,))


def _undefined_tool_field(script: ScriptText) -> Iterator[Diagnostic]:
    """A field of a tool's input that none of the matched tools has."""
    spec, matched = hosts.spec(script.hook.format), set((script.hook.tool or "").split("|"))
    files = {spec.tools.get(tool) for tool in ("read", "write", "edit")}
    for tools, names, right in (
        (files, _PATH_NAMES, spec.inputs.get("path")),
        ({spec.tools.get("shell")}, _COMMAND_NAMES, "command"),
    ):
        if right is None or not matched <= tools or re.search(rf"\b{right}\b", script.text):
            continue
        wrong = [name for name in names if name != right]
        if match := re.search(_TOOL_FIELD.format("|".join(wrong)), script.text):
            message = f"{script.hook.tool} has no field {match['name']} in {spec.title}: it is null"
            yield script.warn("undefined-field", message, match.span(), f"use {right}").replace(hosts=(script.hook.format,))


def _broken_syntax(script: ScriptText) -> Iterator[Diagnostic]:
    """A command with an open quote or an `if`, `case`, `do` or brace without its end, so that no shell runs it."""
    own = script.text == script.hook.command and script.is_shell and "<<" not in script.text
    problem = _unended(script.text) if own and not shell.names(script.text).complete else ""
    if problem:
        message = f"the shell cannot parse the command ({problem}): the hook fails every time it runs"
        yield script.warn("bad-command", message, (0, len(script.text)), "complete the command").replace(severity="error")


def _unended(text: str) -> str:
    """What a shell text opens and does not end, "" for nothing."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    try:
        words = Counter(lexer)
    except ValueError:
        return "a quote is not closed"
    return next((f"{opened} without {end}" for opened, end in _PAIRS if words[opened] > words[end]), "")


_PAIRS = (("if", "fi"), ("case", "esac"), ("do", "done"), ("{", "}"))
_MATCHERS = (
    matcher_rules.ignored_matcher,
    matcher_rules.lost_file,
    matcher_rules.unmatchable,
    matcher_rules.misdirected_condition,
)
_PATHS = (path_rules.missing_scripts, path_rules.relative_path, path_rules.unquoted_path)
_ANSWERS = (output_rules.rejected, output_rules.missed, *answer_traps.RULES)
_NAMES = (_undefined_field, _undefined_tool_field, undefined_variable, missing_program)
# By source: rules about a hook, and rules about each text that it runs.
_RULES: Mapping[type[HookSource], tuple[tuple[_Rule, ...], tuple[_TextRule, ...]]] = {
    JsonEntry: (
        (*_MATCHERS, _suspect_unit, _ignored_arguments, *_PATHS),
        (
            output_rules.rejected,
            output_rules.missed,
            weak_exit_of_host,
            async_block,
            _broken_syntax,
            *_NAMES,
            *answer_traps.RULES,
        ),
    ),
    AzureEntry: ((path_rules.missing_scripts,), (weak_exit_of_host, undefined_variable, missing_program)),
}
