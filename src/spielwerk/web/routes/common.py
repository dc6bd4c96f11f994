"""What several routes need: the services behind them, and the headers that open seats and jobs."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Header, Query
from fastapi import Path as PathParameter
from fastapi.requests import HTTPConnection

from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError
from spielwerk.web import messages
from spielwerk.web.errors import Missing
from spielwerk.web.guard import VISITOR
from spielwerk.web.hall import Hall
from spielwerk.web.jobs import Jobs
from spielwerk.web.limits import Visitor
from spielwerk.web.networks import Networks
from spielwerk.web.pictures import Pictures
from spielwerk.web.profiles import Profiles
from spielwerk.web.review import Reviews
from spielwerk.web.seating import Seating
from spielwerk.web.telling import Live


@dataclass(frozen=True)
class Services:
    """What answers the requests of one app."""

    hall: Hall
    seating: Seating
    reviews: Reviews
    jobs: Jobs
    pictures: Pictures
    profiles: Profiles
    networks: Networks
    runs: Path  # folder of the training runs
    admin: str | None = None  # digest of the token of who runs the server

    async def close(self) -> None:
        self.reviews.close()
        self.profiles.close()
        self.jobs.close()
        await self.hall.close()


async def services(connection: HTTPConnection) -> Services:
    found: Services = connection.app.state.services
    return found


async def visitor(connection: HTTPConnection) -> Visitor:
    found: Visitor = connection.scope[VISITOR]
    return found


Here = Annotated[Services, Depends(services)]
Who = Annotated[Visitor, Depends(visitor)]
GameName = Annotated[str, PathParameter(max_length=40, description="id of a game")]
Token = Annotated[str | None, Header(alias="X-Seat-Token", description="opens a seat", max_length=100)]
Seats = Annotated[int | None, Query(ge=1, le=16)]
Variant = Annotated[str | None, Query(max_length=200)]
JobToken = Annotated[
    str | None, Header(alias="X-Job-Token", description="was told to who started the job", max_length=100)
]


def known_game(name: str) -> str:
    try:
        registry.game_class(name)
    except SpielwerkError as problem:
        raise Missing(str(problem)) from None
    return name


async def scene(hall: Hall, live: Live, token: str | None) -> messages.Scene:
    """The match as the holder of the token may see it; without a token as a spectator."""
    held = hall.held_seats(live.table, [token] if token else [])
    return await hall.work(live.table.scene, held)
