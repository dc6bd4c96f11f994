"""Looking into a network: what it says in a position of every action, legal or not, and what the position is worth."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.kernel import entry
from spielwerk.core.kernel.rng import Rng
from spielwerk.core.linker import attach, specialise
from spielwerk.core.position import View
from spielwerk.nets.network import Network
from spielwerk.search.kernel.net import afterstate_values_at
from spielwerk.search.net_model import Aim, aims_at_lead, asked

Numbers = NDArray[np.float64]


class Look(NamedTuple):
    """What a network says in one position. Actions that a head does not know are nan."""

    before: Numbers | None  # [actions] probability of every action before illegal ones are masked
    after: Numbers | None  # [actions] the same afterwards: 0 where illegal
    q: Numbers | None  # [actions] Q values in `unit`
    value: float | None  # of the position, in `unit`: what is still to come, or the chance to win
    left: Numbers | None  # [actions] value of what every legal action leaves, in `unit`
    unit: str  # points, lead or win


class Said(NamedTuple):
    """What a network says of one action; None where it says nothing."""

    action: int
    legal: bool
    before: float | None
    after: float | None
    q: float | None
    left: float | None

    @property
    def figure(self) -> float | None:
        """By which actions are compared: the first that there is."""
        return next((value for value in (self.after, self.q, self.left) if value is not None), None)


def features_of(network: Network, view: View) -> NDArray[np.float32]:
    """What the network reads of a view."""
    encoding = network.encoding(view.game)
    out = np.zeros(encoding.size, np.float32)
    specialise(entry.features_at, view.game, features=encoding.function)(view.state, view.seat, out)
    return out


def look(network: Network, view: View, rng: Rng, aim: Aim = "auto") -> Look:
    description, game = network.description, view.game
    answers = {name: row[0].astype(np.float64) for name, row in network.outputs(features_of(network, view)).items()}
    legal = np.zeros(game.spec.actions, bool)
    legal[list(view.legal)] = True
    before = after = q = left = value = None
    heads = description.heads
    scored = heads.get("value") or heads.get("q")
    if "policy" in heads:
        logits = _by_action(answers["policy"], heads["policy"].first, game.spec.actions)
        before = _probabilities(logits, ~np.isnan(logits))
        after = _probabilities(logits, ~np.isnan(logits) & legal)
    if "q" in heads:
        q = _by_action(answers["q"], heads["q"].first, game.spec.actions) * heads["q"].scale
    if "value" in heads:
        if description.judges == "afterstates":
            left = np.full(game.spec.actions, np.nan)
            left[list(view.legal)] = afterstate_values(network, view, rng, aim)
        else:
            said = float(answers["value"][0])
            value = chance(said) if heads["value"].unit == "win" else said * heads["value"].scale
    unit = scored.unit if scored else ""
    return Look(
        before, after, q, value, left, "lead" if left is not None and aims_at_lead(network, game, aim) else unit
    )


def afterstate_values(network: Network, view: View, rng: Rng, aim: Aim = "auto") -> Numbers:
    """What every legal action leaves, at the end of the match: in points, as a lead, or as a chance to win."""
    game = view.game
    found = asked(network, game, "value", aim=aim)
    out = np.zeros(game.spec.widest)
    kernel = attach(afterstate_values_at, **found.functions)
    specialise(kernel, game)(view.state, view.seat, found.weights, game.scratch(found.room), rng, out)
    values = out[: len(view.legal)]
    return np.array([chance(value) for value in values]) if network.head("value").unit == "win" else values


def of_every_action(view: View, seen: Look) -> list[Said]:
    """All actions that are legal or of which the network says something: the legal ones first, and what it likes best
    before the rest."""
    legal = set(view.legal)

    def known(values: Numbers | None, action: int) -> float | None:
        return None if values is None or np.isnan(values[action]) else float(values[action])

    def order(said: Said) -> tuple[bool, float, int]:
        figure = said.figure if said.legal or said.before is None else said.before
        return not said.legal, np.inf if figure is None else -figure, said.action

    columns = seen.before, seen.after, seen.q, seen.left
    every = (
        Said(action, action in legal, *(known(column, action) for column in columns))
        for action in range(view.game.spec.actions)
    )
    return sorted((said for said in every if said.legal or said[2:] != (None,) * 4), key=order)


def chance(logit: float) -> float:
    return float(1.0 / (1.0 + np.exp(-logit)))


def _by_action(answers: Numbers, first: int, actions: int) -> Numbers:
    out = np.full(actions, np.nan)
    out[first : first + len(answers)] = answers
    return out


def _probabilities(logits: Numbers, among: NDArray[np.bool_]) -> Numbers:
    """Softmax over some actions; the others have 0, and those that the network does not know are nan."""
    out = np.where(np.isnan(logits), np.nan, 0.0)
    if among.any():
        shifted = np.exp(logits[among] - logits[among].max())
        out[among] = shifted / shifted.sum()
    return out
