"""How much one address, one session and one connection may take up of a server.

What a connection made ends with it, so bounds on what is there at the same time are enough.
"""

from collections import Counter

SPECTATORS = 100  # of one session
ENTRIES = 64  # names in one tournament
BOTS = 40  # of the server, for one address


class Full(Exception):
    """There is no more room; the text says for what."""


class Guests:
    """How many connections there are, in all and by address."""

    def __init__(self, most: int, most_per_address: int) -> None:
        self.most = most
        self.most_per_address = most_per_address
        self._by_address: Counter[str] = Counter()

    def why_not(self, address: str) -> str | None:
        """Why another connection from an address is refused; None if it is welcome."""
        if self._by_address.total() >= self.most:
            return f"the server has {self.most} connections already"
        if self._by_address[address] >= self.most_per_address:
            return f"there are {self.most_per_address} connections from your address already"
        return None

    def came(self, address: str) -> None:
        self._by_address[address] += 1

    def went(self, address: str) -> None:
        self._by_address[address] -= 1
        if not self._by_address[address]:
            del self._by_address[address]
