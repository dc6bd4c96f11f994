"""What every agent must hold: legal, repeatable, within its time, and without a peek at what is hidden."""

import time
from itertools import islice
from statistics import median

import numpy as np

from spielwerk.core.agent import Agent
from spielwerk.core.clock import Budget
from spielwerk.core.game import Game
from spielwerk.core.kernel import entry
from spielwerk.core.kernel.contract import Room, Scratch
from spielwerk.core.kernel.rng import Rng, pick, spawn
from spielwerk.core.linker import specialise
from spielwerk.core.match import play, replay
from spielwerk.core.position import Position, duplicate
from spielwerk.core.running import run
from spielwerk.testing.walks import must, random_walk

UNITS = ("points", "lead", "win", "likely", "margin", "worth")  # of the values of a decision


def check_agent(agent: Agent, game: Game, seed: int = 0, most: int = 12, seconds: float | None = 0.05) -> None:
    """The agent decides legally, explains itself in the right shape, repeats itself, cannot see what is hidden, plays
    the same as a compiled policy if it offers one, and keeps to a time of `seconds` (None: it is not timed)."""
    if agent.why_not(game):
        reason = agent.why_not(game)
        assert reason and len(reason.split()) >= 2, f"{agent.name} refuses {game.spec.title} without a reason"
        return
    check_decisions(agent, game, seed, most)
    check_blind(agent, game, seed, most)
    check_policy(agent, game, seed)
    if seconds is not None:
        check_time(agent, game, seed, seconds)


def check_decisions(agent: Agent, game: Game, seed: int = 0, most: int = 12) -> None:
    """Decisions are legal, have the right shape, are the same with the same seed and whatever is hidden."""
    for number, position in enumerate(random_walk(game, seed, most)):
        for seat in position.actors:
            view = position.view(seat)
            before = view.state.tobytes()
            decision = agent.decide(view, Budget(), spawn(seed, number, seat))
            must(view.state.tobytes() == before, position, f"{agent.name} changed the view that it was given")
            must(decision.action in view.legal, position, f"{agent.name} played the illegal action {decision.action}")
            for name in ("values", "visits", "error"):
                given = getattr(decision, name)
                must(
                    given is None or len(given) == len(view.legal), position, f"{agent.name}: {name} has a wrong length"
                )
            must(decision.unit in UNITS, position, f"{agent.name}: unit {decision.unit}")
            if decision.unit == "win" and decision.values is not None:
                chances = [value for value in decision.values if np.isfinite(value)]
                must(
                    all(-1e-9 <= chance <= 1 + 1e-9 for chance in chances), position, f"{agent.name}: chances {chances}"
                )
            again = agent.decide(position.view(seat), Budget(), spawn(seed, number, seat))
            must(again.action == decision.action, position, f"{agent.name} decides otherwise with the same seed")
            if game.spec.hidden:
                elsewhere = view.imagine(spawn(seed, 5, number, seat)).view(seat)
                there = agent.decide(elsewhere, Budget(), spawn(seed, number, seat))
                must(there.action == decision.action, position, f"{agent.name} knows what seat {seat} cannot know")


def check_match(agent: Agent, game: Game, seed: int = 0) -> None:
    """A whole match with the agent on every seat, played twice, and its record replays."""
    if agent.why_not(game):
        return
    record = play(game, [agent] * game.seats, seed)
    assert record == play(game, [agent] * game.seats, seed), f"{agent.name}: the same seed gave another match"
    assert replay(record, game)[-1].over, f"{agent.name}: the match of {game.spec.title} did not end"


def check_policy(agent: Agent, game: Game, seed: int = 0) -> None:
    """Whole matches in compiled code are the matches that the agent plays decision by decision."""
    if agent.why_not(game) or agent.policy(game) is None:
        return
    fast = run(game, [agent] * game.seats, seed)  # without a budget whole matches are compiled
    slow = run(game, [agent] * game.seats, seed, Budget())
    assert list(fast.log) == list(slow.log), f"{agent.name}: its compiled policy plays {game.spec.title} differently"


def check_blind(agent: Agent, game: Game, seed: int = 0, most: int = 12) -> None:
    """The compiled policy leaves the state alone and gives the same action whatever is hidden from the seat and
    whatever lies in the work space: the true state, say, or what others have just decided."""
    policy = None if agent.why_not(game) else agent.policy(game)
    if policy is None or not (game.spec.hidden or game.spec.simultaneous):
        return
    decide = specialise(entry.policy_at, game, policy=policy.function)
    for number, position in enumerate(random_walk(game, seed, most)):
        for seat in position.actors:
            view = position.view(seat)
            elsewhere = view.imagine(spawn(seed, 5, number, seat)).view(seat)
            state = duplicate(view.state)
            action = decide(state, seat, policy.weights, game.scratch(policy.room), spawn(seed, number, seat))
            must(state.tobytes() == view.state.tobytes(), position, f"the policy of {agent.name} changes the state")
            must(action in view.legal, position, f"the policy of {agent.name} plays the illegal action {action}")
            littered = littered_scratch(position, policy.room, spawn(seed, 7, number, seat))
            there = decide(elsewhere.state, seat, policy.weights, littered, spawn(seed, number, seat))
            must(there == action, position, f"the policy of {agent.name} knows what seat {seat} cannot know")


def littered_scratch(position: Position, room: Room, rng: Rng) -> Scratch:
    """Work space as others may have left it."""
    game = position.game
    scratch = game.scratch(room)
    scratch.states[:] = position.state[0]
    for numbers in (scratch.actions, scratch.trial, scratch.joint, scratch.integers, scratch.numbers):
        for place in range(len(numbers)):
            numbers[place] = pick(rng, game.spec.actions)
    return scratch


def check_time(
    agent: Agent, game: Game, seed: int = 0, seconds: float = 0.05, decisions: int = 5, grace: float = 1.0
) -> None:
    """An agent that is given `seconds` per decision takes at most twenty times as long and `grace` seconds more, in
    half of its decisions: generous, so that a busy machine does not matter. The first decision, which may compile, does
    not count."""
    if agent.why_not(game):
        return
    took: list[float] = []
    for number, position in enumerate(islice(random_walk(game, seed), decisions + 1)):
        if position.over:
            break
        view, rng = position.view(position.actors[0]), spawn(seed, 8, number)
        began = time.perf_counter()
        agent.decide(view, Budget(seconds=seconds), rng)
        took.append(time.perf_counter() - began)
    typical = median(took[1:] or [0.0])
    assert typical <= 20 * seconds + grace, (
        f"{agent.name} takes {typical:.2f} s for a decision of {game.spec.title} when it is given {seconds} s; "
        "decide must end when budget.ends() says"
    )
