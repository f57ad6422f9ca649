"""Shell commands, parsed with tree-sitter-bash: the scripts, programs and variables of a command."""

from hooktui.formats.shell.main_program import code_of, main_program
from hooktui.formats.shell.names import ShellNames, UsedName, names
from hooktui.formats.shell.scripts import LITERAL_HOME, Called, Script, in_arguments, in_command, in_script
from hooktui.formats.shell.syntax import is_script, is_simple

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
]
