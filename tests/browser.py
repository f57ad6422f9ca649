"""A real headless Chromium, controlled over pipes in its own protocol, to use a page as a person would."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

DEADLINE_S = 60.0
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MISSING = "Chromium is not installed: apt-get install chromium"
_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--remote-debugging-pipe",
)


class Browser:
    """A page in a browser of its own; `requests` are the requested addresses, `faults` the errors on its console."""

    def __init__(self, profile: Path) -> None:
        assert CHROMIUM
        theirs_in, self._to = os.pipe()
        self._from, theirs_out = os.pipe()
        wanted = _above(theirs_in), _above(theirs_out)

        def hand_over() -> None:
            os.dup2(wanted[0], 3)
            os.dup2(wanted[1], 4)

        self._process = subprocess.Popen(
            [CHROMIUM, *_OPTIONS, f"--user-data-dir={profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=hand_over, pass_fds=(3, 4), env={**os.environ, "HOME": str(profile)},
        )  # fmt: skip
        for fd in (theirs_in, theirs_out, *wanted):
            os.close(fd)
        self._number = 0
        self._received = b""
        self._session = ""
        self.requests: list[str] = []
        self.faults: list[str] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait(DEADLINE_S)
        os.close(self._to)
        os.close(self._from)

    def open(self, file: Path) -> None:
        """Open a file, and wait until its script has built the page."""
        self.send("Page.navigate", url=file.as_uri())
        self.wait_for("document.documentElement && document.documentElement.dataset.ready")

    def run(self, expression: str) -> Any:
        """Evaluate an expression in the page through the debugger, which the page's policy cannot prevent."""
        done = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def wait_for(self, expression: str) -> Any:
        """The value of an expression, once it is true."""
        end = time.monotonic() + DEADLINE_S
        while not (value := self.run(expression)):
            assert time.monotonic() < end, f"{expression} did not come about"
        return value

    def type(self, text: str) -> None:
        """Write a text where the cursor is."""
        self.send("Input.insertText", text=text)

    def press(self, key: str) -> None:
        """A key without modifiers."""
        codes = {"ArrowDown": 40, "ArrowUp": 38, "End": 35, "Home": 36}
        for kind in ("keyDown", "keyUp"):
            text = {"text": key} if kind == "keyDown" and len(key) == 1 else {}
            code = codes.get(key, ord(key[0]))
            self.send("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **text)

    def prefer(self, scheme: str) -> None:
        """Set the preferred colour scheme, `light` or `dark`."""
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self) -> bytes:
        """A PNG of the visible part."""
        return base64.b64decode(self.send("Page.captureScreenshot")["data"])

    def paper(self) -> bytes:
        """A PDF of the page as it would be printed."""
        return base64.b64decode(self.send("Page.printToPDF", printBackground=True)["data"])

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """One command of the protocol; its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._number:
            self._note(answer)
        assert "error" not in answer, answer["error"]
        result = answer["result"]
        assert isinstance(result, dict)
        return result

    def _note(self, message: dict[str, Any]) -> None:
        params = message.get("params", {})
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif message.get("method") == "Runtime.exceptionThrown":
            self.faults.append(json.dumps(params["exceptionDetails"]))
        elif message.get("method") == "Log.entryAdded":
            self.faults.append(params["entry"]["text"])

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._received:
            ready, _, _ = select.select([self._from], [], [], DEADLINE_S)
            assert ready, "the browser says nothing"
            chunk = os.read(self._from, 1 << 20)
            assert chunk, "the browser has gone"
            self._received += chunk
        line, _, self._received = self._received.partition(b"\0")
        message = json.loads(line)
        assert isinstance(message, dict)
        return message


def _above(fd: int) -> int:
    """Copy a descriptor to a number that the browser does not listen on."""
    return fcntl.fcntl(fd, fcntl.F_DUPFD, 10)
