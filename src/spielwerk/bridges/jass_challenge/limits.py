"""How much one address and one session may take up of a server; see `bridges.listening` for connections.

What a connection made ends with it, so bounds on what is there at the same time are enough.
"""

SPECTATORS = 100  # of one session
ENTRIES = 64  # names in one tournament
BOTS = 40  # of the server, for one address


class Full(Exception):
    """There is no more room; the text says for what."""
