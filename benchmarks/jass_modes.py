"""Fit the mode tables of the Jass rule player to simulated deals.

    python benchmarks/jass_modes.py 200000

Every simulated deal is played in all six modes, chosen at once and after a push, by four rule players. The lead of the
choosing team is fitted by least squares (with a little ridge) as a sum over the suits of the chooser's hand.
"""

import sys
import time

import msgspec
import numpy as np
from jass_train_kernel import all_modes
from scipy.sparse import coo_matrix

import spielwerk as sw
from spielwerk.core import models
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import specialise
from spielwerk.games.jass.players.kernel import rules
from spielwerk.games.jass.players.rules import KIND, rules_weights


def keep(weights: np.ndarray) -> None:
    """Put weights in the place of those that are shipped; what was measured of the old ones no longer holds."""
    old = models.load(KIND, sw.game("jass"))
    card = msgspec.structs.replace(old.card, measured=())
    arrays = {"weights": weights.astype(np.float32)}
    models.save(old.path.parent, old.path.stem, card, arrays, replace=True)


def patterns(hands: np.ndarray) -> np.ndarray:
    return np.stack([(hands >> 9 * suit) & 511 for suit in range(4)], axis=1)


def fit(rows: list[tuple[np.ndarray, np.ndarray]], wide: int, target: np.ndarray, ridge: float) -> np.ndarray:
    """Least squares with columns counted as often as named in `rows`; the last column is a constant."""
    count = len(target)
    i = np.concatenate([np.repeat(np.arange(count), 1) for _ in rows] + [np.arange(count)])
    j = np.concatenate([column for column, _ in rows] + [np.full(count, wide)])
    v = np.concatenate([value for _, value in rows] + [np.ones(count)])
    x = coo_matrix((v, (i, j)), shape=(count, wide + 1)).tocsr()
    gram = (x.T @ x).toarray()
    gram[np.arange(wide), np.arange(wide)] += ridge
    return np.linalg.solve(gram, x.T @ target)


def fit_tables(hands: np.ndarray, leads: np.ndarray, weights: np.ndarray) -> np.ndarray:
    made = weights.copy()
    size = rules.TABLE
    for pushed in range(2):
        suits = patterns(hands[:, pushed])
        one = np.ones(4 * len(suits))
        trump = np.concatenate([suits[:, mode] for mode in range(4)])
        sides = [np.concatenate([suits[:, (mode + step) % 4] for mode in range(4)]) + size for step in (1, 2, 3)]
        target = np.concatenate([leads[:, pushed, mode] for mode in range(4)])
        found = fit([(trump, one), *((side, one) for side in sides)], 2 * size, target, 20.0)
        base = rules.PLAY_WEIGHTS + 4 * size * pushed
        made[base : base + 2 * size] = found[: 2 * size]
        made[rules.CONSTANTS + 3 * pushed] = found[-1]
        for extra, mode in ((1, 4), (2, 5)):
            one = np.ones(len(suits))
            found = fit([(suits[:, suit], one) for suit in range(4)], size, leads[:, pushed, mode], 20.0)
            place = base + size * (1 + extra)
            made[place : place + size] = found[:size]
            made[rules.CONSTANTS + 3 * pushed + extra] = found[-1]
    # the worth of a push: the partner chooses by the tables
    partner = patterns(hands[:, 1])
    base = rules.PLAY_WEIGHTS + 4 * size
    worth = np.zeros((len(hands), 6))
    for mode in range(6):
        for suit in range(4):
            kind = rules.AS_TRUMP if suit == mode else rules.AS_SIDE
            kind = {4: rules.AS_OBEABE, 5: rules.AS_UNDEUFE}.get(mode, kind)
            worth[:, mode] += made[base + size * kind + partner[:, suit]]
        worth[:, mode] += made[rules.CONSTANTS + 3 + max(0, mode - 3)]
    chosen = worth.argmax(axis=1)
    target = leads[np.arange(len(hands)), 1, chosen]
    own = patterns(hands[:, 0])
    found = fit([(own[:, suit], np.ones(len(own))) for suit in range(4)], size, target, 20.0)
    made[rules.PUSH_TABLE : rules.PUSH_TABLE + size] = found[:size]
    made[rules.CONSTANTS + 6] = found[-1]
    return made


def simulate(weights: np.ndarray, deals: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    game = sw.game("jass", variant="server-deal")
    states = game.states(3)
    states[0] = game.opening().state[0]
    hands, leads = np.zeros((deals, 2), np.int64), np.zeros((deals, 2, 6))
    specialise(all_modes, game)(states, deals, weights, game.scratch(), spawn(seed), hands, leads)
    return hands, leads


def main() -> None:
    deals = int(sys.argv[1])
    weights = rules_weights()
    began = time.perf_counter()
    hands, leads = simulate(weights, deals, 12345)
    print(f"{deals / (time.perf_counter() - began):.0f} deals in twelve ways per second")
    keep(fit_tables(hands, leads, weights))


if __name__ == "__main__":
    main()
