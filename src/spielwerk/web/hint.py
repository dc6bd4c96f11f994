"""Hints in two steps, from what a seat may know: first where to look, then what each action is worth."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from spielwerk.core.position import View
from spielwerk.web import messages
from spielwerk.web.advice import in_words, judged, worth_a_look
from spielwerk.web.errors import Conflict
from spielwerk.web.hall import Hall
from spielwerk.web.language import say
from spielwerk.web.notes import VALUES, kept, told
from spielwerk.web.telling import Advised, Live


async def hint(hall: Hall, live: Live, seat: int, step: str, who: str = "", agent: str | None = None) -> messages.Hint:
    """The hint of a step for a seat, by an agent or by the adviser of the game; the second step asks nobody again."""
    number, position = await hall.work(live.table.snapshot)
    if live.table.status != "playing" or seat not in position.actors:
        raise Conflict(say("this seat has nothing to decide now"))
    asked = number, position.state.tobytes(), agent  # after a move was taken back, the number is not enough
    if seat not in live.hints or live.hints[seat][0] != asked:
        live.hints[seat] = asked, await newest(live, seat, think(hall, position.view(seat), number, who, agent))
    game, (found, noted) = live.table.game, live.hints[seat][1]
    judged, notes = (in_words(game, found.actions), told(game, found.agent, noted)) if step == "what" else ([], [])
    within = game.say(found.within) if found.within else ""
    return found.model_copy(update={"step": step, "actions": judged, "within": within, "notes": notes})


async def newest(live: Live, seat: int, thinking: Coroutine[Any, Any, Advised]) -> Advised:
    """The hint that is asked for now. Another that is still thought about for this seat is stopped: whoever asks again
    does not wait for it."""
    before = live.asking.get(seat)
    if before is not None:
        before.cancel()
    task = live.asking[seat] = asyncio.create_task(thinking)
    try:
        return await task
    except asyncio.CancelledError:
        own = asyncio.current_task()
        if own is not None and own.cancelling():  # nobody waits for the answer any more
            raise
        raise Conflict(
            say("this hint is no longer needed: it was asked for again, or the match has moved on")
        ) from None
    finally:
        if live.asking.get(seat) is task:
            del live.asking[seat]


async def think(hall: Hall, view: View, number: int, who: str, agent: str | None) -> Advised:
    spec, unit, decision = await hall.adviser.ask(view, hall.limits.hint, number, who, agent)
    actions = judged(view, decision, unit)
    found = messages.Hint(
        step="what",
        number=number,
        seat=view.seat,
        agent=spec,
        unit=unit,
        within=decision.within,
        look_at=worth_a_look(actions),
        actions=actions,
    )
    notes = kept(view, decision) or {}
    return Advised(found, {name: value for name, value in notes.items() if unit == "rank" or name != VALUES})
