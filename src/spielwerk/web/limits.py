"""What a visitor may ask of the server: sizes, numbers, times and rates; and who comes next where not all can."""

import ipaddress
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Generic, NamedTuple, TypeVar

T = TypeVar("T")
HOUR = 3600.0
MOST_KNOWN = 10_000  # visitors who are remembered


@dataclass(frozen=True)
class Limits:
    body: Annotated[int, "bytes of a request"] = 4 << 20
    matches: Annotated[int, "unfinished matches of the last day"] = 20_000
    matches_per_hour: Annotated[float, "matches and records that one visitor begins or brings; as many at once"] = 300.0
    store: Annotated[int, "bytes of all matches together; then no new one begins"] = 16 << 30
    tables: Annotated[int, "matches in memory; idle ones make room"] = 2_000
    viewers: Annotated[int, "WebSocket connections of one match"] = 64
    connections: Annotated[int, "requests and WebSockets of one visitor at once"] = 256
    thinking: Annotated[float, "seconds for one decision"] = 20.0
    hint: Annotated[float, "seconds for a hint"] = 1.2
    review: Annotated[float, "seconds for a whole review"] = 60.0
    review_decisions: Annotated[int, "most decisions of a review; of longer matches an even sample is judged"] = 1000
    reviews: Annotated[int, "reviews at once"] = 8
    reviews_each: Annotated[int, "reviews of one visitor at once"] = 2
    requests_per_second: Annotated[float, "of one visitor that change something"] = 20.0
    burst: Annotated[int, "requests that may come at once"] = 100
    looks_per_second: Annotated[float, "of one visitor that change nothing"] = 200.0
    looks_at_once: Annotated[int, "requests that may come at once and change nothing"] = 2000
    jobs: Annotated[int, "evaluations and tournaments that wait or run"] = 24
    jobs_each: Annotated[int, "of them of one visitor"] = 3
    job_matches: Annotated[int, "matches of one evaluation or tournament"] = 10_000
    job_seconds: Annotated[float, "seconds that one evaluation or tournament may run; then it is stopped"] = 600.0
    any_agent: Annotated[bool, "agents may be written out; else only those of the ladders"] = True
    hosts: Annotated[tuple[str, ...], "names under which the server may be asked; empty = any"] = ()


class Visitor(NamedTuple):
    """Somebody who asks. Limits hold for each visitor, but not for who runs the server."""

    address: str
    in_charge: bool = False  # showed the token of who runs the server


def address_of(client: tuple[str, int] | None) -> str:
    """Whom an address stands for: in the new internet everybody has a whole network (/64) of them."""
    name = client[0] if client else ""
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return name
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, 64), strict=False)) if address.version == 6 else str(address)


class Rates:
    """A token bucket per visitor."""

    def __init__(
        self, per_second: float, burst: float, most: int = MOST_KNOWN, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.per_second, self.burst, self.most, self.clock = per_second, burst, most, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # address -> (tokens, when)

    def allows(self, address: str) -> bool:
        return self.wait(address) == 0.0

    def wait(self, address: str) -> float:
        """0 if it is allowed now, which takes a token; else the seconds until it will be."""
        now = self.clock()
        tokens, when = self._buckets.pop(address, (self.burst, now))
        tokens = min(self.burst, tokens + (now - when) * self.per_second)
        allowed = tokens >= 1
        self._buckets[address] = (tokens - 1 if allowed else tokens, now)
        while len(self._buckets) > self.most:
            self._buckets.popitem(last=False)
        return 0.0 if allowed else (1 - tokens) / self.per_second


class Turns(Generic[T]):
    """What waits for its turn. Next comes the visitor whose last turn was longest ago, with the oldest that he has; so
    nobody waits longer because another has brought much."""

    def __init__(self) -> None:
        self._lines: dict[str, deque[T]] = {}  # in the order in which they began to wait
        self._served: OrderedDict[str, int] = OrderedDict()
        self._turn = 0

    def put(self, who: str, item: T) -> None:
        self._lines.setdefault(who, deque()).append(item)

    def take(self) -> T | None:
        """The next, which waits no longer; None if nothing waits."""
        if not self._lines:
            return None
        who = min(self._lines, key=lambda name: self._served.get(name, 0))
        item = self._lines[who].popleft()
        if not self._lines[who]:
            del self._lines[who]
        self._turn += 1
        self._served[who] = self._turn
        self._served.move_to_end(who)
        if len(self._served) > MOST_KNOWN:
            self._served.popitem(last=False)
        return item
