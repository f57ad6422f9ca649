"""What a script loads, as records, and what scripts in JavaScript and in languages that are not parsed load."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple


class Load(NamedTuple):
    """A file by its absolute path, there or not, and the language that reads it: "" for its own, "data" if it is only read."""

    path: str
    language: str


class Gap(NamedTuple):
    """What an approval cannot cover, as a sentence without a full stop."""

    text: str


if TYPE_CHECKING:
    Dependency = Load | Gap
    # What a command loads that a script starts: a shell's text, or words of which some are unknown.
    Started = Callable[[str | Sequence[str | None]], Iterator[Dependency]]

_SUFFIXES = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx")
_ENDINGS = ("", *_SUFFIXES, ".json", *(f"/index{suffix}" for suffix in _SUFFIXES))
_IMPORT = re.compile(r"""(?:\brequire\(|\bimport\(|\bfrom|\bimport)\s*["'`]([^"'`\n]+)["'`]""")
_OF_RUNTIMES = ("node:", "bun:")
_BUILT_IN = (
    " assert async_hooks buffer child_process cluster console constants crypto dgram dns events fs http http2 https module net"
    " os path perf_hooks process punycode querystring readline repl stream string_decoder timers tls tty url util v8 vm"
    " worker_threads zlib "
)
_COMPUTED = re.compile(
    r"""\b(?:require|import)\((?!\s{0,80}["'`])|\beval\(|\bnew Function\(|\bvm\.run|\bBun\.(?:spawn|\$)|\bDeno\.Command"""
)
# `path.join(__dirname, "words.txt")` as the argument of a function that reads.
_READ = re.compile(
    r"""(?:readFileSync|readFile|existsSync|require)\(\s*(?:path\.)?(?:join|resolve)\(\s*__dirname\s*((?:,\s*["'][^"'\n]+["']\s*)+)\)"""
)
_READ_OTHERWISE = re.compile(r"readFile(?:Sync)?\([^;\n]{0,200}(?:__dirname|__filename|import\.meta)")
_TEXT = re.compile(r"""["']([^"'\n]*)["']""")
_START = re.compile(
    r"""(?:(\w+|\))\.)?\b(exec|execSync|execFile|execFileSync|spawn|spawnSync|fork)\(\s*"""
    r"""(?:(["'`])([^"'`\\\n]*)\3\s*(?:,\s*(\[[^\]]*\]|\w+))?)?"""
)
_MODULES = ("", ")", "cp", "child_process", "childProcess", "proc")
_OTHERS = {
    "awk": re.compile(r"\bsystem\s*\(|\|\s*(?:getline|\")|\"\s*\||@(?:include|load)"),
    "jq": re.compile(r"\b(?:import|include)\s+\""),
    "sed": re.compile(r"(?!)"),
    "other": re.compile(
        r"\b(?:require_relative|load|dofile|loadfile|eval|system|exec|popen\w?|spawn|qx|source|IO\.popen|Start-Process)\b"
        r"|\b(?:require|include|do|use\s+lib)(?:_once)?\b\s*\(?\s*(?:[\"']?[./$]|__DIR__)|`[^`\n]+`|^\s*(?:\.|&)\s",
        re.MULTILINE,
    ),
}


def below(path: str, root: str) -> bool:
    """Whether a path is inside a directory."""
    return path.startswith(os.path.join(root, ""))


def of_other(language: str, text: str) -> Iterator[Dependency]:
    """What a text in another language may load: that is not known."""
    if found := _OTHERS[language].search(text):
        yield Gap(f"what it loads with `{found[0].strip()}` is not known")


def of_javascript(text: str, directory: str | None, root: str, started: Started) -> Iterator[Dependency]:
    """What a text in JavaScript or TypeScript loads, found from a directory."""
    for match in _IMPORT.finditer(text):
        target = match[1]
        if target.startswith((".", "/")):
            yield from _until_found(os.path.normpath(os.path.join(directory or "/", target)), root)
        elif not target.startswith(_OF_RUNTIMES) and f" {target.partition('/')[0]} " not in _BUILT_IN:
            yield Gap(f"it loads the package {target}")
    for match in _READ.finditer(text):
        path = os.path.normpath(os.path.join(directory or "/", *_TEXT.findall(match[1])))
        yield from [Load(path, "data")] if below(path, root) and os.path.isfile(path) else []
    if found := _COMPUTED.search(text):
        yield Gap(f"what it loads with `{found[0]}…` is computed")
    if _READ_OTHERWISE.search(_READ.sub("", text)):
        yield Gap("it reads a file by a path that is computed from its own")
    if "child_process" in text:
        yield from _starts(text, started)


def _until_found(path: str, root: str) -> Iterator[Load]:
    """The files that are looked for by an import of a path, up to the first that exists."""
    stem, suffix = os.path.splitext(path)
    typed = [stem + suffix.replace("js", "ts")] if "js" in suffix else []  # TypeScript names the compiled file
    for file in (*(path + ending for ending in _ENDINGS), *typed):
        if below(file, root):
            yield Load(file, "javascript")
        if os.path.isfile(file):
            return


def _starts(text: str, started: Started) -> Iterator[Dependency]:
    for match in _START.finditer(text):
        owner, function, command, arguments = match[1] or "", match[2], match[4], match[5] or ""
        if command is None or "${" in command:
            yield from [Gap(f"{function} starts a computed command")] if owner in _MODULES else []
        elif function.startswith("exec") and "File" not in function:
            yield from started(command)
        else:
            words = [found or None for found in _TEXT.findall(arguments)] if arguments.startswith("[") else [None]
            yield from started(["node", command, *words] if function == "fork" else [command, *words])
