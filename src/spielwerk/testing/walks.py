"""Random matches, and how a check fails: with the position drawn above the reason."""

from collections.abc import Iterator

from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import pick, spawn
from spielwerk.core.position import Position, View


def random_walk(game: Game, seed: int, most: int | None = None) -> Iterator[Position]:
    """The positions of a random match in which somebody decides, and the last one; changed in place between yields."""
    rng = spawn(seed, 99)
    position = game.new(seed)
    for _ in range(game.spec.longest if most is None else most):
        yield position
        if position.over:
            return
        moves: dict[int, int | str] = {}
        for seat in position.actors:
            legal = position.legal(seat)
            moves[seat] = legal[pick(rng, len(legal))]
        position.play(moves)


def must(holds: bool, position: Position | View, reason: str) -> None:
    if not holds:
        raise AssertionError(f"\n{position.text}\n{position.game.spec.title}: {reason}")
