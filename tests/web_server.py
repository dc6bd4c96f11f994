"""A server for the tests: the registered games and the small ones of web_games. `python web_server.py PORT STORE`."""

import sys
from pathlib import Path

from spielwerk.core import registry
from spielwerk.web.limits import Limits
from spielwerk.web.server import LOOPBACK, run
from web_games import GAMES

if __name__ == "__main__":
    for game in GAMES:
        registry.register(game)
    port, store = int(sys.argv[1]), Path(sys.argv[2])
    limits = Limits(hint=0.1, review=2.0, requests_per_second=500, burst=5000, hosts=LOOPBACK)
    run("127.0.0.1", port, store, store.parent / "runs", store.parent / "results.sqlite", limits, print)
