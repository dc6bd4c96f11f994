"""Pictures: they can be drawn of every position, offer what is legal, and show no more than the seat knows."""

from xml.etree import ElementTree

from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.position import SPECTATOR
from spielwerk.testing.walks import must, random_walk


def check_pictures(game: Game, seed: int, most: int = 400, every: int = 5) -> None:
    """Text and SVG can be drawn of every position; every legal action is in the SVG exactly once."""
    for number, position in enumerate(random_walk(game, seed, most)):
        if number % every and not position.over:
            continue
        for seat in (*range(game.seats), SPECTATOR):
            view = position.view(seat)
            must(bool(view.text.strip()), position, f"the text picture for seat {seat} is empty")
            root = ElementTree.fromstring(view.svg)
            drawn = [int(element.attrib["data-action"]) for element in root.iter() if "data-action" in element.attrib]
            must(
                sorted(drawn) == list(view.legal),
                position,
                f"the SVG for seat {seat} offers the actions {sorted(drawn)}, legal are {view.legal}",
            )


def piece_names(svg: str) -> list[str]:
    """The pieces of a picture (`data-piece`), which glide from one picture to the next."""
    return [
        element.attrib["data-piece"] for element in ElementTree.fromstring(svg).iter() if "data-piece" in element.attrib
    ]


def check_pieces(game: Game, seed: int, most: int = 400) -> None:
    """Pieces have different names; where they came from names pieces of both pictures; and neither names nor pictures
    tell more than the seat knows: they are the same whatever is hidden from it."""
    for number, position in enumerate(random_walk(game, seed, min(most, 60))):
        if position.over:
            return
        seats = (*range(game.seats), SPECTATOR)
        before = {seat: position.view(seat) for seat in seats}
        after = position.copy()
        after.play({seat: position.legal(seat)[0] for seat in position.actors})
        for seat, view in before.items():
            old, later = piece_names(view.svg), after.view(seat)
            new, came = piece_names(later.svg), game.came_from(view, later)
            must(len(old) == len(set(old)), position, f"two pieces of the picture for seat {seat} have the same name")
            must(set(came) <= set(new), position, f"{set(came) - set(new)} came from somewhere but are not there")
            sources = {name for names in came.values() for name in names}
            must(sources <= set(old), position, f"pieces came from {sources - set(old)}, which were not there")
            if game.spec.hidden and seat != SPECTATOR:
                elsewhere = view.imagine(spawn(seed, 6, number, seat)).view(seat)
                must(elsewhere.svg == view.svg, position, f"the picture for seat {seat} shows what it cannot know")
