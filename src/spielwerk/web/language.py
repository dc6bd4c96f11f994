"""What each visitor chose: the language, by what the page asks for (`?language=de`) or else the browser prefers
(Accept-Language), and the looks of games (`?looks=jass.deck=swiss`, or the header X-Looks)."""

from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from spielwerk.core.looks import looking, read_looks
from spielwerk.core.words import ENGLISH, Words, speaking

LONGEST_LOOKS = 1000  # characters

say = Words.beside(__file__)


class Speaking:
    """Answers every request and holds every conversation in the visitor's language, and draws as he likes it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        asked, headers = parse_qs(scope["query_string"].decode("latin-1")), Headers(scope=scope)
        spoken = chosen([*asked.get("language", []), *preferred(headers.get("accept-language", ""))])
        liked = ",".join(asked.get("looks", [headers.get("x-looks", "")]))
        with speaking(spoken), looking(read_looks(liked[:LONGEST_LOOKS])):
            await self.app(scope, receive, send)


def preferred(header: str) -> list[str]:
    """'de-CH, en;q=0.7' -> the languages, the dearest first."""
    weighed = []
    for part in header.split(","):
        name, _, quality = part.partition(";")
        try:
            weight = float(quality.partition("=")[2]) if quality.strip() else 1.0
        except ValueError:
            continue
        weighed.append((-weight, name.strip()))
    return [name for _, name in sorted(weighed, key=lambda pair: pair[0])]


def chosen(wanted: list[str]) -> str:
    """The first wanted language that we speak, English if there is none."""
    known = {ENGLISH, *say.languages}
    return next((name for each in wanted if (name := each.partition("-")[0].lower()) in known), ENGLISH)
