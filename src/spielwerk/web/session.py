"""A table: one live match. It follows from the header and the event log; every change is first an event.

A table is shared by the threads of the server; each method takes the table's lock and is short. What a viewer gets is
always drawn from a view of the seats whose tokens he showed, so nothing hidden leaves the process.
"""

import sqlite3
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from spielwerk.core import registry
from spielwerk.core.errors import IllegalMove
from spielwerk.core.game import Game
from spielwerk.core.match import Header as RecordHeader
from spielwerk.core.match import Outcome, Record, digest, versions
from spielwerk.core.position import SPECTATOR, Position, States, View, duplicate
from spielwerk.core.words import Words
from spielwerk.web import messages, notes
from spielwerk.web.errors import Conflict
from spielwerk.web.language import say
from spielwerk.web.moments import Noted, Still, drawn_before
from spielwerk.web.store import Chance, Event, Header, MatchStore, Pick, Place, Resign, Status, Stop, Stored, in_force

RECENT = 16  # happenings that a scene tells


def player_of(game_says: Words, seat: int, place: Place, ready: bool = False) -> messages.Player:
    seated = place.kind == "agent" or place.token is not None or place.invitation is None
    strength = game_says(place.strength) if place.strength else None
    return messages.Player(seat=seat, kind=place.kind, agent=place.agent, strength=strength, seated=seated, ready=ready)


def winners(position: Position) -> list[int]:
    """The seats of the team or teams whose result is best; nobody in a game for one, or if the rules say so."""
    if not position.over or position.game.seats == 1 or position.game.won_by_nobody(position):
        return []
    results, teams = position.result, position.teams
    best = {teams[seat] for seat, result in enumerate(results) if result == max(results)}
    return [seat for seat in range(position.game.seats) if teams[seat] in best]


class Table:
    """One live match."""

    def __init__(self, stored: Stored, store: MatchStore) -> None:
        self.id = stored.id
        self.header: Header = stored.header
        self.status: Status = stored.status
        self.store = store
        self.lock = threading.RLock()
        self.game = registry.game(self.header.game, self.header.seats, self.header.variant)
        self._unwritten: list[Event] = []  # have happened and wait for the end of `one_write`
        self._ended = False  # the match has ended with them
        self._gathering = False
        self._stale = True  # the board has to be set up again from the log
        self._catch_up()
        if self.status == "playing":
            self._append([])

    def _catch_up(self) -> None:
        if self._stale:
            self._rebuild(in_force(self.store.events(self.id)))
            self._stale = False

    @contextmanager
    def in_step(self) -> Iterator[None]:
        """The table for one thread, as the log has it."""
        with self.lock:
            self._catch_up()
            yield

    def _rebuild(self, events: Iterable[Event]) -> None:
        self.position = self.game.opening(self.header.seed or 0)
        self.picks: dict[int, str] = {}
        self.thoughts: dict[int, dict[str, Any]] = {}  # what agents noted of their picks
        self.still = Still(self.game, duplicate(self.position.state))  # the table after the last event
        self.number = 0  # events of the record so far: moves of all actors together, or chance
        self.resigned: int | None = None
        self.stopped = False
        self.recent: deque[Noted] = deque(maxlen=RECENT)
        for event in events:
            self._take(event)

    def _take(self, event: Event) -> None:
        """Let an event of the log happen on the board."""
        if isinstance(event, Chance):
            self.position.happen(event.text)
            self._noted(event.text)
        elif isinstance(event, Pick):
            self.picks[event.seat] = event.move
            if event.notes:
                self.thoughts[event.seat] = event.notes
            if set(self.picks) == set(self.position.actors):
                self.position.apply(dict(self.picks))
                self._noted({str(seat): self.picks[seat] for seat in sorted(self.picks)})
                self.picks, self.thoughts = {}, {}
        elif isinstance(event, Resign):
            self.resigned = event.seat
        elif isinstance(event, Stop):
            self.stopped = True

    def _noted(self, event: str | dict[str, str]) -> None:
        before, self.still = self.still, Still(self.game, duplicate(self.position.state))
        self.recent.append(Noted(self.number, event, before, self.still, dict(self.thoughts)))
        if len(self.recent) > 4:
            self.recent[-4].before.views.clear()
        self.number += 1

    def _append(self, events: list[Event]) -> None:
        """Add events that have happened, let chance act, and write it all down."""
        while self.status == "playing" and self.position.actor_set == 0:
            text = self.position.roll_noted()
            self._noted(text)
            events.append(Chance(text))
        self._unwritten += events
        given_up = self.stopped or self.resigned is not None
        if self.status == "playing" and (given_up or self.position.over):
            self.status = "resigned" if given_up else "over"
            self._ended = True
        if not self._gathering:
            self._write()

    def _write(self) -> None:
        """Write down what has happened; if that fails, nothing of it has happened."""
        if not self._unwritten and not self._ended:
            return
        events, ended = self._unwritten, self._ended
        self._unwritten, self._ended = [], False
        try:
            if ended:
                self.store.append(self.id, events, self.status, list(self.position.score))
            else:
                self.store.append(self.id, events)
        except Exception:
            self.status, self._stale = "playing", True
            with suppress(sqlite3.Error):  # what cannot be read now is read when somebody looks again
                self._catch_up()
            raise

    @contextmanager
    def one_write(self) -> Iterator[None]:
        """Whatever happens inside is written down in one transaction at the end. Nobody may hear of it before."""
        with self.in_step():
            self._gathering = True
            try:
                yield
            finally:
                self._gathering = False
                self._write()

    # --- changes ----------------------------------------------------------------------------------------------------

    def pick(
        self, seat: int, action: int | str, number: int | None = None, noted: dict[str, Any] | None = None
    ) -> None:
        """A seat chooses; the moves are made when all actors have chosen. `noted` is what an agent says of it."""
        with self.in_step():
            self._must_be_playing()
            if number is not None and number != self.number:
                phrase = "the match has moved on to event {number}; look again before you move"
                raise Conflict(say(phrase, number=self.number))
            if seat not in self.position.actors:
                raise IllegalMove(say("{game}: this seat has nothing to decide now", game=self.game.title))
            if seat in self.picks:
                raise Conflict(
                    say("{game}: this seat has chosen already; the others still think", game=self.game.title)
                )
            legal = self.position.legal(seat)
            chosen = self.game.action(action) if isinstance(action, str) else action
            if chosen not in legal:
                raise self.game.illegal(seat, chosen, legal)
            event = Pick(seat, self.game.spec.moves[chosen], noted)
            self._take(event)
            self._append([event])

    def undo(self) -> None:
        """Take the last decision back, in a game for one."""
        with self.in_step():
            if not self.may_undo:
                raise Conflict(say("there is nothing to take back; only in games for one can moves be taken back"))
            events = in_force(self.store.events(self.id))
            keep = max(i for i, event in enumerate(events) if isinstance(event, Pick))
            self.store.take_back(self.id, keep)
            self.status = "playing"
            self._rebuild(events[:keep])

    def resign(self, seat: int) -> None:
        with self.in_step():
            self._must_be_playing()
            event = Resign(seat)
            self._take(event)
            self._append([event])

    def stop(self) -> None:
        """The match ends where it stands; nobody has resigned."""
        with self.in_step():
            self._must_be_playing()
            event = Stop()
            self._take(event)
            self._append([event])

    def _must_be_playing(self) -> None:
        if self.status != "playing":
            raise Conflict(say("the match is over"))

    # --- what is asked ----------------------------------------------------------------------------------------------

    @property
    def may_undo(self) -> bool:
        return (
            self.game.seats == 1
            and self.header.places[0].kind == "person"
            and self.status != "resigned"
            and any(not isinstance(noted.event, str) for noted in self.recent)
        )

    @property
    def only_agents(self) -> bool:
        return all(place.kind == "agent" for place in self.header.places)

    @property
    def open_to_all(self) -> bool:
        """Whether everything may be shown to everybody: it is over, or no person plays."""
        return self.status != "playing" or self.only_agents

    def seen(self, position: Position, seat: int) -> View:
        """A position of this match as `seat` may see it. A spectator sees all hands where everything may be shown."""
        return position.open_view() if seat == SPECTATOR and self.open_to_all else position.view(seat)

    def _view(self, still: Still, seat: int) -> View:
        return self.seen(still.position, seat) if seat == SPECTATOR else still.view(seat)

    def thinking_seats(self) -> tuple[int, list[int]]:
        """The number of events, and the agents' seats that have to choose now."""
        with self.in_step():
            if self.status != "playing":
                return self.number, []
            waiting = [seat for seat in self.position.actors if seat not in self.picks]
            return self.number, [seat for seat in waiting if self.header.places[seat].kind == "agent"]

    def snapshot(self) -> tuple[int, Position]:
        """The number of events and a copy of the position."""
        with self.in_step():
            return self.number, self.position.copy()

    def moments_since(self, number: int) -> list[Noted]:
        """The events from `number` on that must be seen and are not the last one."""
        with self.in_step():
            return [noted for noted in self.recent if number <= noted.number < self.number - 1 and noted.stands]

    def standing(self, number: int) -> float:
        """How many seconds must be taken to see what happened from event `number` on."""
        with self.in_step():
            return sum(noted.stands for noted in self.recent if noted.number >= number)

    def scene(self, held: Sequence[int], seat: int | None = None, then: Noted | None = None) -> messages.Scene:
        """The match as the holder of the seats `held` may see it, drawn from one of them (`seat`, if it is allowed);
        with `then` as it was after that event."""
        with self.in_step():
            spec, now = self.game.spec, then is None
            still = self.still if then is None else then.after
            position = still.position
            status = self.status if now else "playing"
            actors = list(position.actors) if status == "playing" else []
            waiting = [who for who in actors if who not in self.picks] if now else []
            own = [who for who in waiting if who in held]
            if seat is None or not (seat in held or (self.open_to_all and SPECTATOR <= seat < self.game.seats)):
                seat = own[0] if own else held[0] if held else SPECTATOR
            view = self._view(still, seat)
            legal = view.legal if seat in own else ()
            known = [noted for noted in self.recent if then is None or noted.number <= then.number]
            drawn = drawn_before(known)
            return messages.Scene(
                match=self.id,
                game=spec.id,
                title=self.game.title,
                variant=self.header.variant,
                rules=self.game.variant_name(self.header.variant),
                origin=self.header.origin,
                number=self.number if then is None else then.number + 1,
                status=status,
                seat=seat,
                held=list(held),
                svg=self.game.svg(view),
                moment=known[-1].moment_for(seat) if known else None,
                since=drawn.number + 1 if drawn else None,
                came=self.game.came_from(self._view(drawn.after, seat), view) if drawn else {},
                legal=[
                    messages.Choice(action=action, move=spec.moves[action], name=self.game.move_name(action))
                    for action in legal
                ],
                actors=actors,
                waiting=waiting,
                scores=list(view.score),
                teams=list(position.teams),
                winners=winners(position),
                resigned=self.resigned if now else None,
                players=[
                    player_of(self.game.say, i, place, now and i in self.picks)
                    for i, place in enumerate(self.header.places)
                ],
                happened=[noted.heard_by(seat) for noted in known],
                may_undo=self.may_undo and seat in held,
                seed=self.header.seed if status != "playing" else None,
                countdown=self.header.countdown,
                thoughts=notes.thoughts(self.game, self.header.places, known[-1].thoughts)
                if known and self.open_to_all
                else [],
            )

    def log(self) -> list[Event]:
        """All events that count."""
        with self.in_step():
            return in_force(self.store.events(self.id))

    def record(self) -> Record:
        """What has happened so far as a record."""
        with self.in_step():
            if not self.open_to_all and (self.game.spec.hidden or self.game.spec.simultaneous):
                raise Conflict(say("the record is told when the match is over: it holds what the seats may not know"))
            over = self.position.over
            result = Outcome(list(self.position.score), digest(self.position)) if over else None
            seed = self.header.seed if self.status != "playing" else None
            agents = [place.agent or "person" for place in self.header.places]
            header = RecordHeader(self.game.spec.id, self.game.variant, self.game.seats, seed, agents, versions())
            return Record(header, record_events(self.game, self.log()), result)


def record_events(game: Game, events: Iterable[Event]) -> list[str | dict[str, str]]:
    """The events of a log as a record writes them: the moves of all actors together."""
    return [event for event, _ in played_events(game, events)]


def last_state(game: Game, events: Iterable[Event]) -> States:
    """The state after all events of a log."""
    position = game.opening()
    for _, position in played_events(game, events):  # noqa: B007 (the last one counts)
        pass
    return position.state


def played_events(game: Game, events: Iterable[Event]) -> Iterator[tuple[str | dict[str, str], Position]]:
    """Every event of a log as a record writes it, and the position after it, which goes on to change."""
    position = game.opening()
    picks: dict[int, str] = {}
    for event in events:
        if isinstance(event, Chance):
            position.happen(event.text)
            yield event.text, position
        elif isinstance(event, Pick):
            picks[event.seat] = event.move
            if set(picks) == set(position.actors):
                position.apply(dict(picks))
                yield {str(seat): picks[seat] for seat in sorted(picks)}, position
                picks = {}


def log_events(events: Iterable[str | dict[str, str]]) -> list[Event]:
    """The events of a record as a log writes them: one row per choice."""
    found: list[Event] = []
    for event in events:
        if isinstance(event, str):
            found.append(Chance(event))
        else:
            found += [Pick(int(seat), move) for seat, move in event.items()]
    return found
