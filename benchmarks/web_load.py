"""Load test of the web app: many matches at once over WebSockets, against the `random` agent.

    python benchmarks/web_load.py [--matches 200] [--moves 15] [--game 2048] [--seats N] [--pause 1.0]

Every match has a client that waits, plays a random legal action, and measures the time until its next turn arrives,
that is until the agents have answered and the new board has been drawn and sent. Between two moves a client pauses, as
people do. Prints the median and the 99th percentile of that time, moves per second and the memory per match.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
import numpy as np
import websockets

SERVER = """
import sys
from pathlib import Path
from spielwerk.web.limits import Limits
from spielwerk.web.server import Files, run
limits = Limits(requests_per_second=1e6, burst=1_000_000, matches_per_hour=1e9, connections=100_000)
run("127.0.0.1", 0, Files(Path(sys.argv[1])), limits=limits, tell=lambda address: print(address, flush=True))
"""


def memory(process: int) -> float:
    """Resident memory in MB."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    raise SystemExit("memory can only be measured on Linux")


def processor_time(process: int) -> float:
    """Seconds of processor time that a process has used so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def start(client: httpx.AsyncClient, game: str, seats: int) -> tuple[str, str]:
    places = [{"who": "me"}] + [{"who": "agent", "agent": "random"}] * (seats - 1)
    answer = await client.post("/api/matches", json={"game": game, "places": places})
    answer.raise_for_status()
    started = answer.json()
    return started["match"], started["tokens"][0]["token"]


async def play(
    address: str, match: str, token: str, moves: int, pause: float, begun: asyncio.Event, times: list[float]
) -> int:
    """One match; returns how many moves were made."""
    url = f"{address.replace('http', 'ws')}/api/matches/{match}/live"
    async with websockets.connect(url, max_size=None, open_timeout=60) as socket:
        await socket.send(json.dumps({"type": "hello", "tokens": [token]}))
        made, asked = 0, None
        while True:
            message = json.loads(await asyncio.wait_for(socket.recv(), 120))
            if message["type"] == "problem":
                raise SystemExit(message["detail"])
            if message["type"] != "scene":
                continue
            over = message["status"] != "playing"
            if asked is not None and message["number"] > asked[0] and (message["legal"] or over):
                times.append(time.perf_counter() - asked[1])
                asked = None
            if over or made == moves:
                return made
            if message["legal"] and asked is None:
                await begun.wait()
                await asyncio.sleep(random.uniform(0.5, 1.5) * pause)
                asked = (message["number"], time.perf_counter())
                action = random.choice(message["legal"])["action"]
                await socket.send(json.dumps({"type": "act", "seat": message["seat"], "action": action}))
                made += 1


async def measure(options: argparse.Namespace, address: str, process: int) -> None:
    async with httpx.AsyncClient(base_url=address, timeout=300) as client:
        info = (await client.get(f"/api/games/{options.game}")).json()
        seats = options.seats or info["seats"][0]
        match, token = await start(client, options.game, seats)  # compile before measuring
        ready = asyncio.Event()
        ready.set()
        await play(address, match, token, 3, 0, ready, [])
        before = memory(process)
        pairs = [await start(client, options.game, seats) for _ in range(options.matches)]
        times: list[float] = []
        begun = asyncio.Event()
        tasks = [
            asyncio.create_task(play(address, *pair, options.moves, options.pause, begun, times)) for pair in pairs
        ]
        await asyncio.sleep(3)
        after = memory(process)
        began, used = time.perf_counter(), processor_time(process)
        begun.set()
        made = sum(await asyncio.gather(*tasks))
        seconds, used = time.perf_counter() - began, processor_time(process) - used
    milliseconds = 1000 * np.array(times)
    print(f"{info['title']}, {seats} seats, {options.matches} matches at once, {options.pause:g} s between moves")
    print(f"answers            {len(times):,} in {seconds:.1f} s, {made / seconds:,.0f} moves/s")
    print(f"move to answer     median {np.median(milliseconds):.1f} ms, 99 % {np.percentile(milliseconds, 99):.1f} ms")
    load = f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}"
    print(f"processor time     {1000 * used / made:.1f} ms per move ({load})")
    print(f"memory             {before:.0f} MB before, {1024 * (after - before) / options.matches:.0f} kB per match")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--moves", type=int, default=15)
    parser.add_argument("--game", default="2048")
    parser.add_argument("--seats", type=int)
    parser.add_argument("--pause", type=float, default=1.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", SERVER, str(Path(folder) / "matches.sqlite")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            try:
                asyncio.run(measure(options, server.stdout.readline().strip(), server.pid))
            finally:
                server.terminate()


if __name__ == "__main__":
    main()
