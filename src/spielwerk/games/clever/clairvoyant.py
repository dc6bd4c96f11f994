"""What a player gets who knows all dice to come, between proven bounds.

For a seed the n-th chance event of a match is fixed: six numbers and which of equal dice lie on the tray. The
clairvoyant player knows all of them and makes all decisions. Its optimum bounds what anybody can get with that seed.

*From below*: a beam search finds a line, which replays in the game to exactly its points. It keeps the most promising
states of every moment: as many chance events used, as many decisions since. States of different rounds meet in one
beam, since a re-roll uses up an event. First the value head of a network judges them, which knows nothing of the dice
to come. Then a relaxation that does know them (bound.py) leaves out all states that cannot have more points than the
best line, and puts the others in order.

*From above*: counting marks bounds any match. If the beam had room for all states that may reach so many points, and
none did, nobody can, and the bound is one point lower. Where both meet, the optimum is known exactly.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.errors import Unfit
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import attach, specialise
from spielwerk.core.position import States
from spielwerk.games.clever.bound import Guide, Relaxation, counting_bound
from spielwerk.games.clever.kernel.clairvoyant import expand, follow, let_chance_act, sort_out
from spielwerk.games.clever.kernel.guide import judge_prospects
from spielwerk.nets.network import Network
from spielwerk.search.net_model import asked

ROUNDING = 1e-6
STEPS = 200  # of the search for prices
GUIDED = 2.0  # how much more a point that the guide promises counts than one that the network expects


@dataclass(frozen=True)
class Line:
    """A whole match of a seed: its decisions and its points."""

    seed: int
    points: int
    actions: tuple[int, ...]


@dataclass(frozen=True)
class Optimum:
    """The optimum of a seed lies between the points of a line and a proven bound."""

    line: Line
    upper: int

    @property
    def exact(self) -> bool:
        return self.line.points == self.upper


class Beam:
    """A beam search for matches alone."""

    def __init__(self, game: Game, network: Network, width: int) -> None:
        if game.seats != 1 or network.description.judges != "afterstates":
            phrase = "a clairvoyant line needs a table with one seat and a network that judges afterstates"
            raise Unfit(game.say(phrase))
        self.game, self.width = game, width
        found = asked(network, game, "value")
        self._weights, self._scratch = found.weights, game.scratch(found.room)
        self._expand = specialise(attach(expand, **found.functions), game)
        most = width * game.spec.widest
        self._parents, self._actions = np.zeros(most, np.int64), np.zeros(most, np.int64)
        self._values, self._keys = np.zeros(most), np.zeros(most, np.uint64)

    def line(self, seed: int) -> Line:
        """A good line, found by the network alone."""
        found = self._search(seed, None, -1, False)
        assert found is not None
        return found

    def better_line(self, seed: int, known: int, relaxation: Relaxation) -> Line | None:
        """A line with more points than are known. If there is none and `complete` is set, none exists."""
        return self._search(seed, relaxation.guide(self.game, seed, known, STEPS), known, False)

    def refute(self, seed: int, more_than: int, relaxation: Relaxation) -> bool:
        """Whether it is proven that no line has more points than that; gives up when the beam is full."""
        found = self._search(seed, relaxation.guide(self.game, seed, more_than, STEPS), more_than, True)
        return found is None and self.complete

    def _search(self, seed: int, guide: Guide | None, known: int, only_whole: bool) -> Line | None:
        """The best line above what is known that the beam finds."""
        self._seed, self._known, self._guide, self._event = seed, known, guide, 0
        self._best: Line | None = None
        self._log: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        self.complete = True  # whether the beam had room for all that the guide did not leave out
        states, nodes = self.game.opening(seed).state, np.full(1, -1)
        while len(states) and (self.complete or not only_whole):
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
            hopeful = bounds >= self._known + 1 - ROUNDING
            every, nodes, values, keys = every[hopeful], nodes[hopeful], values[hopeful], keys[hopeful]
        chosen = self._chosen(values, keys)
        return every[chosen], nodes[chosen]

    def _prospects(self, states: States) -> NDArray[np.float64]:
        guide, out = self._guide, np.zeros(len(states))
        assert guide is not None
        parts = guide.profiles, guide.worth, guide.plan
        self.game.call(judge_prospects, states, len(states), self._event, *parts, out)
        return out

    def _decide(
        self, states: States, nodes: NDArray[np.int64]
    ) -> tuple[States, NDArray[np.int64], NDArray[np.float64], NDArray[np.uint64]]:
        """What the most promising decisions leave."""
        parents, actions, values, keys = self._parents, self._actions, self._values, self._keys
        count = self._expand(states, len(states), self._weights, self._scratch, parents, actions, values, keys)
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
        bounds = self._prospects(self._followed(states, every))
        self._values[:count] += GUIDED * bounds
        return every[bounds >= self._known + 1 - ROUNDING]

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
    return int(position.score[0])


def optimum(beam: Beam, relaxation: Relaxation, seed: int, known: Optimum | None = None) -> Optimum:
    """The optimum of a seed as narrowly as the beam can tell; goes on from what is known."""
    if known is None:
        known = Optimum(beam.line(seed), counting_bound(relaxation.sheet))
    line, upper = known.line, known.upper
    while line.points < upper:
        better = beam.better_line(seed, line.points, relaxation)
        if better is None:
            upper = line.points if beam.complete else upper
            break
        line = better
    while line.points < upper and beam.refute(seed, upper - 1, relaxation):
        upper -= 1
    return Optimum(line, upper)
