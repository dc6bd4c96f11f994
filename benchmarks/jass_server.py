"""How many cards per second the Jass server plays over four sockets, and whether an agent answers in time.

    python benchmarks/jass_server.py [speed]
    python benchmarks/jass_server.py limit [GAMES] [AGENT] [SECONDS]

`speed`: four clients in processes of their own that answer at once with the first card accepted. `limit`: a tournament
of the agent, thinking SECONDS for every answer, against `rules` with the limit of 500 ms.
"""

import asyncio
import json
import sys
import time
from multiprocessing import Process

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from spielwerk.bridges.jass_challenge.client import JassJoining
from spielwerk.bridges.jass_challenge.server import ChallengeServer, JassHosting
from spielwerk.core import registry


async def quick_client(url: str, session: str) -> None:
    """Answers with the fewest possible instructions."""
    hand: list[dict[str, object]] = []
    answers = {
        "REQUEST_PLAYER_NAME": {"type": "CHOOSE_PLAYER_NAME", "data": "quick"},
        "REQUEST_SESSION_CHOICE": {
            "type": "CHOOSE_SESSION",
            "data": {"sessionChoice": "JOIN_EXISTING", "sessionName": session, "sessionType": "SINGLE_GAME"},
        },
        "REQUEST_TRUMPF": {"type": "CHOOSE_TRUMPF", "data": {"mode": "OBEABE"}},
    }
    async with connect(url, compression=None) as socket:
        try:
            while True:
                message = json.loads(await socket.recv())
                kind = message["type"]
                if kind == "REQUEST_CARD":
                    table = message["data"]
                    follow = [card for card in hand if table and card["color"] == table[0]["color"]]
                    card = (follow or hand)[0]
                    hand.remove(card)
                    await socket.send(json.dumps({"type": "CHOOSE_CARD", "data": card}))
                elif kind == "DEAL_CARDS":
                    hand = message["data"]
                elif kind in answers:
                    await socket.send(json.dumps(answers[kind]))
        except ConnectionClosed:
            return


def client_process(url: str) -> None:
    asyncio.run(quick_client(url, "speed"))


async def speed() -> None:
    async with ChallengeServer(JassHosting(port=0, seed=1, variant="server,target=5000")) as server:
        clients = [Process(target=client_process, args=(server.url,)) for _ in range(4)]
        for client in clients:
            client.start()
        while server.games == 0:
            await asyncio.sleep(0.001)
        began, used = time.perf_counter(), time.process_time()
        while server.cards == 0:
            await asyncio.sleep(0.01)
        seconds, used = time.perf_counter() - began, time.process_time() - used
        print(f"{server.cards / seconds:.0f} cards per second on the clock, {server.cards / used:.0f} of server time")
        for client in clients:
            client.join()


async def limit(games: int = 10, agent: str = "dmcts", seconds: float = 0.1) -> None:
    lines: list[str] = []
    async with ChallengeServer(JassHosting(port=0, seed=2, rounds=games, limit=0.5), lines.append) as server:
        agents = [registry.agent(agent), registry.agent("rules")]
        bots = [
            JassJoining(bot, url=server.url, player=bot.name, session="t", type="tournament", seconds=seconds)
            for bot in agents
        ]
        playing = [asyncio.create_task(bot.play()) for bot in bots]
        async with connect(server.url) as spectator:
            started = False
            try:
                while True:
                    message = json.loads(await spectator.recv())
                    if message["type"] == "REQUEST_PLAYER_NAME":
                        await spectator.send(json.dumps({"type": "CHOOSE_PLAYER_NAME", "data": "starter"}))
                    elif message["type"] == "REQUEST_SESSION_CHOICE":
                        wish = {"sessionChoice": "SPECTATOR", "sessionName": "t", "sessionType": "TOURNAMENT"}
                        await spectator.send(json.dumps({"type": "CHOOSE_SESSION", "data": wish}))
                    elif message["type"] == "BROADCAST_TOURNAMENT_RANKING_TABLE" and not started:
                        started = sum(row["connectedClients"] for row in message["data"]["ranking"]) == 4
                        if started:
                            await spectator.send(json.dumps({"type": "START_TOURNAMENT"}))
            except ConnectionClosed:
                pass  # the end of the tournament
        for found in await asyncio.gather(*playing):
            print(found)
    print("\n".join(lines))


if __name__ == "__main__":
    if sys.argv[1:] in ([], ["speed"]):
        asyncio.run(speed())
    else:
        kinds = (int, str, float)
        asyncio.run(limit(*(kind(text) for kind, text in zip(kinds, sys.argv[2:], strict=False))))
