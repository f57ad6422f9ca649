"""Shell commands, parsed with tree-sitter-bash: which scripts a command starts, and whether it is a simple command."""

from hooktui.formats.shell.scripts import Called, Script, in_arguments, in_command, in_script
from hooktui.formats.shell.syntax import is_simple

__all__ = ["Called", "Script", "in_arguments", "in_command", "in_script", "is_simple"]
