"""How visitors and agents came to their points."""

from fastapi import APIRouter

from spielwerk.web import messages
from spielwerk.web.routes.common import GameName, Here, Seats, Variant, Who, known_game
from spielwerk.web.written import game_of

router = APIRouter(tags=["analysis"])


@router.post("/api/games/{game}/profiles")
async def own_profiles(game: GameName, wanted: messages.HeldSeats, here: Here, who: Who) -> list[messages.OwnProfile]:
    """The figures of one's own finished matches, by kind of table: of the seats that the tokens open."""
    return await here.profiles.own(known_game(game), wanted.seats, who.address)


@router.get("/api/games/{game}/profiles")
async def agent_profiles(
    game: GameName, here: Here, who: Who, seats: Seats = None, variant: Variant = None
) -> messages.AgentProfiles:
    """The same figures of the agents of the ladder, as far as they are known. The first call lets them play."""
    table = await here.hall.work(game_of, known_game(game), seats, variant)
    return await here.profiles.agents(table, who.address)
