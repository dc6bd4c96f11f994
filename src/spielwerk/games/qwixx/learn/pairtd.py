"""pairtd: TD learning of the two-sheet network that `pairvalue` plays with (see kernel/pairtd.py).

A run begins with matches among the league of polynomial players only, so that the network first learns what positions
are worth when sensible players go on; then it takes seats itself. Checkpoints are selected by the share of wins against
AlphaQwixx with paired dice, since the mean score is a poor measure of strength (research of `vibelyova/qwixxer`).
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import specialise
from spielwerk.core.models import read_arrays, write_arrays
from spielwerk.core.ranges import SHARE, Range
from spielwerk.core.running import run as play_match
from spielwerk.core.words import number
from spielwerk.games.qwixx.game import Qwixx
from spielwerk.games.qwixx.kernel.rules import MOST_SEATS
from spielwerk.games.qwixx.learn import say
from spielwerk.games.qwixx.learn.kernel.pairtd import (
    MOST_TURNS,
    WATCHED,
    PairTdSettings,
    PairTdWorkspace,
    train_matches,
)
from spielwerk.games.qwixx.players.kernel.pairvalue import DEEP, EMBEDDED, HIDDEN, INPUTS, Net, PairWeights
from spielwerk.games.qwixx.players.pairvalue import KIND, PairValue, encode, new_search, new_workspace
from spielwerk.games.qwixx.players.polynomial import ALPHAQWIXX, AlphaQwixx, Gap, tables
from spielwerk.learn.run import Curve, Learned, Learner, Limits, Report, RunFolder, reading_checkpoint

BLOCK = 1000  # matches between two looks at the clock
KINDS = ("net", "sums", "mean")  # what a checkpoint holds


def league() -> NDArray[np.float64]:
    """The players beside the network: AlphaQwixx, and cautious and hasty relatives with and without end-game rules."""
    rules = [tables(ALPHAQWIXX), tables(ALPHAQWIXX, endgame=True)]
    rules += [tables(Gap(k).coefficients(), endgame=True) for k in (1, 2)]
    rules += [tables(np.array([[0.0] * 4, [1.0, -steps, steps, -2.5]]), endgame=True) for steps in (0.4, 0.6)]
    return np.stack(rules)


def fresh_net(seed: int) -> Net:
    rng = np.random.default_rng(seed)
    embed = rng.normal(0.0, 0.15, (EMBEDDED, HIDDEN))
    embed[PAIRS_FROM:] = 0.0  # pairs start as the sum of their two rows
    return Net(
        embed.astype(np.float32),
        rng.normal(0.0, np.sqrt(2.0 / HIDDEN), (HIDDEN, DEEP)).astype(np.float32),
        np.zeros(DEEP, np.float32),
        rng.normal(0.0, 0.05, (2, DEEP)).astype(np.float32),
        np.zeros(2, np.float32),
    )


PAIRS_FROM = EMBEDDED - 57 * 57


@dataclass(frozen=True)
class PairTd(Learner):
    """TD learning of a network that compares two Qwixx sheets."""

    name: ClassVar[str] = "pairtd"

    matches: Annotated[int, Range(1, 1_000_000_000_000), "matches to learn from"] = 1_000_000
    warm_up: Annotated[int, Range(0, 1_000_000_000_000), "matches at the beginning that only the league plays"] = 30_000
    trace_decay: Annotated[float, SHARE, "lambda: 0 = learn from the next position, 1 = from the end"] = 0.8
    alpha: Annotated[float, Range(0, 1_000), "learning rate at the beginning"] = 0.03
    final_alpha: Annotated[float, Range(0, 1_000), "learning rate at the end"] = 0.01
    network_share: Annotated[float, SHARE, "share of the seats that the network plays"] = 0.6
    two_seat_share: Annotated[float, SHARE, "share of the matches with two seats; the others have three to five"] = 0.7
    smoothing: Annotated[
        float, SHARE, "share of the newest network in the average that is tested and kept, per 1000 matches"
    ] = 0.05
    warm_start: Annotated[str, "run folder whose network is trained further; none = a random one"] = "none"
    checkpoint_every: Annotated[int, Range(1, 1_000_000_000_000), "matches between two checkpoints"] = 50_000
    test_matches: Annotated[
        int, Range(2, 1_000_000_000), "matches of a test against AlphaQwixx, half of them with seats exchanged"
    ] = 2000

    renamed: ClassVar[dict[str, str]] = {
        "decay": "trace_decay", "rate": "alpha", "last_rate": "final_alpha", "own_share": "network_share",
        "pair_share": "two_seat_share", "start": "warm_start", "check": "checkpoint_every", "test": "test_matches",
    }  # fmt: skip

    def why_not(self, game: Game) -> str | None:
        return None if isinstance(game, Qwixx) else say("it compares Qwixx sheets")

    def train(self, game: Game, run: RunFolder, limits: Limits, report: Report) -> None:
        table = type(game)(5, game.variant)  # room for every number of seats
        net, sums, mean_net, done, best = self._begin(run, limits.seed)
        weights = PairWeights(net, new_workspace(), new_search(), 0.0)
        play, rules, work = specialise(train_matches, table), league(), new_pairtd_workspace(table)
        key, figures = spawn(limits.seed, 7)[0], np.zeros(3)
        began, first = time.monotonic(), done
        while done < self.matches and not limits.reached:
            until = min((done // self.checkpoint_every + 1) * self.checkpoint_every, self.matches, done + BLOCK)
            settings = self._settings(done)
            play(work, table.options, weights, sums, rules, key, done, until - done, settings, figures)
            done = until
            for average, part_of_net in zip(mean_net, net, strict=True):
                average += self.smoothing * (part_of_net - average)
            rate = (done - first) / max(time.monotonic() - began, 1e-9)
            phrase = "{rate} matches/s, best {share} % against AlphaQwixx"
            report(done / self.matches, say(phrase, rate=number(rate), share=number(100 * best, 1)))
            if done % self.checkpoint_every == 0 or done == self.matches or limits.reached:
                best = self._check_in(game, run, net, sums, mean_net, done, best, figures)
                figures[:] = 0.0

    def _settings(self, done: int) -> PairTdSettings:
        """The learning rate changes evenly; while it warms up only the league plays."""
        alpha = self.alpha + (self.final_alpha - self.alpha) * (done / self.matches)
        share = self.network_share if done >= self.warm_up else 0.0
        return PairTdSettings(share, self.two_seat_share, self.trace_decay, alpha)

    def _begin(self, run: RunFolder, seed: int) -> tuple[Net, Net, Net, int, float]:
        """Network, sums of squared slopes, smoothed network, matches so far, best share of wins so far."""
        folder = run.checkpoint
        if folder is None and self.warm_start == "none":
            net = fresh_net(seed)
            return net, Net(*(np.full_like(part, 0.1) for part in net)), Net(*(part.copy() for part in net)), 0, 0.0
        resumed = folder is not None
        if folder is None:
            folder = RunFolder(self.warm_start).checkpoint
        if folder is None:
            phrase = "pairtd: {folder} holds no network; warm_start takes none or a run folder"
            raise SpielwerkError(say(phrase, folder=self.warm_start))
        with reading_checkpoint(folder), np.load(folder / "training.npz") as stored:
            net, sums, mean_net = (Net(*(stored[f"{kind}_{name}"] for name in Net._fields)) for kind in KINDS)
            return net, sums, mean_net, int(stored["done"]) if resumed else 0, float(stored["best"]) if resumed else 0.0

    def _check_in(
        self, game: Game, run: RunFolder, net: Net, sums: Net, mean_net: Net, done: int, best: float,
        figures: NDArray[np.float64],
    ) -> float:  # fmt: skip
        """Store a checkpoint and measure the smoothed network; the best by wins is kept beside it."""
        candidate = run.path / "candidate.npz"
        write_arrays(candidate, encode(mean_net))
        share, mean = win_share(type(game)(2, game.variant), PairValue(str(candidate)), self.test_matches)
        if share > best or not self._best(run).exists():
            best = share
            candidate.replace(self._best(run))
        parts: dict[str, Any] = {
            f"{kind}_{name}": part
            for kind, values in zip(KINDS, (net, sums, mean_net), strict=True)
            for name, part in values._asdict().items()
        }
        with run.new_checkpoint() as folder:
            np.savez(folder / "training.npz", done=done, best=best, **parts)
        positions = max(figures[2], 1.0)
        run.log(
            matches=done, wins=share, mean=mean, error=float(np.sqrt(figures[0] / positions)),
            brier=float(figures[1] / positions),
        )  # fmt: skip
        return best

    def _best(self, run: RunFolder) -> Path:
        return run.path / "model.npz"

    def agent(self, run: RunFolder) -> str:
        return f"pairvalue:net={run.path}"

    def model(self, game: Game, run: RunFolder, trim: Mapping[str, str]) -> Learned:
        if not self._best(run).exists():
            phrase = "{folder} has tested no network yet; train on with --resume {folder}"
            raise SpielwerkError(say(phrase, folder=run.path))
        rows = run.rows()
        return Learned(
            KIND, read_arrays(self._best(run)), "pairvalue:net={model}", seats=tuple(range(2, MOST_SEATS + 1)),
            opponents=AlphaQwixx.name, what="value network over two Qwixx sheets, half precision",
            matches=rows[-1]["matches"] if rows else None,
        )  # fmt: skip

    def curve(self, run: RunFolder) -> Curve:
        rows = run.rows()
        return (
            say("matches"),
            say("wins against AlphaQwixx"),
            [(say("wins"), [float(row["matches"]) for row in rows], [float(row["wins"]) for row in rows])],
        )


def new_pairtd_workspace(table: Game) -> PairTdWorkspace:
    return PairTdWorkspace(
        states=table.states(2),
        joint=np.zeros(table.seats, np.int64),
        kinds=np.zeros(table.seats, np.int64),
        pairs=np.zeros((WATCHED, 2), np.int64),
        inputs=np.zeros((WATCHED, MOST_TURNS, INPUTS + 1), np.int64),
        leads=np.zeros((WATCHED, MOST_TURNS, 2), np.float32),
        lengths=np.zeros(WATCHED, np.int64),
        slope=np.zeros(HIDDEN, np.float32),
        scratch=table.scratch(),
        rng=np.zeros(1, np.uint64),
        dice=np.zeros(1, np.uint64),
    )


def win_share(game: Game, player: PairValue, matches: int) -> tuple[float, float]:
    """Share of the wins (ties split) and mean score against AlphaQwixx, every dice sequence with seats exchanged."""
    other = AlphaQwixx()
    wins, total = 0.0, 0.0
    for match in range(matches):
        seat = match % 2
        agents = [player, other] if seat == 0 else [other, player]
        scores = play_match(game, agents, 900_000 + match // 2).scores
        wins += 0.5 + 0.5 * float(np.sign(scores[seat] - scores[1 - seat]))
        total += scores[seat]
    return wins / matches, total / matches
