"""Looking into networks: what one says of every action in a position that was played, recorded or written down."""

from typing import Annotated

from fastapi import APIRouter, Query

from spielwerk.core.game import Game
from spielwerk.core.position import View
from spielwerk.core.running import choice_in
from spielwerk.web import messages
from spielwerk.web.errors import Conflict
from spielwerk.web.language import say
from spielwerk.web.networks import view_at
from spielwerk.web.routes.common import GameName, Here, Seats, Token, Variant, Who, known_game
from spielwerk.web.written import game_of, understanding

router = APIRouter(tags=["networks"])

Name = Annotated[str, Query(max_length=200, description="of a network, as it is listed")]
Number = Annotated[
    int | None, Query(ge=0, le=messages.MOST_EVENTS, description="events before the position; left out: now")
]
Notation = Annotated[
    str | None,
    Query(max_length=2000, description="what the seat that decides knows; left out: an early position of a match"),
]


@router.get("/api/games/{game}/networks")
async def all_networks(
    game: GameName, here: Here, seats: Seats = None, variant: Variant = None
) -> list[messages.NetworkInfo]:
    """The networks of this server that fit a table."""
    return await here.networks.all(await here.hall.work(game_of, known_game(game), seats, variant))


@router.get("/api/matches/{match}/network")
async def match_network(
    match: messages.MatchId,
    network: Name,
    seat: Annotated[int, Query(ge=0, le=63)],
    here: Here,
    who: Who,
    number: Number = None,
    token: Token = None,
) -> messages.NetworkLook:
    """What a network says to a seat that decides: now, by its token, or at any point of a match that may be shown to
    everybody. It sees what the seat may know."""
    view = await view_at(here.hall, match, number, seat, token)
    return await here.networks.look(network, view, who.address)


@router.get("/api/games/{game}/network")
async def written_network(
    game: GameName,
    network: Name,
    here: Here,
    who: Who,
    position: Notation = None,
    seats: Seats = None,
    variant: Variant = None,
) -> messages.WrittenLook:
    """What a network says in a position that is written down."""
    table = await here.hall.work(game_of, known_game(game), seats, variant)
    await here.hall.preparer.game(table)
    view = await here.hall.work(read, table, position)
    found = await here.networks.look(network, view, who.address)
    return messages.WrittenLook(**found.model_dump(), svg=await here.hall.work(table.svg, view))


def read(table: Game, text: str | None) -> View:
    """What the first seat knows that decides in a position."""
    if not text:
        early = choice_in(table)
        if early is None:
            raise Conflict(say("in this position nobody has to decide"))
        return early
    with understanding(text, "this position cannot be read"):
        position = table.read(text)
    if not position.actors:
        raise Conflict(say("in this position nobody has to decide"))
    return position.view(position.actors[0])
