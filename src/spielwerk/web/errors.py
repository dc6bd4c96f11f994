"""What the server refuses, and how it says so over HTTP."""

import math

from spielwerk.core.errors import SpielwerkError

UNWRITTEN = "the matches cannot be read or written right now; try again in a moment"


class Forbidden(SpielwerkError):
    """The token is missing, wrong or another's."""


class Missing(SpielwerkError):
    """There is no such thing."""


class Conflict(SpielwerkError):
    """Not now: the match has moved on, is over, or is not over yet."""


class TooMuch(SpielwerkError):
    """A limit of the server."""


class Wait(SpielwerkError):
    """A limit of one visitor; it says how many seconds to wait."""

    def __init__(self, detail: str, seconds: float) -> None:
        super().__init__(detail)
        self.seconds = seconds


def status_code(problem: Exception) -> int:
    codes = ((Forbidden, 403), (Missing, 404), (Conflict, 409), (Wait, 429), (TooMuch, 503))
    return next((code for kind, code in codes if isinstance(problem, kind)), 400)


def told(problem: Exception) -> str:
    """What a problem says. It may repeat what was sent, and that may hold half of a character."""
    return str(problem).encode("utf-8", "replace").decode()


def whole_seconds(seconds: float) -> int:
    """How long to wait, as people and the header Retry-After say it."""
    return max(1, math.ceil(seconds))


def retry_after(seconds: float) -> dict[str, str]:
    return {"retry-after": str(whole_seconds(seconds))}
