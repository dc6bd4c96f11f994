"""pairvalue: Qwixx by a small network that compares two sheets (see kernel/pairvalue.py)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.agent import Agent, Decision, Policy
from spielwerk.core.clock import Budget
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import Rng
from spielwerk.core.linker import specialise
from spielwerk.core.models import Arrays, Kind, load
from spielwerk.core.position import View
from spielwerk.core.ranges import Range
from spielwerk.games.qwixx.game import Qwixx
from spielwerk.games.qwixx.kernel.rules import MOST_SEATS, WHITE
from spielwerk.games.qwixx.players import say
from spielwerk.games.qwixx.players.kernel.pairvalue import (
    DEEP,
    EMBEDDED,
    HIDDEN,
    INPUTS,
    MOST_PLANS,
    Net,
    PairWeights,
    PairWorkspace,
    ShortSearch,
    chances_against_at,
    expect_replies_at,
    judge_plans_at,
    pair_policy,
    search_policy,
)
from spielwerk.games.qwixx.players.kernel.polynomial import decide_at

SHIPPED = "shipped"


def new_workspace() -> PairWorkspace:
    return PairWorkspace(
        np.zeros(INPUTS + 1, np.int64),
        np.zeros(2, np.float32),
        np.zeros(HIDDEN, np.float32),
        np.zeros(DEEP, np.float32),
        np.zeros(2, np.float32),
        np.zeros((MOST_PLANS, 2), np.int64),
        np.zeros(MOST_PLANS),
    )


def new_search(plans: int = 1, samples: int = 0, turns: int = 0, width: float = 0.0) -> ShortSearch:
    return ShortSearch(
        np.zeros((plans, 2), np.int64),
        np.zeros(plans),
        np.zeros(1),
        np.full(1, width),
        np.full(1, samples),
        np.full(1, turns),
        np.zeros(1, np.int64),
        np.zeros(1, np.int64),
        np.zeros(MOST_SEATS, np.int64),
        np.zeros(1, np.uint64),
    )


def encode(net: Net) -> dict[str, NDArray[np.float16]]:
    """Half precision is enough and halves the file."""
    return {name: part.astype(np.float16) for name, part in net._asdict().items()}


def decode(arrays: Arrays) -> Net:
    net = Net(*(arrays[name].astype(np.float32) for name in Net._fields))
    if net.embed.shape != (EMBEDDED, HIDDEN) or net.second.shape != (HIDDEN, DEEP):
        raise ValueError(say("the network has another shape than this version plays"))
    return net


KIND = Kind("pairvalue", decode, "spielwerk train {game} pairtd --variant {variant}", kept=8)


@dataclass(frozen=True)
class PairValue(Agent):
    """Qwixx by a learned comparison of two sheets."""

    name: ClassVar[str] = "pairvalue"

    net: Annotated[str, "run folder, file or name of a network; shipped = the one that comes with the package"] = (
        SHIPPED
    )
    blend: Annotated[float, Range(0, 1_000), "weight of the expected lead in the chance to win"] = 0.3
    samples: Annotated[int, Range(0, 1_000_000), "dice sequences of the short search; 0 = no search"] = 0
    turns: Annotated[int, Range(0, 1_000), "turns that the search looks ahead"] = 1
    plans: Annotated[int, Range(1, MOST_PLANS), "most turns that are searched"] = 4
    width: Annotated[float, Range(0, 1_000), "turns worse by more than this are not searched"] = 0.05

    def why_not(self, game: Game) -> str | None:
        if not isinstance(game, Qwixx):
            return say("it compares Qwixx sheets")
        return say("it needs somebody to compare with") if game.seats == 1 else None

    def policy(self, game: Game) -> Policy:
        net = load(KIND, game, None if self.net == SHIPPED else self.net).content
        search = new_search(self.plans, self.samples, self.turns, self.width)
        weights = PairWeights(net, new_workspace(), search, self.blend)
        return Policy(search_policy if self.samples else pair_policy, weights, searches=self.samples > 0)

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        """The values are the network's, after what the others will probably do at the same time, and the search's for
        the turns that it looked at. No action is shown as better than the one that was chosen."""
        game = view.game
        rule = self.policy(game)
        weights: PairWeights = rule.weights
        work, search = weights.work, weights.search
        part = 0 if int(view.state["phase"][0]) == WHITE else 1  # of a plan (white action, coloured action)
        expected = view.state.copy()
        scratch = game.scratch()
        specialise(expect_replies_at, game)(expected, view.seat, weights, scratch)
        count = specialise(judge_plans_at, game)(expected, view.seat, weights, scratch)
        floor = float(work.worth[:count].min()) - 0.1  # of a passive misthrow, which is never worth looking at
        values = dict.fromkeys(view.legal, floor)
        for plan, worth in zip(work.plans[:count], work.worth[:count], strict=True):
            values[int(plan[part])] = max(values[int(plan[part])], float(worth))
        decide = specialise(decide_at, game, policy=rule.function)
        with budget.watch() as sign:
            action = int(decide(view.state, view.seat, weights, game.scratch(sign=sign), rng))
        kept = int(search.kept[0]) if self.samples else 0
        if kept > 1 and search.made[0]:
            searched = search.sums[:kept] / search.made[0]
            values = {a: min(value, float(searched.min())) for a, value in values.items()}
            for plan, worth in zip(search.plans[:kept], searched, strict=True):
                values[int(plan[part])] = max(values[int(plan[part])], float(worth))
        values = {a: min(value, values[action]) for a, value in values.items()}
        against = np.zeros(game.seats - 1)
        specialise(chances_against_at, game)(view.state, view.seat, weights, against)
        chances = chances_to_win([values[a] for a in view.legal], [float(chance) for chance in against])
        return Decision(action, values=tuple(chances), unit="win")


NORMAL = NormalDist()
LUCK, SHARE = np.polynomial.hermite_e.hermegauss(24)
SHARE /= SHARE.sum()


def probit(chance: float) -> float:
    return NORMAL.inv_cdf(min(max(chance, 1e-9), 1 - 1e-9))


def ahead_of_all(chances: Sequence[float]) -> float:
    """The chance to end ahead of all others, from the chances to end ahead of each. These are not independent: with a
    good day one is ahead of everybody. So one's own luck is integrated over; given that, the others are independent
    (Thurstone's model: everybody's points are spread alike around what he can expect)."""
    leads = [math.sqrt(2) * probit(chance) for chance in chances]
    given = [math.prod(NORMAL.cdf(luck + lead) for lead in leads) for luck in LUCK]
    return float(SHARE @ np.array(given))


def chances_to_win(products: Sequence[float], against: Sequence[float]) -> list[float]:
    """What products of chances against the others are as chances to win; their order stays. All others count as
    equally strong; how much that errs is seen from the chances `against` them as they are now."""

    def level(product: float) -> float:
        return probit(ahead_of_all([max(product, 0.0) ** (1 / len(against))] * len(against)))

    error = probit(ahead_of_all(against)) - level(math.prod(against))
    return [NORMAL.cdf(level(product) + error) for product in products]
