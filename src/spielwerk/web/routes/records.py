"""Records: the pictures of a match, its record, and records that somebody brings."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Query, Request, Response

from spielwerk.core.match import Record
from spielwerk.web import messages
from spielwerk.web.routes.common import Here, Who, known_game
from spielwerk.web.written import understanding

router = APIRouter(tags=["records"])

Perspective = Annotated[int, Query(ge=-2, le=63, description="-1: a spectator; -2: the seat that decides")]
Moment = Annotated[int, Path(ge=0, le=messages.MOST_EVENTS, description="events before the picture")]
RECORD_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": msgspec.json.schema(Record)["$defs"]["Record"]}},
    }
}


@router.get("/api/matches/{match}/frames/{number}")
async def frame(match: messages.MatchId, number: Moment, here: Here, seat: Perspective = -2) -> messages.Frame:
    """The picture after `number` events of a match that is over or between agents."""
    live = await here.hall.live(match)
    return await here.hall.work(here.hall.films.frame, live.table, number, seat)


@router.get(
    "/api/matches/{match}/record",
    response_class=Response,
    responses={200: {"content": {"application/json": {"schema": {"type": "object"}}}}},
)
async def record(match: messages.MatchId, here: Here) -> Response:
    """The record of the match, to keep, share and replay."""
    live = await here.hall.live(match)
    made = await here.hall.work(live.table.record)
    name = f"spielwerk-{live.table.game.link_name[1:]}-{match}.json"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(made.to_json(), media_type="application/json", headers=headers)


@router.post("/api/records", status_code=201, openapi_extra=RECORD_BODY)
async def upload(request: Request, here: Here, who: Who) -> messages.Started:
    """Bring a record; every move is checked. The answer names the match under which it can be replayed."""
    made = await here.hall.work(read, await request.body())
    known_game(made.header.game)
    return await here.seating.upload(made, who)


def read(body: bytes) -> Record:
    with understanding("JSON", "this is no record of a match"):
        return Record.from_json(body)
