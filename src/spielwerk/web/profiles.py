"""How visitors and agents came to their points: the figures of finished matches, by kind of table.

A visitor's matches are those whose seats the tokens of the browser open; there is no other list of them. What agents do
is measured once for every kind of table, with a few matches, and kept while the server runs.
"""

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from spielwerk.arena.statistics import summary, win_shares
from spielwerk.arena.workers import match_seed
from spielwerk.core import registry
from spielwerk.core.agent import Agent
from spielwerk.core.clock import Stopped, StopSign, now
from spielwerk.core.game import Game
from spielwerk.core.position import Position, States
from spielwerk.core.running import Played, compiled_policies, run_many
from spielwerk.core.spec import Rung
from spielwerk.web import messages
from spielwerk.web.hall import Hall
from spielwerk.web.language import say
from spielwerk.web.session import last_state
from spielwerk.web.store import Header, Stored, in_force, opens
from spielwerk.web.think import Places, Urgency

MATCHES = 200  # of every agent
SECONDS = 6.0  # that they may take; then fewer must do
AT_A_TIME = 20  # of agents whose matches run in compiled code, between two looks at the clock
SEED = 2048
MOST_STATES, MOST_MEASURED = 20_000, 200  # that are kept
READERS = 2  # visitors whose matches are read at once


class Seen(NamedTuple):
    """One seat of a match that is over."""

    final: States
    seat: int
    points: float
    won: float | None  # share of the win; None: it does not count


class Profiles:
    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self._finals: OrderedDict[str, States] = OrderedDict()  # by match
        self._lock = threading.Lock()
        self._reading, self._measuring = Places(READERS), Places(1)
        self._agents: OrderedDict[tuple[str, int, str], Measured] = OrderedDict()  # by kind of table
        self._closing = StopSign()
        hall.taken_back.append(self._forget)

    # --- people -----------------------------------------------------------------------------------------------------

    async def own(self, name: str, held: Sequence[messages.HeldSeat], who: str) -> list[messages.OwnProfile]:
        """What a visitor has played of a game: by kind of table, the one with the most matches first. What the tokens
        do not open is left out, as are matches that were given up, and those that go on from another or repeat it."""
        stored = await self.hall.work(self._stored, [seat.match for seat in held])
        tables: dict[tuple[str, int], list[tuple[Stored, int]]] = {}
        for match, seat in dict.fromkeys((one.match, seat_of(stored, one)) for one in held):
            if seat is not None and counts(stored[match], name):
                header = stored[match].header
                tables.setdefault((header.variant, header.seats), []).append((stored[match], seat))
        found = []
        for (variant, seats), matches in sorted(tables.items(), key=lambda item: -len(item[1])):
            game = await self.hall.work(registry.game, name, seats, variant)
            await self.hall.preparer.game(game)
            async with self._reading.place(who):
                every = [await self.hall.work(self._seen, game, match, seat) for match, seat in matches]
            seen = [one for one in every if one is not None]
            if not seen:
                continue
            profile = await self.hall.work(profile_of, game, seen)
            rules = game.variant_name(variant)
            found.append(messages.OwnProfile(variant=variant, rules=rules, seats=seats, profile=profile))
        return found

    def _stored(self, ids: list[str]) -> dict[str, Stored]:
        return {one.id: one for one in self.hall.store.several(list(dict.fromkeys(ids)))}

    def _seen(self, game: Game, stored: Stored, seat: int) -> Seen | None:
        """A seat at the end of a match, which is played again from the log unless it is remembered; None if somebody
        has just taken the last move back."""
        with self._lock:
            final = self._finals.pop(stored.id, None)
        if final is None:
            final = last_state(game, in_force(self.hall.store.events(stored.id)))
        position = Position(game, final, 0)
        if not position.over:
            return None
        with self._lock:
            self._finals[stored.id] = final
            while len(self._finals) > MOST_STATES:
                self._finals.popitem(last=False)
        won = win_shares(position.result, position.teams)[seat] if game.seats > 1 else None
        return Seen(final, seat, position.score[seat], won)

    def _forget(self, match: str) -> None:
        with self._lock:
            self._finals.pop(match, None)

    # --- agents -----------------------------------------------------------------------------------------------------

    async def agents(self, game: Game, who: str) -> messages.AgentProfiles:
        """What the agents of the ladder do at such a table, as far as it is known; the first call lets them play."""
        key = game.spec.id, game.seats, game.variant
        measured = self._agents.get(key)
        if measured is None or measured.failed:
            measured = self._agents[key] = Measured(asyncio.create_task(self._measure(key, game, who)))
        self._agents.move_to_end(key)
        while len(self._agents) > MOST_MEASURED:
            self._agents.popitem(last=False)[1].task.cancel()
        if measured.task.done():
            measured.task.result()
        return await self.hall.work(measured.told, game)

    async def _measure(self, key: tuple[str, int, str], game: Game, who: str) -> None:
        await self.hall.preparer.game(game)
        for rung in game.spec.ladder:
            agent = await self.hall.work(registry.agent, rung.agent)
            if agent.why_not(game) is not None:
                continue
            quick = await self.hall.work(is_quick, game, agent)
            if quick:
                part = self.hall.preparer.part(
                    (game.spec.id, game.seats, Profiles, rung.agent),
                    game,
                    partial(say, "the agent {agent}", agent=agent.name),
                    partial(warm_up, game, agent),
                    Urgency.NOW,
                )
                await self.hall.preparer.finish(part)
            else:
                await self.hall.preparer.agent(game, rung.agent)
            async with self._measuring.place(who):
                played = await self.hall.work(measure, game, agent, AT_A_TIME if quick else 1, self._closing)
            if played:
                self._agents[key].rungs.append((rung, [seen for match in played for seen in seats_of(match)]))

    def close(self) -> None:
        self._closing.set()
        for measured in self._agents.values():
            measured.task.cancel()


class Measured:
    """What agents did at a kind of table."""

    def __init__(self, task: asyncio.Task[None]) -> None:
        self.task = task
        self.rungs: list[tuple[Rung, list[Seen]]] = []

    @property
    def failed(self) -> bool:
        return self.task.done() and (self.task.cancelled() or self.task.exception() is not None)

    def told(self, game: Game) -> messages.AgentProfiles:
        done = self.task.done()
        agents = [
            messages.AgentProfile(
                agent=rung.agent, strength=game.say(rung.strength), profile=profile_of(game, seen, game.seats)
            )
            for rung, seen in list(self.rungs)
        ]
        return messages.AgentProfiles(done=done, agents=agents)


def counts(stored: Stored, game: str) -> bool:
    """Whether a match says how well somebody plays: it was played to its end, and nobody knew what would come."""
    header: Header = stored.header
    return header.game == game and stored.status == "over" and header.parent is None


def seat_of(stored: dict[str, Stored], held: messages.HeldSeat) -> int | None:
    """The seat of a match that a token opens; None if there is none."""
    if held.match not in stored:
        return None
    places = stored[held.match].header.places
    return next((seat for seat, place in enumerate(places) if opens(held.token, place.token)), None)


def is_quick(game: Game, agent: Agent) -> bool:
    """Whether whole matches of the agent run in compiled code."""
    return compiled_policies(game, [agent] * game.seats) is not None


def warm_up(game: Game, agent: Agent) -> None:
    """What such matches need is compiled then."""
    run_many(game, [agent] * game.seats, [SEED])


def measure(game: Game, agent: Agent, at_a_time: int, closing: StopSign) -> list[Played]:
    """Matches of an agent against itself, as many as there is time for before the server closes."""
    played: list[Played] = []
    ends = now() + SECONDS
    with StopSign(closing, ends) as sign:
        while len(played) < MATCHES and now() < ends and not sign.is_set():
            seeds = [match_seed(SEED, len(played) + number) for number in range(at_a_time)]
            try:
                played += run_many(game, [agent] * game.seats, seeds, sign=sign)
            except Stopped:
                break
    return played


def seats_of(match: Played) -> list[Seen]:
    """Every seat of a match between equals, where nobody is better than the others."""
    return [Seen(match.final, seat, points, None) for seat, points in enumerate(match.scores)]


def profile_of(game: Game, seen: Sequence[Seen], seats: int = 1) -> messages.Profile:
    """Figures of seats, so many of which are of the same match."""
    found = summary([one.points for one in seen])
    finals = game.states(len(seen))
    np.concatenate([one.final for one in seen], out=finals)
    wins = [one.won for one in seen if one.won is not None]
    return messages.Profile(
        matches=len(seen) // seats,
        mean=found.mean,
        median=found.median,
        best=found.max,
        worst=found.min,
        sd=found.sd if len(seen) > 1 else None,
        win_share=sum(wins) / len(wins) if wins else None,
        parts=[
            messages.ProfilePart(
                title=part.title,
                labels=list(part.labels),
                figures=list(part.figures),
                share=part.share,
                notes=list(part.notes),
            )
            for part in game.profile(finals, [one.seat for one in seen])
        ],
    )
