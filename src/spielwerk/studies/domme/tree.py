"""The study's outlook, carried out: a search tree that is kept from round to round."""

from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from spielwerk.arena.pictures import new_figure, save
from spielwerk.arena.statistics import share_summary, win_shares
from spielwerk.core import registry
from spielwerk.core.agent import Agent
from spielwerk.core.clock import Budget
from spielwerk.core.kernel.rng import spawn
from spielwerk.games.speed.players.dommeai import DommeAI
from spielwerk.learn.run import Report
from spielwerk.studies.domme.common import OFFICIAL, SMALL, Duel, Rows, Table, play_duels

KEEPING, ANEW = DommeAI(keep=True), DommeAI()
NODES = {"quick": (1000, 10_000), "full": (1000, 10_000, 100_000)}
SECONDS = {"quick": (0.002, 0.02), "full": (0.002, 0.01, 0.05, 0.2)}
ROUNDS = {"quick": 60, "full": 400}  # that are compared, of one seat
MATCHES = {"quick": 40, "full": 400}
LONG, SHORT = 30_000, 1000  # nodes, in turns
Limit = Callable[[int], Budget]  # by round


def compare(table: Table, limit: Limit, rounds: int, seed: int = 0) -> Rows:
    """Levels of a player that keeps its tree and of one that begins anew, at the same views and with the same limits;
    what the first decides is played."""
    found: Rows = []
    while len(found) < rounds:
        position = registry.game("speed", table.seats, table.variant).new(seed)
        seed += 1
        while not position.over and len(found) < rounds:
            number = int(position.state["rounds"][0])
            moves = {}
            for seat in position.actors:
                view = position.view(seat)
                began = perf_counter()
                kept = KEEPING.decide(view, limit(number), spawn(0))
                seconds = perf_counter() - began
                moves[seat] = kept.action
                if seat == position.actors[0]:
                    began = perf_counter()
                    anew = ANEW.decide(view, limit(number), spawn(0))
                    found.append(
                        {
                            "round": number, "kept": kept.notes["depth"], "anew": anew.notes["depth"],
                            "held": kept.notes["nodes kept"],
                            "new": kept.notes["new nodes"],
                            "seconds": seconds, "seconds anew": perf_counter() - began,
                        }
                    )  # fmt: skip
            position.play(moves)
    return found


def _row(label: str, found: Rows) -> dict[str, Any]:
    kept, anew = (np.array([round_[name] for round_ in found]) for name in ("kept", "anew"))
    return {
        "limit": label, "levels, kept": float(kept.mean()), "levels, anew": float(anew.mean()),
        "farther %": 100 * float((kept > anew).mean()), "less far %": 100 * float((kept < anew).mean()),
        "held already": float(np.mean([round_["held"] for round_ in found])),
        "new": float(np.mean([round_["new"] for round_ in found])),
        "ms, kept": 1000 * float(np.mean([round_["seconds"] for round_ in found])),
        "ms, anew": 1000 * float(np.mean([round_["seconds anew"] for round_ in found])),
        "rounds": len(found),
    }  # fmt: skip


def always(budget: Budget) -> Limit:
    return lambda number: budget


def in_turns(number: int) -> Budget:
    """A long limit, then a short one."""
    return Budget(playouts=SHORT if number % 2 else LONG)


def duel_in_turns(table: Table, matches: int, report: Callable[[float], None]) -> dict[str, Any]:
    """Win share of the player that keeps its tree, where long and short limits take turns."""
    shares: list[float] = []
    groups: list[int] = []
    game = registry.game("speed", table.seats, table.variant)
    for number in range(matches):
        seats: list[Agent] = [KEEPING if seat == number % 2 else ANEW for seat in range(2)]
        position = game.new(number // 2)
        while not position.over:
            budget = in_turns(int(position.state["rounds"][0]))
            position.play(
                {seat: seats[seat].decide(position.view(seat), budget, spawn(0)).action for seat in position.actors}
            )
        shares.append(win_shares(position.result, (0, 1))[number % 2])
        groups.append(number // 2)
        report((number + 1) / matches)
    won = share_summary(shares, groups)
    low, high = won.ci95 or (won.mean, won.mean)
    return {
        "table": table.label, "what": f"{LONG} and {SHORT} new sequences in turns", "wins %": 100 * won.mean,
        "from": 100 * low, "to": 100 * high, "matches": matches,
    }  # fmt: skip


def kept_tree(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """The tree that is kept: levels at equal work and equal time, and wins; the study: little, but for short limits."""
    rows: Rows = []
    limits = [(f"{nodes} new sequences", Budget(playouts=nodes)) for nodes in NODES[scale]]
    limits += [(f"{seconds} s", Budget(seconds=seconds)) for seconds in SECONDS[scale]]
    for number, (label, budget) in enumerate(limits):
        report(0.3 * number / len(limits), label)
        rows.append(_row(label, compare(OFFICIAL, always(budget), ROUNDS[scale])))
    report(0.3, "limits in turns")
    turns = compare(OFFICIAL, in_turns, ROUNDS[scale])
    rows.append(_row(f"{LONG} new sequences, before short limits", [row for row in turns if row["round"] % 2 == 0]))
    rows.append(_row(f"{SHORT} new sequences, after long limits", [row for row in turns if row["round"] % 2]))
    duels = [
        Duel(f"{nodes} new sequences", SMALL, f"dommeai:nodes={nodes},keep=True", f"dommeai:nodes={nodes}")
        for nodes in NODES[scale][:2]
    ]
    wins = play_duels(lambda done, line: report(0.3 + 0.5 * done, line), out, duels, MATCHES[scale])
    columns = ("table", "what", "wins %", "from", "to", "matches")
    played = [{name: row[name] for name in columns} for row in wins]
    played.append(duel_in_turns(SMALL, MATCHES[scale], lambda done: report(0.8 + 0.2 * done, "limits in turns")))
    figure, axes = new_figure()
    shown = turns[:60]
    for name, label in (("kept", "tree kept"), ("anew", "begun anew")):
        axes.plot([row["round"] for row in shown], [row[name] for row in shown], marker=".", label=label)
    axes.set_xlabel("round of the first match")
    axes.set_ylabel("levels finished")
    axes.set_title(f"Long and short limits in turns ({LONG} and {SHORT} new sequences)")
    axes.legend()
    save(figure, out / "figure.png")
    return {
        "Levels with the tree of the round before and anew": rows,
        "Wins of the player that keeps its tree": played,
        "the study": "much to store (2 to 10 million elements) and little gained, but where a short limit follows a "
        "long one: there the plan would not be forgotten (it was not built)",
    }
