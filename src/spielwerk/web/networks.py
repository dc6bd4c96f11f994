"""Looking into networks: which there are, and what one says in a position, from what a seat may know.

Visitors name a network of the list, never a file. Those of the list are the models of the kind `net` that are found by
name, and the newest of the run folders below the server's own. A forward pass is short, but networks can be large: only
some are asked at once, and visitors take turns.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from spielwerk.core.errors import InvalidMove, SpielwerkError, Unfit
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.models import find, listed
from spielwerk.core.position import View
from spielwerk.core.running import choice_in
from spielwerk.nets.description import Description
from spielwerk.nets.network import KIND, encoding_for, load_network
from spielwerk.search.net_look import look, of_every_action
from spielwerk.web import messages
from spielwerk.web.errors import Conflict, Missing
from spielwerk.web.hall import Hall
from spielwerk.web.language import say
from spielwerk.web.learning import described, run_folders
from spielwerk.web.think import Places, Urgency

AT_ONCE = 2
SEED = 2048  # of what is imagined where somebody decides at the same moment


class Found(NamedTuple):
    """A network that can be asked."""

    name: str  # as visitors name it
    title: str
    path: Path
    made: Description


class Networks:
    """The networks of one server."""

    def __init__(self, hall: Hall, runs: Path) -> None:
        self.hall, self.runs = hall, runs
        self._places = Places(AT_ONCE)

    async def all(self, game: Game) -> list[messages.NetworkInfo]:
        found = await self.hall.work(lambda: list(self._found(game)))
        return [
            messages.NetworkInfo(
                name=one.name, title=one.title, heads=sorted(one.made.heads), encoding=one.made.encoding
            )
            for one in found
        ]

    async def look(self, name: str, view: View, who: str) -> messages.NetworkLook:
        """What a network says in a position in which the seat of the view decides."""
        game = view.game
        if not view.legal:
            raise Conflict(say("this seat has nothing to decide now"))
        found = await self.hall.work(self._named, name, game)
        key = game.spec.id, game.seats, Networks, found.made.encoding, found.made.judges
        prepare = partial(_warm, game, found.path)
        part = self.hall.preparer.part(key, game, lambda: say("looking into networks"), prepare, Urgency.NOW)
        await self.hall.preparer.game(game)
        await self.hall.preparer.finish(part)
        async with self._places.place(who):
            return await self.hall.work(_told, found, view)

    def _named(self, name: str, game: Game) -> Found:
        for found in self._found(game):
            if found.name == name:
                return found
        raise Missing(say("there is no such network for {game} here", game=game.title))

    def _found(self, game: Game) -> Iterator[Found]:
        """The networks that fit a table: models first, then runs, the newest first."""
        places = {}
        for model in reversed(listed()):
            if model.card is not None and model.card.kind == KIND.name and model.card.game == game.spec.id:
                places[f"model/{model.name}"] = model.name, model.path
        for folder in run_folders(self.runs):
            name = str(folder.relative_to(self.runs))
            try:
                places[f"run/{name}"] = name, find(KIND, game, str(folder))
            except SpielwerkError:  # it has none yet, or trains something else
                continue
        for name, (title, path) in places.items():
            made = described(path)
            if made is not None and _fits(made, game):
                yield Found(name, title, path, made)


def _fits(made: Description, game: Game) -> bool:
    try:
        encoding_for(made, game)
    except Unfit:
        return False
    return True


def _warm(game: Game, path: Path) -> None:
    view = choice_in(game)
    if view is not None:
        look(load_network(game, str(path)), view, spawn(SEED))


def _told(found: Found, view: View) -> messages.NetworkLook:
    game = view.game
    seen = look(load_network(game, str(found.path)), view, spawn(SEED))
    rows = of_every_action(view, seen)
    best = next((said.action for said in rows if said.legal and said.figure is not None), None)
    return messages.NetworkLook(
        network=found.name,
        title=found.title,
        seat=view.seat,
        value=seen.value,
        unit=seen.unit,
        best=best,
        actions=[
            messages.NetworkAction(
                move=game.spec.moves[said.action], name=game.move_name(said.action), **said._asdict()
            )
            for said in rows
        ],
        notation=_notation(view),
    )


def _notation(view: View) -> str | None:
    try:
        return view.game.write(view)
    except InvalidMove:  # the game has none
        return None


async def view_at(hall: Hall, match: str, number: int | None, seat: int, token: str | None) -> View:
    """What a seat knows: now, by its own token; or after so many events of a match that may be shown to everybody."""
    live = await hall.live(match)
    if number is None:
        hall.require_seat(live.table, token, seat)
        _, position = await hall.work(live.table.snapshot)
        if live.table.status != "playing":
            raise Conflict(say("the match is over"))
    else:
        film = await hall.work(hall.films.film, live.table)
        if not 0 <= number < len(film.states):
            raise Conflict(say("the match has pictures 0 to {last}", last=len(film.states) - 1))
        position = film.position(number)
    if seat not in position.actors:
        raise Conflict(say("this seat has nothing to decide now"))
    return await hall.work(position.view, seat)
