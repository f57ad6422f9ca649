"""Answers that one host obeys and another takes differently (hosts.md, "Traps between hosts").

Each rule asks what a host would make of an exit code and a text (`hosts.interpret`), as the log does of what happened, and
looks at literal answers only. A rule stays silent rather than report something wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from hooktui import hosts
from hooktui.core.events import GATE, GATES
from hooktui.core.model import Diagnostic
from hooktui.diagnostics.codes import CODES
from hooktui.diagnostics.exit_rules import exit_2, lines_before
from hooktui.diagnostics.script_text import ScriptText
from hooktui.formats.node import Span
from hooktui.hosts import Host
from hooktui.hosts.shared.interpretation import RunResult

# Anything that may write to stderr, or leave the exit to a program that does.
_STDERR = re.compile(r"&2|stderr|console\.(?:error|warn)|\bwarn\b|\bset -e|\bexec\b|\|\| *exit|&& *exit|\bsys\.exit\([^2)]")
_TO_STDERR = re.compile(r"&2|stderr|console\.error")
_ANSWERS = re.compile(r"stderr|(?<!\$)\{|JSON|json")  # what is printed is the answer
_PRINTS = re.compile(r"^[ \t]*(?:echo|printf|print|puts|console\.log)\b(?P<rest>[^\n;]*)", re.MULTILINE)
_ELSEWHERE = re.compile(r"[>|]|\bfile=|<<")  # output that does not reach stdout as it is
_OTHER_EXIT = re.compile(r"\bexit +(?:[3-9]|[1-9]\d\d?)\b|\b_?exit\((?:[3-9]|[1-9]\d\d?)\)")
_ALLOW = re.compile(r"[\"']?\bpermissionDecision[\"']?\s*:\s*[\"']allow[\"']|[\"']?\bdecision[\"']?\s*:\s*[\"']approve[\"']")
_ASK = re.compile(r"[\"']?\bpermissionDecision[\"']?\s*:\s*[\"']ask[\"']|[\"']?\bdecision[\"']?\s*:\s*[\"']ask[\"']")
_BLOCK = re.compile(r"[\"']decision[\"']\s*:\s*[\"']block[\"']")
_USAGE = re.compile(r"\busage\b|\bargv\b|\$#|\barguments?\b", re.IGNORECASE)
_CONDITION = re.compile(
    r"\b(?:if|case|while|for|grep|test|unless|elif|else)\b|\[\[?|&&|\|\||stop_hook_active|stopHookActive|\?"
)
_OBJECT = re.compile(r"\{(?=\s*\")")
_DECIDES = ("decision", "permissionDecision", "hookSpecificOutput", "continue")
_KNOWN = {*_DECIDES, "reason", "stopReason", "suppressOutput", "systemMessage"}  # a line of some log has other keys
_LONGEST = 4_000  # characters of a literal answer
_WORDS, _NOISE = "a reason", "some text"  # that hosts are asked about
_BARE_ALLOW = '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}'
_BEFORE_TOOL = "pre-tool-call"


def silent_exit(script: ScriptText) -> Iterator[Diagnostic]:
    """An exit 2 whose reason, if any, is on stdout, for hosts that obey only one with a reason on stderr."""
    exits = exit_2(script.text)
    if not exits or script.hook.is_async or not _is_silent(script):
        return
    deaf = _readers(script, lambda host: not _exit_2_blocks(host, script) and _blocks(_judged(host, script, 2, stderr=_WORDS)))
    if deaf:
        message = f"{_titles(deaf)} {_verb(deaf, 'ignore')} an exit 2 without a reason on stderr, and the action proceeds"
        yield _at(script, exits.span(), "weak-exit", message, "write the reason to stderr: echo … >&2", deaf)


def noisy_exit(script: ScriptText) -> Iterator[Diagnostic]:
    """Output on stdout beside an exit 2 with a reason on stderr, for hosts that read stdout first."""
    exits = exit_2(script.text)
    if not exits or script.hook.event != _BEFORE_TOOL or not _TO_STDERR.search(lines_before(script.text, exits.end())):
        return
    deaf = _readers(script, lambda host: _judged(host, script, 2, _NOISE, _WORDS).outcome.reason == _NOISE)
    for printed in _PRINTS.finditer(script.text, 0, exits.start()) if deaf else ():
        if script.is_shell and printed["rest"].startswith("("):
            continue  # Python in an argument, whose output the script takes
        if not _ELSEWHERE.search(printed["rest"]) and not _ANSWERS.search(printed["rest"]):
            message = (
                f"{_titles(deaf)} {_verb(deaf, 'read')} the reason from stdout first: this text replaces the one on stderr"
            )
            yield _at(
                script, printed.span(), "host-rejects-output", message, "print nothing else when the hook exits with 2", deaf
            )
            return


def text_denies(script: ScriptText) -> Iterator[Diagnostic]:
    """Text that is not JSON on stdout, for hosts that take that as a denial."""
    deaf = _readers(script, lambda host: _blocks(_judged(host, script, 0, _NOISE)))
    if not deaf or "{" in script.text or exit_2(script.text):
        return
    for printed in _PRINTS.finditer(script.text):
        if not _ELSEWHERE.search(printed["rest"]) and "stderr" not in printed["rest"]:
            denies = _verb(deaf, "deny", "denies")
            message = f"{_titles(deaf)} {_verb(deaf, 'expect')} JSON on stdout, and {denies} every tool call for other text"
            yield _at(script, printed.span(), "denies-everything", message, "print it to stderr, or print {}", deaf)
            return


def other_exit(script: ScriptText) -> Iterator[Diagnostic]:
    """An exit code of 3 or more before a tool, which some hosts take as a denial and most as a failure."""
    exits = _OTHER_EXIT.search(script.text) if script.hook.event == _BEFORE_TOOL else None
    if not exits or not _PRINTS.search(script.text):
        return
    deny = _readers(script, lambda host: [_blocks(_judged(host, script, code, _NOISE)) for code in (1, 3)] == [False, True])
    if deny:
        code = "".join(filter(str.isdigit, exits.group()))
        message = f"{_titles(deny)} {_verb(deny, 'deny', 'denies')} when a hook prints text and exits with {code}"
        yield _at(script, exits.span(), "weak-exit", message, "exit 2 to deny, and 1 for a failure", deny)


def unattended(script: ScriptText) -> Iterator[Diagnostic]:
    """`ask` in a host that does not wait for the user when it runs without one."""
    asks = _ASK.search(script.text) if script.hook.event == _BEFORE_TOOL else None
    for host in script.readers if asks else ():
        if asks and host.ask_unattended and not script.names_host(host):
            message = f"without a user at the terminal, {host.title} {host.ask_unattended} when a hook asks"
            yield _at(script, asks.span(), "host-rejects-output", message, "deny with a reason instead", [host])


def bare_allow(script: ScriptText) -> Iterator[Diagnostic]:
    """An allow without a rewrite, which some hosts report as a failed hook."""
    if script.hook.event != _BEFORE_TOOL or "updatedInput" in script.text:
        return
    allows = _ALLOW.search(script.text)
    deaf = _readers(script, lambda host: _judged(host, script, 0, _BARE_ALLOW).state == "invalid-output") if allows else []
    if allows and deaf:
        message = f"{_titles(deaf)} {_verb(deaf, 'report')} a bare allow as a failed hook; the tool runs either way"
        problem = _at(script, allows.span(), "host-rejects-output", message, "print nothing to allow", deaf)
        yield problem.replace(severity="info")


def extra_key(script: ScriptText) -> Iterator[Diagnostic]:
    """A key that makes a host reject the whole answer."""
    for span, answer in _answers(script):
        for host in script.readers:
            if unknown := next((key for key in answer if key not in _DECIDES and _spoils(host, script, answer, key)), None):
                message = f"{host.title} ignores the whole answer because of its key {unknown}: the action proceeds"
                yield _at(script, span, "host-rejects-output", message, f"remove {unknown}", [host])
                return


def _spoils(host: Host, script: ScriptText, answer: Mapping[str, object], key: str) -> bool:
    rest = {name: value for name, value in answer.items() if name != key}
    return _rejects(host, script, answer) and not _rejects(host, script, rest)


def _rejects(host: Host, script: ScriptText, answer: Mapping[str, object]) -> bool:
    return _judged(host, script, 0, json.dumps(answer)).state == "invalid-output"


def without_reason(script: ScriptText) -> Iterator[Diagnostic]:
    """A block without a reason, for hosts that then do not block."""
    proceeds = "the agent stops" if script.hook.event in GATES else "the action proceeds"
    for span, answer in _answers(script):
        obedient = (
            _obedient(script, {**answer, "reason": _WORDS}) if _KNOWN.issuperset(answer) and "reason" not in answer else []
        )
        if deaf := [host for host in obedient if host not in _obedient(script, answer)]:
            message = f"{_titles(deaf)} {_verb(deaf, 'ignore')} a block without a reason: {proceeds}"
            yield _at(script, span, "host-rejects-output", message, 'add "reason"', deaf)
            return


def unread_stop(script: ScriptText) -> Iterator[Diagnostic]:
    """`continue: false` before a tool, for hosts that run the tool all the same."""
    for span, answer in _answers(script) if script.hook.event == _BEFORE_TOOL else ():
        if answer.get("continue") is not False or "hookSpecificOutput" in answer or "decision" in answer:
            continue
        if deaf := [host for host in script.readers if host not in _obedient(script, answer)]:
            message = f"{_titles(deaf)} {_verb(deaf, 'ignore')} continue: false before a tool: the tool runs"
            yield _at(script, span, "host-rejects-output", message, "exit 2 with the reason on stderr", deaf)
            return


def deaf_gate(script: ScriptText) -> Iterator[Diagnostic]:
    """An exit 2 at a stop, for hosts that read no exit code there."""
    deaf = _readers(script, lambda host: not host.denies_by_exit_2(script.hook.event))
    if not deaf or script.hook.event not in GATES or script.hook.is_async:
        return
    exits = exit_2(script.text)
    if exits and not _BLOCK.search(script.text) and not _USAGE.search(lines_before(script.text, exits.end())):
        message = f"{_titles(deaf)} {_verb(deaf, 'stop')} all the same: exit 2 is not read on {script.hook.event_as_written}"
        hint = 'print {"decision": "block", "reason": "…"} and exit 0'
        yield _at(script, exits.span(), "weak-exit", message, hint, deaf)


def endless_gate(script: ScriptText) -> Iterator[Diagnostic]:
    """A gate that always blocks, in a host without a limit of its own."""
    hook, text = script.hook, script.text
    if hook.event != GATE or hook.is_async or not script.is_shell:
        return
    blocks = exit_2(text) or _BLOCK.search(text)
    if not blocks or _CONDITION.search(text):
        return
    endless = _readers(script, lambda host: host.own_gate_limit == 0 and _always_blocks(host, script))
    if endless:
        message = f"{_titles(endless)} {_verb(endless, 'have', 'has')} no limit at a stop, and this hook blocks every one: "
        hint = "block only while something is missing, and not when stop_hook_active is true"
        yield _at(script, blocks.span(), "denies-everything", f"{message}the agent never stops", hint, endless)


def _always_blocks(host: Host, script: ScriptText) -> bool:
    if exit_2(script.text):
        return _exit_2_blocks(host, script)
    answers = [answer for _, answer in _answers(script)]
    return any(host in _obedient(script, answer) for answer in answers) if answers else "reason" in script.text


def _is_silent(script: ScriptText) -> bool:
    """Whether a text writes nothing to stderr: it prints something to stdout itself, or runs nothing that could print."""
    if _STDERR.search(script.text):
        return False
    return bool(_PRINTS.search(script.text)) or not script.text.replace("exit 2", "").strip(" ;\n{}")


def _exit_2_blocks(host: Host, script: ScriptText) -> bool:
    printed = _NOISE if _PRINTS.search(script.text) else ""
    return _blocks(_judged(host, script, 2, printed, "" if _is_silent(script) else _WORDS))


def _obedient(script: ScriptText, answer: Mapping[str, object]) -> list[Host]:
    """The hosts that an answer makes block."""
    return _readers(script, lambda host: _blocks(_judged(host, script, 0, json.dumps(answer))))


def _blocks(result: RunResult) -> bool:
    return result.outcome.decision in ("deny", "stop")


def _judged(host: Host, script: ScriptText, code: int, stdout: str = "", stderr: str = "") -> RunResult:
    """What a host would make of a hook that ends so, on the event that the script is for."""
    written = script.hook.event_as_written
    name = written if written in host.events else host.spelling(script.hook.event) or written
    return hosts.interpret(host.name, name, code, stdout, stderr)


def _answers(script: ScriptText) -> Iterator[tuple[Span, dict[str, object]]]:
    """The answers in a text: JSON objects that decide something and are not inside another."""
    text, end = script.text, 0
    for match in _OBJECT.finditer(text):
        if match.start() < end:
            continue
        try:
            value, length = json.JSONDecoder().raw_decode(text[match.start() : match.start() + _LONGEST])
        except (ValueError, RecursionError):
            continue
        end = match.start() + length
        if isinstance(value, dict) and any(key in value for key in _DECIDES):
            yield (match.start(), end), value


def _readers(script: ScriptText, behaves: Callable[[Host], bool]) -> list[Host]:
    return [host for host in script.readers if behaves(host)]


def _titles(readers: Sequence[Host]) -> str:
    return " and ".join(host.title for host in readers)


def _verb(readers: Sequence[Host], plural: str, singular: str = "") -> str:
    return plural if len(readers) > 1 else singular or f"{plural}s"


def _at(script: ScriptText, span: Span, code: str, message: str, hint: str, readers: Sequence[Host]) -> Diagnostic:
    problem = script.warn(code, message, span, hint)
    return problem.replace(severity=CODES[code].severity, hosts=tuple(host.name for host in readers))


RULES = (
    *(silent_exit, noisy_exit, text_denies, other_exit, unattended, bare_allow, extra_key, without_reason, unread_stop),
    *(deaf_gate, endless_gate),
)
