"""What a host is: facts that many readers ask for, and what it does with hooks.

A host is one module with a subclass of `Host`, and no other module names it. A fact that only one host would set is a
method that this host overrides (docs/decisions/0105-hosts-with-behavior.md). The fast path loads this, so it imports little.
"""

from __future__ import annotations

import os

from hooktui.core import events, paths
from hooktui.core.records import Record
from hooktui.hosts.shared.answers import CONTEXT_ON, PERMISSION_REQUESTS
from hooktui.hosts.shared.entry_spec import EntrySpec
from hooktui.hosts.shared.matcher_spec import MatcherSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Literal, Self

    from hooktui.core.model import DecisionName, Dispatch, EntryPath, Event, Hook, Scope
    from hooktui.hosts.shared.answers import HostAnswer
    from hooktui.hosts.shared.interpretation import Ended, RunResult
    from hooktui.hosts.shared.places import HookFiles, PluginSpec, Reads, SettingsFile


class HostTrust(Record):
    """The host's own approval of an entry. `why` is empty for `trusted`, else why the host does not run the entry."""

    state: Literal["trusted", "modified", "untrusted", "disabled"]
    why: str = ""


class Scheduling(Record):
    """How a host runs the hooks of one event.

    `order`: all together, in turn, or in turn so that later hooks match and read an input as rewritten so far. `ends_at`:
    decisions that prevent later hooks. `once_per`: the same handler in two files runs once, or only under the same name."""

    order: Literal["together", "in turn", "rewriting"] = "in turn"
    ends_at: tuple[DecisionName, ...] = ()
    once_per: Literal["", "handler", "handler and name"] = ""


class Host:
    """One agent program."""

    # For `--host` and `--format`, for people, and the order of hosts.
    name: str
    title: str
    rank: int
    proof: str = ""  # how these facts are known: run, read or from documentation

    format: str = ""  # the package in `formats` that reads its files, "" if there is none
    # Where its hooks are, in the order of precedence: the last decides.
    files: tuple[HookFiles, ...] = ()
    plugin_files: tuple[HookFiles, ...] = ()  # in the repository of a plugin of this host
    reads: tuple[Reads, ...] = ()  # other hosts whose files it reads
    # Directories of the user, and files of everyone, each with the environment variable that replaces it.
    moved: Mapping[str, str] = {}
    # Patterns of the paths of its session files, in which a `*` is one name, and of what belongs to a session.
    transcripts: tuple[str, ...] = ()
    transcripts_of_subagents: tuple[str, ...] = ()
    # Programs on PATH, and paths in the project or the home (`~/`), that show that it is in use.
    programs: tuple[str, ...] = ()
    traces: tuple[str, ...] = ()
    runs_repeated_handlers: bool = False  # a command that two files have runs twice

    # The column of `core.events` with its spelling, and the events that fire, as written.
    style: str = "pascal"
    events: tuple[str, ...] = ()
    # Its names of the canonical tools; its other tools; those that no regex means; all that change files.
    tools: Mapping[str, str] = {}
    other_tools: tuple[str, ...] = ()
    unsearched_tools: tuple[str, ...] = ()
    edit_tools: tuple[str, ...] = ()
    aliases: Mapping[str, tuple[str, ...]] = {}  # further names that matchers may use, by tool
    # Its names of the input fields path, content, old and new. One that is inside an object is `object.field`.
    inputs: Mapping[str, str] = {}
    calls: Mapping[str, Mapping[str, Any]] = {}  # tool inputs for trying a hook
    matcher: MatcherSpec = MatcherSpec()
    entry: EntrySpec = EntrySpec()

    # Fields that identify its payloads: of all hosts, the lowest number counts. Below 20, no other host sends them.
    signs: tuple[tuple[int, tuple[str, ...]], ...] = ()
    # Hosts that call this one's connections, by a variable that they set, each with a field of its payloads.
    other_callers: Mapping[str, tuple[str, str]] = {}
    sends_timestamp: bool = True
    own_fields: tuple[str, ...] = ()  # of its payloads, which other hosts call otherwise
    session_source: str = "new"  # what a new session reports

    scheduling: Scheduling = Scheduling()
    runs_in_session_dir: bool = False  # hooks run there, else in the entry's `cwd` or the project
    # Variables for every hook; `{project}` is the project's directory.
    variables: Mapping[str, str] = {}

    # Events (canonical, or the host's own) on which exit 2 denies, None for all.
    exit_2_denies: tuple[str, ...] | None = None
    silent_denial: str = ""  # the reason that the model gets for an exit 2 without stderr
    # By event (as written), the closed list of keys of an answer that it obeys, None for all that hooktui knows.
    answer_keys: Mapping[str, tuple[str, ...]] | None = None
    # The values of `decision` that it knows; where it reads a gate's `decision: block`, and a `permissionDecision`.
    decisions: tuple[str, ...] = ("block", "deny", "approve", "allow")
    block_at: tuple[Literal["top", "nested"], ...] = ("top", "nested")
    permission_at: tuple[Literal["top", "nested"], ...] = ("top", "nested")
    # Events (canonical) on which `decision` is not read, and on which alone a `permissionDecision` is, None for all.
    no_decision_on: tuple[str, ...] = ()
    permission_on: tuple[str, ...] | None = None
    needs_reason: bool = False  # a block without a reason blocks nothing
    blanks: str | None = None  # what it trims off an answer; None for all that Python does
    answers_at_any_exit: bool = False  # a JSON answer counts at exit codes other than 0 and 2
    text_becomes_context: bool = False  # of text on stdout when a session or a turn begins, for the model
    # Events (canonical) whose answer may carry context for the model.
    context_on: tuple[str, ...] = CONTEXT_ON
    # The key in `hookSpecificOutput` that rewrites a tool's input, "" for none; what a rewrite leaves out may stay.
    rewrite_key: str = "updatedInput"
    merges_rewrites: bool = False
    # What it does when a hook asks and there is no user, "" if it denies.
    ask_unattended: str = ""
    # How often in a row a gate may block, 0 for no limit, None if that is unknown.
    own_gate_limit: int | None = None
    # Where the user, not the model, sees messages of hooktui, and the events on which also with a denial.
    notices: Literal["systemMessage", "stderr", "log"] = "log"
    notices_beside_denial: tuple[str, ...] = ()

    # The scopes in which `hooktui connect` connects it, the default first.
    connect_scopes: tuple[Scope, ...] = ()
    # The files for copied hooks by scope, with alternatives if another host uses the first; their scripts are beside them.
    copies: Mapping[Scope, tuple[str, ...]] = {}
    scripts_dir: str = "scripts"
    directories_dir: str = ""
    runs_new_hooks: str = ""  # tells the user when the program runs a new hook

    def read_payload(self, payload: dict[str, Any], given: str | None, now: str) -> Event:
        """Read an event. `given` is its name on the command line, `now` the time for a payload without one.

        Raises UnreadableEventError.
        """
        raise NotImplementedError

    def answer(self, dispatch: Dispatch) -> HostAnswer:
        """Write the answer of `hooktui run`: only what the host obeys."""
        raise NotImplementedError

    def interpret(self, hook: Hook, event: Event, ended: Ended) -> RunResult:
        """What the host makes of a hook that has ended: the only judge of exit codes and answers. Never raises."""
        raise NotImplementedError

    def hook_stdin(self, hook: Hook, event: Event) -> dict[str, Any]:
        """The JSON object that a hook reads, of an event of any host."""
        raise NotImplementedError

    def hook_directory(self, hook: Hook, event: Event, project: str) -> str:
        return event.work_dir if self.runs_in_session_dir else hook.cwd or project

    def hook_environment(self, hook: Hook, given: Mapping[str, str], project: str) -> dict[str, str]:
        """The agent's environment with the variables that the host sets, and those of the hook's entry."""
        own = {name: value.format(project=project) for name, value in self.variables.items()}
        if hook.plugin_root:
            own[self.plugin_variable] = hook.plugin_root
        return {**given, **own, **hook.env}

    def example(self, event_as_written: str) -> Mapping[str, Any]:
        """Fields that only this host's payloads have, for an example of an event."""
        return {}

    def repeats_timestamp(self) -> bool:
        """Whether an event has the same timestamp, to the millisecond, at every connection that it is delivered to."""
        return False

    def gate_limit(self, hook: Hook, running: Iterable[Hook], setting: int) -> int:
        """How many denials in a row at the gate keep a hook from running, 0 for no limit, given those that may run."""
        return 0

    def gate_denials(self, event: Event) -> int | None:
        """The denials in a row at the gate that a payload reports, None if hooktui has to count them."""
        return None

    def failure_denies(self, setting: str) -> bool:
        """Whether a failed hook denies, given the user's `on_hook_failure`."""
        return False

    def contexts(self, given: Sequence[str]) -> Sequence[str]:
        """What the model gets of the contexts of several hooks."""
        return given

    def denies_by_exit_2(self, event: str) -> bool:
        """Whether exit 2 denies an event (canonical, or the host's own)."""
        return self.exit_2_denies is None or event in self.exit_2_denies

    def can_deny(self, event: str) -> bool:
        """Whether an event (canonical, or the host's own) can be denied, by exit 2 or in an answer."""
        if event in events.UNDENIABLE:
            return False
        written = self.spelling(event) or event
        return self.denies_by_exit_2(event) or event in PERMISSION_REQUESTS or "decision" in (self.obeys(written) or ())

    def obeys(self, event_as_written: str) -> tuple[str, ...] | None:
        """The keys of an answer that the host obeys on an event, None for all that hooktui knows."""
        return None if self.answer_keys is None else self.answer_keys.get(event_as_written, ())

    def fails_closed(self, event: str) -> bool:
        """Whether a command that fails denies an event (canonical, or the host's own)."""
        return False

    def obeys_fail_mode(self, event_as_written: str) -> bool:
        """Whether an entry's failures deny an event if the entry asks for that."""
        return False

    def excuse(self, event: str, stderr: str) -> str:
        """The text on stderr for which the host ignores an exit 2 without output on an event, "" if there is none."""
        return ""

    def shows_exit_2(self, event_as_written: str) -> bool:
        """Whether exit 2 shows stderr to the user on an event, and the agent goes on."""
        return False

    def answer_text(self, stdout: str) -> str:
        return stdout

    def answer_faults(self, answer: dict[str, Any], event: Event) -> tuple[str, ...]:
        """Why the host rejects a whole answer; () if it obeys what it knows of it."""
        return ()

    def heard(self, answer: dict[str, Any], event_as_written: str, problems: list[str]) -> dict[str, Any]:
        """What the host takes from the keys of an answer that it obeys on an event. The rest is added to `problems`."""
        return answer

    def stops(self, event: Event, answer: dict[str, Any], *, is_denied: bool) -> bool:
        """Whether an answer stops the agent. `is_denied`: it denies the event as well."""
        return answer.get("continue") is False

    def ends_turn(self, hook: Hook, event: Event) -> bool:
        """Whether a prompt hook's denial ends the agent's turn, too."""
        return False

    def own_rewrite(self, event: Event, answer: dict[str, Any], problems: list[str]) -> Mapping[str, Any] | None:
        """What an answer replaces in an event that has no tool input; {} for an invalid value, None if it replaces nothing."""
        return None

    def own_trust(self, path: str, text: str) -> Mapping[EntryPath, HostTrust]:
        """The host's own approval of the entries in a hook file, by the file's path and text."""
        return {}

    @property
    def has_own_trust(self) -> bool:
        """Whether the host runs only entries that the user has trusted there."""
        return type(self).own_trust is not Host.own_trust

    def connect_entry(self, command: str, event_as_written: str) -> dict[str, Any]:
        """An entry of an event for our command; {} for a host without hook files."""
        return {}

    def managed_effect(self) -> str:
        """What else a connection for everyone on the machine changes."""
        return ""

    def gone_answer(self, message: str) -> Mapping[str, str]:
        """What the launcher prints at every event if hooktui is gone, where the user sees a message in no other way."""
        return {}

    @property
    def plugins(self) -> PluginSpec | None:
        """How it installs plugins that contain hooks, if their places are in lists."""
        return None

    def unread_settings(self, settings: Sequence[SettingsFile]) -> Mapping[str, str]:
        """Why the host does not read some managed settings files, by path."""
        return {}

    def managed_source(self, path: str) -> str:
        """Where the settings in a managed file come from: "remote" for an organization's server, else "file"."""
        return "file"

    def silenced(self, hook: Hook, settings: Sequence[SettingsFile], *, is_managed: bool) -> str:
        """Why the settings keep the host from running a hook; empty if they do not."""
        return ""

    def keeps_managed_hooks(self) -> bool:
        """Whether managed hooks run although the settings of a user or project disable all hooks."""
        return False

    def disabled_hooks(self, settings: Mapping[str, Any]) -> Mapping[str, str]:
        """The names or commands of single hooks that a file's settings disable, each with the key that says so."""
        return {}

    def runs_unlisted_hooks(self) -> bool:
        """Whether options of its command can add hooks that are in no file that it lists."""
        return False

    def unread_files(self) -> tuple[str, ...]:
        """Files of a project where people believe that it reads hooks, and it does not."""
        return ()

    def settings_files(self) -> tuple[str, ...]:
        """Files with settings on which it depends what it reads, JSON with comments, the least specific first."""
        return ()

    def ignores_event(self, event_as_written: str) -> bool:
        """Whether an event is known in its files and never fires."""
        return False

    def failure_shows_run(self) -> bool:
        """Whether only a call that ran is reported to hooks as a failed tool."""
        return True

    def failure_event(self) -> str:
        """The event on which it calls hooks after a tool that failed."""
        return "post-tool-call-failure"

    def keeps_last_spelling(self) -> bool:
        """Whether of two spellings of an event in one file only the last counts."""
        return False

    def lacks_tool(self, name: str) -> bool:
        """Whether no tool has a name: False where not all tools are known."""
        return False

    def model_tool(self, name: str) -> str:
        """The canonical tool for which its model and transcripts have a name that matchers do not know, "" if there is none."""
        return ""

    def variable_hints(self) -> Mapping[str, str]:
        """Variables that published hooks read and the host does not set, with what to do instead."""
        return {}

    def filled_in(self, command: str, project: str) -> str:
        """A command with the variables replaced that the host replaces before a shell sees them."""
        return command

    def shell_variable(self, name: str) -> str:
        """How a command names a variable so that the shell replaces it."""
        plain = f"${name}"
        return plain if self.filled_in(plain, "") == plain else f"${{{name}}}"

    @property
    def project_directory(self) -> str:
        """The project's directory in a shell command; empty if the host sets no variable for it."""
        name = self.entry.project_variable
        return f'"{self.shell_variable(name)}"' if name else ""

    def in_home(self, path: str) -> str:
        """The absolute path of a file that is given below the home directory with `~/`, or of an absolute one."""
        for place, variable in self.moved.items():
            instead = os.environ.get(variable, "")
            if os.path.isabs(instead) and f"{path}/".startswith(f"{place}/"):  # a relative one would name files of a project
                return os.path.abspath(os.path.join(instead, path[len(place) + 1 :]))
        return os.path.join(paths.home(), path.removeprefix("~/"))

    def events_in(self, file: str) -> tuple[str, ...]:
        return ("hooks",)

    def read_unless(self, files: HookFiles) -> str:
        """The file in place of which it reads others, and only if that does not exist; "" if it reads them anyway."""
        return ""

    def read_after(self, files: HookFiles) -> tuple[str, ...]:
        """The files before others: of an event that one of them has, it reads no hooks in those."""
        return ()

    def plugin_off(self, name: str, listed: Mapping[str, Any], directory: str) -> str:
        """Why the hooks of a plugin do not run in a directory by what the `plugin_list` says; "" if they do."""
        return ""

    def passes_mods_by(self, settings: Sequence[SettingsFile]) -> tuple[str, ...]:
        """The events at which the user's mods cannot let a tool run that a hook denied."""
        return ()

    def folder_off(self, scope: Scope, directory: str) -> str:
        """Why the host does not load the plugins in folders of a scope in a directory; "" if it does."""
        return ""

    def starts_in_plugin(self) -> bool:
        return False

    def fires_as(self, event_as_written: str, agent: str) -> str:
        """The event on which an entry fires in the definition of an agent, "" for none."""
        return event_as_written

    @property
    def plugin_variable(self) -> str:
        """The variable for the directory of the plugin that brings a hook."""
        variables = (files.plugin_variable for files in self.files if files.plugin_variable)
        return self.plugins.variable if self.plugins else next(variables, "")

    def spelling(self, event: str) -> str | None:
        """How the host spells a canonical event; None when it has no such event."""
        name = events.spelling(event, self.style)
        return name if name and (name in self.events or self.ignores_event(name)) else None

    def is_camel_case(self, event_as_written: str) -> bool:
        """Whether an event is in camelCase where the host has two spellings, each with payloads of its own."""
        return self.style == "camel" and event_as_written[:1].islower()

    def replace(self, **facts: Any) -> Self:
        """The host with other facts, such as the rules for entries in some of its files."""
        other = type(self)()
        other.__dict__.update(self.__dict__, **facts)
        return other
