"""A table and its log: a move and the answers of quick agents are one write, done before anybody hears of it."""

import sqlite3
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from spielwerk.core import registry
from spielwerk.web.driving import changed
from spielwerk.web.session import Table
from spielwerk.web.store import Event, Header, MatchStore, Place, Status
from spielwerk.web.telling import PointOfView
from web_games import GAMES

VIEW = PointOfView((0,), None, "en", frozenset())


class Counting(MatchStore):
    """A store that counts its writes and can be made to fail."""

    writes = 0
    broken = False

    unreadable = False

    def events(self, match: str) -> list[Event]:
        if self.unreadable:
            raise sqlite3.OperationalError("disk I/O error")
        return super().events(match)

    def append(
        self, match: str, events: list[Event], status: Status | None = None, scores: list[float] | None = None
    ) -> None:  # type: ignore[override]
        if self.broken:
            raise sqlite3.OperationalError("database or disk is full")
        self.writes += 1
        super().append(match, events, status, scores)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    for game in GAMES:
        registry.register(game)
    store = Counting(tmp_path / "matches.sqlite")
    header = Header("cards", "standard", 2, 11, [Place("person", token="x"), Place("agent", "random")])
    yield Table(store.find(store.create(header)), store)  # type: ignore[arg-type]
    store.close()
    for game in GAMES:
        registry.unregister(game)


def play(table: Table) -> tuple[None, list[dict[tuple[tuple[int, ...], int | None, str], str]]]:
    return changed(table, partial(table.pick, 0, table.position.legal(0)[0]), True, {VIEW})


def test_a_move_and_the_answers_are_one_write_and_several_scenes(table: Table) -> None:
    store = table.store
    assert isinstance(store, Counting) and table.position.actors == (0,)
    before, number = store.writes, table.number
    _, scenes = play(table)
    assert store.writes == before + 1
    assert len(scenes) == table.number - number >= 2  # one scene for every choice
    again = Table(store.find(table.id), store)  # type: ignore[arg-type]
    assert again.number == table.number
    assert again.position.state.tobytes() == table.position.state.tobytes()


def test_what_cannot_be_written_down_has_not_happened(table: Table) -> None:
    store = table.store
    assert isinstance(store, Counting)
    before, number = table.position.state.tobytes(), table.number
    store.broken = True
    with pytest.raises(sqlite3.OperationalError):
        play(table)
    assert (table.position.state.tobytes(), table.number, table.status) == (before, number, "playing")
    store.unreadable = True  # not even what was before can be read
    with pytest.raises(sqlite3.OperationalError):
        play(table)
    store.broken = store.unreadable = False
    assert table.snapshot()[0] == number
    play(table)
    assert table.number > number
    again = Table(store.find(table.id), store)  # type: ignore[arg-type]
    assert again.position.state.tobytes() == table.position.state.tobytes()


def test_the_end_of_a_match_is_written_with_its_last_moves(table: Table) -> None:
    while table.status == "playing":
        play(table)
    kept = table.store.find(table.id)
    assert kept is not None and kept.status == "over" and kept.scores == list(table.position.score)


def test_a_match_from_before_keeps_the_rules_of_its_time(tmp_path: Path) -> None:
    """`schieber` meant the old Weis before the edition of the rules was written down."""
    store = MatchStore(tmp_path / "matches.sqlite")
    match = store.create(Header("jass", "schieber,target=900", 4, 1, [Place("person")] * 4))
    found = store.find(match)
    assert found is not None and found.header.variant == "schieber,target=900"
    with sqlite3.connect(store.path) as connection:
        connection.execute("update matches set header = json_remove(header, '$.edition')")
    for _ in range(2):  # also after it was written again
        found = store.find(match)
        assert found is not None and found.header.variant == "schieber,target=900,weis=1,announce=0"
        store.set_header(match, found.header)
    store.close()
