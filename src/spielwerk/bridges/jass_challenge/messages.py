"""Messages of the challenge protocol: text frames with one JSON object {"type": …, "data": …}.

Cards are {"number": 6..14, "color": …}, game types {"mode": …, "trumpfColor": …}. Whatever a frame holds, reading it
gives what was asked for or raises BadMessage, nothing else. A whole number may be written as 6 or as 6.0, which is the
same to the original server.
"""

from typing import Any

import msgspec

from spielwerk.core.errors import BadJson
from spielwerk.core.files import from_json
from spielwerk.games.jass.kernel.table import FIRST_MODE, NO_TRUMP, PUSH

COLORS = ("HEARTS", "DIAMONDS", "CLUBS", "SPADES")
TEAMS = ("Team 1", "Team 2")
LARGEST = 1 << 16  # bytes of a message to the server; more closes the connection
LONGEST_NAME = 200
MOST_POINTS = 1_000_000

Data = Any


class BadMessage(Exception):
    """What somebody sent is not valid; `reply` is the data of the BAD_MESSAGE that a client gets for it."""

    def __init__(self, reply: Data) -> None:
        super().__init__(str(reply))
        self.reply = reply


def encode(kind: str, data: Data = None) -> str:
    message = {"type": kind} if data is None else {"type": kind, "data": data}
    return msgspec.json.encode(message).decode()


def decode(text: str | bytes) -> dict[str, Data]:
    """The message in a frame; BadMessage if it is none."""
    try:
        message = from_json(text, dict[str, Data])
    except BadJson:
        raise BadMessage(_shown(text)) from None
    if not isinstance(message.get("type"), str):
        raise BadMessage(_shown(text))
    return message


def expect(text: str | bytes, kind: str) -> Data:
    """The data of a message that must be of a type."""
    message = decode(text)
    if message["type"] != kind:
        raise BadMessage(_shown(text))
    return message.get("data")


def _shown(text: str | bytes) -> str:
    return text if isinstance(text, str) else text.decode("utf-8", "replace")


def _whole(data: Data, low: int, high: int) -> int | None:
    """A whole number within bounds, or None."""
    if isinstance(data, bool) or not isinstance(data, int | float) or not low <= data <= high or data != int(data):
        return None
    return int(data)


# --- cards and game types --------------------------------------------------------------------------------------------


def card_data(card: int) -> Data:
    return {"number": card % 9 + 6, "color": COLORS[card // 9]}


def card_of(data: Data) -> int:
    if not isinstance(data, dict):
        raise BadMessage({"data": ["Data must be a card"]})
    number, color = _whole(data.get("number"), 6, 14), data.get("color")
    if number is None:
        raise BadMessage({"data.number": ["Number must be a whole number from 6 to 14"]})
    if color not in COLORS:
        raise BadMessage({"data.color": [f"Color must be one of {', '.join(COLORS)}"]})
    return 9 * COLORS.index(color) + number - 6


def cards_of(data: Data, most: int) -> list[int]:
    """Different cards, in the order in which they are sent."""
    if not isinstance(data, list) or len(data) > most:
        raise BadMessage({"data": [f"Data must be a list of up to {most} cards"]})
    cards = [card_of(card) for card in data]
    if len(set(cards)) < len(cards):
        raise BadMessage({"data": ["A card is there twice"]})
    return cards


def mode_data(action: int) -> Data:
    """The game type of a choice (an action of the game)."""
    if action == PUSH:
        return {"mode": "SCHIEBE"}
    mode = action - FIRST_MODE
    if mode < 4:
        return {"mode": "TRUMPF", "trumpfColor": COLORS[mode]}
    return {"mode": ("OBEABE", "UNDEUFE")[mode - 4]}


def mode_of(data: Data) -> int:
    """The action of a game type. A trump without a colour is refused (the original accepts it and plays without)."""
    mode = data.get("mode") if isinstance(data, dict) else None
    if mode == "TRUMPF":
        if data.get("trumpfColor") not in COLORS:
            raise BadMessage({"data.trumpfColor": [f"Trumpf color must be one of {', '.join(COLORS)}"]})
        return FIRST_MODE + COLORS.index(data["trumpfColor"])
    actions = {"OBEABE": FIRST_MODE + 4, "UNDEUFE": FIRST_MODE + 5, "SCHIEBE": PUSH}
    if not isinstance(mode, str) or mode not in actions:
        raise BadMessage({"data.mode": ["Mode must be one of TRUMPF, OBEABE, UNDEUFE, SCHIEBE"]})
    return actions[mode]


def announced_mode(data: Data) -> tuple[int, int | None]:
    """The action of a game type that a server announces, and the mode that is played if it differs from the action's:
    a trump without a colour is chosen like obeabe and played without trump."""
    if isinstance(data, dict) and data.get("mode") == "TRUMPF" and data.get("trumpfColor") not in COLORS:
        return FIRST_MODE + 4, NO_TRUMP
    return mode_of(data), None


# --- before the game -------------------------------------------------------------------------------------------------


def name_of(data: Data) -> str:
    if not isinstance(data, str) or not data.strip() or len(data) > LONGEST_NAME:
        raise BadMessage({"data": [f"Data must not be blank nor longer than {LONGEST_NAME} characters"]})
    return data


class SessionChoice(msgspec.Struct, frozen=True):
    choice: str
    name: str | None
    tournament: bool
    spectator: bool
    team: int | None


def team_of(data: Data) -> int | None:
    """The team that somebody wants to join, if it says one."""
    if data is None:
        return None
    team = _whole(data, 0, 1)
    if team is None:
        raise BadMessage({"data.chosenTeamIndex": ["Team index must be 0 or 1"]})
    return team


def session_choice_of(data: Data) -> SessionChoice:
    if not isinstance(data, dict):
        raise BadMessage({"data": ["Data must be a session choice"]})
    choice = data.get("sessionChoice")
    if choice not in ("AUTOJOIN", "CREATE_NEW", "JOIN_EXISTING", "SPECTATOR"):
        raise BadMessage({"data.sessionChoice": ["Session choice is not valid"]})
    name = data.get("sessionName")
    if name is not None and (not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME):
        raise BadMessage({"data.sessionName": [f"Session name must be a text of up to {LONGEST_NAME} characters"]})
    kind = data.get("sessionType")
    if kind not in (None, "SINGLE_GAME", "TOURNAMENT"):
        raise BadMessage({"data.sessionType": ["Session type is not valid"]})
    watching = choice == "SPECTATOR" or data.get("asSpectator") is True
    if name is None and (watching or choice == "JOIN_EXISTING"):
        raise BadMessage({"data.sessionName": ["Session name can't be blank"]})
    return SessionChoice(choice, name, kind == "TOURNAMENT", watching, team_of(data.get("chosenTeamIndex")))


# --- what a client hears ---------------------------------------------------------------------------------------------


def seat_of(data: Data) -> int:
    """The seat of the player in a join message."""
    player = data.get("player") if isinstance(data, dict) else None
    seat = _whole(player.get("seatId"), 0, 3) if isinstance(player, dict) else None
    if seat is None:
        raise BadMessage({"data.player.seatId": ["Seat must be a whole number from 0 to 3"]})
    return seat


def score_of(data: Data) -> tuple[int, int]:
    """Team (0 or 1) and points of a team's score."""
    name = data.get("name") if isinstance(data, dict) else None
    points = _whole(data.get("points"), 0, MOST_POINTS) if isinstance(data, dict) else None
    if name not in TEAMS or points is None:
        raise BadMessage({"data": ["Data must be the score of a team"]})
    return TEAMS.index(name), points
