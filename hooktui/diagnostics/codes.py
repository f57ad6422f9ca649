"""Every code that `check` can give: how severe it is, and what it means. docs/diagnostics.md is made from this table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.model import Severity


@dataclass(frozen=True, slots=True)
class Code:
    """`severity` is the usual one, `also` the one of a lesser breach of the same rule; `no_fix` why there is none, if so."""

    severity: Severity
    paragraph: str
    also: Severity | None = None
    no_fix: str = ""


CODES: Mapping[str, Code] = {
    "unreadable-file": Code(
        "error",
        "A hook file, its directory or its script cannot be read: no permission, not UTF-8, or no regular file (a "
        "FIFO, a device, a directory). The hook is listed and does not run. Give yourself permission to read it, or "
        "save it as UTF-8.",
        no_fix="whoever took the permission, or chose the encoding, may have meant it",
    ),
    "bad-yaml": Code(
        "error",
        "The YAML cannot be read, or it goes beyond what is read: 64 KiB of frontmatter, 50 levels, 1,000 values with "
        "aliases counted as what they stand for, no `<<` merge keys, no tags of its own. The hook is listed by what its "
        'lines look like and does not run. The usual cause is a backslash in double quotes, as in `"\\.py$"`: in single '
        "quotes, `'\\.py$'`, it stands for itself. The fix quotes what needs it, closes a quote, indents with spaces, puts "
        "a space behind a colon and the `---` that the file lacks before it.",
    ),
    "bad-json": Code(
        "error",
        "The JSON cannot be read at this place; comments and trailing commas are read, though not every host does. No "
        "hook of the file runs. The fix adds what is missing (a comma, the brackets at the end), takes away what is too much, "
        "and writes as JSON does what is meant: other quotes or none, `True`, `05`, a stray backslash.",
    ),
    "not-a-mapping": Code(
        "error",
        "The file, or its frontmatter, must hold `key: value` pairs and holds something else. No hook of it runs.",
        no_fix="what should stand there cannot be told",
    ),
    "misnamed-file": Code(
        "error",
        "The file must be called `HOOK.md`, in exactly this case: `hook.md` works on a case-insensitive disk and "
        "nowhere else. It is not loaded. The fix renames it.",
    ),
    "missing-field": Code(
        "error",
        "A required field is not there or empty: `name`, `description` and `trigger` in a HOOK.md, `type` and a command "
        "in JSON, `matcher` of an Azure tool hook. Without a name the directory's is used, which the fix writes, as it "
        "does the type of an entry with a command, and `hooks` around events that stand beside it; without a trigger the "
        "hook does not run.",
    ),
    "wrong-type": Code(
        "error",
        "The value is of another kind than the field wants: text for a number, a list for a text. `true` is no number, "
        "and `yes`, `no`, `on`, `off` are booleans in YAML 1.1 unless they are quoted. The default is used; a hook whose "
        "matcher or trigger is wrong does not run. The fix writes what was plainly meant: a number or boolean given as "
        "text, a time with its unit (`5s`), an entry or a command where a list of entries is wanted, the names of tools "
        "in a list or below `tools` where a matcher is.",
    ),
    "bad-name": Code(
        "error",
        "A name has 1 to 64 characters: another length is an error, and the directory's name is used. Other hosts "
        "want lower-case letters, digits and single hyphens (`block-rm`): another form is a warning.",
        also="warning",
        no_fix="the directory would have to be called so, too, and whoever knows the hook knows it by its name",
    ),
    "bad-description": Code(
        "error",
        "A description has 1 to 1024 characters. The hook runs all the same.",
        no_fix="only you can say it shorter, or at all",
    ),
    "unknown-event": Code(
        "error",
        "No host fires an event of this name, so the hook never runs, and most hosts say nothing. Names are exact: "
        "`pre-tool-call` or `before_tool` in a HOOK.md, `PreToolUse` for Claude Code and VS Code, `preToolUse` for "
        "Copilot. The fix writes the name that was meant.",
    ),
    "bad-regex": Code(
        "error",
        "The pattern is no valid regular expression (Python syntax). The hook does not run; the message tells the "
        "character where it goes wrong. The fix closes what is open, or takes a stray sign literally. It is never "
        "applied with the others: it chooses what a guard looks for.",
    ),
    "out-of-range": Code(
        "error",
        "The number is beyond its bounds: a HOOK.md timeout is 100 to 600000 ms, a priority 0 to 1000, an Azure "
        "timeout positive and `maxRejections` 1 to 25. The nearest allowed value is used, which the fix writes; a "
        "timeout of 0 becomes the default. An Azure timeout above 300 s is only a warning.",
        also="warning",
    ),
    "missing-entry": Code(
        "error",
        "None of `scripts/run`, `scripts/run.sh` and `scripts/run.py` exists beside the HOOK.md: there is nothing to run. "
        "The fix gives the only script that stands there the right name, or creates one, which reads its event and decides "
        "nothing until you write more.",
    ),
    "bad-command": Code(
        "error",
        "There is nothing that could be run: the command is empty or no text, or the interpreter named by the "
        "script's `#!` line does not exist, for which the fix writes `#!/usr/bin/env` where one of its name is found; "
        "or, as the log shows, none of its runs, three at least, could be started.",
    ),
    "bad-value": Code(
        "error",
        "The value is none of those that the field may have. The default is used. The fix writes the one that was "
        "probably meant. A key in `[keys]` that only some terminals send holds, and is only a warning.",
        also="warning",
    ),
    "missing-script": Code(
        "error",
        "A script that the command calls does not exist. The hook fails there, and most hosts say nothing. Nothing is said of "
        "one that the command looks for first, may make, or can do without (`|| true`). The fix writes the name of the one "
        "beside it that was probably meant, or creates a shell or Python script, which decides nothing until you write more.",
    ),
    "conflicting-keys": Code(
        "error",
        "Two keys that exclude each other: `command` and `script` of an Azure hook, or two spellings of one event in "
        "one file, of which VS Code keeps only the last.",
        no_fix="which of the two is meant cannot be told",
    ),
    "duplicate-key": Code(
        "error",
        "A key is given twice in one mapping: readers differ in which one they keep, so what is meant is in doubt. "
        "The hook does not run. The fix takes the second one away where it says the same as the first.",
    ),
    "broken-link": Code(
        "error",
        "A symbolic link leads nowhere or in a circle. What it should lead to is not loaded.",
        no_fix="where it should lead cannot be told",
    ),
    "too-large": Code(
        "error",
        "The file or script is larger than what is read: 256 KiB for a hook file, 65,536 bytes for an Azure script.",
        no_fix="what may go cannot be told",
    ),
    "host-skips-file": Code(
        "error",
        "Claude Code skips the whole file because of this place, the good hooks in it included: an entry written "
        "flat, without `type` or of an unknown type, a matcher that is no text, a timeout that is no number, a "
        "comment or a trailing comma. The fix takes trailing commas away, puts a flat entry into a group, and writes a "
        "type, a timeout or a matcher as it was meant; a comment stays.",
    ),
    "name-mismatch": Code(
        "warning",
        "The name differs from its directory's: some hosts want the two to be equal and skip the hook otherwise. The fix "
        "writes the directory's name.",
    ),
    "unknown-key": Code(
        "warning",
        "Nobody reads this key; it may be a slip. The fix writes the key that was probably meant.",
    ),
    "slow-regex": Code(
        "warning",
        "The pattern repeats something that repeats, as in `(a+)+$`, so that some texts take for ever to be found "
        "wanting. A match may take 50 ms here, after which the hook is skipped; other hosts may hang.",
        no_fix="another pattern may find something else",
    ),
    "matcher-ignored": Code(
        "warning",
        "Only tool events have something to match: on this event the matcher is ignored and the hook always runs.",
        no_fix="it may be the event that is wrong",
    ),
    "unit-suspect": Code(
        "warning",
        "The timeout is probably in the wrong unit: a HOOK.md counts milliseconds, JSON hooks and Azure count seconds. The fix "
        "is never applied with the others: the number may be meant.",
    ),
    "not-executable": Code(
        "warning",
        "The script lacks its executable bit. It is run here by the interpreter that its `#!` line or its suffix "
        "names; other hosts will not run it. The fix does `chmod +x`.",
    ),
    "no-shebang": Code(
        "warning",
        "The script has no usable `#!` line: here `.py` is run by python3 and anything else by sh, other hosts may "
        "not run it. A carriage return at the end of the line counts as part of the interpreter's name, and a byte order mark "
        "hides it. The fix adds the line that names what runs the script here, and saves the script with Unix line ends.",
    ),
    "unsupported-type": Code(
        "warning",
        "A kind of hook that this host, or hooktui, does not run: `http`, `mcp_tool`, `agent` and the like. It is skipped. The "
        "fix writes the type that was probably meant (`comand`).",
    ),
    "unsupported-shebang": Code(
        "warning",
        "Azure runs only scripts that begin with `#!/bin/bash` or `#!/usr/bin/env python3`. hooktui runs it all the same. The "
        "fix writes the one of the two that runs the same script.",
    ),
    "duplicate-hook": Code(
        "warning",
        "Two hooks of one scope have the same name: both run, and a log cannot tell them apart.",
        no_fix="which of the two goes is for you to say: `d` deletes one",
    ),
    "duplicate-command": Code(
        "warning",
        "The same command stands in two files for one event: VS Code runs it twice.",
        no_fix="in which file it stays is for you to say: `d` deletes one",
    ),
    "overrides-user-hook": Code(
        "warning",
        "A project's hook has the name of one of your own and replaces it in this project once you trust it. Make "
        "sure that this is meant: the replaced one may be a guard.",
        no_fix="it may be meant",
    ),
    "host-ignores-matcher": Code(
        "warning",
        "VS Code ignores matchers: there the hook fires for every tool.",
        no_fix="only the command can look at the tool's name",
    ),
    "host-rejects-output": Code(
        "warning",
        "What the hook prints is rejected by a host, and the tool proceeds: `permissionDecision` without "
        "`hookEventName` in Claude Code and Codex, `ask` in Codex; and whatever its own host could not use of the answers "
        "in the log.",
        no_fix="the answer is made by your script",
    ),
    "undefined-variable": Code(
        "warning",
        "The script uses a variable that this host does not set, such as `$TOOL_INPUT_FILE_PATH` (no host) or "
        "`$CLAUDE_PROJECT_DIR` (Claude Code only): it is empty. The event stands on stdin.",
        no_fix="the script has to read the event instead",
    ),
    "undefined-field": Code(
        "warning",
        "The script reads a field that this host's events do not have, such as `.sessionId` where it is called "
        "`session_id`: it is null. The fix writes the host's name for it, never with the others: the script may serve several "
        "hosts.",
    ),
    "host-misses-block": Code(
        "warning",
        "A block on Stop that stands only at the top level is missed by VS Code, one that stands only nested by Claude "
        "Code, one without a reason by Azure. Found in the text of the hook, or in its answers in the log.",
        no_fix="the answer is made by your script",
    ),
    "weak-exit": Code(
        "warning",
        "The script seems to block with `exit 1`, which every host but Copilot's preToolUse takes for a failure and "
        "allows: its text says so, or what it said in the log. Only exit 2 blocks. The fix writes it, never with the others: a "
        "failure may be meant.",
    ),
    "matches-nothing": Code(
        "warning",
        "No tool can ever match: an empty matcher in Azure, `mcp__server` without `.*` in Claude Code, or in a HOOK.md only "
        "names that the agent which is connected here does not give its tools. Or none ever did: "
        "the last 500 events of its kind in the log went by. Where it was the pattern that none of them had, that is only a "
        "remark: it may lie in wait for something rare. The fix writes a tool's name as Claude Code does, or all "
        "tools of a server.",
        also="info",
    ),
    "never-fires": Code(
        "warning",
        "The entry can never fire, for instance because it has `if` on an event without a tool, or no command for this "
        "system; or it never does its work: each of its runs in the log, three at least, failed or ran out of time.",
        no_fix="what it should fire on cannot be told",
    ),
    "ignored-key": Code(
        "warning",
        "The host ignores this key here, as Claude Code does `once` outside a skill.",
        no_fix="another host may read it",
    ),
    "untrusted": Code(
        "warning",
        "Nobody has approved this project hook, so it does not run. Read it, then `hooktui trust`. A hook in a host's own file "
        "is run by that host whatever is approved here: for hooktui alone it waits, and this is only a remark.",
        also="info",
        no_fix="`p` shows what would run and approves it",
    ),
    "changed-since-trusted": Code(
        "warning",
        "The hook, or a file beside it, is not what was approved, so it does not run. Look at what changed, then "
        "`hooktui trust`. A hook in a host's own file is run by that host all the same, and this is only a remark.",
        also="info",
        no_fix="`p` shows what changed and approves it",
    ),
    "prose-contradicts": Code(
        "warning",
        "The description or the text promises to block, but the hook cannot: it is `async`, or its event comes when "
        "all is over.",
        no_fix="either of the two may be what is meant",
    ),
}


def document() -> str:
    """docs/diagnostics.md."""
    parts = [_HEAD]
    for severity, title in (("error", "Errors"), ("warning", "Warnings")):
        parts.append(f"## {title}\n\n{_MEANING[severity]}\n")
        parts += [_section(name, code) for name, code in CODES.items() if code.severity == severity]
    return "\n".join(parts)


_HEAD = (
    "# Diagnostics\n\nWhat `hooktui check` and the Diagnostics screen report. Made from `hooktui/diagnostics/codes.py`.\n\n"
    "Where a problem has a fix, `f` applies it. `F` shows all that are safe and applies them in one step; "
    "`u` takes either back. `hooktui check --fix` applies them without asking. Safe is what writes the value that is used "
    "anyway, or\nthat was plainly meant; a fix that chooses what a guard looks for or whether it denies is for `f` alone.\n"
)
_MEANING = {
    "error": "The hook cannot do what it says. `check` exits 1.",
    "warning": "The hook may not do what it says, or not on some host.",
}


def _section(name: str, code: Code) -> str:
    also = f" (sometimes {code.also})" if code.also else ""
    without = f" No fix: {code.no_fix}." if code.no_fix else ""
    return f"### {name}{also}\n\n{code.paragraph}{without}\n"
