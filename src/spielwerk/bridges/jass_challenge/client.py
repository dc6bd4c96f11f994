"""A client that seats an agent at a server of the Jass challenge. In a tournament a bot has two connections; one
command opens both. Everything is compiled before it connects, because the server's clock runs from then on."""

import asyncio
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI

from spielwerk.bridges import Joining, Report
from spielwerk.bridges.jass_challenge.connection import Connection, pipe
from spielwerk.bridges.jass_challenge.learning import new_pupil
from spielwerk.bridges.jass_challenge.seat import QUICK, Seat
from spielwerk.bridges.jass_challenge.table import Table, new_player
from spielwerk.core import registry
from spielwerk.core.agent import Agent
from spielwerk.core.clock import Budget
from spielwerk.core.errors import SpielwerkError

LARGEST_HEARD = 1 << 26  # bytes of a message from the server: the table of a large tournament is long
COMPILING = 3600.0  # seconds; nobody hurries while things are compiled


@dataclass(frozen=True)
class JassJoining(Joining):
    """An agent at a server of the Jass challenge."""

    name: ClassVar[str] = "jass client"
    example: ClassVar[str] = "spielwerk join jass --url ws://127.0.0.1:3000 --name mybot --session s1 --agent dmcts"

    agent: Annotated[Agent, "who plays, as name:key=value,…"]
    learn: Annotated[
        str | None,
        "run folder of a network that plays the cards and learns from them, begun if it is not there; the agent "
        "chooses the modes then",
    ] = None
    url: Annotated[str, "address of the server"] = "ws://127.0.0.1:3000"
    player: Annotated[str, "name that the others see"] = "spielwerk"
    session: Annotated[str, "name of the session to join"] = "spielwerk"
    type: Annotated[Literal["single", "tournament"], "kind of session"] = "single"
    team: Annotated[int | None, "team to join, 0 or 1; none = as seats fill"] = None
    seconds: Annotated[float, "most time for one decision"] = 0.2
    hurry: Annotated[float, "seconds after which a quick rule player answers in the agent's place"] = 0.35
    variant: Annotated[str, "rules that the server plays"] = "server"
    seed: Annotated[int, "seed of the agent's randomness"] = 0

    def __post_init__(self) -> None:
        if self.team not in (None, 0, 1) or self.seconds <= 0:
            raise SpielwerkError("jass client: team is 0 or 1, seconds are above 0")

    def run(self, report: Report) -> dict[str, Any]:
        return asyncio.run(self.play(report))

    async def play(self, report: Report = lambda line: None) -> dict[str, Any]:
        """Play until the server closes the connections."""
        await self.warm_up()
        report(f"ready, everything is compiled; connecting to {self.url}")
        count = 2 if self.type == "tournament" else 1
        pupil = None if self.learn is None else new_pupil(self.learn, self.variant, self.agent, self.seed)
        seats = [Seat(self, number, report if number == 0 else lambda line: None, pupil) for number in range(count)]
        try:
            await asyncio.gather(*(self._play(seat) for seat in seats))
        except (OSError, InvalidHandshake, InvalidURI, TimeoutError) as problem:
            raise SpielwerkError(f"cannot reach {self.url}: {problem}") from problem
        finally:
            if pupil is not None:
                await asyncio.to_thread(pupil.close)
        learned = {} if pupil is None else {"learned": pupil.run.counters["step"], "run": str(pupil.folder.path)}
        return learned | {
            "games": seats[0].games,
            "won": seats[0].won,
            "decisions": sum(seat.decisions for seat in seats),
            "slowest answer": round(max(seat.slowest for seat in seats), 3),
            "hurried": sum(seat.hurried for seat in seats),
            "refused": sum(seat.refused for seat in seats),
        }

    async def _play(self, seat: Seat) -> None:
        async with connect(self.url, max_size=LARGEST_HEARD, compression=None) as socket:
            try:
                await seat.talk(socket)
            except ConnectionClosed:
                seat.report("the connection broke")

    async def warm_up(self) -> None:
        """Compile everything that playing needs, both for a client and for a server: play one deal."""
        self.agent.require(registry.game("jass", 4, self.variant))
        await asyncio.to_thread(lambda: asyncio.run(self._rehearse()))

    async def _rehearse(self) -> None:
        players, work = [], []
        for number, agent in enumerate((self.agent, QUICK) * 2):
            ours, its = pipe()
            players.append(new_player(number, Connection(ours, ours.cut)))
            seat = Rehearsing(replace(self, agent=agent, hurry=COMPILING), number)
            seat.joined, seat.seat = True, number
            work += [asyncio.create_task(players[-1].connection.serve()), asyncio.create_task(seat.talk(its))]
        await Table(registry.game("jass", 4, "server-deal"), players, list, 1, None).play()
        for player in players:
            player.connection.close("rehearsed")
        await asyncio.gather(*work)


class Rehearsing(Seat):
    """A seat whose agent hardly thinks."""

    def _budget(self) -> Budget:
        return Budget(seconds=0.01, playouts=8)
