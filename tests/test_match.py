"""Matches, records, replays, golden records, the registry."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spielwerk as sw
from spielwerk.core import registry
from spielwerk.core.errors import BadRecord, IllegalMove, SpielwerkError, UnknownName
from spielwerk.core.match import Record, record_of, table_of
from spielwerk.core.running import run, run_many
from tiny_games import Claim, Whisper

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
def test_golden_records_replay(path):
    """A refactoring may not change a golden record: rules, notation and state bytes stay as they are."""
    record = Record.load(path)
    positions = sw.replay(record)
    assert positions[-1].over
    assert list(positions[-1].score) == record.result.scores


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*-random-*.json")), ids=lambda path: path.stem)
def test_golden_records_are_played_again_from_their_seed(path):
    """The random agent is nothing but the random streams, so these records pin them too."""
    record = Record.load(path)
    header = record.header
    game = table_of(header)
    again = sw.play(game, [sw.agent(spec) for spec in header.agents], header.seed)
    assert again.events == record.events
    assert again.result == record.result


def test_every_registered_game_has_a_golden_record():
    covered = {Record.load(path).header.game for path in GOLDEN.glob("*-random-*.json")}
    assert covered == set(sw.game_names())


def test_a_match_is_a_function_of_its_seed():
    game = sw.game("2048")
    first, second = (sw.play(game, [sw.agent("random")], seed=s) for s in (3, 4))
    assert first == sw.play(game, [sw.agent("random")], seed=3)
    assert first.events != second.events


def test_many_matches_at_once_are_the_single_matches():
    game = sw.game("2048")
    agents = [sw.agent("greedy")]
    together = run_many(game, agents, list(range(40)))
    for seed in (0, 17, 39):
        alone = run(game, agents, seed)
        assert list(alone.log) == list(together[seed].log)
        assert alone.final.tobytes() == together[seed].final.tobytes()


def test_a_match_longer_than_the_log_is_played_whole(monkeypatch):
    """The log of a batch has room for 65,536 actions; a batch with more is played in several goes."""
    game = sw.game("2048")
    played = run_many(game, [sw.agent("random")], list(range(900)))
    assert sum(len(match.log) for match in played) > 1 << 16
    for seed in (0, 899):
        assert list(played[seed].log) == list(run(game, [sw.agent("random")], seed).log)


def test_the_nth_chance_event_does_not_depend_on_the_moves():
    """Duplicate dice: in Claim the n-th round has the same value whatever the seats named before."""
    values = set()
    for moves in (("one", "one", "one"), ("three", "two", "one"), ("two", "three", "three")):
        position = Claim().new(6)
        seen = [int(position.state["value"][0])]
        while not position.play(dict(enumerate(moves))).over:
            seen.append(int(position.state["value"][0]))
        values.add(tuple(seen))
    assert len(values) == 1


def test_records_of_hidden_and_simultaneous_games_replay():
    for game in (Whisper(), Claim()):
        record = sw.play(game, [sw.agent("random")] * game.seats, seed=2)
        assert sw.replay(Record.from_json(record.to_json()), game)[-1].over


def test_a_record_of_a_match_played_elsewhere_needs_no_seed():
    record = sw.play(sw.game("2048"), [sw.agent("random")], seed=2)
    data = json.loads(record.to_json())
    data["header"]["seed"] = None
    assert sw.replay(Record.from_json(json.dumps(data)))[-1].score == tuple(record.result.scores)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda r: r["events"].__setitem__(2, {"0": "sideways"}), "event 3 of .* does not fit.*sideways"),
        (lambda r: r["events"].__setitem__(0, "z9=2"), "event 1 of .* does not fit.*no new tile"),
        (lambda r: r["events"].insert(2, "d4=2"), "event 3 of .* does not fit.*'d4=2' cannot happen here"),
        (lambda r: r["events"].pop(), "not over"),
        (lambda r: r["events"].append({"0": "up"}), "nobody has to decide"),
        (lambda r: r["result"]["scores"].__setitem__(0, 1.0), "claims the score"),
        (lambda r: r["result"].__setitem__("digest", "0"), "differs from the recorded one"),
        (lambda r: r["header"].__setitem__("game", "2047"), "did you mean '2048'"),
        (lambda r: r["header"].__setitem__("variant", "5x5"), "unknown variant"),
        (lambda r: r["header"].__setitem__("seats", 3), "3 seats are not possible"),
        (lambda r: r["events"].__setitem__(2, {"one": "up"}), "seats are whole numbers"),
        (lambda r: r.__setitem__("format", 99), "update spielwerk"),
        (lambda r: r.pop("header"), "no record of a match"),
    ],
)
def test_damaged_records_are_refused_with_a_reason(change, said):
    data = json.loads(sw.play(sw.game("2048"), [sw.agent("random")], seed=2).to_json())
    change(data)
    with pytest.raises(SpielwerkError, match=said):
        sw.replay(Record.from_json(json.dumps(data)))


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=None)
def test_rubbish_is_no_record(data):
    with pytest.raises(BadRecord):
        Record.from_json(data)


def test_there_is_nothing_to_see_from_a_seat_that_does_not_exist():
    position = sw.game("2048").new(1)
    assert position.legal(7) == position.legal(-1) == ()
    assert position.view(-1).legal == ()
    for seat in (1, -2):
        with pytest.raises(SpielwerkError, match=f"no seat {seat}"):
            position.view(seat)


def test_a_record_that_cannot_be_written_is_named(tmp_path):
    record = sw.play(sw.game("2048"), [sw.agent("random")], seed=2)
    with pytest.raises(SpielwerkError, match=r"cannot write .*nowhere/match.json: No such file"):
        record.save(tmp_path / "nowhere" / "match.json")


def test_illegal_moves_name_seat_move_and_remedy():
    position = Claim().new(1)
    with pytest.raises(IllegalMove, match="seats 1, 2, 3 decide together"):
        position.play("one")
    with pytest.raises(IllegalMove, match="seats 1, 2, 3 must decide, but moves came for 1, 2"):
        position.play({0: "one", 1: "two"})
    with pytest.raises(IllegalMove, match="moves came for nobody"):
        position.play({})
    with pytest.raises(IllegalMove, match="seat 1 may not play '7'; legal are one two three"):
        position.play({0: 7, 1: 0, 2: 0})
    with pytest.raises(SpielwerkError, match="need as many agents"):
        run(Claim(), [sw.agent("random")], 1)


def test_the_plain_picture_shows_the_declared_fields_only():
    assert [line.split(":")[0] for line in Claim().new(1).text.splitlines()] == ["points", "rounds", "value"]


def test_games_and_agents_can_be_registered_for_this_process():
    registry.register(Claim)
    try:
        assert "claim" in sw.game_names()
        assert sw.game("claim").seats == 3
    finally:
        registry.unregister(Claim)
    with pytest.raises(UnknownName):
        sw.game("claim")


def test_variants_take_options():
    small = sw.game("2048", variant="3x3")
    assert small.variant == "3x3"
    assert sw.game("2048", variant="width=3,height=3").variant == "4x4,height=3,width=3"
    assert sw.game("2048", variant="3x3,width=3").variant == "3x3"
    twice = sw.game("2048", variant="width=3,width=2")
    assert twice.variant == "4x4,width=2", "the last word counts, and the name says what is played"
    assert sw.game("2048", variant="width=3,width=4").variant == "4x4"
    for text, said in (("width=9", "from 2 to 4"), ("width=x", "whole number"), ("depth=3", "unknown rule option")):
        with pytest.raises(SpielwerkError, match=said):
            sw.game("2048", variant=text)


def test_the_record_is_made_from_seed_and_actions_alone():
    game = sw.game("2048")
    played = run(game, [sw.agent("random")], 12)
    with pytest.raises(IllegalMove):
        record_of(game, ["random"], 12, played.log[:-1])
    assert record_of(game, ["random"], 12, played.log) == sw.play(game, [sw.agent("random")], 12)


def test_importing_spielwerk_imports_no_extra():
    import subprocess
    import sys

    code = (
        "import sys, spielwerk, spielwerk.cli, spielwerk.arena.evaluate; spielwerk.game('2048').new(1); "
        "extras = 'torch fastapi ray gymnasium pettingzoo matplotlib websockets'.split(); "
        "print([name for name in extras if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
