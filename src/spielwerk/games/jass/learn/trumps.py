"""trumps: a network that chooses the mode, learned from a rating of hands that does not depend on how cards are played.

Eder and Kistler (2017, 2.6.3, experiment 3). Their first trump network was rewarded with the points of the deal, which
the card network spoiled while it had learned little. So they rated the six modes by the hand alone: whoever chooses the
best is rewarded with 0, whoever chooses another with what it is rated less. `rating=thesis` is theirs: the thesis does
not print it, the source of their bot does (scriptcoffee/JassBot). `rating=rules` takes the tables of `rules`, which
were fitted to simulated deals.

The other reward, the points of the deal, is `policygradient:actions=36-42,rule=returns,encoding=37,otherwise=rules`.
"""

from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.agent import Agent
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import specialise
from spielwerk.core.ranges import SHARE, Range
from spielwerk.games.jass.game import Jass
from spielwerk.games.jass.kernel.table import FIRST_MODE
from spielwerk.games.jass.learn import say
from spielwerk.games.jass.learn.kernel.trumps import rated_hands
from spielwerk.games.jass.players.rules import JassRules, rules_weights
from spielwerk.learn.netlearner import (
    NetLearner,
    NetRun,
    begun_with,
    device_of,
    optimiser_of,
    restore_training,
    torch_threads,
    training_arrays,
)
from spielwerk.learn.playing import Course, update_seed
from spielwerk.learn.run import Limits, Report, RunFolder
from spielwerk.nets.description import Head

SIX, SEVEN = "36", "37"  # encodings: without and with the push


@dataclass(frozen=True)
class Trumps(NetLearner):
    """Jass: which mode to choose, learned from a rating of hands."""

    name: ClassVar[str] = "trumps"

    encoding: Annotated[str, "36 = the hand, for the six modes; 37 = and whether it was pushed, for the push too"] = (
        SEVEN
    )
    network: Annotated[str, "units of the hidden layers, as 37; linear = none; or a JSON file with layers"] = "37"
    rounds: Annotated[int, Range(1, 1_000_000_000), "rounds; in each so many hands are dealt and learned from"] = 500
    hands: Annotated[int, Range(1, 1_000_000), "hands per round"] = 1024
    rating: Annotated[
        Literal["rules", "thesis"], "of the modes: the tables of the rule player, or the rating of the thesis"
    ] = "rules"
    pushed: Annotated[float, SHARE, "share of the hands that must choose after a push (37)"] = 0.5
    epsilon: Annotated[float, SHARE, "share of random choices at the beginning"] = 0.5
    final_epsilon: Annotated[float, SHARE, "share of random choices at the end"] = 0.05
    scale: Annotated[float, Range(1e-9, 1e9), "points that count as 1"] = 100.0
    batch_size: Annotated[int, Range(1, 1_000_000), "hands per step of the optimiser"] = 128
    optimiser: Annotated[Literal["adam", "adamw", "sgd", "rmsprop"], "how weights are changed"] = "adam"
    otherwise: Annotated[Agent | None, "agent that plays the cards in tests; none = rules"] = None
    tests: Annotated[int, Range(1, 1_000_000), "how often held-out matches are played in the course of a run"] = 5

    def why_not(self, game: Game) -> str | None:
        if not isinstance(game, Jass):
            return say("it learns to choose the mode in Jass only")
        if self.encoding not in (SIX, SEVEN):
            return say(
                "a network that chooses the mode reads encoding 36 or 37, not {encoding}", encoding=self.encoding
            )
        return super().why_not(game) or self._cards.why_not(game)

    @property
    def _cards(self) -> Agent:
        return self.otherwise or JassRules()

    def player(self, model: object) -> str:
        return f"{super().player(model)},otherwise=({self._cards.spec})"

    def train(self, game: Game, run: RunFolder, limits: Limits, report: Report) -> None:
        with torch_threads(self.torch_threads), closing(NetRun(self, game, run, limits)) as net_run:
            self._go_on(game, net_run, limits, report)

    def _go_on(self, game: Game, net_run: NetRun, limits: Limits, report: Report) -> None:
        import torch
        from torch.nn import functional

        from spielwerk.nets.module import NetworkModule

        choices = 6 if self.encoding == SIX else 7
        head = Head(choices, first=FIRST_MODE, unit="lead", scale=self.scale)
        wanted = self.describe(game, {"q": head})
        first = begun_with(net_run.folder, lambda: self.first_network(game, wanted, limits.seed))
        device = device_of(limits.device)
        module = NetworkModule(first).to(device)
        optimiser = optimiser_of(self.optimiser, module, self.learning_rate)
        net_run.counters = {"step": 0}
        kept = net_run.restore()
        if kept is not None:
            restore_training(kept, module, optimiser)
        dealer = Dealer(game, self, choices)
        kept_arrays = partial(training_arrays, module, optimiser)
        course = Course(net_run, self.rounds, self.tests, kept_arrays, module.network, report, rounds=True)
        while course.goes_on:
            seed = update_seed(limits, course.step)
            torch.manual_seed(seed)
            inputs, ratings = dealer.deal(seed)
            allowed = torch.from_numpy(~np.isnan(ratings))
            rated = torch.from_numpy(np.nan_to_num(ratings / self.scale))
            best = torch.where(allowed, rated, -torch.inf).max(dim=1, keepdim=True).values
            seen = torch.from_numpy(inputs).to(device)
            with torch.no_grad():
                liked = torch.where(allowed, module(seen)["q"].cpu(), -torch.inf).argmax(dim=1)
            any_choice = torch.multinomial(allowed.float(), 1)[:, 0]
            epsilon = self.epsilon + (self.final_epsilon - self.epsilon) * course.done
            chosen = torch.where(torch.rand(len(liked)) < epsilon, any_choice, liked)
            reward = (rated - best).gather(1, chosen[:, None])[:, 0]
            loss = torch.zeros(())
            for rows in torch.randperm(len(chosen)).split(self.batch_size):
                said = module(seen[rows])["q"].gather(1, chosen[rows, None].to(device))[:, 0]
                loss = functional.mse_loss(said, reward[rows].to(device))
                net_run.require_finite(loss.item())
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
            right = float((torch.where(allowed, rated, -torch.inf).argmax(dim=1) == liked).float().mean())
            course.advance(1, loss=loss.item(), reward=float(reward.mean()), accuracy=right)
        course.end()


class Dealer:
    """Deals hands, and says what every choice is worth with them."""

    def __init__(self, game: Game, learner: Trumps, choices: int) -> None:
        encoding = learner.encoding_of(game)[1]
        self.kernel = specialise(rated_hands, game, features=encoding.function)
        self.start, self.states = game.opening().state, game.states(1)
        self.pushed = learner.pushed if learner.encoding == SEVEN else 0.0
        self.thesis = learner.rating == "thesis"
        self.shapes = (learner.hands, encoding.size), (learner.hands, choices)

    def deal(self, seed: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Inputs [hands, places] and ratings in points [hands, choices], nan = not allowed."""
        inputs, ratings = (np.zeros(shape, np.float32) for shape in self.shapes)
        drawn = self.start, self.states, self.pushed
        self.kernel(*drawn, self.thesis, rules_weights(), spawn(seed), inputs, ratings)
        return inputs, ratings
