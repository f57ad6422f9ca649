"""What a language takes for a comment is blanked, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.scripts.comments import language, without_comments

SHELL = [
    "«# a»\n«#! b»\nx",
    "echo x «# y»",
    "echo '# x' \"# y\" \\# $# ${#a} a#b «# z»",
    "x=1;«# y»",
    'echo "it is # no comment',
    "cat <<E\ndon't # x\nE",
]
PYTHON = [
    '«#!/usr/bin/env python3»\n«"""A hook.\n\nIt blocks."""»\nimport json\n',
    'x = 1  «# "y"»\n',
    'x = "# y"\n',
    "x = '''\n# y\n'''\n",
    'def f():\n«    """A block."""»\n    print("""# x""")\n',
    'print(\n    """{"decision": "block"}"""\n)\n',
    'x = """\ny\n"""  «# z»\n',
    "x = 'it\\'s # y' «# z»",
]
JAVASCRIPT = [
    "«/* {decision: 'block'}\n * x */»let y",
    'const u = "https://a" «// b»',
    "const r = /https?:\\/\\//, t = `// ${x}`; «// y»",
    "let s = 'it\\'s // x'",
]
OTHER = ["«<# x #>»\n«# y»\nWrite-Output '#'"]


@pytest.mark.parametrize(
    ("name", "marked"),
    [
        (name, text)
        for name, texts in {"shell": SHELL, "python": PYTHON, "javascript": JAVASCRIPT, "other": OTHER}.items()
        for text in texts
    ],
)
def test_comments_are_blanked(name: str, marked: str) -> None:
    text = marked.replace("«", "").replace("»", "")
    expected, inside = "", False
    for character in marked:
        if character in "«»":
            inside = character == "«"
        else:
            expected += " " if inside and character != "\n" else character
    assert without_comments(text, name) == expected


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("x", "#!/usr/bin/env python3\n", "python"),
        ("x", "#!/usr/bin/env -S uv run --script\n", "python"),
        ("x.py", "#!/bin/bash\n", "shell"),
        ("x.mjs", "x", "javascript"),
        ("x.ps1", "x", "other"),
        ("x", "echo", "shell"),
        ("x", "#!/usr/bin/perl\n", "other"),
    ],
)
def test_language_is_that_of_the_first_line_or_the_suffix(path: str, text: str, expected: str) -> None:
    assert language(path, text) == expected


@given(st.sampled_from(["shell", "python", "javascript", "other"]), st.text(alphabet="#/*'\"`\\ \n;<>$a=(:{"))
def test_any_text_keeps_its_length_and_lines(name: str, text: str) -> None:
    blanked = without_comments(text, name)
    assert [len(line) for line in blanked.split("\n")] == [len(line) for line in text.split("\n")]
    assert all(new in (old, " ") for old, new in zip(text, blanked, strict=True))


@pytest.mark.parametrize("piece", ["'", '"', "#", " #", '"""', "/*", "`", "\\", 'a"', "<#", "x 'y' ", "/* ", '\n"""\n', "\\`"])
def test_a_long_text_takes_no_time(piece: str) -> None:
    text = piece * (65_536 // len(piece))
    for name in ("shell", "python", "javascript", "other"):
        assert len(without_comments(text, name)) == len(text)
