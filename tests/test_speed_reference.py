"""spe_ed: the game against the plain reference, over thousands of random rounds and hundreds of starts."""

import random
from collections import Counter

import pytest

import speed_reference as reference
from spielwerk.games.speed.game import ACTIONS, DIRECTIONS, Speed

WHY = ["", "speed", "border", "crash", "no answer"]  # by the number in the state
BOARDS = ["official", "small", "any-start", "width=12,height=10", "width=8,height=8", "width=30,height=9,any_start=1"]
ROUNDS = 600  # per board and number of seats
STARTS = 400  # matches


def official_state(position):
    """A position as the official server writes it; on its own here, so that a mistake elsewhere cannot hide one."""
    s = position.state[0]
    width, height = int(s["width"]), int(s["height"])
    players = {
        str(seat + 1): {
            "x": int(s["x"][seat]),
            "y": int(s["y"][seat]),
            "direction": DIRECTIONS[s["direction"][seat]],
            "speed": int(s["speed"][seat]),
            "active": s["out"][seat] == 0,
        }
        for seat in range(position.game.seats)
    }
    cells = s["cells"][: width * height].reshape(height, width).tolist()
    return {"width": width, "height": height, "cells": cells, "players": players, "running": not position.over}


def survives_alone(state, number, name, action):
    """Whether the action does not kill at once if nobody else moves."""
    only = {**state, "players": {name: state["players"][name]}}
    return not reference.reasons(only, number, {name: action})


class Driver:
    """Random actions, most of them not deadly at once; `hurry` is how often it wants to be faster."""

    def __init__(self, seed, care, hurry, silence):
        self.rng, self.care, self.hurry, self.silence = random.Random(seed), care, hurry, silence

    def actions(self, state, number):
        living = [name for name, player in state["players"].items() if player["active"]]
        return {name: self.action(state, number, name) for name in living}

    def action(self, state, number, name):
        if self.rng.random() < self.silence:
            return None
        wishes = self.rng.sample(reference.ACTIONS, 5)
        if self.rng.random() < self.hurry:
            wishes.insert(0, "speed_up")
        if self.rng.random() < self.care:
            return next((wish for wish in wishes if survives_alone(state, number, name, wish)), wishes[0])
        return wishes[0]


@pytest.mark.parametrize("seats", Speed.spec.seats)
def test_every_round_is_as_in_the_reference(seats):
    seen = Counter()
    for board in BOARDS:
        for care, hurry, silence in ((0.95, 0.1, 0.0), (0.97, 0.6, 0.002)):
            game = Speed(seats, f"{board},no_answer=1" if silence else board)
            compare(game, Driver(f"{seats} {board}", care, hurry, silence), ROUNDS // 2, seen)
    assert seen["rounds"] >= ROUNDS * len(BOARDS)
    assert min(seen["jump"], seen["hole"]) > 100, seen
    assert all(seen[why] for why in WHY[1:]), seen
    assert seen["won"] and seen["drawn"], seen


def compare(game, driver, rounds, seen):
    upto = seen["rounds"] + rounds
    for seed in range(rounds):
        position = game.new(seed)
        state = official_state(position)
        lasted = dict.fromkeys(state["players"], 0)  # rounds that a player was in
        for number in range(1, game.spec.longest + 1):
            if not state["running"] or seen["rounds"] == upto:
                break
            actions = driver.actions(state, number)
            expected, reasons = reference._round(state, number, actions)
            moves = {int(name) - 1: ACTIONS.index(action or "no_answer") for name, action in actions.items()}
            before, state = state, official_state(position.apply(moves))
            assert state == expected, f"{game}, seed {seed}, round {number}: {actions} in {before}"
            s = position.state[0]
            out = {str(seat + 1): WHY[s["why"][seat]] for seat in range(game.seats) if s["out"][seat] == number}
            assert out == reasons, f"{game}, seed {seed}, round {number}: {actions} in {before}"
            for name in lasted:
                lasted[name] += state["players"][name]["active"]
            seen["rounds"] += 1
            seen.update(reasons.values())
            note_jumps(before, state, number, actions, seen)
        if not state["running"]:
            check_result(position, state, list(lasted.values()), seen)
        if seen["rounds"] == upto:
            return


def note_jumps(before, after, number, actions, seen):
    if number % reference.JUMP_EVERY:
        return
    for name, action in actions.items():
        old, new = before["players"][name], after["players"][name]
        distance = abs(new["x"] - old["x"]) + abs(new["y"] - old["y"])
        if action is not None and new["speed"] >= reference.JUMP_SPEED and distance == new["speed"]:
            seen["jump"] += 1
            dx, dy = reference.STEP[new["direction"]]
            seen["hole"] += after["cells"][old["y"] + 2 * dy][old["x"] + 2 * dx] == reference.FREE


def check_result(position, state, lasted, seen):
    """The winner is first, or nobody is first alone; all others are in the order in which they went out."""
    winner, result = reference.winner(state), position.result
    seen["drawn" if winner is None else "won"] += 1
    first = [str(seat + 1) for seat, value in enumerate(result) if value == max(result)]
    assert len(first) > 1 if winner is None else first == [winner]
    for one in range(len(lasted)):
        assert position.score[one] == sum(rounds < lasted[one] for rounds in lasted)
        for other in range(len(lasted)):
            assert (result[one] < result[other]) == (lasted[one] < lasted[other])


# --- starts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", Speed.spec.seats)
def test_official_starts_are_those_of_the_server(seats):
    sides, zones, cells, directions = Counter(), Counter(), set(), Counter()
    game = Speed(seats)
    for seed in range(STARTS):
        state = official_state(game.new(seed))
        assert reference.start_problems(state) == []
        sides.update((state["width"], state["height"]))
        for name, player in state["players"].items():
            directions[player["direction"]] += 1
            zones[name, reference.zone(state, player["x"], player["y"])] += 1
            zone_width, zone_height = state["width"] // 4, state["height"] // 2
            cells.add((10 * (player["x"] % zone_width) // zone_width, 10 * (player["y"] % zone_height) // zone_height))
    assert set(sides) == set(range(41, 81)), "every side is drawn"
    assert max(sides.values()) < 3 * 2 * STARTS / 40, "none much more often than the others"
    assert len(zones) == seats * seats, "every player starts in each of the first zones"
    assert min(zones.values()) > 0.6 * STARTS / seats and max(zones.values()) < 1.4 * STARTS / seats
    assert len(cells) == 100, "and everywhere in them"
    seen = {2: {"down"}, 3: {"down", "left"}, 4: {"down", "left"}}.get(seats, {"down", "left", "right"})
    assert set(directions) == seen, "nobody starts in the bottom right quarter"


def test_the_two_sides_are_drawn_apart():
    """Not one number for both: half of the boards are as wide as high or wider, and nearly none is a square."""
    boards = [Speed(2).new(seed).state[0] for seed in range(STARTS)]
    assert 0.4 < sum(s["width"] > s["height"] for s in boards) / STARTS < 0.6
    assert sum(s["width"] == s["height"] for s in boards) < 0.1 * STARTS


@pytest.mark.parametrize("seats", Speed.spec.seats)
def test_small_boards_have_starts_of_the_same_kind(seats):
    sides = Counter()
    game = Speed(seats, "small")
    for seed in range(STARTS):
        state = official_state(game.new(seed))
        problems = reference.start_problems(state)
        assert [problem for problem in problems if "not 41 to 80" not in problem] == []
        sides.update((state["width"], state["height"]))
    assert set(sides) == set(range(20, 26))


def test_anywhere_is_every_cell_and_every_direction():
    cells, pairs = Counter(), Counter()
    game = Speed(2, "any-start,width=8,height=9")
    for seed in range(20 * STARTS):
        state = official_state(game.new(seed))
        one, other = state["players"].values()
        assert (one["x"], one["y"]) != (other["x"], other["y"])
        assert sum(map(sum, state["cells"])) == 3 and (one["speed"], other["speed"]) == (1, 1)
        cells.update([(one["x"], one["y"]), (other["x"], other["y"])])
        pairs[one["direction"], other["direction"]] += 1
    assert len(cells) == 72 and max(cells.values()) < 2 * min(cells.values())
    assert len(pairs) == 16 and max(pairs.values()) < 1.4 * min(pairs.values())


def test_the_reference_finds_bad_starts():
    good = official_state(Speed(3).new(1))
    player = good["players"]["2"]
    for change in ({"speed": 2}, {"active": False}, {"direction": "up"}, {"x": -1}, {"x": (player["x"] + 20) % 41}):
        assert reference.start_problems({**good, "players": {**good["players"], "2": {**player, **change}}})
    assert reference.start_problems({**good, "players": {"1": good["players"]["1"], "3": player}})
    assert reference.start_problems({**good, "cells": [[0] * good["width"]] * good["height"]})
    assert reference.start_problems({**good, "height": good["height"] - 1})
