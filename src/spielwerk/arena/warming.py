"""warm_up: compile all that a game needs, so that nothing compiles when it is used.

Used means: played, watched, evaluated, asked, replayed and drawn, by every agent that can play the game as it is called
by name, by its presets and by the game's ladder, in every variant that has a name; and tournaments between any two of
them. Other options of an agent (another evaluation, other playouts), three different compiled agents at one table,
training and solving may still compile.
"""

from collections.abc import Callable, Iterator
from dataclasses import MISSING
from functools import partial
from itertools import permutations
from typing import Any, NamedTuple

from spielwerk.core import registry
from spielwerk.core.agent import Agent, option_help
from spielwerk.core.cache import on_compile
from spielwerk.core.clock import Budget
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.match import record_of, replay
from spielwerk.core.position import SPECTATOR, Position
from spielwerk.core.running import choice_in, compiled_policies, run_many

DRAWN = 12  # positions of a match that are drawn
TRIFLE = Budget(seconds=0.01, playouts=8)


class Step(NamedTuple):
    """A part of the work: what is compiled, and how."""

    title: str
    work: Callable[[], None]


def warm_up(games: list[Game], report: Callable[[int, int, int, str], None]) -> int:
    """Compile all that these games need; returns how many kernels that were. `report` is told before every step how
    many are done, how many there are, how many kernels were compiled, and what comes next."""
    steps = [step for game in games for step in steps_of(game)]
    compiled: list[str] = []
    with on_compile(compiled.append):
        for done, step in enumerate(steps):
            report(done, len(steps), len(compiled), step.title)
            step.work()
    return len(compiled)


def steps_of(game: Game) -> Iterator[Step]:
    """The steps for a game, the most used first."""
    kind = type(game)
    tables = {number: kind(number) for number in game.spec.seats}
    variants = [kind(None, variant) for variant in game.spec.variants]
    yield from (Step(f"{table.title} {table.variant}", partial(_look, table)) for table in variants)
    for spec in agents_of(game):
        agent = registry.agent(spec)
        places = [*variants, *(table for number, table in tables.items() if number != game.seats)]
        fitting = [table for table in places if agent.why_not(table) is None]
        for table in fitting:
            yield Step(f"{table.title} {table.variant}, {spec}", partial(_play, table, agent))
    if game.seats > 1:
        for first, second in permutations(_different_rules(game), 2):
            yield Step(f"{game.title}, {first} against {second}", partial(_meet, game, first, second))


def agents_of(game: Game) -> list[str]:
    """The agents as people name them: by name, with a preset, and as the game's ladder does."""
    found = dict.fromkeys(rung.agent for rung in game.spec.ladder)
    for name in registry.agent_names():
        try:
            kind = registry.agent_class(name)
        except SpielwerkError:  # it needs a package that is not there
            continue
        if not any(option.default is MISSING for option in option_help(kind).values()):
            found |= dict.fromkeys([name, *(f"{name}:preset={preset}" for preset in kind.presets)])
    return [spec for spec in found if _can_play_somehow(game, spec)]


def _can_play_somehow(game: Game, spec: str) -> bool:
    kind = type(game)
    tables = [*(kind(number) for number in game.spec.seats), *(kind(None, name) for name in game.spec.variants)]
    try:
        agent = registry.agent(spec)
    except SpielwerkError:
        return False
    return any(agent.why_not(table) is None for table in tables)


def _different_rules(game: Game) -> list[str]:
    """Agents with compiled rules, one for each rule."""
    rules: dict[Any, str] = {}
    for spec in agents_of(game):
        agent = registry.agent(spec)
        rule = agent.policy(game) if agent.why_not(game) is None else None
        if rule is not None:
            rules.setdefault(rule.function, spec)
    return list(rules.values())


def _look(game: Game) -> None:
    """A random match: played, recorded, replayed, and drawn as every seat sees it."""
    played = run_many(game, [registry.agent("random")] * game.seats, [0], opening=1)[0]
    run_many(game, [registry.agent("random")] * game.seats, [0])
    positions = replay(record_of(game, ["random"] * game.seats, 0, played.log), game)
    game.extras(played.final)
    for position in positions[:DRAWN]:
        _draw(position)
        for seat in position.actors:
            view = position.view(seat)
            view.imagine(spawn(0))
            game.groups(game.horizon(view))
            game.spread(view, 0.0)
            try:
                game.read(game.write(view))
            except SpielwerkError:  # it has no notation, or none for this position
                continue


def _draw(position: Position) -> None:
    for seat in range(SPECTATOR, position.game.seats):
        view = position.view(seat)
        _ = view.text, view.svg, view.result, view.teams


def _play(game: Game, agent: Agent) -> None:
    """Decisions with and without a clock, and whole matches if the agent has a compiled rule."""
    view = choice_in(game)
    if view is not None:
        for budget in (TRIFLE, Budget(playouts=8)):
            agent.decide(view, budget, spawn(0, 2))
    if compiled_policies(game, [agent]):
        run_many(game, [agent] * game.seats, [0])


def _meet(game: Game, first: str, second: str) -> None:
    agents = [registry.agent(first), *[registry.agent(second)] * (game.seats - 1)]
    run_many(game, agents, [0])
