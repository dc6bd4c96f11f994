"""tdvalue: a network learns from its own play what a move leaves, by TD(λ) on afterstates.

Every seat plays the action whose afterstate the network values most, and sometimes any (ε). From these matches it
learns what afterstates were worth: the λ-return, a mixture of what it expected itself a little later and of how the
match ended. The strongest public players of dice games are made this way (Tesauro 1995 for backgammon).

Play and learning take turns in rounds: while one round is learned the next is already played, with the weights of
before. A round is the same whoever plays it, so a run depends on its seed alone, not on threads or workers.

It learns one value for what a seat knows. So where information is hidden it can learn to play well on average, but not
to bluff or to mix: it imagines one world, and always plays what it holds best there. Where seats decide at the same
moment it takes the others to do anything.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from spielwerk.core.agent import Agent
from spielwerk.core.errors import SpielwerkError, Unfit
from spielwerk.core.game import Game
from spielwerk.core.ranges import SHARE, Range
from spielwerk.learn.netlearner import NetLearner, NetRun, require_torch, unit_of, usual_scale
from spielwerk.learn.run import Curve, Limits, Report, RunFolder
from spielwerk.learn.tdvalue_training import Training
from spielwerk.learn.tdvalue_update import is_plain
from spielwerk.learn.words import say
from spielwerk.nets.description import Description, Dropout, Head, Unit
from spielwerk.nets.network import Network, fresh, layers_of

STILL_TRIED = 0.05  # share of the decisions in games without chance


@dataclass(frozen=True)
class TdValue(NetLearner):
    """TD(λ) on afterstates by self-play: a value network for every game."""

    name: ClassVar[str] = "tdvalue"

    network: Annotated[
        str, "units of the hidden layers, as 128-128; linear = none; or a JSON file with a list of layers"
    ] = "128-128"
    unit: Annotated[
        Literal["auto", "points", "lead", "win"], "what values are; auto = what the game's objective counts"
    ] = "auto"
    scale: Annotated[float, Range(0, 1e12), "points that count as 1; 0 = by the game and by random play"] = 0.0
    positions: Annotated[int, Range(1, 10**15), "positions to learn from"] = 20_000_000
    round_positions: Annotated[int, Range(1, 10**9), "positions of a round, about; weights change between rounds"] = (
        16_384
    )
    trace_decay: Annotated[float, SHARE, "lambda: 0 = learn from the next position, 1 = from the end"] = 0.8
    warm_up: Annotated[
        float, SHARE, "share of the run at the beginning with lambda 1, all seats played by the league if there is one"
    ] = 0.02
    epsilon: Annotated[float, SHARE, "share of the decisions in which any action is tried out, at the beginning"] = 0.1
    final_epsilon: Annotated[
        float | None, SHARE, "the same at the end; none = 0, or 0.05 where nothing but this makes matches differ"
    ] = None
    epsilon_until: Annotated[float, SHARE, "share of the run after which it is the final one"] = 0.8
    learning_rate: Annotated[float, Range(1e-9, 100.0), "step width of Adam at the beginning"] = 1e-3
    final_learning_rate: Annotated[float, Range(0, 100.0), "the same at the end"] = 2e-5
    rate_from: Annotated[float, SHARE, "share of the run after which the step width falls, evenly on a log scale"] = 0.2
    batch: Annotated[int, Range(1, 1_000_000), "positions of a gradient step"] = 128
    replay: Annotated[int, Range(1, 1000), "rounds that are learned together: the newest and those before it"] = 1
    averaging: Annotated[
        float, SHARE, "how much of the averaged weights stays with every gradient step; they are tested beside the last"
    ] = 0.999
    watched: Annotated[
        Literal["all", "own"], "positions that a seat learns from: after everybody's moves, or after its own only"
    ] = "all"
    league: Annotated[tuple[Agent, ...], "agents with compiled rules that take seats, as (greedy)+(random)"] = ()
    league_share: Annotated[float, SHARE, "share of the seats that the league plays; nothing is learned there"] = 0.2
    tests: Annotated[int, Range(1, 100_000), "tests by held-out matches in a run"] = 16
    update: Annotated[
        Literal["auto", "compiled", "torch"],
        "who takes gradient steps; auto = compiled code where the network is plain",
    ] = "auto"

    def why_not(self, game: Game) -> str | None:
        try:
            self.require_network(game)
            plain = self.is_compiled(fresh(self.description(game, 1.0), 0))
            if not plain:
                require_torch()
            for agent in self.league:
                agent.require(game)
                if agent.policy(game) is None:
                    phrase = "{agent} has no compiled rule, so it cannot be in the league"
                    raise Unfit(say(phrase, agent=agent.name))
            if self.test_opponents is not None and game.seats > 1:
                self.test_opponents.require(game)
        except SpielwerkError as problem:
            return str(problem)
        return None

    def train(self, game: Game, run: RunFolder, limits: Limits, report: Report) -> None:
        net_run = NetRun(self, game, run, limits)
        try:
            Training(self, game, net_run, limits, report).go()
        finally:
            net_run.close()

    def curve(self, run: RunFolder) -> Curve:
        across, up, _ = super().curve(run)
        rows = [row for row in run.rows() if "held_out" in row]
        lines = []
        for label, averaged in ((say("last weights"), 0), (say("averaged weights"), 1)):
            chosen = [row for row in rows if row["averaged"] == averaged]
            lines.append((label, [float(row["step"]) for row in chosen], [float(row["held_out"]) for row in chosen]))
        return across, up, lines

    # --- the network -------------------------------------------------------------------------------------------------

    def unit_for(self, game: Game) -> Unit:
        return unit_of(game) if self.unit == "auto" else self.unit

    def description(self, game: Game, scale: float) -> Description:
        head = Head(1, unit=self.unit_for(game), scale=scale)
        return self.describe(game, {"value": head}, "afterstates")

    def first_for(self, game: Game, seed: int) -> Network:
        return self.first_network(game, self.description(game, self.scale_for(game)), seed)

    def scale_for(self, game: Game) -> float:
        if self.scale > 0.0 or self.unit_for(game) == "win":
            return self.scale or 1.0
        return usual_scale(game)

    def last_epsilon(self, game: Game) -> float:
        if self.final_epsilon is None:
            return 0.0 if game.spec.chance else min(self.epsilon, STILL_TRIED)
        return self.final_epsilon

    def is_compiled(self, network: Network) -> bool:
        """Whether gradient steps are taken by compiled code."""
        plain = is_plain(network) and not any(isinstance(layer, Dropout) for layer in layers_of(network.description))
        if self.update == "compiled" and not plain:
            phrase = "update=compiled takes dense layers with activations only; take update=torch for this network"
            raise SpielwerkError(say(phrase))
        return plain and self.update != "torch"
