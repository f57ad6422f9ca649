"""Rules about exit codes that block nothing: hosts obey exit 2 only, and not that of a hook for which they do not wait."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core.events import GATES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Diagnostic
    from hooktui.diagnostics.script_text import ScriptText

_LINES_ABOVE = 3  # lines above an exit that may contain its message

_EXIT = r"\bexit!? +{0}\b|\b(?:\w+\.)*_?exit\({0}\b\)?|SystemExit\({0}\)|\bexitCode *= *{0}\b"
_MAIN_RETURNS = r"|\breturn +{0}\b"
_CALLS_MAIN = re.compile(r"(?:\bexit|SystemExit)\(\w+\(")
_CODE = r"(?:1|-1|255)"
EXIT_1 = re.compile(_EXIT.format(_CODE))
_EXIT_2 = re.compile(_EXIT.format(2))
_EXIT_1_OR_RETURN = re.compile((_EXIT + _MAIN_RETURNS).format(_CODE))
_EXIT_2_OR_RETURN = re.compile((_EXIT + _MAIN_RETURNS).format(2))
_NAMED_2 = re.compile(r"\b(?P<name>[A-Za-z_]\w*) *= *2\b")
# An exit with a message instead of a code: it is 1, in Perl another one that is not 2.
_EXIT_WITH_TEXT = re.compile(r"(?:\bsys\.exit|\bSystemExit)\(\s*f?[\"'][^\n]*|\b(?:abort|die)[ (]+[\"'][^\n]*")
_DECISION = re.compile(r'\\?"decision\\?"')
# A text that answers in JSON can block without exit 2.
_STOPS = re.compile(r"[\"']continue\\?[\"']\s*:\s*[Ff]alse")
_ANSWER = re.compile(r"permissionDecision|[\"']ok[\"']\s*:")

BLOCK_WORDS = re.compile(
    r"\b(?:block(?:ed|ing)?|den(?:y|ied)|reject(?:ed)?|forbidden|refus(?:e|ed|ing)|not allowed|not permitted|dangerous"
    r"|off[- ]limits)\b",
    re.IGNORECASE,
)
# Words near an exit code that say why the action must not continue.
_GATE_WORDS = re.compile(
    rf"{BLOCK_WORDS.pattern}|\b(?:fail(?:ed|s|ures?)?(?! to\b)|detected|violat(?:es|ed|ions?)|prohibited|unsafe"
    r"|(?:must|may|should) not|protected)\b",
    re.IGNORECASE,
)
_FAILURE = re.compile(r"fail", re.IGNORECASE)
# An exit with the code of another program, which may block.
_PASSED_ON = re.compile(r"\bexit +\"?\$|\bexit\(\s*[\w.?]*(?:status|code|\brc|\bret)\b", re.IGNORECASE)
# A guard looks at the call, and says something before it exits; what it says is not that it cannot work.
_LOOKS_AT_CALL = re.compile(r"tool_?input|toolArgs|\bfile_path\b|\bgrep\b|=~")
_SAYS = re.compile(r"\b(?:echo|printf|print|puts|warn|console\.\w+|\w+\.write)\b")
_TROUBLE = re.compile(
    r"\b(?:install\w*|requir\w+|not found|missing|usage|invalid|pars\w+|no such|unable|could ?n[o']t|empty|unexpected|unknown"
    r"|(?:is|are) not set|must be|expected|stdin|json|exception|err(?:or)?|timed? ?out|command -v|which)\b",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(rf"\bexit\({_CODE} if\b")
# Events whose action some hosts block only by a JSON answer.
_ANSWERED = ("pre-agent-turn", "post-tool-call", *GATES)


# Events after which nothing can be blocked and no agent reads a reason.
OVER = frozenset({"post-session", "post-agent-turn", "post-agent-turn-stop", "post-context-compact"})
# A verb of blocking with the hook as its subject: at the start of a sentence or after a word for the hook. "Formats code
# blocks" does not count, nor does a negation ("never blocks").
_PROMISE = re.compile(
    r"(?:(?:\A|[.!?:;\n]|[-*#>])\s*|\b(?:hook|guard|gate|script|it|this|that|which|will|must|to|and|or|also|then)\s+)"
    r"(?:blocks?|den(?:y|ies)|rejects?|forbids?|refuses?|prevents?|vetoes)\b(?!\s*(?:list|quote|comment|of\b|level))",
    re.IGNORECASE,
)


def weak_exit(script: ScriptText) -> Iterator[Diagnostic]:
    """`exit 1` in place of a block: only exit 2 blocks, and on some events of some hosts only an answer."""
    hook = script.hook
    if hook.is_async or hook.event in OVER or exits_2(script.text):
        return
    if _DECISION.search(script.text) or _PASSED_ON.search(script.text):
        return
    spec = hosts.spec(hook.format)
    by_exit = spec.denies_by_exit_2(hook.event)
    if by_exit:
        message, hint = "exit 1 is a failure and allows the action; only exit 2 blocks", "exit 2 with the reason on stderr"
    elif hook.event in _ANSWERED:
        verb = "stops" if hook.event in GATES else "continues"
        message = f"on {hook.event_as_written}, {spec.title} {verb} whatever the exit code"
        hint = 'print {"decision": "block", "reason": "…"} and exit 0'
    else:
        return
    for match in _blocking_exits(script, _GATE_WORDS if by_exit else BLOCK_WORDS):
        has_code = by_exit and not _EXIT_WITH_TEXT.match(match.group())
        meant = re.sub(_CODE, "2", match.group()) if has_code else ""
        yield script.warn("weak-exit", message, match.span(), hint, meant)
        return


def weak_exit_of_host(script: ScriptText) -> Iterator[Diagnostic]:
    """Exit codes other than 2 do not block, unless the host or failMode fails closed."""
    hook = script.hook
    fails_closed = hook.fail_mode == "block" or hosts.spec(hook.format).fails_closed(hook.event)
    if not fails_closed and not _ANSWER.search(script.text):
        yield from (diagnostic.replace(hosts=(hook.format,)) for diagnostic in weak_exit(script))


def async_block(script: ScriptText) -> Iterator[Diagnostic]:
    """An exit 2 before a tool call in a hook for which the host does not wait."""
    hook = script.hook
    blocked = exit_2(script.text) if hook.is_async else None
    if blocked and hook.event == "pre-tool-call" and "asyncRewake" not in hook.metadata:
        message = f"exit 2 blocks nothing here: {hosts.spec(hook.format).title} does not wait for an async hook"
        yield script.warn("weak-exit", message, blocked.span(), "remove async").replace(hosts=(hook.format,))


@lru_cache(maxsize=8)  # several rules ask in a row
def exit_2(text: str) -> re.Match[str] | None:
    """The first exit with 2 in a text."""
    return _EXIT_2.search(text)


def may_block(text: str) -> bool:
    """Whether a script, command or prompt has an exit or an answer by which a hook denies an event."""
    return exits_2(text) or any(answer.search(text) for answer in (_DECISION, _ANSWER, _STOPS))


def lines_before(text: str, at: int) -> str:
    """The lines before a place in a text that may say why it exits there, and the start of its own."""
    return "\n".join(text[:at].split("\n")[-1 - _LINES_ABOVE :])


def fails(text: str) -> bool:
    """Whether a text can exit with 1, perhaps through its main function."""
    return bool(_EXIT_1_OR_RETURN.search(text))


def exits_2(text: str) -> bool:
    """Whether a text can exit with 2, perhaps by a constant or through its main function."""
    if _EXIT_2_OR_RETURN.search(text):
        return True
    return any(re.search(rf"\bexit[ (]+[\"$]*\{{?(?:\w+\.)*{named['name']}\b", text) for named in _NAMED_2.finditer(text))


def _blocking_exits(script: ScriptText, words: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """The exits in a text that are meant to block, as `words` near them say; where no exit blocks, few words say that."""
    hook = script.hook
    promised = _PROMISE.search(hook.description) or _PROMISE.match(hook.name.replace("-", " "))
    through_main = not script.is_shell and _CALLS_MAIN.search(script.text)
    for match in (_EXIT_1_OR_RETURN if through_main else EXIT_1).finditer(script.text):
        above = lines_before(script.text, match.start())
        said = [found.group() for found in words.finditer(above)]
        broken = all(map(_FAILURE.match, said)) and _TROUBLE.search(above)  # the hook itself failed
        if promised or (said and not broken) or _is_refusal(script, match, above):
            yield match
    yield from (match for match in _EXIT_WITH_TEXT.finditer(script.text) if words.search(match.group()))


def _is_refusal(script: ScriptText, match: re.Match[str], above: str) -> bool:
    """Whether an exit before a tool call depends on the call."""
    if script.hook.event != "pre-tool-call" or not _LOOKS_AT_CALL.search(script.text):
        return False
    if _CONDITIONAL.match(script.text, match.start() + match.group().find("exit")):
        return True
    return bool(_SAYS.search(above)) and not _TROUBLE.search(above)
