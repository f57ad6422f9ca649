"""The codes of warnings and infos: a hook may not do what it says, or could be better."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.core.model import Severity


class Code(NamedTuple):
    """A diagnostic code. `known` says how hooktui knows what it says, `also` is the severity of a lesser breach, and `no_fix`
    says why there is no automatic fix.

    `local`: it is about this machine, so that nobody can act on it in CI.
    """

    severity: Severity
    paragraph: str
    known: str
    also: Severity | None = None
    no_fix: str = ""
    local: bool = False


ADVICE: Mapping[str, Code] = {
    "name-mismatch": Code(
        "warning",
        "The name differs from the name of its directory. Some hosts skip such a hook. The fix writes the directory's name.",
        known="the HOOK.md specification",
    ),
    "slow-regex": Code(
        "warning",
        "Matching an event took longer than 50 ms, so hooktui skipped the hook; a host without a limit may hang. Nested "
        "repetitions, such as `(a+)+$`, take exponential time on some texts: rewrite the pattern without them.",
        no_fix="a different pattern may match different text",
        known="the log",
    ),
    "matcher-ignored": Code(
        "warning",
        "This event has no tool to match, so hosts ignore the matcher and the hook always runs. Remove the matcher, "
        "or choose a tool event.",
        no_fix="the event may be the mistake",
        known="the hosts' programs (run) or documentation",
    ),
    "unit-suspect": Code(
        "warning",
        "The timeout is probably in the wrong unit: a HOOK.md counts milliseconds, and so do some hosts in their JSON files; "
        "the others and Azure count seconds. It is info where a host takes small numbers as seconds today, and only its older "
        "versions do not (Qwen Code). The fix converts it; `F` leaves it to you, because the number may be intended.",
        also="info",
        known="the unit of each host, run or from its documentation; that it is the wrong one is a guess from the number",
    ),
    "not-executable": Code(
        "warning",
        "The script is not executable. hooktui runs it with the interpreter of its `#!` line or its suffix; other "
        "hosts do not run it. The fix runs `chmod +x`.",
        known="the mode of the file",
    ),
    "no-shebang": Code(
        "warning",
        "The script has no usable `#!` line. hooktui runs `.py` with python3 and anything else with sh; other hosts may not "
        "run it. A carriage return at the end of the line becomes part of the interpreter's name, and a byte order mark hides "
        "the line. The fix adds the line and saves the script with Unix line endings.",
        known="hooktui read the script",
    ),
    "unsupported-type": Code(
        "warning",
        "hooktui or this host does not run hooks of this type, such as `http`, `mcp_tool` or `agent`, and skips it. "
        "The fix writes the closest known type for a typo (`comand`).",
        known="the types of each host, run or from its documentation",
    ),
    "unsupported-shebang": Code(
        "warning",
        "Azure runs only scripts that begin with `#!/bin/bash` or `#!/usr/bin/env python3`. hooktui still runs it. "
        "The fix writes whichever of the two runs the same script.",
        known="Azure's documentation",
    ),
    "duplicate-hook": Code(
        "warning",
        "Two hooks of one scope have the same name, or one file has the same handler twice: same event, matcher, command, "
        "`if`, shell and timeout. Both run, and the log cannot distinguish them. Rename one, or delete it with `d`.",
        no_fix="only you can decide which one to keep",
        known="hooktui compared them",
    ),
    "runs-twice": Code(
        "warning",
        "A host reads two files that have the same command for one event, and runs it twice: Copilot CLI reads a project's "
        "Claude files beside `.github/hooks`, for example. Also: two installations of hooktui are connected, so that each "
        "HOOK.md hook runs twice. The hint says which entry can go without any host losing it.",
        no_fix="only you can decide which file keeps it",
        known="Copilot CLI with such files (run), and Cursor's SDK (read)",
    ),
    "overrides-user-hook": Code(
        "warning",
        "A project hook has the name of one of your own hooks and replaces it in this project once you approve it. "
        "Check that this is intended: the replaced hook may be a guard.",
        no_fix="the override may be intended",
        known="the HOOK.md specification",
    ),
    "not-covered": Code(
        "warning",
        "The approval of this project hook does not cover all that it loads, so that a change there can run unseen: an "
        "interpreter that reads its program from a pipe, `make` and other programs that do what the project's files say, "
        "`eval`, names that are computed, `xargs` with a shell, a `PATH` with directories of the project, git aliases, and "
        "files that depend on the working directory. Only hooks that hooktui runs need an approval. `[trust] require_covered "
        "= true` refuses such hooks. Name files literally.",
        no_fix="only you can decide what the hook should load",
        known="hooktui read the scripts",
    ),
    "host-ignores-matcher": Code(
        "warning",
        "VS Code ignores matchers and runs this hook for every tool. Test the tool's name in the command instead.",
        no_fix="only the command can test the tool's name",
        known="VS Code's documentation",
    ),
    "host-rejects-output": Code(
        "warning",
        "A host rejects or ignores what the hook prints, and the action proceeds: `permissionDecision` without `hookEventName` "
        "in Claude Code and Codex, or after a tool in Codex, the name of another event there, a word that is none of the "
        "host's (`permissionDecision: block`, `decision: deny`), `ask` in Codex, or an answer in the log that its own host "
        "could not use. Only literal answers are judged, as the host would. Print what the host accepts.",
        no_fix="your script prints the answer",
        known="such answers given to Claude Code and Codex CLI (run), or the log",
    ),
    "undefined-variable": Code(
        "warning",
        "The hook uses a value that comes from nowhere: a variable that this host does not set, such as `$TOOL_INPUT`, "
        "`$FILE_PATH` or `${file}` (set by no host) or `$CLAUDE_PROJECT_DIR` (not by every host); an argument such as `$1` in "
        "a command, or in a script to which the command passes none; `{{tool_input.file_path}}` or `%NAME%`, which nobody "
        "replaces. With a literal default, as in `${CLAUDE_TOOL_NAME:-unknown}`, the value is always that. Not reported: "
        "variables that the text, a file that it sources, or the entry sets, names that a person may set, and defaults or "
        "arguments in a text that also reads stdin.",
        no_fix="your script must read the event from stdin",
        known="the variables that each host was seen to set (run), or its documentation",
    ),
    "relative-path": Code(
        "warning",
        "The command names its script by a relative path, also behind `env` or `powershell -File`, but Claude Code runs hooks "
        "in the session's directory: once the agent runs `cd`, and in a plugin always, the script is not found. The hook fails "
        "and the tool runs, or, where the interpreter then exits 2 as Python does, the tool is denied. The fix writes "
        '`"$CLAUDE_PROJECT_DIR"/` or `"${CLAUDE_PLUGIN_ROOT}"/` before the path. Not said of Gemini CLI, Qwen Code and droid, '
        "which start hooks in the project whatever the agent does (run).",
        known="where each host was seen to start hooks (run)",
    ),
    "missing-program": Code(
        "warning",
        "The command, or a script that it starts, uses a program that is not installed on this machine, such as `jq`, so the "
        "hook fails; or nobody sees that it does, where the text hides the error (`2>/dev/null`). Not reported are programs "
        "that the text or a file that it sources defines or tests for (`command -v jq`), whose failure it expects (`|| true`, "
        "a look at `$?`), that only another operating system uses, or that need a file which the project does not have "
        "(`[ -f biome.json ]`). Install it, or test for it.",
        no_fix="installing programs is your decision",
        local=True,
        known="hooktui looked for it on this machine",
    ),
    "unread-file": Code(
        "warning",
        "The file has hooks, in a place where people believe that a host reads them, such as `.copilot/hooks.json` in a "
        "project, and the host does not (run, for all such paths). None of its hooks run; they are listed as not enabled.",
        no_fix="the hooks may be read by another program",
        known="files in all these places given to the hosts (run)",
    ),
    "unread-key": Code(
        "warning",
        "The host does not read this key, although it looks like a condition or an option: `enabled: false`, `blocking`, "
        "`filePattern`, `continueOnError`, `match`. The hook runs anyway. Disable a hook with `x`, restrict it with "
        "`matcher`, or test in the script. The fix writes `matcher` for `match`.",
        known="hooks with such keys given to the hosts (run)",
    ),
    "not-connected": Code(
        "warning",
        "The file connects hooktui, but the host does not call it: hooks are disabled or reserved to the administrator, the "
        "host reads another configuration directory, it does not trust the entry, or hooktui's Python is gone. HOOK.md hooks "
        "do not run there. The same holds for an entry that was changed, for example to `async` or another matcher; "
        "`hooktui connect` rewrites it. The message names the cause; `hooktui doctor` shows all connections. As a warning on a "
        "HOOK.md: no connected program has an entry for its event. As info on a HOOK.md: agent "
        "programs are installed, none is connected, and none of your own agents has run the project's hooks, so nothing runs "
        "this one. Connect a program (`K`, `hooktui connect --all`).",
        also="info",
        no_fix="what to change depends on the cause",
        local=True,
        known="the files of the host and of hooktui",
    ),
    "host-untrusted": Code(
        "warning",
        "Codex CLI runs a hook only after you have trusted it there, and again after each change of the entry or its place in "
        "the file. Until then it skips the hook without a word. Start `codex` and review its hooks, or type `/hooks`.",
        no_fix="trusting a hook is your decision, in Codex",
        local=True,
        known="Codex CLI (run); its record of what you trusted",
    ),
    "undefined-field": Code(
        "warning",
        "The script reads a field that this host's events do not have, such as `.sessionId` instead of `session_id`, or a "
        "field of a tool call on an event without a tool, so it is null. Not reported where the text also reads the right name "
        "or another field in its place, in a branch for another host, and for a script that also runs on a tool event. The fix "
        "writes the host's name of the field; `F` leaves it to you, because the script may serve several hosts.",
        known="the events that each host was seen to send (run), or its documentation",
    ),
    "host-misses-block": Code(
        "warning",
        "A host misses this block: on Stop, VS Code if `decision` is only at the top level, Claude Code if it is only nested, "
        "Azure if it has no reason; before a tool, Claude Code if `permissionDecision` is outside `hookSpecificOutput`, "
        "Copilot CLI in camelCase if it is only inside or is called `decision`. hooktui found it in the hook's text, comments "
        "left out, or in its logged answers. An allow is no block. Print the form that the host reads.",
        no_fix="your script prints the answer",
        known="such answers given to Claude Code and Copilot CLI (run); the documentation of VS Code and Azure",
    ),
    "weak-exit": Code(
        "warning",
        "The script seems to block with `exit 1`. Every host treats that as a failure and allows the action, except Copilot "
        "CLI on preToolUse. Only exit 2 blocks, and not in an `async` hook, for which no host waits; on some events Copilot "
        'CLI reads no exit code, only `"decision": "block"`. Codex CLI ignores an exit 2 without a reason on stderr. The fix '
        "writes `exit 2`; `F` leaves it to you, because a failure may be intended.",
        known="hooks with such exit codes given to the hosts (run); that the script means to block is a guess from its text",
    ),
    "matches-nothing": Code(
        "warning",
        "The matcher as a whole, matched as the hook's host does it, matches no tool that the host is known to have: a typo "
        "(`Edti`), a tool of another host, the name that Codex CLI's model has for its shell (`exec_command`), a command "
        "(`git push`; matchers see only the tool's name), a tool on an event without tools (`Bash` on SessionStart), an "
        "event in place of an agent's type (`Stop` on SubagentStop), `mcp__server` without `.*`, an empty matcher in Azure, "
        "or a HOOK.md that names only tools that the connected agent does not have (info if none is connected and no "
        "installed one has them). In a list, a mistyped name, or another host's name of a tool, is reported only if the "
        "right name is missing. A name that may be a newer tool's (`Foo`) is info, and nothing is said of it where not all "
        "tools of a host are known, or of MCP tools. Also reported if none of the last 500 logged events matched; as info if"
        " only the pattern never did, because it may guard against something rare. The fix writes the tool's name as the "
        "host spells it, or matches all tools of the server.",
        also="info",
        known="the tools that each host was seen to offer (run) or documents, or the log",
    ),
    "never-fires": Code(
        "warning",
        "The entry never takes effect: it has `if` on an event without a tool or for another tool than its matcher, it has no "
        "command for this operating system, no connected agent program has the event of a HOOK.md, or each of its logged runs "
        "(at least three) failed or timed out. Move it, or repair its command. As info in `.github/hooks`: VS Code (from its "
        "documentation) never fires the event, and Copilot CLI (run) does.",
        also="info",
        no_fix="the intended event is unknown",
        known="the hosts' programs (run), VS Code's documentation, or the log",
    ),
    "ignored-key": Code(
        "warning",
        "The host ignores this key here; Claude Code ignores `once` outside a skill, for example.",
        no_fix="another host may read it",
        known="the hosts' programs (run) or documentation",
    ),
    "changed-since-trusted": Code(
        "warning",
        "The hook, or a file beside it, differs from what you approved, so hooktui does not run it: run `hooktui trust`.",
        no_fix="approving is your decision; `p` shows the change",
        local=True,
        known="hooktui compared the files with those that you approved",
    ),
    "mod-overrules": Code(
        "warning",
        "A mod (a function inside a Claude Code plugin) can let a tool run that this guard denies: its answer to `tool.call`, "
        "`classic.PreToolUse` or `tool.check` counts instead of the hook's, and leaves no trace (run, 2.1.332). hooktui reads "
        "the mod and never runs it: whether it does so depends on its program. Managed hooks hold against mods.",
        no_fix="only you know whether the mod is meant to decide",
        known="such mods given to Claude Code 2.1.332 (run); hooktui reads the mod and never runs it",
    ),
    "unknown-key": Code(
        "warning",
        "No host reads this key; it may be a typo. The fix writes the closest known key.",
        known="the keys of each host, run or from its documentation",
    ),
    "untrusted": Code(
        "info",
        "Nobody has approved this project hook, which hooktui runs, not a host. Read it, then run `hooktui trust`.",
        no_fix="approving is your decision; `p` shows what would run",
        local=True,
        known="your approvals",
    ),
    "untested-guard": Code(
        "info",
        "The project has examples in `.agents/hook-tests`, and none of them reaches this hook, which can deny an event: nobody "
        "would notice if it stopped doing so. Add one that it denies and one that it lets pass; `hooktui test` runs them.",
        no_fix="only you know what it should deny",
        known="hooktui matched the examples with the hook",
    ),
    "unquoted-path": Code(
        "info",
        "The command uses a directory (the project's, the plugin's, `$(git rev-parse --show-toplevel)`) without quotes, so the "
        "shell splits it where the path has a space, and the hook fails there. The fix writes the quotes.",
        known="hooktui parsed the command",
    ),
    "host-drops-file": Code(
        "info",
        "Another host in use here reads this file too, and drops all of it because of this place. Copilot CLI (run) drops a "
        'Claude file with an empty matcher (`""`) on an event whose matchers it reads, or with an entry of type `mcp_tool`, '
        "`agent` or, except on SessionStart, `prompt`; Cursor (read in its SDK) one with a PreToolUse or PostToolUse "
        "group without a matcher. Not said where that host has hooks of its own for all these events.",
        no_fix="the file may be meant for its own host only",
        known="such files given to Copilot CLI (run), and Cursor's SDK (read)",
    ),
    "no-hook-file": Code(
        "info",
        "The file is JSON without hooks, in a directory where hosts read every `.json` file, or a HOOK.md of OpenClaw, which "
        "has a format of its own: move it elsewhere. Or nobody reads its hooks here: Claude Code reads "
        "`packages/a/.claude/settings.json` only when it is started in that directory, or hooktui does not support the agent.",
        no_fix="scripts may refer to it",
        known="files in these places given to Claude Code (run)",
    ),
    "fails-open": Code(
        "info",
        "A mod that can answer has no `.catch`: where its function throws, answers in the wrong form or takes over 10 seconds, "
        "Claude Code skips it, and the tool runs (run, 2.1.332).",
        no_fix="what it should answer then is your decision",
        known="such mods given to Claude Code 2.1.332 (run)",
    ),
}
