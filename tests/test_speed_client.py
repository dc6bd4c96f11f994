"""The spe_ed client: it measures the server's clock, answers in time whatever its agent does, and plays one game."""

import asyncio
import json
import threading
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from websockets.asyncio.server import serve

import spielwerk as sw
from speed_clients import Ahead, HandClock, hosting, plain, run, until
from spielwerk.bridges.spe_ed import timing
from spielwerk.bridges.spe_ed.client import SpeedJoining
from spielwerk.bridges.spe_ed.driver import LEAST_SHARE, UNKNOWN, Driver
from spielwerk.bridges.spe_ed.messages import SENT, BadMessage, Snapshot, heard, time_text, view_of
from spielwerk.bridges.spe_ed.remarks import DRAWN, LOST, WON, remark
from spielwerk.bridges.spe_ed.safe import safe_action
from spielwerk.bridges.spe_ed.timing import ServerClock, measure, time_address
from spielwerk.cli import main
from spielwerk.core.agent import Agent, Decision
from spielwerk.core.clock import now
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.words import speaking

RANDOM = sw.agent("random")


def joining(server, agent=RANDOM, key="me", **options):
    return SpeedJoining(agent, url=f"{server.url}/spe_ed", key=key, **options)


@dataclass(frozen=True)
class Noting(Agent):
    """Plays safely by a rule of its own and notes how long it may think."""

    name: ClassVar[str] = "noting"
    fault: str = ""

    budgets: ClassVar[list[float]] = []
    released: ClassVar[threading.Event] = threading.Event()

    def decide(self, view, budget, rng):
        if budget.playouts is not None:  # while things are compiled
            return Decision(4)
        self.budgets.append(budget.deadline - now())
        if self.fault == "overruns":
            self.released.wait(60)
        if self.fault == "fails":
            raise RuntimeError("oh")
        if self.fault == "chooses nonsense":
            return Decision(5)
        return Decision(4)


@pytest.fixture(autouse=True)
def nothing_noted():
    Noting.budgets.clear()


# --- a game ----------------------------------------------------------------------------------------------------------


def test_one_start_is_one_game_with_a_summary_and_a_log(tmp_path):
    told = []

    async def game():
        async with hosting() as server, plain(server, "other") as other:
            clients = [joining(server, Noting(), log=str(tmp_path / "log.json")).play(told.append), other.drive()]
            return (await asyncio.gather(*clients))[0], other

    found, other = run(game())
    states = json.loads((tmp_path / "log.json").read_text())
    assert [state | {"you": 1} for state in states] == other.states and states[0]["you"] == 2
    assert found["result"] in ("lost", "drawn") and found["rounds"] == len(states) - 1 == found["answers"]
    assert found["name"] == states[-1]["players"]["2"]["name"]
    assert found["hurried"] == 0 and 0 <= found["share of the limit used"] <= found["largest share"] < 0.5
    assert told[-1] in (*LOST["en"], *DRAWN["en"])


def test_the_winner_says_something_else():
    told = []

    async def game():
        async with hosting() as server, plain(server, "other") as other:
            playing = asyncio.create_task(joining(server, Noting()).play(told.append))
            await other.state()
            await other.say("nonsense")
            return await playing

    assert run(game())["result"] == "won"
    assert told[-1] in WON["en"]
    with speaking("de"):
        assert remark(WON, 2) in WON["de"]
    with speaking("fr"):
        assert remark(LOST, 7) in LOST["en"]


def test_what_is_heard_becomes_the_position_of_the_rules():
    game = sw.game("speed", 4, "small")
    for seed in range(5):
        position, rng, out, rounds = game.new(seed), np.random.default_rng(seed), {}, 0
        while not position.over:
            state = heard(Snapshot(position, time_text(0)).text(1))
            view = view_of(game, state, rounds, out)
            for field in (
                "cells",
                "x",
                "y",
                "direction",
                "speed",
                "alive",
                "rounds",
                "out",
                "width",
                "height",
                "phase",
            ):
                assert np.array_equal(view.state[field], position.state[field]), field
            assert view.seat == 0
            position.play({seat: int(rng.choice([0, 1, 3, 4, 4, 4])) for seat in position.actors})
            rounds += 1
            out |= {seat: rounds for seat in range(4) if seat not in out and not position.state["alive"][0] >> seat & 1}


# --- answers in time -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["overruns", "fails", "chooses nonsense"])
def test_a_safe_move_goes_out_in_place_of_a_bad_agents(fault):
    told, clock = [], HandClock()
    late = 14.483 if fault == "overruns" else 0.0  # seconds; then a tenth of a second is left
    Noting.released.clear()

    async def game():
        async with hosting(clock=clock, shortest=15, longest=15) as server, plain(server, "other") as other:
            client = joining(server, Noting(fault=fault), margin=0.02, time_url="local")
            playing = asyncio.create_task(client.play(told.append, lambda: clock.now + late))
            for _ in range(3):
                await other.state()
                await other.say("change_nothing")
            await other.state()
            assert other.last["players"]["2"]["active"]
            await other.say("nonsense")
            return await playing

    try:
        found = run(game())
    finally:
        Noting.released.set()
    assert found["result"] == "won" and found["answers"] == 4
    assert found["hurried"] == (4 if fault == "overruns" else 0)
    assert len([line for line in told if "safe move" in line]) == (0 if fault == "overruns" else 4)


def test_the_time_to_think_ends_before_the_deadline():
    driver = Driver(SpeedJoining(RANDOM, margin=0.5), ServerClock(0, 0.1, True))
    assert driver.thinking_time(5.0) == pytest.approx(4.4)
    assert driver.thinking_time(0.4) == pytest.approx(LEAST_SHARE * 0.4)  # the margin would leave nothing
    assert driver.thinking_time(0.0) == 0.0
    assert Driver(SpeedJoining(RANDOM, seconds=1.0), ServerClock()).thinking_time(9.0) == 1.0


def test_a_safe_move_waits_until_the_middle_of_the_margin():
    driver = Driver(SpeedJoining(RANDOM, margin=0.5), ServerClock(0, 0.1, True))
    assert driver.patience(5.0, driver.thinking_time(5.0)) == pytest.approx(4.65)
    assert driver.patience(5.0, 1.0) == pytest.approx(4.65)  # an agent that was told to be quick is not cut off
    assert driver.patience(0.4, 0.1) == pytest.approx(0.25)  # the margin would leave nothing
    assert driver.patience(0.0, 0.0) == 0.0


def test_deadlines_are_read_by_the_servers_clock_as_long_as_it_makes_sense():
    here = 1_610_884_800.0
    ahead = ServerClock(3600.0, 0.01, True)
    assert ahead.left(here + 3607, here, 15) == 7
    assert ahead.left(here + 7200, here, 15) == 3600  # the longest limit of our own server
    assert ahead.left(here + 3599, here, 15) == -1  # a moment too late
    assert ahead.left(here + 7, here, 15) == 7  # its time service told nonsense
    assert ahead.left(here + 9_999, here, 15) is None
    driver = Driver(SpeedJoining(RANDOM), ahead, clock=lambda: here)
    position = sw.game("speed", 2, "small").new(1)
    for text, left in (
        ("2021-01-17T13:00:07Z", 7),
        ("2021-01-17T13:00:07+00:00", 7),
        ("soon", UNKNOWN),
        (None, UNKNOWN),
    ):
        assert driver.left(heard(Snapshot(position, text).text(1))) == left


def test_without_a_time_service_no_more_than_the_longest_limit_is_believed():
    here, own = 1_610_884_800.0, ServerClock()
    assert own.left(here + 16, here, 15) == 16 and own.left(here - 2, here, 15) == -2
    assert own.left(here + 17, here, 15) is None  # our clock runs behind: to think so long would be too late
    assert own.left(here + 60, here, 60) == 60
    state = heard(Snapshot(sw.game("speed", 2, "small").new(1), "2021-01-17T12:00:40Z").text(1))
    for longest, left in ((15, UNKNOWN), (60, 40.0)):
        assert Driver(SpeedJoining(RANDOM, longest=longest), own, clock=lambda: here).left(state) == left


# --- the server's clock ----------------------------------------------------------------------------------------------


@pytest.fixture
def patient(monkeypatch):
    """However slow this machine is, answers of the time service are believed."""
    monkeypatch.setattr(timing, "PATIENCE", 60.0)
    monkeypatch.setattr(timing, "SLOW", 60.0)


@pytest.mark.parametrize(("seconds", "limit"), [(0.0, 3600), (3600.0, 100), (-7.5, 100)])
def test_the_servers_clock_is_measured_and_used(seconds, limit, patient):
    async def game():
        clock = Ahead(seconds)
        async with hosting(clock=clock, shortest=limit, longest=limit) as server, plain(server, "other") as other:
            told = []
            playing = asyncio.create_task(joining(server, Noting(), margin=1.0).play(told.append))
            await other.state()
            await other.say("nonsense")
            await playing
            measured = await measure(f"{server.page}/spe_ed_time", told.append)
            return measured, [line for line in told if "clock" in line]

    measured, lines = run(game())
    assert measured.asked and abs(measured.offset - seconds) <= measured.latency + 0.002  # whole milliseconds are told
    assert len(lines) == 2 and "from ours" in lines[0]
    assert limit - 80 < Noting.budgets[0] <= limit - 1  # less a second of margin


async def measured_at(answer):
    """What is measured at a service that answers so; None = nothing."""

    async def talk(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        if answer is None:
            await reader.read()
        else:
            writer.write(answer)
        writer.close()

    told = []
    async with await asyncio.start_server(talk, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        return await measure(f"http://127.0.0.1:{port}/time", told.append), told


@pytest.mark.parametrize(
    "answer",
    [
        None,
        b"",
        b"nonsense",
        b"HTTP/1.1 500 Oh\r\n\r\n",
        b"HTTP/1.1 301 Moved\r\nLocation: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n[]",
        b'HTTP/1.1 200 OK\r\n\r\n{"time": 5}',
        b'HTTP/1.1 200 OK\r\n\r\n{"time": "noon", "milliseconds": 1}',
        b'HTTP/1.1 200 OK\r\n\r\n{"time": "2021-01-17T12:00:03Z", "milliseconds": "many"}',
        b"HTTP/1.1 200 OK\r\n\r\n\xff",
        b"x" * 100_000,
    ],
)
def test_a_time_service_that_is_of_no_use_costs_nothing(answer, monkeypatch):
    monkeypatch.setattr(timing, "PATIENCE", 0.2)
    found, told = run(measured_at(answer))
    assert found == ServerClock() and told[-1] == "using our own clock"


TOLD = b'{"time": "2021-01-17T12:00:03Z", "milliseconds": 1}'


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.0 200 OK\r\n\r\n" + TOLD,
        b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b and more" % (len(TOLD), TOLD),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(TOLD), TOLD),
    ],
)
def test_answers_of_all_kinds_of_servers_are_read(answer, patient):
    found, told = run(measured_at(answer))
    assert found.asked and len(told) == 1


def test_the_time_service_is_asked_as_servers_of_today_expect_it(patient):
    requests = []

    async def talk(reader, writer):
        requests.append(await reader.readuntil(b"\r\n\r\n"))
        writer.close()

    async def ask():
        async with await asyncio.start_server(talk, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            await measure(f"http://127.0.0.1:{port}/time?x=1", lambda line: None)
            return f"Host: 127.0.0.1:{port}\r\n"

    host = run(ask()).encode()
    assert requests[0].startswith(b"GET /time?x=1 HTTP/1.1\r\n") and host in requests[0]


def probing(monkeypatch, *answers):
    """What is measured if the time service answers so, and how often it was asked."""
    left = list(answers)

    async def probe(url, clock):
        answer = left.pop(0)
        if answer is None:
            raise TimeoutError
        return ServerClock(*answer, True)

    monkeypatch.setattr(timing, "_probe", probe)
    return run(measure("http://x", lambda line: None)), len(answers) - len(left)


def test_the_fastest_answer_counts(monkeypatch):
    answers = [(5, 0.2), (4, 0.01), (9, 0.1), (5, 0.2), (5, 0.2), (1, 0.0)]
    assert probing(monkeypatch, *answers) == (ServerClock(4, 0.01, True), 5)


def test_a_slow_time_service_is_used_with_more_care(monkeypatch):
    assert probing(monkeypatch, *[(5, 0.4)] * 5) == (ServerClock(5, 0.8, True), 5)


def test_an_answer_that_does_not_come_spoils_no_others(monkeypatch):
    assert probing(monkeypatch, None, (4, 0.1), (5, 0.2), (6, 0.2), (7, 0.2)) == (ServerClock(4, 0.1, True), 5)
    assert probing(monkeypatch, (4, 0.1), None, None, (5, 0.01)) == (ServerClock(4, 0.1, True), 3)
    assert probing(monkeypatch, None, None, (5, 0.01)) == (ServerClock(), 2)


def test_addresses_of_the_time_service():
    assert time_address("wss://host/spe_ed?x=1") == "https://host/spe_ed_time"
    assert time_address("ws://host:5/spe_ed") == "http://host:5/spe_ed_time"
    assert run(measure("local", lambda line: None)) == ServerClock()
    told = []
    assert run(measure("ftp://x", told.append)) == ServerClock() and "http://" in told[0]
    assert run(measure("http://127.0.0.1:1/", told.append)) == ServerClock()


def test_without_a_time_service_the_game_is_played_all_the_same():
    async def game():
        async with hosting() as server, plain(server, "other") as other:
            client = joining(server, Noting(), time_url="http://127.0.0.1:1/spe_ed_time")
            playing = asyncio.create_task(client.play())
            await other.state()
            await other.say("nonsense")
            return await playing

    assert run(game())["result"] == "won"


# --- connecting ------------------------------------------------------------------------------------------------------


def test_it_waits_while_the_key_is_in_use():
    told = []

    async def game():
        async with hosting() as server:
            async with plain(server, "me"):
                playing = asyncio.create_task(joining(server, retry=0.01).play(told.append))
                await until(lambda: sum("trying again in 0.01 s" in line for line in told) >= 3)
            await until(lambda: "connected, waiting for the game to begin" in told)
            async with plain(server, "other") as other:
                await other.drive()
            await playing
            async with plain(server, "me"):
                with pytest.raises(SpielwerkError, match=r"429.*--tries"):
                    await joining(server, retry=0.01, tries=2).play()

    run(game())


def test_environment_variables_stand_for_options(monkeypatch):
    for name in ("URL", "KEY", "TIME_URL"):
        monkeypatch.delenv(name, raising=False)
    client = SpeedJoining(RANDOM)
    with pytest.raises(SpielwerkError, match="environment variable URL"):
        client.address()
    monkeypatch.setenv("URL", "wss://host/spe_ed")
    with pytest.raises(SpielwerkError, match="environment variable KEY"):
        client.address()
    monkeypatch.setenv("KEY", "a&b")
    assert client.address() == "wss://host/spe_ed?key=a%26b"
    assert client.time_address() == "https://host/spe_ed_time"
    monkeypatch.setenv("TIME_URL", "https://elsewhere/time")
    assert client.time_address() == "https://elsewhere/time"
    own = SpeedJoining(RANDOM, url="ws://here/x?y=1", key="k", time_url="local")
    assert (own.address(), own.time_address()) == ("ws://here/x?y=1&key=k", "local")


BAD = ["ws://h:99999/spe_ed", "ws://h:x/spe_ed", "ws://[bad/spe_ed", "ws://h:0/spe_ed", "ws://h:-1/spe_ed"]


@pytest.mark.parametrize("url", ["", "host/spe_ed", "http://host/spe_ed", "ws://", "ws:///spe_ed", *BAD])
def test_an_address_that_is_none_is_refused(url, monkeypatch):
    monkeypatch.delenv("URL", raising=False)
    with pytest.raises(SpielwerkError, match="give --url"):
        SpeedJoining(RANDOM, url=url, key="k").run(lambda line: None)


def test_what_the_server_refuses_is_told_with_a_remedy_and_without_the_key():
    async def error(client):
        with pytest.raises(SpielwerkError) as caught:
            await client.play()
        assert "sesame" not in str(caught.value)
        return str(caught.value)

    async def game():
        async with hosting(keys="other") as server:
            assert "403" in await error(joining(server, key="sesame")) and "check --key" in await error(
                joining(server, key="sesame")
            )
            wrong = SpeedJoining(RANDOM, url=f"{server.url}/nothing", key="sesame")
            assert "usually ends with /spe_ed" in await error(wrong)
        async with hosting(games=1) as server:
            server.begun = 1
            assert "all games of this server have begun" in await error(joining(server, key="sesame"))
        for url, remedy in (
            ("ws://127.0.0.1:1/spe_ed", "does the server run"),
            ("ws://127.0.0.1:1/spe_ed?key=sesame", "does the server run"),
            ("ws://sesame@127.0.0.1:1/spe_ed", "give --url"),
            ("ws://a..b/spe_ed", "is --url right"),
            ("ws://h:x/spe_ed?key=sesame", "give --url"),
        ):
            assert remedy in await error(SpeedJoining(RANDOM, url=url, key="sesame", time_url="local"))

    run(game())


def test_a_start_that_fails_leaves_an_older_log_alone(tmp_path):
    log = tmp_path / "log.json"
    log.write_text("[]")
    with pytest.raises(SpielwerkError, match="does the server run"):
        SpeedJoining(RANDOM, url="ws://127.0.0.1:1/spe_ed", key="k", log=str(log)).run(lambda line: None)
    with pytest.raises(SpielwerkError):  # an agent for another game
        SpeedJoining(sw.agent("javabot"), url="ws://x", key="k", log=str(log)).run(lambda line: None)
    assert log.read_text() == "[]" and list(tmp_path.iterdir()) == [log]


def test_a_log_without_a_folder_is_refused(tmp_path):
    with pytest.raises(SpielwerkError, match="create it first"):
        SpeedJoining(RANDOM, url="ws://x", key="k", log=str(tmp_path / "no" / "log")).run(lambda line: None)


# --- strange servers -------------------------------------------------------------------------------------------------


def against(script, agent=RANDOM, **options):
    """A client at a server that runs `script(socket)`; what came of it, and what was told."""
    told = []

    async def game():
        async with serve(script, "127.0.0.1", 0) as server:
            url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/spe_ed"
            return await SpeedJoining(agent, url=url, key="k", time_url="local", **options).play(told.append)

    return run(game()), told


def state_text(**changes):
    position = sw.game("speed", 2, "small").new(1)
    return json.dumps(json.loads(Snapshot(position, time_text(time.time() + 10)).text(1)) | changes)


def test_a_connection_that_breaks_ends_the_game():
    async def script(socket):
        await socket.send(state_text())
        await socket.recv()
        socket.transport.abort()

    found, told = against(script)
    assert found["result"] == "dropped" and found["answers"] == 1
    assert "the connection ended before the game did (code 1006)" in told


@pytest.mark.parametrize("code", [1000, 1013])
def test_a_server_that_never_begins_and_leaves(code):
    async def script(socket):
        await socket.close(code, "we are full")

    found, told = against(script)
    assert found["result"] == "dropped" and found["rounds"] == 0
    assert told[-1] == f"the connection ended before the game did (code {code}: we are full)"


@pytest.mark.parametrize(("result", "code"), [("dropped", 1), ("lost", 0), ("won", 0)])
def test_the_command_fails_only_if_the_game_did_not_end(result, code, monkeypatch, capsys):
    monkeypatch.setattr(SpeedJoining, "run", lambda self, report: {"result": result})
    with pytest.raises(SystemExit) as stopped:
        main(["join", "speed", "random", "--url", "ws://host/spe_ed", "--key", "k"])
    assert (stopped.value.code or 0) == code and json.loads(capsys.readouterr().out) == {"result": result}


def test_dead_it_only_listens_and_the_last_state_ends_it():
    async def script(socket):
        players = json.loads(state_text())["players"]
        players["1"] |= {"active": False, "x": -1, "speed": 11}
        await socket.send(state_text(players=players))
        await socket.send(state_text(players=players, running=False))
        heard = [frame async for frame in socket]
        assert heard == []

    found, _ = against(script)
    assert found["result"] == "lost" and found["answers"] == 0 and found["rounds"] == 1


def test_what_is_no_state_is_skipped_and_boards_that_agents_do_not_know_are_played_safely(tmp_path):
    answers = []

    async def script(socket):
        for frame in ("nonsense", "[]", b"\xff", state_text(cells=[[0]]), state_text(you=9)):
            await socket.send(frame)
        large = [[0] * 100 for _ in range(90)]
        player = {"x": 99, "y": 50, "direction": "right", "speed": 1, "active": True}
        await socket.send(state_text(width=100, height=90, cells=large, players={"1": player, "2": player | {"x": 9}}))
        answers.append(json.loads(await socket.recv()))
        await socket.send(state_text(running=False))

    found, told = against(script, log=str(tmp_path / "log.json"))
    assert len([line for line in told if "skipped" in line]) == 5
    assert [line for line in told if "a safe move goes out" in line]
    assert answers == [{"action": "turn_left"}] and found["rounds"] == 3  # two were meant as states
    assert len(json.loads((tmp_path / "log.json").read_text())) == 2


@pytest.mark.parametrize(
    "changes",
    [
        {"players": {}},
        {"players": {"1": {"x": 1, "y": 1, "direction": "north", "speed": 1, "active": True}}},
        {"players": {"1": {"x": 99, "y": 1, "direction": "up", "speed": 1, "active": True}}},
        {"players": {"2": {"x": 1, "y": 1, "direction": "up", "speed": 1, "active": True}}},
        {"width": 0},
        {"height": -1},
        {"running": "yes"},
    ],
)
def test_states_that_cannot_be_are_refused(changes):
    with pytest.raises(BadMessage):
        heard(state_text(**changes))


# --- safe moves ------------------------------------------------------------------------------------------------------


def at(x, y, direction, speed, walls=(), width=8, height=8):
    cells = [[int((a, b) in walls or (a, b) == (x, y)) for a in range(width)] for b in range(height)]
    player = {"x": x, "y": y, "direction": direction, "speed": speed, "active": True}
    return heard(state_text(width=width, height=height, cells=cells, players={"1": player, "2": player}))


@pytest.mark.parametrize(
    ("state", "rounds", "action"),
    [
        (at(3, 3, "up", 1), 0, "change_nothing"),
        (at(3, 0, "up", 1), 0, "turn_left"),
        (at(0, 0, "up", 1), 0, "turn_right"),
        (at(3, 3, "up", 2, {(3, 1), (2, 3), (4, 3)}), 0, "slow_down"),
        (at(3, 3, "up", 1, {(2, 3), (4, 3)}), 0, "change_nothing"),
        (at(3, 5, "up", 2, {(3, 4), (2, 5), (4, 5)}), 4, "change_nothing"),  # nothing helps
        (at(3, 5, "up", 3, {(3, 3), (2, 5), (4, 5)}), 5, "change_nothing"),  # a jump over the wall
        (at(3, 5, "up", 3, {(3, 3), (2, 5), (4, 5)}), 4, "change_nothing"),  # no jump: nothing helps
        (at(3, 6, "up", 2, {(3, 4), (2, 6), (4, 6), (3, 5)}), 5, "change_nothing"),
        (at(3, 6, "up", 2, {(3, 4), (2, 6), (4, 6), (2, 5), (4, 5)}), 5, "speed_up"),  # and jumps in the sixth round
        (at(3, 6, "up", 2, {(3, 4), (2, 6), (4, 6), (2, 5), (4, 5)}), 4, "slow_down"),  # one move more to live
        (at(0, 7, "up", 7, {(1, 7)}), 0, "change_nothing"),
        (at(0, 7, "right", 10, {(0, 6), (0, 5)}, width=12), 0, "change_nothing"),
        (at(3, 3, "up", 1, {(3, 1), (2, 2), (4, 2)}), 0, "turn_left"),  # straight on is a dead end
    ],
)
def test_a_safe_move_does_not_die_at_once_if_that_is_possible(state, rounds, action):
    assert SENT[safe_action(state, rounds)] == action


def test_a_safe_move_agrees_with_the_rules():
    """On the board as it is, it dies only where every move dies."""
    game = sw.game("speed", 2, "width=9,height=9")
    moves = 0
    for seed in range(30):
        position, rounds = game.new(seed), 0
        while not position.over:
            chosen = safe_action(heard(Snapshot(position, "").text(1)), rounds)
            lives = [position.copy().apply({0: action, 1: 2}).state["alive"][0] == 1 for action in range(5)]
            assert lives[chosen] or not any(lives)  # the other one goes out and does not move
            position.play({0: chosen, 1: 4})
            rounds += 1
        moves += rounds
    assert moves > 100
