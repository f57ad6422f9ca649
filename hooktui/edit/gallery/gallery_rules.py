"""The index of the gallery: what each rule does, on which events and tools, and what it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from hooktui.core import events

ToolKind = Literal["shell", "edit"]

_BEFORE, _AFTER = ("pre-tool-call",), ("post-tool-call",)

_WHOLE = r"""\s["']?(/(bin|boot|etc|home|lib|opt|root|usr|var|Users)?|~|\$\{?HOME\}?|\.\.?|\*)["']?[/*]*([\s;&|'"]|$)"""
_DANGERS = (
    rf"\b(rm|chmod|chown)\b(?=[^;&|]*\s(-\w*[rR]|--recursive))(?=[^;&|]*{_WHOLE})"
    r"|\b(mkfs|wipefs|fdisk|parted|shred|shutdown|reboot|halt|poweroff)\b|(\bof=|> ?)/dev/(sd|hd|vd|nvme|mmcblk|disk|mapper)"
    r"|\b(curl|wget)\b.*\|.*\b(ba|z|da)?sh\b|sh\b.*\$\((curl|wget)\b|:\(\) ?\{|\bgit\b.*\b(reset\b.* --hard|clean\b.* -\w*f)"
)
_PUSHES = r"(?s)\bgit\b.*\bpush\b.*([\s\"'](-\w*[fd]|--(force|delete|mirror|prune|all)(?!-)|[+:]\w)|\b(main|master|release)\b)"
_SECRETS = (
    r"(^|[\s/='\"])(\.env(?!\.(example|sample|template))[\w.]*|\.netrc|\.npmrc|\.pypirc|\.git-credentials|credentials"
    r"|id_(rsa|ed25519)(?!\.pub)|[\w-]+\.(pem|key|p12))($|[\s'\";|&)])|\b(AKIA[0-9A-Z]{16}|gh[pousr]_\w{36}|sk-[\w-]{32})"
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the gallery. Its scripts are `scripts/NAME.sh.tmpl` and `scripts/NAME.py.tmpl`.

    `summary` is a line for lists and HOOK.md, `about` a paragraph for HOOK.md. `events` are canonical or a format's own: the
    first one that a format has is used. `tools` are the kinds of tools that the rule is for, all if empty. `pattern` is a
    regex for the calls that it acts on, less exact than the script, for counting past calls. `needs` are the programs that
    the script calls, besides those of POSIX. `is_local`: it is for an agent on the user's own machine. For its examples,
    `denies` and `passes` are shell commands that a guard denies and lets pass in every project, and `ignores` are fields of an
    event on which a hook that costs much does nothing.
    """

    name: str
    summary: str
    about: str
    events: tuple[str, ...]
    tools: tuple[ToolKind, ...] = ()
    pattern: str = ""
    needs: str = "python3"
    timeout_s: int = 30
    priority: int = 100
    is_local: bool = False
    denies: str = ""
    passes: str = ""
    ignores: Mapping[str, object] = field(default_factory=dict)


_RULES = (
    Rule(
        "block-secrets",
        "Denies access to .env and key files, and calls that contain a secret",
        "Denies tool calls that read or write files with secrets, also by shell commands, and calls that contain an API key, a "
        "token or a private key. It cannot see what a program opens by itself.",
        _BEFORE,
        pattern=_SECRETS,
        denies="cat .env",
        passes="cat .env.example",
    ),
    Rule(
        "protect-files",
        "Denies changes to lock files and .git by hand",
        "Denies edits of files that only their own tools or a person change, also by shell commands such as `rm`, `sed -i` and "
        "redirections. It cannot see what a program writes by itself.",
        _BEFORE,
        ("shell", "edit"),
        pattern=r"(^|[\s/])(\.git(/|\s|$)|[\w.-]+\.lock\b|package-lock\.json|pnpm-lock\.yaml|go\.sum)",
        denies="rm package-lock.json",
        passes="cat package-lock.json",
    ),
    Rule(
        "block-dangerous",
        "Denies shell commands that destroy much: rm -rf ~, mkfs, curl | sh, git reset --hard",
        "Denies shell commands that are hard to undo. It reads the command as a shell does, with quotes and `sudo`, and cannot "
        "see what a script or an alias does.",
        _BEFORE,
        ("shell",),
        pattern=_DANGERS,
        denies="rm -rf ~",
        passes="rm -rf build",
    ),
    Rule(
        "gate-commit",
        "Runs the tests before git commit, and denies the commit if they fail",
        "Runs the project's tests before `git commit`, and denies the commit if they fail or if it has `--no-verify`.",
        _BEFORE,
        ("shell",),
        pattern=r"\bgit\b.*\bcommit\b",
        needs="python3, git",
        timeout_s=300,
        denies="git commit --no-verify -m draft",
        passes="git status",
    ),
    Rule(
        "gate-push",
        "Denies force pushes, and pushes to main",
        "Denies `git push` if it rewrites or deletes a remote branch, and if it changes a branch that only people push to.",
        _BEFORE,
        ("shell",),
        pattern=_PUSHES,
        needs="python3, git",
        denies="git push --force origin topic",
        passes="git push origin topic",
    ),
    Rule(
        "format-file",
        "Formats each file that the agent has changed, by its suffix",
        "Runs the formatter for the suffix of the file that the agent has changed, and tells the agent if that changed it.",
        _AFTER,
        ("edit",),
        timeout_s=60,
    ),
    Rule(
        "lint-file",
        "Lints each file that the agent has changed, and tells it what to fix",
        "Runs the linter for the suffix of the file that the agent has changed, and tells the agent what it found.",
        _AFTER,
        ("edit",),
        timeout_s=60,
    ),
    Rule(
        "test-before-stop",
        "Runs the tests when the agent wants to stop, and keeps it working if they fail",
        "Runs the project's tests when the agent wants to stop and git has something to commit. If they fail, the agent gets "
        "the end of their output and keeps working, once.",
        (events.GATE,),
        needs="python3, git",
        timeout_s=300,
        ignores={"stop_hook_active": True},
    ),
    Rule(
        "session-context",
        "Tells the agent the branch, the uncommitted files and the last commits at the start",
        "Tells the agent at the start of a session which branch it is on, which files are not committed, and the last commits.",
        ("pre-session",),
        needs="python3, git",
    ),
    Rule(
        "notify",
        "Shows a desktop notification when the agent waits for you or has finished",
        "Shows a desktop notification when the agent needs you, or where it cannot tell, when it has finished.",
        ("Notification", events.GATE),
        needs="python3, and osascript or notify-send",
        is_local=True,
    ),
    Rule(
        "log-calls",
        "Appends each tool call to a log file of yours",
        "Appends a line to `~/.local/state/agent-calls.log` for each tool call: time, session, tool and input.",
        _AFTER,
        is_local=True,
    ),
    Rule(
        "protect-hooks",
        "Denies edits of hooks, of hooktui's files and of the settings of agent programs",
        "An agent that can edit its hooks, the approvals or the log can switch its guards off. This hook denies such edits, "
        "also from shell commands that name those files and write. It cannot see what a program does by itself: approvals and "
        "file permissions remain the protection against that.",
        _BEFORE,
        timeout_s=10,
        priority=1,
        denies="rm -r .agents/hooks",
        passes="cat .claude/settings.json",
    ),
)
RULES = {rule.name: rule for rule in _RULES}
