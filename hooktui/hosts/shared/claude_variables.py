"""Variables that published hooks of Claude Code read and it does not set, with what to do instead."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_PUBLISHED = (
    *("CLAUDE_PROJECT_DIR", "CLAUDE_COMMAND", "CLAUDE_EVENT", "CLAUDE_FILE", "CLAUDE_FILES", "CLAUDE_FILE_PATH"),
    *("CLAUDE_FILE_PATHS", "CLAUDE_HOOK_EVENT", "CLAUDE_HOOK_INPUT", "CLAUDE_MESSAGE", "CLAUDE_NOTIFICATION"),
    *("CLAUDE_PROMPT", "CLAUDE_TOOL", "CLAUDE_TOOL_ARGS", "CLAUDE_TOOL_INPUT", "CLAUDE_TOOL_INPUT_FILE_PATH"),
    *("CLAUDE_TOOL_NAME", "CLAUDE_TOOL_OUTPUT", "CLAUDE_TOOL_RESULT", "CLAUDE_USER_PROMPT", "CLAUDE_BASH_COMMAND"),
    *("CLAUDE_TOOL_USE_ID", "CLAUDE_TRANSCRIPT_PATH", "CLAUDE_CWD", "CLAUDE_WORKING_DIR", "CLAUDE_HOOK_NAME"),
    *("FILE_PATH", "HOOK_EVENT", "HOOK_EVENT_NAME", "HOOK_INPUT", "TOOL_ARGS", "TOOL_COMMAND", "TOOL_FILE_PATH"),
    *("TOOL_INPUT", "TOOL_INPUT_COMMAND", "TOOL_INPUT_FILE_PATH", "TOOL_NAME", "TOOL_OUTPUT", "TOOL_RESULT", "USER_PROMPT"),
)
_OF_EDITORS = ("file", "filePath", "file_path", "workspaceFolder", "workspaceRoot")
# Names like those that Claude Code does set.
_SIMILAR = {
    **dict.fromkeys(("CLAUDE_PROJECT_ROOT", "CLAUDE_PROJECT_PATH", "CLAUDE_WORKSPACE"), "Claude Code sets CLAUDE_PROJECT_DIR"),
    **dict.fromkeys(("CLAUDE_PLUGIN_DIR", "CLAUDE_PLUGIN_PATH", "PLUGIN_ROOT"), "Claude Code sets CLAUDE_PLUGIN_ROOT"),
    "CLAUDE_SESSION_ID": "Claude Code sets CLAUDE_CODE_SESSION_ID",
}
HINTS: Mapping[str, str] = {
    **dict.fromkeys(_PUBLISHED, "read the event from stdin instead"),
    **_SIMILAR,
    **dict.fromkeys(_OF_EDITORS, "only an editor knows it: read the event from stdin instead"),
    "CLAUDE_PLUGIN_ROOT": "only plugin hooks have it",
}
