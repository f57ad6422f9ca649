"""Rules about values that are never set: variables that no host sets, and arguments that no command passes."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from hooktui import hosts, scripts
from hooktui.diagnostics.script_text import InlineText
from hooktui.formats.json_hooks import json_command
from hooktui.scripts import UsedName

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from hooktui.core.model import Diagnostic
    from hooktui.diagnostics.script_text import ScriptText
    from hooktui.formats.node import Span

# A variable in Python, in JavaScript, and in the arguments of a program.
_READ = (
    r"(?:environ(?:\.get\(|\[)|getenv\()[\"']{0}[\"'](?:, *[\"'](?P<default>[^\"']*)[\"'])?[\])]"
    r"|process\.env(?:\.{0}\b|\[[\"']{0}[\"']\])"
)
_ARGUMENT = r"\$(?:{0}\b|\{{{0}\}})"
_FALLBACK = re.compile(r"\s*(?:\|\||\?\?|or\b)")
# Names that only a command's own author can mean: a script may get them from its caller.
_SHORT = ("COMMAND", "FILE", "FILENAME", "FILEPATH", "FILES", "TOOL")
_FIELD = r"(?:tool_?[iI]nput|tool_?[nN]ame|file_?[pP]ath|file)(?:\.\w+)*"
_TEMPLATE = re.compile(rf"\{{\{{ *\.?{_FIELD} *\}}\}}|(?<![${{])\{{{_FIELD}\}}(?!\}})")
_PERCENT = re.compile(r"%([A-Z]+_[A-Z_]+)%")
_GETS_ARGUMENTS = re.compile(r"\(\)|\bfunction\b|\bset +--| -\w*[cI]\b")
# Names for a part of the event, behind the name of a host or alone, and their targets in scripts.
_PART = r"(?:TOOL_\w+|FILES?|FILE_PATHS?|(?:USER_)?PROMPT|BASH_COMMAND|HOOK_(?:EVENT|INPUT|NAME)\w*)"
_PART_ALONE = re.compile(_PART)
_TARGET = re.compile(r".*(?:TOOL|FILE|EVENT|COMMAND|PROMPT|INPUT|AGENT)_?(?:NAME|PATH|INPUT|TYPE|JSON)?", re.IGNORECASE)
_TAKES_OPTIONS = re.compile(r"\$#|\$\{#|\bshift\b|\bgetopts\b|\bset +--|\"\$1\" *(?:=|in\b)|\$\{?[@*]")
# A read of the hook's own stdin, not of a pipe.
_READS_STDIN = re.compile(
    r"(?:^|[;&({`!]|\b(?:then|do|timeout \S+))\s*(?:cat\b(?=\s*(?:[-)|;&`\n]|[12]?>(?![^\n]*<<)|\Z))|(?:jq|tee|dd)\b"
    r"|head(?:\s+-?\w+)*\s*(?=[)|;&\n]|\Z)"
    r"|(?:python[\d.]*|node)\s+(?:[^-\s|]|[^|]{0,400}?(?:stdin|readFileSync\(0)))"
    r"|\bread\s+-?\w|/dev/(?:stdin|fd/0)|<&0|\bmapfile\b|\breadarray\b",
    re.MULTILINE,
)
_FROM_STDIN = "read the event from stdin instead"


def option_in_shell(script: ScriptText) -> Iterator[Diagnostic]:
    """A plugin's option in a shell command, which its host then does not run (run, Claude Code 2.1.332)."""
    spec = hosts.spec(script.hook.format)
    options = spec.plugins.options if spec.plugins and script.hook.plugin_root and script.is_shell else ""
    used = re.search(rf"\$\{{{options}\.([^}}]+)\}}", script.text) if options and isinstance(script, InlineText) else None
    if used:
        message = f"{spec.title} runs no shell command with {used[0]}: only args may have it"
        hint = f"read $CLAUDE_PLUGIN_OPTION_{used[1].upper()} instead, or write the command with args"
        yield script.warn("undefined-variable", message, used.span(), hint)


def undefined_variable(script: ScriptText) -> Iterator[Diagnostic]:
    """Variables that neither this hook's host nor the script sets."""
    own = hosts.spec(script.hook.format)
    plugin_variables = [own.plugin_variable] if script.hook.plugin_root else []
    given = {*own.variables, *script.hook.env, *plugin_variables}
    published = dict(_published())
    if isinstance(script, InlineText) and script.is_shell:
        published |= dict.fromkeys(_SHORT, _FROM_STDIN)
        yield from _placeholders(script)
    for used in sorted(_variables(script, published), key=lambda used: used.span):
        if used.name not in given:
            given.add(used.name)
            message = f"no host sets {used.name} for this hook: {_consequence(used)}"
            yield _report(script, message, used.span, published.get(used.name, _FROM_STDIN))


def missing_argument(script: ScriptText) -> Iterator[Diagnostic]:
    """A script takes a part of the event from its arguments, and the command passes none."""
    if not script.is_shell or not script.is_alone or _TAKES_OPTIONS.search(script.text) or _READS_STDIN.search(script.text):
        return
    for used in scripts.names(script.text).arguments:
        if _TARGET.fullmatch(used.target):
            message = f"the command passes no argument ${used.name}: {_consequence(used)}"
            yield _report(script, message, used.span, _FROM_STDIN)
            return


def _consequence(used: UsedName) -> str:
    """What a variable is that nobody sets: its literal default, or nothing."""
    return f"it is always {used.default}" if used.default else "it is empty"


@cache
def _published() -> Mapping[str, str]:
    """The variables of every host, with hints on what to use instead."""
    return {name: hint for spec in hosts.specs() for name, hint in spec.variable_hints().items()}


@cache
def _part_of_host() -> re.Pattern[str]:
    """A variable with a host's prefix that is named after part of the event. Nothing but a host would set it."""
    prefixes = {name.partition("_")[0] for spec in hosts.specs() for name in (spec.name.upper(), *spec.variables)}
    return re.compile(rf"(?:{'|'.join(sorted(prefixes))})_{_PART}")


def _placeholders(script: ScriptText) -> Iterator[Diagnostic]:
    """Templates in a command, which nobody replaces, and arguments, which no host passes; the first of each."""
    if _GETS_ARGUMENTS.search(script.text):
        return
    if template := _TEMPLATE.search(script.text):
        yield _report(script, f"no host replaces {template.group()}", template.span(), _FROM_STDIN)
    percent = _PERCENT.search(script.text)
    if percent and not any("%" in called.path for called in json_command.scripts(script.hook)):
        message = f"no shell expands {percent.group()}"
        yield _report(script, message, percent.span(), f'write "${percent[1]}"')
    argument = next((used for used in scripts.names(script.text).variables if used.name.isdecimal() and used.name != "0"), None)
    if argument:
        yield _report(script, f"no host passes arguments: ${argument.name} is empty", argument.span, _FROM_STDIN)


def _report(script: ScriptText, message: str, span: Span, hint: str) -> Diagnostic:
    own = () if script.hook.format == hosts.DEFAULT else (script.hook.format,)
    return script.warn("undefined-variable", message, span, hint).replace(hosts=own)


def _variables(script: ScriptText, published: Collection[str]) -> Iterator[UsedName]:
    """The variables that a text reads and does not set, among the published ones and those for a part of the event."""
    if script.is_shell:
        yield from _in_shell(script, published)
        return
    is_command = isinstance(script, InlineText)
    reads_stdin = "stdin" in script.text or "readFileSync(0" in script.text
    for name in {*(name for name in published if name in script.text), *_part_of_host().findall(script.text)}:
        for match in re.finditer((_ARGUMENT if is_command else _READ).format(name), script.text):
            default = match.groupdict().get("default")
            if not reads_stdin or (default is None and not _FALLBACK.match(script.text, match.end())):
                yield UsedName(name, match.span(), default=default or "")


def _in_shell(script: ScriptText, published: Collection[str]) -> Iterator[UsedName]:
    names, part = script.names(), _part_of_host()
    if names.loads:
        return
    for used in names.variables:
        if used.name not in names.assigned and (used.name in published or part.fullmatch(used.name)):
            yield used
    for used in names.defaulted if not _READS_STDIN.search(script.text) else ():
        is_alone = used.name in published and used.name not in _SHORT and _PART_ALONE.fullmatch(used.name)
        if used.name not in names.assigned and (is_alone or part.fullmatch(used.name)):
            yield used
