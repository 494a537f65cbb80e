"""A service with an index of its own, and a Chromium that notices everything a page must not do."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import pytest
from playwright.sync_api import Page, expect, sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("LOOKALIKE_BIN", str(ROOT / "target/release/lookalike"))

# Long enough for a machine with much other work; what is there sooner is seen sooner.
PATIENCE_MS = 90_000
expect.set_options(timeout=PATIENCE_MS)


class Service:
    """`lookalike serve` on a free port of loopback."""

    def __init__(self, index: pathlib.Path, *options: str):
        self.index, self.options, self.process, self.token = index, options, None, None

    def start(self) -> "Service":
        command = [BINARY, "serve", "--index", str(self.index), "--listen", "127.0.0.1:0", *self.options]
        log = open(self.index.with_suffix(".log"), "ab")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("listening on http://"), (line, self.log())
        self.address = line.split()[2]
        return self

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(timeout=30) == 0, self.log()

    def restart(self) -> None:
        self.stop()
        self.start()

    def log(self) -> str:
        return self.index.with_suffix(".log").read_text()[-4000:]

    def call(self, method: str, path: str, body=None):
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_MS / 1000) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read().decode()}") from None

    def get(self, path: str, **query):
        return self.call("GET", path + ("?" + urllib.parse.urlencode(query) if query else ""))

    def add(self, documents: list[dict]) -> list[dict]:
        return self.call("POST", "/v1/documents", documents)


@pytest.fixture(scope="module")
def make_service(tmp_path_factory):
    """Makes services, which are stopped at the end."""
    made = []

    def make(*options: str, create=("--method", "minhash", "--threshold", "0.7")) -> Service:
        index = tmp_path_factory.mktemp("service") / "index"
        subprocess.run([BINARY, "index", "create", str(index), *create], check=True, capture_output=True)
        service = Service(index, *options)
        made.append(service)
        return service.start()

    yield make
    for service in made:
        if service.process.poll() is None:
            service.stop()


@pytest.fixture(scope="session")
def browser():
    executable = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        # The sandbox of Chromium refuses to run as root, as which containers run tests.
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        yield browser
        browser.close()


class Watch:
    """What a page did that it must not do."""

    def __init__(self, page: Page):
        self.found = []
        page.on("dialog", self.dialog)
        page.on("console", self.console)
        page.on("pageerror", lambda error: self.found.append(f"error: {error}"))
        page.on("request", self.request)
        page.on("popup", lambda popup: self.found.append(f"popup: {popup.url}"))
        page.on("websocket", lambda socket: self.found.append(f"socket: {socket.url}"))
        page.add_init_script(
            "window.violations = [];"
            "document.addEventListener('securitypolicyviolation',"
            " (event) => window.violations.push(event.violatedDirective + ' ' + event.blockedURI));"
            "window.ran = () => window.violations.push('a script of a document ran');"
        )
        self.page = page

    def dialog(self, dialog) -> None:
        self.found.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def console(self, message) -> None:
        # A refused request is told on the console too; whether it was right is the test's business.
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            self.found.append(f"{message.type}: {message.text}")

    def request(self, request) -> None:
        url = urllib.parse.urlsplit(request.url)
        if url.scheme not in ("data", "blob") and url.hostname != "127.0.0.1":
            self.found.append(f"request: {request.url}")

    def assert_nothing(self) -> None:
        assert self.found + self.page.evaluate("window.violations") == []


@pytest.fixture
def open_page(browser):
    """Opens pages, each in a context of its own, and looks at the end whether they behaved."""
    opened = []

    def open_page(service: Service, route: str = "", width=1280, height=860, **options) -> Page:
        options.setdefault("color_scheme", "light")
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        opened.append((context, Watch(page)))
        page.goto(f"{service.address}/#/{route}")
        return page

    yield open_page
    for context, watch in opened:
        watch.assert_nothing()
        context.close()
