"""The help explains every sign on the screens."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import hooktui.screens
from hooktui.catalog import hook_states
from hooktui.screens.keys.legend import LEGEND

# What needs no word: dashes and quotes, lines and bars, arrows and keys that text beside them explains, what folds.
_PLAIN = {*"…–−‑—“”’‘ ", *"─│╭╰┄━▁▂▃▄▅▆▇█", *"←→≤›", *"▸▾", "\ufeff"}
_SCREENS = Path(str(hooktui.screens.__file__)).parent


def _signs(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from (character for character in node.value if ord(character) > 0x2000)


def test_every_sign_of_the_screens_is_in_the_legend() -> None:
    explained = {character for sign in LEGEND for character in sign.glyph + sign.meaning}
    files = [*_SCREENS.rglob("*.py"), Path(str(hook_states.__file__))]
    assert {sign for file in files for sign in _signs(file)} <= explained | _PLAIN
