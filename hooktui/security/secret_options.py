"""Secrets in command lines: which options of which programs take one, as an argument or through a pipe.

A module of its own, because secret_patterns.py imports it only for a text that names one of these programs.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_BEGIN = r"(?:(?<![\w-])|(?<=\\[bfnrt]))"  # in JSON an escape may precede a program
# The rest of a command, with line continuations, also as escaped in JSON and in JSON within JSON.
_REST = r"(?:\\\n|(?:\\{3}){1,2}n|(?!\\+n)[^\n|;&]){0,300}?"
_OPEN = r"(?P<quote>\\*[\"'])?"
# A value with optional quotes. A variable is not a secret, and a dash begins the next option.
_VALUE = r"(?![-$%])(?(quote)[^\"'\n\\]{1,200}|[^\s\"'`\\;|&<>()]{1,200})"
_SEPARATE, _ATTACHED, _EITHER = "[ =] *", "", "[ =]? *"

# Required words, the program, its options, and the position of their value.
_OPTIONS = (
    (("mysql",), r"mysql\w{0,12}", "-p", _ATTACHED),
    (("mariadb",), r"mariadb(?:-\w{1,12})?", "-p", _ATTACHED),
    (("redis-cli",), "redis-cli", "-a|--pass", _SEPARATE),
    (("login",), r"(?:docker|podman|nerdctl|buildah|skopeo|oras|az|helm +registry) +login", "-p", _EITHER),
    (("mongo",), r"mongo\w{0,12}", "-p", _SEPARATE),
    (("twine",), "twine", "-p", _SEPARATE),
    (("cqlsh",), "cqlsh", "-p", _SEPARATE),
    (("sqlcmd",), "sqlcmd", "-P", _SEPARATE),
    (("mosquitto",), r"mosquitto_\w{3}", "-P|--pw", _SEPARATE),
    (("ldap",), r"ldap\w{2,12}", "-w", _SEPARATE),
    (("ssh-keygen",), "ssh-keygen", "-N|-P", _SEPARATE),
    (("openssl", "enc"), "openssl +enc", "-k|-K", _SEPARATE),
    (("zip", "-p"), r"(?:un)?zip", "-P", _SEPARATE),
    (("7z", "-p"), "7z[ar]?", "-p", _ATTACHED),
    (("secret set",), "gh +secret +set", "-b|--body", _SEPARATE),
    (("curl",), "curl", r"(?:-[A-Za-z]{0,8}u *|--(?:proxy-)?user[ =] *)\\*[\"']?[^\s:\"']{1,100}:", _ATTACHED),
    (("curl",), "curl", "-b|--cookie", rf"{_SEPARATE}(?=\\*[\"']?[^\s=\"'/]{{1,60}}=)"),
    (("smbclient",), "smbclient", r"-U *\\*[\"']?[^\s%\"']{1,60}%", _ATTACHED),
)
# Required words, the text before the value, and the text after it.
_OTHERS = (
    # Only the first -p: a command follows the password, such as `ssh -p 22`.
    (("sshpass",), _BEGIN + "sshpass(?: +-v)? +-p *", ""),
    (("--from-literal",), r"--from-literal[ =] *\\*[\"']?[^\s=\"']{1,100}=", ""),
    (("--auth",), r"--auth[ =] *\\*[\"']?[^\s:\"']{1,100}:", ""),
    (("-pass", "pass:"), r"-pass(?:in|out)? +\\*[\"']?pass:", ""),
    (("keypass",), r"-\w{0,6}keypass +", ""),
    (("storepass",), r"-\w{0,6}storepass +", ""),
    (("htpasswd",), _BEGIN + r"htpasswd +-\w{0,6}b\w{0,6} +(?:[^\s|;&\\]+ +){1,2}", ""),
    (("sqlplus",), _BEGIN + r"sqlplus +(?:-\w+ +){0,5}\\*[\"']?[^\s/\"']{1,60}/", ""),
    (("machine", "password"), _BEGIN + r"machine\s+\S{1,200}\s+login\s+\S{1,200}\s+password\s+", ""),
    (("chpasswd",), r"[^\s:\"']{1,60}:", r" *\| *(?:sudo +)?chpasswd"),
    (("--password-stdin",), _BEGIN + "echo +(?:-n +)?", r" *\|[^\n|;&]{0,100}--password-stdin"),
    (("sudo", "echo"), _BEGIN + "echo +(?:-n +)?", r" *\| *sudo +(?:-\w+ +){0,3}-\w{0,3}S"),
)


def patterns(lower: str) -> Iterator[str]:
    """The patterns that may match a text, given in lower case."""
    for words, program, options, place in _OPTIONS:
        if all(word in lower for word in words):
            yield rf"(?P<keep>{_BEGIN}{program} (?:{_REST} )?(?:{options}){place}{_OPEN}){_VALUE}"
    for words, before, after in _OTHERS:
        if all(word in lower for word in words):
            yield rf"(?P<keep>{before}{_OPEN}){_VALUE}" + (rf"(?=\\*[\"']?{after})" if after else "")
