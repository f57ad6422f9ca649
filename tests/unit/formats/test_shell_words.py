"""The scripts that a shell command names: what cannot be told without running a shell is left out."""

from __future__ import annotations

import shlex
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.formats.shell_words import in_arguments, in_command, place_in_argument

VARIABLES = {"CLAUDE_PROJECT_DIR": "/p"}


@pytest.mark.parametrize(
    ("command", "path", "word"),
    [
        ("./scripts/a.sh", "/p/scripts/a.sh", "./scripts/a.sh"),
        ("/abs/a --flag", "/abs/a", "/abs/a"),
        ('"$CLAUDE_PROJECT_DIR"/.claude/a.sh', "/p/.claude/a.sh", '"$CLAUDE_PROJECT_DIR"/.claude/a.sh'),
        ("${CLAUDE_PROJECT_DIR}/a.py x", "/p/a.py", "${CLAUDE_PROJECT_DIR}/a.py"),
        ("sh './my script.sh'", "/p/my script.sh", "'./my script.sh'"),
        ("./a\\ b", "/p/a b", "./a\\ b"),
        ("cd sub && ./a", "/p/sub/a", "./a"),
        ("FOO=1 exec ./a 2>&1 >log", "/p/a", "./a"),
        (". ./env.sh", "/p/env.sh", "./env.sh"),
        ("powershell -File scripts/a.ps1", "/p/scripts/a.ps1", "scripts/a.ps1"),
        ("uv run tools/a.py", "/p/tools/a.py", "tools/a.py"),
        ("python3 -I hook.py", "/p/hook.py", "hook.py"),
        ("/usr/bin/env /abs/a", "/usr/bin/env", "/usr/bin/env"),
    ],
)
def test_a_script_is_found_with_its_place(command: str, path: str, word: str) -> None:
    (script,) = in_command(command, "/p", VARIABLES)
    assert (script.path, command[slice(*script.span)], script.certain) == (path, word, True)


@pytest.mark.parametrize(
    "command",
    [
        *("", "true", "jq -r .a", "npx prettier --write x", "python3 -m module", "python -c 'x'", "bash -lc './a.sh'"),
        *("./*.sh", "./a$(x).sh", "`which a`", '"$(cat f)"/a', "$OTHER/a.sh", "echo hi >> ./a.log", "cat < ./a.txt"),
        *('cd "$FOO" && ./a.sh', "cat <<EOF\n./a.sh\nEOF", "node --eval ./a.js", "'./unclosed"),
        *("npx -y @scope/package", "bun run npm:@scope/a.ts", "deno run https://example.com/a.ts"),
    ],
)
def test_what_is_no_script_or_cannot_be_told_is_left_out(command: str) -> None:
    assert in_command(command, "/p", {}) == []


@pytest.mark.parametrize("command", ["[ -x ./a ] && ./a", "test -f b || ./a", "jq . | ./a", "command -v a; ./a"])
def test_what_stands_behind_another_command_is_not_certain(command: str) -> None:
    assert [script.certain for script in in_command(command, "/p", {}) if script.path == "/p/a"] == [False]


def test_only_the_program_itself_must_be_executable() -> None:
    assert [script.direct for script in in_command("./a; sh ./b", "/p", {})] == [True, False]


def test_relative_paths_need_a_base() -> None:
    assert in_command("./a && sh b.sh", None, {}) == []
    assert [script.path for script in in_command("/a", None, {})] == ["/a"]


def test_arguments_are_not_read_by_a_shell() -> None:
    assert [script.path for script in in_arguments(("python3", "it's $x.py"), "/p", {})] == ["/p/it's $x.py"]


@given(st.lists(st.text(alphabet="ab'\" $/\\"), min_size=1), st.data())
def test_a_character_of_joined_arguments_is_found_in_its_own_argument(arguments: list[str], data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(arguments) - 1))
    own = arguments[number]
    inside = data.draw(st.integers(0, len(own)))
    before = "".join(shlex.quote(one) + " " for one in arguments[:number])
    quoted = shlex.quote(own)
    at = inside if quoted == own else len(shlex.quote(own[:inside] + " ")) - 2 if own[:inside] else 1
    assert place_in_argument(arguments, len(before) + at) == (number, inside)


@given(st.text(alphabet="./ab$\"'\\;&|<>(){}`#\n =*~-"))
def test_any_text_can_be_read(command: str) -> None:
    for script in in_command(command, "/p", VARIABLES):
        assert script.path.startswith("/")
        assert 0 <= script.span[0] < script.span[1] <= len(command)


@pytest.mark.parametrize("piece", ['"$aaaaaaaaaaaa', "$a", "'", "\\", "> ", ";", '"$', "a/", "A=b "])
def test_no_text_takes_long(piece: str) -> None:
    begun = time.monotonic()
    in_command(piece * 30_000, "/p", {})
    assert time.monotonic() - begun < 5
