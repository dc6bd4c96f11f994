"""Logs of spe_ed: states in the JSON of the official server, records, what a damaged log is told, `spielwerk check`."""

import copy
import json
import random
from itertools import pairwise
from pathlib import Path

import pytest

import speed_reference as reference
from spielwerk.cli import main
from spielwerk.core import registry
from spielwerk.core.errors import BadRecord, SpielwerkError
from spielwerk.core.match import Record, play, replay
from spielwerk.core.words import overheard, speaking
from spielwerk.games.speed.game import Speed
from spielwerk.games.speed.kernel.rules import BY_BORDER, BY_CRASH, BY_SPEED, UNHEARD
from spielwerk.games.speed.log import check, follow, position_of, read_log, state_of, to_json, write_log
from spielwerk.games.speed.states import states_from
from test_speed_reference import Driver

GOLDEN = Path(__file__).parent / "golden"


def log_of_the_reference(seats, variant, driver, seed=0):
    """A log that the game has no part in but the start."""
    state = state_of(Speed(seats, variant).new(seed))
    log = [state]
    while state["running"]:
        state = reference.step(state, len(log), driver.actions(state, len(log)))
        log.append(state)
    return log


def long_log(seats=3, least=20, **driver):
    """A log with jumps."""
    for seed in range(1000):
        careful = Driver(f"log {seats} {seed}", **{"care": 1.0, "hurry": 0.5, "silence": 0.0, **driver})
        log = log_of_the_reference(seats, "small", careful, seed)
        if len(log) > least:
            return log
    raise AssertionError("no log is long enough")


def faults(log):
    """What is wrong with the first bad state of a log."""
    return follow(states_from(json.dumps(log)))[0]


def cell(log, number, x, y, value):
    """The log with another value in a cell after a round, and nothing else."""
    damaged = copy.deepcopy(log)
    damaged[number]["cells"][y][x] = value
    return damaged


def player(log, number, name, **fields):
    damaged = copy.deepcopy(log)
    damaged[number]["players"][name] |= fields
    return damaged


# --- one state -------------------------------------------------------------------------------------------------------


def test_a_state_is_that_of_the_server():
    position = Speed(2, "width=8,height=8").new(4)
    state = state_of(position.view(1), deadline="2021-01-17T12:00:07Z", names=["Lampe", "Tinte"])
    assert list(state) == ["width", "height", "cells", "players", "you", "running", "deadline"]
    assert (state["you"], state["running"], len(state["cells"])) == (2, True, 8)
    one = state["players"]["1"]
    assert list(one) == ["x", "y", "direction", "speed", "active"], "names are told at the end only"
    assert state["cells"][one["y"]][one["x"]] == 1
    assert json.loads(json.dumps(state)) == state, "plain numbers, no NumPy"
    assert state_of(position)["you"] == 0 and state_of(position, you=1)["you"] == 1


def test_the_last_state_has_names_and_no_deadline():
    position = Speed(2, "width=8,height=8").new(4).apply({0: "slow_down", 1: "change_nothing"})
    state = state_of(position, deadline="2021-01-17T12:00:07Z", names=["Lampe", "Tinte"])
    assert not state["running"] and "deadline" not in state
    assert [one["name"] for one in state["players"].values()] == ["Lampe", "Tinte"]
    assert (state["players"]["1"]["speed"], state["players"]["1"]["active"]) == (0, False)


def test_a_position_before_the_start_has_no_state():
    with pytest.raises(SpielwerkError, match="not drawn yet"):
        state_of(Speed(2).opening())


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_states_become_positions_that_play_on(seats):
    """From every state of a match the next one follows, if the number of the round is known."""
    game = Speed(seats, "no_answer=1")
    log = long_log(seats, care=0.98, silence=0.001)
    events = follow(states_from(json.dumps(log)))[1]
    for number, (before, after) in enumerate(pairwise(log)):
        position = position_of(game, before, number)
        assert {**state_of(position), "you": 0} == {**before, "you": 0}
        position.apply({int(seat): move for seat, move in events[number + 1].items()})
        assert {**state_of(position), "you": 0} == {**after, "you": 0}


def test_why_somebody_is_out_is_guessed_from_the_state():
    board = {
        "width": 5,
        "height": 3,
        "cells": [[1, -1, 1, 0, 2], [3, 3, 3, 0, 0], [4, 0, 0, 5, 0]],
        "players": {
            "1": {"x": 2, "y": 0, "direction": "right", "speed": 2, "active": False},
            "2": {"x": 4, "y": -1, "direction": "up", "speed": 1, "active": False},
            "3": {"x": 2, "y": 1, "direction": "right", "speed": 11, "active": False},
            "4": {"x": 0, "y": 2, "direction": "right", "speed": 1, "active": False},
            "5": {"x": 3, "y": 2, "direction": "right", "speed": 1, "active": True},
        },
        "running": False,
    }
    position = position_of(Speed(5), board, 9)
    assert position.over
    assert position.state[0]["why"][:5].tolist() == [BY_CRASH, BY_BORDER, BY_SPEED, UNHEARD, 0]
    assert position.state[0]["out"][:5].tolist() == [9, 9, 9, 9, 0]
    assert max(position.result) == position.result[4]


@pytest.mark.parametrize(
    ("change", "seats", "rounds", "said"),
    [
        ({}, 3, 0, "is of 2 players, and the table is for 3"),
        ({}, 2, -1, "-1 rounds cannot have been played"),
        ({}, 2, 10**9, "cannot have been played"),
        ({"width": "8"}, 2, 0, "Expected `int`, got `str`"),
        ({"height": 9}, 2, 0, "not 9 rows of 8 cells"),
        ({"players": []}, 2, 0, "Expected `object`"),
    ],
)
def test_a_bad_state_says_what_is_wrong(change, seats, rounds, said):
    state = state_of(Speed(2, "width=8,height=8").new(4)) | change
    with pytest.raises(BadRecord, match=said):
        position_of(Speed(seats), state, rounds)


def test_nobody_is_active_at_a_forbidden_speed():
    log = [state_of(Speed(2, "width=8,height=8").new(4))]
    with pytest.raises(BadRecord, match="player 2 is active at speed 11; speeds are 1 to 10"):
        position_of(Speed(2), player(log, 0, "2", speed=11)[0], 5)


# --- right logs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["official", "small", "any-start", "width=9,height=12", "small,no_answer=1"])
@pytest.mark.parametrize("seats", [2, 5])
def test_records_become_logs_and_records_again(seats, variant):
    game = Speed(seats, variant)
    for seed in range(5):
        record = play(game, [registry.agent("random")] * seats, seed)
        log = write_log(record)
        assert len(log) == len(record.events)
        found = read_log(to_json(log))
        assert found.events == record.events
        assert found.result.scores == record.result.scores
        assert found.header.agents == record.header.agents
        assert write_log(Record.from_json(found.to_json())) == log
        assert replay(found)[-1].over


@pytest.mark.parametrize("seats", Speed.spec.seats)
def test_logs_of_the_reference_follow_the_rules(seats):
    for seed in range(6):
        driver = Driver(f"right {seats} {seed}", 0.98, 0.4, 0.003)
        log = log_of_the_reference(seats, random.Random(seed).choice(["official", "small", "any-start"]), driver, seed)
        found = read_log(json.dumps(log))
        assert [state["cells"] for state in write_log(found)] == [state["cells"] for state in log]
        winner = reference.winner(log[-1])
        scores = found.result.scores
        first = [seat + 1 for seat in range(seats) if scores[seat] == max(scores)]
        assert (len(first) > 1) if winner is None else first == [int(winner)]


def test_the_variant_of_a_log_is_the_narrowest_that_fits():
    start = state_of(Speed(3).new(1))
    assert read_log(json.dumps([start])).header.variant == "official"
    small = state_of(Speed(3, "width=30,height=12").new(1))
    assert read_log(json.dumps([small])).header.variant == "official,height=12,width=30"
    turned = player([start], 0, "2", direction="up")
    assert read_log(json.dumps(turned)).header.variant == "any-start"
    tiny = {
        "width": 4,
        "height": 3,
        "cells": [[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 2]],
        "players": {
            "1": {"x": 1, "y": 1, "direction": "right", "speed": 1, "active": True},
            "2": {"x": 3, "y": 2, "direction": "up", "speed": 1, "active": True},
        },
        "running": True,
    }
    record = read_log(json.dumps([tiny, reference.step(tiny, 1, {"1": "turn_left", "2": None})]))
    assert record.header.variant == "any-start,no_answer=1"
    assert replay(record)[-1].score == (1, 0)


def test_a_log_may_end_before_the_match():
    log = long_log()
    record = read_log(json.dumps(log[:10]))
    assert record.result is None
    assert len(record.events) == 10
    assert check(json.dumps(log[:10]).encode()).facts["result"] == "the match is not over"


def test_a_log_may_have_a_state_per_line():
    """As the official server keeps it: who plays in the first line, then the states."""
    log = long_log()
    lines = "\n".join(map(json.dumps, log))
    assert read_log(lines) == read_log(json.dumps(log))
    assert read_log('{"1": {"Pseudonym": "Lampe"}}\n' + lines) == read_log(json.dumps(log))
    assert read_log(b"\xef\xbb\xbf" + json.dumps(log, indent=2).encode()) == read_log(json.dumps(log))


def test_names_of_a_log_are_kept():
    log = long_log(2)
    names = {"1": "Lampe-Ofen-Birke", "2": "Tinte-Kabel-Moos"}
    for name, text in names.items():
        log[-1]["players"][name]["name"] = text
    assert read_log(json.dumps(log)).header.agents == list(names.values())
    assert write_log(read_log(json.dumps(log)))[-1]["players"]["2"]["name"] == "Tinte-Kabel-Moos"


# --- damaged logs ----------------------------------------------------------------------------------------------------


def test_whatever_is_changed_is_found_in_its_round():
    """One value of one state, anywhere: the fault is told of the round that leads to it."""
    chance, changed = random.Random(5), 0
    for seed in range(150):
        log = log_of_the_reference(chance.randint(2, 6), "small", Driver(seed, 0.99, 0.4, 0.0), seed)
        number = chance.randrange(1, len(log))
        damaged = [*log[:number], copy.deepcopy(log[number]), *log[number + 1 :]]
        damage(damaged[number], chance)
        if damaged == log:
            continue
        changed += 1
        try:
            found = faults(damaged)
        except BadRecord as problem:
            assert f"state {number + 1} of {len(log)}: player" in str(problem)
        else:
            assert found and found[0].round == number, (seed, number, found)
    assert changed > 80


def damage(state, chance):
    one = chance.choice(list(state["players"].values()))
    kind = chance.choice(["cell", "x", "y", "direction", "speed", "active", "running"])
    if kind == "cell":
        x, y = chance.randrange(state["width"]), chance.randrange(state["height"])
        state["cells"][y][x] = chance.choice([-1, *range(len(state["players"]) + 1)])
    elif kind == "direction":
        one["direction"] = chance.choice(reference.CLOCKWISE)
    elif kind == "running":
        state["running"] = not state["running"]
    elif kind == "active":
        one["active"] = not one["active"]
    elif kind != "speed":
        one[kind] += chance.choice([-1, 1])
    elif one["active"]:  # who is out by its speed would be one who was not heard, which is right, too
        one["speed"] = min(10, max(1, one["speed"] + chance.choice([-1, 1, 3])))


GO, FASTER, SLOWER, LEFT, RIGHT = "change_nothing", "speed_up", "slow_down", "turn_left", "turn_right"


def track(*rounds, starts=((0, 0), (0, 2), (0, 4))):
    """A log of players who all start to the right on a board of 14 by 5; a round is the action of each of them."""
    cells = [[0] * 14 for _ in range(5)]
    players = {}
    for number, (x, y) in enumerate(starts, 1):
        cells[y][x] = number
        players[str(number)] = {"x": x, "y": y, "direction": "right", "speed": 1, "active": True}
    log = [{"width": 14, "height": 5, "cells": cells, "players": players, "running": True}]
    for number, actions in enumerate(rounds, 1):
        named = {str(place): action for place, action in enumerate(actions, 1)}
        log.append(reference.step(log[-1], number, named))
    return log


# after round 6 the first row is 1 1 1 1 1 1 1 1 . 1> . . . .
JUMP = track(*[(GO, GO, GO)] * 4, (FASTER, GO, GO), (FASTER, GO, GO), (GO, GO, GO))
# player 2 crosses the way of player 1, who drives into the trail in round 2
TRAIL = track((GO, LEFT, GO), (GO, RIGHT, GO), (GO, GO, GO), starts=((0, 0), (2, 1), (0, 4)))
# both drive into the same cell in round 1
MEETING = track((FASTER, LEFT, GO), starts=((0, 0), (2, 1), (0, 4)))
# player 1 leaves the board in round 2
BORDER = track((GO, GO, GO), (LEFT, GO, GO))
# player 1 goes out by its speed in round 2, then player 2 in round 3
SLOW = track((GO, GO, GO), (SLOWER, GO, GO), (GO, SLOWER, GO))

OTHER = track(starts=((0, 0), (0, 2)))
LATE, EARLY = [*SLOW[:-1], SLOW[-1] | {"running": True}], [*SLOW[:2], SLOW[2] | {"running": False}]

DAMAGES = {  # log, round, rule, player, cell, what is said
    "a hole is filled": (cell(JUMP, 6, 8, 0, 1), 6, "jump", 1, (8, 0), "player 1 jumps over it in round 6 at speed 3"),
    "a hole where nobody jumps": (cell(JUMP, 7, 11, 0, 0), 7, "jump", 1, (11, 0), "in every sixth round only"),
    "a trail is gone": (cell(JUMP, 3, 0, 4, 0), 3, "trail", None, (0, 4), "holds 0, not 3: nobody drives there"),
    "a trail from nowhere": (cell(JUMP, 3, 9, 3, 2), 3, "trail", None, (9, 3), "holds 2, not 0: nobody drives there"),
    "a cell is not drawn": (cell(JUMP, 2, 2, 0, 0), 2, "trail", 1, (2, 0), "holds 0, not 1: player 1 drives over it"),
    "another's cell": (cell(JUMP, 2, 2, 0, 2), 2, "trail", 1, (2, 0), "holds 2, not 1: player 1 drives over it"),
    "a crash is not drawn": (cell(TRAIL, 2, 2, 0, 2), 2, "crash", 1, (2, 0), "player 1 drives into a filled cell"),
    "a common crash is not drawn": (cell(MEETING, 1, 2, 0, 1), 1, "crash", 1, (2, 0), "the players 1, 2 drive there"),
    "in after a crash": (player(TRAIL, 2, "1", active=True), 2, "crash", 1, (2, 0), "y=0 of its move holds -1"),
    "out without a reason": (player(JUMP, 5, "3", active=False), 5, "out", 3, None, "player 3 is not out"),
    "a wrong place": (player(JUMP, 4, "2", x=5), 4, "move", 2, None, "after change_nothing it drives 1 cell right"),
    "a wrong place outside": (player(BORDER, 2, "1", x=2), 2, "border", 1, None, "the first step beside the board"),
    "a move of one who is out": (player(SLOW, 2, "1", x=2), 2, "speed", 1, None, "out because of its speed"),
    "in at a speed of 0": (player(SLOW, 2, "1", active=True), 2, "speed", 1, None, "is 0, and only 1 to 10"),
    "two changes of speed": (player(JUMP, 3, "1", speed=3), 3, "action", 1, None, "and then right at speed 3"),
    "a turn around": (player(JUMP, 3, "1", direction="left"), 3, "action", 1, None, "and then left at speed 1"),
    "somebody comes back": (player(SLOW, 3, "1", active=True), 3, "out", 1, None, "player 1 was out before"),
    "a missing round": (JUMP[:4] + JUMP[5:], 4, "order", None, None, "if a state is missing before this one, add it"),
    "the same state twice": (JUMP[:4] + JUMP[3:], 4, "order", None, None, "the same as the one before; remove it"),
    "another match": (JUMP[:4] + OTHER, 4, "order", None, None, "belongs to another match"),
    "a state after the end": ([*SLOW, SLOW[-1]], 4, "order", None, None, "the match was over before"),
    "an end too late": (LATE, 3, "end", None, None, "1 player is left; the match ends"),
    "an end too early": (EARLY, 2, "end", None, None, "2 players are left; the match goes on"),
    "the first rounds are missing": (JUMP[3:], 0, "start", None, None, "12 cells are filled, not one per player"),
    "a fast start": (player(JUMP, 0, "2", speed=2), 0, "start", 2, None, "player 2 has the speed 2; everybody starts"),
    "a start without a player": (player(JUMP, 0, "2", active=False), 0, "start", 2, None, "player 2 is out"),
    "a start beside its cell": (player(JUMP, 0, "2", x=1), 0, "start", 2, (1, 2), "that cell holds 0; it must hold 2"),
    "over at the start": ([JUMP[0] | {"running": False}], 0, "start", None, None, "at the start the match is not over"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_the_rule_that_is_broken_is_named(name):
    log, number, rule, who, where, said = DAMAGES[name]
    found = faults(log)[0]
    assert (found.round, found.rule, found.player, found.cell) == (number, rule, who, where)
    assert said in found.text
    with pytest.raises(BadRecord, match="the log breaks the rules") as problem:
        read_log(json.dumps(log))
    assert said in str(problem.value)
    assert (f"in round {number} (state {number + 1} of" if number else "at the start (state 1 of") in str(problem.value)


@pytest.mark.parametrize("log", [JUMP, TRAIL, MEETING, BORDER, SLOW])
def test_the_same_logs_undamaged_are_right(log):
    assert faults(log) == []


def test_many_differences_are_counted():
    log = copy.deepcopy(JUMP)
    log[5]["cells"][3] = [1] * 14
    with pytest.raises(BadRecord, match=r"x=2, y=3 .*; and 11 more differences$"):
        read_log(json.dumps(log))


def test_faults_are_told_in_german():
    with speaking("de"), overheard() as heard:
        for log, *_ in DAMAGES.values():
            with pytest.raises(BadRecord):
                read_log(json.dumps(log))
        for text in BAD_INPUT.values():
            with pytest.raises(BadRecord):
                read_log(text)
        for log in (
            JUMP,
            TRAIL,
            MEETING,
            BORDER,
            SLOW,
            track((GO, None, GO)),
            player(JUMP, 0, "1", direction="up")[:1],
        ):
            check(json.dumps(log).encode())
        for turned in reference.CLOCKWISE:
            with pytest.raises(BadRecord):
                read_log(json.dumps(player(JUMP, 1, "1", direction=turned, speed=2)))
    assert [phrase for phrase, known in heard.items() if not known] == []


# --- what is no log --------------------------------------------------------------------------------------------------


def without(name):
    return json.dumps([{key: value for key, value in JUMP[0].items() if key != name}])


BAD_INPUT = {
    "this is no log of spe_ed": "round 1: player 1 turns left",
    "this is no log of spe_ed: Input data was truncated": "",
    "a log is a JSON list of states": json.dumps(5),
    "it is nested too deeply": '[{"you": ' + "[" * 100_000,
    "the log has no states": "[]",
    "unpack it first: lz4 -d": b"\x04\x22\x4d\x18 packed",
    "missing required field `cells`": without("cells"),
    "missing required field `running`": without("running"),
    "missing required field `width`": without("width"),
    "Expected `bool`, got `int` - at `$[0].players[...].active`": json.dumps(player(JUMP, 0, "1", active=1)),
    "Invalid enum value 'north'": json.dumps(player(JUMP, 0, "1", direction="north")),
    "Expected `int` <= 11": json.dumps(player(JUMP, 0, "1", speed=99)),
    "Expected `int` <= 6 - at `$[1].cells[3][3]`": json.dumps(cell(JUMP, 1, 3, 3, 7)),
    "state 1 of 1: a board of 81 by 2 cells cannot be read; sides are 1 to 80": json.dumps(
        [JUMP[0] | {"width": 81, "height": 2, "cells": [[0] * 81] * 2}]
    ),
    "not 4 rows of 14 cells": json.dumps([JUMP[0] | {"height": 4}]),
    "1 player is not possible": json.dumps([JUMP[0] | {"players": {"1": JUMP[0]["players"]["1"]}}]),
    "numbers 1 to 2 without a gap, not 1, 3": json.dumps(
        [JUMP[0] | {"players": {key: one for key, one in JUMP[0]["players"].items() if key != "2"}}]
    ),
    "a player who does not exist; cells are -1 to 3": json.dumps(cell(JUMP, 1, 3, 3, 5)),
    "state 3 of 8: player 2: x=17, y=2 is more than one step": json.dumps(player(JUMP, 2, "2", x=17)),
    "player 2: x=14, y=2 is beside the board, so active must be false": json.dumps(player(JUMP, 2, "2", x=14)),
}


@pytest.mark.parametrize("said", BAD_INPUT)
def test_what_is_no_log_is_told_with_a_remedy(said):
    with pytest.raises(BadRecord) as problem:
        read_log(BAD_INPUT[said])
    assert said in str(problem.value)


def test_any_damage_to_the_text_is_told():
    """Nothing but BadRecord, or a log that is right."""
    chance = random.Random(8)
    text = json.dumps(JUMP[:3])
    for _ in range(300):
        place = chance.randrange(len(text))
        damaged = text[:place] + chance.choice(["", "[", "9", "null", '"', "-", "\x00", "{"]) + text[place + 1 :]
        try:
            read_log(damaged)
        except BadRecord as problem:
            assert len(str(problem)) > 20


# --- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def cli(capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as stopped:
            main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return stopped.value.code or 0, said.out, said.err

    return run


def written(folder, log):
    file = folder / "log.json"
    file.write_text(json.dumps(log))
    return file


def test_a_right_log(cli, tmp_path):
    code, out, _ = cli("check", "speed", written(tmp_path, SLOW))
    assert code == 0
    assert out.splitlines() == [
        "ok: every round follows the rules",
        "board: 14 x 5",
        "players: 3",
        "start: not official: player 1 would drive down first",
        "rounds: 3",
        "out: player 1 in round 2 (speed), player 2 in round 3 (speed)",
        "result: player 3 wins",
    ]
    code, out, _ = cli("check", "speed", written(tmp_path, JUMP), "--json")
    assert json.loads(out)["out"] == "nobody"


@pytest.mark.parametrize(
    "name", ["a trail is gone", "a wrong place", "two changes of speed", "a missing round", "a fast start"]
)
def test_a_damaged_log_is_told_in_one_line(cli, tmp_path, name):
    kept = tmp_path / "record.json"
    code, out, err = cli("check", "speed", written(tmp_path, DAMAGES[name][0]), "--record", kept)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1 and DAMAGES[name][-1] in err
    assert not kept.exists()


def test_logs_and_records_become_each_other(cli, tmp_path):
    record, log, again = tmp_path / "record.json", tmp_path / "again.json", tmp_path / "again_record.json"
    assert cli("check", "speed", written(tmp_path, SLOW), "--record", record)[0] == 0
    code, out, _ = cli("replay", record, "--check")
    assert (code, out) == (0, "ok: 4 events, finished, score 0, 1, 2\n")
    assert cli("check", "speed", record, "--log", log)[0] == 0
    found = json.loads(log.read_text())
    assert [state["cells"] for state in found] == [state["cells"] for state in SLOW]
    assert found[-1]["players"]["3"]["name"] == "player 3"
    assert cli("check", "speed", log, "--record", again)[0] == 0
    assert again.read_bytes() == record.read_bytes()


def test_a_match_that_was_played_here_becomes_a_log(cli, tmp_path):
    record, log = tmp_path / "record.json", tmp_path / "log.json"
    cli(
        "play",
        "speed",
        "--agents",
        "random",
        "--seats",
        "4",
        "--variant",
        "small",
        "--seed",
        "5",
        "--quiet",
        "--record",
        record,
    )
    code, out, _ = cli("check", "speed", record, "--log", log)
    assert code == 0 and "start: as on the official server" in out
    assert cli("check", "speed", log)[1] == out


def test_what_cannot_be_checked(cli, tmp_path, monkeypatch):
    code, _, err = cli("check", "2048", written(tmp_path, SLOW))
    assert code == 2 and "unknown game with a log format of its own '2048': " in err
    code, _, err = cli("check", "speed", tmp_path / "nothing.json")
    assert code == 2 and err == f"error: {tmp_path}/nothing.json: No such file or directory\n"
    code, _, err = cli("check", "speed", written(tmp_path, SLOW), "--log", tmp_path / "no" / "folder.json")
    assert code == 2 and "No such file or directory" in err
    code, _, err = cli("check", "speed", GOLDEN / "2048-random-3x3.json")
    assert code == 2 and "this is a record of 2048, not of spe_ed; `spielwerk replay FILE --check` checks it" in err
    empty = tmp_path / "empty.json"
    Record(read_log(json.dumps(SLOW)).header, []).save(empty)
    code, _, err = cli("check", "speed", empty)
    assert code == 2 and "the match in this record has not begun" in err
    monkeypatch.setenv("SPIELWERK_LANGUAGE", "de")
    code, out, _ = cli("check", "speed", written(tmp_path, SLOW))
    assert code == 0 and "Ergebnis: Spieler 3 gewinnt" in out
