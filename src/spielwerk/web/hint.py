"""Hints in two steps, from what a seat may know: first where to look, then what each action is worth."""

from spielwerk.web import messages
from spielwerk.web.advice import in_words, judged, worth_a_look
from spielwerk.web.errors import Conflict
from spielwerk.web.hall import Hall
from spielwerk.web.language import say
from spielwerk.web.telling import Live


async def hint(hall: Hall, live: Live, seat: int, step: str) -> messages.Hint:
    """The hint of a step for a seat; the second step asks nobody again."""
    number, position = await hall.work(live.table.snapshot)
    if live.table.status != "playing" or seat not in position.actors:
        raise Conflict(say("this seat has nothing to decide now"))
    asked = number, seat, position.state.tobytes()  # after a move was taken back, the number is not enough
    if live.hint is None or live.hint[0] != asked:
        view = position.view(seat)
        spec, unit, decision = await hall.adviser.ask(view, hall.limits.hint, number)
        actions = judged(view, decision, unit)
        found = messages.Hint(
            step="what",
            number=number,
            seat=seat,
            agent=spec,
            unit=unit,
            within=decision.within,
            look_at=worth_a_look(actions),
            actions=actions,
        )
        live.hint = asked, found
    found = live.hint[1]
    told = in_words(live.table.game, found.actions) if step == "what" else []
    within = live.table.game.say(found.within) if found.within else ""
    return found.model_copy(update={"step": step, "actions": told, "within": within})
