"""A headless Chromium for tests, driven through its debugging pipe: no driver, no port.

with Browser() as browser:
    browser.open(path)
    browser.press("ArrowRight")
    assert browser.value("document.title") == "..."
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_PATIENCE = 60.0
_KEYS = {"ArrowRight": 39, "ArrowLeft": 37, "ArrowUp": 38, "ArrowDown": 40, "Home": 36, "End": 35, "Enter": 13, "Escape": 27, "Tab": 9}


class Browser:
    """One page."""

    def __init__(self, width: int = 1300, height: int = 900):
        assert CHROMIUM is not None
        self._folder = tempfile.TemporaryDirectory(prefix="fsoft-browser-", ignore_cleanup_errors=True)  # its helpers may write last
        down, self._write = os.pipe()
        self._read, up = os.pipe()
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--mute-audio",
                   f"--user-data-dir={self._folder.name}", f"--window-size={width},{height}", "--remote-debugging-pipe"]  # fmt: skip
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (down, up)]

        def connect() -> None:  # in the child: the browser reads commands from 3 and writes answers to 4
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self._process = subprocess.Popen(
            [CHROMIUM, *options, "about:blank"], preexec_fn=connect, close_fds=False, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        for end in ends:
            os.close(end)
        os.close(down)
        os.close(up)
        self._buffer, self._number, self._session = b"", 0, ""
        self.events: list[dict[str, Any]] = []
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "Accessibility", "DOM"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(timeout=20)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)  # what it has started
        os.close(self._write)
        os.close(self._read)
        self._folder.cleanup()

    # ------------------------------------------------------------ the protocol

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return dict(answer["result"])
            self.events.append(answer)

    def _receive(self) -> dict[str, Any]:
        end = time.monotonic() + _PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0.0, end - time.monotonic()))
            data = os.read(self._read, 1 << 16) if ready else b""
            if not data:
                raise RuntimeError("the browser does not answer")
            self._buffer += data
        part, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(part))

    # ------------------------------------------------------------ what a person does

    def open(self, file: Path) -> None:
        self.events.clear()
        self.call("Page.navigate", url=file.resolve().as_uri())
        while self.value("document.readyState") != "complete" or not self.value("location.href").startswith("file:"):
            time.sleep(0.02)

    def value(self, expression: str) -> Any:
        """What an expression of JavaScript is worth."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def press(self, key: str, times: int = 1) -> None:
        code = _KEYS.get(key, ord(key.upper()) if len(key) == 1 else 0)
        text = {"text": "\r"} if key == "Enter" else {"text": key} if len(key) == 1 else {}
        for _ in range(times):
            common = {"key": key, "windowsVirtualKeyCode": code}
            self.call("Input.dispatchKeyEvent", type="keyDown", **common, **text)
            self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def click(self, selector: str) -> None:
        """Click in the middle of an element."""
        name = json.dumps(selector)
        box = self.value(f"(e => {{ e.scrollIntoView({{block: 'nearest'}}); const b = e.getBoundingClientRect(); "
                         f"return [b.x + b.width / 2, b.y + b.height / 2]; }})(document.querySelector({name}))")  # fmt: skip
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def scheme(self, name: str) -> None:
        """light or dark"""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def screenshot(self) -> bytes:
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def pdf(self) -> bytes:
        return base64.b64decode(self.call("Page.printToPDF", printBackground=False)["data"])

    def accessible(self) -> list[dict[str, Any]]:
        """The nodes of the accessibility tree that are not ignored."""
        return [node for node in self.call("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]

    def requests(self) -> list[str]:
        """The addresses that the page asked for."""
        return [event["params"]["request"]["url"] for event in self.events if event.get("method") == "Network.requestWillBeSent"]

    def complaints(self) -> list[str]:
        """Errors on the console."""
        found = []
        for event in self.events:
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(str(event["params"]["exceptionDetails"].get("text")))
            if event.get("method") == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
                found.append(event["params"]["entry"]["text"])
        return found
