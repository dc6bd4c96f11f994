"""Sessions of the Jass server: lobbies, spectators, bots of the server, limits. What a connection made ends with it."""

import asyncio
import json

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from jass_bots import Bot, hosting, run, start_when_ready, still_works
from spielwerk.bridges.jass_challenge import server


async def until(true):
    while not true():
        await asyncio.sleep(0.002)


def seated(bot):
    return bot.count("BROADCAST_SESSION_JOINED") + bot.count("SESSION_JOINED")


async def came(bots, ready=seated):
    """Connect one after the other; each is in its session before the next one comes."""
    tasks = []
    for bot in bots:
        tasks.append(asyncio.create_task(bot.play()))
        await until(lambda bot=bot: ready(bot))
    return tasks


class Patient(Bot):
    """Plays its first card only when it may."""

    def __init__(self, *args, **more):
        super().__init__(*args, **more)
        self.may = asyncio.Event()

    async def card(self):
        await self.may.wait()
        await super().card()


# --- lobbies ---------------------------------------------------------------------------------------------------------


def test_leaving_the_lobby_of_a_tournament_frees_a_place():
    def clients(watcher):
        tables = watcher.data("BROADCAST_TOURNAMENT_RANKING_TABLE")
        return {row["playerName"]: row["connectedClients"] for row in tables[-1]["ranking"]} if tables else {}

    async def tournament():
        async with hosting() as host:
            watcher = Bot(host.url, "w", "t", "TOURNAMENT", sessionChoice="SPECTATOR")
            watching = asyncio.create_task(watcher.play())
            bots = [Bot(host.url, name, "t", "TOURNAMENT") for name in ("a", "a", "b", "b", "c")]
            tasks = [asyncio.create_task(bot.play()) for bot in bots]
            await until(lambda: clients(watcher) == {"a": 2, "b": 2, "c": 1})
            await bots[0].socket.close()
            await until(lambda: clients(watcher) == {"a": 1, "b": 2, "c": 1})
            await bots[4].socket.close()
            await until(lambda: clients(watcher) == {"a": 1, "b": 2})
            again = Bot(host.url, "a", "t", "TOURNAMENT")
            tasks.append(asyncio.create_task(again.play()))
            await until(lambda: clients(watcher) == {"a": 2, "b": 2})
            await watcher.say("START_TOURNAMENT")
            await asyncio.gather(*tasks, watching)
            return watcher, [*bots[1:4], again]

    watcher, bots = run(tournament())
    assert len(watcher.data("BROADCAST_TOURNAMENT_RANKING_TABLE")[-1]["pairingResults"]) == 1
    assert watcher.count("ERROR") == 0
    assert all(bot.close == (1000, "Game Finished") and bot.count("ERROR") == 0 for bot in bots)


def test_long_name_of_one_who_leaves_does_not_keep_the_others():
    async def game():
        async with hosting() as host:
            bots = [Bot(host.url, "ü" * 200, "s"), Bot(host.url, "two", "s")]
            tasks = await came(bots)
            await bots[0].socket.close()
            await asyncio.gather(*tasks)
            return bots[1]

    assert run(game()).close[0] == 1000


def test_who_answers_and_leaves_at_once_takes_no_seat():
    async def game():
        async with hosting() as host:
            for _ in range(20):
                async with connect(host.url) as socket:
                    await socket.recv()
                    await socket.send(json.dumps({"type": "CHOOSE_PLAYER_NAME", "data": "ghost"}))
                    await socket.recv()
                    wish = {"sessionChoice": "JOIN_EXISTING", "sessionName": "another", "sessionType": "SINGLE_GAME"}
                    await socket.send(json.dumps({"type": "CHOOSE_SESSION", "data": wish}))
            await until(lambda: not host.sessions)
            return await still_works(host)

    assert run(game())


# --- spectators ------------------------------------------------------------------------------------------------------


def test_spectator_of_a_running_game_sees_the_rest_of_it():
    async def game():
        async with hosting() as host:
            bots = [Patient(host.url, f"b{i}", "s") for i in range(4)]
            tasks = await came(bots)
            bots[0].may.set()
            await bots[0].heard("PLAYED_CARDS")
            watcher = Bot(host.url, "w", "s", sessionChoice="SPECTATOR")
            watching = asyncio.create_task(watcher.play())
            await watcher.heard("PLAYED_CARDS")
            first = [message["type"] for message in watcher.log]
            assert [session.name for session in host.sessions] == ["s"]
            for bot in bots:
                bot.may.set()
            await asyncio.gather(*tasks, watching)
            assert host.sessions == []
            return first, watcher, bots

    first, watcher, bots = run(game())
    asked = ["REQUEST_PLAYER_NAME", "REQUEST_SESSION_CHOICE"]
    assert first == [*asked, "SESSION_JOINED", "BROADCAST_TEAMS", "BROADCAST_TRUMPF", "PLAYED_CARDS"]
    assert watcher.data("REQUEST_SESSION_CHOICE") == [[]]  # a game that runs is not offered to players
    assert watcher.data("PLAYED_CARDS") == bots[0].data("PLAYED_CARDS")
    assert watcher.count("BROADCAST_WINNER_TEAM") == 1 and watcher.close == (1000, "Game Finished")


def test_sessions_without_people_vanish():
    async def phantoms():
        async with hosting(sessions=5) as host:
            watchers = [Bot(host.url, "w", f"phantom {i}", sessionChoice="SPECTATOR") for i in range(8)]
            tasks = [asyncio.create_task(watcher.play()) for watcher in watchers]
            await until(lambda: sum(watcher.count("ERROR") > 0 for watcher in watchers) == 3)
            assert len(host.sessions) == 5
            for watcher in watchers:
                await watcher.socket.close()
            await asyncio.gather(*tasks)
            await until(lambda: not host.sessions)
            alone = Bot(host.url, "b", None, sessionChoice="AUTOJOIN", sessionName=None)
            playing = asyncio.create_task(alone.play())
            await alone.heard("BROADCAST_SESSION_JOINED")
            names = [session.name for session in host.sessions]
            await alone.socket.close()
            await playing
            return names, alone

    names, alone = run(phantoms())
    assert len(names) == 1 and not names[0].startswith("phantom")
    assert alone.data("REQUEST_SESSION_CHOICE") == [[]]


# --- bots of the server ----------------------------------------------------------------------------------------------


def test_bots_without_end_fill_one_table():
    async def game():
        async with hosting(bot="random") as host:
            guest = Bot(host.url, "guest", "s")
            playing = (await came([guest]))[0]
            for _ in range(1000):
                await guest.say("JOIN_BOT", {"sessionName": "s"})
            await playing
            await until(lambda: not host.sessions)
            await until(lambda: not host.tasks)
            return guest, host.games

    guest, games = run(game())
    assert guest.count("BROADCAST_SESSION_JOINED") == 4 and games == 1
    assert guest.close == (1000, "Game Finished")


def test_bots_of_a_spectator_leave_with_it_and_free_their_seats():
    async def game():
        async with hosting(bot="random") as host:
            guest = Bot(host.url, "guest", "s")
            maker = Bot(host.url, "maker", "s", sessionChoice="SPECTATOR")
            tasks = await came([guest, maker])
            for _ in range(2):
                await maker.say("JOIN_BOT", {"sessionName": "s", "chosenTeamIndex": 1})
            await guest.heard("BROADCAST_SESSION_JOINED", 3)
            await maker.socket.close()
            await until(lambda: len(host.sessions[0].everybody()) == 1)
            others = [Bot(host.url, f"b{i}", "s") for i in range(3)]
            await asyncio.gather(*tasks, *(other.play() for other in others))
            return guest, others

    guest, others = run(game())
    assert guest.count("ERROR") == 0 and guest.close == (1000, "Game Finished")
    seats = sorted(bot.data("BROADCAST_SESSION_JOINED")[0]["player"]["seatId"] for bot in others)
    assert seats == [1, 2, 3]


def test_game_of_bots_alone_ends_with_its_last_spectator():
    async def game():
        async with hosting(bot="random", variant="server,target=10000") as host:
            maker = Bot(host.url, "maker", "s", sessionChoice="SPECTATOR")
            playing = asyncio.create_task(maker.play())
            await until(lambda: host.sessions)
            for _ in range(4):
                await maker.say("JOIN_BOT", {"sessionName": "s"})
            await maker.heard("BROADCAST_STICH")
            await maker.socket.close()
            await playing
            await until(lambda: not host.sessions and not host.tasks)
            return maker

    assert run(game()).count("BROADCAST_WINNER_TEAM") == 0


def test_bots_of_an_address_are_limited(monkeypatch):
    monkeypatch.setattr(server, "BOTS", 3)

    async def game():
        async with hosting(bot="random") as host:
            makers = [Bot(host.url, "m", name) for name in ("s", "t")]
            tasks = await came(makers)
            for maker in makers:
                for _ in range(2):
                    await maker.say("JOIN_BOT", {"sessionName": maker.session})
            await makers[1].heard("ERROR")
            for maker in makers:
                await maker.socket.close()
            await asyncio.gather(*tasks)
            await until(lambda: not host.tasks)
            return makers

    makers = run(game())
    assert [maker.count("ERROR") for maker in makers] == [0, 1]
    assert "3 bots" in makers[1].data("ERROR")[0]


def test_bot_comes_to_the_session_of_the_one_who_asks():
    async def game():
        async with hosting(bot="random") as host:
            guests = [Bot(host.url, f"g{i}", "same", sessionChoice="CREATE_NEW") for i in range(2)]
            tasks = await came(guests)
            await guests[1].say("JOIN_BOT", {"sessionName": "other"})
            await guests[1].heard("BAD_MESSAGE")
            await guests[1].say("JOIN_BOT", {"sessionName": "same"})
            await guests[1].heard("BROADCAST_SESSION_JOINED", 2)
            for guest in guests:
                await guest.socket.close()
            await asyncio.gather(*tasks)
            return guests

    guests = run(game())
    assert guests[0].count("BROADCAST_SESSION_JOINED") == 1


# --- limits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{"connections": 3}, {"per_address": 3}])
def test_connections_are_limited_and_places_are_free_again(options):
    async def talk():
        async with hosting(**options) as host:
            sockets = [await connect(host.url) for _ in range(3)]
            for socket in sockets:
                await socket.recv()
            with pytest.raises(InvalidStatus) as refused:
                await connect(host.url)
            for socket in sockets:
                await socket.close()
            while True:
                try:
                    socket = await connect(host.url)
                    break
                except InvalidStatus:
                    await asyncio.sleep(0.002)
            question = json.loads(await socket.recv())["type"]
            await socket.close()
            return refused.value.response, question

    response, question = run(talk())
    assert response.status_code == 503 and b"3 connections" in response.body
    assert question == "REQUEST_PLAYER_NAME"


def test_spectators_and_entries_are_limited(monkeypatch):
    monkeypatch.setattr("spielwerk.bridges.jass_challenge.sessions.SPECTATORS", 1)
    monkeypatch.setattr("spielwerk.bridges.jass_challenge.tournament.ENTRIES", 2)

    async def tournament():
        async with hosting() as host:
            bots = [Bot(host.url, name, "t", "TOURNAMENT") for name in ("a", "a", "b", "b")]
            tasks = [asyncio.create_task(bot.play()) for bot in bots]
            starter, watching = await start_when_ready(host.url, "t", 4)
            await asyncio.gather(*tasks, watching)
            lobby = [Bot(host.url, name, "u", "TOURNAMENT") for name in ("a", "b")]
            lobby.append(Bot(host.url, "w", "u", "TOURNAMENT", sessionChoice="SPECTATOR"))
            tasks = await came(lobby, lambda bot: bot.count("BROADCAST_TOURNAMENT_RANKING_TABLE"))
            refused = [Bot(host.url, "c", "u", "TOURNAMENT")]
            refused.append(Bot(host.url, "v", "u", "TOURNAMENT", sessionChoice="SPECTATOR"))
            await asyncio.gather(*(bot.play() for bot in refused))
            for bot in lobby:
                await bot.socket.close()
            await asyncio.gather(*tasks)
            return starter, refused

    starter, refused = run(tournament())
    assert starter.close == (1000, "Game Finished")
    assert "2 bots" in refused[0].data("ERROR")[0] and "1 spectators" in refused[1].data("ERROR")[0]
    assert [bot.close for bot in refused] == [(1000, "Too many bad messages")] * 2


def test_what_is_no_websocket_leaves_one_line_at_most(caplog, capfd):
    lines = []

    async def talk():
        async with hosting(lines.append) as host:
            reader, writer = await asyncio.open_connection("127.0.0.1", host.port)
            writer.write(b"\x00\x01 nonsense\r\n\r\n")
            await reader.read()
            writer.close()
            with pytest.raises(ConnectionClosed):
                async with connect(host.url) as socket:
                    await socket.recv()
                    await socket.send(b"\xff", text=True)
                    await socket.recv()

    run(talk())
    assert len(lines) <= 1 and len("".join(lines)) < 100 and "Traceback" not in capfd.readouterr().err
    assert not [record for record in caplog.records if record.levelname in ("WARNING", "ERROR", "CRITICAL")]
