"""Running the app: one process, one event loop."""

import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from spielwerk.core.errors import SpielwerkError
from spielwerk.web.app import create_app
from spielwerk.web.language import say
from spielwerk.web.limits import Limits
from spielwerk.web.store import MatchStore

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Files:
    """What the server reads and writes; None: in the user's data folder."""

    store: Path | None = None  # file of matches
    runs: Path = Path("runs")  # folder of training runs
    results: Path | None = None  # the arena's store


def run(
    host: str,
    port: int,
    files: Files,
    limits: Limits | None = None,
    tell: Callable[[str], object] = print,
) -> None:
    """Serve until interrupted. On the network only the agents of the ladders may play: others could think forever."""
    local = host in LOOPBACK
    limits = limits or Limits(any_agent=local, hosts=LOOPBACK if local else ())
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as problem:
        phrase = "cannot listen on {host}:{port} ({problem}); choose another with --port"
        raise SpielwerkError(say(phrase, host=host, port=port, problem=problem.strerror)) from None
    app = create_app(MatchStore(files.store), limits, files.runs, files.results)
    shown = f"[{host}]" if ":" in host else host
    tell(f"http://{shown}:{listening.getsockname()[1]}")
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        ws_max_size=64 << 10,
        ws_per_message_deflate=False,  # costs more time and memory than all the rest of a move
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    uvicorn.Server(config).run(sockets=[listening])
