"""Evaluations and tournaments as they are asked for, and as the arena's store has them."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from pydantic import ValidationError

from spielwerk.arena import evaluate as evaluations
from spielwerk.arena import tournament as tournaments
from spielwerk.arena.store import Run
from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.web import messages
from spielwerk.web.errors import Conflict
from spielwerk.web.language import say
from spielwerk.web.written import agent_for, game_of

STORED = "run-"  # ids of runs in the arena's store begin so
Wanted = messages.NewEvaluation | messages.NewTournament
Work = Callable[..., Any]  # an evaluation or tournament; where to keep it and whom to tell is still to be said


class Plan(NamedTuple):
    title: str
    game: Game
    matches: int
    work: Work


def planned(wanted: Wanted) -> Plan:
    """What is to be done."""
    game = game_of(wanted.game, wanted.seats, wanted.variant)
    agents = [agent_for(game, spec) for spec in named_agents(wanted)]
    if isinstance(wanted, messages.NewTournament):
        if len(set(agents)) < len(agents):
            raise SpielwerkError(say("the agents of a tournament are all different; leave the repeated one out"))
        title = " · ".join(agent.spec for agent in agents)
        matches = wanted.rounds * len(tournaments.schedule(game, agents, 1, 0)[0])
        cup = partial(tournaments.tournament, game, agents, rounds=wanted.rounds)
        return Plan(title, game, matches, partial(cup, seed=wanted.seed, opening=wanted.opening))
    opponents = wanted.opponents if game.seats > 1 else None
    title = wanted.agent + (f" – {opponents}" if opponents else "")
    work = partial(evaluations.evaluate, game, wanted.agent, opponents=opponents, games=wanted.games)
    return Plan(title, game, wanted.games, partial(work, seed=wanted.seed, opening=wanted.opening))


def named_agents(wanted: Wanted) -> list[str]:
    """The agents that somebody wrote down."""
    if isinstance(wanted, messages.NewTournament):
        return wanted.agents
    return [spec for spec in (wanted.agent, wanted.opponents) if spec]


def wanted_by(run: Run) -> Wanted:
    """What was wanted when a run of the store was begun."""
    if run.problem:
        raise Conflict(say("this run is damaged: {problem}", problem=run.problem))
    config = dict(run.config)
    if config.pop("thinking", None) is not None:
        raise Conflict(say("this was begun on the command line with a time limit; go on there, with --resume"))
    kind: type[Wanted] = messages.NewEvaluation if run.kind == "evaluate" else messages.NewTournament
    try:
        return kind.model_validate(config)
    except ValidationError:
        phrase = "this was begun on the command line and is too large for the browser; go on there, with --resume"
        raise Conflict(say(phrase)) from None


def total_of(run: Run) -> int:
    """How many matches a run has when it is finished."""
    if run.kind == "evaluate":
        return int(run.config["games"])
    game = registry.game(run.config["game"], run.config["seats"], run.config["variant"])
    players = [registry.agent(spec) for spec in run.config["agents"]]
    return len(tournaments.schedule(game, players, 1, 0)[0]) * int(run.config["rounds"])


def stored_job(run: Run) -> messages.Job:
    config = run.config
    evaluation = run.kind == "evaluate"
    title = str(config.get("agent")) if evaluation else " · ".join(map(str, config.get("agents", [])))
    if config.get("opponents"):
        title += f" – {config['opponents']}"
    finished = bool(run.finished and run.summary)
    return messages.Job(
        id=f"{STORED}{run.id}",
        kind="evaluation" if evaluation else "tournament",
        title=title,
        game=str(config.get("game", "")),
        state="failed" if run.problem else "done" if finished else "interrupted",
        problem=run.problem or None,
        done=1.0 if finished else _share(run),
        line="",
        created=run.started,
        result=plain({**(run.summary or {}), "run": run.id}) if finished else None,
    )


def _share(run: Run) -> float:
    """How much of an unfinished run has been played; 0 if its game or agents are not known here."""
    try:
        return min(run.matches / total_of(run), 0.999)
    except (SpielwerkError, KeyError):
        return 0.0


def plain(value: Any) -> Any:
    """The same without numbers that JSON does not know."""
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
