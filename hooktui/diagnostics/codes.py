"""Diagnostic codes: severity, explanation, and why a code has no fix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.diagnostics.advice_codes import ADVICE, Code

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CODES", "Code"]

_ERRORS: Mapping[str, Code] = {
    "unreadable-file": Code(
        "error",
        "A hook file, its directory or its script cannot be read: you lack permission, it is not UTF-8, or it is not a "
        "regular file (a FIFO, a device, a directory). The hook is listed and does not run. Make it readable.",
        no_fix="the permission or the encoding may be intended",
        known="hooktui tried to read it",
    ),
    "bad-yaml": Code(
        "error",
        "The YAML is invalid or exceeds a limit: 64 KiB of frontmatter, 50 levels, 1,000 values after aliases are expanded, "
        "no `<<` merge keys, no custom tags. The hook is listed as far as its lines can be read and does not run. The usual "
        "cause is a backslash in double quotes, such as `\"\\.py$\"`; use single quotes: `'\\.py$'`. The fix quotes values, "
        "replaces tabs with spaces, and adds a missing `---`.",
        known="hooktui parsed it",
    ),
    "bad-json": Code(
        "error",
        "The JSON is invalid at this place. None of the file's hooks run. hooktui accepts comments and trailing commas; not "
        "every host does. The fix adds a missing comma, removes an extra one, and writes a backslash as two.",
        known="hooktui parsed it",
    ),
    "not-a-mapping": Code(
        "error",
        "The file or its frontmatter must contain `key: value` pairs. None of its hooks run.",
        no_fix="the intended content is unknown",
        known="hooktui parsed it",
    ),
    "misnamed-file": Code(
        "error",
        "The file must be named `HOOK.md`, in exactly this case. hooktui does not load it. A file named `hook.md` "
        "works only on a case-insensitive file system. The fix renames it.",
        known="the HOOK.md specification",
    ),
    "missing-field": Code(
        "error",
        "A required field is missing or empty: `name`, `description` or `trigger` in a HOOK.md, `type` or a command in JSON, "
        "`matcher` of an Azure tool hook. Without a trigger the hook does not run; without a name it gets its directory's "
        "name. The fix writes the directory's name, the type of an entry that has a command, or `hooks` around events.",
        known="the HOOK.md specification, Azure's documentation, and the programs of the other hosts (run)",
    ),
    "wrong-type": Code(
        "error",
        "The value has the wrong type, such as text for a number or a list for text. `true` is not a number, and YAML 1.1 "
        "reads unquoted `yes`, `no`, `on` and `off` as booleans. The default applies; a hook whose matcher or trigger is "
        "wrong does not run. The fix converts numbers and booleans in quotes, timeouts with a unit (`5s`), single entries and "
        "commands where a list is required, and lists of tools in a matcher.",
        known="the HOOK.md specification, Azure's documentation, and the programs of the other hosts (run)",
    ),
    "bad-name": Code(
        "error",
        "A name must have 1 to 64 characters; otherwise hooktui uses the directory's name. Some hosts also require "
        "lowercase letters, digits and single hyphens (`block-rm`): any other form is a warning.",
        also="warning",
        no_fix="the directory and everything that refers to the hook would have to change too",
        known="the HOOK.md specification",
    ),
    "bad-description": Code(
        "error",
        "A description must have 1 to 1024 characters. The hook still runs.",
        no_fix="only you can write or shorten it",
        known="the HOOK.md specification",
    ),
    "unknown-event": Code(
        "error",
        "No host fires an event of this name, so the hook never runs, and most hosts do not warn about it. Names are exact: "
        "`pre-tool-call` or `before_tool` in a HOOK.md, `PreToolUse` for Claude Code and VS Code, `preToolUse` for Copilot "
        "CLI. The fix writes the closest event name, and for a command in place of a list the whole list.",
        known="each host's list of events, run or from its documentation (`docs/hosts`)",
    ),
    "bad-regex": Code(
        "error",
        "The pattern is not a valid regular expression in its program: HOOK.md and Azure take Python's, Codex CLI Rust's, "
        "which has no look-around, and all others JavaScript's. The hook does not run. The fix closes what is open or escapes "
        "a stray character; `F` leaves it to you, because it changes what a guard matches.",
        known="hooktui compiled it, or parsed it in the host's dialect",
    ),
    "out-of-range": Code(
        "error",
        "The number is out of range: a HOOK.md timeout is 100 to 600000 ms and a priority 0 to 1000; an Azure timeout is "
        "positive and `maxRejections` 1 to 25. hooktui uses the nearest allowed value, or the default for a timeout of 0. An "
        "Azure timeout above 300 s is a warning. The fix writes the value in use.",
        also="warning",
        known="the HOOK.md specification, and Azure's documentation",
    ),
    "missing-entry": Code(
        "error",
        "None of `scripts/run`, `scripts/run.sh` and `scripts/run.py` exists beside the HOOK.md, so there is nothing "
        "to run. The fix renames the only script there, or creates one that decides nothing until you edit it.",
        known="the HOOK.md specification",
    ),
    "bad-command": Code(
        "error",
        "The command cannot be run: it is empty or not text, a shell cannot parse it (an open quote, `if` without `fi`), the "
        "interpreter in the script's `#!` line does not exist, or none of its logged runs (at least three) could start. The "
        "fix replaces a missing interpreter with `#!/usr/bin/env`, if one of that name is installed.",
        known="hooktui parsed it and looked for its interpreter, or the log",
    ),
    "bad-value": Code(
        "error",
        "The value is not one of those that the field allows. The default applies. A key in `[keys]` that only some "
        "terminals send is a warning and works. The fix writes the closest allowed value.",
        also="warning",
        known="the HOOK.md specification, the hosts' documentation, and hooktui's own configuration",
    ),
    "missing-script": Code(
        "error",
        "The command calls a script, or runs in a `cwd`, that does not exist, so the hook fails; a missing Python or Perl "
        'script makes its interpreter exit 2, which denies every tool. A quoted `"~/…"` is not expanded. Scripts that the '
        "command tests for, may create, or can do without (`|| true`) are not reported. `%NAME%` is a variable of Windows' "
        "cmd.exe, through which no host runs hooks. If the path is on another machine (`/Users/…`) and the script is in the "
        "project, the fix writes that path; for Codex CLI, which starts hooks elsewhere, the hint names the way over git. "
        "Otherwise the fix writes a similar script's name, or creates one that decides nothing until you edit it. As info, "
        "without a fix: a project's command names a path below `~` or `$HOME`, or one that git ignores (build outputs).",
        also="info",
        known="hooktui looked for it on this machine",
    ),
    "conflicting-keys": Code(
        "error",
        "Two keys exclude each other: `command` and `script` of an Azure hook, or two spellings of one event in one "
        "file, of which VS Code keeps only the last. Delete one of them.",
        no_fix="hooktui cannot tell which one you mean",
        known="the documentation of Azure and VS Code",
    ),
    "duplicate-key": Code(
        "error",
        "A mapping contains the same key twice, and parsers differ in which value they keep. The hook does not run. "
        "The fix removes the second key if both values are equal.",
        known="hooktui parsed it",
    ),
    "broken-link": Code(
        "error",
        "A symbolic link points to a missing file or to itself. Its target is not loaded. Delete or correct it.",
        no_fix="the intended target is unknown",
        known="hooktui followed it",
    ),
    "too-large": Code(
        "error",
        "The file or script exceeds the size limit: 256 KiB for a hook file, 65,536 bytes for an Azure script. As a warning: "
        "these hooks have more scripts than hooktui reads in one check, so it may miss problems in them. It still reports "
        "missing scripts. Hooks that were not read can be approved by name only.",
        also="warning",
        no_fix="only you can decide what to remove",
        known="Azure's documentation, and hooktui's own limits",
    ),
    "host-skips-file": Code(
        "error",
        "The program that the file belongs to ignores all of it because of this place, or does not even start: none of its "
        "hooks run. Causes, not in every program: a syntax error, a comment, a trailing comma, a byte order mark, a flat "
        "entry, a missing or unknown `type`, a matcher that is not text, a timeout that is not a number, an unknown key. The "
        "fix removes trailing commas, moves a flat entry into a group, and corrects a type, timeout or matcher; comments stay.",
        known="such files given to Claude Code, Codex CLI, Copilot CLI, Gemini CLI, Qwen Code, droid and Kimi Code (run)",
    ),
    "denies-everything": Code(
        "error",
        "The entry has no command for this operating system, or `args` without `exec`, which Copilot CLI ignores so that an "
        "interpreter runs without its script. Its host takes that as a failed guard: Copilot CLI then denies every tool call. "
        "Add `bash`, or `command` for every system, with the arguments in it. Or the hook blocks every stop, "
        "and its host has no limit of its own, like Codex CLI: the agent never stops. Block only while something is missing.",
        no_fix="only you can write the command",
        known="such files given to Copilot CLI and Codex CLI (run)",
    ),
    "insecure-permissions": Code(
        "error",
        "Others can write the hook's file, its script or the directory of either, and so change what runs with your "
        "permissions. hooktui does not run such a hook; hosts that read the file themselves do. It is a warning if only your "
        "own private group can write, as in a clone under umask 002; the hook then runs. The fix runs `chmod go-w`. The "
        "files of a managed hook, and the directories above them, must belong to root.",
        also="warning",
        known="the modes of the files",
        local=True,
    ),
    "mod-not-loaded": Code(
        "error",
        "Claude Code does not load this mod (a function inside a plugin): its module does not parse, imports more than the "
        "plugin's own files, or registers in a way that Claude Code refuses, such as with a computed event. The "
        "message has Claude Code's reason (run, 2.1.332). Nothing of the module answers; hooks in the same file run.",
        no_fix="only you know what the program should do",
        known="such mods given to Claude Code 2.1.332 (run)",
    ),
}
CODES: Mapping[str, Code] = {**_ERRORS, **ADVICE}
