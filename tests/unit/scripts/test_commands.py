"""Scripts in shell commands: those that only a running shell would know are left out."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.scripts import in_arguments, in_command, is_simple
from hooktui.scripts.syntax import parse

VARIABLES = {"CLAUDE_PROJECT_DIR": "/p"}
_OF_SCRIPT = {"0": "/p/hooks/a.sh", "BASH_SOURCE": "/p/hooks/a.sh"}


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
        ("/usr/bin/env /abs/a", "/abs/a", "/abs/a"),
    ],
)
def test_a_script_is_found_with_its_place(command: str, path: str, word: str) -> None:
    (script,) = in_command(command, "/p", VARIABLES)
    assert (script.path, command[slice(*script.span)], script.called) == (path, word, "always")


@pytest.mark.parametrize(
    "command",
    [
        *("", "true", "jq -r .a", "npx prettier --write x", "python3 -m module", "python -c 'x'"),
        *("./*.sh", "./a$(x).sh", "`which a`", '"$(cat f)"/a', "$OTHER/a.sh", "echo hi >> ./a.log", "cat < ./a.txt"),
        *('cd "$FOO" && ./a.sh', "cat <<EOF\n./a.sh\nEOF", "node --eval ./a.js", "'./unclosed"),
        *(
            '"${OTHER%/*}/a.sh"',
            'sh "$(dirname "$0")/a.sh"',
            'X="$(pwd | cat)"; "$X"/a.sh',
            "case $f in ./a|*/b.py) exit 2;; esac",
        ),
        *("for f in ./a ./b; do wc $f; done", "[[ $f == ./a || $f < ./b ]]", 'bash -c "$OTHER/a.sh"', "((1 < ./a))"),
        *("CLAUDE_PROJECT_DIR=$(x); $CLAUDE_PROJECT_DIR/a.sh", "command -v ./a", "cat <<'E' | wc\n$(./a)\nE"),
        *("PATH=$HOME/bin:$HOME/go/bin:$PATH", "A=$B/x:$C/y ls", "A=$B/x:$C/y; ls"),
        *("npx -y @scope/package", "bun run npm:@scope/a.ts", "deno run https://example.com/a.ts"),
    ],
)
def test_other_and_unknown_words_are_left_out(command: str) -> None:
    assert in_command(command, "/p", {}) == []


@pytest.mark.parametrize(
    "command",
    [
        *(
            "set -e; ./a",
            "jq . | ./a",
            "(cd sub; ls); ./a",
            "x=$(cat) && ./a",
            "A=1 timeout -k 5 10 env -u B C=1 nice -n 5 ./a",
        ),
        *(
            "bash -c './a x'",
            "sh -ec 'cd /p && ./a'",
            "x=$(./a)",
            "cat <<E\n./b\nE\n./a",
            "D=/p; $D/a",
            "cd sub && cd .. && ./a",
        ),
        *('"${PWD:-.}"/a', '"$PWD"/a', "cd / || exit 1; export D=p; ./$D/a"),
    ],
)
def test_unconditional_scripts_are_called_always(command: str) -> None:
    assert [(script.path, script.called) for script in in_command(command, "/p", {"PWD": "/p"})] == [("/p/a", "always")]


@pytest.mark.parametrize(
    "command",
    [
        *(
            "jq -e .x && ./a",
            "grep -q x || ./a",
            "if [ -n $x ]; then ./a; fi",
            "case $x in ./b) ./a;; esac",
            "guard() (./a); guard",
        ),
        *("f() { ./a; }; f", "function f { ./a; }\nf", "for x in 1 2; do ./a $x; done", "[[ $x == */y ]] && { ./a; }"),
        *("read x; test $x && (cd /p; ./a)", "if ! ./a; then exit 2; fi", 'guard() (./a); e=$(cat); echo "$e" | jq . && guard'),
    ],
)
def test_conditional_scripts_are_called_sometimes(command: str) -> None:
    assert [(script.path, script.called) for script in in_command(command, "/p", {})] == [("/p/a", "sometimes")]


@pytest.mark.parametrize(
    "command",
    [
        *("[ -x ./a ] && ./a", "test -f a || exit 0; ./a", "[[ -e ./a ]] && ./a", "if ls ./a; then ./a; fi", "[ -d . ] && ./a"),
        *(
            "curl -o ./a x && ./a",
            "make && ./a",
            "npm ci; ./a",
            "echo x > ./a; sh ./a",
            "$X; ./a",
            "./a || true",
            "./a 2>x || exit 0",
        ),
    ],
)
def test_scripts_that_may_be_created_or_missing_are_called_perhaps(command: str) -> None:
    assert [script.called for script in in_command(command, "/p", {}) if script.path == "/p/a"] == ["perhaps"]


def test_conditional_scripts_in_build_directories_may_be_missing() -> None:
    command = "command -v eslint && eslint . || ./node_modules/.bin/eslint ."
    assert [one.called for one in in_command(command, "/p", {})] == ["perhaps"]
    assert [one.called for one in in_command("./node_modules/.bin/eslint .", "/p", {})] == ["always"]


def test_no_command_creates_scripts_in_directories_of_hooks() -> None:
    assert [one.called for one in in_command("make && .claude/hooks/a.sh", "/p", {})] == ["sometimes"]


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("cd sub; ./a", "/p/sub/a"),
        ("(cd sub && ./a)", "/p/sub/a"),
        ("cd sub && echo x | ./a", "/p/sub/a"),
        ("(cd x); ./a", "/p/a"),
    ],
)
def test_a_directory_lasts_as_long_as_its_shell(command: str, path: str) -> None:
    assert [script.path for script in in_command(command, "/p", {})] == [path]


@pytest.mark.parametrize(
    "command", ["test -d x && cd x; ./a", "if true; then cd x; fi; ./a", "f() { cd x; }; ./a", "cd -; ./a"]
)
def test_a_directory_that_may_be_another_is_not_known(command: str) -> None:
    assert in_command(command, "/p", {}) == []


def test_a_script_in_a_text_for_a_shell_has_its_place_there() -> None:
    (script,) = in_command("bash -c 'cd /p && ./a'", None, {})
    assert "bash -c 'cd /p && ./a'"[slice(*script.span)] == "./a"


def test_only_the_program_itself_must_be_executable() -> None:
    assert [script.direct for script in in_command("./a; sh ./b", "/p", {})] == [True, False]


def test_relative_paths_need_a_base() -> None:
    assert in_command("./a && sh b.sh", None, {}) == []
    assert [script.path for script in in_command("/a", None, {})] == ["/a"]


def test_a_text_for_a_shell_among_arguments_is_read() -> None:
    assert [script.path for script in in_arguments(("bash", "-c", "./a && x"), "/p", {})] == ["/p/a"]


def test_arguments_are_not_read_by_a_shell() -> None:
    assert [script.path for script in in_arguments(("python3", "it's $x.py"), "/p", {})] == ["/p/it's $x.py"]


def test_a_script_in_an_argument_for_a_shell_has_its_place_there() -> None:
    (script,) = in_arguments(("bash", "-c", "cd sub && ./a.sh x"), "/p", {})
    assert "bash -c 'cd sub && ./a.sh x'"[slice(*script.span)] == "./a.sh"


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("cat <<E && ./a\n$(./b)\nE", ["b", "a"]),
        ("cat <<'E' | ./a\n$(./b)\nE", ["a"]),
        ("cat <<E >./x\nE\n./a", ["a"]),
        ("sh 2>/dev/null ./a && ./b", ["a", "b"]),
        ("x=`./a`", ["a"]),
        ("diff <(./a) <(sh ./b)", ["a", "b"]),
        ('echo "$(./a "$(./b)")"', ["b", "a"]),
        ("time ./a & ! ./b", ["a", "b"]),
        ("# ./b\n./a # ./c", ["a"]),
        ("./a\r\n./b\r\n", ["a", "b"]),
    ],
)
def test_scripts_in_every_part_of_the_syntax_are_found(command: str, names: list[str]) -> None:
    assert sorted(script.path for script in in_command(command, "/p", {})) == sorted(f"/p/{name}" for name in names)


@pytest.mark.parametrize("command", ["./a && (", "./a; ((1 < ./b))", "if ./a; then", "./a )", "cat <<A <<B; ./a\nA\nB"])
def test_a_script_in_a_broken_command_is_called_perhaps(command: str) -> None:
    assert {script.called for script in in_command(command, "/p", {})} <= {"perhaps"}


@pytest.mark.parametrize("command", ["bash ./a`x`.sh", "sh ~other/a.sh", "sh ./a?.sh", "sh {./a,./b}.sh", "sh ${X%.*}./a.sh"])
def test_a_word_of_unknown_value_is_no_script(command: str) -> None:
    assert in_command(command, "/p", {"X": "y"}) == []


@pytest.mark.parametrize(
    "text",
    [
        '. "$(dirname "$0")/lib.sh"',
        'exec $(dirname $0)/../hooks/lib.sh "$@"',
        'DIR="$( cd "$( dirname "${BASH_SOURCE[0]}" )" && pwd )"\nsource "$DIR/lib.sh"',
        'DIR=$(cd -- "$(dirname -- "$0")" > /dev/null 2>&1 && pwd -P)\nbash "${DIR}"/lib.sh',
        'cd "$(dirname "$0")/.." || exit 1\n. ./hooks/lib.sh',
        'HERE=$(cd "$(dirname "$0")"; pwd); [ -f "$HERE/lib.sh" ] && . "$HERE/lib.sh"',
    ],
)
def test_a_script_finds_others_from_its_own_directory(text: str) -> None:
    assert [script.path for script in in_command(f"#!/bin/sh\n{text}\n", None, _OF_SCRIPT)] == ["/p/hooks/lib.sh"]


@pytest.mark.parametrize(
    "text", ['# . "$(dirname "$0")/lib.sh"', ". ./lib.sh", '"$(dirname "$0" | tr a b)/lib.sh"', "date > $(dirname $0)/log"]
)
def test_a_script_that_starts_elsewhere_or_nothing_finds_none(text: str) -> None:
    assert in_command(text, None, _OF_SCRIPT) == []


def test_the_working_directory_is_known() -> None:
    assert [script.path for script in in_command('X="$(cd sub && pwd)"; "$X"/a', "/p", {})] == ["/p/sub/a"]


def test_a_decision_lasts_to_the_end_of_its_group() -> None:
    (script,) = in_command("jq -e .x && { cd sub; ./a; }", "/p", {})
    assert (script.path, script.called) == ("/p/sub/a", "sometimes")


def test_spans_count_characters() -> None:
    command = "echo '✓ größer 🎉'; ./ä.sh"
    (script,) = in_command(command, "/p", {})
    assert (script.path, command[slice(*script.span)]) == ("/p/ä.sh", "./ä.sh")


@pytest.mark.parametrize(
    ("command", "simple"),
    [
        ("./a.sh \"$HOME\" 'x y' b\\ c", True),
        ("", False),
        ("./a | ./b", False),
        ("./a; ./b", False),
        ("./a $(./b)", False),
        ("[[ -e x ]]", False),
        ("./a <<< x", False),
        ("./a 'open", False),
    ],
)
def test_a_simple_command_is_one_program_with_arguments(command: str, simple: bool) -> None:
    assert is_simple(command) is simple


@given(st.lists(st.text(alphabet="ab1./-_ '\"\\$*?é~#;&|<>(){}", max_size=8), min_size=1, max_size=4))
def test_the_words_of_a_quoted_command_are_those_of_shlex(arguments: list[str]) -> None:
    command = shlex.join(["run", *arguments])
    (tree,) = parse(command)
    (node,) = tree.root.children
    words = [tree.word(child, {}) for child in node.children]
    assert [word.value for word in words] == shlex.split(command)
    assert [command[slice(*word.span)] for word in words] == [word.text for word in words]


@pytest.mark.parametrize(
    "text",
    [
        "a=b; { c; } && a=d; $a/x",
        "a=b; if c; then a=d; fi; $a/x",
        "a=b; if c; then a=d; a=b; fi; $a/x",
        "a=b; (a=d); $a/x",
        "a=b; sh -c 'a=d'; $a/x",
        "if c; then a=b; fi; $a/x",
        "a=b; if c; then if d; then a=e; fi; a=b; fi; $a/x",
    ],
)
def test_a_variable_is_known_behind_a_branch_if_it_is_the_same_in_both(text: str) -> None:
    known = {
        "a=b; if c; then a=d; a=b; fi; $a/x", "a=b; (a=d); $a/x", "a=b; sh -c 'a=d'; $a/x",
        "a=b; if c; then if d; then a=e; fi; a=b; fi; $a/x",
    }  # fmt: skip
    assert [script.path for script in in_command(text, "/p", {})] == (["/p/b/x"] if text in known else [])
