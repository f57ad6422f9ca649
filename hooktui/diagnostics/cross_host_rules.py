"""Rules about differences between hosts (formats.md §3, "What goes wrong between hosts").

What makes a host skip a file, an entry or an event is reported while the file is read. These rules look at values,
commands and scripts. A rule stays silent rather than report something wrong.
"""

from __future__ import annotations

import shlex
from collections import Counter
from typing import TYPE_CHECKING

from hooktui import hosts, scripts
from hooktui.core.model import AzureEntry, JsonEntry
from hooktui.diagnostics import answer_traps, matcher_rules, output_rules, path_rules
from hooktui.diagnostics.codes import CODES
from hooktui.diagnostics.exit_rules import async_block, weak_exit_of_host
from hooktui.diagnostics.field_rules import object_as_text, undefined_field, undefined_tool_field
from hooktui.diagnostics.name_rules import missing_program
from hooktui.diagnostics.script_text import InlineText, texts
from hooktui.diagnostics.variable_rules import missing_argument, option_in_shell, undefined_variable
from hooktui.formats.json_hooks import json_command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from hooktui.core.model import Diagnostic, Hook, HookSource, Severity
    from hooktui.diagnostics.rule_context import Snapshot
    from hooktui.diagnostics.script_text import ScriptText

    _Rule = Callable[[Hook, Snapshot], Iterator[Diagnostic]]
    _TextRule = Callable[[ScriptText], Iterator[Diagnostic]]

_THOUSAND = 1000  # from here on a timeout is probably in milliseconds, below in seconds
_TEN_MINUTES_S = 600


def between_hosts(catalog: Snapshot) -> Iterator[Diagnostic]:
    """Apply the rules to each hook in a JSON or Azure file."""
    for hook in catalog.hooks:
        rules, text_rules = _RULES.get(type(hook.source), ((), ()))
        for rule in rules:
            yield from rule(hook, catalog)
        readers = catalog.relevant.readers(hook)
        for script in texts(hook, catalog.places, readers) if text_rules else ():
            for problem in (problem for text_rule in text_rules for problem in text_rule(script)):
                if problem.code != "denies-everything" or not matcher_rules.never_runs(hook, catalog):
                    yield problem


def is_seen_by_another(problem: Diagnostic, catalog: Snapshot) -> bool:
    """Whether a block that one host misses is in a script that hooks of another host start, and that host sees it there."""
    if problem.code != "host-misses-block":
        return False
    own = next((hook.format for hook in catalog.hooks if hook.id == problem.hook), "")
    for hook in catalog.hooks if own in problem.hosts else ():
        if hook.format == own or hook.file == problem.file or not isinstance(hook.source, JsonEntry):
            continue
        if any(started.path == problem.file for started in json_command.scripts(hook)):
            read = texts(hook, catalog.places, (hosts.spec(hook.format),))
            return any(script.notes.file == problem.file and not list(output_rules.missed(script)) for script in read)
    return False


def _suspect_unit(hook: Hook, catalog: Snapshot) -> Iterator[Diagnostic]:
    places, spec = catalog.places, hosts.spec(hook.format)
    in_seconds = spec.entry.timeout_unit == "s"
    reads_both = spec.entry.timeout_ms(1) != spec.entry.unit_ms  # small numbers as seconds, others not
    is_long = hook.timeout_ms >= _THOUSAND * (1000 if in_seconds or reads_both else 1)
    if is_long != in_seconds:
        return
    node = places.node(hook, *spec.entry.timeout_keys)
    if node is None or not isinstance(node.value, int | float) or not node.value > 0 or (node.value < _THOUSAND) == in_seconds:
        return
    if in_seconds and (hook.is_async or (node.value % _TEN_MINUTES_S == 0 and node.value % _THOUSAND)):
        return  # it may well take so long
    if in_seconds:
        meant, unit = f"{node.value / 1000:g}", "ms"
        message = f"timeout is in seconds: the hook may take {node.value / 60:.0f} minutes"
    else:
        meant, unit = f"{node.value * 1000:g}", "s"
        which = "older versions of " if reads_both else ""
        message = f"timeout is in milliseconds: {which}{spec.title} end{'' if which else 's'} the hook after "
        message += f"{node.value / 1000:g} s, and go{'' if which else 'es'} on"
    fix = places.replacement(hook, f"write {meant}", node, meant)
    severity: Severity = "info" if reads_both else "warning"
    yield places.at(hook, node, severity, "unit-suspect", message, hint=f"{node.value:g} {unit} would be {meant}", fix=fix)


def _ignored_arguments(hook: Hook, catalog: Snapshot) -> Iterator[Diagnostic]:
    """A host reads the file and runs the program without its `args`."""
    arguments = catalog.places.node(hook, "args")
    if arguments is None or not arguments.value or not hook.argv:
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


def _broken_syntax(script: ScriptText) -> Iterator[Diagnostic]:
    """A command with an open quote or an `if`, `case`, `do` or brace without its end, so that no shell runs it."""
    own = isinstance(script, InlineText) and script.is_shell and "<<" not in script.text
    problem = _unended(script.text) if own and not scripts.names(script.text).complete else ""
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
    matcher_rules.unmatchable,
    matcher_rules.misdirected_condition,
)
_PATHS = (path_rules.missing_scripts, path_rules.relative_path, path_rules.unquoted_path)
_NAMES = (
    undefined_field,
    undefined_tool_field,
    object_as_text,
    undefined_variable,
    option_in_shell,
    missing_argument,
    missing_program,
)
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
