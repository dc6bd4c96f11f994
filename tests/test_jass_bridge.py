"""The server and the client of the Jass challenge protocol, over real sockets on 127.0.0.1."""

import asyncio
import json
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

import spielwerk as sw
from jass_bots import Bot, hosting, run, start_when_ready, still_works
from spielwerk.bridges import bridge
from spielwerk.bridges.jass_challenge.client import JassJoining
from spielwerk.bridges.jass_challenge.messages import card_data, card_of, mode_data, mode_of
from spielwerk.bridges.jass_challenge.ratings import Glicko, rated
from spielwerk.bridges.jass_challenge.server import JassHosting
from spielwerk.cli import main
from spielwerk.cli.bridge import options_of
from spielwerk.core.agent import Agent, Decision, option_help
from spielwerk.core.errors import SpielwerkError, UnknownName
from spielwerk.core.match import Record, replay

TRANSCRIPT = Path(__file__).parent / "data" / "jass_server_transcript.jsonl"


# --- encodings -------------------------------------------------------------------------------------------------------


def test_cards_and_modes_survive_the_way_there_and_back():
    assert [card_of(card_data(card)) for card in range(36)] == list(range(36))
    assert [mode_of(mode_data(action)) for action in range(36, 43)] == list(range(36, 43))
    assert card_data(0) == {"number": 6, "color": "HEARTS"} and card_data(35) == {"number": 14, "color": "SPADES"}


def test_glicko_agrees_with_the_example_of_its_paper():
    games = [(Glicko(1400, 30), 1.0), (Glicko(1550, 100), 0.0), (Glicko(1700, 300), 0.0)]
    after = rated(Glicko(1500, 200), games)
    assert after.rating == pytest.approx(1464.06, abs=0.05)
    assert after.deviation == pytest.approx(151.52, abs=0.05)
    assert after.volatility == pytest.approx(0.05999, abs=1e-5)


# --- the recorded conversation ---------------------------------------------------------------------------------------


def test_recorded_conversation_message_by_message():
    """Four clients say what the recorded ones said; the server must answer what the real one answered."""
    lines = [json.loads(line) for line in TRANSCRIPT.read_text().splitlines()]
    lines = [line for line in lines if line["dir"] != "CLOSE"]
    deals = {client: [] for client in range(4)}
    for line in lines:
        if line["msg"]["type"] == "DEAL_CARDS":
            deals[line["client"]].append(" ".join(name_of(card) for card in line["msg"]["data"]))

    async def conversation():
        async with hosting(variant="server") as server:
            told = [[line for line in lines if line["client"] in (client, "*")] for client in range(4)]
            dealt = [" | ".join(deals[client][i] for client in range(4)) for i in range(20)]
            force_deals(server, dealt)
            await asyncio.gather(*(speak(server.url, client, told[client]) for client in range(4)))

    async def speak(url, client, script):
        if client > 0:
            await started[client - 1].wait()
        async with connect(url) as socket:
            for line in script:
                if line["dir"] == "C>S":
                    await socket.send(json.dumps(line["msg"]))
                    continue
                got = json.loads(await socket.recv())
                assert comparable(got) == comparable(line["msg"])
                if got["type"] == "BROADCAST_SESSION_JOINED":
                    started[client].set()
            with pytest.raises(ConnectionClosed) as closed:
                await socket.recv()
            assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1000, "Game Finished")

    started = [asyncio.Event() for _ in range(4)]
    run(conversation())


def name_of(card):
    return card["color"][0].lower() + {11: "J", 12: "Q", 13: "K", 14: "A"}.get(card["number"], str(card["number"]))


def comparable(message):
    """Without the random ids; the order of cards in a hand has no meaning."""
    text = json.loads(json.dumps(message), object_hook=lambda o: {k: v for k, v in o.items() if k != "id"})
    if text["type"] == "DEAL_CARDS":
        text["data"] = sorted(text["data"], key=str)
    return text


def force_deals(server, deals):
    """The deals of the recorded game in place of random ones."""
    game = server.game
    opening = game.opening

    def prepared(seed=0):
        position = opening(seed)
        left = list(deals)

        def roll_noted():
            position.happen(left[0])
            return left.pop(0)

        position.roll_noted = roll_noted
        return position

    game.opening = prepared


# --- single games ----------------------------------------------------------------------------------------------------


def test_four_plain_bots_play_a_game_and_leave_a_record(tmp_path):
    async def game():
        async with hosting(records=str(tmp_path)) as server:
            return await asyncio.gather(*(Bot(server.url, f"b{i}", "s", team=i // 2).play() for i in range(4)))

    bots = run(game())
    assert [bot.close for bot in bots] == [(1000, "Game Finished")] * 4
    assert bots[0].data("BROADCAST_SESSION_JOINED")[0]["player"]["seatId"] == 0
    rounds = bots[0].count("BROADCAST_GAME_FINISHED")
    assert rounds >= 1 and bots[0].count("BROADCAST_STICH") == 9 * rounds
    assert sum(bot.count("REJECT_CARD") for bot in bots) > 0
    assert bots[0].data("BROADCAST_TRUMPF")[:2] == [{"mode": "SCHIEBE"}, {"mode": "OBEABE"}]
    record = Record.load(next(tmp_path.iterdir()))
    final = replay(record)[-1]
    winner = bots[0].data("BROADCAST_WINNER_TEAM")[0]
    assert winner["points"] == max(final.score) and winner["currentRoundPoints"] == 0


def test_equal_seeds_give_equal_deals():
    async def first_hand():
        async with hosting(seed=11) as server:
            bots = await asyncio.gather(*(Bot(server.url, f"b{i}", "s", team=i % 2).play() for i in range(4)))
            return {bot.name: bot.data("DEAL_CARDS")[0] for bot in bots if bot.data("BROADCAST_TEAMS")}

    def by_seat(hands):
        return sorted(json.dumps(hand) for hand in hands.values())

    assert by_seat(run(first_hand())) == by_seat(run(first_hand()))


def test_clients_with_agents_play_a_game():
    async def game():
        async with hosting() as server:
            clients = [
                JassJoining(url=server.url, player=f"p{i}", session="a", team=i % 2, agent=sw.agent(spec), seconds=0.05)
                for i, spec in enumerate(("rules", "random", "rules", "random"))
            ]
            return await asyncio.gather(*(client.play() for client in clients))

    found = run(game())
    assert [result["games"] for result in found] == [1] * 4
    assert [result["refused"] for result in found] == [0] * 4
    assert sum(result["won"] for result in found) == 2


def test_spectator_sees_the_game_and_may_leave():
    async def game():
        async with hosting() as server:
            bots = [Bot(server.url, f"b{i}", "s") for i in range(4)]
            first = asyncio.create_task(bots[0].play())
            while not bots[0].count("BROADCAST_SESSION_JOINED"):
                await asyncio.sleep(0.01)
            watcher = Bot(server.url, "w", "s", sessionChoice="SPECTATOR")
            leaver = Bot(server.url, "l", "s", asSpectator=True)
            watching = asyncio.create_task(watcher.play())
            leaving = asyncio.create_task(leaver.play())
            while not (watcher.count("SESSION_JOINED") and leaver.count("SESSION_JOINED")):
                await asyncio.sleep(0.01)
            leaving.cancel()
            await leaver.socket.close()
            await asyncio.gather(first, watching, *(bot.play() for bot in bots[1:]))
            return watcher, bots

    watcher, bots = run(game())
    assert watcher.count("DEAL_CARDS") == 0 and watcher.count("REQUEST_CARD") == 0
    assert watcher.count("PLAYED_CARDS") == bots[0].count("PLAYED_CARDS") > 0
    assert watcher.close == (1000, "Game Finished")


def test_seats_follow_the_chosen_team_and_spill_over():
    async def game():
        async with hosting() as server:
            bots = []
            for number, team in enumerate((0, 0, 0, None)):
                bots.append(Bot(server.url, f"b{number}", "s", team=team))
                bots[-1].task = asyncio.create_task(bots[-1].play())
                while not bots[-1].count("BROADCAST_SESSION_JOINED"):
                    await asyncio.sleep(0.005)
            await asyncio.gather(*(bot.task for bot in bots))
            return [bot.data("BROADCAST_SESSION_JOINED")[0]["player"]["seatId"] for bot in bots]

    assert run(game()) == [0, 2, 1, 3]


def test_server_seats_its_own_bots():
    async def game():
        async with hosting(bot="random") as server:
            bot = Bot(server.url, "guest", "s")
            playing = asyncio.create_task(bot.play())
            while not bot.count("BROADCAST_SESSION_JOINED"):
                await asyncio.sleep(0.01)
            for _ in range(3):
                await bot.say("JOIN_BOT", {"sessionName": "s"})
            return await playing

    assert run(game()).close == (1000, "Game Finished")


# --- clients that misbehave ------------------------------------------------------------------------------------------


class Rude(Bot):
    """Answers the first card request with what it is told to."""

    def __init__(self, *args, answer, **more):
        super().__init__(*args, **more)
        self.answer = answer

    async def card(self):
        await self.socket.send(self.answer)


@pytest.mark.parametrize(
    "answer",
    [
        "this is not JSON",
        "[]",
        '{"type": "CHOOSE_TRUMPF", "data": {"mode": "OBEABE"}}',
        '{"type": "CHOOSE_CARD", "data": {"number": 5, "color": "HEARTS"}}',
        '{"type": "CHOOSE_CARD", "data": {"number": 6, "color": "ROSES"}}',
        '{"type": "CHOOSE_CARD", "data": null}',
    ],
)
def test_bad_answer_in_the_game_loses_it_at_once(answer):
    async def game():
        async with hosting() as server:
            bots = [Rude(server.url, "rude", "s", answer=answer, team=0)]
            bots += [Bot(server.url, f"b{i}", "s", team=team) for i, team in enumerate((0, 1, 1))]
            await asyncio.gather(*(bot.play() for bot in bots))
            assert await still_works(server)
            return bots

    bots = run(game())
    assert bots[0].count("BAD_MESSAGE") == 1
    assert bots[1].data("BROADCAST_WINNER_TEAM")[0]["name"] == "Team 2"
    assert all(bot.close == (1000, "Game Finished") for bot in bots)


def test_pushing_twice_is_refused_and_asked_again():
    class Pusher(Bot):
        asked = 0

        async def trumpf(self, pushed):
            self.asked += 1
            if pushed and self.asked == 1:
                await self.say("CHOOSE_TRUMPF", {"mode": "SCHIEBE"})
            else:
                await super().trumpf(pushed)

    async def game():
        async with hosting() as server:
            return await asyncio.gather(*(Pusher(server.url, f"b{i}", "s").play() for i in range(4)))

    bots = run(game())
    assert sum(bot.count("REJECT_TRUMPF") for bot in bots) >= 1
    assert all(bot.count("BROADCAST_GAME_FINISHED") for bot in bots)


def test_leaving_before_the_start_closes_the_session():
    async def game():
        async with hosting() as server:
            one, two = Bot(server.url, "one", "s"), Bot(server.url, "two", "s")
            tasks = [asyncio.create_task(bot.play()) for bot in (one, two)]
            while not (one.count("BROADCAST_SESSION_JOINED") and two.count("BROADCAST_SESSION_JOINED")):
                await asyncio.sleep(0.01)
            await one.socket.close()
            await asyncio.gather(*tasks)
            assert await still_works(server)
            return two

    two = run(game())
    assert two.count("ERROR") == 1 and two.close[0] == 1000


def test_leaving_the_game_loses_it():
    class Leaver(Bot):
        async def card(self):
            if self.count("BROADCAST_STICH") == 2:
                await self.socket.close()
            else:
                await super().card()

    async def game():
        async with hosting() as server:
            bots = [Leaver(server.url, "leaver", "s", team=1)]
            bots += [Bot(server.url, f"b{i}", "s", team=team) for i, team in enumerate((1, 0, 0))]
            await asyncio.gather(*(bot.play() for bot in bots))
            assert await still_works(server)
            return bots

    bots = run(game())
    assert bots[1].count("ERROR") == 1
    assert bots[1].data("BROADCAST_WINNER_TEAM")[0]["name"] == "Team 1"
    assert bots[1].close == (1000, "Game Finished")


def test_bad_answers_before_the_game_are_answered_and_asked_again():
    async def talk():
        async with hosting() as server, connect(server.url) as socket:
            kinds = [json.loads(await socket.recv())["type"]]
            for text in ("{", '{"type": "CHOOSE_PLAYER_NAME", "data": "  "}', '{"type": "X"}',
                         '{"type": "CHOOSE_PLAYER_NAME", "data": "me"}', '{"type": "CHOOSE_SESSION", "data": {}}',
                         '{"type": "CHOOSE_SESSION", "data": {"sessionChoice": "JOIN_EXISTING"}}'):  # fmt: skip
                await socket.send(text)
                kinds.append(json.loads(await socket.recv())["type"])
                if kinds[-1] == "BAD_MESSAGE":
                    kinds.append(json.loads(await socket.recv())["type"])
            assert await still_works(server)
            return kinds

    name, session, bad = "REQUEST_PLAYER_NAME", "REQUEST_SESSION_CHOICE", "BAD_MESSAGE"
    assert run(talk()) == [name, bad, name, bad, name, bad, name, session, bad, session, bad, session]


def test_endless_rubbish_ends_the_connection_and_nothing_else():
    async def talk():
        async with hosting() as server, connect(server.url) as socket:
            with pytest.raises(ConnectionClosed):
                while True:
                    await socket.send("rubbish")
                    await socket.recv()
            async with connect(server.url) as other:
                with pytest.raises(ConnectionClosed):
                    await other.recv()
                    await other.send("x" * 200_000)
                    while True:
                        await other.recv()
            return await still_works(server)

    assert run(talk())


# --- tournaments -----------------------------------------------------------------------------------------------------


def test_two_tournaments_at_once():
    async def tournaments():
        async with hosting(rounds=2, duplicate=True) as server:
            bots = [
                Bot(server.url, name, session, "TOURNAMENT")
                for session in ("t1", "t2") for name in ("a", "b", "c") for _ in range(2)
            ]  # fmt: skip
            playing = [asyncio.create_task(bot.play()) for bot in bots]
            watchers = [await start_when_ready(server.url, session, 6) for session in ("t1", "t2")]
            await asyncio.gather(*playing, *(watching for _, watching in watchers))
            return bots, [watcher for watcher, _ in watchers]

    bots, watchers = run(tournaments())
    for watcher in watchers:
        final = watcher.data("BROADCAST_TOURNAMENT_RANKING_TABLE")[-1]
        assert len(final["pairingResults"]) == 3 * 2 * 2
        assert sorted(row["rank"] for row in final["ranking"])[0] == 1
        assert all("rating" in row for row in final["ranking"])
        assert watcher.count("BROADCAST_TOURNAMENT_STARTED") == 1
    assert all(bot.close == (1000, "Game Finished") for bot in bots)
    assert all(bot.count("BROADCAST_WINNER_TEAM") == 8 for bot in bots)


def test_late_answer_loses_the_game_but_not_the_connection():
    class Slow(Bot):
        slow = True

        async def card(self):
            if self.slow:
                type(self).slow = False
                await asyncio.sleep(1.5)
                return
            await super().card()

    async def tournament():
        async with hosting(rounds=2, limit=1.0) as server:
            bots = [Slow(server.url, "slow", "t", "TOURNAMENT") for _ in range(2)]
            bots += [Bot(server.url, "quick", "t", "TOURNAMENT") for _ in range(2)]
            playing = [asyncio.create_task(bot.play()) for bot in bots]
            watcher, watching = await start_when_ready(server.url, "t", 4)
            await asyncio.gather(*playing, watching)
            return watcher, bots

    watcher, bots = run(tournament())
    final = watcher.data("BROADCAST_TOURNAMENT_RANKING_TABLE")[-1]
    assert len(final["pairingResults"]) == 2
    lost = final["pairingResults"][-1]
    assert lost["firstPlayerWon"] == (lost["player1"] == "quick")
    assert all(bot.count("BROADCAST_WINNER_TEAM") == 2 for bot in bots)


def test_vanishing_bot_is_marked_and_loses_the_rest():
    class Vanishing(Bot):
        async def card(self):
            await self.socket.close()

    async def tournament():
        async with hosting(rounds=1) as server:
            bots = [Vanishing(server.url, "gone", "t", "TOURNAMENT") for _ in range(2)]
            bots += [Bot(server.url, name, "t", "TOURNAMENT") for name in ("a", "b") for _ in range(2)]
            playing = [asyncio.create_task(bot.play()) for bot in bots]
            watcher, watching = await start_when_ready(server.url, "t", 6)
            await asyncio.gather(*playing, watching)
            assert await still_works(server)
            return watcher

    final = run(tournament()).data("BROADCAST_TOURNAMENT_RANKING_TABLE")[-1]
    rows = {row["playerName"]: row for row in final["ranking"]}
    assert rows["gone"].get("crashed") and not rows["a"].get("crashed")
    for result in final["pairingResults"]:
        if "gone" in (result["player1"], result["player2"]):
            assert result["firstPlayerWon"] == (result["player2"] == "gone")
    assert rows["gone"]["rank"] == 3


def test_tournament_refuses_a_third_connection_and_an_early_start():
    async def tournament():
        async with hosting() as server:
            bots = [Bot(server.url, "a", "t", "TOURNAMENT") for _ in range(3)]
            playing = [asyncio.create_task(bot.play()) for bot in bots]
            watcher, watching = await start_when_ready(server.url, "t", 2)
            while not watcher.count("ERROR"):
                await asyncio.sleep(0.01)
            while sum(bot.close is not None for bot in bots) < 1:
                await asyncio.sleep(0.01)
            late = [Bot(server.url, "b", "t", "TOURNAMENT") for _ in range(2)]
            playing += [asyncio.create_task(bot.play()) for bot in late]
            while watcher.data("BROADCAST_TOURNAMENT_RANKING_TABLE")[-1]["ranking"][-1]["connectedClients"] < 2 or len(
                watcher.data("BROADCAST_TOURNAMENT_RANKING_TABLE")[-1]["ranking"]) < 2:  # fmt: skip
                await asyncio.sleep(0.01)
            await watcher.say("START_TOURNAMENT")
            await asyncio.gather(*playing, watching)
            return watcher

    watcher = run(tournament())
    assert len(watcher.data("BROADCAST_TOURNAMENT_RANKING_TABLE")[-1]["pairingResults"]) == 1


def test_agents_play_a_tournament_over_the_socket():
    async def tournament():
        async with hosting(rounds=2, limit=5.0) as server:
            clients = [
                JassJoining(url=server.url, player=name, session="t", type="tournament", agent=sw.agent(name))
                for name in ("rules", "random")
            ]
            playing = [asyncio.create_task(client.play()) for client in clients]
            _, watching = await start_when_ready(server.url, "t", 4)
            found = await asyncio.gather(*playing)
            await watching
            return found

    found = run(tournament())
    assert [result["games"] for result in found] == [2, 2]
    assert found[0]["won"] + found[1]["won"] == 2 and found[0]["refused"] == found[1]["refused"] == 0


# --- the command line ------------------------------------------------------------------------------------------------


def test_options_of_host_and_join_are_read_and_refused():
    words = ["--port", "0", "--duplicate", "--variant=server,target=300"]
    assert options_of(words, JassHosting, {}) == {"port": "0", "duplicate": "true", "variant": "server,target=300"}
    assert options_of(["--name", "me"], JassJoining, {"name": "player"}) == {"player": "me"}
    with pytest.raises(SpielwerkError, match="is no option here"):
        options_of(["--prot", "0"], JassHosting, {})
    with pytest.raises(SpielwerkError):
        JassHosting.build({"rounds": "0"}, sw.agent)


@pytest.mark.parametrize("words", [("host", "--help"), ("host", "jass", "--help")])
def test_help_of_host_lists_every_option(words, capsys):
    told = help_of(words, capsys)
    for option in option_help(JassHosting).values():
        assert f"--{option.name.replace('_', '-')} " in told and " ".join(option.help.split()) in told
    assert "[default: 3000]" in told and "[default: off]" in told and "[default: none]" in told
    assert f"For example: {JassHosting.example}" in told


@pytest.mark.parametrize("words", [("join", "--help"), ("join", "jass", "--help")])
def test_help_of_join_lists_every_option(words, capsys):
    told = help_of(words, capsys)
    for option in option_help(JassJoining).values():
        assert f"--{option.name} " in told and " ".join(option.help.split()) in told
    assert "--agent AGENT" in told and "[required]" in told and "--type single|tournament" in told
    assert "--name, --player TEXT" in told
    assert f"For example: {JassJoining.example}" in told


def help_of(words, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(list(words))
    assert not stopped.value.code
    return " ".join(capsys.readouterr().out.split())


def test_help_without_the_package_of_a_bridge_says_how_to_install_it(capsys, monkeypatch):
    def missing(game):
        raise SpielwerkError("the bridge of jass needs a package: pip install spielwerk[bridges]")

    monkeypatch.setattr("spielwerk.bridges.bridge", missing)
    assert "pip install spielwerk[bridges]" in help_of(("host", "--help"), capsys)


def test_option_without_its_value_is_named():
    with pytest.raises(SpielwerkError, match="--port needs a value: --port INTEGER"):
        options_of(["--port"], JassHosting, {})
    assert options_of(["--per-address", "3", "--duplicate"], JassHosting, {}) == {
        "per_address": "3",
        "duplicate": "true",
    }
    with pytest.raises(SpielwerkError, match="start at 1"):
        JassHosting.build({"per_address": "0"}, sw.agent)


def test_unknown_agent_for_the_bots_is_told_before_the_server_starts():
    with pytest.raises(UnknownName, match="rulez"):
        hosting(bot="rulez")


def test_unknown_bridge_is_named():
    with pytest.raises(UnknownName, match="jass"):
        bridge("jas")


def test_port_in_use_is_told():
    async def twice():
        async with hosting() as server:
            with pytest.raises(SpielwerkError, match="choose another --port"):
                async with hosting(port=server.port):
                    pass

    run(twice())


def test_slow_agent_is_answered_for_in_time():
    asked, awake = threading.Event(), threading.Event()

    @dataclass(frozen=True)
    class Dreamer(Agent):
        name = "dreamer"

        def decide(self, view, budget, rng):
            if budget.seconds is None and not asked.is_set():  # the first question of the game, not the warming up
                asked.set()
                awake.wait(60)
            return Decision(view.legal[0])

    async def game():
        async with hosting(variant="server-deal") as server:
            clients = [
                JassJoining(agent, url=server.url, player="p", session="a", hurry=hurry)
                for agent, hurry in ((Dreamer(), 0.05), *[(sw.agent("random"), 60.0)] * 3)
            ]
            try:
                return await asyncio.gather(*(client.play() for client in clients))
            finally:
                awake.set()

    found = run(game())
    assert asked.is_set() and [result["games"] for result in found] == [1] * 4
    assert found[0]["hurried"] >= 1 and [result["hurried"] for result in found[1:]] == [0] * 3
