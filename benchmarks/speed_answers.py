"""Whether a spe_ed client answers in time while the machine has other things to do.

    python benchmarks/speed_answers.py --matches 50 --agent territory --limit 2 --grace 0

The own server plays matches with a limit of so many whole seconds; the agent sits in processes of its own, as many
matches at once as asked for, and other processes keep every core busy. An answer is in time if the server took it.
"""

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any

from spielwerk.bridges.spe_ed.client import SpeedJoining
from spielwerk.bridges.spe_ed.options import SpeedHosting
from spielwerk.bridges.spe_ed.server import SpeedServer
from spielwerk.core import registry
from spielwerk.core.match import Record

FRESH = get_context("spawn")  # processes that share nothing with the server


def spin() -> None:
    """Other people's work."""
    while True:
        pass


def play(number: int, url: str, matches: int, options: argparse.Namespace, found: "Queue[dict[str, Any]]") -> None:
    agent = registry.agent(options.agent)
    client = SpeedJoining(agent, url, f"key{number}", seconds=options.seconds, margin=options.margin, seed=number)
    for _ in range(matches):
        found.put(client.run(lambda line: None))


def answers(folder: Path) -> tuple[int, int]:
    """How many answers the server took from the agent, and for how many it waited in vain."""
    taken = missed = 0
    for path in sorted(folder.glob("*/*.record.json")):
        moves = [event["0"] for event in Record.load(path).events if isinstance(event, dict) and "0" in event]
        missed += moves.count("no_answer")
        taken += len(moves) - moves.count("no_answer")
    return taken, missed


def stop_if_one_died(processes: Sequence[BaseProcess]) -> None:
    """Without one of the players the rest would wait forever."""
    codes = [process.exitcode for process in processes if process.exitcode]
    if codes:
        raise SystemExit(f"error: a player's process ended with code {codes[0]}; what it said is above")


async def measure(options: argparse.Namespace, folder: Path) -> None:
    """One server for every client, so that no two of them meet."""
    SpeedJoining(registry.agent(options.agent)).warm_up()
    found: Queue[dict[str, Any]] = FRESH.Queue()
    processes = [FRESH.Process(target=spin, daemon=True) for _ in range(options.busy)]
    began = time.monotonic()
    async with AsyncExitStack() as stack:
        for number in range(min(options.at_once, options.matches)):
            share = (options.matches - number - 1) // options.at_once + 1
            server = SpeedServer(hosting(options, number, folder / str(number)), print)
            await stack.enter_async_context(server)
            task = (number, f"{server.url}/spe_ed", share, options, found)
            processes.append(FRESH.Process(target=play, args=task, daemon=True))
        for process in processes:
            process.start()
        try:
            summaries: list[dict[str, Any]] = []
            while len(summaries) < options.matches:
                await asyncio.sleep(0.2)
                while not found.empty():
                    summaries.append(found.get())
                stop_if_one_died(processes)
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.join()
    tell(options, summaries, *answers(folder), time.monotonic() - began)


def hosting(options: argparse.Namespace, number: int, folder: Path) -> SpeedHosting:
    return SpeedHosting(
        port=0, variant=options.variant, players=options.players, wait=0, fill=options.fill, thinking=0.02,
        shortest=options.limit, longest=options.limit, grace=options.grace, seed=options.seed + number,
        records=str(folder),
    )  # fmt: skip


def tell(options: argparse.Namespace, summaries: list[dict[str, Any]], taken: int, missed: int, took: float) -> None:
    count = taken + missed
    print(
        f"{options.agent}: {options.matches} matches of {options.players} on '{options.variant}', seed {options.seed},"
    )
    print(f"limit {options.limit} s, grace {options.grace:g} s, {options.at_once} matches at once,")
    print(f"{options.busy} other busy processes on {os.cpu_count()} cores")
    print(f"in time: {taken} of {count} answers, {100 * taken / count:.2f} %")
    if not missed:
        print(f"(with 95 % confidence at most {300 / count:.2f} % would be late)")
    print(f"slowest answer: {max(s['slowest answer'] for s in summaries):.3f} s")
    largest = max(s["largest share"] for s in summaries)
    print(f"largest share of the time until the printed deadline: {100 * largest:.0f} %")
    print(f"answered by a safe move in place of the agent: {sum(s['hurried'] for s in summaries)}")
    print(f"won: {sum(s['result'] == 'won' for s in summaries)} of {options.matches}, {took:.0f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=50)
    parser.add_argument("--agent", default="territory")
    parser.add_argument("--variant", default="small")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--fill", default="safe", help="the opponents")
    parser.add_argument("--limit", type=int, default=2)
    parser.add_argument("--grace", type=float, default=0.0)
    parser.add_argument("--seconds", type=float, default=None, help="most time for one decision")
    parser.add_argument("--margin", type=float, default=0.5)
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--busy", type=int, default=os.cpu_count() or 1, help="processes that only use time")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(chosen, Path(folder)))
