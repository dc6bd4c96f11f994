"""The pictures on the cards of the home page: a few boards of one match between random agents."""

from spielwerk.core import registry
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import pick, spawn
from spielwerk.core.position import Position
from spielwerk.core.words import language
from spielwerk.web import messages
from spielwerk.web.hall import Hall
from spielwerk.web.think import Urgency

PICTURES = 8
SEED = 2048
LONGEST = 3000  # decisions of the match
SKIPPED = 0.35  # of the match before the first picture


class Pictures:
    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self._drawn: dict[tuple[str, str, tuple[str, ...]], messages.Pictures] = {}  # by game, language and looks

    async def of(self, name: str) -> messages.Pictures:
        key = name, language(), registry.game_class(name).looks()
        if key not in self._drawn:
            game = await self.hall.work(registry.game, name)
            await self.hall.preparer.game(game, Urgency.SOMETIME)
            self._drawn[key] = await self.hall.work(draw, game)
        return self._drawn[key]


def draw(game: Game) -> messages.Pictures:
    """Boards from the middle of a match, each from the place of the seat that decides."""
    position, rng = game.new(SEED), spawn(SEED, 1)
    boards: list[Position] = []
    while not position.over and len(boards) < LONGEST:
        boards.append(position.copy())
        legal = {seat: position.legal(seat) for seat in position.actors}
        position.play({seat: actions[pick(rng, len(actions))] for seat, actions in legal.items()})
    first = max(min(int(len(boards) * SKIPPED), len(boards) - PICTURES), 0)
    svgs = [game.svg(board.view(board.actors[0])) for board in boards[first : first + PICTURES]]
    return messages.Pictures(title=game.title, svgs=svgs)
