"""What came of the games of a server, by key and by built-in opponent."""

from collections import Counter, deque
from collections.abc import Iterator
from typing import NamedTuple

from spielwerk.bridges.spe_ed.match import Match
from spielwerk.core.position import View
from spielwerk.games.speed.kernel.rules import UNHEARD

MOST_LISTED = 200  # finished games on the page
MOST_COUNTED = 10_000  # players with a line of their own in the table
OTHERS = ("", "(others)")

Who = tuple[str, str]  # a key, or nothing for a built-in opponent; and what the operator reads


class Finished(NamedTuple):
    """A game as the page lists it; nobody's key is in it."""

    number: int
    names: list[str]
    winner: str  # a name, or nothing
    rounds: int
    size: str
    last: View


class Results:
    def __init__(self) -> None:
        self.played: Counter[Who] = Counter()
        self.won: Counter[Who] = Counter()
        self.unheard: Counter[Who] = Counter()
        self.finished: deque[Finished] = deque(maxlen=MOST_LISTED)

    @property
    def leaving(self) -> int | None:
        """The game that is not listed any more when the next one is."""
        return self.finished[0].number if len(self.finished) == self.finished.maxlen else None

    def add(self, number: int, match: Match) -> str:
        """Count a game; returns a line about it."""
        s, winner = match.position.state[0], match.winner
        for seat, player in enumerate(match.players):
            who = (player.key, player.title)
            if who not in self.played and len(self.played) >= MOST_COUNTED:
                who = OTHERS
            self.played[who] += 1
            self.won[who] += seat == winner
            self.unheard[who] += int(s["why"][seat] == UNHEARD)
        names = [player.name for player in match.players]
        size = f"{s['width']} × {s['height']}"
        best = "" if winner is None else names[winner]
        self.finished.append(Finished(number, names, best, match.rounds, size, match.position.view(-1)))
        told = "nobody wins" if winner is None else f"{match.players[winner].title} wins as {best}"
        return f"game {number}: {told} after {match.rounds} rounds on {s['width']}x{s['height']}"

    def table(self) -> Iterator[str]:
        """One line per player, the best first."""
        for who in sorted(self.played, key=lambda who: (-self.won[who], self.played[who], who[1])):
            line = f"{who[1]}: {self.won[who]} of {self.played[who]} games won"
            if self.unheard[who]:
                line += f", {self.unheard[who]} ended without an answer in time"
            yield line
