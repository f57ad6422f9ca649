"""The page docs/diagnostics.md: `python -m tests.conformance.codes_page` (`make docs`) writes it from the codes."""

from __future__ import annotations

from pathlib import Path

from hooktui.diagnostics.codes import CODES, Code

PAGE = Path(__file__).parents[2] / "docs" / "diagnostics.md"


def document() -> str:
    """Return the text of docs/diagnostics.md."""
    parts = [_HEAD]
    for severity, title in (("error", "Errors"), ("warning", "Warnings"), ("info", "Notes")):
        parts.append(f"## {title}\n\n{_MEANING[severity]}\n")
        parts += [_section(name, code) for name, code in CODES.items() if code.severity == severity]
    return "\n".join(parts)


_HEAD = """\
# Diagnostics

`hooktui check` and the Diagnostics screen report these codes. This page is generated from `hooktui/diagnostics/codes.py`.

`f` fixes the selected problem. `F` previews all safe fixes and applies them in one step; `hooktui check --fix` applies them
without asking. `u` undoes either. A fix is safe if it writes the value already in use or a value that is clearly intended,
and if the check of the fixed files then has no new error, such as a hook that it woke and that denies everything. `F` leaves
out fixes that change what a guard matches or whether it denies.

`hooktui check` reports a cause once: a program that is not installed, with the number of hooks that fail; a wrong unit,
relative paths, missing quotes and scripts that are not executable once per file; and of a file that its host skips only that.
The text begins with errors and the causes of most hooks. `--format json` keeps the order of the files and lists a cause's
`places`; SARIF and GitHub get one result for each place.

Each code says how it is known. "Run" means that the host's own program was given such a file or hook and watched; the tests
do so again (`make test-hosts`). [Proofs](proofs.md) names the test or the documentation for each code and program.
"""
_MEANING = {
    "error": "The hook cannot do what it says. `hooktui check` exits with code 1.",
    "warning": "The hook may not do what it says, or not on every host.",
    "info": "Nothing is wrong with the hook itself.",
}


def _section(name: str, code: Code) -> str:
    also = f" (sometimes {code.also})" if code.also else ""
    without = f" No automatic fix: {code.no_fix}." if code.no_fix else ""
    return f"### {name}{also}\n\n{code.paragraph}{without}\n\nHow it is known: {code.known}.\n"


if __name__ == "__main__":
    PAGE.write_text(document(), encoding="utf-8")
