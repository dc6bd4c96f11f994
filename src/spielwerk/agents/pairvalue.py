"""pairvalue: Qwixx by a small network that compares two sheets (see pairvalue_kernel.py)."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np

from spielwerk.agents.pairvalue_kernel import (
    DEEP,
    EMBEDDED,
    HIDDEN,
    INPUTS,
    MOST_PLANS,
    Desk,
    Net,
    PairWeights,
    pair_policy,
)
from spielwerk.core.agent import Agent, Budget, Decision, Policy
from spielwerk.core.contract import policy
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game, View
from spielwerk.core.kernel import kernel, specialise
from spielwerk.core.rng import Rng

SHIPPED = Path(__file__).parents[1] / "models" / "qwixx_pairvalue.npz"


def new_desk() -> Desk:
    return Desk(
        np.zeros(INPUTS + 1, np.int64),
        np.zeros(2, np.float32),
        np.zeros(HIDDEN, np.float32),
        np.zeros(DEEP, np.float32),
        np.zeros(2, np.float32),
        np.zeros((MOST_PLANS, 2), np.int64),
        np.zeros(MOST_PLANS),
    )


def save_net(path: Path, net: Net) -> None:
    """Half precision is enough and halves the file."""
    with path.open("wb") as file:
        np.savez_compressed(file, **{name: part.astype(np.float16) for name, part in net._asdict().items()})


def load_net(path: Path) -> Net:
    try:
        with np.load(path) as stored:
            net = Net(*(stored[name].astype(np.float32) for name in Net._fields))
    except FileNotFoundError:
        raise SpielwerkError(f"pairvalue: there is no network in {path}; train one with: spielwerk train qwixx pairtd") from None
    except (KeyError, ValueError, OSError) as problem:
        raise SpielwerkError(f"pairvalue: {path} holds no network: {problem}") from problem
    if net.embed.shape != (EMBEDDED, HIDDEN) or net.second.shape != (HIDDEN, DEEP):
        raise SpielwerkError(f"pairvalue: the network in {path} has another shape than this version plays")
    return net


@lru_cache(maxsize=8)
def _net(path: str, changed: float) -> Net:
    return load_net(Path(path))


@kernel
def decide_at(states, seat, weights, scratch, rng):  # type: ignore[no-untyped-def]
    return policy(states[0], seat, weights, scratch, rng)


@dataclass(frozen=True)
class PairValue(Agent):
    """Qwixx by a learned comparison of two sheets."""

    name: ClassVar[str] = "pairvalue"

    net: Annotated[str, "file with the network; shipped = the one that comes with the package"] = "shipped"
    blend: Annotated[float, "weight of the expected lead beside the chance to win"] = 0.0

    def why_not(self, game: Game) -> str | None:
        if game.spec.id != "qwixx":
            return "it compares Qwixx sheets"
        return "it needs somebody to compare with" if game.seats == 1 else None

    def weights(self) -> PairWeights:
        path = SHIPPED if self.net == "shipped" else Path(self.net)
        changed = path.stat().st_mtime if path.exists() else 0.0
        return PairWeights(_net(str(path), changed), new_desk(), self.blend)

    def policy(self, game: Game) -> Policy:
        return Policy(pair_policy, self.weights())

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        game = view.game
        rule = self.policy(game)
        search = specialise(decide_at, game, policy=rule.function)
        return Decision(int(search(view.state, view.seat, rule.weights, game.scratch(), rng)))
