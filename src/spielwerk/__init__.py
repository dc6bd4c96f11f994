"""Spielwerk: a workbench for game AI in which any agent plays any game.

Play and measure:

    import spielwerk as sw

    game = sw.game("qwixx", seats=3)                    # a table; game_names() lists the games
    position = game.new(seed=7)                         # who decides, what is legal, play on
    agent = sw.agent("mctse:iterations=500")            # name and options; agent_names() lists the agents
    decision = agent.decide(position.view(0), sw.Budget(seconds=0.5), sw.spawn(1))
    record = sw.play(game, [agent] * 3, seed=7)         # one match; replay(record) gives its positions
    sw.evaluate("2048", "greedy", games=100)            # mean and interval; tournament() compares agents

Add a game: subclass `Game`, declare its facts in a `Spec` (with `Option` and `Variant` where rules vary, `Look` where
pictures do) and write its rules as functions marked `@kernel`. `kernel` says what such a function may use,
`help(spielwerk.contract)` which functions a game supplies. Rules draw random numbers with `below`, `uniform` and
`draw`; `mix` hashes a state. What networks are told is an `Encoding`.

Add an agent: subclass `Agent`; it gets a `View` and a `Budget` and returns a `Decision`. A cheap agent also offers a
`Policy`, a kernel that plays whole matches in compiled code. From Python a kernel is called with `game.call`, or
`specialise` where it needs more than the game. Its options are fields with a `Range`; a search looks at the `StopSign`
of its budget (`budget.watch()`, in a kernel `stopped(scratch.sign)`), so that it ends when nobody waits any more.

A picture is drawn once; `dark_style` says which colours it has on a dark page, `narrow` how it is arranged on a phone.

Both say what people read through `Words`, and raise `SpielwerkError` (`InvalidMove`, `IllegalMove`) where people can
help. `register` makes a class known in this process; an entry point in `spielwerk.games` or `spielwerk.agents` makes
it known everywhere. `spielwerk.testing` tells whether all is well. The package in examples/plugin shows all of it.
"""

from typing import TYPE_CHECKING, Any

from spielwerk.core.agent import Agent, Decision, Policy
from spielwerk.core.clock import Budget, Limit, Stopped, StopSign
from spielwerk.core.encoding import Encoding
from spielwerk.core.errors import IllegalMove, InvalidMove, SpielwerkError
from spielwerk.core.evaluation import Evaluation
from spielwerk.core.game import Game
from spielwerk.core.instructions import stopped
from spielwerk.core.kernel.contract import Leaf, Room, Scratch
from spielwerk.core.kernel.rng import Rng, below, draw, mix, spawn, uniform
from spielwerk.core.linker import kernel, outlined, specialise
from spielwerk.core.looks import looking
from spielwerk.core.match import Record, play, replay
from spielwerk.core.moment import Moment
from spielwerk.core.position import Position, States, View
from spielwerk.core.profile import ProfilePart
from spielwerk.core.ranges import Range
from spielwerk.core.registry import agent, agent_names, game, game_names, register
from spielwerk.core.spec import Look, Option, Rung, Spec, Variant
from spielwerk.core.svg import dark_style, narrow
from spielwerk.core.words import Words, seat_number, seat_numbers, speaking

if TYPE_CHECKING:
    from spielwerk import contract, testing
    from spielwerk.arena.certainty import certainty
    from spielwerk.arena.evaluate import evaluate
    from spielwerk.arena.store import Store
    from spielwerk.arena.tournament import tournament

_LATER = {  # loaded when asked for: playing a match needs none of it
    "certainty": "spielwerk.arena.certainty",
    "evaluate": "spielwerk.arena.evaluate",
    "tournament": "spielwerk.arena.tournament",
    "Store": "spielwerk.arena.store",
}
_MODULES = ("contract", "testing")


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "__version__":
        from spielwerk.core.match import versions

        return versions()["spielwerk"]
    if name in _MODULES:
        return import_module(f"spielwerk.{name}")
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'spielwerk' has no attribute '{name}'")


__all__ = [
    "Agent",
    "Budget",
    "Decision",
    "Encoding",
    "Evaluation",
    "Game",
    "IllegalMove",
    "InvalidMove",
    "Leaf",
    "Limit",
    "Look",
    "Moment",
    "Option",
    "Policy",
    "Position",
    "ProfilePart",
    "Range",
    "Record",
    "Rng",
    "Room",
    "Rung",
    "Scratch",
    "Spec",
    "SpielwerkError",
    "States",
    "StopSign",
    "Stopped",
    "Store",
    "Variant",
    "View",
    "Words",
    "agent",
    "agent_names",
    "below",
    "certainty",
    "contract",
    "dark_style",
    "draw",
    "evaluate",
    "game",
    "game_names",
    "kernel",
    "looking",
    "mix",
    "narrow",
    "outlined",
    "play",
    "register",
    "replay",
    "seat_number",
    "seat_numbers",
    "spawn",
    "speaking",
    "specialise",
    "stopped",
    "testing",
    "tournament",
    "uniform",
]
