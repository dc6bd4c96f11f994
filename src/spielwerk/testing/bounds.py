"""Rules run interpreted first: an index out of range is a sentence there, in compiled code it is a crash."""

import traceback
from pathlib import Path

import numpy as np

from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel import entry
from spielwerk.core.kernel.rng import pick, spawn
from spielwerk.core.linker import specialise
from spielwerk.core.position import SPECTATOR, Position
from spielwerk.testing.walks import must

NUMPY = Path(np.__file__).parent


def check_bounds(game: Game, seed: int = 0, most: int = 400, every: int = 5) -> None:
    """All functions of the game on a random match, interpreted, with buffers of exactly the declared sizes; what a
    seat sees and imagines at one position in `every`."""
    try:
        _play(game.interpreted, seed, most, every)
    except (AssertionError, SpielwerkError):
        raise
    except Exception as problem:
        raise AssertionError(f"{game.spec.title}: {_place(problem)}: {problem}{_remedy(problem, game)}") from problem


def _play(game: Game, seed: int, most: int, every: int) -> None:
    rng = spawn(seed, 93)
    position = game.opening(seed)
    for number in range(most):
        position.score, position.result, position.teams  # noqa: B018
        if number % every == 0:
            _look(position, seed, number)
        if position.over:
            return
        if position.actor_set == 0:
            _list_outcomes(position)
            position.roll()
            continue
        moves: dict[int, int | str] = {}
        for seat in position.actors:
            out = np.zeros(game.spec.widest, np.int64)
            count = int(game.call(entry.legal_at, position.state, seat, out))
            must(0 < count <= len(out), position, f"seat {seat} has {count} legal actions, widest is {len(out)}")
            moves[seat] = int(out[pick(rng, count)])
        position.apply(moves)


def _look(position: Position, seed: int, number: int) -> None:
    game = position.game
    position.view(SPECTATOR)
    for seat in range(game.seats):
        view = position.view(seat)
        view.imagine(spawn(seed, 92, number, seat))
        for size, function in game.encodings.values():
            specialise(entry.features_at, game, features=function)(view.state, seat, np.zeros(size, np.float32))


def _list_outcomes(position: Position) -> None:
    game, most = position.game, position.game.spec.outcomes
    if not most:
        return
    ids, probs = np.zeros(most, np.int64), np.zeros(most)
    for outcome in ids[: game.call(entry.outcomes_at, position.state, ids, probs)]:
        game.call(entry.happen_at, position.copy().state, outcome)


def _place(problem: Exception) -> str:
    """The function, file and line in which it happened."""
    frames = [
        frame for frame in traceback.extract_tb(problem.__traceback__) if NUMPY not in Path(frame.filename).parents
    ]
    last = frames[-1]
    return f"{last.name} fails at {last.filename}:{last.lineno} ({last.line})"


def _remedy(problem: Exception, game: Game) -> str:
    if not isinstance(problem, IndexError):
        return ""
    spec = game.spec
    sizes = f"widest={spec.widest}, {game.seats} seats, outcomes={spec.outcomes}, features={game.features}"
    return f"; buffers are as large as declared ({sizes}), fields as in State"
