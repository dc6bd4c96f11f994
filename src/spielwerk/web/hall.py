"""The hall: all tables, found by the ids of their matches, and what people do at them.

The event loop only moves messages. Everything that touches a game runs in threads: tables, pictures and the store in a
small pool, decisions in threads with a hard limit, compilation in a thread of its own.
"""

import asyncio
import json
import os
import time
from collections.abc import Callable
from functools import partial

from spielwerk.core import registry
from spielwerk.core.game import Game
from spielwerk.web import messages
from spielwerk.web.advice import Adviser
from spielwerk.web.driving import Driver
from spielwerk.web.errors import Forbidden, Missing, TooMuch
from spielwerk.web.film import Films
from spielwerk.web.language import say
from spielwerk.web.limits import Limits
from spielwerk.web.session import Table, player_of
from spielwerk.web.store import Header, MatchStore, Stored, opens
from spielwerk.web.telling import Live, Viewer, letters
from spielwerk.web.think import Needs, Preparer, Thinker, Threads


class Hall:
    """All tables."""

    def __init__(self, store: MatchStore, limits: Limits) -> None:
        self.store, self.limits = store, limits
        cores = os.cpu_count() or 1
        self._threads = Threads(max(4, cores))
        self.work = self._threads.work
        self.preparer = Preparer()
        self.thinker = Thinker(max(2, cores))
        self.adviser = Adviser(self.preparer, Thinker(max(2, cores)), limits.thinking)  # hints hold up no match
        self.driver = Driver(self._threads, self.preparer, self.thinker, limits)
        self.films = Films()
        self.taken_back: list[Callable[[str], None]] = [self.films.forget]  # who must know of it
        self.lives: dict[str, Live] = {}
        self._loading: dict[str, asyncio.Task[Live]] = {}

    async def close(self) -> None:
        for live in self.lives.values():
            live.close()
        self.preparer.close()
        self._threads.close()
        self.store.close()

    def needs(self, game: Game, header: Header) -> Needs:
        """Begin to prepare what a match needs; returns what that is."""
        agents = sorted({place.agent for place in header.places if place.agent})
        match = [self.preparer.game_part(game), *(self.preparer.agent_part(game, spec) for spec in agents)]
        people = any(place.kind == "person" for place in header.places)
        return Needs(match, [self.adviser.part(game)] if people else [])

    # --- finding ----------------------------------------------------------------------------------------------------

    async def stored(self, match: str) -> Stored:
        found = await self.work(self.store.find, match)
        if found is None:
            raise Missing(say("there is no such match"))
        return found

    async def live(self, match: str) -> Live:
        """The match at its table; loaded from the store if nobody has looked at it for a while."""
        found = self.lives.get(match)
        if found is None:
            loading = self._loading.get(match)
            if loading is None:
                loading = self._loading[match] = asyncio.create_task(self._load(match))
                loading.add_done_callback(lambda _: self._loading.pop(match, None))
            found = await asyncio.shield(loading)
        found.used = time.monotonic()
        return found

    async def _load(self, match: str) -> Live:
        stored = await self.stored(match)
        header = stored.header
        await self.preparer.game(await self.work(registry.game, header.game, header.seats, header.variant))
        self._make_room()
        live = self.lives[match] = Live(await self.work(Table, stored, self.store))
        return live

    def _make_room(self) -> None:
        """Idle tables leave memory; they come back from the store when somebody asks."""
        over = len(self.lives) - self.limits.tables + 1
        if over <= 0:
            return
        idle = sorted((live for live in self.lives.values() if live.idle), key=lambda live: live.used)
        if not idle:
            raise TooMuch(say("all tables of this server are taken; come back later"))
        for live in idle[: max(over, self.limits.tables // 20)]:
            del self.lives[live.table.id]

    def held_seats(self, table: Table, tokens: list[str]) -> tuple[int, ...]:
        """The seats that the tokens open. Raises Forbidden if one of them opens nothing."""
        held = []
        for token in tokens:
            seat = next((i for i, place in enumerate(table.header.places) if opens(token, place.token)), None)
            if seat is None:
                raise Forbidden(say("this token opens no seat of the match"))
            held.append(seat)
        return tuple(sorted(set(held)))

    def require_seat(self, table: Table, token: str | None, seat: int) -> None:
        if not 0 <= seat < table.game.seats or not opens(token, table.header.places[seat].token):
            raise Forbidden(say("this seat can only be played with its own token"))

    def listed(self, stored: Stored) -> messages.Listed:
        header = stored.header
        game = registry.game_class(header.game)
        return messages.Listed(
            match=stored.id,
            game=header.game,
            title=game.say(game.spec.title),
            variant=header.variant,
            rules=game.variant_name(header.variant),
            origin=header.origin,
            status=stored.status,
            players=[player_of(game.say, seat, place) for seat, place in enumerate(header.places)],
            scores=stored.scores,
            created=stored.created,
            updated=stored.updated,
        )

    # --- playing ----------------------------------------------------------------------------------------------------

    async def act(self, live: Live, seat: int, action: int | str, number: int | None) -> None:
        await self.driver.change(live, partial(live.table.pick, seat, action, number))
        live.drop_hints()
        if not live.quick:
            self.driver.drive(live)

    async def undo(self, live: Live) -> None:
        await self.driver.change(live, live.table.undo)
        live.drop_hints()
        for forget in self.taken_back:
            forget(live.table.id)
        self.driver.drive(live)

    async def resign(self, live: Live, seat: int) -> None:
        await self.driver.change(live, partial(live.table.resign, seat))
        live.drop_hints()

    async def stop(self, live: Live) -> None:
        """End a match where it stands; whoever thinks about it stops."""
        if live.driver is not None:
            live.driver.cancel()
        await self.driver.change(live, live.table.stop)
        live.drop_hints()

    def set_pace(self, live: Live, paused: bool | None, seconds: float | None) -> None:
        if paused is not None:
            live.paused = paused
        if seconds is not None:
            live.pause = seconds
        live.hurried.set()
        live.announce(live.pace)
        self.driver.drive(live)

    # --- looking ----------------------------------------------------------------------------------------------------

    async def join(self, live: Live, viewer: Viewer) -> None:
        async with live.telling:  # what is told to all just now would come twice otherwise
            if len(live.viewers) >= self.limits.viewers:
                raise TooMuch(say("as many people as possible look at this match already"))
            live.viewers.add(viewer)
            live.who = viewer.who
            if live.table.only_agents:
                viewer.tell(json.dumps(live.pace()))
            if live.timed is not None:
                viewer.tell(json.dumps(self.driver.countdowns.told(live)))
            await self._show(live, viewer, viewer.seen)
        self._tell_what_is_prepared(live, viewer)
        self.driver.drive(live)

    def _tell_what_is_prepared(self, live: Live, viewer: Viewer) -> None:
        if live.preparing is not None:
            viewer.tell(json.dumps(live.preparing()))
        elif live.table.status == "playing" and (live.telling_progress is None or live.telling_progress.done()):
            needs = self.needs(live.table.game, live.table.header)
            live.telling_progress = asyncio.create_task(self.driver.tell_progress(live, needs))

    async def tell(self, live: Live, viewer: Viewer) -> None:
        async with live.telling:
            await self._show(live, viewer, None)

    async def _show(self, live: Live, viewer: Viewer, since: int | None) -> None:
        """Send a viewer what is there, after the moments that he missed from event `since` on."""
        for letter in await self.work(letters, live.table, viewer.point_of_view, since):
            viewer.tell(*letter)

    async def tell_all(self, live: Live) -> None:
        """Somebody has sat down."""
        await self.driver.change(live, lambda: True)
        self.driver.drive(live)
