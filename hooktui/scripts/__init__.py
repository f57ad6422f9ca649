"""Shell commands, parsed with tree-sitter-bash: the scripts, programs and variables of a command."""

from hooktui.scripts.commands import Called, Script, in_arguments, in_command, in_script
from hooktui.scripts.main_program import code_of, main_program
from hooktui.scripts.names import ShellNames, UsedName, names, with_sourced
from hooktui.scripts.syntax import is_script, is_simple
from hooktui.scripts.variables import LITERAL_HOME

__all__ = [
    "LITERAL_HOME",
    "Called",
    "Script",
    "ShellNames",
    "UsedName",
    "code_of",
    "in_arguments",
    "in_command",
    "in_script",
    "is_script",
    "is_simple",
    "main_program",
    "names",
    "with_sourced",
]
