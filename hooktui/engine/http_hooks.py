"""`http` hooks: POST the context, print the answer (formats.md §3). A process of its own, so that the usual deadline holds.

Only the address that was approved is asked: with the entry's text, by its owner or by trust. A redirect leads elsewhere and is
not followed.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import sys
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from hooktui.engine.process import OUTPUT_LIMIT

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_UNFIT = re.compile(r"[\r\n\0]")  # what would end a header
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_SHOWN = 300  # characters of what a server says beside a refusal


class RequestRefused(Exception):
    """No answer that could be read; the message says why."""


def main() -> int:
    """Read {url, headers, allowed, body} on stdin; print the response's body. Exit 1, and why on stderr, when there is none."""
    wanted = json.load(sys.stdin)
    headers = filled(wanted["headers"], wanted["allowed"])
    try:
        sys.stdout.buffer.write(post(wanted["url"], headers, wanted["body"]))
    except RequestRefused as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def filled(headers: Mapping[str, Any], allowed: Collection[str]) -> dict[str, str]:
    """Headers with $NAME and ${NAME} replaced: by the variables that the hook may use, by nothing for all others."""

    def value(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        return os.environ.get(name, "") if name in allowed else ""

    texts = {name: text for name, text in headers.items() if isinstance(text, str)}
    return {name: _UNFIT.sub("", _VARIABLE.sub(value, text)) for name, text in texts.items()}


def post(url: str, headers: Mapping[str, str], body: Any) -> bytes:
    """The body of a successful response, and one byte more than hooks may print when it is too long. Raises RequestRefused."""
    host, named = _address(url)
    try:
        with _opener(host).open(_request(url, headers, body)) as response:
            content: bytes = response.read(OUTPUT_LIMIT + 1)
            if response.length and len(content) <= OUTPUT_LIMIT:
                raise RequestRefused(f"{named} broke off {response.length} bytes before the end of its answer")
    except urllib.error.HTTPError as error:
        raise RequestRefused(f"{named} answered {error.code} {_excerpt(error)}".rstrip()) from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise RequestRefused(f"{named} cannot be asked: {getattr(error, 'reason', None) or error}") from error
    return content


def _address(url: str) -> tuple[str, str]:
    """The host of a URL, and the URL without user, password and query, which may be secrets. Raises RequestRefused."""
    try:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https") and parts.hostname:
            return parts.hostname, f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    except ValueError:
        pass
    raise RequestRefused("url must be an http or https address")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_redirect: Any) -> None:
        return None


def _opener(host: str) -> urllib.request.OpenerDirector:
    """What asks a host: through the proxies of the environment, except on this machine."""
    proxies = [urllib.request.ProxyHandler({})] if host in _LOOPBACK else []
    return urllib.request.build_opener(_NoRedirect, *proxies)


def _request(url: str, headers: Mapping[str, str], body: Any) -> urllib.request.Request:
    own = {"Content-Type": "application/json", "User-Agent": "hooktui", **headers}
    return urllib.request.Request(url, json.dumps(body).encode(), own)  # noqa: S310  # only web addresses, see _address


def _excerpt(error: urllib.error.HTTPError) -> str:
    if 300 <= error.code < 400:
        return f"{error.reason}: not followed, for only its own address is approved"
    try:
        said = error.read(_SHOWN * 4).decode(errors="replace")
    except (OSError, http.client.HTTPException):
        said = ""
    return f"{error.reason} {' '.join(said.split())[:_SHOWN]}"


if __name__ == "__main__":
    sys.exit(main())
