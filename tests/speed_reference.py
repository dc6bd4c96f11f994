"""The rules of spe_ed a second time, slow and plain, on the JSON states of the official server.

Written from the description of the rules alone, without a look at the game's kernel: where the two differ, one of them
has misread the rules. Nothing here is fast, and nothing is shared with the game.

A state is a dict {"width", "height", "cells": cells[y][x], "players": {"1": {"x", "y", "direction", "speed",
"active"}, ...}, "running"}. The cell (0, 0) is top left and y grows downwards. A cell is 0 (free), the number of the
player who filled it, or -1 (filled more than once).
"""

from __future__ import annotations

from typing import Any

State = dict[str, Any]

CLOCKWISE = ["up", "right", "down", "left"]
STEP = {"up": (0, -1), "right": (1, 0), "down": (0, 1), "left": (-1, 0)}
ACTIONS = ["turn_left", "turn_right", "slow_down", "speed_up", "change_nothing"]

FREE = 0
CRASHED = -1
SLOWEST, FASTEST = 1, 10
JUMP_EVERY = 6  # rounds
JUMP_SPEED = 3  # a slower player has no cell between the first and the last


def step(state: State, round_number: int, actions: dict[str, str | None]) -> State:
    """The state after a round. The first round has the number 1; None (or nonsense, or nothing) is no answer."""
    return _round(state, round_number, actions)[0]


def reasons(state: State, round_number: int, actions: dict[str, str | None]) -> dict[str, str]:
    """Why each player who goes out in this round goes out: "no answer", "speed", "border" or "crash"."""
    return _round(state, round_number, actions)[1]


def _round(state: State, round_number: int, actions: dict[str, str | None]) -> tuple[State, dict[str, str]]:
    width, height = state["width"], state["height"]
    cells = [list(row) for row in state["cells"]]
    players = {name: dict(player) for name, player in state["players"].items()}
    out: dict[str, str] = {}  # player -> why
    living = [name for name in players if players[name]["active"]]

    # First pass: everybody's action. Who goes out here does not move.
    for name in living:
        player = players[name]
        action = actions.get(name)
        if action == "turn_left":
            player["direction"] = CLOCKWISE[(CLOCKWISE.index(player["direction"]) + 3) % 4]
        elif action == "turn_right":
            player["direction"] = CLOCKWISE[(CLOCKWISE.index(player["direction"]) + 1) % 4]
        elif action == "speed_up":
            player["speed"] += 1
        elif action == "slow_down":
            player["speed"] -= 1
        elif action != "change_nothing":
            out[name] = "no answer"
        if not SLOWEST <= player["speed"] <= FASTEST:
            out[name] = "speed"

    # Second pass: everybody who is still in walks, through obstacles too.
    drawn: dict[str, list[tuple[int, int]]] = {}  # player -> the cells that the walk of this round fills
    for name in living:
        if name in out:
            continue
        player = players[name]
        drawn[name] = []
        dx, dy = STEP[player["direction"]]
        jumps = round_number % JUMP_EVERY == 0 and player["speed"] >= JUMP_SPEED
        for count in range(1, player["speed"] + 1):
            player["x"] += dx
            player["y"] += dy
            x, y = player["x"], player["y"]
            if not (0 <= x < width and 0 <= y < height):
                out[name] = "border"
                break
            if jumps and count not in (1, player["speed"]):
                continue  # in the air
            cells[y][x] = int(name) if cells[y][x] == FREE else CRASHED
            drawn[name].append((x, y))

    # Third pass: who has drawn a cell that was filled before, or by another player in this round too?
    for name in drawn:
        if name not in out and any(cells[y][x] == CRASHED for x, y in drawn[name]):
            out[name] = "crash"

    for name in out:
        players[name]["active"] = False
    left = sum(player["active"] for player in players.values())
    after = {"width": width, "height": height, "cells": cells, "players": players, "running": left > 1}
    return after, out


def winner(state: State) -> str | None:
    """The only player left when it is over; None if nobody is."""
    alive = [name for name, player in state["players"].items() if player["active"]]
    return alive[0] if len(alive) == 1 else None


def zone(state: State, x: int, y: int) -> int | None:
    """The board has four zones in the upper half (0 to 3, from the left) and four in the lower half (4 to 7).

    Zones are of equal size in whole cells; what is left over at the right and at the bottom belongs to none.
    """
    column, row = x // (state["width"] // 4), y // (state["height"] // 2)
    return row * 4 + column if 0 <= column < 4 and 0 <= row < 2 else None


def start_direction(state: State, x: int, y: int) -> str:
    """Where a player who starts in this cell looks; the middle counts as left and as top."""
    left, top = 2 * x <= state["width"], 2 * y <= state["height"]
    if top:
        return "down" if left else "left"
    return "right" if left else "up"


def start_problems(state: State) -> list[str]:
    """What is wrong with a first state of the official server; nothing if the list is empty."""
    problems = []
    width, height, cells, players = state["width"], state["height"], state["cells"], state["players"]
    for side, length in (("width", width), ("height", height)):
        if not 41 <= length <= 80:
            problems.append(f"the {side} is {length}, not 41 to 80")
    if len(cells) != height or any(len(row) != width for row in cells):
        problems.append("the cells are not height rows of width cells")
        return problems
    if not 2 <= len(players) <= 6:
        problems.append(f"{len(players)} players, not 2 to 6")
    if sorted(players) != [str(number) for number in range(1, len(players) + 1)]:
        problems.append(f"the players are called {', '.join(sorted(players))}, not 1 to {len(players)}")

    expected = [[FREE] * width for _ in range(height)]
    zones = []
    for name, player in players.items():
        x, y = player["x"], player["y"]
        if not player["active"]:
            problems.append(f"player {name} is out")
        if player["speed"] != 1:
            problems.append(f"player {name} has speed {player['speed']}, not 1")
        if not (0 <= x < width and 0 <= y < height):
            problems.append(f"player {name} is not on the board")
            continue
        if player["direction"] != start_direction(state, x, y):
            problems.append(f"player {name} looks {player['direction']}, not {start_direction(state, x, y)}")
        zones.append(zone(state, x, y))
        expected[y][x] = int(name)
    if sorted(zones, key=str) != list(range(len(players))):
        problems.append(f"the players are in the zones {zones}, not one in each of 0 to {len(players) - 1}")
    if cells != expected:
        problems.append("the cells hold something else than each player's start")
    if not state.get("running", True):
        problems.append("the match is over")
    return problems
