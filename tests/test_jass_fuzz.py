"""Nonsense on the wire of the Jass challenge costs the one who sends it, nobody else."""

import asyncio
import json
import random

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

import spielwerk as sw
from jass_bots import DEEP, FRAMES, WRONG, Bot, hosting, mangled, run, start_when_ready, still_works
from spielwerk.bridges.jass_challenge.client import JassJoining
from spielwerk.bridges.jass_challenge.connection import Connection
from spielwerk.bridges.jass_challenge.messages import card_data

CARD = {"type": "CHOOSE_CARD", "data": {"number": 6, "color": "HEARTS"}}
MODE = {"type": "CHOOSE_TRUMPF", "data": {"mode": "TRUMPF", "trumpfColor": "HEARTS"}}
NAME = {"type": "CHOOSE_PLAYER_NAME", "data": "me"}
CHOICE = {
    "type": "CHOOSE_SESSION",
    "data": {"sessionChoice": "JOIN_EXISTING", "sessionName": "x", "sessionType": "SINGLE_GAME", "chosenTeamIndex": 0},
}
JOIN_BOT = {"type": "JOIN_BOT", "data": {"sessionName": "s", "chosenTeamIndex": 0}}


@pytest.fixture
def lines():
    """What a server reports; in the end every line must be short, and none may tell of an error of our own."""
    told = []
    yield told
    assert all(len(line) < 200 and line.isprintable() for line in told)
    assert not [line for line in told if "error" in line]


@pytest.fixture(autouse=True)
def nothing_logged(caplog, capfd):
    yield
    assert "Traceback" not in capfd.readouterr().err
    assert not [record for record in caplog.records if record.levelname in ("WARNING", "ERROR", "CRITICAL")]


class Rude(Bot):
    """Answers the next request of a kind with the next piece of nonsense."""

    def __init__(self, *args, answers, phase, **more):
        super().__init__(*args, **more)
        self.answers, self.phase = answers, phase

    async def trumpf(self, pushed):
        if self.phase == ("pushed" if pushed else "mode"):
            await self.socket.send(self.answers.pop())
        else:
            await self.say("CHOOSE_TRUMPF", {"mode": "SCHIEBE" if self.phase == "pushed" else "OBEABE"})

    async def card(self):
        await self.socket.send(self.answers.pop())


@pytest.mark.parametrize(("phase", "message"), [("mode", MODE), ("pushed", MODE), ("card", CARD)])
def test_nonsense_in_the_game_costs_that_game_only(phase, message, lines):
    answers = [*FRAMES, *mangled(message), json.dumps(NAME), json.dumps(CARD if message is MODE else MODE)]

    async def tournament():
        async with hosting(lines.append, rounds=len(answers), limit=0) as server:
            left = list(answers)
            bots = [Rude(server.url, "rude", "t", "TOURNAMENT", answers=left, phase=phase) for _ in range(2)]
            tasks = [asyncio.create_task(bot.play()) for bot in bots]
            await bots[0].heard("BROADCAST_TOURNAMENT_RANKING_TABLE")
            bots += [Bot(server.url, "good", "t", "TOURNAMENT") for _ in range(2)]
            tasks += [asyncio.create_task(bot.play()) for bot in bots[2:]]
            watcher, watching = await start_when_ready(server.url, "t", 4)
            await asyncio.gather(*tasks, watching)
            assert left == [] and await still_works(server)
            return watcher, bots

    watcher, bots = run(tournament())
    results = watcher.data("BROADCAST_TOURNAMENT_RANKING_TABLE")[-1]["pairingResults"]
    assert len(results) == len(answers)
    assert all(result["firstPlayerWon"] == (result["player1"] == "good") for result in results)
    assert sum(bot.count("BAD_MESSAGE") for bot in bots[:2]) == len(answers)
    assert not any(bot.count("BAD_MESSAGE") for bot in bots[2:])
    assert all(bot.close == (1000, "Game Finished") for bot in bots)


@pytest.mark.parametrize("kind", ["oversize", "not UTF-8"])
def test_broken_frame_in_the_game_ends_the_connection_and_loses(kind, lines):
    class Breaking(Bot):
        async def card(self):
            if kind == "oversize":
                await self.socket.send("x" * 200_000)
            else:
                await self.socket.send(b'{"type": "\xff\xfe"}', text=True)

    async def game():
        async with hosting(lines.append) as server:
            bots = [Breaking(server.url, "rude", "s", team=0)]
            bots += [Bot(server.url, f"b{i}", "s", team=team) for i, team in enumerate((0, 1, 1))]
            await asyncio.gather(*(bot.play() for bot in bots))
            assert await still_works(server)
            return bots

    bots = run(game())
    assert all(bot.data("BROADCAST_WINNER_TEAM")[0]["name"] == "Team 2" for bot in bots[1:])
    assert all(bot.close == (1000, "Game Finished") for bot in bots[1:])


@pytest.mark.parametrize("message", [NAME, CHOICE])
def test_nonsense_before_the_game_is_answered(message, lines):
    """With BAD_MESSAGE and the same question, or, where a value happens to be possible, by going on."""
    texts = [*FRAMES, *mangled(message)]

    async def talk():
        async with hosting(lines.append) as server:
            while texts:
                async with connect(server.url) as socket:
                    await socket.recv()
                    if message is CHOICE:
                        await socket.send(json.dumps(NAME))
                        await socket.recv()
                    try:
                        while texts:
                            await socket.send(texts[-1])
                            answer = json.loads(await socket.recv())["type"]
                            texts.pop()
                            if answer != "BAD_MESSAGE":
                                break
                            await socket.recv()
                    except ConnectionClosed:
                        pass  # after ten of them
            while server.sessions:
                await asyncio.sleep(0.002)
            return await still_works(server)

    assert run(talk())


@pytest.mark.parametrize("kind", ["SINGLE_GAME", "TOURNAMENT"])
@pytest.mark.parametrize("choice", ["JOIN_EXISTING", "SPECTATOR"])
def test_nonsense_that_nobody_asked_for_is_ignored(kind, choice, lines, monkeypatch):
    monkeypatch.setattr("spielwerk.bridges.jass_challenge.server.BOTS", 0)  # they would begin to play
    messages = [CARD, MODE, NAME, CHOICE, JOIN_BOT, {"type": "START_TOURNAMENT", "data": 1}]

    async def talk():
        async with hosting(lines.append) as server:
            quiet = Bot(server.url, "quiet", "s", kind)
            noisy = Bot(server.url, "noisy", "s", kind, sessionChoice=choice)
            joined = "BROADCAST_SESSION_JOINED" if kind == "SINGLE_GAME" else "BROADCAST_TOURNAMENT_RANKING_TABLE"
            tasks = [asyncio.create_task(quiet.play())]
            await quiet.heard(joined)
            tasks += [asyncio.create_task(noisy.play())]
            await noisy.heard("SESSION_JOINED" if (kind, choice) == ("SINGLE_GAME", "SPECTATOR") else joined)
            for text in [*FRAMES, *(text for message in messages for text in mangled(message))]:
                await noisy.socket.send(text)
            await noisy.say("REQUEST_REGISTRY_BOTS")
            await noisy.heard("SEND_REGISTRY_BOTS")
            assert quiet.close is None and not server.sessions[0].started
            await noisy.socket.close()
            await quiet.socket.close()
            await asyncio.gather(*tasks)
            while server.sessions:
                await asyncio.sleep(0.002)
            return await still_works(server)

    assert run(talk())


def test_nonsense_out_of_turn_changes_nothing(lines):
    heard = []

    class Noisy(Bot):
        async def react(self, kind, data):
            if kind == "DEAL_CARDS" and not heard:
                for text in [*FRAMES, *mangled(CARD)]:
                    await self.socket.send(text)
                await self.say("REQUEST_REGISTRY_BOTS")
            elif kind == "SEND_REGISTRY_BOTS":
                heard.append(kind)
            await super().react(kind, data)

    class Waiting(Bot):
        async def trumpf(self, pushed):
            while not heard:
                await asyncio.sleep(0.002)
            await super().trumpf(pushed)

    async def game():
        async with hosting(lines.append) as server:
            bots = [Waiting(server.url, "w", "s", team=0), Waiting(server.url, "w", "s", team=0)]
            bots += [Noisy(server.url, "n", "s", team=1), Bot(server.url, "b", "s", team=1)]
            return await asyncio.gather(*(bot.play() for bot in bots))

    bots = run(game())
    assert all(bot.count("BROADCAST_GAME_FINISHED") and bot.close == (1000, "Game Finished") for bot in bots)
    assert not any(bot.count("BAD_MESSAGE") for bot in bots)


def test_illegal_cards_without_end_lose_the_game(lines):
    class Stubborn(Bot):
        async def card(self):
            await self.say(
                "CHOOSE_CARD", next(card_data(card) for card in range(36) if card_data(card) not in self.hand)
            )

    async def game():
        async with hosting(lines.append) as server:
            bots = [Stubborn(server.url, "rude", "s", team=1)]
            bots += [Bot(server.url, f"b{i}", "s", team=team) for i, team in enumerate((0, 0, 1))]
            return await asyncio.gather(*(bot.play() for bot in bots))

    bots = run(game())
    assert bots[0].count("REJECT_CARD") == 100
    assert bots[1].data("BROADCAST_WINNER_TEAM")[0]["name"] == "Team 1"


def test_numbers_may_be_written_with_a_point(lines):
    """To the original 6.0 is 6, in cards and teams."""

    class Pointed(Bot):
        async def card(self):
            await self.say("CHOOSE_CARD", self.hand[0] | {"number": float(self.hand[0]["number"])})

    async def game():
        async with hosting(lines.append) as server:
            bots = [Pointed(server.url, f"p{i}", "s", team=float(i % 2)) for i in range(4)]
            return await asyncio.gather(*(bot.play() for bot in bots))

    bots = run(game())
    assert all(bot.count("BROADCAST_GAME_FINISHED") and not bot.count("BAD_MESSAGE") for bot in bots)
    assert [type(bot.data("BROADCAST_SESSION_JOINED")[0]["player"]["seatId"]) for bot in bots] == [int] * 4


# --- the client ------------------------------------------------------------------------------------------------------


READABLE = [wrong for wrong in WRONG if wrong not in ("1e999", "NaN", '"\\ud800"', DEEP)]


def distort(text, rng):
    """What a broken server might send in place of a message. Questions stay questions; their data may be broken."""
    message = json.loads(text)
    if message["type"].startswith("REQUEST"):
        if rng.random() < 0.2 and "data" in message:
            return [json.dumps({"type": message["type"], "data": "@"}).replace('"@"', rng.choice(READABLE))]
        return [text]
    luck = rng.random()
    if luck < 0.06:
        return []
    if luck < 0.12:
        return [rng.choice([frame for frame in FRAMES if isinstance(frame, str)]), text]
    if luck < 0.22:
        return [rng.choice(list(mangled(message)))]
    if luck < 0.28 and message["type"] == "PLAYED_CARDS":
        message["data"][-1] = card_data(rng.randrange(36))
        return [json.dumps(message)]
    return [text, text] if luck < 0.32 else [text]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("agent", ["rules", "dmcts:worlds=8"])
def test_client_plays_on_whatever_it_hears(agent, seed, monkeypatch):
    rng = random.Random(seed)
    post = Connection.post

    def distorted(self, text):
        for piece in distort(text, rng) if self.name == "victim" else [text]:
            post(self, piece)

    monkeypatch.setattr(Connection, "post", distorted)
    lines, told = [], []

    async def game():
        async with hosting(lines.append) as server:
            clients = [
                JassJoining(
                    sw.agent(spec), url=server.url, player=name, session="a", team=i % 2, seconds=0.01, hurry=60.0
                )
                for i, (spec, name) in enumerate(((agent, "victim"), *[("rules", "other")] * 3))
            ]
            return await asyncio.gather(*(client.play(told.append) for client in clients))

    found = run(game(), agent)
    assert [result["games"] for result in found[1:]] == [1, 1, 1]
    assert "(points)" in lines[-1], lines
    assert any("skipped" in line for line in told) and not any("failed" in line for line in told), told
    assert all(len(line) < 300 and line.isprintable() for line in told)
    assert found[0]["decisions"] >= 18


def test_deep_nesting_is_no_message():
    from spielwerk.bridges.jass_challenge.messages import BadMessage, decode

    with pytest.raises(BadMessage):
        decode(DEEP)
