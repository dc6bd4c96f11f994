"""What a game says about a match that was written down elsewhere, in a log format of its own."""

from typing import NamedTuple

from spielwerk.core.match import Record


class Checked(NamedTuple):
    """A match that follows the rules in every round. An entry point `spielwerk.checkers` of the game's id names the
    function (data of a log or a record) -> Checked; where the rules are broken, it raises BadRecord and says which."""

    record: Record
    log: bytes  # the same match in the game's own format
    facts: dict[str, object]  # what is worth telling, by phrases of the game
