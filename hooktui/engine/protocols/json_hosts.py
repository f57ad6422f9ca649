"""What a hook of Claude Code, VS Code or Copilot CLI reads and says (formats.md §3; seed 003; seen in Claude Code 2.1.197).

One protocol with differences: `_Dialect` names them, so that a person sees what the real host would do, not an average.
"""

from __future__ import annotations

from hooktui.core import fast_json
from hooktui.core.model import Outcome
from hooktui.core.records import Record
from hooktui.engine.protocols import (
    Answer,
    Manner,
    blocked_by_exit_2,
    failed,
    failure,
    hear,
    invalid,
    json_answers,
    json_stdin,
    unfenced,
)
from hooktui.hosts.json_hosts import heeds_exit_2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hooktui.core.model import Event, Hook
    from hooktui.engine.dispatch_settings import Setting
    from hooktui.engine.process import Ended

_TEXT_IS_CONTEXT = ("pre-session", "pre-agent-turn")


class _Dialect(Record):
    """How one host differs; its `name` is that of the format.

    `strict`: an answer beyond its schema decides nothing. `answers_at_any_exit`: a JSON answer counts beside exit codes other
    than 0 and 2. `fails_closed`: a command that fails before a tool call denies it. `progress`: lines that only report it are
    no part of the answer. `expands`: the values of an entry's `env` may name other variables.
    """

    name: str
    title: str
    MANNER: Manner
    strict: bool = False
    answers_at_any_exit: bool = False
    text_becomes_context: bool = False
    fails_closed: bool = False
    progress: bool = False
    expands: bool = False
    variables: Mapping[str, str] = {}

    def stdin(self, hook: Hook, event: Event) -> dict[str, Any]:
        """The payload that the host would send."""
        if self.name == "copilot" and hook.event_as_written[:1].islower():
            return json_stdin.camel_case(event)
        return json_stdin.snake_case(self.name, hook, event)

    def environment(self, hook: Hook, setting: Setting) -> Mapping[str, str]:
        """What the host sets for its hooks, and what their entry says."""
        given = {name: value.format(project=setting.project) for name, value in self.variables.items()}
        known = {**setting.env, **given}
        return {**given, **{name: _expanded(value, known) if self.expands else value for name, value in hook.env.items()}}

    def directory(self, hook: Hook, event: Event, project: str) -> str:
        """Claude: the session's directory. The others: the entry's cwd, or the root its file belongs to."""
        return event.work_dir if self.name == "claude" else hook.cwd or project

    def read(self, hook: Hook, event: Event, ended: Ended) -> Answer:
        """What the host would make of how a hook ended; never raises."""
        problem = failure(hook, ended)
        if problem is None:
            return self._denied(hook, event, ended) if ended.exit_code == 2 else self._answer(hook, event, ended)
        if self.answers_at_any_exit and ended.exit_code is not None and ended.stdout.lstrip().startswith(b"{"):
            answer = self._answer(hook, event, ended)
            if answer.state == "ok":
                return answer
            problem = f"{problem}, and {answer.outcome.problems[0]}"
        if self.fails_closed and hook.type == "command" and event.name == "pre-tool-call" and not ended.timed_out:
            denial = Outcome(decision="deny", reason=f"Hook {hook.name} {problem}", problems=(problem,))
            return Answer(state="failed", outcome=denial)
        return failed(ended, problem)

    def _denied(self, hook: Hook, event: Event, ended: Ended) -> Answer:
        answer = blocked_by_exit_2(hook, ended)
        if heeds_exit_2(self.name, event.name):
            return answer
        problem = f"{self.title} lets no exit code deny {hook.event_as_written}: it goes on"
        return answer.replace(outcome=answer.outcome.replace(problems=(problem,)))

    def _answer(self, hook: Hook, event: Event, ended: Ended) -> Answer:
        text = ended.stdout.decode(errors="replace")
        if self.progress:
            text = "".join(line for line in text.splitlines(keepends=True) if not _is_progress(line))
        text = unfenced(text) if hook.type == "prompt" else text.strip()
        if text.startswith("{") or ended.overflow:
            return hear(ended, text, lambda said: self._understand(hook, event, said))
        heard = text if self.text_becomes_context and event.name in _TEXT_IS_CONTEXT else None
        return Answer(state="ok", outcome=Outcome(additional_context=heard or None))

    def _understand(self, hook: Hook, event: Event, said: dict[str, Any]) -> Answer:
        if hook.type == "prompt":
            return json_answers.judgement(hook, said)
        broken = json_answers.faults(said, event) if self.strict else ()
        return invalid(*broken) if broken else Answer(state="ok", outcome=json_answers.outcome(self.name, hook, event, said))


def of(format_name: str) -> _Dialect:
    """The protocol of `claude`, `vscode` or `copilot`."""
    return _DIALECTS[format_name]


_DIALECTS = {
    "claude": _Dialect(
        name="claude",
        title="Claude Code",
        MANNER=Manner(at_once=True),
        strict=True,
        answers_at_any_exit=True,
        text_becomes_context=True,
        variables={"CLAUDE_PROJECT_DIR": "{project}"},
    ),
    "vscode": _Dialect(name="vscode", title="VS Code", MANNER=Manner(ends_at=("stop",))),
    "copilot": _Dialect(
        name="copilot",
        title="Copilot CLI",
        MANNER=Manner(ends_at=("stop",)),
        fails_closed=True,
        progress=True,
        expands=True,
        variables={"COPILOT_CLI": "1"},
    ),
}


def _expanded(value: str, known: Mapping[str, str]) -> str:
    """A value with $NAME and ${NAME} replaced; by nothing for a variable that is not set."""
    if "$" not in value:
        return value
    import re  # 5 ms, and few entries name another variable

    return re.sub(r"\$(?:(\w+)|\{(\w+)\})", lambda found: known.get(found[1] or found[2], ""), value)


def _is_progress(line: str) -> bool:
    """Copilot shows `{"type": "progress", …}` on a line of its own and takes it out of the answer."""
    if '"progress"' not in line:
        return False
    try:
        said = fast_json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(said, dict) and said.get("type") == "progress"
