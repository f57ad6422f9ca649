"""Rules about the scripts that commands name: missing, not executable, found only from one directory, or split at blanks."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from types import MappingProxyType
from typing import TYPE_CHECKING

from hooktui import hosts, scripts
from hooktui.config import git, suggest
from hooktui.core import paths
from hooktui.core.model import Fix, JsonEntry
from hooktui.core.paths import short
from hooktui.formats import text_edit
from hooktui.formats.asked_once import ask
from hooktui.formats.json_hooks import json_command
from hooktui.scripts import analysis_budget, commands, hooktui_commands

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hooktui.core.model import Diagnostic, Hook, Severity
    from hooktui.diagnostics.rule_context import HostPlaces, Snapshot
    from hooktui.formats.node import Node, Span
    from hooktui.scripts import Script
    from hooktui.scripts.syntax import Word

_TEMPLATES = ("", ".sh", ".bash", ".py")  # suffixes
_GIT_ROOT = '"$(git rev-parse --show-toplevel)"'
_BATCH_VARIABLE = re.compile(r"%(\w+)%")  # of cmd.exe, through which no host runs hooks
_WHERE = {"always": "every time it runs", "sometimes": "when it calls the script"}
_WITHOUT = {
    "always": "the hook fails",
    "sometimes": f"the hook fails {_WHERE['sometimes']}",
    "perhaps": "the script does not run",
}
_INSIDE = "use a path inside the project"
_LIKENESS = 0.75  # of two script names
_OWN_CHARACTERS = 8192  # per hook, read even when the budget is spent
_EXITS_2 = re.compile(r"python[0-9.]*|perl|dash")  # programs that exit 2 without their script
_BELOW_HOME = re.compile(r"[\"']?(?:~/|\$(?:HOME\b|\{HOME\}))")
# The home of a user on some system, or a Windows drive.
_HOMES = re.compile(r"(/(?:Users|home)/[^/]+|/root)/|[A-Za-z]:[\\/]")


def missing_scripts(hook: Hook, catalog: Snapshot) -> Iterator[Diagnostic]:
    """A command names a script that does not exist or is not executable, or runs in a directory that does not exist."""
    places = catalog.places
    if hook.cwd and not os.path.isdir(hook.cwd):
        yield _missing_directory(hook, hook.cwd, places)
        return
    for command, called in _named(hook):
        for script in called:
            wrong = _wrong(script) if script.called != "perhaps" else None
            if wrong is None:
                continue
            fails = _failure(hook, script, f"the hook fails {_WHERE[script.called]}")
            node, inside = places.command(hook, command, script.span)
            if wrong == "missing":
                yield _missing(hook, places, command, script, fails)
            else:
                message = f"{short(script.path)} is not executable: {fails}"
                fix = Fix(label="make it executable", kind="chmod", path=script.path)
                hint = f"chmod +x {short(script.path)}"
                yield places.at(hook, node, "warning", "not-executable", message, hint=hint, inside=inside, fix=fix)


def _missing_directory(hook: Hook, path: str, places: HostPlaces) -> Diagnostic:
    spec, node = hosts.spec(hook.format), places.node(hook, "cwd")
    denies = spec.fails_closed(hook.event) and not hook.is_async
    fails = f"the hook fails and {spec.title} {_effect(hook)}" if denies else "the hook fails"
    severity: Severity = "info" if ask(git.is_ignored, path) else "error"
    message, hint = f"the directory {short(path)} does not exist: {fails}", "create it or fix the path"
    return places.at(hook, node, severity, "missing-script", message, hint=hint)


def _effect(hook: Hook) -> str:
    return "denies the tool" if hook.event == "pre-tool-call" else "blocks"


def _named(hook: Hook) -> list[tuple[str, list[Script]]]:
    """The commands of a hook with their scripts: also where other hooks have more scripts than one check reads."""
    if not analysis_budget.is_spent():
        return list(json_command.by_command(hook))
    with analysis_budget.limited(_OWN_CHARACTERS):
        return list(json_command.by_command(hook))


def _missing(hook: Hook, places: HostPlaces, command: str, script: Script, fails: str) -> Diagnostic:
    node, inside = places.command(hook, command, script.span)
    if script.path.startswith(scripts.LITERAL_HOME):
        return _literal_home(hook, places, command, script, fails)
    if _is_of_another_machine(script.path):
        message = f"{script.path} is a path on another machine: {fails}"
        twin = _twin(hook, script)
        word = _called(hook, twin) if twin else ""
        hint = f"the project has it at {os.path.relpath(twin.path, hook.root)}: write {word}" if twin else _INSIDE
        fix = _rewritten(hook, places, node, command, twin, word) if twin else None
        return places.at(hook, node, "error", "missing-script", message, hint=hint, inside=inside, fix=fix)
    written = command[slice(*script.span)]
    if variable := _BATCH_VARIABLE.search(written):
        message = f"no shell expands {variable[0]}: {fails}"
        hint = f'write "{hosts.spec(hook.format).shell_variable(variable[1])}" and / between directories'
        return places.at(hook, node, "error", "missing-script", message, hint=hint, inside=inside)
    if elsewhere := _made_elsewhere(hook, command, script):
        message = f"{short(script.path)} does not exist here, {elsewhere}: without it, {fails}"
        return places.at(hook, node, "info", "missing-script", message, hint="create it or fix the path", inside=inside)
    message = f"{short(script.path)} does not exist: {fails}"
    meant = _namesake(script.path)
    right = _other_name(command, script, inside, meant) if inside and meant else None
    fix = (right and places.correction(hook, node, *right)) or _creation(hook, script.path)
    hint = f"did you mean {meant}?" if meant else "create it or fix the path"
    return places.at(hook, node, "error", "missing-script", message, hint=hint, inside=inside, fix=fix)


def _made_elsewhere(hook: Hook, command: str, script: Script) -> str:
    """Why a missing script may exist where the hook runs; empty if there is no sign of that."""
    if hook.scope != "user" and _BELOW_HOME.match(command[slice(*script.span)]):
        return "in your home directory"
    return "where git ignores it, such as what a build makes" if ask(git.is_ignored, script.path) else ""


def _literal_home(hook: Hook, places: HostPlaces, command: str, script: Script, fails: str) -> Diagnostic:
    """A path whose `~` nobody expands: it is in quotes, or no shell reads it."""
    node, inside = places.command(hook, command, script.span)
    below = script.path.removeprefix(scripts.LITERAL_HOME)
    home = script._replace(path=os.path.join(paths.home(), below))
    word = home.path if _is_program(hook) else f'"$HOME"/{shlex.quote(below)}'
    reason = "no shell expands ~ here" if _is_program(hook) else "~ is in quotes, where the shell does not expand it"
    message = f"{script.path} does not exist: {reason}, and {fails}"
    fix = _rewritten(hook, places, node, command, home, word)
    return places.at(hook, node, "error", "missing-script", message, hint=f"write {word}", inside=inside, fix=fix)


def relative_path(hook: Hook, catalog: Snapshot) -> Iterator[Diagnostic]:
    """A command finds its script only while the session is in the project's root, on a host that starts hooks elsewhere; in a
    plugin, never."""
    spec = hosts.spec(hook.format)
    if not spec.runs_in_session_dir or not _anchor(hook) or (hook.placeholder and hook.scope == "user"):
        return
    everywhere = {script.span for script in json_command.scripts(hook, anywhere=True)}
    for script in _from_root(hook):
        if script.span in everywhere or not os.path.isfile(script.path):
            continue
        node, inside = catalog.places.command(hook, hook.command or "", script.span)
        written = (hook.command or "")[slice(*script.span)]
        failure = _failure(hook, script, _WITHOUT[script.called])
        place = "the home directory" if hook.scope == "user" else "the project's root"
        message = f"{written} is found only from {place}: once the agent changes directory, {failure}"
        if hook.plugin_root:
            message = f"{written} is not found: {spec.title} runs a plugin's hooks in the user's project, and {failure}"
        meant = _called(hook, script)
        hint = f"write {meant}"
        fix = _anchored(hook, catalog.places, node, script)
        yield catalog.places.at(hook, node, "warning", "relative-path", message, hint=hint, inside=inside, fix=fix)
        return


def _anchored(hook: Hook, places: HostPlaces, node: Node | None, script: Script) -> Fix | None:
    """A fix that anchors a script and all other files that the command names: a launcher that is found must find its script."""
    command, others = hook.command or "", dict(_other_files(hook, script))
    is_repeated = command.count(os.path.basename(script.path)) > 1  # such as [ -x ./guard.sh ] && ./guard.sh
    is_clear = not _is_program(hook) and all("/" in word.text == command[slice(*word.span)] for word in others)
    if is_repeated or (others and not is_clear):
        return None
    words = {word.span: _called(hook, script._replace(path=path, direct=False)) for word, path in others.items()}
    fix = _rewritten(hook, places, node, command, script, _called(hook, script), words)
    return fix and fix.replace(is_guess=bool(others))  # the script may want them as they are


def _other_files(hook: Hook, script: Script) -> Iterator[tuple[Word, str]]:
    """The other words of a command that name files by relative paths, and those paths."""
    base = hook.plugin_root or (paths.home() if hook.scope == "user" else hook.root)
    if _is_program(hook):
        text = commands.read_arguments(hook.argv, base, {})
    else:
        text = commands.read(hook.command or "", base, json_command.variables(hook))
    for word, path in ((use.word, use.path) for command in text.commands for use in command.uses):
        if path and path != script.path and not os.path.isabs(word.value or "/") and os.path.isfile(path):
            yield word, path


def _failure(hook: Hook, script: Script, otherwise: str) -> str:
    """What happens when a command does not find its script. Some interpreters then exit 2, which blocks."""
    spec, command = hosts.spec(hook.format), hook.command or ""
    program = os.path.basename(command[: script.span[0]].split(" ", 1)[0])
    if (
        not spec.denies_by_exit_2(hook.event)
        or hook.is_async
        or script.called != "always"
        or spec.excuse(hook.event, "no such file")
    ):
        return otherwise
    if spec.fails_closed(hook.event) or hook.fail_mode == "block":
        return f"the hook fails and {spec.title} {_effect(hook)}"
    if script.direct or not _EXITS_2.fullmatch(_known(program)) or not (_is_program(hook) or scripts.is_simple(command)):
        return otherwise
    return f"{program} exits 2 and {spec.title} {_effect(hook)}"


def _known(program: str) -> str:
    """The name of a program; of the system's shell, that of the shell that it is."""
    return os.path.basename(os.path.realpath(shutil.which(program) or program)) if program == "sh" else program


def _is_program(hook: Hook) -> bool:
    """Whether a hook starts its program without a shell."""
    return hook.argv[-1:] != (hook.command,)


def _from_root(hook: Hook) -> list[Script]:
    """The scripts of a command that runs in the project's root; of a user's hook, in the home, of a plugin's, in the plugin."""
    if hook.plugin_root and isinstance(hook.source, JsonEntry):
        source = hook.source.replace(plugin_root="")
        return json_command.scripts(hook.replace(scope="project", root=hook.plugin_root, source=source))
    return json_command.scripts(hook.replace(scope="project") if hook.scope == "user" else hook)


def _anchor(hook: Hook) -> str:
    """The variable that holds the directory below which a hook's scripts are; empty if its host sets none."""
    spec = hosts.spec(hook.format)
    if hook.plugin_root:
        return spec.plugin_variable
    variable = spec.entry.project_variable
    return "HOME" if variable and hook.scope == "user" else variable


def _called(hook: Hook, script: Script) -> str:
    """The word with which a hook's command finds a script from where it runs."""
    below = os.path.relpath(script.path, hook.plugin_root or (paths.home() if hook.scope == "user" else hook.root))
    variable = _anchor(hook)
    if hook.placeholder:
        return f"{f'${{{variable}}}' if hook.plugin_root else hook.placeholder}/{below}"
    if hook.plugin_root:
        return f'"${{{variable}}}"/{shlex.quote(below)}'
    if variable:
        return f'"{hosts.spec(hook.format).shell_variable(variable)}"/{shlex.quote(below)}'
    if hosts.spec(hook.format).runs_in_session_dir:
        return f"{_GIT_ROOT}/{shlex.quote(below)}"
    return f"{'./' * script.direct}{shlex.quote(below)}"


def _rewritten(
    hook: Hook,
    places: HostPlaces,
    node: Node | None,
    command: str,
    script: Script,
    word: str,
    others: Mapping[Span, str] = MappingProxyType({}),
) -> Fix | None:
    """A fix that writes a word in place of a script's, if the hook then finds the script from where it runs, and others in
    place of more words."""
    if node is None:
        return None
    if hook.placeholder:
        _, inside = places.command(hook, command, script.span)
        return places.correction(hook, node, inside, node.value, word)
    start, end = script.span
    if command.count(command[start:end]) > 1:  # such as [ -x ./guard.sh ] && ./guard.sh
        return None
    splices = sorted((*span, text) for span, text in {**others, script.span: word}.items())
    changed = text_edit.spliced(command, splices)
    if not _is_own(hook, node, command) or hook.argv[-1:] != (command,):
        return None
    moved = hook.replace(command=changed, argv=(*hook.argv[:-1], changed))
    if all(other.path != script.path for other in json_command.scripts(moved, anywhere=bool(_anchor(hook)))):
        return None
    start, end = splices[0][0], splices[-1][1]
    behind = len(command) - end
    old, new = (_as_in_file(hook, node, text[start : len(text) - behind]) for text in (command, changed))
    fix = places.correction(hook, node, (start, end), old, new)
    return fix and fix.replace(label=f"write {word}", is_guess=False)


def _is_own(hook: Hook, node: Node, command: str | None) -> bool:
    """Whether a value is a command, observed or not."""
    return command in (node.value, hooktui_commands.original(node.value, hook.format))


def _as_in_file(hook: Hook, node: Node, text: str) -> str:
    """Part of a command as the JSON string of its value has it."""
    observed = hooktui_commands.original(node.value, hook.format) is not None
    return json.dumps(hooktui_commands.quoted_word(text)[1:-1] if observed else text, ensure_ascii=False)[1:-1]


def unquoted_path(hook: Hook, catalog: Snapshot) -> Iterator[Diagnostic]:
    """A variable or a substitution with a directory outside of quotes: the shell splits it at blanks."""
    if not hook.command or hook.argv[-1:] != (hook.command,):
        return
    spec = hosts.spec(hook.format)
    variables = {spec.plugin_variable} if hook.plugin_root else set[str]()
    variables |= {spec.entry.project_variable, *(name for name, value in spec.variables.items() if value == "{project}")}
    names = scripts.names(hook.command)
    named = [used for used in (*names.variables, *names.defaulted) if used.name in variables]
    for used in (*named, *names.directories):
        written = hook.command[slice(*used.span)]
        is_quoted = spec.filled_in(written, hook.root) != written  # by the host
        if used.split and not is_quoted:
            node, inside = catalog.places.command(hook, hook.command, used.span)
            place = "plugin" if used.name == spec.plugin_variable else "project"
            message = f"{written} is not in quotes: the hook fails where the {place}'s path has a space"
            is_own = node is not None and _is_own(hook, node, hook.command)
            fix = catalog.places.correction(hook, node, inside, written, f'\\"{written}\\"') if is_own else None
            fix = fix and fix.replace(label=f'write "{written}"')
            hint = f'write "{written}"'
            yield catalog.places.at(hook, node, "info", "unquoted-path", message, hint=hint, inside=inside, fix=fix)
            return


def _is_of_another_machine(path: str) -> bool:
    match = _HOMES.match(path)
    return match is not None and not (match[1] and os.path.isdir(match[1]))


def _twin(hook: Hook, script: Script) -> Script | None:
    """The project's script with the end of a path on another machine."""
    parts = [part for part in re.split(r"[\\/]", script.path) if part]
    for at in range(1, len(parts)):
        here = os.path.join(hook.root, *parts[at:])
        if os.path.isfile(here):
            return script._replace(path=here)
    return None


def _namesake(path: str) -> str | None:
    """The file in the same directory whose name is closest to a missing script's: with the same suffix, if there is one, and
    a name that needs no quotes in a command."""
    directory, name = os.path.split(path)
    try:
        siblings = [file.name for file in os.scandir(directory) if file.is_file() and shlex.quote(file.name) == file.name]
    except OSError:
        return None
    kind = os.path.splitext(name)[1]
    return suggest.closest(name, [file for file in siblings if not kind or os.path.splitext(file)[1] == kind], _LIKENESS)


def _other_name(command: str, script: Script, inside: Span, name: str) -> tuple[Span, str, str] | None:
    """The span of a script's name in a value, that name, and the new one; None if it is spelled differently."""
    old = os.path.basename(script.path)
    _, matched, behind = command[slice(*script.span)].rpartition(old)
    end = inside[1] - len(behind)  # a quotation mark
    return ((end - len(old), end), old, name) if matched else None


def _creation(hook: Hook, path: str) -> Fix | None:
    """A fix that creates a script, if there is a template for its language."""
    known = hook.event and not hook.obstacle and os.path.splitext(path)[1] in _TEMPLATES
    return Fix(label=f"create {short(path)}", kind="create", path=path) if known else None


def _wrong(script: Script) -> str | None:
    if not os.path.exists(script.path):
        return "missing"
    executable = not script.direct or os.access(script.path, os.X_OK) or not os.path.isfile(script.path)
    return None if executable else "not executable"
