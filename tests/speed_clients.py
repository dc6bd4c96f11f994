"""Plain clients of the spe_ed protocol, and a clock that is turned by hand, for the tests of its server."""

import asyncio
import json
from contextlib import asynccontextmanager, suppress
from functools import cache

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from spielwerk.bridges.spe_ed.match import Clock
from spielwerk.bridges.spe_ed.messages import heard
from spielwerk.bridges.spe_ed.options import SpeedHosting
from spielwerk.bridges.spe_ed.safe import safe_action
from spielwerk.bridges.spe_ed.server import SpeedServer

PATIENCE = 120.0  # seconds after which a hanging test fails
SENT = ["turn_left", "turn_right", "slow_down", "speed_up", "change_nothing"]


class HandClock(Clock):
    """Time passes when a test says so. It begins at 2021-01-17T12:00:03.417Z."""

    def __init__(self):
        self.now = 1_610_884_803.417
        self.sleepers = []

    def time(self):
        return self.now

    async def wait(self, seconds):
        sleeper = (self.now + seconds, asyncio.get_running_loop().create_future())
        self.sleepers.append(sleeper)
        try:
            await sleeper[1]
        finally:
            self.sleepers.remove(sleeper)

    def advance(self, seconds):
        self.now += seconds
        for ends, future in self.sleepers:
            if ends <= self.now and not future.done():
                future.set_result(None)


class Ahead(Clock):
    """The real time, and some seconds more."""

    def __init__(self, seconds):
        self.seconds = seconds

    def time(self):
        return super().time() + self.seconds


@cache
def compiled():
    """Compile before the clock of a test runs."""
    SpeedServer(SpeedHosting())._rehearse()


def run(work):
    compiled()
    return asyncio.run(asyncio.wait_for(work, PATIENCE))


def hosting(report=lambda line: None, clock=None, **options):
    """A server for two players on a small board; its limits are long."""
    usual = {"port": 0, "variant": "width=20,height=16", "seed": 5, "players": 2, "wait": 3600, "shortest": 100}
    return SpeedServer(SpeedHosting(**(usual | {"longest": 100} | options)), report, clock)


class Plain:
    """One connection: what came, and what is sent."""

    def __init__(self, socket):
        self.socket = socket
        self.states = []
        self.code = None  # with which the server closed

    async def state(self):
        """The next state, as it came."""
        self.states.append(json.loads(await self.socket.recv()))
        return self.states[-1]

    async def send(self, frame):
        await self.socket.send(frame)

    async def say(self, action):
        await self.send(json.dumps({"action": action}))

    @property
    def last(self):
        return self.states[-1]

    @property
    def me(self):
        return self.last["players"][str(self.last["you"])]

    async def ended(self):
        """Listen until the server closes."""
        with suppress(ConnectionClosed):
            while True:
                await self.state()
        self.code = self.socket.protocol.close_code
        return self

    async def drive(self):
        """Play safely to the end."""
        rounds = len(self.states)
        with suppress(ConnectionClosed):
            while True:
                state = heard(json.dumps(await self.state()))
                if state.running and state.players[str(state.you)].active:
                    await self.say(SENT[safe_action(state, rounds)])
                rounds += 1
        self.code = self.socket.protocol.close_code
        return self


def plain(server, key):
    """A client that holds a connection: `async with plain(server, "key") as client`."""

    @asynccontextmanager
    async def client():
        async with connect(f"{server.url}/spe_ed?key={key}", compression=None, ping_interval=None) as socket:
            yield Plain(socket)

    return client()


@asynccontextmanager
async def table(server, count=2):
    """Clients of one game that have heard its first state, in the order of their numbers."""
    clients = []
    async with asyncio.TaskGroup() as group:
        stop = asyncio.Event()

        async def hold(number):
            async with plain(server, f"k{number}") as client:
                clients.append(client)
                if number < count:
                    group.create_task(hold(number + 1))
                await stop.wait()

        group.create_task(hold(1))
        try:
            await until(lambda: len(clients) == count)
            for client in clients:
                await client.state()
            yield clients
        finally:
            stop.set()


async def until(condition):
    """Wait for what a test looks at."""
    while not condition():
        await asyncio.sleep(0.002)


async def fetch(server, path, headers=""):
    """Status, headers and body of a plain request."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\n{headers}\r\n".encode())
    answer = await reader.read()
    writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    return int(status.split()[1]), dict(line.split(": ", 1) for line in lines), body


async def still_works(server):
    """Whether two new clients can play a whole game."""
    async with plain(server, "n1") as one, plain(server, "n2") as other:
        ended = await asyncio.gather(one.drive(), other.drive())
    return all(client.code == 1000 and not client.last["running"] for client in ended)
