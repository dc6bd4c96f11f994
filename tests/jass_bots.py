"""Plain clients of the Jass challenge protocol for the tests of its server."""

import asyncio
import contextlib
import json
from functools import cache

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

import spielwerk as sw
from spielwerk.bridges.jass_challenge.client import JassJoining
from spielwerk.bridges.jass_challenge.server import ChallengeServer, JassHosting

SHORT = "server,target=300"
PATIENCE = 120.0  # seconds after which a hanging test fails


@cache
def compiled(agent):
    """Compile before the clock of a test runs."""
    asyncio.run(JassJoining(sw.agent(agent)).warm_up())


def run(work, agent="rules"):
    compiled(agent)
    return asyncio.run(asyncio.wait_for(work, PATIENCE))


def hosting(report=lambda line: None, **options):
    return ChallengeServer(JassHosting(**({"port": 0, "variant": SHORT, "seed": 5} | options)), report)


class Bot:
    """A plain client written against the protocol alone: plays the first card that the server accepts."""

    def __init__(self, url, name, session, kind="SINGLE_GAME", team=None, **more):
        self.url, self.name, self.session, self.kind, self.team, self.more = url, name, session, kind, team, more
        self.log, self.seat, self.hand, self.close = [], None, [], None
        self.socket = None

    async def say(self, kind, data=None):
        with contextlib.suppress(ConnectionClosed):  # what the server sent before it closed is still to be read
            await self.socket.send(json.dumps({"type": kind, "data": data}))

    async def connect(self):
        self.socket = await connect(self.url)
        return self

    async def play(self):
        await self.connect()
        try:
            while True:
                message = json.loads(await self.socket.recv())
                self.log.append(message)
                await self.react(message["type"], message.get("data"))
        except ConnectionClosed as closed:
            self.close = (closed.rcvd.code, closed.rcvd.reason) if closed.rcvd else None
        return self

    async def react(self, kind, data):
        if kind == "REQUEST_PLAYER_NAME":
            await self.say("CHOOSE_PLAYER_NAME", self.name)
        elif kind == "REQUEST_SESSION_CHOICE":
            wish = {"sessionChoice": "JOIN_EXISTING", "sessionName": self.session, "sessionType": self.kind} | self.more
            if self.team is not None:
                wish["chosenTeamIndex"] = self.team
            await self.say("CHOOSE_SESSION", wish)
        elif kind == "BROADCAST_SESSION_JOINED" and self.seat is None:
            self.seat = data["player"]["seatId"]
        elif kind == "DEAL_CARDS":
            self.hand = list(data)
        elif kind == "REQUEST_TRUMPF":
            await self.trumpf(data)
        elif kind == "REQUEST_CARD":
            await self.card()
        elif kind == "REJECT_CARD":
            self.hand.append(self.hand.pop(0))
        elif kind == "PLAYED_CARDS":
            if data[-1] in self.hand:
                self.hand.remove(data[-1])
        elif kind == "BROADCAST_WINNER_TEAM":
            self.seat = None

    async def trumpf(self, pushed):
        await self.say("CHOOSE_TRUMPF", {"mode": "OBEABE"} if pushed else {"mode": "SCHIEBE"})

    async def card(self):
        await self.say("CHOOSE_CARD", self.hand[0])

    async def heard(self, kind, count=1):
        """Wait until so many messages of a kind have come."""
        while self.count(kind) < count:
            await asyncio.sleep(0.002)

    def count(self, kind):
        return sum(message["type"] == kind for message in self.log)

    def data(self, kind):
        return [message.get("data") for message in self.log if message["type"] == kind]


async def still_works(server):
    """Whether four new clients can play a whole game."""
    bots = await asyncio.gather(*(Bot(server.url, f"n{i}", "another").play() for i in range(4)))
    return all(bot.close == (1000, "Game Finished") and bot.count("BROADCAST_GAME_FINISHED") for bot in bots)


async def start_when_ready(url, session, bots):
    """A spectator that starts the tournament when all connections are there; returns what it saw."""
    watcher = Bot(url, "starter", session, "TOURNAMENT", sessionChoice="SPECTATOR")
    watching = asyncio.create_task(watcher.play())
    while True:
        tables = watcher.data("BROADCAST_TOURNAMENT_RANKING_TABLE")
        if tables and sum(row["connectedClients"] for row in tables[-1]["ranking"]) == bots:
            break
        await asyncio.sleep(0.01)
    await watcher.say("START_TOURNAMENT")
    return watcher, watching


# --- nonsense --------------------------------------------------------------------------------------------------------

DEEP = "[" * 20_000 + "]" * 20_000
WRONG = [
    "null", "true", "-1", "1.5", "1" * 400, "1e308", "1e999", "NaN", '""', '"\\u0000"', '"\\ud800"',
    '"' + "x" * 300 + '"', "[]", "{}", "[[]]", '{"number": 6}', "[" * 500 + "]" * 500, DEEP,
]  # fmt: skip
FRAMES = [
    "",
    "{",
    "nonsense",
    "[]",
    "null",
    DEEP,
    '{"type": "X"}',
    '{"data": 1}',
    '{"type": {}}',
    '{"a":' * 9000,
    b"\xff\x00",
]


def mangled(message):
    """The texts of a message with one part at a time replaced by something wrong, the whole included."""
    places = [()]

    def visit(part, path):
        items = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        for key, inner in items:
            places.append((*path, key))
            visit(inner, (*path, key))

    visit(message, ())
    for path in places:
        for wrong in WRONG:
            yield json.dumps(replaced(message, path)).replace('"@"', wrong)


def replaced(part, path):
    if not path:
        return "@"
    copy = dict(part) if isinstance(part, dict) else list(part)
    copy[path[0]] = replaced(part[path[0]], path[1:])
    return copy
