"""Networks as rules and evaluations: what agents and searches ask for by the name of a model."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from spielwerk.core.agent import Policy
from spielwerk.core.errors import Unfit
from spielwerk.core.evaluation import Evaluation
from spielwerk.core.game import Game
from spielwerk.core.kernel.contract import Room
from spielwerk.core.linker import attach
from spielwerk.nets.kernel.forward import DENSE, FIELDS, OP, SIZE, UNITS
from spielwerk.nets.network import Network, load_network
from spielwerk.search.evaluations import say
from spielwerk.search.kernel.net import (
    LEAD,
    POINTS,
    WIN,
    NetWeights,
    afterstate_worth,
    any_action,
    chance_by_head,
    observe_by_view,
    observe_openly,
    policy_by_head,
    policy_by_value,
    position_worth,
    prior_and_rollout,
)

UNITS_OF_VALUES = {"points": POINTS, "lead": LEAD, "win": WIN}
OBJECTIVE_OF_UNIT = {"points": "points", "lead": "margin", "win": "win"}
HeadName = Literal["policy", "q", "value"]
Aim = Literal["auto", "own", "lead"]


def aims_at_lead(network: Network, game: Game, aim: Aim = "auto") -> bool:
    """Whether values of points are compared with those of the other seats: where that is what the game is about, unless
    told otherwise."""
    value = network.description.heads.get("value")
    if value is None or value.unit != "points" or len(set(game.teams)) == 1:
        return False
    return game.objective == "margin" if aim == "auto" else aim == "lead"


class Asked(NamedTuple):
    """What the kernels of a network are linked with, and the room that they want."""

    functions: dict[str, Callable[..., Any]]
    weights: NetWeights
    room: Room


def asked(
    network: Network,
    game: Game,
    by: HeadName | None = None,
    temperature: float = 0.0,
    other: Policy | None = None,
    aim: Aim = "own",
) -> Asked:
    """The network for `game`; actions are named by the head `by` (none: the first of policy, q and value)."""
    encoding = network.encoding(game)
    plan, made = network.plan, network.description
    acting = by if by in ("policy", "q") else next((name for name in ("policy", "q") if name in made.heads), "value")
    value = made.heads.get("value")
    first = plan.program.operations[:FIELDS]
    near = plan.trunk > 0 and first[OP] == DENSE
    base = plan.room.floats if near else 0
    weights = NetWeights(
        net=plan.program,
        trunk=np.array([0, plan.trunk], np.int64),
        inputs=made.inputs,
        policy=_spot(network, acting),
        value=_spot(network, "value"),
        unit=UNITS_OF_VALUES[value.unit if value else "points"],
        aims_at_lead=aims_at_lead(network, game, aim),
        scale=value.scale if value else 1.0,
        temperature=temperature,
        two_sided=len(set(game.teams)) == 2 and value is not None and value.unit != "points",
        base=base,
        other=(other.weights if other else 0, other is not None),
    )
    floats = plan.room.floats + (int(first[SIZE] + first[UNITS]) if near else 0)
    room = Room(floats=floats, integers=plan.room.integers)
    functions: dict[str, Callable[..., Any]] = {
        "features": encoding.function,
        "observe": observe_by_view if game.spec.hidden else observe_openly,
        "otherwise": other.function if other else any_action,
    }
    return Asked(functions, weights, room.and_for(other.room) if other else room)


def _spot(network: Network, name: str) -> Any:
    spot, head = network.plan.spots.get(name), network.description.heads.get(name)  # type: ignore[call-overload]
    if spot is None or head is None:
        return np.zeros(5, np.int64)
    return np.array([spot.at, spot.count, spot.begin, spot.end, head.first], np.int64)


def first_head(network: Network) -> HeadName:
    """The head that names actions unless another is asked for."""
    found: HeadName = next(name for name in get_args(HeadName) if name in network.description.heads)
    return found


def rule(
    network: Network,
    game: Game,
    by: HeadName | None = None,
    temperature: float = 0.0,
    other: Policy | None = None,
    aim: Aim = "auto",
) -> Policy:
    """The network as a compiled rule."""
    head: HeadName = by or first_head(network)
    network.head(head)
    found = asked(network, game, head, temperature, other, aim)
    function = policy_by_value if head == "value" else policy_by_head
    return Policy(attach(function, **found.functions), found.weights, found.room)


def chances(network: Network, game: Game) -> Policy:
    """The network as a judge of what others did: (s, seat, action, weights, scratch) -> log of how likely that was."""
    network.head("policy")
    found = asked(network, game, "policy")
    return Policy(attach(chance_by_head, **found.functions), found.weights, found.room)


def evaluation(game: Game, source: str | None) -> Evaluation:
    """The evaluation `net@MODEL`: what the value head says, and what the policy head holds likely."""
    network = load_network(game, source)
    heads = network.description.heads
    found = asked(network, game, "policy" if "policy" in heads else None, aim="auto")
    value = heads.get("value")
    if value is None and "policy" not in heads:
        phrase = "a search needs a network with a value or a policy head; this one has only {found}"
        raise Unfit(say(phrase, found=", ".join(heads)))
    if value is None:
        function = attach(prior_and_rollout, **found.functions)
        return Evaluation(function, found.weights, prior=True, room=found.room)
    judges = afterstate_worth if network.description.judges == "afterstates" else position_worth
    prior = "policy" in heads and judges is position_worth
    objective = "margin" if found.weights.aims_at_lead else OBJECTIVE_OF_UNIT[value.unit]
    return Evaluation(
        attach(judges, **found.functions), found.weights, prior=prior, room=found.room, objective=objective
    )
