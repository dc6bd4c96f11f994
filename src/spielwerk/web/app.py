"""The application: pages, API (described at /api/openapi.json) and one WebSocket per match."""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Annotated, Any

import msgspec
from fastapi import FastAPI, Header, Query, Request, Response, WebSocket, WebSocketDisconnect
from fastapi import Path as PathParameter
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from pydantic import ValidationError

from spielwerk.core import registry
from spielwerk.core.agent import option_help
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.match import Record, versions
from spielwerk.web import messages
from spielwerk.web.hall import UNWRITTEN, Hall, Live, Viewer
from spielwerk.web.jobs import Jobs, named_agents
from spielwerk.web.language import Speaking, say
from spielwerk.web.learning import learning_runs
from spielwerk.web.limits import Guard, Limits, Rates
from spielwerk.web.pictures import Pictures
from spielwerk.web.review import Reviews
from spielwerk.web.session import Conflict, Forbidden, Missing, TooMuch
from spielwerk.web.store import MatchStore, opens

log = logging.getLogger("spielwerk.web")
NO_MESSAGE = "this is no message: send JSON objects with a type and what belongs to it"
STATIC = Path(__file__).parent / "static"
PAGES = ("/", "/watch", "/replay", "/arena", "/learning", "/table/{match}", "/replay/{match}", "/join/{match}")
STATUS = ((Forbidden, 403), (Missing, 404), (Conflict, 409), (TooMuch, 503))
PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": messages.Problem, "description": "a mistake in what was asked; the text names the remedy"},
    403: {"model": messages.Problem, "description": "the token is missing, wrong or another's"},
    404: {"model": messages.Problem, "description": "there is no such thing"},
    409: {"model": messages.Problem, "description": "not now"},
    413: {"model": messages.Problem, "description": "too long"},
    422: {"model": messages.Problem, "description": "the request does not have the described form"},
    429: {"model": messages.Problem, "description": "too many requests"},
    500: {"model": messages.Problem, "description": "a mistake of the server"},
    503: {"model": messages.Problem, "description": "the server is full, or cannot reach its store right now"},
}

Token = Annotated[str | None, Header(alias="X-Seat-Token", description="opens a seat", max_length=100)]
JobToken = Annotated[
    str | None, Header(alias="X-Job-Token", description="was told to who started the job", max_length=100)
]
Perspective = Annotated[int, Query(ge=-2, le=63, description="-1: a spectator; -2: the seat that decides")]


def create_app(
    store: MatchStore | None = None,
    limits: Limits | None = None,
    runs: Path | None = None,
    results: Path | None = None,
) -> FastAPI:
    """The web app over a store of matches; `runs` is the folder of training runs, `results` the arena's store."""
    limits = limits or Limits()
    hall = Hall(store or MatchStore(), limits)
    reviews = Reviews(hall)
    jobs = Jobs(results, limits.jobs)
    pictures = Pictures(hall)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        reviews.close()
        jobs.close()
        await hall.close()

    app = FastAPI(
        title="Spielwerk",
        version=versions()["spielwerk"],
        description="Games, agents, matches, records, hints, reviews, tournaments and learning curves. Seats are held "
        "by tokens (header X-Seat-Token) that are told once, when somebody sits down, and so are evaluations and "
        "tournaments (X-Job-Token), when somebody starts them. Words are in the language that "
        "the header Accept-Language or the query parameter `language` names, as far as it is spoken here (en, de).",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        responses=PROBLEMS,
    )
    app.state.hall = hall
    app.add_middleware(Guard, limits=limits)
    app.add_middleware(Speaking)

    @app.exception_handler(SpielwerkError)
    async def refuse(request: Request, problem: SpielwerkError) -> JSONResponse:
        status = next((code for kind, code in STATUS if isinstance(problem, kind)), 400)
        return JSONResponse({"detail": str(problem)}, status)

    @app.exception_handler(sqlite3.Error)
    async def not_now(request: Request, problem: sqlite3.Error) -> JSONResponse:
        log.error("%s: %s", request.url.path, problem)
        return JSONResponse({"detail": say(UNWRITTEN)}, 503)

    @app.exception_handler(404)
    async def nothing_there(request: Request, problem: Exception) -> Response:
        if request.url.path.startswith("/api/"):
            return JSONResponse({"detail": say("there is nothing here")}, 404)
        return FileResponse(STATIC / "index.html", 404)

    # --- what can be played -----------------------------------------------------------------------------------------

    @app.get("/api/status", tags=["games"])
    async def status() -> messages.Status:
        return messages.Status(
            version=versions()["spielwerk"],
            preparing=hall.preparer.compiling,
            matches=len(hall.lives),
            any_agent=limits.any_agent,
            largest=limits.body,
        )

    @app.get("/api/games", tags=["games"])
    async def games() -> list[messages.GameInfo]:
        return [game_info(name, hall.preparer.is_ready(name)) for name in registry.game_names()]

    @app.get("/api/games/{game}", tags=["games"])
    async def one_game(game: str) -> messages.GameInfo:
        return game_info(known_game(game), hall.preparer.is_ready(game))

    @app.get("/api/games/{game}/pictures", tags=["games"])
    async def game_pictures(game: str) -> messages.Pictures:
        """A few boards of one match, as they follow each other."""
        return await pictures.of(known_game(game))

    @app.get("/api/agents", tags=["agents"])
    async def agents() -> list[messages.AgentInfo]:
        return [agent_info(name) for name in registry.agent_names()]

    # --- matches ----------------------------------------------------------------------------------------------------

    @app.post("/api/matches", tags=["matches"], status_code=201)
    async def new_match(wanted: messages.NewMatch) -> messages.Started:
        """Start a match. The answer holds the tokens of your seats and the invitations for friends."""
        known_game(wanted.game)
        return await hall.start(wanted)

    @app.get("/api/matches", tags=["matches"])
    async def matches(
        ids: Annotated[str | None, Query(max_length=2000, description="ids, with commas between them")] = None,
        count: Annotated[int, Query(ge=1, le=50)] = 20,
    ) -> list[messages.Listed]:
        """The matches with these ids; without ids the newest matches between agents."""
        if ids is None:
            found = await hall.work(hall.store.recent, count)
        else:
            found = await hall.work(hall.store.several, [name for name in ids.split(",") if name][:50])
        return [hall.listed(stored) for stored in found if stored.header.game in registry.game_names()]

    @app.get("/api/matches/{match}", tags=["matches"])
    async def one_match(match: messages.MatchId, token: Token = None) -> messages.Scene:
        """The match as the holder of the token may see it; without a token as a spectator."""
        live = await hall.live(match)
        hall.drive(live)
        return await scene(live, token)

    @app.post("/api/matches/{match}/actions", tags=["matches"])
    async def act(match: messages.MatchId, action: messages.Action, token: Token = None) -> messages.Scene:
        """Choose an action (by its number) or a move (by its name) for a seat."""
        live = await hall.live(match)
        hall.require_seat(live.table, token, action.seat)
        chosen = action.action if action.action is not None else action.move
        if chosen is None:
            raise SpielwerkError(say("say what to play: an action or a move"))
        await hall.act(live, action.seat, chosen, action.number)
        return await scene(live, token)

    @app.post("/api/matches/{match}/undo", tags=["matches"])
    async def undo(match: messages.MatchId, wanted: messages.SeatOnly, token: Token = None) -> messages.Scene:
        """Take the last decision back, in games for one."""
        live = await hall.live(match)
        hall.require_seat(live.table, token, wanted.seat)
        await hall.undo(live)
        return await scene(live, token)

    @app.post("/api/matches/{match}/resign", tags=["matches"])
    async def resign(match: messages.MatchId, wanted: messages.SeatOnly, token: Token = None) -> messages.Scene:
        live = await hall.live(match)
        hall.require_seat(live.table, token, wanted.seat)
        await hall.resign(live, wanted.seat)
        return await scene(live, token)

    @app.post("/api/matches/{match}/claim", tags=["matches"])
    async def claim(match: messages.MatchId, wanted: messages.Claim) -> messages.SeatToken:
        """Sit down with an invitation, which is used up."""
        return await hall.claim(match, wanted.invitation)

    @app.post("/api/matches/{match}/pace", tags=["matches"])
    async def pace(match: messages.MatchId, wanted: messages.Pace, token: Token = None) -> messages.Pace:
        """Pause or speed up a match between agents; the token is the one that its starter got."""
        live = await hall.live(match)
        if not opens(token, live.table.header.control):
            raise Forbidden(say("only who started a match between agents may pause it or change its speed"))
        hall.set_pace(live, wanted.paused, wanted.seconds)
        return messages.Pace(paused=live.paused, seconds=live.pause)

    @app.post("/api/matches/{match}/branch", tags=["matches"], status_code=201)
    async def branch(match: messages.MatchId, wanted: messages.Branch) -> messages.Started:
        """What if: go on from any point of a finished match. From 0: the same dice and cards again."""
        return await hall.branch(match, wanted.number, wanted.seat)

    @app.post("/api/matches/{match}/hint", tags=["advice"])
    async def hint(match: messages.MatchId, wanted: messages.HintWanted, token: Token = None) -> messages.Hint:
        """First where to look, then what each action is worth; from what the seat may know."""
        live = await hall.live(match)
        hall.require_seat(live.table, token, wanted.seat)
        return await hall.hint(live, wanted.seat, wanted.step)

    @app.post("/api/matches/{match}/review", tags=["advice"])
    async def review(match: messages.MatchId) -> messages.Review:
        """The review of a finished match as far as it is; the first call starts it."""
        return await reviews.start(await hall.live(match))

    # --- records ----------------------------------------------------------------------------------------------------

    @app.get("/api/matches/{match}/frames/{number}", tags=["records"])
    async def frame(match: messages.MatchId, number: int, seat: Perspective = -2) -> messages.Frame:
        """The picture after `number` events of a match that is over or between agents."""
        live = await hall.live(match)
        return await hall.work(hall.films.frame, live.table, number, seat)

    @app.get(
        "/api/matches/{match}/record",
        tags=["records"],
        response_class=Response,
        responses={200: {"content": {"application/json": {"schema": {"type": "object"}}}}},
    )
    async def record(match: messages.MatchId) -> Response:
        """The record of the match, to keep, share and replay."""
        live = await hall.live(match)
        made = await hall.work(live.table.record)
        name = f"spielwerk-{live.table.game.link_name[1:]}-{match}.json"
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(made.to_json(), media_type="application/json", headers=headers)

    @app.post(
        "/api/records",
        tags=["records"],
        status_code=201,
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": msgspec.json.schema(Record)["$defs"]["Record"]}},
            }
        },
    )
    async def upload(request: Request) -> messages.Started:
        """Bring a record; every move is checked. The answer names the match under which it can be replayed."""
        made = Record.from_json(await request.body())
        known_game(made.header.game)
        return await hall.upload(made)

    # --- arena and learning -----------------------------------------------------------------------------------------

    @app.post("/api/evaluations", tags=["arena"], status_code=201)
    async def new_evaluation(wanted: messages.NewEvaluation) -> messages.StartedJob:
        """Start an evaluation. The answer holds the token that stops it."""
        check_agents(wanted)
        return await hall.work(jobs.start, wanted)

    @app.post("/api/tournaments", tags=["arena"], status_code=201)
    async def new_tournament(wanted: messages.NewTournament) -> messages.StartedJob:
        """Start a tournament. The answer holds the token that stops it."""
        check_agents(wanted)
        return await hall.work(jobs.start, wanted)

    @app.get("/api/jobs", tags=["arena"])
    async def all_jobs() -> list[messages.Job]:
        """Evaluations and tournaments of this server and of the arena's store."""
        return await hall.work(jobs.all)

    @app.get("/api/jobs/{job}", tags=["arena"])
    async def one_job(job: str) -> messages.Job:
        return await hall.work(jobs.find, job)

    @app.post("/api/jobs/{job}/stop", tags=["arena"])
    async def stop_job(job: str, token: JobToken = None) -> messages.Job:
        """Stop what one has started: at once if it waits, after the match that is being played if it runs."""
        return await hall.work(jobs.stop, job, token)

    @app.post("/api/jobs/{job}/go-on", tags=["arena"])
    async def go_on_with_job(job: str, token: JobToken = None) -> messages.StartedJob:
        """Go on with what was stopped, or interrupted because the server ended; the matches that were played count.
        What nobody holds belongs from then on to the one who goes on with it."""
        check_agents(await hall.work(jobs.wanted, job))
        return await hall.work(jobs.go_on, job, token)

    @app.post("/api/jobs/{job}/matches/{number}", tags=["arena"], status_code=201)
    async def job_match(job: str, number: Annotated[int, PathParameter(ge=0)]) -> messages.Started:
        """Make one match of an evaluation or tournament replayable."""
        return await hall.upload(await hall.work(jobs.record, job, number))

    @app.get("/api/runs", tags=["learning"])
    async def all_runs() -> list[messages.LearningRun]:
        """The learning curves of the run folders on this machine."""
        return await hall.work(learning_runs, runs or Path("runs"))

    # --- helpers ----------------------------------------------------------------------------------------------------

    def known_game(name: str) -> str:
        try:
            registry.game_class(name)
        except SpielwerkError as problem:
            raise Missing(str(problem)) from None
        return name

    def check_agents(wanted: messages.NewEvaluation | messages.NewTournament) -> None:
        ladder = {spec for _, spec in registry.game_class(known_game(wanted.game)).spec.ladder}
        if not limits.any_agent and not set(named_agents(wanted)) <= ladder:
            phrase = "this server lets only these agents play: {allowed}"
            raise Forbidden(say(phrase, allowed=", ".join(sorted(ladder))))

    async def scene(live: Live, token: str | None) -> messages.Scene:
        held = hall.held_seats(live.table, [token] if token else [])
        return await hall.work(live.table.scene, held)

    # --- WebSocket --------------------------------------------------------------------------------------------------

    @app.websocket("/api/matches/{match}/live")
    async def watch(socket: WebSocket, match: str) -> None:
        await socket.accept()
        await Conversation(hall, socket, match).hold()

    # --- pages ------------------------------------------------------------------------------------------------------

    async def page() -> FileResponse:
        return FileResponse(STATIC / "index.html", headers={"cache-control": "no-cache"})

    for path in PAGES:
        app.add_api_route(path, page, include_in_schema=False)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    return app


class Conversation:
    """One WebSocket: first `hello` with the seats' tokens, then scenes one way and choices the other."""

    def __init__(self, hall: Hall, socket: WebSocket, match: str) -> None:
        self.hall, self.socket, self.match = hall, socket, match
        self.rates = Rates(per_second=20, burst=60)

    async def hold(self) -> None:
        live: Live | None = None
        viewer: Viewer | None = None
        sender: asyncio.Task[None] | None = None
        try:
            hello = await asyncio.wait_for(self._next(), 10)
            live = await self._live()
            tokens = hello.get("tokens")
            tokens = [str(token) for token in tokens[:16]] if isinstance(tokens, list) else []
            control = hello.get("control")
            viewer = Viewer(
                self.hall.held_seats(live.table, tokens),
                isinstance(control, str) and opens(control, live.table.header.control),
            )
            await self.hall.join(live, viewer)
            sender = asyncio.create_task(self._send(viewer))
            while True:
                message = await self._next()
                try:
                    await self._answer(live, viewer, message)
                except SpielwerkError as problem:
                    await self._refuse(problem)
                except sqlite3.Error as problem:
                    await self._not_now(problem)
        except sqlite3.Error as problem:
            await self._not_now(problem)
            with suppress(RuntimeError):
                await self.socket.close(1011)  # the page comes back by itself
        except SpielwerkError as problem:
            await self._refuse(problem)
            with suppress(RuntimeError):
                await self.socket.close(4404 if isinstance(problem, Missing) else 4403)
        except (WebSocketDisconnect, TimeoutError, RuntimeError, ConnectionError) as gone:
            log.debug("match %s goes on without a browser that has gone: %r", self.match, gone)
        except Exception:
            log.exception("match %s cannot be shown", self.match)
            await self._refuse(Missing(say("this match cannot be shown; the server's log says why")))
            with suppress(RuntimeError):
                await self.socket.close(1011)
        finally:
            if sender is not None:
                sender.cancel()
            if live is not None and viewer is not None:
                live.viewers.discard(viewer)

    async def _live(self) -> Live:
        """The match; meanwhile the viewer is told what is being prepared."""
        loading = asyncio.ensure_future(self.hall.live(self.match))
        done, _ = await asyncio.wait([loading], timeout=0.25)
        if not done:
            stored = await self.hall.stored(self.match)
            game = registry.game_class(stored.header.game)
            await self.socket.send_json({"type": "preparing", "title": game.say(game.spec.title)})
        return await loading

    async def _next(self) -> dict[str, Any]:
        while True:
            text = await self.socket.receive_text()
            if not self.rates.allows(""):
                raise TooMuch(say("too many messages"))
            try:
                message = msgspec.json.decode(text[:10_000])
            except (msgspec.DecodeError, RecursionError):
                raise Conflict(say(NO_MESSAGE)) from None
            if isinstance(message, dict):
                return message

    async def _send(self, viewer: Viewer) -> None:
        with suppress(RuntimeError, WebSocketDisconnect, ConnectionError):
            while True:
                await self.socket.send_text(await viewer.next())

    async def _not_now(self, problem: sqlite3.Error) -> None:
        log.error("match %s: %s", self.match, problem)
        await self._refuse(TooMuch(say(UNWRITTEN)))

    async def _refuse(self, problem: SpielwerkError) -> None:
        kind = "refused" if isinstance(problem, Forbidden | Missing) else "problem"
        with suppress(RuntimeError, WebSocketDisconnect, ConnectionError):
            await self.socket.send_json({"type": kind, "detail": str(problem)})

    async def _answer(self, live: Live, viewer: Viewer, message: dict[str, Any]) -> None:
        hall, kind = self.hall, message.get("type")
        seat: Any = message.get("seat")
        if type(seat) is not int and kind != "pace":
            raise SpielwerkError(say(NO_MESSAGE))
        if kind in ("act", "undo", "resign") and seat not in viewer.held:
            raise Forbidden(say("this seat can only be played with its own token"))
        if kind == "act":
            action, number = message.get("action"), message.get("number")
            if type(action) is not int or not (number is None or type(number) is int):
                raise SpielwerkError(say("an action is a number"))
            await hall.act(live, seat, action, number)
        elif kind == "undo":
            await hall.undo(live)
        elif kind == "resign":
            await hall.resign(live, seat)
        elif kind == "look":
            viewer.seat = seat
            await hall.tell(live, viewer)
        elif kind == "pace":
            if not viewer.control:
                raise Forbidden(say("only who started a match between agents may pause it or change its speed"))
            try:
                wanted = messages.Pace.model_validate({key: message.get(key) for key in ("paused", "seconds")})
            except ValidationError:
                raise SpielwerkError(say(NO_MESSAGE)) from None
            hall.set_pace(live, wanted.paused, wanted.seconds)
        else:
            raise SpielwerkError(say("unknown message; types are act, undo, resign, look and pace"))


def game_info(name: str, ready: bool) -> messages.GameInfo:
    game = registry.game_class(name)
    spec, game_says = game.spec, game.say
    return messages.GameInfo(
        id=spec.id,
        title=game_says(spec.title),
        summary=game_says(spec.summary),
        seats=list(spec.seats),
        variants=[messages.VariantInfo(name=variant, title=game.variant_name(variant)) for variant in spec.variants],
        options=[
            messages.OptionInfo(
                name=option.name,
                title=game.option_name(option.name),
                default=option.default,
                low=option.low,
                high=option.high,
                help=game_says(option.help),
            )
            for option in spec.options
        ],
        ladder=[messages.Rung(strength=game_says(word), agent=agent) for word, agent in spec.ladder],
        chance=spec.chance,
        hidden=spec.hidden,
        simultaneous=spec.simultaneous,
        ready=ready,
    )


def agent_info(name: str) -> messages.AgentInfo:
    try:
        found = registry.agent_class(name)
    except SpielwerkError as problem:  # needs a package that is not installed
        return messages.AgentInfo(name=name, help=str(problem), options=[])
    options = [
        messages.AgentOption(
            name=option.name,
            type=getattr(option.type, "__name__", str(option.type)),
            default=None if not isinstance(option.default, str | int | float | bool) else str(option.default),
            help=option.help,
        )
        for option in option_help(found).values()
    ]
    return messages.AgentInfo(name=name, help=(found.__doc__ or "").strip(), options=options)
