"""The hall: all tables, who watches them, and the agents that play at them.

The event loop only moves messages. Everything that touches a game runs in threads: tables, pictures and the store in a
small pool, decisions in threads with a hard limit, compilation in a thread of its own.
"""

import asyncio
import contextvars
import json
import logging
import os
import secrets
import sqlite3
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import msgspec

from spielwerk.core import registry
from spielwerk.core.clock import Budget, OutOfTime
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import pick, spawn
from spielwerk.core.match import Record, positions
from spielwerk.core.words import language, speaking
from spielwerk.web import messages
from spielwerk.web.advice import Adviser, in_words, judged, worth_a_look
from spielwerk.web.film import Films
from spielwerk.web.language import say
from spielwerk.web.limits import Limits
from spielwerk.web.session import Conflict, Forbidden, Missing, Table, TooMuch, log_events, player_of
from spielwerk.web.store import Header, MatchStore, Place, Stored, digest, new_token, opens
from spielwerk.web.think import Preparer, Thinker

log = logging.getLogger("spielwerk.web")
R = TypeVar("R")
UNWRITTEN = "the matches cannot be read or written right now; try again in a moment"
MAILBOX = 64  # messages that wait for a slow viewer; older scenes make room
MOST_SCENES = 32  # drawn in one go
NOTICE = 0.25  # seconds until a viewer is told that something is being prepared
DAY = 86_400.0
RETRY = 3.0  # seconds until agents try again whose moves could not be written down


class Viewer:
    """Somebody who looks at a match over a WebSocket."""

    def __init__(self, held: tuple[int, ...], control: bool = False) -> None:
        self.held = held
        self.control = control
        self.seat: int | None = None  # from whose place he wants to look
        self.language = language()
        self._mail: deque[str] = deque(maxlen=MAILBOX)
        self._there = asyncio.Event()

    @property
    def point_of_view(self) -> "PointOfView":
        return self.held, self.seat, self.language

    def tell(self, text: str) -> None:
        self._mail.append(text)
        self._there.set()

    async def next(self) -> str:
        while not self._mail:
            self._there.clear()
            await self._there.wait()
        return self._mail.popleft()


class Live:
    """A table with the people around it."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.viewers: set[Viewer] = set()
        self.driver: asyncio.Task[None] | None = None
        self.wanted = False  # somebody asked the agents to play on
        self.paused = False
        self.pause = 0.6  # seconds between two moves of a match between agents
        self.used = time.monotonic()
        self.telling = asyncio.Lock()
        self.quick = False  # all its agents decide at once, and everything is prepared for them
        self.slow: set[int] = set()  # seats whose agents overran the limit once
        self.hint: tuple[tuple[int, int, bytes], messages.Hint] | None = None  # the last: number, seat, position; hint

    @property
    def idle(self) -> bool:
        return not self.viewers and (self.driver is None or self.driver.done())


class Hall:
    """All tables."""

    def __init__(self, store: MatchStore, limits: Limits) -> None:
        self.store, self.limits = store, limits
        cores = os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(max(4, cores), thread_name_prefix="table")
        self.preparer = Preparer()
        self.thinker = Thinker(max(2, cores))
        self.adviser = Adviser(self.preparer, self.thinker, limits.thinking)
        self.films = Films()
        self.taken_back: list[Callable[[str], None]] = [self.films.forget]  # who must know of it
        self.lives: dict[str, Live] = {}
        self._loading: dict[str, asyncio.Task[Live]] = {}
        self._quick: dict[tuple[str, str], bool] = {}  # (game, agent): decides at once
        self._checking = asyncio.Semaphore(1)  # long records may not take all threads

    async def work(self, function: Callable[..., R], *args: object) -> R:
        """Run something that touches a game or the store, in a thread that speaks the visitor's language."""
        context = contextvars.copy_context()
        return await asyncio.get_running_loop().run_in_executor(self._pool, partial(context.run, function, *args))

    async def close(self) -> None:
        for live in self.lives.values():
            if live.driver is not None:
                live.driver.cancel()
        self.preparer.close()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self.store.close()

    # --- starting ---------------------------------------------------------------------------------------------------

    def agent_place(self, game: Game, spec: str | None, seconds: float | None = None) -> Place:
        """An agent at a table; the easiest of the ladder if none is named."""
        ladder = game.spec.ladder or (("easy", "random"),)
        spec = spec or ladder[0][1]
        strength = next((word for word, rung in ladder if rung == spec), None)
        if strength is None and not self.limits.any_agent:
            allowed = ", ".join(rung for _, rung in ladder)
            phrase = "this server lets only these agents play {game}: {allowed}"
            raise Forbidden(say(phrase, game=game.title, allowed=allowed))
        registry.agent(spec).require(game)
        return Place("agent", spec, strength, min(seconds, self.limits.thinking) if seconds else None)

    async def start(self, wanted: messages.NewMatch) -> messages.Started:
        game = await self.work(registry.game, wanted.game, len(wanted.places), wanted.variant)
        people = [seat for seat, place in enumerate(wanted.places) if place.who != "agent"]
        friends = [seat for seat in people if wanted.places[seat].who == "friend"]
        if wanted.seed is not None and friends and (game.spec.chance or game.spec.hidden):
            raise Conflict(say("with a friend at the table the seed cannot be chosen: it tells what will come"))
        places, tokens, invitations = [], [], []
        for seat, choice in enumerate(wanted.places):
            if choice.who == "agent":
                places.append(await self.work(self.agent_place, game, choice.agent, choice.seconds))
                continue
            token = new_token()
            if choice.who == "me":
                places.append(Place("person", token=digest(token)))
                tokens.append(messages.SeatToken(seat=seat, token=token))
            else:
                places.append(Place("person", invitation=digest(token)))
                invitations.append(messages.Invitation(seat=seat, invitation=token))
        control = None if people else new_token()
        seed = secrets.randbelow(messages.LARGEST_SEED) if wanted.seed is None else wanted.seed
        header = Header(
            game.spec.id,
            game.variant,
            game.seats,
            seed,
            places,
            "table" if people else "watch",
            control=digest(control) if control else None,
        )
        match = await self._create(header)
        return messages.Started(match=match, tokens=tokens, invitations=invitations, control=control)

    async def _create(self, header: Header, events: list[str | dict[str, str]] | None = None) -> str:
        if await self.work(self.store.playing, time.time() - DAY) >= self.limits.matches:
            raise TooMuch(say("this server has as many unfinished matches as it may have; finish one first"))
        await self._require_room()
        return await self.work(self.store.create, header, log_events(events or []))

    async def _require_room(self) -> None:
        if await self.work(lambda: self.store.size) > self.limits.store:
            raise TooMuch(say("this server can keep no more matches"))

    async def claim(self, match: str, invitation: str) -> messages.SeatToken:
        """A friend sits down; the invitation is used up."""
        live = await self.live(match)
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
                await self.tell_all(live)
                return messages.SeatToken(seat=seat, token=token)
        raise Forbidden(say("this invitation is not valid, or somebody has sat down with it already"))

    async def upload(self, record: Record) -> messages.Started:
        """Keep a record that somebody brought; every move is checked."""
        header = record.header
        game = await self.work(registry.game, header.game, header.seats, header.variant)
        await self.preparer.game(game)

        def check() -> bool:
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

    async def branch(self, match: str, number: int, seat: int) -> messages.Started:
        """What if: a new match from any point of a finished one, or with the same dice and cards from the start.

        The caller takes `seat`; people's other seats are taken by the strongest agent of the ladder."""
        live = await self.live(match)
        old = live.table.header
        if not live.table.open_to_all:
            raise Conflict(say("wait until the match is over: its seed tells what will come"))
        if not 0 <= seat < old.seats:
            raise Conflict(say("there are only {seats} seats", seats=old.seats))
        game = live.table.game
        events = (await self.work(live.table.record)).events
        if number > len(events):
            raise Conflict(say("the match has only {events} events", events=len(events)))
        dealt = next((i for i, event in enumerate(events) if not isinstance(event, str)), len(events))
        seed = secrets.randbelow(messages.LARGEST_SEED) if old.seed is None else old.seed
        token = new_token()
        strongest = game.spec.ladder[-1][1] if game.spec.ladder else "random"
        places = []
        for place, before in enumerate(old.places):
            if place == seat:
                places.append(Place("person", token=digest(token)))
                continue
            try:
                agent = before.agent if before.kind == "agent" else strongest
                places.append(await self.work(self.agent_place, game, agent, before.seconds))
            except SpielwerkError:  # a record may name agents that this server does not know or allow
                places.append(await self.work(self.agent_place, game, strongest))
        header = Header(old.game, old.variant, old.seats, seed, places, "branch" if number else "table", match)
        made = await self._create(header, events[: max(number, dealt)])
        return messages.Started(match=made, tokens=[messages.SeatToken(seat=seat, token=token)])

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
        await self._change(live, partial(live.table.pick, seat, action, number))
        if not live.quick:
            self.drive(live)

    async def undo(self, live: Live) -> None:
        await self._change(live, live.table.undo)
        for forget in self.taken_back:
            forget(live.table.id)
        self.drive(live)

    async def resign(self, live: Live, seat: int) -> None:
        await self._change(live, partial(live.table.resign, seat))

    def set_pace(self, live: Live, paused: bool | None, seconds: float | None) -> None:
        if paused is not None:
            live.paused = paused
        if seconds is not None:
            live.pause = seconds
        self._tell(live, lambda: {"type": "pace", "paused": live.paused, "seconds": live.pause})
        self.drive(live)

    def drive(self, live: Live) -> None:
        """Let the agents play on until a person must decide; agents among themselves only while somebody watches."""
        live.wanted = True
        if live.driver is None or live.driver.done():
            live.driver = asyncio.create_task(self._drive(live))

    async def _drive(self, live: Live) -> None:
        table = live.table
        try:
            while live.wanted:  # somebody may ask again while the last turn ends
                live.wanted = False
                while not (table.only_agents and (live.paused or not live.viewers)):
                    began = time.monotonic()
                    if not await self._turn(live):
                        break
                    if table.only_agents:
                        await asyncio.sleep(max(live.pause - (time.monotonic() - began), 0.0))
        except SpielwerkError as problem:
            detail = str(problem)
            self._tell(live, lambda: {"type": "problem", "detail": detail})
        except sqlite3.Error:
            log.exception("match %s cannot be written down", table.id)
            self._tell(live, lambda: {"type": "problem", "detail": say(UNWRITTEN)})
            if live.viewers:
                asyncio.get_running_loop().call_later(RETRY, self.drive, live)
        except Exception:
            log.exception("the agents of match %s cannot go on", table.id)
            self._tell(live, lambda: {"type": "problem", "detail": say("an agent failed; the server's log says why")})

    async def _turn(self, live: Live) -> bool:
        """The agents that must decide now do so; False if there are none."""
        table = live.table
        agents = {place.agent for place in table.header.places if place.agent}
        if not agents:
            return False
        await self._prepare(live, agents)
        live.quick = all(place.seconds is None for place in table.header.places) and all(
            [await self._is_quick(table.game, spec) for spec in agents]
        )
        if live.quick:
            return await self._change(live, partial(_quick_turn, table))
        number, seats = await self.work(table.thinking_seats)
        if seats:
            self._tell(live, lambda: {"type": "thinking", "seats": seats, "limit": self.limits.thinking})
            choices = await asyncio.gather(*(self._choice(live, seat, number) for seat in seats))
            await self._change(live, partial(_make_moves, table, number, seats, choices))
        return bool(seats)

    async def _is_quick(self, game: Game, spec: str) -> bool:
        """Whether an agent decides at once: it has a compiled rule. Such agents need no clock and no thread."""
        key = (game.spec.id, spec)
        if key not in self._quick:
            self._quick[key] = await self.work(registry.agent(spec).policy, game) is not None
        return self._quick[key]

    async def _choice(self, live: Live, seat: int, number: int) -> int:
        """What the agent on `seat` plays. An agent that is too slow gets a time limit, then a random move."""
        table = live.table
        place = table.header.places[seat]
        view = (await self.work(table.snapshot))[1].view(seat)
        rng = spawn(table.header.seed or 0, 1 + seat, number)
        agent = registry.agent(place.agent or "random")
        limit = self.limits.thinking
        budget = Budget(seconds=limit / 4) if seat in live.slow else Budget(seconds=place.seconds)
        try:
            return (await self.thinker.decide(agent, view, budget, rng, limit)).action
        except OutOfTime:
            live.slow.add(seat)
            phrase = "{agent} takes too long for this server; a random move was played"
            self._tell(live, lambda: {"type": "problem", "detail": say(phrase, agent=agent.spec)})
            return view.legal[pick(rng, len(view.legal))]

    async def _prepare(self, live: Live, specs: set[str]) -> None:
        preparing = asyncio.gather(*(self.preparer.agent(live.table.game, spec) for spec in sorted(specs)))
        done, _ = await asyncio.wait([preparing], timeout=NOTICE)
        if not done:
            self._tell(live, lambda: {"type": "preparing", "title": live.table.game.title})
            await asyncio.wait([preparing])
            self._tell(live, lambda: {"type": "prepared"})
        await preparing

    # --- telling ----------------------------------------------------------------------------------------------------

    async def join(self, live: Live, viewer: Viewer) -> None:
        if len(live.viewers) >= self.limits.viewers:
            raise TooMuch(say("as many people as possible look at this match already"))
        live.viewers.add(viewer)
        if live.table.only_agents:
            viewer.tell(_json({"type": "pace", "paused": live.paused, "seconds": live.pause}))
        await self.tell(live, viewer)
        self.drive(live)

    async def tell(self, live: Live, viewer: Viewer) -> None:
        async with live.telling:
            viewer.tell(await self.work(_scene_text, live.table, *viewer.point_of_view))

    async def tell_all(self, live: Live) -> None:
        await self._change(live, lambda: True)

    async def _change(self, live: Live, change: Callable[[], R]) -> R:
        """Change a table, let quick agents answer at once, and send everybody each scene as he may see it."""
        live.used = time.monotonic()
        async with live.telling:
            points_of_view = {viewer.point_of_view for viewer in live.viewers}
            answering = live.quick and not live.table.only_agents
            changed: tuple[R, list[Drawn]] = await self.work(_changed, live.table, change, answering, points_of_view)
            result, scenes = changed
            for drawn in scenes:
                for viewer in live.viewers:
                    if viewer.point_of_view in drawn:
                        viewer.tell(drawn[viewer.point_of_view])
            if len(scenes) == MOST_SCENES:
                self.drive(live)
            return result

    def _tell(self, live: Live, message: Callable[[], dict[str, object]]) -> None:
        """Tell everybody a message in his language."""
        for viewer in live.viewers:
            with speaking(viewer.language):
                viewer.tell(_json(message()))

    # --- advice -----------------------------------------------------------------------------------------------------

    async def hint(self, live: Live, seat: int, step: str) -> messages.Hint:
        """A hint for a seat, from what the seat may know: first where to look, then what to play."""
        number, position = await self.work(live.table.snapshot)
        if live.table.status != "playing" or seat not in position.actors:
            raise Conflict(say("this seat has nothing to decide now"))
        asked = number, seat, position.state.tobytes()  # after a move was taken back, the number is not enough
        if live.hint is None or live.hint[0] != asked:
            view = position.view(seat)
            spec, unit, decision = await self.adviser.ask(view, self.limits.hint, number)
            actions = judged(view, decision, unit)
            hint = messages.Hint(
                step="what",
                number=number,
                seat=seat,
                agent=spec,
                unit=unit,
                within=decision.within,
                look_at=worth_a_look(actions),
                actions=actions,
            )
            live.hint = asked, hint
        hint = live.hint[1]
        told = in_words(live.table.game, hint.actions) if step == "what" else []
        within = live.table.game.say(hint.within) if hint.within else ""
        return hint.model_copy(update={"step": step, "actions": told, "within": within})


def _make_moves(table: Table, number: int, seats: list[int], choices: list[int]) -> bool:
    """The agents' moves are made, unless something was taken back or somebody resigned while they thought."""
    with table.in_step():
        if table.thinking_seats() != (number, seats):
            return False
        _pick_all(table, number, seats, choices)
        return True


def _pick_all(table: Table, number: int, seats: list[int], choices: list[int]) -> None:
    for seat, action in zip(seats, choices, strict=True):
        table.pick(seat, action, number)


def _quick_turn(table: Table) -> bool:
    """The turn of agents that decide at once; False if no agent has to decide."""
    with table.in_step():
        number, seats = table.thinking_seats()
        choices = [
            registry.agent(table.header.places[seat].agent or "random")
            .decide(table.position.view(seat), Budget(), spawn(table.header.seed or 0, 1 + seat, number))
            .action
            for seat in seats
        ]
        _pick_all(table, number, seats, choices)
        return bool(seats)


PointOfView = tuple[tuple[int, ...], int | None, str]  # seats held, seat from which the board is drawn, language
Drawn = dict[PointOfView, str]


def _changed(
    table: Table, change: Callable[[], R], answering: bool, points_of_view: set[PointOfView]
) -> tuple[R, list[Drawn]]:
    """In a thread: make a change, let the agents answer if they decide at once, and draw what each point of view may
    see after every step. All of it is one write to the store, which is done before anything is told."""

    def drawn() -> Drawn:
        return {view: _scene_text(table, *view) for view in points_of_view}

    with table.one_write():
        result = change()
        if result is False:  # nothing was to be done
            return result, []
        scenes = [drawn()]
        while answering and len(scenes) < MOST_SCENES and _quick_turn(table):
            scenes.append(drawn())
    return result, scenes


def _scene_text(table: Table, held: tuple[int, ...], seat: int | None, language: str) -> str:
    with speaking(language):
        return table.scene(held, seat).model_dump_json()


def _json(message: dict[str, object]) -> str:
    return json.dumps(message)
