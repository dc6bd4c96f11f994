"""Messages of the challenge protocol: text frames with one JSON object {"type": …, "data": …}.

Cards are {"number": 6..14, "color": …}, game types {"mode": …, "trumpfColor": …}.
"""

from typing import Any

import msgspec

from spielwerk.core.errors import BadJson
from spielwerk.core.files import from_json
from spielwerk.games.jass.kernel.rules import FIRST_MODE, PUSH

COLORS = ("HEARTS", "DIAMONDS", "CLUBS", "SPADES")
LARGEST = 1 << 16  # bytes of a message; more closes the connection

Data = Any


class BadMessage(Exception):
    """What a client sent is no valid answer; `reply` is the data of the BAD_MESSAGE it gets."""

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


# --- cards and game types --------------------------------------------------------------------------------------------


def card_data(card: int) -> Data:
    return {"number": card % 9 + 6, "color": COLORS[card // 9]}


def card_of(data: Data) -> int:
    if not isinstance(data, dict):
        raise BadMessage({"data": ["Data must be a card"]})
    number, color = data.get("number"), data.get("color")
    if isinstance(number, bool) or not isinstance(number, int) or not 6 <= number <= 14:
        raise BadMessage({"data.number": ["Number must be a whole number from 6 to 14"]})
    if color not in COLORS:
        raise BadMessage({"data.color": [f"Color must be one of {', '.join(COLORS)}"]})
    return 9 * COLORS.index(color) + number - 6


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


# --- before the game -------------------------------------------------------------------------------------------------


def name_of(data: Data) -> str:
    if not isinstance(data, str) or not data.strip() or len(data) > 200:
        raise BadMessage({"data": ["Data must not be blank"]})
    return data


class SessionChoice(msgspec.Struct, frozen=True):
    choice: str
    name: str | None
    tournament: bool
    spectator: bool
    team: int | None


def session_choice_of(data: Data) -> SessionChoice:
    if not isinstance(data, dict):
        raise BadMessage({"data": ["Data must be a session choice"]})
    choice = data.get("sessionChoice")
    if choice not in ("AUTOJOIN", "CREATE_NEW", "JOIN_EXISTING", "SPECTATOR"):
        raise BadMessage({"data.sessionChoice": ["Session choice is not valid"]})
    name = data.get("sessionName")
    if name is not None and (not isinstance(name, str) or not name.strip() or len(name) > 200):
        raise BadMessage({"data.sessionName": ["Session name must be a text"]})
    kind = data.get("sessionType")
    if kind not in (None, "SINGLE_GAME", "TOURNAMENT"):
        raise BadMessage({"data.sessionType": ["Session type is not valid"]})
    team = data.get("chosenTeamIndex")
    if isinstance(team, bool) or team not in (None, 0, 1):
        raise BadMessage({"data.chosenTeamIndex": ["Team index must be 0 or 1"]})
    watching = choice == "SPECTATOR" or data.get("asSpectator") is True
    if name is None and (watching or choice == "JOIN_EXISTING"):
        raise BadMessage({"data.sessionName": ["Session name can't be blank"]})
    return SessionChoice(choice, name, kind == "TOURNAMENT", watching, team)
