"""What an approval covers of a hook: the files that its scripts visibly load, and what is named as a gap."""

from __future__ import annotations

from pathlib import Path

import pytest

from hooktui import formats
from hooktui.core.model import Hook
from hooktui.formats import hook_dependencies
from hooktui.runner import trust

LIB = {"lib.py": "", "pkg/__init__.py": "", "pkg/part.py": "import lib\n", "words.txt": "", "lib.mjs": "", "lib.sh": ""}
SHELL = {
    "through a variable": (
        'd="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\n. "$d/lib.sh"\ncat "$d/words.txt"\n', {"lib.sh", "words.txt"},
    ),
    "through a real path": ('. "$(dirname "$(readlink -f "$0")")/lib.sh"\n', {"lib.sh"}),
    "from stdin": ('while read -r x; do echo "$x"; done < "$(dirname "$0")/words.txt"\n', {"words.txt"}),
    "its name and awk's": ("echo \"usage: $(basename \"$0\") $1\"; awk '{print $0}'\n", set()),
    "nothing": ("jq -r .tool_name | grep -q Bash && exit 2\n", set()),
}  # fmt: skip
PYTHON = {
    "modules beside": ("import json, lib\nfrom pkg import part\n", {"lib.py", "pkg/__init__.py", "pkg/part.py"}),
    "a path": (
        "from pathlib import Path\nHERE = Path(__file__).resolve().parent\n(HERE / 'words.txt').read_text('latin-1')\n",
        {"words.txt"},
    ),
    "a path of os": (
        "import os\nd = os.path.dirname(os.path.abspath(__file__))\nopen(os.path.join(d, 'words.txt'))\n", {"words.txt"},
    ),
    "the search path": ("import os, sys\nsys.path.insert(0, os.path.dirname(__file__))\nimport lib\n", {"lib.py"}),
    "a literal name": ("import importlib\nimportlib.import_module('lib')\n", {"lib.py"}),
    "its name": ("import sys, os\nprint(os.path.basename(sys.argv[0]))\n", set()),
}  # fmt: skip
JAVASCRIPT = {
    "an import": ('import fs from "fs";\nimport { x } from "./lib.mjs";\n', {"lib.mjs"}),
    "a require": ('const x = require( "./lib.mjs" );\n', {"lib.mjs"}),
    "a file": ('const path = require("path");\nfs.readFileSync(path.join(__dirname, "words.txt"))\n', {"words.txt"}),
}
UNKNOWN = {
    "guard.sh": (
        'for f in "$(dirname "$0")"/*.sh; do . "$f"; done\n', 'cat "$(dirname "$0")/$1"\n',
        'echo x > "$(dirname "$0")/log"\ncat "$(dirname "$0")/log"\n',
        "sh ../x.sh | sh\n", "if true; then\n",
    ),
    "guard.py": (
        "import os, sys\nopen(os.path.join(os.path.dirname(__file__), sys.argv[1]))\n",
        "import subprocess\nsubprocess.run(x)\n",
        "import sys\nsys.path.insert(0, sys.argv[1])\n", "exec(input())\n", "def f(:\n",
    ),
    "guard.mjs": (
        'import x from "lodash";\n', "require(name);\n", "fs.readFileSync(__dirname + name)\n",
        'const cp = require("child_process");\ncp.execSync(name)\n', "eval(x)\n",
    ),
    "guard.rb": ("require_relative 'lib'\n", "system 'make'\n"),
    "guard.pl": ('do "./lib.pl";\n', "`sh x`;\n"),
}  # fmt: skip
CASES = [
    (f"guard.{suffix}", text, names)
    for suffix, cases in (("sh", SHELL), ("py", PYTHON), ("mjs", JAVASCRIPT))
    for text, names in cases.values()
]
HOSTILE = (
    "from pathlib import Path\nPath(__file__).parents[10**9]\n",
    "x = __file__" + " / 'a'" * 5000,
    "dirname" + "." * 200_000,
    "\n" * 60_000 + "$0",
    ";cd x" * 1_000 + "$0",
    "a0=$0\n" + "".join(f"a{number + 1}=$a{number}\n" for number in range(300)),
    "require(" + " " * 100_000,
)


def hook(root: Path, name: str, text: str) -> Hook:
    """A Claude entry that runs a script in `tools`, with other files beside it."""
    for other, content in {**LIB, name: text}.items():
        path = root / "tools" / other
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    command = f"tools/{name}"
    return Hook(
        id="x", name="x", event="pre-tool-call", event_as_written="PreToolUse", format="claude", scope="project",
        file=str(root / "x.json"), line=1, root=str(root), command=command, argv=("sh", "-c", command), text=command,
        source=formats.detached_source("claude"),
    )  # fmt: skip


@pytest.mark.parametrize(("name", "text", "names"), CASES)
def test_an_approval_covers_what_a_script_visibly_loads(tmp_path: Path, name: str, text: str, names: set[str]) -> None:
    entry = hook(tmp_path, name, text)
    covers = {file for file, _ in trust.covered(hook_dependencies.covered(entry))}
    assert covers == {f"tools/{name}", *(f"tools/{other}" for other in names)}
    assert hook_dependencies.gaps(entry) == ()


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in UNKNOWN.items() for text in texts])
def test_what_a_script_loads_by_an_unknown_name_is_a_gap(tmp_path: Path, name: str, text: str) -> None:
    assert hook_dependencies.gaps(hook(tmp_path, name, text))


@pytest.mark.parametrize("suffix", ["sh", "py", "mjs"])
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_script_raises(tmp_path: Path, suffix: str, text: str) -> None:
    entry = hook(tmp_path, f"guard.{suffix}", text)
    assert hook_dependencies.covered(entry).covers
    hook_dependencies.gaps(entry)
