"""What the shells call to complete a command line, and their side of it: a function for bash, zsh and fish.

Importing this module replaces click's own for bash, which loses the part of a word before a colon (`session:`), and for fish,
which cuts remarks at a comma.
"""

from __future__ import annotations

import os
import shlex
from typing import Any

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ZshComplete,
    add_completion_class,
    split_arg_string,
)

_BASH = """\
%(complete_func)s() {
    local IFS=$'\\n' type value
    COMPREPLY=()
    while IFS=, read -r type value; do
        case $type in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            plain)
                [[ $value == *: ]] && compopt -o nospace
                COMPREPLY+=("$value")
                ;;
        esac
    done < <(COMP_WORDS="${COMP_LINE:0:COMP_POINT}" COMP_WORDBREAKS="$COMP_WORDBREAKS" %(complete_var)s=bash_complete "$1")
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""
_ZSH = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }\n"
_FISH = """\
function %(complete_func)s
    set -lx %(complete_var)s fish_complete
    set -lx COMP_WORDS (commandline -cp)
    set -lx COMP_CWORD (commandline -t)
    for completion in (%(prog_name)s)
        set -l parts (string split -m 1 , -- $completion)
        switch $parts[1]
            case dir
                __fish_complete_directories $parts[2]
            case file
                __fish_complete_path $parts[2]
            case plain
                echo $parts[2]
        end
    end
end
complete --command %(prog_name)s --no-files --arguments "(%(complete_func)s)"
"""


class BashCompletion(BashComplete):
    """Completion for bash, which takes a word apart at the colons of COMP_WORDBREAKS."""

    source_template = _BASH
    _before = ""  # the part of the word that bash keeps

    def source(self) -> str:
        return self.source_template % self.source_vars()

    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ["COMP_WORDS"]
        words = split_arg_string(line)
        typed = words.pop() if words and not line[-1:].isspace() else ""
        if ":" in os.environ.get("COMP_WORDBREAKS", ":"):
            self._before = typed[: typed.rfind(":") + 1]
        return words[1:], typed

    def format_completion(self, item: CompletionItem) -> str:
        value = str(item.value).removeprefix(self._before)
        return f"{item.type},{value if item.type != 'plain' or value.endswith(':') else shlex.quote(value)}"


class ZshCompletion(ZshComplete):
    """Completion for zsh, whose completion system somebody may not have started."""

    source_template = _ZSH + ZshComplete.source_template


class FishCompletion(FishComplete):
    """Completion for fish."""

    source_template = _FISH


SHELLS: dict[str, Any] = {shell.name: shell for shell in (BashCompletion, ZshCompletion, FishCompletion)}
for _shell in SHELLS.values():
    add_completion_class(_shell)
