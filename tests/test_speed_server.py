"""The spe_ed server beside the conversation: time service, page to watch, logs and records, opponents, options."""

import asyncio
import gzip
import json
import os
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from websockets.datastructures import Headers

from speed_clients import PATIENCE, HandClock, fetch, hosting, plain, run, still_works, table, until
from spielwerk.bridges.line import LARGEST_QUEUE, LONGEST_QUEUE, Line
from spielwerk.bridges.spe_ed.keeping import GameLog
from spielwerk.bridges.spe_ed.options import SpeedHosting
from spielwerk.bridges.spe_ed.pages import takes_gzip
from spielwerk.bridges.spe_ed.server import SpeedServer
from spielwerk.core import registry
from spielwerk.core.agent import Agent, Decision
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.match import Record, replay
from spielwerk.games.speed.kernel.rules import NO_ANSWER, UNHEARD
from spielwerk.games.speed.log import read_log


def test_the_time_service_tells_seconds_and_milliseconds():
    async def game():
        async with hosting(clock=HandClock(), keys="secret") as server:
            status, headers, body = await fetch(server, "/spe_ed_time")
            assert status == 200 and json.loads(body) == {"time": "2021-01-17T12:00:03Z", "milliseconds": 417}
            assert headers["Content-Type"] == "application/json"
            assert headers["Access-Control-Allow-Origin"] == "*"
            assert headers["Cache-Control"] == "no-store"

    run(game())


# --- logs and records ------------------------------------------------------------------------------------------------


def test_a_game_leaves_its_log_and_a_record_that_replays_exactly(tmp_path):
    clock = HandClock()

    async def game():
        async with hosting(clock=clock, players=3, records=str(tmp_path / "new" / "folder")) as server:
            async with table(server, 3) as (one, two, three):
                await three.say("nonsense")
                await one.say("change_nothing")
                await two.say("turn_left")
                await asyncio.gather(one.drive(), two.drive(), three.ended())
            return one.states, list(server.folder.iterdir())

    states, files = run(game())
    assert sorted(path.name for path in files) == ["00001.json", "00001.record.json"]
    log, kept = sorted(files)
    assert json.loads(log.read_text()) == [state | {"you": 0} for state in states]
    record = Record.load(kept)
    assert record.header.variant == "official,height=16,no_answer=1,width=20" and record.events[1]["2"] == "no_answer"
    positions = replay(record)[1:]
    assert len(positions) == len(states)
    for position, state in zip(positions, states, strict=True):
        s = position.state[0]
        assert np.array_equal(s["cells"][: 20 * 16].reshape(16, 20), state["cells"])
        assert [int(s["x"][seat]) for seat in range(3)] == [player["x"] for player in state["players"].values()]
    assert positions[-1].state["why"][0][2] == UNHEARD
    assert not any("k1" in text for text in [log.read_text(), kept.read_text()])


def test_a_server_that_starts_again_overwrites_no_game(tmp_path):
    async def start():
        async with hosting(records=str(tmp_path)) as server:
            assert await still_works(server)
            await until(lambda: server.results.finished)
            return server.results.finished[0].number, {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    (one, before), (two, after) = run(start()), run(start())
    assert (one, two) == (1, 2) and len(before) == 2 and len(after) == 4
    assert {name: after[name] for name in before} == before
    first, second = (Record.load(tmp_path / f"0000{number}.record.json") for number in (1, 2))
    assert first.header.seed == second.header.seed  # boards follow from --seed, not from what was played before
    (tmp_path / "00041.record.json").touch()
    (tmp_path / "notes99999.json").touch()
    assert hosting(records=str(tmp_path)).first == 42


def test_without_a_folder_only_the_files_of_listed_games_are_there(monkeypatch):
    monkeypatch.setattr("spielwerk.bridges.spe_ed.results.MOST_LISTED", 2)

    async def game():
        async with hosting() as server:
            for count in range(1, 4):
                assert await still_works(server)
                await until(lambda count=count: server.ended == count)
            return sorted(path.name for path in server.folder.iterdir())

    assert run(game()) == ["00002.json", "00002.record.json", "00003.json", "00003.record.json"]


def test_a_log_of_the_server_keeps_the_rules(tmp_path):
    async def game():
        async with hosting(players=4, wait=0, fill="safe,random", records=str(tmp_path)) as server:
            async with plain(server, "k1") as client:
                await client.drive()
            await until(lambda: server.results.finished)

    run(game())
    record, found = Record.load(tmp_path / "00001.record.json"), read_log((tmp_path / "00001.json").read_bytes())
    assert found.events == record.events and found.result.scores == record.result.scores


def test_a_game_that_is_stopped_leaves_nothing_half(tmp_path):
    async def game():
        async with hosting(records=str(tmp_path)) as server, table(server):
            assert [path.name for path in tmp_path.iterdir()] == [f".00001.json.{os.getpid()}"]

    run(game())
    assert list(tmp_path.iterdir()) == []


def test_a_log_that_cannot_be_written_costs_no_game(tmp_path):
    told = []
    for path in (tmp_path / "missing" / "log.json", tmp_path):
        log = GameLog(path, told.append)
        log.add("{}")
        log.finish()
        log.discard()
    assert len(told) == 2 and all("cannot be written" in line for line in told)

    async def game():
        async with hosting(told.append, records=str(tmp_path / "games")) as server:
            server.folder.rmdir()
            assert await still_works(server)
            await until(lambda: server.results.finished)

    run(game())
    assert [line for line in told if line.startswith("the record") and "cannot be written" in line]


# --- the page --------------------------------------------------------------------------------------------------------


def test_the_page_shows_running_and_finished_games_and_nobodys_key():
    async def game():
        async with hosting(players=2) as server:
            status, headers, page = await fetch(server, "/")
            assert status == 200 and b"<svg" not in page and headers["Content-Type"].startswith("text/html")
            assert json.loads((await fetch(server, "/games.json"))[2]) == {
                "running": [], "finished": [], "waiting": None,
            }  # fmt: skip
            async with plain(server, "hush1") as one:
                await until(lambda: server.lobby is not None)
                assert json.loads((await fetch(server, "/games.json"))[2])["waiting"] == {"players": 1, "seats": 2}
                async with plain(server, "hush2") as two:
                    await one.state()
                    listed = json.loads((await fetch(server, "/games.json"))[2])
                    row = {"number": 1, "round": 0, "size": "20 × 16", "players": 2, "in": 2}
                    assert listed["running"] == [row]
                    pictures = await asyncio.gather(*(fetch(server, "/games/1.svg") for _ in range(3)))
                    assert {status for status, *_ in pictures} == {200} and b"<svg" in pictures[0][2]
                    assert (await fetch(server, "/games/1.json"))[0] == 404  # not before the end
                    await one.say("nonsense")
                    await two.state()
                    await two.say("change_nothing")
                    await two.ended()
            await until(lambda: server.results.finished)
            listed = json.loads((await fetch(server, "/games.json"))[2])
            (finished,) = listed["finished"]
            assert finished["rounds"] == 1 and finished["winner"] == finished["names"][1]
            _, headers, body = await fetch(server, "/games/1.json")
            states = json.loads(body)
            assert "Content-Encoding" not in headers
            assert [state["running"] for state in states] == [True, False]
            _, headers, body = await fetch(server, "/games/1.record.json", "Accept-Encoding: br, gzip;q=0.5\r\n")
            record = Record.from_json(gzip.decompress(body))
            assert headers["Content-Encoding"] == "gzip"
            assert replay(record)[-1].over
            assert (await fetch(server, "/games/1.svg"))[0] == 200
            assert "hush" not in json.dumps([listed, states]) + str(record)
            paths = ("/games/2.json", "/games/2.svg", "/games/../x.json", "/x", "/games/1.json/", "/spe_ed/")
            assert [(await fetch(server, path))[0] for path in paths] == [404] * 6

    run(game())


@pytest.mark.parametrize(
    ("lines", "taken"),
    [
        ([], False), (["identity"], False), (["gzip"], True), (["br", "GZIP"], True), (["br, gzip;q=0"], False),
        (["gzip; q=0.000"], False), (["gzip; q=0.05, *"], True), (["x-gzip"], False),
    ],
)  # fmt: skip
def test_only_who_can_read_it_gets_gzip(lines, taken):
    assert takes_gzip(Headers([("Accept-Encoding", line) for line in lines])) is taken


# --- built-in opponents ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Odd(Agent):
    """An agent that does not do what it should."""

    name: ClassVar[str] = "odd"
    fault: str = "fails"
    seen: ClassVar[list[tuple[int, ...]]] = []

    def decide(self, view, budget, rng):
        self.seen.append(view.legal)
        if view.state["rounds"][0] == 0 and budget.playouts is None:
            if self.fault == "fails":
                raise RuntimeError("oh")
            if self.fault == "sleeps":
                while not budget.sign.is_set():
                    asyncio.run(asyncio.sleep(0.005))
            return Decision(NO_ANSWER)
        return Decision(view.legal[-1])


@pytest.fixture
def odd():
    registry.register(Odd)
    Odd.seen.clear()


@pytest.mark.parametrize("fault", ["fails", "sleeps", "chooses nonsense"])
def test_an_opponent_that_fails_is_out_and_the_game_goes_on(odd, fault):
    told = []

    async def game():
        options = {"players": 3, "shortest": 1, "longest": 1, "wait": 0, "grace": 3600, "fill": f"odd:fault={fault}"}
        async with hosting(told.append, **options) as server, plain(server, "k1") as client:
            first = await client.state()
            await client.say("change_nothing")
            last = await client.state()
            for number in ("2", "3"):
                dead = {key: last["players"][number][key] for key in first["players"][number]}
                assert dead == first["players"][number] | {"active": False}
            assert client.me["active"] and not last["running"]

    run(game())
    assert (len([line for line in told if "odd failed and is out" in line]) == 2) == (fault == "fails")
    assert {len(legal) for legal in Odd.seen} == {5}  # opponents do not know that one may be silent


# --- slow readers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "most"), [("x", LONGEST_QUEUE), ("x" * (1 << 20), LARGEST_QUEUE >> 20)])
def test_who_does_not_read_is_cut_off(text, most):
    async def post():
        cuts, left = [], []
        line = Line(Deaf(), lambda: cuts.append(1))
        line.left = lambda: left.append(1)
        serving = asyncio.create_task(line.serve())
        line.post("taken by the network")
        await until(lambda: line.socket.sending)
        for _ in range(most):
            line.post(text)
        assert not cuts
        line.post(text)
        line.post(text)
        assert cuts == left == [1] and line.closed.is_set()
        serving.cancel()

    run(post())


class Deaf:
    """A connection whose other end does not read."""

    sending = False

    async def __aiter__(self):
        await asyncio.Event().wait()
        yield ""

    async def send(self, text):
        self.sending = True
        await asyncio.Event().wait()


# --- running ---------------------------------------------------------------------------------------------------------


def test_a_server_for_some_games_stops_and_tells_who_won():
    told = []
    limits = {"shortest": 300, "longest": 300}
    options = SpeedHosting(port=0, variant="small", seed=3, players=2, wait=0, games=3, fill="random", **limits)

    async def games():
        server = SpeedServer(options, told.append)
        running = asyncio.create_task(server.run())
        for _ in range(3):
            await until(lambda: server._server is not None)
            async with plain(server, "alpha") as client:
                await client.drive()
        await running

    run(games())
    assert told[0].startswith("spe_ed server on ws://127.0.0.1:") and "spe_ed_time" in told[1]
    assert next(line for line in told if line.startswith("game 2")) == "game 2 begins: alpha, (random)"
    table = told[-2:]
    assert table[0] == "alpha: 3 of 3 games won" and table[1] == "(random): 0 of 3 games won"


def test_sigterm_stops_the_server_with_its_table():
    told = []
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)  # unheard it ends nothing but this test

    async def game():
        server = hosting(told.append)
        running = asyncio.create_task(server.run())
        await until(lambda: told)
        assert await still_works(server)
        await until(lambda: server.ended)
        signal.raise_signal(signal.SIGTERM)
        await running

    try:
        run(game())
    finally:
        signal.signal(signal.SIGTERM, before)
    assert all("of 1 games won" in line for line in told[-2:])


def test_games_count_from_the_moment_they_begin():
    async def game():
        async with hosting(at_once=1, games=2, clock=HandClock()) as server:
            server.begin([], 2)
            assert server._full() == "a game is running"
            server.begin([], 2)
            assert server._full() == "all games of this server have begun"
            await server.finished.wait()
            assert server.ended == 2 and not server.matches

    run(game())


def test_a_game_that_cannot_be_set_up_frees_its_players_and_counts(monkeypatch):
    told = []

    def broken(*things):
        raise RuntimeError("oh")

    monkeypatch.setattr("spielwerk.bridges.spe_ed.server.Match", broken)

    async def game():
        async with hosting(told.append, games=1) as server, plain(server, "k1") as one, plain(server, "k2") as two:
            await asyncio.gather(one.ended(), two.ended())
            await server.finished.wait()
            assert (one.code, two.code, server.holders, list(server.folder.iterdir())) == (1000, 1000, {}, [])

    run(game())
    assert "internal error" in told[-1]


def test_long_keys_have_lines_of_their_own_and_the_table_is_bounded(monkeypatch):
    monkeypatch.setattr("spielwerk.bridges.spe_ed.results.MOST_COUNTED", 2)

    async def game():
        async with hosting() as server:
            for keys in ("ab", "cd"):
                async with plain(server, "k" * 40 + keys[0]) as one, plain(server, "k" * 40 + keys[1]) as two:
                    await asyncio.gather(one.drive(), two.drive())
            await until(lambda: server.ended == 2)
            return list(server.results.table())

    lines = run(game())
    assert sum("of 1 games won" in line for line in lines) == 2
    assert sum(line.startswith("(others): ") and "of 2 games won" in line for line in lines) == 1 and len(lines) == 3


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"shortest": 9, "longest": 5}, "--shortest"),
        ({"players": 7}, "goes from 2 to 6"),
        ({"port": 70000}, "goes from 0 to 65535"),
        ({"grace": -1.0}, "goes from 0"),
        ({"keys": " , "}, "at least one key"),
        ({"key_file": "/no/such/file"}, "cannot read the keys"),
        ({"fill": ""}, "--fill random"),
        ({"fill": "nobody"}, "unknown agent 'nobody'"),
        ({"variant": "huge"}, "unknown"),
        ({"records": "/dev/null/x"}, "choose another --records"),
    ],
)
def test_options_that_make_no_sense_are_refused_with_a_remedy(options, text):
    with pytest.raises(SpielwerkError, match=text):
        SpeedServer(SpeedHosting(**options))


def test_the_benchmark_of_answers_stops_if_a_player_dies():
    words = ["--matches", "1", "--agent", "safe", "--busy", "0", "--margin", "100"]  # more margin than a client takes
    program = Path(__file__).parent.parent / "benchmarks" / "speed_answers.py"
    ended = subprocess.run([sys.executable, program, *words], capture_output=True, timeout=PATIENCE, check=False)
    assert ended.returncode == 1 and b"a player's process ended with code 1" in ended.stderr


def test_a_port_that_is_taken_is_told():
    async def game():
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            with pytest.raises(SpielwerkError, match="choose another --port"):
                async with hosting(port=taken.getsockname()[1]):
                    pass

    run(game())
