"""Who sits where: new matches, friends who sit down, records that somebody brings, and matches that go on from a point
of another."""

import asyncio
import secrets
import time
from collections import deque

import msgspec

from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.match import Record, positions
from spielwerk.core.spec import Rung
from spielwerk.web import messages
from spielwerk.web.errors import Conflict, Forbidden, TooMuch, Wait, whole_seconds
from spielwerk.web.hall import Hall
from spielwerk.web.language import say
from spielwerk.web.limits import HOUR, Rates, Visitor
from spielwerk.web.session import log_events
from spielwerk.web.store import Header, Place, digest, new_token, opens
from spielwerk.web.written import agent_for, game_of, table_for, understanding

DAY = 86_400.0


class Seating:
    def __init__(self, hall: Hall) -> None:
        self.hall, self.store, self.limits = hall, hall.store, hall.limits
        self.work = hall.work
        self._checking = asyncio.Semaphore(1)  # long records may not take all threads
        self._new = Rates(self.limits.matches_per_hour / HOUR, self.limits.matches_per_hour)

    def agent_place(self, game: Game, spec: str | None, seconds: float | None = None, in_charge: bool = False) -> Place:
        """An agent at a table; the easiest of the ladder if none is named."""
        ladder = game.spec.ladder or (Rung("easy", "random"),)
        spec = spec or ladder[0].agent
        strength = next((rung.strength for rung in ladder if rung.agent == spec), None)
        if strength is None and not (self.limits.any_agent or in_charge):
            allowed = ", ".join(rung.agent for rung in ladder)
            phrase = "this server lets only these agents play {game}: {allowed}"
            raise Forbidden(say(phrase, game=game.title, allowed=allowed))
        agent_for(game, spec)
        return Place("agent", spec, strength, min(seconds, self.limits.thinking) if seconds else None)

    async def start(self, wanted: messages.NewMatch, visitor: Visitor) -> messages.Started:
        """A new match; the answer holds the tokens of the seats and the invitations for friends."""
        game = await self.work(game_of, wanted.game, len(wanted.places), wanted.variant)
        people = [seat for seat, place in enumerate(wanted.places) if place.who != "agent"]
        friends = [seat for seat in people if wanted.places[seat].who == "friend"]
        if wanted.seed is not None and friends and (game.spec.chance or game.spec.hidden):
            raise Conflict(say("with a friend at the table the seed cannot be chosen: it tells what will come"))
        if wanted.countdown is not None:
            require_countdown(game, bool(people))
        places, tokens, invitations = [], [], []
        for seat, choice in enumerate(wanted.places):
            if choice.who == "agent":
                named = choice.agent, choice.seconds, visitor.in_charge
                places.append(await self.work(self.agent_place, game, *named))
                continue
            token = new_token()
            if choice.who == "me":
                places.append(Place("person", token=digest(token)))
                tokens.append(messages.SeatToken(seat=seat, token=token))
            else:
                places.append(Place("person", invitation=digest(token)))
                invitations.append(messages.Invitation(seat=seat, invitation=token))
        control = None if people else new_token()
        header = Header(
            game.spec.id,
            game.variant,
            game.seats,
            fresh_seed() if wanted.seed is None else wanted.seed,
            places,
            "table" if people else "watch",
            control=digest(control) if control else None,
            countdown=wanted.countdown,
        )
        match = await self._create(header, game, visitor)
        return messages.Started(match=match, tokens=tokens, invitations=invitations, control=control)

    async def _create(
        self, header: Header, game: Game, visitor: Visitor, events: list[str | dict[str, str]] | None = None
    ) -> str:
        self._require_patience(visitor)
        if await self.work(self.store.playing, time.time() - DAY) >= self.limits.matches:
            raise TooMuch(say("this server has as many unfinished matches as it may have; finish one first"))
        await self._require_room()
        match = await self.work(self.store.create, header, log_events(events or []))
        self.hall.needs(game, header)
        return match

    def _require_patience(self, visitor: Visitor) -> None:
        """Nobody may fill the store alone."""
        wait = 0.0 if visitor.in_charge else self._new.wait(visitor.address)
        if wait:
            phrase = "you have begun or brought many matches within an hour; wait {seconds} s before the next one"
            raise Wait(say(phrase, seconds=whole_seconds(wait)), wait)

    async def _require_room(self) -> None:
        if await self.work(lambda: self.store.size) > self.limits.store:
            raise TooMuch(say("this server can keep no more matches"))

    async def claim(self, match: str, invitation: str) -> messages.SeatToken:
        """A friend sits down; the invitation is used up."""
        live = await self.hall.live(match)
        header = live.table.header
        for seat, place in enumerate(header.places):
            if opens(invitation, place.invitation):
                token = new_token()
                header.places[seat] = msgspec.structs.replace(place, token=digest(token), invitation=None)
                try:
                    await self.work(self.store.set_header, match, header)
                except Exception:
                    header.places[seat] = place
                    raise
                await self.hall.tell_all(live)
                return messages.SeatToken(seat=seat, token=token)
        raise Forbidden(say("this invitation is not valid, or somebody has sat down with it already"))

    async def upload(self, record: Record, visitor: Visitor) -> messages.Started:
        """Keep a record that somebody brought; every move is checked."""
        self._require_patience(visitor)
        header = record.header
        game = await self.work(table_for, header)
        await self.hall.preparer.game(game)

        def check() -> bool:
            phrase = "this record of {text} does not fit the rules"
            with understanding(header.game, phrase):
                last = deque(positions(game, record), maxlen=1)
                return last[0].over

        async with self._checking:
            over = await self.work(check)
        names = [*header.agents, *["person"] * game.seats][: game.seats]
        places = [Place("person") if name == "person" else Place("agent", name[:400]) for name in names]
        await self._require_room()
        seed = header.seed if header.seed is not None and 0 <= header.seed < 1 << 63 else None
        kept = Header(game.spec.id, game.variant, game.seats, seed, places, "record")
        events = log_events(record.events)
        match = await self.work(self.store.keep_record, kept, events, "over" if over else "resigned")
        return messages.Started(match=match)

    async def branch(self, match: str, number: int, seat: int, visitor: Visitor) -> messages.Started:
        """What if: a new match from any point of a finished one, or with the same dice and cards from the start.

        The caller takes `seat`; people's other seats are taken by the strongest agent of the ladder."""
        live = await self.hall.live(match)
        old = live.table.header
        if not live.table.open_to_all:
            raise Conflict(say("wait until the match is over: its seed tells what will come"))
        if not 0 <= seat < old.seats:
            raise Conflict(say("there {seats:is|are} only {seats} {seats:seat|seats}", seats=old.seats))
        events = (await self.work(live.table.record)).events
        if number > len(events):
            raise Conflict(say("the match has only {events} {events:event|events}", events=len(events)))
        dealt = next((i for i, event in enumerate(events) if not isinstance(event, str)), len(events))
        seed = fresh_seed() if old.seed is None else old.seed
        token = new_token()
        places = [
            Place("person", token=digest(token)) if other == seat else await self._agent_instead(live.table.game, place)
            for other, place in enumerate(old.places)
        ]
        header = Header(old.game, old.variant, old.seats, seed, places, "branch" if number else "table", match)
        header.countdown = None if number else old.countdown  # who looks for what would have been has time
        made = await self._create(header, live.table.game, visitor, events[: max(number, dealt)])
        return messages.Started(match=made, tokens=[messages.SeatToken(seat=seat, token=token)])

    async def _agent_instead(self, game: Game, before: Place) -> Place:
        """The agent that sat there, or the strongest of the ladder."""
        strongest = game.spec.ladder[-1].agent if game.spec.ladder else "random"
        agent = before.agent if before.kind == "agent" else strongest
        try:
            return await self.work(self.agent_place, game, agent, before.seconds)
        except SpielwerkError:  # a record may name agents that this server does not know or allow
            return await self.work(self.agent_place, game, strongest)


def require_countdown(game: Game, people: bool) -> None:
    """Refuse a time for every round where it means nothing."""
    if not game.spec.idle:
        phrase = "{game} is not played against the clock: it does not say what is played for who has not chosen"
        raise SpielwerkError(say(phrase, game=game.title))
    if not people:
        raise SpielwerkError(say("a time for every round is for people; agents have a thinking time"))


def fresh_seed() -> int:
    return secrets.randbelow(messages.LARGEST_SEED)
