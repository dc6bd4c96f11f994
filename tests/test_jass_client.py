"""The client of the Jass challenge: it plays on whatever the others do, and everything is compiled when it is ready."""

import asyncio
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from websockets.asyncio.server import serve

import spielwerk as sw
from jass_bots import Bot, hosting, run
from spielwerk.bridges.jass_challenge import table
from spielwerk.bridges.jass_challenge.client import JassJoining
from spielwerk.bridges.jass_challenge.messages import card_data, mode_data
from spielwerk.bridges.jass_challenge.seat import Seat
from spielwerk.core.agent import Agent, Decision
from spielwerk.games.jass.kernel.table import FIRST_MODE, NO_TRUMP, POWERS, VALUES
from spielwerk.games.jass.players.javabot import JavaBot

OBEABE = FIRST_MODE + 4


# --- a deal without trump --------------------------------------------------------------------------------------------


def test_without_trump_every_suit_counts_like_a_side_suit():
    values = VALUES[36 * NO_TRUMP :]
    assert [int(value) for value in values[:9]] == [0, 0, 0, 0, 10, 2, 3, 4, 11]
    assert [int(values[9 * suit : 9 * suit + 9].sum()) for suit in range(4)] == [30] * 4
    powers = POWERS[36 * 4 * NO_TRUMP :].reshape(4, 4, 9)
    for led in range(4):
        assert (np.diff(powers[led, led]) > 0).all()  # the ace is high
        assert all(not powers[led, other].any() for other in range(4) if other != led)


@pytest.fixture
def trump_without_colour(monkeypatch):
    """The server does what the original does when somebody calls TRUMPF without a colour; OBEABE stands for it here."""
    apply = table.Table._apply

    def applied(self, seat, action):
        apply(self, seat, action)
        if action == OBEABE:
            self.position.state["mode"] = NO_TRUMP

    monkeypatch.setattr(table.Table, "_apply", applied)
    monkeypatch.setattr(
        table, "mode_data", lambda action: {"mode": "TRUMPF"} if action == OBEABE else mode_data(action)
    )


class Caller(Bot):
    """Chooses OBEABE whenever it may, wherever it sits."""

    async def trumpf(self, pushed):
        await self.say("CHOOSE_TRUMPF", {"mode": "OBEABE"})


@pytest.mark.parametrize("agent", ["rules", "random", "dmcts", "ismcts:iterations=20"])
def test_agents_play_a_deal_without_trump(agent, trump_without_colour):
    told = []

    async def game():
        async with hosting() as server:
            clients = [
                JassJoining(sw.agent(agent), url=server.url, player=f"p{i}", session="s", seconds=0.005, hurry=60.0)
                for i in range(2)
            ]
            bots = [Caller(server.url, f"b{i}", "s") for i in range(2)]
            playing = [asyncio.create_task(bot.play()) for bot in bots]
            found = await asyncio.gather(*(client.play(told.append) for client in clients))
            await asyncio.gather(*playing)
            return found, bots[0]

    found, bot = run(game(), agent)
    assert bot.close == (1000, "Game Finished")
    assert {"mode": "TRUMPF"} in bot.data("BROADCAST_TRUMPF")
    finished = zip(final_modes(bot), bot.data("BROADCAST_GAME_FINISHED"), strict=True)
    sums = {sum(s["currentRoundPoints"] for s in scores) for mode, scores in finished if mode == {"mode": "TRUMPF"}}
    assert sums and sums <= {125, 225}
    assert [result["refused"] for result in found] == [0, 0]
    assert not [line for line in told if "skipped" in line or "not clear" in line or "failed" in line]


def final_modes(bot):
    return [data for data in bot.data("BROADCAST_TRUMPF") if data["mode"] != "SCHIEBE"]


def test_javabot_takes_a_deal_without_trump_for_obeabe():
    pytest.importorskip("pyschieber")
    game = sw.game("jass", variant="server-deal")
    position = game.new(3).play(OBEABE)
    position.state["mode"] = NO_TRUMP
    view = position.view(0)
    assert JavaBot().decide(view, sw.Budget(), np.array([1], np.uint64)).action in view.legal


# --- what does not fit -----------------------------------------------------------------------------------------------


def heard(seat, *messages):
    """What a seat answers to the last message."""

    class Socket:
        def __init__(self):
            self.sent = []

        async def send(self, text):
            self.sent.append(json.loads(text))

        async def __aiter__(self):
            for message in messages:
                yield json.dumps(message)

    socket = Socket()
    asyncio.run(seat.talk(socket))
    return socket.sent[-1] if socket.sent else None


def message(kind, data=None):
    return {"type": kind, "data": data}


HAND = [0, 4, 8, 9, 13, 20, 27, 30, 35]  # h6 h10 hA d6 d10 c8 s6 s9 sA
JOINED = message("BROADCAST_SESSION_JOINED", {"player": {"id": "x", "seatId": 1, "name": "p"}, "playersInSession": []})
DEAL = message("DEAL_CARDS", [card_data(card) for card in HAND])


def cards(kind, *played):
    return message(kind, [card_data(card) for card in played])


def new_seat(told=None):
    told = [] if told is None else told
    return Seat(JassJoining(sw.agent("rules"), hurry=60.0), 0, told.append)


def test_missed_broadcast_is_made_up_for_from_the_next_one():
    told = []
    seat = new_seat(told)
    mode = message("BROADCAST_TRUMPF", {"mode": "OBEABE"})
    answer = heard(seat, JOINED, message("BROADCAST_TEAMS"), DEAL, mode, cards("REQUEST_CARD", 5))
    assert answer["type"] == "CHOOSE_CARD" and answer["data"]["color"] == "HEARTS"
    stich = {
        "name": "p",
        "id": "x",
        "seatId": 1,
        "playedCards": [card_data(card) for card in (5, 8, 1, 2)],
        "teams": [],
    }
    answer = heard(seat, message("BROADCAST_STICH", stich), cards("REQUEST_CARD"))
    assert seat.clear and int(seat.position.state["tricks"][0]) == 1 and told == []
    assert answer["data"] in [card_data(card) for card in HAND if card != 8]


def test_unclear_deal_is_played_by_the_table_and_the_next_one_is_clear_again():
    told = []
    seat = new_seat(told)
    before = (JOINED, message("BROADCAST_TEAMS"), DEAL, message("BROADCAST_TRUMPF", "?"))
    assert heard(seat, *before, cards("REQUEST_CARD", 10))["data"] == card_data(9)
    assert heard(seat, message("REJECT_CARD", card_data(9)), cards("REQUEST_CARD", 10))["data"] == card_data(13)
    assert heard(seat, message("REJECT_CARD", card_data(13)), cards("REQUEST_CARD", 10))["data"] == card_data(0)
    assert len(told) == 2 and "not clear" in told[1]  # the mode could not be read, the deal is not clear
    assert heard(seat, DEAL, message("REQUEST_TRUMPF", False))["type"] == "CHOOSE_TRUMPF"
    assert seat.clear and len(told) == 2


def test_own_seat_is_never_guessed():
    seat = new_seat()
    assert heard(seat, message("BROADCAST_SESSION_JOINED", None), JOINED, DEAL, cards("REQUEST_CARD", 10)) is not None
    assert seat.seat == -1 and not seat.clear
    assert heard(seat, message("REQUEST_TRUMPF", True))["data"]["mode"] == "TRUMPF"


def test_unknown_hand_is_found_by_trying():
    seat = new_seat()
    tried = {heard(seat, cards("REQUEST_CARD"))["data"]["number"]}
    for card in range(9):
        answer = heard(seat, message("REJECT_CARD", card_data(card)), cards("REQUEST_CARD"))
        tried.add(answer["data"]["number"])
    assert tried == set(range(6, 15))


def test_agent_that_fails_is_answered_for():
    @dataclass(frozen=True)
    class Broken(Agent):
        name = "broken"

        def decide(self, view, budget, rng):
            if budget.seconds is None:
                raise RuntimeError("out of order\n" * 50)
            return Decision(view.legal[0])

    told = []

    async def game():
        async with hosting(variant="server-deal") as server:
            agents = (Broken(), *[sw.agent("random")] * 3)
            clients = [JassJoining(agent, url=server.url, player="p", session="a", hurry=60.0) for agent in agents]
            return await asyncio.gather(*(client.play(told.append) for client in clients))

    found = run(game())
    assert [result["games"] for result in found] == [1] * 4 and found[0]["refused"] == 0
    assert any("broken failed" in line for line in told) and all(len(line) < 200 for line in told)


def test_long_table_of_a_tournament_does_not_end_the_client():
    row = {"player1": "a" * 100, "player2": "b" * 100, "firstPlayerWon": True, "id": 1}
    long = message("BROADCAST_TOURNAMENT_RANKING_TABLE", {"ranking": [], "pairingResults": [row] * 3000})
    answers = []

    async def game():
        async def server(socket):
            await socket.send(json.dumps(long))
            await socket.send(json.dumps(message("REQUEST_PLAYER_NAME")))
            answers.append(json.loads(await socket.recv()))

        async with serve(server, "127.0.0.1", 0) as listening:
            port = next(iter(listening.sockets)).getsockname()[1]
            await JassJoining(sw.agent("rules"), url=f"ws://127.0.0.1:{port}", player="me").play()

    run(game())
    assert len(json.dumps(long)) > 500_000
    assert answers == [{"type": "CHOOSE_PLAYER_NAME", "data": "me"}]


# --- compiling -------------------------------------------------------------------------------------------------------

# What exists as machine code, whether it was compiled or came from the cache on disk: with an empty cache all of it is
# compiled. In a process of its own, because that of the tests knows too much already.
MADE = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from spielwerk.core import linker

def made():
    functions = linker._linked.values()
    return {f"{function.__name__}{len(function.signatures)}" for function in functions if function.signatures}
"""
CLIENT = """
import spielwerk as sw
from spielwerk.bridges.jass_challenge.client import JassJoining

ready = []
def report(line):
    if line.startswith("ready"):
        ready.append(made())

found = JassJoining(sw.agent(sys.argv[2]), url=sys.argv[3], player="new", session="s").run(report)
print(len(ready[0]), found["games"], *(made() - ready[0]))
"""
SERVER = """
from jass_bots import Bot, hosting

async def game():
    async with hosting(variant="server-deal") as server:
        ready = made()
        bots = [Bot(server.url, "b", "s") for _ in range(2)]
        tasks = [asyncio.create_task(bot.play()) for bot in bots]
        await bots[0].heard("BROADCAST_SESSION_JOINED", 2)
        for _ in range(2):
            await bots[0].say("JOIN_BOT", {"sessionName": "s"})
        await asyncio.gather(*tasks)
        print(len(ready), bots[0].count("BROADCAST_GAME_FINISHED"), *(made() - ready))

asyncio.run(game())
"""


async def said(script, *words):
    here = str(Path(__file__).parent)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", MADE + script, here, *words, stdout=subprocess.PIPE
    )
    out, _ = await process.communicate()
    return out.decode().split()


@pytest.mark.parametrize("agent", ["rules", "dmcts", "ismcts:iterations=20"])
def test_nothing_is_compiled_after_the_client_says_that_it_is_ready(agent):
    async def game():
        async with hosting() as server:
            bots = [Bot(server.url, f"b{i}", "s") for i in range(3)]
            playing = [asyncio.create_task(bot.play()) for bot in bots]
            out = await said(CLIENT, agent, server.url)
            await asyncio.gather(*playing)
            return out

    before, games, *after = run(game(), agent)
    assert int(before) > 5 and games == "1"
    assert after == []


def test_nothing_is_compiled_after_the_server_listens():
    before, finished, *after = run(said(SERVER))
    assert int(before) > 5 and finished == "1"
    assert after == []
