"""Running the app: one process, one event loop."""

import ipaddress
import logging
import math
import os
import re
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from spielwerk.core.errors import SpielwerkError
from spielwerk.web.app import create_app
from spielwerk.web.guard import ANY_ADDRESS, host_name
from spielwerk.web.language import say
from spielwerk.web.limits import Limits
from spielwerk.web.store import MatchStore, new_token

LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("0.0.0.0", "::", "")
ADMIN = "SPIELWERK_ADMIN_TOKEN"  # environment variable
SHORTEST_TOKEN = 16  # characters


@dataclass(frozen=True)
class Files:
    """What the server reads and writes; None: in the user's data folder."""

    store: Path | None = None  # file of matches
    runs: Path = Path("runs")  # folder of training runs
    results: Path | None = None  # the arena's store


@dataclass(frozen=True)
class Opening:
    """How others reach the server."""

    hosts: tuple[str, ...] = ()  # further names under which it answers
    proxies: tuple[str, ...] = ()  # addresses of reverse proxies that are believed who asks (X-Forwarded-For)
    admin_token: str | None = None  # of who runs it; None: from the environment, else a new one if others reach it

    def __post_init__(self) -> None:
        for proxy in self.proxies:
            try:
                ipaddress.ip_network(proxy)
            except ValueError:
                phrase = "--trusted-proxy takes an address or a network such as 127.0.0.1 or 10.0.0.0/8, not '{proxy}'"
                raise SpielwerkError(say(phrase, proxy=proxy)) from None
        if self.admin_token is not None and len(self.admin_token) < SHORTEST_TOKEN:
            phrase = "a token that has fewer than {least} characters can be guessed; take a longer one"
            raise SpielwerkError(say(phrase, least=SHORTEST_TOKEN))
        if self.admin_token is not None and not re.fullmatch(r"[\w.~-]+", self.admin_token, re.ASCII):
            phrase = "a token is part of an address: take letters, digits, '-', '_', '.' and '~' only"
            raise SpielwerkError(say(phrase))

    def is_public(self, host: str) -> bool:
        """Whether others reach a server that listens there: over the network, or through a proxy on this machine."""
        return host not in LOOPBACK or bool(self.hosts or self.proxies)

    def names(self, host: str) -> tuple[str, ...]:
        """The names under which the server answers."""
        own = (ANY_ADDRESS,) if host in EVERYWHERE else (host.lower(),)
        return tuple(dict.fromkeys([*LOOPBACK, *own, *map(host_name, self.hosts)]))

    def token(self, host: str) -> str | None:
        return self.admin_token or (new_token() if self.is_public(host) else None)

    def limits(self, host: str) -> Limits:
        """Whoever is alone with the server may use it as he likes. Others may let only the agents of the ladders play:
        a written one could think forever."""
        if self.is_public(host):
            return Limits(any_agent=False, hosts=self.names(host))
        return Limits(
            hosts=self.names(host), jobs_each=Limits.jobs, job_matches=10**9, job_seconds=math.inf, matches_per_hour=1e9
        )


def opening(hosts: Sequence[str], proxies: Sequence[str], admin_token: str | None) -> Opening:
    return Opening(tuple(hosts), tuple(proxies), admin_token or os.environ.get(ADMIN) or None)


def run(
    host: str,
    port: int,
    files: Files,
    limits: Limits | None = None,
    tell: Callable[[str], object] = print,
    opened: Opening | None = None,
) -> None:
    """Serve until interrupted. `tell` is told the address, then the one with the token of who runs the server if it is
    new."""
    opened = opened or Opening()
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as problem:
        phrase = "cannot listen on {host}:{port} ({problem}); choose another with --port"
        raise SpielwerkError(say(phrase, host=host, port=port, problem=problem.strerror)) from None
    token = opened.token(host)
    app = create_app(
        MatchStore(files.store), limits or opened.limits(host), files.runs, files.results, admin_token=token
    )
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listening.getsockname()[1]}"
    tell(address)
    if token is not None and token != opened.admin_token:
        tell(f"{address}/#admin={token}")
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        ws_max_size=64 << 10,
        ws_per_message_deflate=False,  # costs more time and memory than all the rest of a move
        server_header=False,
        timeout_graceful_shutdown=2,
        proxy_headers=bool(opened.proxies),
        forwarded_allow_ips=list(opened.proxies),
    )
    logging.getLogger("uvicorn.error").addFilter(one_line)
    uvicorn.Server(config).run(sockets=[listening])


def one_line(record: logging.LogRecord) -> bool:
    """What a visitor sent that is no text is no mistake of the server's: the log has a line of it, but no traceback."""
    if record.exc_info and isinstance(record.exc_info[1], UnicodeDecodeError):
        record.exc_info = record.exc_text = None
    return True
