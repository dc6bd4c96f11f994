"""Matches: starting, playing, advice."""

from typing import Annotated

from fastapi import APIRouter, Query

from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError
from spielwerk.web import messages
from spielwerk.web.errors import Forbidden
from spielwerk.web.hint import hint as hint_for
from spielwerk.web.language import say
from spielwerk.web.routes.common import Here, Token, Who, known_game, scene
from spielwerk.web.store import opens

router = APIRouter(prefix="/api/matches")


@router.post("", tags=["matches"], status_code=201)
async def new_match(wanted: messages.NewMatch, here: Here, who: Who) -> messages.Started:
    """Start a match. The answer holds the tokens of your seats and the invitations for friends."""
    known_game(wanted.game)
    return await here.seating.start(wanted, who)


@router.get("", tags=["matches"])
async def matches(
    here: Here,
    ids: Annotated[str | None, Query(max_length=2000, description="ids, with commas between them")] = None,
    count: Annotated[int, Query(ge=1, le=50)] = 20,
) -> list[messages.Listed]:
    """The matches with these ids; without ids the newest matches between agents."""
    hall = here.hall
    if ids is None:
        found = await hall.work(hall.store.recent, count)
    else:
        found = await hall.work(hall.store.several, [name for name in ids.split(",") if name][:50])
    return [hall.listed(stored) for stored in found if stored.header.game in registry.game_names()]


@router.get("/{match}", tags=["matches"])
async def one_match(match: messages.MatchId, here: Here, token: Token = None) -> messages.Scene:
    """The match as the holder of the token may see it; without a token as a spectator."""
    live = await here.hall.live(match)
    here.hall.driver.drive(live)
    return await scene(here.hall, live, token)


@router.post("/{match}/actions", tags=["matches"])
async def act(
    match: messages.MatchId, action: messages.Action, here: Here, who: Who, token: Token = None
) -> messages.Scene:
    """Choose an action (by its number) or a move (by its name) for a seat."""
    hall = here.hall
    live = await hall.live(match)
    hall.require_seat(live.table, token, action.seat)
    chosen = action.action if action.action is not None else action.move
    if chosen is None:
        raise SpielwerkError(say("say what to play: an action or a move"))
    live.who = who.address
    await hall.act(live, action.seat, chosen, action.number)
    return await scene(hall, live, token)


@router.post("/{match}/undo", tags=["matches"])
async def undo(match: messages.MatchId, wanted: messages.SeatOnly, here: Here, token: Token = None) -> messages.Scene:
    """Take the last decision back, in games for one."""
    hall = here.hall
    live = await hall.live(match)
    hall.require_seat(live.table, token, wanted.seat)
    await hall.undo(live)
    return await scene(hall, live, token)


@router.post("/{match}/resign", tags=["matches"])
async def resign(match: messages.MatchId, wanted: messages.SeatOnly, here: Here, token: Token = None) -> messages.Scene:
    hall = here.hall
    live = await hall.live(match)
    hall.require_seat(live.table, token, wanted.seat)
    await hall.resign(live, wanted.seat)
    return await scene(hall, live, token)


@router.post("/{match}/claim", tags=["matches"])
async def claim(match: messages.MatchId, wanted: messages.Claim, here: Here) -> messages.SeatToken:
    """Sit down with an invitation, which is used up."""
    return await here.seating.claim(match, wanted.invitation)


@router.post("/{match}/pace", tags=["matches"])
async def pace(
    match: messages.MatchId, wanted: messages.Pace, here: Here, who: Who, token: Token = None
) -> messages.Pace:
    """Pause or speed up a match between agents; the token is the one that its starter got."""
    live = await here.hall.live(match)
    if not who.in_charge and not opens(token, live.table.header.control):
        raise Forbidden(say("only who started a match between agents may pause it or change its speed"))
    here.hall.set_pace(live, wanted.paused, wanted.seconds)
    return messages.Pace(paused=live.paused, seconds=live.pause)


@router.post("/{match}/stop", tags=["matches"])
async def stop(match: messages.MatchId, here: Here, who: Who, token: Token = None) -> messages.Scene:
    """End a match where it stands: one between agents by the token that its starter got, any by who runs the server."""
    live = await here.hall.live(match)
    if not who.in_charge and not opens(token, live.table.header.control):
        raise Forbidden(say("only who started a match between agents, or runs the server, may end it"))
    await here.hall.stop(live)
    return await scene(here.hall, live, None)


@router.post("/{match}/branch", tags=["matches"], status_code=201)
async def branch(match: messages.MatchId, wanted: messages.Branch, here: Here, who: Who) -> messages.Started:
    """What if: go on from any point of a finished match. From 0: the same dice and cards again."""
    return await here.seating.branch(match, wanted.number, wanted.seat, who)


@router.post("/{match}/hint", tags=["advice"])
async def hint(
    match: messages.MatchId, wanted: messages.HintWanted, here: Here, who: Who, token: Token = None
) -> messages.Hint:
    """First where to look, then what each action is worth; from what the seat may know. Who asks again stops the hint
    for this seat that is still thought about."""
    live = await here.hall.live(match)
    here.hall.require_seat(live.table, token, wanted.seat)
    if wanted.agent is not None:
        await here.hall.work(here.seating.agent_place, live.table.game, wanted.agent, None, who.in_charge)
    return await hint_for(here.hall, live, wanted.seat, wanted.step, who.address, wanted.agent)


@router.post("/{match}/review", tags=["advice"])
async def review(match: messages.MatchId, here: Here, who: Who) -> messages.Review:
    """The review of a finished match as far as it is; the first call starts it."""
    return await here.reviews.start(await here.hall.live(match), who)
