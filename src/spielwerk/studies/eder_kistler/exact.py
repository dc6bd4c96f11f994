"""What is best in Frozen Lake, Taxi and Blackjack, and what a policy is worth there: exactly, from their rules."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

# --- environments that list their transitions ------------------------------------------------------------------------


class Rules(NamedTuple):
    """Transitions of an environment as arrays over states and actions."""

    chances: Values  # [states, actions, states] to go on there
    rewards: Values  # [states, actions] expected
    start: Values  # [states] how likely an episode begins there


def rules_of(env: Any) -> Rules:
    """Of one of Gymnasium's text environments, which have a table `P`."""
    table = env.unwrapped.P
    states, actions = len(table), len(table[0])
    chances, rewards = np.zeros((states, actions, states)), np.zeros((states, actions))
    for state in range(states):
        for action in range(actions):
            for chance, after, reward, over in table[state][action]:
                rewards[state, action] += chance * reward
                chances[state, action, after] += 0.0 if over else chance
    return Rules(chances, rewards, np.asarray(env.unwrapped.initial_state_distrib, float))


def best_worth(rules: Rules, steps: int) -> float:
    """What the best player gets on average who may take so many steps and counts them."""
    worth = np.zeros(len(rules.start))
    for _ in range(steps):
        worth = (rules.rewards + rules.chances @ worth).max(axis=1)
    return float(rules.start @ worth)


def policy_worth(rules: Rules, policy: NDArray[np.int64], steps: int) -> float:
    """What somebody gets on average who always does policy[state], within so many steps."""
    each = np.arange(len(policy))
    chances, rewards = rules.chances[each, policy], rules.rewards[each, policy]
    worth = np.zeros(len(policy))
    for _ in range(steps):
        worth = rewards + chances @ worth
    return float(rules.start @ worth)


def best_actions(rules: Rules, gamma: float, sweeps: int = 2000) -> NDArray[np.int64]:
    """What is best if time does not end, by value iteration."""
    worth = np.zeros(len(rules.start))
    for _ in range(sweeps):
        worth = (rules.rewards + gamma * (rules.chances @ worth)).max(axis=1)
    found: NDArray[np.int64] = (rules.rewards + gamma * (rules.chances @ worth)).round(12).argmax(axis=1)
    return found


# --- Blackjack -------------------------------------------------------------------------------------------------------

STICK, HIT = 0, 1
CARDS = dict.fromkeys(range(1, 10), 1 / 13) | {10: 4 / 13}  # drawn and put back
Chooser = Callable[[int, int, bool], int]  # (own sum, the dealer's card, usable ace) -> STICK or HIT


def _sum(hard: int, ace: bool) -> tuple[int, bool]:
    """The sum of a hand whose aces count 1, and whether one of them may count 11."""
    return (hard + 10, True) if ace and hard + 10 <= 21 else (hard, False)


@cache
def _dealer(hard: int, ace: bool) -> tuple[tuple[int, float], ...]:
    """The dealer's final sums with their chances; 0 = over 21. The dealer sticks from 17 on."""
    total, _ = _sum(hard, ace)
    if total > 21:
        return ((0, 1.0),)
    if total >= 17:
        return ((total, 1.0),)
    found: dict[int, float] = {}
    for card, chance in CARDS.items():
        for final, likely in _dealer(hard + card, ace or card == 1):
            found[final] = found.get(final, 0.0) + chance * likely
    return tuple(found.items())


def _stick(total: int, shown: int) -> float:
    """What sticking is worth: the chance to be nearer to 21 than the dealer, less that of the opposite. The dealer
    takes the hidden card first, whatever is shown."""
    worth = 0.0
    for hidden, chance in CARDS.items():
        for final, likely in _dealer(shown + hidden, 1 in (shown, hidden)):
            worth += chance * likely * float(np.sign(total - final))
    return worth


class Blackjack:
    """Exact values for one way to choose; without one, for the best."""

    def __init__(self, choose: Chooser | None = None) -> None:
        self.choose = choose
        self._known: dict[tuple[int, bool, int], tuple[float, int]] = {}

    def decision(self, hard: int, ace: bool, shown: int) -> tuple[float, int]:
        """What a hand is worth, and what is done with it."""
        key = (hard, ace, shown)
        if key not in self._known:
            total, usable = _sum(hard, ace)
            hit = 0.0
            for card, chance in CARDS.items():
                over = hard + card > 21
                hit += chance * (-1.0 if over else self.decision(hard + card, ace or card == 1, shown)[0])
            worth = (_stick(total, shown), hit)
            action = int(worth[HIT] > worth[STICK]) if self.choose is None else self.choose(total, shown, usable)
            self._known[key] = worth[action], action
        return self._known[key]

    @property
    def worth(self) -> float:
        """Of a round, before cards are dealt."""
        worth = 0.0
        for first, one in CARDS.items():
            for second, two in CARDS.items():
                for shown, three in CARDS.items():
                    worth += one * two * three * self.decision(first + second, 1 in (first, second), shown)[0]
        return worth

    def action(self, total: int, shown: int, usable: bool) -> int:
        """What is done with a sum."""
        return self.decision(total - 10 if usable else total, usable, shown)[1]
