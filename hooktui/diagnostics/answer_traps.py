"""Answers that one host obeys and another takes differently (hosts.md, "Traps between hosts").

Each rule reads a field of the hosts' SpeechSpec and looks at literal answers only. A rule stays silent rather than report
something wrong.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from hooktui.core.events import GATE, GATES
from hooktui.diagnostics.codes import CODES
from hooktui.diagnostics.exit_rules import EXIT_2

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hooktui.core.model import Diagnostic
    from hooktui.diagnostics.script_text import ScriptText
    from hooktui.formats.node import Span
    from hooktui.hosts import HostSpec

# Anything that may write to stderr, or leave the exit to a program that does.
_STDERR = re.compile(r"&2|stderr|console\.(?:error|warn)|\bwarn\b|\bset -e|\bexec\b|\|\| *exit|&& *exit|\bsys\.exit\([^2)]")
_PRINTS = re.compile(r"^[ \t]*(?:echo|printf|print|puts|console\.log)\b(?P<rest>[^\n;]*)", re.MULTILINE)
_ELSEWHERE = re.compile(r"[>|]|\bfile=|<<")  # output that does not reach stdout as it is
_OTHER_EXIT = re.compile(r"\bexit +(?:[3-9]|[1-9]\d\d?)\b|\b_?exit\((?:[3-9]|[1-9]\d\d?)\)")
_ALLOW = re.compile(r"[\"']?\bpermissionDecision[\"']?\s*:\s*[\"']allow[\"']|[\"']?\bdecision[\"']?\s*:\s*[\"']approve[\"']")
_ASK = re.compile(r"[\"']?\bpermissionDecision[\"']?\s*:\s*[\"']ask[\"']|[\"']?\bdecision[\"']?\s*:\s*[\"']ask[\"']")
_BLOCK = re.compile(r"[\"']decision[\"']\s*:\s*[\"']block[\"']")
_CONDITION = re.compile(
    r"\b(?:if|case|while|for|grep|test|unless|elif|else)\b|\[\[?|&&|\|\||stop_hook_active|stopHookActive|\?"
)
_OBJECT = re.compile(r"\{(?=\s*\")")
_DECIDES = ("decision", "permissionDecision", "hookSpecificOutput", "continue")
_LONGEST = 4_000  # characters of a literal answer
_BEFORE_TOOL = "pre-tool-call"


def silent_exit(script: ScriptText) -> Iterator[Diagnostic]:
    """An exit 2 whose reason, if any, is on stdout, for hosts that obey only one with a reason on stderr."""
    exits = EXIT_2.search(script.text)
    prints = bool(_PRINTS.search(script.text))
    deaf = _readers(script, lambda host: host.speech.needs_stderr and host.denies_by_exit_2(script.hook.event))
    deaf = [host for host in deaf if not (prints and host.speech.stdout_first)]
    if exits and deaf and not script.hook.is_async and not _STDERR.search(script.text) and _prints_or_only_exits(script):
        message = f"{_titles(deaf)} {_verb(deaf, 'ignore')} an exit 2 without a reason on stderr, and the action proceeds"
        yield _at(script, exits.span(), "weak-exit", message, "write the reason to stderr: echo … >&2", deaf)


def noisy_exit(script: ScriptText) -> Iterator[Diagnostic]:
    """Output on stdout beside an exit 2 with a reason on stderr, for hosts that read stdout first."""
    exits = EXIT_2.search(script.text)
    deaf = _readers(script, lambda host: host.speech.stdout_first)
    if not exits or not deaf or script.hook.event != _BEFORE_TOOL or not re.search(r"&2|stderr", script.text):
        return
    for printed in _PRINTS.finditer(script.text, 0, exits.start()):
        if script.is_shell and printed["rest"].startswith("("):
            continue  # Python in an argument, whose output the script takes
        if not _ELSEWHERE.search(printed["rest"]) and "stderr" not in printed["rest"]:
            message = (
                f"{_titles(deaf)} {_verb(deaf, 'read')} the reason from stdout first: this text replaces the one on stderr"
            )
            yield _at(
                script, printed.span(), "host-rejects-output", message, "print nothing else when the hook exits with 2", deaf
            )
            return


def text_denies(script: ScriptText) -> Iterator[Diagnostic]:
    """Text that is not JSON on stdout, for hosts that take that as a denial."""
    deaf = _readers(script, lambda host: script.hook.event in host.speech.text_denies_on)
    if not deaf or "{" in script.text or EXIT_2.search(script.text):
        return
    for printed in _PRINTS.finditer(script.text):
        if not _ELSEWHERE.search(printed["rest"]) and "stderr" not in printed["rest"]:
            denies = _verb(deaf, "deny", "denies")
            message = f"{_titles(deaf)} {_verb(deaf, 'expect')} JSON on stdout, and {denies} every tool call for other text"
            yield _at(script, printed.span(), "denies-everything", message, "print it to stderr, or print {}", deaf)
            return


def other_exit(script: ScriptText) -> Iterator[Diagnostic]:
    """An exit code of 3 or more before a tool, which some hosts take as a denial and most as a failure."""
    exits = _OTHER_EXIT.search(script.text)
    if not exits or script.hook.event != _BEFORE_TOOL or not _PRINTS.search(script.text):
        return
    deny = _readers(script, lambda host: host.speech.denies_by_other_exits)
    if deny:
        message = f"{_titles(deny)} {_verb(deny, 'deny', 'denies')} when a hook prints text and exits with {_code(exits)}"
        yield _at(script, exits.span(), "weak-exit", message, "exit 2 to deny, and 1 for a failure", deny)


def unattended(script: ScriptText) -> Iterator[Diagnostic]:
    """`ask` in a host that does not wait for the user when it runs without one."""
    asks = _ASK.search(script.text)
    for host in script.readers if asks and script.hook.event == _BEFORE_TOOL else ():
        if asks and host.speech.ask_unattended:
            message = f"without a user at the terminal, {host.title} {host.speech.ask_unattended} when a hook asks"
            yield _at(script, asks.span(), "host-rejects-output", message, "deny with a reason instead", [host])


def bare_allow(script: ScriptText) -> Iterator[Diagnostic]:
    """An allow without a rewrite, which some hosts report as a failed hook."""
    allows = _ALLOW.search(script.text)
    deaf = _readers(script, lambda host: host.speech.rejects_allow)
    if allows and deaf and script.hook.event == _BEFORE_TOOL and "updatedInput" not in script.text:
        message = f"{_titles(deaf)} {_verb(deaf, 'report')} a bare allow as a failed hook; the tool runs either way"
        problem = _at(script, allows.span(), "host-rejects-output", message, "print nothing to allow", deaf)
        yield problem.replace(severity="info")


def extra_key(script: ScriptText) -> Iterator[Diagnostic]:
    """A key that makes a host reject the whole answer."""
    strict = _readers(script, lambda host: bool(host.speech.answer_keys))
    for span, answer in _objects(script.text) if strict else ():
        if not any(key in answer for key in _DECIDES):
            continue
        for host in strict:
            if unknown := next((key for key in answer if key not in host.speech.answer_keys), None):
                message = f"{host.title} ignores the whole answer because of its key {unknown}: the action proceeds"
                yield _at(script, span, "host-rejects-output", message, f"remove {unknown}", [host])
                return


def deaf_gate(script: ScriptText) -> Iterator[Diagnostic]:
    """An exit 2 at a stop, for hosts that read no exit code there."""
    exits = EXIT_2.search(script.text)
    deaf = _readers(script, lambda host: not host.denies_by_exit_2(script.hook.event))
    if exits and deaf and script.hook.event in GATES and not script.hook.is_async and not _BLOCK.search(script.text):
        message = f"{_titles(deaf)} {_verb(deaf, 'stop')} all the same: exit 2 is not read on {script.hook.event_as_written}"
        hint = 'print {"decision": "block", "reason": "…"} and exit 0'
        yield _at(script, exits.span(), "weak-exit", message, hint, deaf)


def endless_gate(script: ScriptText) -> Iterator[Diagnostic]:
    """A gate that always blocks, in a host without a limit of its own."""
    hook, text = script.hook, script.text
    endless = _readers(script, lambda host: host.speech.own_gate_limit == 0)
    blocks = EXIT_2.search(text) or _BLOCK.search(text)
    if blocks and endless and hook.event == GATE and not hook.is_async and not _CONDITION.search(text) and script.is_shell:
        message = f"{_titles(endless)} {_verb(endless, 'have', 'has')} no limit at a stop, and this hook blocks every one: "
        hint = "block only while something is missing, and not when stop_hook_active is true"
        yield _at(script, blocks.span(), "denies-everything", f"{message}the agent never stops", hint, endless)


def _prints_or_only_exits(script: ScriptText) -> bool:
    """Whether a text prints something to stdout itself, or runs nothing that could print to stderr."""
    return bool(_PRINTS.search(script.text)) or not script.text.replace("exit 2", "").strip(" ;\n{}")


def _objects(text: str) -> Iterator[tuple[Span, dict[str, object]]]:
    """The JSON objects in a text that are not inside another."""
    end = 0
    for match in _OBJECT.finditer(text):
        if match.start() < end:
            continue
        try:
            value, length = json.JSONDecoder().raw_decode(text[match.start() : match.start() + _LONGEST])
        except (ValueError, RecursionError):
            continue
        end = match.start() + length
        if isinstance(value, dict):
            yield (match.start(), end), value


def _code(match: re.Match[str]) -> str:
    return "".join(filter(str.isdigit, match.group()))


def _readers(script: ScriptText, behaves: Callable[[HostSpec], bool]) -> list[HostSpec]:
    return [host for host in script.readers if behaves(host)]


def _titles(readers: Sequence[HostSpec]) -> str:
    return " and ".join(host.title for host in readers)


def _verb(readers: Sequence[HostSpec], plural: str, singular: str = "") -> str:
    return plural if len(readers) > 1 else singular or f"{plural}s"


def _at(script: ScriptText, span: Span, code: str, message: str, hint: str, readers: Sequence[HostSpec]) -> Diagnostic:
    problem = script.warn(code, message, span, hint)
    return problem.replace(severity=CODES[code].severity, hosts=tuple(host.name for host in readers))


RULES = (silent_exit, noisy_exit, text_denies, other_exit, unattended, bare_allow, extra_key, deaf_gate, endless_gate)
