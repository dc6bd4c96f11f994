"""The agents' turns. Agents with a compiled rule answer in the same piece of work as the move before; the others think
in threads of their own, and meanwhile everybody is told so."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeVar

from spielwerk.core import registry
from spielwerk.core.clock import Budget, OutOfTime, now
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import pick, spawn
from spielwerk.web.countdown import Countdowns, Steps, idle_action, thinking_time
from spielwerk.web.errors import UNWRITTEN
from spielwerk.web.language import say
from spielwerk.web.limits import Limits
from spielwerk.web.notes import kept
from spielwerk.web.session import Table
from spielwerk.web.telling import Drawn, Live, PointOfView, scenes, wait_for_viewers
from spielwerk.web.think import Needs, Preparer, Thinker, Threads

log = logging.getLogger("spielwerk.web")
R = TypeVar("R")
MOST_SCENES = 32  # drawn in one go
NOTICE = 0.25  # seconds until a viewer is told that something is being prepared
RETRY = 3.0  # seconds until agents try again whose moves could not be written down


class Choice(NamedTuple):
    """What an agent plays, and what it says of it."""

    action: int
    notes: dict[str, Any] | None = None


class Driver:
    """Lets the agents play, at every table."""

    def __init__(self, threads: Threads, preparer: Preparer, thinker: Thinker, limits: Limits) -> None:
        self.work = threads.work
        self.countdowns = Countdowns(Steps(self.ready, self.play_on, self.change))
        self.preparer, self.thinker, self.limits = preparer, thinker, limits
        self._quick: dict[tuple[str, str], bool] = {}  # (game, agent): decides at once

    def drive(self, live: Live) -> None:
        """Let the agents play on until a person must decide; agents among themselves only while somebody watches. If
        the table has a countdown, it runs."""
        self.countdowns.begin(live)
        self.play_on(live)

    def play_on(self, live: Live) -> None:
        live.wanted = True
        if live.driver is None or live.driver.done():
            live.driver = asyncio.create_task(self._drive(live))

    async def change(self, live: Live, change: Callable[[], R]) -> R:
        """Change a table, let quick agents answer at once, and send everybody each scene as he may see it."""
        live.used = now()
        async with live.telling:
            answering = live.quick and not live.table.only_agents
            told: tuple[R, list[Drawn]] = await self.work(changed, live.table, change, answering, live.points_of_view)
            result, shown = told
            for drawn in shown:
                live.show(drawn)
            live.moved.set()
            if len(shown) >= MOST_SCENES:
                self.drive(live)
            return result

    async def _drive(self, live: Live) -> None:
        table = live.table
        try:
            while live.wanted:  # somebody may ask again while the last turn ends
                live.wanted = False
                while not (table.only_agents and (live.paused or not live.viewers)):
                    began, number = now(), table.number
                    live.hurried.clear()
                    if not await self._turn(live):
                        break
                    if table.only_agents:
                        stood = await self.work(table.standing, number)
                        await wait_for_viewers(live, stood, now() - began)
        except SpielwerkError as problem:
            detail = str(problem)
            live.announce_problem(lambda: detail)
        except sqlite3.Error:
            log.exception("match %s cannot be written down", table.id)
            live.announce_problem(lambda: say(UNWRITTEN))
            if live.viewers:
                asyncio.get_running_loop().call_later(RETRY, self.drive, live)
        except Exception:
            log.exception("the agents of match %s cannot go on", table.id)
            live.announce_problem(lambda: say("an agent failed; the server's log says why"))

    async def _turn(self, live: Live) -> bool:
        """The agents that must decide now do so; False if there are none, or if their round has not begun."""
        table = live.table
        agents = agents_of(live)
        if not agents or (table.header.countdown and (live.timed is None or live.timed.number != table.number)):
            return False
        await self.ready(live)
        live.quick = all(place.seconds is None for place in table.header.places) and all(
            [await self._is_quick(table.game, spec) for spec in agents]
        )
        if live.quick:
            return await self.change(live, partial(quick_turn, table))
        number, seats = await self.work(table.thinking_seats)
        if seats:
            live.announce(lambda: {"type": "thinking", "seats": seats, "limit": self.limits.thinking})
            choices = await asyncio.gather(*(self._choice(live, seat, number) for seat in seats))
            await self.change(live, partial(make_moves, table, number, seats, choices))
        return bool(seats)

    async def ready(self, live: Live) -> None:
        """Wait until the rules and the agents of a table are compiled."""
        game = live.table.game
        await self.preparer.game(game)
        await asyncio.gather(*(self.preparer.agent(game, spec) for spec in sorted(agents_of(live))))

    async def _is_quick(self, game: Game, spec: str) -> bool:
        """Whether an agent decides at once: it has a compiled rule that looks no further. Such agents need no clock and
        no thread."""
        key = (game.spec.id, spec)
        if key not in self._quick:
            rule = await self.work(registry.agent(spec).policy, game)
            self._quick[key] = rule is not None and not rule.searches
        return self._quick[key]

    async def _choice(self, live: Live, seat: int, number: int) -> Choice:
        """What the agent on `seat` plays. An agent that is too slow gets a time limit, then a random move; against the
        clock it plays what is played for everybody who has not chosen."""
        table = live.table
        place = table.header.places[seat]
        view = (await self.work(table.snapshot))[1].view(seat)
        rng = spawn(table.header.seed or 0, 1 + seat, number)
        agent = registry.agent(place.agent or "random")
        limit, left = self.limits.thinking, self.countdowns.seconds_left(live)
        seconds = limit / 4 if seat in live.slow else place.seconds
        if left is not None:
            limit, most = min(limit, left), thinking_time(left)
            seconds = most if seconds is None else min(seconds, most)
        try:
            decision = await self.thinker.decide(agent, view, Budget(seconds=seconds), rng, limit, live.who)
            return Choice(decision.action, kept(view, decision))
        except OutOfTime:
            if left is not None:
                return Choice(await self.work(idle_action, table, seat))
            live.slow.add(seat)
            phrase = "{agent} takes too long for this server; a random move was played"
            live.announce_problem(lambda: say(phrase, agent=agent.spec))
            return Choice(view.legal[pick(rng, len(view.legal))])

    async def tell_progress(self, live: Live, needs: Needs) -> None:
        """While something is prepared that takes a while: tell everybody at the table what it is and how far it is."""
        last = None
        await asyncio.sleep(NOTICE)
        while not needs.done:
            live.preparing = partial(self.preparer.progress, live.table.game, needs)
            message = live.preparing()
            if message != last:
                live.announce(live.preparing)
            last = message
            await asyncio.sleep(NOTICE)
        live.preparing = None
        if last is not None:
            live.announce(lambda: {"type": "prepared"})


def changed(
    table: Table, change: Callable[[], R], answering: bool, points_of_view: set[PointOfView]
) -> tuple[R, list[Drawn]]:
    """In a thread: make a change, let the agents answer if they decide at once, and draw what each point of view may
    see after every step. All of it is one write to the store, which is done before anything is told."""
    with table.one_write():
        number = table.number
        result = change()
        if result is False:  # nothing was to be done
            return result, []
        if answering:
            choose_beside_people(table)
        shown = scenes(table, points_of_view, number)
        number = table.number
        while answering and len(shown) < MOST_SCENES and quick_turn(table):
            choose_beside_people(table)
            shown += scenes(table, points_of_view, number)
            number = table.number
    return result, shown


def choose_beside_people(table: Table) -> None:
    """Quick agents choose where people have to choose as well. Nothing happens on the board by that, so it need not be
    drawn twice."""
    with table.in_step():
        _, seats = table.thinking_seats()
        if any(seat not in table.picks and seat not in seats for seat in table.position.actors):
            quick_turn(table)


def agents_of(live: Live) -> set[str]:
    return {place.agent for place in live.table.header.places if place.agent}


def make_moves(table: Table, number: int, seats: list[int], choices: list[Choice]) -> bool:
    """The agents' moves are made, unless something was taken back or somebody resigned while they thought."""
    with table.in_step():
        if table.thinking_seats() != (number, seats):
            return False
        pick_all(table, number, seats, choices)
        return True


def pick_all(table: Table, number: int, seats: list[int], choices: list[Choice]) -> None:
    for seat, choice in zip(seats, choices, strict=True):
        table.pick(seat, choice.action, number, choice.notes)


def quick_turn(table: Table) -> bool:
    """The turn of agents that decide at once; False if no agent has to decide."""
    with table.in_step():
        number, seats = table.thinking_seats()
        pick_all(table, number, seats, [quick_choice(table, seat, number) for seat in seats])
        return bool(seats)


def quick_choice(table: Table, seat: int, number: int) -> Choice:
    agent, view = registry.agent(table.header.places[seat].agent or "random"), table.position.view(seat)
    decision = agent.decide(view, Budget(), spawn(table.header.seed or 0, 1 + seat, number))
    return Choice(decision.action, kept(view, decision))
