"""What came of the games of a server, by key and by built-in opponent."""

from collections import Counter, deque
from collections.abc import Iterator
from typing import NamedTuple

from spielwerk.bridges.spe_ed.match import Match
from spielwerk.core.position import View
from spielwerk.games.speed.kernel.rules import UNHEARD

MOST_LISTED = 200  # finished games on the page


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
        self.played: Counter[str] = Counter()
        self.won: Counter[str] = Counter()
        self.unheard: Counter[str] = Counter()
        self.finished: deque[Finished] = deque(maxlen=MOST_LISTED)

    def add(self, number: int, match: Match) -> str:
        """Count a game; returns a line about it."""
        s, winner = match.position.state[0], match.winner
        for seat, player in enumerate(match.players):
            self.played[player.title] += 1
            self.won[player.title] += seat == winner
            self.unheard[player.title] += int(s["why"][seat] == UNHEARD)
        names = [player.name for player in match.players]
        size = f"{s['width']} × {s['height']}"
        best = "" if winner is None else names[winner]
        self.finished.append(Finished(number, names, best, match.rounds, size, match.position.view(-1)))
        told = "nobody wins" if winner is None else f"{match.players[winner].title} wins as {best}"
        return f"game {number}: {told} after {match.rounds} rounds on {s['width']}x{s['height']}"

    def table(self) -> Iterator[str]:
        """One line per player, the best first."""
        for title in sorted(self.played, key=lambda title: (-self.won[title], self.played[title], title)):
            line = f"{title}: {self.won[title]} of {self.played[title]} games won"
            if self.unheard[title]:
                line += f", {self.unheard[title]} ended without an answer in time"
            yield line
