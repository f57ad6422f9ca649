"""Diagnostic codes: severity, explanation, and why a code has no fix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.core.model import Severity


@dataclass(frozen=True, slots=True)
class Code:
    """A diagnostic code. `also` is the severity of a lesser breach; `no_fix` says why there is no automatic fix.

    `local`: it is about this machine, so that nobody can act on it in CI.
    """

    severity: Severity
    paragraph: str
    also: Severity | None = None
    no_fix: str = ""
    local: bool = False


CODES: Mapping[str, Code] = {
    "unreadable-file": Code(
        "error",
        "A hook file, its directory or its script cannot be read: you lack permission, it is not UTF-8, or it is not a "
        "regular file (a FIFO, a device, a directory). The hook is listed and does not run. Make it readable.",
        no_fix="the permission or the encoding may be intended",
    ),
    "bad-yaml": Code(
        "error",
        "The YAML is invalid or exceeds a limit: 64 KiB of frontmatter, 50 levels, 1,000 values after aliases are expanded, "
        "no `<<` merge keys, no custom tags. The hook is listed as far as its lines can be read and does not run. The usual "
        "cause is a backslash in double quotes, such as `\"\\.py$\"`; use single quotes: `'\\.py$'`. The fix quotes values, "
        "closes quotes, replaces tabs with spaces, and adds a missing space after a colon or a missing `---`.",
    ),
    "bad-json": Code(
        "error",
        "The JSON is invalid at this place. None of the file's hooks run. hooktui accepts comments and trailing commas; not "
        "every host does. The fix adds missing commas and closing brackets, removes extra ones, and corrects quotes.",
    ),
    "not-a-mapping": Code(
        "error",
        "The file or its frontmatter must contain `key: value` pairs. None of its hooks run.",
        no_fix="the intended content is unknown",
    ),
    "misnamed-file": Code(
        "error",
        "The file must be named `HOOK.md`, in exactly this case. hooktui does not load it. A file named `hook.md` "
        "works only on a case-insensitive file system. The fix renames it.",
    ),
    "missing-field": Code(
        "error",
        "A required field is missing or empty: `name`, `description` or `trigger` in a HOOK.md, `type` or a command in JSON, "
        "`matcher` of an Azure tool hook. Without a trigger the hook does not run; without a name it gets its directory's "
        "name. The fix writes the directory's name, the type of an entry that has a command, or `hooks` around events.",
    ),
    "wrong-type": Code(
        "error",
        "The value has the wrong type, such as text for a number or a list for text. `true` is not a number, and YAML 1.1 "
        "reads unquoted `yes`, `no`, `on` and `off` as booleans. The default applies; a hook whose matcher or trigger is "
        "wrong does not run. The fix converts numbers and booleans in quotes, timeouts with a unit (`5s`), single entries and "
        "commands where a list is required, and lists of tools in a matcher.",
    ),
    "bad-name": Code(
        "error",
        "A name must have 1 to 64 characters; otherwise hooktui uses the directory's name. Some hosts also require "
        "lowercase letters, digits and single hyphens (`block-rm`): any other form is a warning.",
        also="warning",
        no_fix="the directory and everything that refers to the hook would have to change too",
    ),
    "bad-description": Code(
        "error",
        "A description must have 1 to 1024 characters. The hook still runs.",
        no_fix="only you can write or shorten it",
    ),
    "unknown-event": Code(
        "error",
        "No host fires an event of this name, so the hook never runs, and most hosts do not warn about it. Names are exact: "
        "`pre-tool-call` or `before_tool` in a HOOK.md, `PreToolUse` for Claude Code and VS Code, `preToolUse` for Copilot "
        "CLI. The fix writes the closest event name, and for a command in place of a list the whole list.",
    ),
    "bad-regex": Code(
        "error",
        "The pattern is not a valid regular expression in its program: HOOK.md and Azure take Python's, Codex CLI Rust's, "
        "which has no look-around, and all others JavaScript's. The hook does not run. The fix closes what is open or escapes "
        "a stray character; `F` leaves it to you, because it changes what a guard matches.",
    ),
    "out-of-range": Code(
        "error",
        "The number is out of range: a HOOK.md timeout is 100 to 600000 ms and a priority 0 to 1000; an Azure timeout is "
        "positive and `maxRejections` 1 to 25. hooktui uses the nearest allowed value, or the default for a timeout of 0. An "
        "Azure timeout above 300 s is a warning. The fix writes the value in use.",
        also="warning",
    ),
    "missing-entry": Code(
        "error",
        "None of `scripts/run`, `scripts/run.sh` and `scripts/run.py` exists beside the HOOK.md, so there is nothing "
        "to run. The fix renames the only script there, or creates one that decides nothing until you edit it.",
    ),
    "bad-command": Code(
        "error",
        "The command cannot be run: it is empty or not text, a shell cannot parse it (an open quote, `if` without `fi`), the "
        "interpreter in the script's `#!` line does not exist, or none of its logged runs (at least three) could start. The "
        "fix replaces a missing interpreter with `#!/usr/bin/env`, if one of that name is installed.",
    ),
    "bad-value": Code(
        "error",
        "The value is not one of those that the field allows. The default applies. A key in `[keys]` that only some "
        "terminals send is a warning and works. The fix writes the closest allowed value.",
        also="warning",
    ),
    "missing-script": Code(
        "error",
        "The command calls a script that does not exist, so the hook fails; a missing Python or Perl script makes its "
        'interpreter exit 2, which denies every tool. A quoted `"~/…"` is not expanded. Scripts that the command tests for, '
        "may create, or can do without (`|| true`) are not reported. `%NAME%` is a variable of Windows' cmd.exe, through which "
        "no host runs hooks. If the path is on another machine (`/Users/…`) and the script is in the project, the fix writes "
        "that path; for Codex CLI, which starts hooks elsewhere, the hint names the way over git. Otherwise the fix writes a "
        "similar script's name, or creates one that decides nothing until you edit it. As info, without a fix: a project's "
        "command names a path below `~` or `$HOME`, or one that git ignores (build outputs).",
        also="info",
    ),
    "conflicting-keys": Code(
        "error",
        "Two keys exclude each other: `command` and `script` of an Azure hook, or two spellings of one event in one "
        "file, of which VS Code keeps only the last. Delete one of them.",
        no_fix="hooktui cannot tell which one you mean",
    ),
    "duplicate-key": Code(
        "error",
        "A mapping contains the same key twice, and parsers differ in which value they keep. The hook does not run. "
        "The fix removes the second key if both values are equal.",
    ),
    "broken-link": Code(
        "error",
        "A symbolic link points to a missing file or to itself. Its target is not loaded. Delete or correct it.",
        no_fix="the intended target is unknown",
    ),
    "too-large": Code(
        "error",
        "The file or script exceeds the size limit: 256 KiB for a hook file, 65,536 bytes for an Azure script. As a warning: "
        "these hooks have more scripts than hooktui reads in one check, so it may miss problems in them. It still reports "
        "missing scripts. Hooks that were not read can be approved by name only.",
        also="warning",
        no_fix="only you can decide what to remove",
    ),
    "host-skips-file": Code(
        "error",
        "The program that the file belongs to ignores all of it because of this place, or does not even start: none of its "
        "hooks run. Causes, not in every program: a syntax error, a comment, a trailing comma, a byte order mark, a flat "
        "entry, a missing or unknown `type`, a matcher that is not text, a timeout that is not a number, an unknown key. The "
        "fix removes trailing commas, moves a flat entry into a group, and corrects a type, timeout or matcher; comments stay.",
    ),
    "denies-everything": Code(
        "error",
        "The entry has no command for this operating system, or `args` without `exec`, which Copilot CLI ignores so that an "
        "interpreter runs without its script. Its host takes that as a failed guard: Copilot CLI then denies every tool call. "
        "Add `bash`, or `command` for every system, with the arguments in it. Or the hook blocks every stop, "
        "and its host has no limit of its own, like Codex CLI: the agent never stops. Block only while something is missing.",
        no_fix="only you can write the command",
    ),
    "name-mismatch": Code(
        "warning",
        "The name differs from the name of its directory. Some hosts skip such a hook. The fix writes the directory's name.",
    ),
    "unknown-key": Code("warning", "No host reads this key; it may be a typo. The fix writes the closest known key."),
    "slow-regex": Code(
        "warning",
        "Matching an event took longer than 50 ms, so hooktui skipped the hook; a host without a limit may hang. Nested "
        "repetitions, such as `(a+)+$`, take exponential time on some texts: rewrite the pattern without them.",
        no_fix="a different pattern may match different text",
    ),
    "matcher-ignored": Code(
        "warning",
        "This event has no tool to match, so hosts ignore the matcher and the hook always runs. Remove the matcher, "
        "or choose a tool event.",
        no_fix="the event may be the mistake",
    ),
    "unit-suspect": Code(
        "warning",
        "The timeout is probably in the wrong unit: a HOOK.md counts milliseconds, and so do some hosts in their JSON files; "
        "the others and Azure count seconds. It is info where a host takes small numbers as seconds today, and only its older "
        "versions do not (Qwen Code). The fix converts it; `F` leaves it to you, because the number may be intended.",
        also="info",
    ),
    "not-executable": Code(
        "warning",
        "The script is not executable. hooktui runs it with the interpreter of its `#!` line or its suffix; other "
        "hosts do not run it. The fix runs `chmod +x`.",
    ),
    "no-shebang": Code(
        "warning",
        "The script has no usable `#!` line. hooktui runs `.py` with python3 and anything else with sh; other hosts may not "
        "run it. A carriage return at the end of the line becomes part of the interpreter's name, and a byte order mark hides "
        "the line. The fix adds the line and saves the script with Unix line endings.",
    ),
    "unsupported-type": Code(
        "warning",
        "hooktui or this host does not run hooks of this type, such as `http`, `mcp_tool` or `agent`, and skips it. "
        "The fix writes the closest known type for a typo (`comand`).",
    ),
    "unsupported-shebang": Code(
        "warning",
        "Azure runs only scripts that begin with `#!/bin/bash` or `#!/usr/bin/env python3`. hooktui still runs it. "
        "The fix writes whichever of the two runs the same script.",
    ),
    "duplicate-hook": Code(
        "warning",
        "Two hooks of one scope have the same name, or one file has the same handler twice: same event, matcher, command, "
        "`if`, shell and timeout. Both run, and the log cannot distinguish them. Rename one, or delete it with `d`.",
        no_fix="only you can decide which one to keep",
    ),
    "runs-twice": Code(
        "warning",
        "A host reads two files that have the same command for one event, and runs it twice: Copilot CLI reads a project's "
        "Claude files beside `.github/hooks`, for example. Also: two installations of hooktui are connected, so that each "
        "HOOK.md hook runs twice. The hint says which entry can go without any host losing it.",
        no_fix="only you can decide which file keeps it",
    ),
    "overrides-user-hook": Code(
        "warning",
        "A project hook has the name of one of your own hooks and replaces it in this project once you approve it. "
        "Check that this is intended: the replaced hook may be a guard.",
        no_fix="the override may be intended",
    ),
    "not-covered": Code(
        "warning",
        "The approval of this project hook does not cover all that it loads, so that a change there can run unseen: an "
        "interpreter that reads its program from a pipe, `make` and other programs that do what the project's files say, "
        "`eval`, names that are computed, `xargs` with a shell, a `PATH` with directories of the project, git aliases, and "
        "files that depend on the working directory. Only hooks that hooktui runs need an approval. `[trust] require_covered "
        "= true` refuses such hooks. Name files literally.",
        no_fix="only you can decide what the hook should load",
    ),
    "insecure-permissions": Code(
        "error",
        "Others can write the hook's file, its script or the directory of either, and so change what runs with your "
        "permissions. hooktui does not run such a hook; hosts that read the file themselves do. It is a warning if only your "
        "own private group can write, as in a clone under umask 002; the hook then runs. The fix runs `chmod go-w`.",
        also="warning",
    ),
    "host-ignores-matcher": Code(
        "warning",
        "VS Code ignores matchers and runs this hook for every tool. Test the tool's name in the command instead.",
        no_fix="only the command can test the tool's name",
    ),
    "host-rejects-output": Code(
        "warning",
        "A host rejects or ignores what the hook prints, and the action proceeds: `permissionDecision` without `hookEventName` "
        "in Claude Code and Codex, or after a tool in Codex, the name of another event there, a word that is none of the "
        "host's (`permissionDecision: block`, `decision: deny`), `ask` in Codex, or an answer in the log that its own host "
        "could not use. Only literal answers are judged, as the host would. Print what the host accepts.",
        no_fix="your script prints the answer",
    ),
    "undefined-variable": Code(
        "warning",
        "The hook uses a value that comes from nowhere: a variable that this host does not set, such as `$TOOL_INPUT`, "
        "`$FILE_PATH` or `${file}` (set by no host) or `$CLAUDE_PROJECT_DIR` (not by every host); an argument such as `$1` in "
        "a command, or in a script to which the command passes none; `{{tool_input.file_path}}` or `%NAME%`, which nobody "
        "replaces. With a literal default, as in `${CLAUDE_TOOL_NAME:-unknown}`, the value is always that. The message says so "
        "if the hook therefore never blocks. Not reported: variables that the text, a file that it sources, or the entry sets, "
        "names that a person may set, and defaults or arguments in a text that also reads stdin.",
        no_fix="your script must read the event from stdin",
    ),
    "relative-path": Code(
        "warning",
        "The command names its script by a relative path, also behind `env` or `powershell -File`, but Claude Code runs hooks "
        "in the session's directory: once the agent runs `cd`, and in a plugin always, the script is not found. The hook fails "
        "and the tool runs, or, where the interpreter then exits 2 as Python does, the tool is denied. The fix writes "
        '`"$CLAUDE_PROJECT_DIR"/` or `"${CLAUDE_PLUGIN_ROOT}"/` before the path. Not said of Gemini CLI, Qwen Code and droid, '
        "which start hooks in the project whatever the agent does (run).",
    ),
    "missing-program": Code(
        "warning",
        "The command, or a script that it starts, uses a program that is not installed on this machine, such as `jq`, so the "
        "hook fails. Not reported are programs that the text or a file that it sources defines or tests for (`command -v jq`), "
        "whose failure it expects (`|| true`, a look at `$?`), that only another operating system uses, or that need a file "
        "which the project does not have (`[ -f biome.json ]`). Install it, or test for it.",
        no_fix="installing programs is your decision",
        local=True,
    ),
    "unread-file": Code(
        "warning",
        "The file has hooks, in a place where people believe that a host reads them, such as `.copilot/hooks.json` in a "
        "project, and the host does not (run, for all such paths). None of its hooks run; they are listed as not enabled.",
        no_fix="the hooks may be read by another program",
    ),
    "unread-key": Code(
        "warning",
        "The host does not read this key, although it looks like a condition or an option: `enabled: false`, `blocking`, "
        "`filePattern`, `continueOnError`, `match`. The hook runs anyway. Disable a hook with `x`, restrict it with "
        "`matcher`, or test in the script. The fix writes `matcher` for `match`.",
    ),
    "not-connected": Code(
        "warning",
        "The file connects hooktui, but the host does not call it: hooks are disabled or reserved to the administrator, the "
        "host reads another configuration directory, it does not trust the entry, or hooktui's Python is gone. HOOK.md hooks "
        "do not run there. The message names the cause; `hooktui doctor` shows all connections. As info on a HOOK.md: agent "
        "programs are installed, none is connected, and none of your own agents has run the project's hooks, so nothing runs "
        "this one. Connect a program (`K`, `hooktui connect --all`).",
        also="info",
        no_fix="what to change depends on the cause",
        local=True,
    ),
    "host-untrusted": Code(
        "warning",
        "Codex CLI runs a hook only after you have trusted it there, and again after each change of the entry or its place in "
        "the file. Until then it skips the hook without a word. Start `codex` and review its hooks, or type `/hooks`.",
        no_fix="trusting a hook is your decision, in Codex",
        local=True,
    ),
    "undefined-field": Code(
        "warning",
        "The script reads a field that this host's events do not have, such as `.sessionId` instead of `session_id`, or a "
        "field of a tool call on an event without a tool, so it is null. Not reported where the text also reads the right name "
        "or another field in its place, in a branch for another host, and for a script that also runs on a tool event. The fix "
        "writes the host's name of the field; `F` leaves it to you, because the script may serve several hosts.",
    ),
    "host-misses-block": Code(
        "warning",
        "A host misses this block: on Stop, VS Code if `decision` is only at the top level, Claude Code if it is only nested, "
        "Azure if it has no reason; before a tool, Claude Code if `permissionDecision` is outside `hookSpecificOutput`, "
        "Copilot CLI in camelCase if it is only inside or is called `decision`. hooktui found it in the hook's text, comments "
        "left out, or in its logged answers. An allow is no block. Print the form that the host reads.",
        no_fix="your script prints the answer",
    ),
    "weak-exit": Code(
        "warning",
        "The script seems to block with `exit 1`. Every host treats that as a failure and allows the action, except Copilot "
        "CLI on preToolUse. Only exit 2 blocks, and not in an `async` hook, for which no host waits; on some events Copilot "
        'CLI reads no exit code, only `"decision": "block"`. Codex CLI ignores an exit 2 without a reason on stderr. The fix '
        "writes `exit 2`; `F` leaves it to you, because a failure may be intended.",
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
    ),
    "never-fires": Code(
        "warning",
        "The entry never takes effect: it has `if` on an event without a tool or for another tool than its matcher, it has no "
        "command for this operating system, no connected agent program has the event of a HOOK.md, or each of its logged runs "
        "(at least three) failed or timed out. Move it, or repair its command. As info in `.github/hooks`: VS Code (from its "
        "documentation) never fires the event, and Copilot CLI (run) does.",
        also="info",
        no_fix="the intended event is unknown",
    ),
    "ignored-key": Code(
        "warning",
        "The host ignores this key here; Claude Code ignores `once` outside a skill, for example.",
        no_fix="another host may read it",
    ),
    "changed-since-trusted": Code(
        "warning",
        "The hook, or a file beside it, differs from what you approved, so hooktui does not run it: run `hooktui trust`.",
        no_fix="approving is your decision; `p` shows the change",
        local=True,
    ),
    "untrusted": Code(
        "info",
        "Nobody has approved this project hook, which hooktui runs, not a host. Read it, then run `hooktui trust`.",
        no_fix="approving is your decision; `p` shows what would run",
        local=True,
    ),
    "unquoted-path": Code(
        "info",
        "The command uses a directory (the project's, the plugin's, `$(git rev-parse --show-toplevel)`) without quotes, so the "
        "shell splits it where the path has a space, and the hook fails there. The fix writes the quotes.",
    ),
    "host-drops-file": Code(
        "info",
        "Another host in use here reads this file too, and drops all of it because of this place. Copilot CLI (run) drops a "
        'Claude file with an empty matcher (`""`), or with an entry of type `mcp_tool`, `agent` or, except on SessionStart, '
        "`prompt`; Cursor (read in its SDK) one with a PreToolUse or PostToolUse group without a matcher. Not said where that "
        "host has hooks of its own for all these events.",
        no_fix="the file may be meant for its own host only",
    ),
    "no-hook-file": Code(
        "info",
        "The file is JSON without hooks, in a directory where hosts read every `.json` file, or a HOOK.md of OpenClaw, which "
        "has a format of its own: move it elsewhere. Or nobody reads its hooks here: Claude Code reads "
        "`packages/a/.claude/settings.json` only when it is started in that directory, or hooktui does not support the agent.",
        no_fix="scripts may refer to it",
    ),
}
