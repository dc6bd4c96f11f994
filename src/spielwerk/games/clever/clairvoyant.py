"""What a player could get who knows all dice to come: a line of play found by a beam search.

For a seed the n-th chance event of a match is fixed: six numbers and which of equal dice lie on the tray. The
clairvoyant player knows all of them and makes all decisions. Its optimum bounds what anybody can get with that seed; a
line that is found is a lower bound of the optimum, and replays in the game to exactly its points.

The search keeps the most promising states of every moment: as many chance events used, as many decisions since. They
are judged by the value head of a network, which knows nothing of the dice to come; the width of the beam makes up for
that. States of different rounds meet in one beam, since a re-roll uses up an event.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.errors import Unfit
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import attach, specialise
from spielwerk.core.position import States, duplicate
from spielwerk.games.clever.kernel.clairvoyant import expand, follow, let_chance_act, sort_out
from spielwerk.games.clever.kernel.guide import Guide, judge_prospects
from spielwerk.nets.network import Network
from spielwerk.search.net_model import asked

ROUNDING = 1e-6


@dataclass(frozen=True)
class Line:
    """A whole match of a seed: its decisions and its points."""

    seed: int
    points: int
    actions: tuple[int, ...]


class Beam:
    """A beam search with the value head of a network for matches alone."""

    def __init__(self, game: Game, network: Network, width: int, weight: float = 1.0) -> None:
        if game.seats != 1 or network.description.judges != "afterstates":
            raise Unfit(game.say("a clairvoyant line needs one seat and a network that judges afterstates"))
        self.game, self.width, self.weight = game, width, weight
        found = asked(network, game, "value")
        self._weights, self._scratch = found.weights, game.scratch(found.room)
        self._expand = specialise(attach(expand, **found.functions), game)
        most = width * game.spec.widest
        self._parents, self._actions = np.zeros(most, np.int64), np.zeros(most, np.int64)
        self._values, self._keys = np.zeros(most), np.zeros(most, np.uint64)

    def search(self, seed: int, guide: Guide | None = None, known: int = -1) -> Line | None:
        """The best line that the beam finds for a seed, of those with more points than are known. With a guide, states
        that cannot have more are left out; `complete` says whether the beam had room for all others, so that there is
        no line if none was found."""
        self._seed, self._log, self._best, self._known = seed, [], None, known
        self._guide, self._event, self.complete = guide, 0, True
        states, nodes = self.game.opening(seed).state, np.full(1, -1)
        while len(states):
            states, nodes = self._after_chance(states, nodes)
            self._event += 1
            states, nodes = self._moment(states, nodes)
        return self._best

    def _after_chance(self, states: States, nodes: NDArray[np.int64]) -> tuple[States, NDArray[np.int64]]:
        rng = np.empty(1, np.uint64)
        self.game.call(let_chance_act, states, len(states), spawn(self._seed, 0)[0], self._event, rng)
        return states, nodes

    def _moment(self, states: States, nodes: NDArray[np.int64]) -> tuple[States, NDArray[np.int64]]:
        """All decisions until the next chance event; returns the best states that wait for it."""
        resting: list[tuple[States, NDArray[np.int64], NDArray[np.float64], NDArray[np.uint64]]] = []
        values, keys = np.zeros(len(states)), np.arange(len(states), dtype=np.uint64)
        while True:
            kinds, scores = np.zeros(len(states), np.int64), np.zeros(len(states), np.int64)
            self.game.call(sort_out, states, len(states), kinds, scores)
            self._note_finished(nodes, scores, kinds < 0)
            rests, decides = kinds == 0, kinds > 0
            resting.append((states[rests], nodes[rests], values[rests], keys[rests]))
            if not decides.any():
                break
            states, nodes, values, keys = self._decide(states[decides], nodes[decides])
        every, nodes, values, keys = (np.concatenate(part) for part in zip(*resting, strict=True))
        if self._guide is not None:
            bounds = self._prospects(every)
            values = values + self.weight * bounds
            hopeful = bounds >= self._known + 1 - ROUNDING
            every, nodes, values, keys = every[hopeful], nodes[hopeful], values[hopeful], keys[hopeful]
        chosen = self._chosen(values, keys)
        return every[chosen], nodes[chosen]

    def _prospects(self, states: States) -> NDArray[np.float64]:
        out = np.zeros(len(states))
        self.game.call(judge_prospects, states, len(states), self._event, self._guide, out)
        return out

    def _decide(
        self, states: States, nodes: NDArray[np.int64]
    ) -> tuple[States, NDArray[np.int64], NDArray[np.float64], NDArray[np.uint64]]:
        """What the most promising decisions leave."""
        parents, actions, values, keys = self._parents, self._actions, self._values, self._keys
        count = self._expand(
            states, len(states), self._weights, self._scratch, parents, actions, values, keys
        )
        chosen = self._hopeful(states, count)
        chosen = chosen[self._chosen(values[chosen], keys[chosen])]
        out = self._followed(states, chosen)
        first = sum(len(part[0]) for part in self._log)
        self._log.append((nodes[parents[chosen]], actions[chosen]))
        return out, np.arange(first, first + len(chosen)), values[chosen], keys[chosen]

    def _followed(self, states: States, chosen: NDArray[np.int64]) -> States:
        out = self.game.states(len(chosen))
        parents, actions = self._parents[chosen], self._actions[chosen]
        self.game.call(follow, states, parents, actions, len(chosen), self._scratch, out)
        return out

    def _hopeful(self, states: States, count: int) -> NDArray[np.int64]:
        """The decisions that can lead to more than is known."""
        every = np.arange(count)
        if self._guide is None:
            return every
        return every[self._prospects(self._followed(states, every)) >= self._known + 1 - ROUNDING]

    def _chosen(self, values: NDArray[np.float64], keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The highest values, every key once."""
        order = np.argsort(-values, kind="stable")
        _, first = np.unique(keys[order], return_index=True)
        self.complete = self.complete and len(first) <= self.width
        return order[np.sort(first)[: self.width]]

    def _note_finished(self, nodes: NDArray[np.int64], scores: NDArray[np.int64], over: NDArray[np.bool_]) -> None:
        if over.any() and scores[over].max() > (self._best.points if self._best else self._known):
            best = int(np.argmax(np.where(over, scores, -1)))
            self._best = Line(self._seed, int(scores[best]), self._way_to(int(nodes[best])))

    def _way_to(self, node: int) -> tuple[int, ...]:
        parents = np.concatenate([part[0] for part in self._log])
        actions = np.concatenate([part[1] for part in self._log])
        way: list[int] = []
        while node >= 0:
            way.append(int(actions[node]))
            node = int(parents[node])
        return tuple(reversed(way))


def replay(game: Game, line: Line) -> int:
    """The points of a line, played in the game itself."""
    position = game.new(line.seed)
    for action in line.actions:
        position.play(action)
    if not position.over:
        raise Unfit(game.say("the line of seed {seed} does not end the match", seed=line.seed))
    return int(position.score[0])
