"""The spe_ed server as clients see it: who may play, states, actions, deadlines, over real sockets on 127.0.0.1."""

import asyncio
import json
import re
import socket
from datetime import datetime

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from jass_bots import FRAMES
from speed_clients import HandClock, fetch, hosting, plain, run, still_works, table, until
from spielwerk.bridges import bridge
from spielwerk.bridges.spe_ed.match import QUEUE
from spielwerk.bridges.spe_ed.messages import LARGEST
from spielwerk.bridges.spe_ed.names import WORDS, pseudonyms
from spielwerk.bridges.spe_ed.options import SpeedHosting

UPGRADE = "Upgrade: websocket\r\nConnection: Upgrade\r\n"


def test_the_bridge_is_registered():
    assert bridge("speed").host is SpeedHosting


# --- who may play ----------------------------------------------------------------------------------------------------


async def refused(server, query):
    with pytest.raises(InvalidStatus) as caught:
        async with connect(f"{server.url}/spe_ed{query}"):
            pass
    return caught.value.response.status_code


def test_a_key_that_is_missing_or_unknown_is_forbidden():
    async def game():
        async with hosting(keys="alpha, beta") as server:
            queries = ("", "?key=", "?key=gamma", "?ke=alpha", "?key=" + "x" * 300, "?key=alpha,%20beta")
            assert [await refused(server, query) for query in queries] == [403] * 6
            async with plain(server, "alpha"):
                await until(lambda: server.lobby is not None)
                assert len(server.lobby.players) == 1

    run(game())


def test_keys_from_a_file(tmp_path):
    (tmp_path / "keys").write_text("alpha\n\n  beta \n")

    async def game():
        async with hosting(key_file=str(tmp_path / "keys")) as server:
            assert await refused(server, "?key=gamma") == 403
            async with plain(server, "alpha") as one, plain(server, "beta") as other:
                assert [(await one.state())["you"], (await other.state())["you"]] == [1, 2]

    run(game())


def test_without_an_upgrade_the_request_is_bad():
    async def game():
        async with hosting(keys="alpha") as server:
            assert (await fetch(server, "/spe_ed?key=alpha"))[0] == 400
            assert (await fetch(server, "/spe_ed"))[0] == 403
            assert (await fetch(server, "/spe_ed?key=alpha", UPGRADE))[0] == 400  # no WebSocket key
            assert (await fetch(server, "/other", UPGRADE))[0] == 404
            assert server.holders == {}

    run(game())


def test_a_key_plays_once_at_a_time_and_is_free_when_the_game_is_over():
    async def game():
        async with hosting() as server, plain(server, "k1") as one:
            assert await refused(server, "?key=k1") == 429  # in the lobby
            async with plain(server, "k2") as other:
                await one.state()
                assert await refused(server, "?key=k1") == 429  # in the game
                await other.state()
                await one.say("nonsense")
                await other.say("turn_left")
                assert not (await one.state())["running"]
                async with plain(server, "k1"):
                    await until(lambda: server.lobby is not None)  # the old connection may still be there

    run(game())


def test_of_two_that_come_at_once_with_one_key_one_plays():
    async def attempt(server):
        try:
            async with plain(server, "same"):
                await until(lambda: len(answers) == 3)
        except InvalidStatus as refusal:
            answers.append(refusal.response.status_code)

    answers = []

    async def game():
        async with hosting() as server:
            await asyncio.gather(*(attempt(server) for _ in range(4)))
            assert answers == [429] * 3

    run(game())


@pytest.mark.parametrize("farewell", ["close", "abort"])
def test_who_leaves_the_lobby_gives_back_seat_and_key(farewell):
    async def game():
        async with hosting() as server:
            async with plain(server, "k1") as one:
                await until(lambda: server.lobby is not None)
                await leave(one, farewell)
                await until(lambda: "k1" not in server.holders and server.lobby is None)
            async with plain(server, "k1") as again, plain(server, "k2") as other:
                assert [(await again.state())["you"], (await other.state())["you"]] == [1, 2]

    run(game())


async def leave(client, how):
    if how == "close":
        await client.socket.close()
    else:
        client.socket.transport.abort()


@pytest.mark.parametrize("farewell", ["close", "abort"])
def test_who_leaves_a_game_is_out_at_once_and_its_key_is_free(farewell):
    async def game():
        async with hosting(players=3) as server, table(server, 3) as (one, two, three):
            before = three.me
            await leave(three, farewell)
            await until(lambda: "k3" not in server.holders)
            await one.say("change_nothing")
            await two.say("change_nothing")
            gone = (await one.state())["players"]["3"]
            assert gone == before | {"active": False}
            assert one.last["running"]
            async with plain(server, "k3"):
                await until(lambda: server.lobby is not None)

    run(game())


# --- the lobby -------------------------------------------------------------------------------------------------------


def test_nothing_is_sent_before_the_game_and_missing_seats_are_filled():
    clock = HandClock()

    async def game():
        options = {"players": 4, "wait": 300, "fill": "random,safe"}
        async with hosting(clock=clock, **options) as server, plain(server, "k1") as one, plain(server, "k2") as two:
            await until(lambda: server.lobby is not None and len(server.lobby.players) == 2)
            await until(lambda: len(clock.sleepers) == 1)
            clock.advance(299.9)
            await fetch(server, "/spe_ed_time")  # whatever was on its way has arrived
            assert server.lobby is not None
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(one.socket.recv(), 0.05)
            clock.advance(0.2)
            assert list((await one.state())["players"]) == ["1", "2", "3", "4"]
            assert [one.last["you"], (await two.state())["you"]] == [1, 2]
            match = server.matches[1]
            assert [player.title for player in match.players] == ["k1", "k2", "(random)", "(safe)"]

    run(game())


def test_a_lobby_that_empties_or_fills_leaves_no_timer():
    clock = HandClock()

    async def game():
        async with hosting(clock=clock) as server:
            async with plain(server, "k1"):
                await until(lambda: [ends - clock.now for ends, _ in clock.sleepers] == [3600])
            await until(lambda: clock.sleepers == [])
            async with table(server):
                await until(lambda: len(clock.sleepers) == 1)
                assert clock.sleepers[0][0] < clock.now + 3600  # only the limit of the round

    run(game())


def test_the_number_of_players_is_drawn_and_everything_follows_from_the_seed():
    async def first_states(seed):
        clock = HandClock()
        states = []
        async with hosting(clock=clock, players=None, seed=seed, variant="official", shortest=5, longest=15) as server:
            for _ in range(6):
                async with plain(server, "k1") as client:
                    await until(lambda: server.lobby is not None and len(clock.sleepers) > 0)
                    clock.advance(3600)
                    states.append(await client.state())
                    await client.say("nonsense")
        return states

    one, again, other = (run(first_states(seed)) for seed in (1, 1, 2))
    assert without_time(one) == without_time(again) != without_time(other)
    counts = {len(state["players"]) for state in one + other}
    assert counts <= {2, 3, 4, 5, 6} and len(counts) > 1
    assert all(41 <= state[side] <= 80 for state in one + other for side in ("width", "height"))


def without_time(states):
    return [{key: value for key, value in state.items() if key != "deadline"} for state in states]


# --- states ----------------------------------------------------------------------------------------------------------


def test_the_first_and_the_last_state_are_written_as_the_competition_writes_them():
    clock = HandClock()

    async def game():
        async with hosting(clock=clock, shortest=5, longest=5) as server, table(server) as (one, two):
            first = one.last
            assert list(first) == ["width", "height", "cells", "players", "you", "running", "deadline"]
            assert (first["width"], first["height"], first["you"], first["running"]) == (20, 16, 1, True)
            assert first["deadline"] == "2021-01-17T12:00:08Z"  # 12:00:08.417, cut
            assert [len(row) for row in first["cells"]] == [20] * 16
            for number, player in first["players"].items():
                assert list(player) == ["x", "y", "direction", "speed", "active"]
                assert first["cells"][player["y"]][player["x"]] == int(number)
            assert two.last == first | {"you": 2}
            await one.say("slow_down")
            await two.say("turn_left")
            await asyncio.gather(one.ended(), two.ended())
            last = one.last
            assert list(last) == ["width", "height", "cells", "players", "you", "running"]
            assert not last["running"] and two.last == last | {"you": 2}
            assert [player["active"] for player in last["players"].values()] == [False, True]
            assert last["players"]["1"]["speed"] == 0  # the illegal speed stays visible
            names = [player["name"] for player in last["players"].values()]
            assert len(set(names)) == 2 and all(set(name.split("-")) <= set(WORDS) for name in names)
            assert [one.code, two.code] == [1000, 1000]

    run(game())


def test_pseudonyms_stay_and_differ():
    assert pseudonyms(["a", "b"], 1) == pseudonyms(["a", "b"], 1) != pseudonyms(["a", "b"], 2)
    assert len(set(pseudonyms(["a"] * 6, 1))) == 6
    assert all(re.fullmatch(r"[A-Z]\w+-[A-Z]\w+-[A-Z]\w+", name) for name in pseudonyms(["x", "y"], 3))


def test_limits_are_whole_seconds_of_their_range():
    clock = HandClock()

    async def game():
        limits = {"shortest": 5, "longest": 15}
        async with hosting(clock=clock, **limits) as server, plain(server, "k1") as one, plain(server, "k2") as two:
            await asyncio.gather(one.drive(), two.drive())
            return [state["deadline"] for state in one.states[:-1]]

    deadlines = run(game())
    began = datetime.fromisoformat("2021-01-17T12:00:03Z")
    limits = {(datetime.fromisoformat(text) - began).total_seconds() for text in deadlines}
    assert limits <= set(range(5, 16)) and len(limits) > 5
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text) for text in deadlines)


# --- actions ---------------------------------------------------------------------------------------------------------

ACCEPTED = {
    "plain": '{"action": "turn_left"}',
    "more fields": '{"id": 7, "action": "turn_left", "why": {"deep": [1, 2]}}',
    "other case of the key": '{"Action": "turn_left"}',
    "all capitals": '{"ACTION":"turn_left"}',
    "trailing newline": '{"action": "turn_left"}\n',
    "white space": ' \r\n{ "action" : "turn_left" } ',
    "binary": b'{"action": "turn_left"}',
    "the last of two": '{"action": "slow_down", "Action": "turn_left"}',
}
REFUSED = {
    "no JSON": "turn_left",
    "empty": "",
    "empty action": '{"action": ""}',
    "no action": "{}",
    "null": '{"action": null}',
    "number": '{"action": 1}',
    "list": '{"action": ["turn_left"]}',
    "unknown": '{"action": "jump"}',
    "other case of the value": '{"action": "TURN_LEFT"}',
    "not to be sent": '{"action": "no_answer"}',
    "an array": '["turn_left"]',
    "cut off": '{"action": "turn_left"',
    "two at once": '{"action": "turn_left"}{"action": "turn_left"}',
    "broken binary": b"\xff\xfe\x00",
} | {f"nonsense {number}": frame for number, frame in enumerate(FRAMES)}


@pytest.mark.parametrize("frame", ACCEPTED.values(), ids=ACCEPTED)
def test_what_the_official_server_accepts_is_accepted(frame):
    async def game():
        async with hosting() as server, table(server) as (one, two):
            before = one.me["direction"]
            await one.send(frame)
            await two.say("change_nothing")
            await one.state()
            turns = {"up": "left", "left": "down", "down": "right", "right": "up"}
            assert one.me["active"] and one.me["direction"] == turns[before]

    run(game())


@pytest.mark.parametrize("frame", REFUSED.values(), ids=REFUSED)
def test_what_makes_no_sense_puts_a_player_out_without_moving_and_the_round_goes_on(frame):
    async def game():
        async with hosting(players=3) as server, table(server, 3) as (one, two, three):
            before = one.me
            await one.send(frame)
            await two.say("turn_left")
            await three.say("turn_left")
            await one.state()
            assert one.me == before | {"active": False}
            assert one.last["running"] and (await two.state())["players"]["2"]["active"]

    run(game())


def test_a_second_answer_while_others_think_puts_out_without_moving():
    async def game():
        async with hosting(players=3) as server, table(server, 3) as (one, two, three):
            before = one.me
            await one.say("turn_left")
            await one.say("turn_left")
            await two.say("change_nothing")
            await until(lambda: len(server.matches[1]._answers) == 2)
            await three.say("change_nothing")
            await one.state()
            assert one.me == before | {"active": False}
            assert one.last["running"] and one.last["players"]["2"]["active"]

    run(game())


def test_a_second_answer_after_the_last_of_the_round_counts_for_the_next():
    async def game():
        async with hosting() as server, table(server) as (one, two):
            first = one.me["direction"]
            await two.say("change_nothing")
            await until(lambda: server.matches[1]._answers == {1: 4})
            await one.say("change_nothing")
            await one.say("turn_left")
            await one.state()
            assert one.me["active"] and one.me["direction"] == first
            await two.state()
            await two.say("change_nothing")
            await one.state()
            assert one.me["active"] and one.me["direction"] != first

    run(game())


def test_five_answers_wait_for_the_next_round_and_no_more():
    async def game():
        async with hosting() as server, plain(server, "k1") as one:
            for _ in range(20):
                await one.say("change_nothing")
            await until(lambda: server.lobby is not None and server.lobby.players[0].chatter == 20)
            assert len(server.lobby.players[0].queue) == QUEUE == 5
            async with plain(server, "k2") as two:
                await two.state()
                await two.say("change_nothing")
                state = await two.state()
                assert not state["players"]["1"]["active"]  # its second answer came too early

    run(game())


# --- deadlines -------------------------------------------------------------------------------------------------------


def test_an_answer_counts_until_the_limit_and_the_grace_are_over():
    clock = HandClock()

    async def game():
        async with hosting(clock=clock, shortest=5, longest=5, grace=2) as server, table(server) as (one, two):
            await one.say("turn_left")
            clock.advance(6.9)  # the text says 5 seconds at most
            await two.say("change_nothing")
            assert (await two.state())["players"]["2"]["active"]
            before = two.me
            await one.state()
            await one.say("change_nothing")
            await until(lambda: server.matches[1]._answers)
            clock.advance(7.1)
            assert not (await two.state())["running"]
            assert {key: two.me[key] for key in before} == before | {"active": False}
            assert (await one.state())["players"]["1"]["active"]

    run(game())


def test_a_silent_player_is_out_and_is_told_the_rest():
    clock = HandClock()

    async def game():
        async with hosting(clock=clock, players=3, shortest=5, longest=5) as server, table(server, 3) as clients:
            silent, two, three = clients
            for round_ in range(3):
                await two.say("change_nothing")
                await three.say("change_nothing")
                if round_ == 0:
                    await until(lambda: len(server.matches[1]._answers) == 2)
                    clock.advance(7.1)
                for client in clients:
                    await client.state()
                assert not silent.me["active"] and two.me["active"]
                await silent.say("turn_left")  # nobody minds
                await silent.send(b"\xff")
            assert len(silent.states) == len(two.states) == 4

    run(game())


def test_a_round_ends_with_its_last_answer():
    async def game():
        async with hosting(clock=HandClock()) as server:  # no time passes
            assert await still_works(server)

    run(game())


# --- bad clients -----------------------------------------------------------------------------------------------------


def test_a_huge_message_ends_a_connection_and_nothing_else():
    async def game():
        async with hosting(players=3) as server, table(server, 3) as (one, two, three):
            await one.send("x" * (LARGEST + 1))
            assert (await one.ended()).code == 1009
            await two.say("change_nothing")
            await three.say("change_nothing")
            assert not (await two.state())["players"]["1"]["active"]
            assert two.last["running"]

    run(game())


def test_a_flood_of_a_dead_player_is_cut_off_and_the_others_play_on():
    async def game():
        async with hosting(players=3) as server, table(server, 3) as (one, two, three):
            await one.say("nonsense")
            for client in (two, three):
                await client.say("change_nothing")
            for client in (one, two, three):
                await client.state()
            for _ in range(1001):
                await one.send("x")
            assert (await one.ended()).code == 1006
            for client in (two, three):
                await client.say("change_nothing")
            assert (await two.state())["running"]

    run(game())


def test_a_hanging_client_is_sent_away_after_the_game(monkeypatch):
    monkeypatch.setattr("spielwerk.bridges.spe_ed.server.FAREWELL", 0.1)

    async def game():
        async with hosting() as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            ask = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            writer.write(f"GET /spe_ed?key=k1 HTTP/1.1\r\nHost: x\r\n{UPGRADE}{ask}\r\n".encode())
            await reader.readuntil(b"\r\n\r\n")
            async with plain(server, "k2") as other:
                await other.state()
                await other.say("nonsense")
                await until(lambda: server.matches[1]._answers)
                writer.write(b"\x81\x80\x00\x00\x00\x00")  # an empty answer; from now on it does not even read
                await other.ended()
            await until(lambda: server.guests.why_not("127.0.0.1") is None and not server.guests._by_address)
            assert await still_works(server)
            writer.close()

    run(game())


def test_connections_are_asked_whether_they_are_still_there():
    async def game():
        async with hosting() as server, plain(server, "k1"):
            taken = server.holders["k1"].transport.get_extra_info("socket")
            assert taken.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
            if hasattr(socket, "TCP_KEEPIDLE"):
                assert taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 20

    run(game())


def test_connections_that_say_nothing_are_counted_and_cut_off():
    async def game():
        async with hosting(per_address=3) as server:
            silent = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(6)]
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            assert await reader.read() == b""  # far too many
            for _, other in [*silent, (reader, writer)]:
                other.close()
            await until(lambda: not server.guests._by_address)
            assert await still_works(server)

    run(game())


def test_limits_of_connections_are_told():
    async def game():
        for limits in ({"per_address": 1}, {"connections": 1}):
            async with hosting(**limits) as server, plain(server, "k1"):
                status, _, body = await fetch(server, "/spe_ed?key=k2")
                assert status == 503 and b"has one connection already" in body

    run(game())


def test_games_at_the_same_time_and_in_all_are_limited():
    async def game():
        async with hosting(at_once=1) as server, table(server):
            assert await refused(server, "?key=new") == 503
        async with hosting(games=1) as server:
            assert await still_works(server)
            await server.finished.wait()
            assert await refused(server, "?key=new") == 503

    run(game())


def test_ten_games_at_once():
    async def game():
        async with hosting() as server:
            clients, ready = [], asyncio.Event()

            async def one(number):
                async with plain(server, f"k{number}") as client:
                    clients.append(client)
                    await ready.wait()
                    return await client.drive()

            playing = [asyncio.create_task(one(number)) for number in range(20)]
            await until(lambda: len(server.matches) == 10)
            ready.set()
            ended = await asyncio.gather(*playing)
            assert [client.code for client in ended] == [1000] * 20
            assert all(json.loads(path.read_text()) for path in server.folder.glob("*.json"))
            assert len(list(server.folder.glob("*.record.json"))) == 10 == len(server.results.finished)

    run(game())
