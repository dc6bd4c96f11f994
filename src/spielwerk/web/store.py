"""Matches as event logs in one SQLite file (WAL): one row per event, appended and never changed.

A match is its header and its events; everything else (positions, scores, whose turn it is) follows from them. So a
server that was killed continues every match from the file. Seat tokens are kept as digests only.
"""

import base64
import hashlib
import hmac
import json
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import msgspec

from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.files import data_folder, from_own_json
from spielwerk.core.match import EDITION
from spielwerk.web.language import say

SCHEMA = """
create table if not exists matches (
    id text primary key, header text not null, status text not null default 'playing', scores text,
    created real not null, updated real not null, listed integer not null
);
create index if not exists recent on matches (listed, updated);
create index if not exists unfinished on matches (status, updated);
create table if not exists events (
    match text not null references matches, number integer not null, at real not null, body text not null,
    primary key (match, number)
) without rowid;
create table if not exists reviews (match text primary key references matches, body text not null);
"""

Status = Literal["playing", "over", "resigned"]
BUSY = 5.0  # seconds to wait while another process writes; nobody plays meanwhile


class Pick(msgspec.Struct, frozen=True, tag="pick", tag_field="kind", omit_defaults=True):
    """A seat has chosen. The moves are made when all seats that must decide have chosen."""

    seat: int
    move: str
    notes: dict[str, Any] | None = None  # what the agent says of its decision; nobody is told before the match is over


class Chance(msgspec.Struct, frozen=True, tag="chance", tag_field="kind"):
    """Something random happened, in the game's notation."""

    text: str


class Undo(msgspec.Struct, frozen=True, tag="undo", tag_field="kind"):
    """Only the first `keep` events in force still count."""

    keep: int


class Resign(msgspec.Struct, frozen=True, tag="resign", tag_field="kind"):
    seat: int


class Stop(msgspec.Struct, frozen=True, tag="stop", tag_field="kind"):
    """Who started a match between agents, or runs the server, ended it."""


Event = Pick | Chance | Undo | Resign | Stop
_event = msgspec.json.Decoder(Event)


class Place(msgspec.Struct):
    """Who sits on a seat."""

    kind: Literal["person", "agent"]
    agent: str | None = None  # spec
    strength: str | None = None  # the word on the game's ladder
    seconds: float | None = None  # thinking time per decision; None: as the agent's options say
    token: str | None = None  # digest of the seat's token; None: nobody has sat down yet
    invitation: str | None = None  # digest of the invitation to a friend, until somebody has sat down


class Header(msgspec.Struct):
    game: str
    variant: str
    seats: int
    seed: int | None  # None: a record that does not tell it
    places: list[Place]
    origin: Literal["table", "watch", "record", "branch"] = "table"
    parent: str | None = None  # the match that this one branched from or repeats
    control: str | None = None  # digest of the token that may pause and speed up a match of agents
    countdown: float | None = None  # seconds for every round; None: as long as everybody needs
    edition: int = 1  # of the rules that the variant names; only in the file, what is read is put into today's words


class Stored(msgspec.Struct):
    """A match as the list of matches shows it."""

    id: str
    header: Header
    status: Status
    scores: list[float] | None
    created: float
    updated: float


_header = msgspec.json.Decoder(Header)


def _written(header: Header) -> str:
    header.edition = EDITION
    return msgspec.json.encode(header).decode()


def _read(text: str) -> Header:
    header = _header.decode(text)
    with suppress(SpielwerkError):  # a game that is not installed any more
        header.variant = registry.variant_now(header.game, header.variant, header.edition)
    return header


def digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def new_token() -> str:
    return secrets.token_urlsafe(24)


def opens(token: str | None, kept: str | None) -> bool:
    """Whether a token is the one whose digest was kept."""
    return token is not None and kept is not None and hmac.compare_digest(digest(token), kept)


def in_force(events: Iterable[Event]) -> list[Event]:
    """The events that count, after what was taken back."""
    found: list[Event] = []
    for event in events:
        if isinstance(event, Undo):
            del found[event.keep :]
        else:
            found.append(event)
    return found


def default_path() -> Path:
    chosen = os.environ.get("SPIELWERK_MATCHES")
    return Path(chosen) if chosen else data_folder() / "matches.sqlite"


class MatchStore:
    """One file of matches; safe to use from several threads."""

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = Path(path) if path else default_path()
        self._lock = threading.Lock()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self.path, timeout=BUSY, check_same_thread=False, isolation_level=None)
            self._connection.execute("pragma journal_mode = wal")
            self._connection.execute("pragma synchronous = normal")
            self._connection.executescript(SCHEMA)
        except (sqlite3.DatabaseError, OSError) as problem:
            phrase = "{path} cannot hold matches ({problem}); name another with --store"
            raise SpielwerkError(say(phrase, path=self.path, problem=problem)) from problem

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def _all(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._connection.execute(statement, values).fetchall()

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return int(self._all("select page_count * page_size from pragma_page_count(), pragma_page_size()")[0][0])

    def create(self, header: Header, events: Iterable[Event] = ()) -> str:
        """A new match; returns its id."""
        return self._create(secrets.token_urlsafe(9), header, list(events), "playing")

    def keep_record(self, header: Header, events: Iterable[Event], status: Status) -> str:
        """A match that was played elsewhere; returns its id, which is the same whenever the same record is brought."""
        every = list(events)
        fields = msgspec.to_builtins(header)
        del fields["countdown"]  # no record has one, and records of old have their names without it
        named = hashlib.sha256(msgspec.json.encode([fields, every, status])).digest()[:9]
        match = base64.urlsafe_b64encode(named).decode()
        return match if self.find(match) else self._create(match, header, every, status)

    def _create(self, match: str, header: Header, events: list[Event], status: Status) -> str:
        now = time.time()
        listed = all(place.kind == "agent" for place in header.places)
        rows = [(match, number, now, msgspec.json.encode(event).decode()) for number, event in enumerate(events)]
        with self._lock, self._connection:
            self._connection.execute("begin")
            self._connection.execute(
                "insert into matches (id, header, status, created, updated, listed) values (?, ?, ?, ?, ?, ?)",
                (match, _written(header), status, now, now, listed),
            )
            self._connection.executemany("insert into events values (?, ?, ?, ?)", rows)
        return match

    def append(
        self, match: str, events: Iterable[Event], status: Status | None = None, scores: list[float] | None = None
    ) -> None:
        """Add events in one transaction; `status` and `scores` if the match has ended with them."""
        with self._lock, self._connection:
            self._connection.execute("begin")
            self._add(match, events)
            if status is not None:
                self._connection.execute(
                    "update matches set status = ?, scores = ? where id = ?", (status, json.dumps(scores), match)
                )

    def _add(self, match: str, events: Iterable[Event]) -> None:
        now = time.time()
        number = self._connection.execute(
            "select coalesce(max(number) + 1, 0) from events where match = ?", (match,)
        ).fetchone()[0]
        self._connection.executemany(
            "insert into events values (?, ?, ?, ?)",
            [(match, number + i, now, msgspec.json.encode(event).decode()) for i, event in enumerate(events)],
        )
        self._connection.execute("update matches set updated = ? where id = ?", (now, match))

    def take_back(self, match: str, keep: int) -> None:
        """Only the first `keep` events in force still count; a match that was over goes on, its review is gone."""
        with self._lock, self._connection:
            self._connection.execute("begin")
            self._add(match, [Undo(keep)])
            self._connection.execute("update matches set status = 'playing', scores = null where id = ?", (match,))
            self._connection.execute("delete from reviews where match = ?", (match,))

    def set_header(self, match: str, header: Header) -> None:
        with self._lock, self._connection:
            self._connection.execute("update matches set header = ? where id = ?", (_written(header), match))

    def find(self, match: str) -> Stored | None:
        found = self._stored("where id = ?", match)
        return found[0] if found else None

    def recent(self, count: int) -> list[Stored]:
        """The newest matches between agents; other people's matches are nobody else's business."""
        return self._stored("where listed order by updated desc limit ?", count)

    def several(self, ids: list[str]) -> list[Stored]:
        marks = ",".join("?" * len(ids))
        return self._stored(f"where id in ({marks}) order by updated desc", *ids)

    def playing(self, since: float) -> int:
        """How many unfinished matches somebody has played at since then."""
        return int(self._all("select count(*) from matches where status = 'playing' and updated > ?", since)[0][0])

    def _stored(self, where: str, *values: Any) -> list[Stored]:
        rows = self._all(f"select id, header, status, scores, created, updated from matches {where}", *values)
        return [
            Stored(
                i,
                _read(header),
                status,
                from_own_json(scores, list[float]) if scores else None,
                made,
                updated,
            )
            for i, header, status, scores, made, updated in rows
        ]

    def events(self, match: str) -> list[Event]:
        rows = self._all("select body from events where match = ? order by number", match)
        return [_event.decode(body) for (body,) in rows]

    def review(self, match: str) -> str | None:
        rows = self._all("select body from reviews where match = ?", match)
        return rows[0][0] if rows else None

    def keep_review(self, match: str, body: str) -> None:
        """Keep the review of a match, unless it goes on again."""
        with self._lock, self._connection:
            self._connection.execute(
                "insert or replace into reviews select id, ? from matches where id = ? and status <> 'playing'",
                (body, match),
            )
