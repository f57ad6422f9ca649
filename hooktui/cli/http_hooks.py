"""`http` hooks: POST the context and print the answer (formats.md §3), in a process that the hook's timeout can kill.

Redirects are not followed: only the address in the approved entry gets the context.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import urlsplit

from hooktui.runner.process import OUTPUT_LIMIT

_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_LINE_ENDS = re.compile(r"[\r\n\0]")  # would end a header
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_EXCERPT = 300  # characters of the body of an error


class RequestRefusedError(Exception):
    """A request without a readable answer; the message says why."""


def main() -> int:
    """Read {url, headers, allowed, body} from stdin and print the response's body; on failure, print the error and exit 1."""
    request = json.load(sys.stdin)
    headers = expanded(request["headers"], request["allowed"])
    try:
        sys.stdout.buffer.write(post(request["url"], headers, request["body"]))
    except RequestRefusedError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def expanded(headers: Mapping[str, Any], allowed: Collection[str]) -> dict[str, str]:
    """Headers with $NAME and ${NAME} replaced by allowed variables; all others are empty."""

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        return os.environ.get(name, "") if name in allowed else ""

    texts = {name: text for name, text in headers.items() if isinstance(text, str)}
    return {name: _LINE_ENDS.sub("", _VARIABLE.sub(value, text)) for name, text in texts.items()}


def post(url: str, headers: Mapping[str, str], body: Any) -> bytes:
    """The body of a successful response, cut one byte above OUTPUT_LIMIT. Raises RequestRefusedError."""
    host, address = _address(url)
    try:
        proxies = [urllib.request.ProxyHandler({})] if host in _LOOPBACK else []
        opener = urllib.request.build_opener(_NoRedirect, *proxies)
        fields = {"Content-Type": "application/json", "User-Agent": "hooktui", **headers}
        request = urllib.request.Request(url, json.dumps(body).encode(), fields)  # noqa: S310  # http or https, see _address
        with opener.open(request) as response:
            content: bytes = response.read(OUTPUT_LIMIT + 1)
            if response.length and len(content) <= OUTPUT_LIMIT:
                raise RequestRefusedError(
                    f"{address} closed the connection {response.length} bytes before the end of its answer"
                )
    except urllib.error.HTTPError as error:
        raise RequestRefusedError(f"{address} answered {error.code} {_excerpt(error)}".rstrip()) from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise RequestRefusedError(f"{address} cannot be reached: {getattr(error, 'reason', None) or error}") from error
    return content


def _address(url: str) -> tuple[str, str]:
    """The host of a URL, and the URL without user, password and query for messages. Raises RequestRefusedError."""
    try:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https") and parts.hostname:
            return parts.hostname, f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    except ValueError:
        pass
    raise RequestRefusedError("url must be an http or https address")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_redirect: Any) -> None:
        return None


def _excerpt(error: urllib.error.HTTPError) -> str:
    if 300 <= error.code < 400:
        return f"{error.reason}: redirects are not followed"
    try:
        body = error.read(_EXCERPT * 4).decode(errors="replace")
    except (OSError, http.client.HTTPException):
        body = ""
    return f"{error.reason} {' '.join(body.split())[:_EXCERPT]}"


if __name__ == "__main__":
    sys.exit(main())
