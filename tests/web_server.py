"""A server process for the tests, with the registered games and the small ones of web_games.

`python web_server.py PORT STORE` runs it; `Server` starts, stops and kills it.
"""

import os
import random
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

if TYPE_CHECKING:
    from spielwerk.web.limits import Limits
    from spielwerk.web.server import Opening


def free_port() -> int:
    """A port that stays free while the server is away: connections of others begin at higher ones."""
    for port in random.sample(range(20_000, 32_000), 100):
        with socket.socket() as free, suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port
    raise OSError("no port is free")


class Server:
    """The server as a process of its own on a free port; a context manager that always stops it."""

    def __init__(self, folder: Path) -> None:
        self.store = folder / "matches.sqlite"
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        folder = Path(__file__).parent
        paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
        self.process = subprocess.Popen(
            [sys.executable, str(folder / "web_server.py"), str(self.port), str(self.store)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            stdout=subprocess.DEVNULL,
        )
        ends = time.monotonic() + 300
        while True:
            try:
                urllib.request.urlopen(f"{self.address}/api/status", timeout=5).close()
                return
            except OSError:
                if time.monotonic() > ends or self.process.poll() is not None:
                    self.stop()
                    raise
                time.sleep(0.1)

    def kill(self) -> None:
        """End it the hard way: nothing can be saved on the way out."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.kill()
            self.process = None

    def __enter__(self) -> "Server":
        self.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self.stop()


@contextmanager
def serving(folder: Path, limits: "Limits", opened: "Opening | None" = None) -> Iterator[list[str]]:
    """The server in a thread of this process, so that its log is heard; yields what it told when it began."""
    import uvicorn

    from spielwerk.web.server import Files, run

    told: list[str] = []
    servers: list[uvicorn.Server] = []

    class Noted(uvicorn.Server):
        def __init__(self, config: uvicorn.Config) -> None:
            super().__init__(config)
            servers.append(self)

    files = Files(folder / "matches.sqlite", folder / "runs", folder / "results.sqlite")
    arguments = ("127.0.0.1", 0, files, limits, told.append, opened)
    with patch("uvicorn.Server", Noted):
        thread = threading.Thread(target=run, args=arguments, daemon=True)
        thread.start()
        while not (servers and servers[0].started):
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
    try:
        yield told
    finally:
        servers[0].should_exit = True
        thread.join(60)


def main(port: int, store: Path) -> None:
    from spielwerk.core import registry
    from spielwerk.web.limits import Limits
    from spielwerk.web.server import LOOPBACK, Files, run
    from web_games import GAMES

    for game in GAMES:
        registry.register(game)
    limits = Limits(
        hint=0.1, review=2.0, thinking=5.0, requests_per_second=10_000, burst=100_000, looks_per_second=10_000,
        any_agent=False, hosts=LOOPBACK,
    )  # fmt: skip
    files = Files(store, store.parent / "runs", store.parent / "results.sqlite")
    run("127.0.0.1", port, files, limits, print)


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
