"""Secrets that programs are given as arguments or through a pipe: which option of which program has one.

Apart from redact.py, which asks for it only when one of these programs is named: most events cost nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_BEGIN = r"(?:(?<![\w-])|(?<=\\[bfnrt]))"  # in JSON a program may follow an escape
# The rest of a command, which may go over lines: a backslash and a line's end, also as JSON writes them, and JSON in JSON.
_SAME = r"(?:\\\n|(?:\\{3}){1,2}n|(?!\\+n)[^\n|;&]){0,300}?"
_OPEN = r"(?P<quote>\\*[\"'])?"
# A value, in its quotes if it has any; a variable is no secret, and a dash begins the next option.
_VALUE = r"(?![-$%])(?(quote)[^\"'\n\\]{1,200}|[^\s\"'`\\;|&<>()]{1,200})"
_APART, _ATTACHED, _EITHER = "[ =] *", "", "[ =]? *"

# Words that a text must hold, what begins the command, its options, and where these have their value.
_OPTIONS = (
    (("mysql",), r"mysql\w{0,12}", "-p", _ATTACHED),
    (("mariadb",), r"mariadb(?:-\w{1,12})?", "-p", _ATTACHED),
    (("redis-cli",), "redis-cli", "-a|--pass", _APART),
    (("login",), r"(?:docker|podman|nerdctl|buildah|skopeo|oras|az|helm +registry) +login", "-p", _EITHER),
    (("mongo",), r"mongo\w{0,12}", "-p", _APART),
    (("twine",), "twine", "-p", _APART),
    (("cqlsh",), "cqlsh", "-p", _APART),
    (("sqlcmd",), "sqlcmd", "-P", _APART),
    (("mosquitto",), r"mosquitto_\w{3}", "-P|--pw", _APART),
    (("ldap",), r"ldap\w{2,12}", "-w", _APART),
    (("ssh-keygen",), "ssh-keygen", "-N|-P", _APART),
    (("openssl", "enc"), "openssl +enc", "-k|-K", _APART),
    (("zip", "-p"), r"(?:un)?zip", "-P", _APART),
    (("7z", "-p"), "7z[ar]?", "-p", _ATTACHED),
    (("secret set",), "gh +secret +set", "-b|--body", _APART),
    (("curl",), "curl", r"(?:-[A-Za-z]{0,8}u *|--(?:proxy-)?user[ =] *)\\*[\"']?[^\s:\"']{1,100}:", _ATTACHED),
    (("curl",), "curl", "-b|--cookie", rf"{_APART}(?=\\*[\"']?[^\s=\"'/]{{1,60}}=)"),
    (("smbclient",), "smbclient", r"-U *\\*[\"']?[^\s%\"']{1,60}%", _ATTACHED),
)
# Words that a text must hold, what stands before the value, and what comes after it.
_OTHERS = (
    # The first -p alone: what follows the password is the command, `ssh -p 22`.
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
    """Those that could find something in a text, given in lower case."""
    for words, program, options, place in _OPTIONS:
        if all(word in lower for word in words):
            yield rf"(?P<keep>{_BEGIN}{program} (?:{_SAME} )?(?:{options}){place}{_OPEN}){_VALUE}"
    for words, before, after in _OTHERS:
        if all(word in lower for word in words):
            yield rf"(?P<keep>{before}{_OPEN}){_VALUE}" + (rf"(?=\\*[\"']?{after})" if after else "")
