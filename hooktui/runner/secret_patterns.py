"""Patterns of secrets: literal signs that are cheap to find, and the regexes that a text with such a sign needs.

`re` takes a third of the time that `hooktui run` may take, so that the caller imports it only for a text with a sign.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# Prefixes of tokens and keys, and the minimum number of letters, digits, `-` and `_` after each.
_ISSUED = (
    ("AKIA", 16), ("ASIA", 16), ("ABIA", 16), ("ACCA", 16), ("LTAI", 20), ("AKID", 32), ("AIza", 30), ("GOCSPX-", 20),
    ("ya29.", 30), ("ghp_", 30), ("gho_", 30), ("ghu_", 30), ("ghs_", 30), ("ghr_", 30), ("github_pat_", 30), ("glpat-", 18),
    ("gldt-", 18), ("glrt-", 18), ("glcbt-", 18), ("glptt-", 18), ("glft-", 18), ("glimt-", 18), ("glagent-", 18),
    ("gloas-", 18), ("glsoat-", 18), ("npm_", 30), ("pypi-AgE", 40), ("rubygems_", 40), ("CLOJARS_", 50), ("dckr_pat_", 20),
    ("dckr_oat_", 20), ("hf_", 30), ("xoxa-", 10), ("xoxb-", 10), ("xoxc-", 10), ("xoxd-", 10), ("xoxe-", 10), ("xoxe.", 10),
    ("xoxp-", 10), ("xoxr-", 10), ("xoxs-", 10), ("xapp-", 20), ("sk-", 16), ("sk_live_", 16), ("sk_test_", 16),
    ("sk_prod_", 16), ("rk_live_", 16), ("rk_test_", 16), ("rk_prod_", 16), ("whsec_", 20), ("sq0csp-", 40), ("sq0atp-", 20),
    ("EAAA", 58), ("csk-", 40), ("tvly-", 30), ("lsv2_pt_", 30), ("lsv2_sk_", 30), ("tgp_v1_", 40), ("gsk_", 30), ("xai-", 40),
    ("pplx-", 40), ("r8_", 30), ("fw_", 24), ("dop_v1_", 40), ("doo_v1_", 40), ("dor_v1_", 40), ("HRKU-", 30), ("SG.", 20),
    ("xkeysib-", 60), ("shpat_", 30), ("shpss_", 30), ("shpca_", 30), ("shppa_", 30), ("hvs.", 20), ("hvb.", 20),
    ("ATATT3", 40), ("ATCTT3", 40), ("BBDC-", 40), ("atlasv1.", 50), ("lin_api_", 30), ("ntn_", 30), ("PMAK-", 24),
    ("pul-", 40), ("pscale_tkn_", 30), ("pscale_pw_", 30), ("pscale_oauth_", 30), ("dp.pt.", 40), ("dp.st.", 40),
    ("fm2_", 60), ("fo1_", 40), ("glsa_", 30), ("glc_", 30), ("NRAK-", 20), ("NRJS-", 19), ("NRII-", 30), ("sntrys_", 40),
    ("sntryu_", 60), ("dt0c01.", 20), ("tskey-", 20), ("dapi", 32), ("sbp_", 40), ("squ_", 40), ("sqp_", 40), ("AKCp", 60),
    ("cmVmdGtuO", 40), ("bkua_", 40), ("CCIPAT_", 30), ("nfp_", 30), ("vcp_", 40), ("figd_", 40), ("pat-na1-", 30),
    ("CFPAT-", 40), ("sk.eyJ", 40), ("ops_eyJ", 60), ("rdme_", 60), ("duffel_live_", 40), ("access-production-", 36),
    ("AGE-SECRET-KEY-1", 40),
)  # fmt: skip
MIN_LENGTH = min(len(prefix) + least for prefix, least in _ISSUED)
_NO_TOKEN = {number: " " for number in range(128) if not chr(number).isalnum() and chr(number) not in "-_."}
_NO_PART = str.maketrans("_.", "--")
# The possible starts of the parts of a long word that holds a token.
_HEADS = frozenset([prefix.translate(_NO_PART).partition("-")[0][:3] for prefix, _ in _ISSUED])
# Programs and options that take a secret as an argument.
PROGRAMS = frozenset((
    "curl", "docker", "gh", "htpasswd", "chpasswd", "login", "machine", "mariadb", "mariadb-dump", "mysql", "mysqladmin",
    "mysqldump", "mysqlimport", "mysqlsh", "mongo", "mongodump", "mongoexport", "mongoimport", "mongorestore", "mongosh",
    "mosquitto_pub", "mosquitto_sub", "ldapadd", "ldapdelete", "ldapmodify", "ldappasswd", "ldapsearch", "ldapwhoami",
    "openssl", "redis-cli", "smbclient", "sqlcmd", "sqlplus", "cqlsh", "ssh-keygen", "sshpass", "sudo", "twine", "zip",
    "unzip", "7z", "7za", "--auth", "--from-literal", "--password-stdin", "-pass", "-passin", "-passout", "-storepass",
    "-keypass", "-srcstorepass", "-deststorepass",
))  # fmt: skip
# A token may follow a JSON escape: the `n` in `\nghp_…` is not part of a word.
_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt])|(?<=\\u[0-9a-fA-F]{4}))"

# An environment variable, and a value that is neither a path nor another variable.
_VARIABLE = r"(?P<keep>(?<![A-Z0-9_])[A-Z][A-Z0-9_]{0,60}_"
_GIVEN_TO = r"=\\*[\"']?)(?![~/.$])[^\s\"'\\;|&]{4,200}"
_AUTH = (
    r"(?P<keep>(?:auth|Auth|AUTH)\\*[\"']?\s{0,3}[:=]\s{0,3}\\*[\"']?)"
    r"(?P<pair>[A-Za-z0-9+/]{4,400}={0,2})(?![\w+/=])"
)
# Two signs that a text must contain, ignoring case, and the regex of the secret. Several rows share the first sign. The group
# `keep` stays before the mark; the group `pair` is a secret only if it is `user:password` in base64 (`is_pair`).
_SHAPED = {
    "eyj": ((".", r"(?:(?<![\w-])|(?<=\\[bfnrt]))eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"),),
    "private key": (("", r"-----BEGIN [A-Z ]*PRIVATE KEY[A-Z ]*-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY[A-Z ]*-----|$)"),),
    "bearer ": (("", r"(?i)(?P<keep>bearer\s+)[\w.~+/-]{12,}=*"),),
    "basic ": (
        ("", r"(?i)(?P<keep>basic\s+)(?-i:(?![a-z]+(?![\w+/=])))[A-Za-z0-9+/]{16,}=*"),
        ("", r"(?i)(?P<keep>basic\s+)(?P<pair>[A-Za-z0-9+/]{6,15}={0,2})(?![\w+/=])"),
    ),
    **dict.fromkeys(('auth"', "auth'", "auth\\", "auth:", "auth=", "auth ="), (("", _AUTH),)),
    "authorization": (
        ("", r"(?i)(?P<keep>authorization\\*[\"']?\s*[:=]\s*\\*[\"']?(?:[a-z]+\s+)?+)(?![$%{])[^\s\"'\\,;]{8,}"),
    ),
    "cookie": ((":", r"(?i)(?P<keep>\b(?:set-)?cookie\\*[\"']?\s*:\s*\\*[\"']?)[^\r\n\"'\\]{6,}"),),
    "curl": (("-u", r"(?P<keep>\s(?:-u|--user)[\s=]\s*\\*[\"']?[^\s:\"']{1,100}:)(?!\$)[^\s\"'\\]{3,}"),),
    "_authtoken": (("", r"(?i)(?P<keep>_authToken[\s=:]{1,3}\\*[\"']?)[^\s\"'\\$]{6,}"),),
    ":aa": (("", r"(?<!\d)\d{8,10}:AA[\w-]{33}\b"),),
    "://": (
        ("@", r"(?P<keep>://[^/\s:@\"]{0,100}:)[^@/\s\"]{1,200}(?=@)"),
        ("hooks.slack.com", r"(?P<keep>hooks\.slack\.com/services/)[\w/]{20,}"),
        ("/api/webhooks/", r"(?P<keep>/api/webhooks/\d{1,30}/)[\w-]{40,}"),
        ("@", r"(?P<keep>://)(?=[\w~-]{0,100}\d)[\w~-]{20,200}(?=(?::[^@/\s\"]{0,200})?@)"),
    ),
    "=": (
        ("signature=", r"(?i)(?P<keep>signature=)[0-9a-f]{32,}"),
        ("sig=", r"(?P<keep>[?&]sig=)[\w%+/=-]{16,}"),
        ("_key=", rf"{_VARIABLE}KEY=\\*[\"']?)(?=[^\d\s]{{0,99}}\d)[\w+/=.-]{{16,200}}"),
        ("_pass=", rf"{_VARIABLE}PASS{_GIVEN_TO}"),
        ("_pwd=", rf"{_VARIABLE}PWD{_GIVEN_TO}"),
        ("_auth=", rf"{_VARIABLE}AUTH{_GIVEN_TO}"),
        ("_auth =", rf"(?P<keep>{_START}_auth = *)[A-Za-z0-9+/=]{{12,}}"),
        (";pwd=", r"(?i)(?P<keep>;pwd=)[^;\s\"']{1,200}"),
    ),
    "~": (
        ("q~", r"(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}"),
        ("sha256~", r"(?<!\w)sha256~[\w-]{43}"),
    ),
}

# Names of secrets, ignoring case, `_` and `-`.
NAMES = (
    "password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "accountkey", "privatekey", "credential",
)  # fmt: skip
# A count is not a secret: `max_tokens: 200000`.
_COUNTED = r"(?:s|[_-]?count|[_-]?limit)[\w-]{0,20}\\*[\"']?\s{0,3}(?:[:=]|%(?:25){0,3}3[ad])\s{0,3}\d+(?![\w+/=-]|\.\w)"
_NAME = (
    rf"(?:passw(?:or)?d|passphrase|secret|token(?!{_COUNTED})|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key"
    r"|credentials?)"
)
_GIVEN = rf"{_NAME}[\w-]{{0,20}}\\*[\"']?\s{{0,3}}[:=]\s{{0,3}}"
_NAMED = (
    rf"(?i)(?P<keep>{_GIVEN}(?P<quote>\\*[\"']))[\s\S]{{4,400}}?(?=(?<!\\)(?P=quote))",
    rf"(?i)(?P<keep>{_GIVEN}\\*[\"']?)[^\s\"'\\,;&]{{6,}}",
    rf"(?i)(?P<keep>--(?:[\w-]{{0,20}}-)?{_NAME}\s+\\*[\"']?)(?!-)[^\s\"'\\]{{4,}}",
)
# `"--password", "x"` in a list of arguments, but not `option("--password", "db_password")`.
_ARGUMENT = (
    rf"(?i)(?P<keep>--(?:[\w-]{{0,20}}-)?{_NAME}(?P<quote>\\*[\"'])\s{{0,3}},\s{{0,20}}(?P=quote))"
    rf"(?![-$%]|[a-z_-]{{0,20}}{_NAME}[a-z_-]{{0,20}}(?P=quote))[^\"'\\\n]{{1,400}}(?=(?P=quote))"
)
# `<password>x</password>`, but not `<Tokens>{{tokens}}</Tokens>` nor `<token>${{TOKEN}}</token>`.
_ELEMENT = (
    rf"(?i)(?P<keep><(?:[\w.-]{{0,40}}[:._-])?\w{{0,30}}{_NAME}(?:\s[^<>]{{0,200}})?>\s{{0,20}}(?:<!\[CDATA\[)?)"
    r"(?![{$%])[^<>\s](?:[^<>]{0,400}[^<>\s])??(?=\s{0,20}(?:\]\]>)?\s{0,20}<\\{0,4}/)"
)
# `password%3Dx`, also encoded more than once.
_ENCODED = (
    rf"(?i)(?P<keep>{_NAME}[\w-]{{0,20}}(?:%(?:25){{0,3}}(?:5c|2[27])){{0,4}}%(?:25){{0,3}}3[ad]"
    r"(?:%(?:25){0,3}(?:5c|2[027])|\+){0,4})(?!%(?:25){0,3}2[247])(?:(?!%(?:25){0,3}(?:2[02367c]|3b|0[ad]|5c|7d))[\w%+.~*!()$@/[\]-]){1,400}"
)
_MAX_GAP = 30  # characters between a name and its value


def patterns(text: str, *, by_name: bool = True) -> Iterator[str]:
    """The patterns that may match a text; `by_name` includes those for named secrets."""
    words = _words(text)
    yield from _issued([word for word in words if len(word) >= MIN_LENGTH], text)
    lower = text.lower()
    for sign, rows in _SHAPED.items():
        if sign in lower:
            yield from (pattern for other, pattern in rows if other in lower)
    if "\\u" in text or not PROGRAMS.isdisjoint(_without_escapes(words, text)):
        yield from option_patterns(lower)
    if by_name:
        yield from _named(lower)


def _words(text: str) -> list[str]:
    """The words of a text, which may contain `-`, `_` and `.`."""
    plain = text if text.isascii() else text.encode("ascii", "replace").decode()
    return plain.translate(_NO_TOKEN).split()


def _without_escapes(words: Sequence[str], text: str) -> Iterable[str]:
    """The words, and also their rests without a first letter that may belong to a JSON escape, as in `\\ncurl`."""
    return (*words, *(word[1:] for word in words)) if "\\" in text else words


def _issued(words: Sequence[str], text: str) -> Iterator[str]:
    """The patterns of tokens that the long words of a text may hold."""
    if not words:
        return
    joined = " ".join(words)
    parts = _without_escapes(joined.translate(_NO_PART).replace("-", " ").split(), text)
    if "\\u" not in text and _HEADS.isdisjoint([part[:3] for part in parts]):
        return
    for prefix, least in _ISSUED:
        if prefix in joined and any(prefix in word and len(word) >= len(prefix) + least for word in words):
            yield f"{_START}{prefix.replace('.', '[.]')}[\\w-]{{{least},}}(?:[.][\\w-]{{8,}})*"


def _named(lower: str) -> Iterator[str]:
    """The patterns of named secrets that may match a text, given in lower case."""
    plain = bare(lower)
    names = [name for name in NAMES if name in plain]
    if not names:
        return
    has_flags = "--" in lower
    if has_flags or any(_has_value(plain, name) for name in names):
        yield from _NAMED
    if has_flags and "," in lower:
        yield _ARGUMENT
    if "</" in lower or "\\/" in lower:
        yield _ELEMENT
    if "3d" in lower or "3a" in lower:
        yield _ENCODED


def _has_value(plain: str, name: str) -> bool:
    """Whether a value may follow a name: the word `token` in a sentence has none."""
    return any(":" in part or "=" in part for part in (part[:_MAX_GAP] for part in plain.split(name)[1:]))


def is_pair(word: str) -> bool:
    """Whether a word is `user:password` in base64."""
    import binascii

    try:
        text = binascii.a2b_base64(word + "=" * (-len(word) % 4)).decode()
    except ValueError:
        return False
    return ":" in text and len(text) > 2 and text.isprintable()


def bare(text: str) -> str:
    """A text in lower case without `_` and `-`, to find a name in any spelling."""
    return text.lower().replace("_", "").replace("-", "")


_BEGIN = r"(?:(?<![\w-])|(?<=\\[bfnrt]))"  # in JSON an escape may precede a program
# The rest of a command, with line continuations, also as escaped in JSON and in JSON within JSON.
_REST = r"(?:\\\n|(?:\\{3}){1,2}n|(?!\\+n)[^\n|;&]){0,300}?"
_OPEN = r"(?P<quote>\\*[\"'])?"
# Between two arguments, also those of a list: `"curl", "-u"`.
_COMMA = r"\\*[\"'], *"
_GAP = rf"(?: |{_COMMA}[\[(]?\\*[\"'])"
# A value with optional quotes. A variable is not a secret, and a dash begins the next option.
_VALUE = r"(?![-$%])(?(quote)[^\"'\n\\]{1,200}|[^\s\"'`\\;|&<>()]{1,200})"
_SEPARATE, _ATTACHED, _EITHER = f"(?:[ =] *|{_COMMA})", "", f"(?:[ =] *|{_COMMA}|)"

# Required words, the program, its options, and the position of their value.
_OPTIONS = (
    (("mysql",), r"mysql\w{0,12}", "-p", _ATTACHED),
    (("mariadb",), r"mariadb(?:-\w{1,12})?", "-p", _ATTACHED),
    (("redis-cli",), "redis-cli", "-a|--pass", _SEPARATE),
    (("login",), rf"(?:docker|podman|nerdctl|buildah|skopeo|oras|az|helm{_GAP}registry){_GAP}login", "-p", _EITHER),
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
    (
        ("curl",),
        "curl",
        rf"(?:-[A-Za-z]{{0,8}}u(?: *|{_COMMA})|--(?:proxy-)?user{_SEPARATE})\\*[\"']?[^\s:\"']{{1,100}}:",
        _ATTACHED,
    ),
    (("curl",), "curl", "-b|--cookie", rf"{_SEPARATE}(?=\\*[\"']?[^\s=\"'/]{{1,60}}=)"),
    (("smbclient",), "smbclient", r"-U *\\*[\"']?[^\s%\"']{1,60}%", _ATTACHED),
)
# Required words, the text before the value, and the text after it.
_OTHERS = (
    # Only the first -p: a command follows the password, such as `ssh -p 22`.
    (("sshpass",), _BEGIN + f"sshpass(?:{_GAP}-v)?{_GAP}-p(?:{_COMMA}| *)", ""),
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


def option_patterns(lower: str) -> Iterator[str]:
    """The patterns that may match a text, given in lower case."""
    is_list = '",' in lower or "'," in lower
    for words, program, options, place in _OPTIONS:
        if all(word in lower for word in words):
            command = rf"{_BEGIN}{program}{_GAP}(?:{_REST}{_GAP})?(?:{options}){place}"
            yield rf"(?P<keep>{command if is_list else command.replace(_GAP, ' ').replace(f'|{_COMMA}', '')}{_OPEN}){_VALUE}"
    for words, before, after in _OTHERS:
        if all(word in lower for word in words):
            yield rf"(?P<keep>{before}{_OPEN}){_VALUE}" + (rf"(?=\\*[\"']?{after})" if after else "")
