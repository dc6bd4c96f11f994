"""Reviews of finished matches, made in the background and kept in the store."""

import asyncio
from typing import TypeVar

from spielwerk.core.agent import Decision
from spielwerk.core.game import Game
from spielwerk.core.match import Record
from spielwerk.core.position import View
from spielwerk.web import messages
from spielwerk.web.advice import BLAMED, Advice, Adviser, in_words, judgement, milder
from spielwerk.web.errors import Conflict, Wait, whole_seconds
from spielwerk.web.hall import Hall
from spielwerk.web.language import say
from spielwerk.web.limits import Visitor
from spielwerk.web.telling import Live

D = TypeVar("D")
SHORTEST, LONGEST = 0.04, 1.0  # seconds of thought per decision
A_WHILE = 10.0  # seconds after which a review may have ended
AGAIN = 1 << 24  # makes another seed of the number of a decision


class Reviews:
    """One review per match; whoever asks sees how far it is."""

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self._running: dict[str, messages.Review] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._problems: dict[str, Exception] = {}
        self._owners: dict[str, str] = {}  # address of who asked first
        hall.taken_back.append(self._forget)

    async def start(self, live: Live, visitor: Visitor) -> messages.Review:
        """The review of a match as far as it is, in the visitor's language; the first call starts it."""
        review = await self._so_far(live, visitor)
        told = [one.model_copy(update={"actions": in_words(live.table.game, one.actions)}) for one in review.judgements]
        within = live.table.game.say(review.within) if review.within else ""
        return review.model_copy(update={"judgements": told, "within": within})

    async def _so_far(self, live: Live, visitor: Visitor) -> messages.Review:
        match = live.table.id
        if live.table.status == "playing":
            raise Conflict(say("a match can be reviewed when it is over"))
        if match not in self._running:
            kept = await self.hall.work(self.hall.store.review, match)
            if kept is not None:
                return messages.Review.model_validate_json(kept)
        if match not in self._running:
            self._require_room(visitor)
            self._running[match] = messages.Review(
                match=match, done=0.0, agent="", unit="rank", judged=0, decisions=0, judgements=[], worst=[]
            )
            self._owners[match] = visitor.address
            self._tasks[match] = asyncio.create_task(self._review(live, visitor.address))
        if match in self._problems:
            problem = self._problems[match]
            self._forget(match)
            raise problem
        return self._running[match]

    def _require_room(self, visitor: Visitor) -> None:
        if visitor.in_charge:
            return
        busy = [match for match, task in self._tasks.items() if not task.done()]
        limits = self.hall.limits
        if sum(self._owners.get(match) == visitor.address for match in busy) >= limits.reviews_each:
            phrase = "other matches of yours are being reviewed; wait {seconds} s"
            raise Wait(say(phrase, seconds=whole_seconds(A_WHILE)), A_WHILE)
        if len(busy) >= limits.reviews:
            raise Wait(say("other matches are being reviewed; wait a moment"), A_WHILE)

    def _forget(self, match: str) -> None:
        """What is told from now on is another review of the match, if somebody asks for one."""
        self._running.pop(match, None)
        self._problems.pop(match, None)
        self._owners.pop(match, None)
        task = self._tasks.pop(match, None)
        if task is not None and task is not asyncio.current_task():
            task.cancel()

    async def _review(self, live: Live, who: str) -> None:
        match = live.table.id
        try:
            review = self._running[match]
            film = await self.hall.work(self.hall.films.film, live.table)
            people = {seat for seat, place in enumerate(live.table.header.places) if place.kind == "person"}
            seats = people or set(range(film.game.seats))
            decisions = [one for one in decisions_in(film.game, film.record) if one[1] in seats]
            chosen = even_sample(decisions, self.hall.limits.review_decisions)
            review.decisions = len(decisions)
            seconds = min(max(self.hall.limits.review / max(len(chosen), 1), SHORTEST), LONGEST)
            for number, seat, action in chosen:
                view = await self.hall.work(film.position(number).view, seat)
                found, advice = await judge(self.hall.adviser, number, view, action, seconds, who)
                if advice is not None and review.unit == "rank":
                    review.agent, review.unit, review.within = advice.agent, advice.unit, advice.decision.within
                review.judgements.append(found)
                review.judged += 1
                review.worst = worst_three(review.judgements)
                review.done = review.judged / len(chosen)
            review.done = 1.0
            await self.hall.work(self.hall.store.keep_review, match, review.model_dump_json())
            self._forget(match)
        except Exception as problem:
            self._problems[match] = problem

    def close(self) -> None:
        for task in self._tasks.values():
            task.cancel()


async def judge(
    adviser: Adviser, number: int, view: View, action: int, seconds: float, who: str = ""
) -> tuple[messages.Judgement, Advice | None]:
    """What one decision gave away. Blame needs a second look, with other random numbers and twice the time; the milder
    judgement counts."""
    if len(view.legal) == 1:
        return judgement(number, view, action, Decision(action), "rank"), None
    advice = await adviser.ask(view, seconds, number, who)
    found = judgement(number, view, action, advice.decision, advice.unit)
    if found.verdict in BLAMED:
        again = await adviser.ask(view, 2 * seconds, number + AGAIN, who)
        found = milder(found, judgement(number, view, action, again.decision, again.unit))
    return found, advice


def decisions_in(game: Game, record: Record) -> list[tuple[int, int, int]]:
    """(events before, seat, action) of every decision of a match."""
    return [
        (number, int(seat), game.action(move))
        for number, event in enumerate(record.events)
        if not isinstance(event, str)
        for seat, move in event.items()
    ]


def even_sample(decisions: list[D], most: int) -> list[D]:
    if len(decisions) <= most:
        return decisions
    return [decisions[i * len(decisions) // most] for i in range(most)]


def worst_three(judgements: list[messages.Judgement]) -> list[int]:
    """The places of the three costliest decisions, the costliest first; only where something was given away."""
    bad = [i for i, one in enumerate(judgements) if one.verdict in ("inaccuracy", "mistake", "blunder")]
    return sorted(bad, key=lambda i: -(judgements[i].share or 0.0))[:3]
