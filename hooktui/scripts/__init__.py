"""Shell commands, parsed with tree-sitter-bash: the scripts, programs and variables of a command."""

from hooktui.scripts.commands import Script, in_arguments, in_command
from hooktui.scripts.main_program import code_of, main_program
from hooktui.scripts.names import ShellNames, UsedName, names, with_sourced
from hooktui.scripts.syntax import LITERAL_HOME, is_script, is_simple

__all__ = [
    "LITERAL_HOME",
    "Script",
    "ShellNames",
    "UsedName",
    "code_of",
    "in_arguments",
    "in_command",
    "is_script",
    "is_simple",
    "main_program",
    "names",
    "with_sourced",
]
