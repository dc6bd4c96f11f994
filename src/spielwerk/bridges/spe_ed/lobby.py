"""The lobby: a number of seats, those who came, and a time after which the game begins anyway."""

from contextlib import suppress
from typing import TYPE_CHECKING

from spielwerk.bridges.spe_ed.match import MOST_CHATTER, QUEUE, Player

if TYPE_CHECKING:
    from spielwerk.bridges.spe_ed.server import SpeedServer


class Lobby:
    """Opens with its first player. Nothing is sent to anybody; who leaves gives its seat back."""

    def __init__(self, server: "SpeedServer", seats: int) -> None:
        self.server = server
        self.seats = seats
        self.players: list[Player] = []
        self._timer = server.start(self._wait())

    def enter(self, player: Player) -> None:
        assert player.line is not None
        self.players.append(player)
        player.line.unasked = lambda frame: self._hear(player, frame)
        player.line.left = lambda: self._leave(player)
        if len(self.players) == self.seats:
            self._timer.cancel()
            self._begin()

    def _hear(self, player: Player, frame: str | bytes) -> None:
        """What is said before the game counts for its first round."""
        player.chatter += 1
        if len(player.queue) < QUEUE:
            player.queue.append(frame)
        elif player.chatter > MOST_CHATTER and player.line is not None:
            player.line.cut()

    def _leave(self, player: Player) -> None:
        with suppress(ValueError):
            self.players.remove(player)
        if not self.players and self.server.lobby is self:
            self._timer.cancel()
            self.server.lobby = None

    async def _wait(self) -> None:
        await self.server.clock.wait(self.server.options.wait)
        if self.server.lobby is self:
            self._begin()

    def _begin(self) -> None:
        self.server.begin(self.players, self.seats)
