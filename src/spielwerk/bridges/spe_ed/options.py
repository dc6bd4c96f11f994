"""The options of a spe_ed server."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from spielwerk.bridges import Hosting, Report
from spielwerk.core import registry
from spielwerk.core.agent import Agent, split_specs
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.ranges import Range

LONGEST_KEY = 200  # characters
PORTS = Range(0, 65_535)
SECONDS = Range(0, 86_400)
LIMITS = Range(1, 3_600)
COUNTS = Range(1, 1_000_000)
SEEDS = Range(0, 2**62)
OPEN = "open"


@dataclass(frozen=True)
class SpeedHosting(Hosting):
    """A server for spe_ed."""

    name: ClassVar[str] = "speed server"
    example: ClassVar[str] = "spielwerk host speed --keys alpha,beta --players 2 --records games"

    host: Annotated[str, "address to listen on"] = "127.0.0.1"
    port: Annotated[int, PORTS, "port to listen on; 0 = any free one"] = 3100
    variant: Annotated[str, "the board, for example official or small or width=40,height=30"] = "official"
    keys: Annotated[str, "keys that may play, separated by commas; open = any"] = OPEN
    key_file: Annotated[str | None, "file with the keys that may play, one in a line"] = None
    players: Annotated[int | None, Range(2, 6), "players of a game; none = 2 to 6, drawn for every game"] = None
    wait: Annotated[float, SECONDS, "seconds that a lobby waits for players; officially 300"] = 10.0
    fill: Annotated[str, "agents on the seats that nobody took, separated by commas, in turn"] = "safe"
    thinking: Annotated[float, SECONDS, "most seconds that they think about a move"] = 0.5
    shortest: Annotated[int, LIMITS, "least seconds for an answer; drawn for every round"] = 5
    longest: Annotated[int, LIMITS, "most seconds for an answer"] = 15
    grace: Annotated[float, SECONDS, "seconds that an answer may come after the limit"] = 2.0
    seed: Annotated[int | None, SEEDS, "seed of starts, players and limits; none = different every time"] = None
    games: Annotated[int | None, COUNTS, "games to play, then stop; none = until it is stopped"] = None
    at_once: Annotated[int, COUNTS, "most games at the same time"] = 100
    records: Annotated[str | None, "folder for logs and records of all games; none = nothing is kept"] = None
    connections: Annotated[int, COUNTS, "most connections at the same time"] = 1000
    per_address: Annotated[int, COUNTS, "most connections from one address at the same time"] = 200

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.shortest > self.longest:
            raise SpielwerkError(
                f"speed server: a limit from {self.shortest} to {self.longest} seconds is none; "
                "give --shortest a value up to --longest"
            )

    def run(self, report: Report) -> None:
        from spielwerk.bridges.spe_ed.server import SpeedServer

        asyncio.run(SpeedServer(self, report).run())

    def known_keys(self) -> frozenset[str] | None:
        """The keys that may play; None if any may."""
        if self.key_file is not None:
            try:
                found = Path(self.key_file).read_text().split()
            except (OSError, UnicodeDecodeError) as problem:
                raise SpielwerkError(
                    f"speed server: cannot read the keys in {self.key_file} ({problem}); write one in a line"
                ) from problem
        elif self.keys == OPEN:
            return None
        else:
            found = [key.strip() for key in self.keys.split(",") if key.strip()]
        if not found or max(map(len, found)) > LONGEST_KEY:
            raise SpielwerkError(f"speed server: give at least one key, none with over {LONGEST_KEY} characters")
        return frozenset(found)

    def fillers(self) -> list[Agent]:
        """The built-in opponents."""
        agents = [registry.agent(spec) for spec in split_specs(self.fill)]
        if not agents:
            raise SpielwerkError("speed server: --fill needs at least one agent, for example --fill random")
        for agent in agents:
            agent.require(registry.game("speed", self.players or 2, self.variant))
        return agents
