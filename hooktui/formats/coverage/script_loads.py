"""What scripts of JavaScript and of other languages load."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from hooktui.formats.coverage.loads import Loads, below

if TYPE_CHECKING:
    from collections.abc import Iterator

_SUFFIXES = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx")
_ENDINGS = ("", *_SUFFIXES, ".json", *(f"/index{suffix}" for suffix in _SUFFIXES))
_IMPORT = re.compile(r"""(?:\brequire\(|\bimport\(|\bfrom|\bimport)\s*["'`]([^"'`\n]+)["'`]""")
_BUILT_IN = re.compile(
    r"node:|bun:|(?:assert|async_hooks|buffer|child_process|cluster|console|constants|crypto|dgram|dns|events|fs|http|http2|https"
    r"|module|net|os|path|perf_hooks|process|punycode|querystring|readline|repl|stream|string_decoder|timers|tls|tty|url|util"
    r"|v8|vm|worker_threads|zlib)(?:/|$)"
)
_COMPUTED = re.compile(r"""\b(?:require|import)\((?!\s{0,80}["'`])""")
_OWN = re.compile(r"__dirname|__filename|import\.meta|process\.argv\[1\]")
# `path.join(__dirname, "words.txt")` as the argument of a function that reads.
_READ = re.compile(
    r"""(?:readFileSync|readFile|existsSync|require)\(\s*(?:path\.)?(?:join|resolve)\(\s*__dirname\s*((?:,\s*["'][^"'\n]+["']\s*)+)\)"""
)
_TEXT = re.compile(r"""["']([^"'\n]+)["']""")
_OTHER_OWN = re.compile(r"__FILE__|__DIR__|\$0\b|\$PROGRAM_NAME|PSScriptRoot|PSCommandPath|require_relative|FindBin|\barg\[0\]")


def is_javascript(path: str, text: str) -> bool:
    """Whether a script is in JavaScript or TypeScript."""
    first = text.partition("\n")[0]
    return path.endswith(_SUFFIXES) or (first.startswith("#!") and re.search(r"\b(?:node|bun|deno|tsx)\b", first) is not None)


def of_javascript(path: str, text: str, root: str) -> Loads:
    """What the script at `path` loads from below `root`."""
    name, directory, loads = os.path.basename(path), os.path.dirname(path), Loads()
    for match in _IMPORT.finditer(text):
        target = match[1]
        if target.startswith("."):
            loads.files += _resolved(os.path.normpath(os.path.join(directory, target)), root)
        elif not _BUILT_IN.match(target):
            loads.bound.append(f"{name} loads the package {target}")
    rest = _READ.sub("", text)
    for match in _READ.finditer(text):
        path_read = os.path.normpath(os.path.join(directory, *_TEXT.findall(match[1])))
        loads.files += [path_read] if below(path_read, root) and os.path.isfile(path_read) else []
    if _COMPUTED.search(text):
        loads.bound.append(f"{name} loads a module by a computed name")
    if own := _OWN.search(rest):
        loads.bound.append(f"{name} uses {own[0]}")
    return loads


def of_other(path: str, text: str) -> Loads:
    """What a script of another language loads: that is not known."""
    own = _OTHER_OWN.search(text)
    return Loads(bound=[f"{os.path.basename(path)} uses {own[0]}"] if own else [])


def _resolved(path: str, root: str) -> Iterator[str]:
    stem, suffix = os.path.splitext(path)
    candidates = [path + ending for ending in _ENDINGS]
    candidates += [stem + suffix.replace("js", "ts")] if "js" in suffix else []  # TypeScript names the compiled file
    yield from (file for file in candidates[:] if below(file, root) and os.path.isfile(file))
