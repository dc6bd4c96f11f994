"""What the server refuses, and how it says so over HTTP."""

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


def status_code(problem: Exception) -> int:
    codes = ((Forbidden, 403), (Missing, 404), (Conflict, 409), (TooMuch, 503))
    return next((code for kind, code in codes if isinstance(problem, kind)), 400)
