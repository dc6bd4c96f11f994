"""The application: pages, API (described at /api/openapi.json) and one WebSocket per match."""

import logging
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from spielwerk.core.errors import SpielwerkError
from spielwerk.core.match import versions
from spielwerk.web import messages
from spielwerk.web.errors import UNWRITTEN, Wait, retry_after, status_code, told
from spielwerk.web.guard import Guard
from spielwerk.web.hall import Hall
from spielwerk.web.jobs import Jobs
from spielwerk.web.language import Speaking, say
from spielwerk.web.limits import Limits
from spielwerk.web.networks import Networks
from spielwerk.web.pictures import Pictures
from spielwerk.web.profiles import Profiles
from spielwerk.web.review import Reviews
from spielwerk.web.routes import arena, games, learning, live, matches, networks, pages, profiles, records
from spielwerk.web.routes.common import Services
from spielwerk.web.seating import Seating
from spielwerk.web.store import MatchStore, digest

log = logging.getLogger("spielwerk.web")
PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": messages.Problem, "description": "a mistake in what was asked; the text names the remedy"},
    403: {"model": messages.Problem, "description": "the token is missing, wrong or another's"},
    404: {"model": messages.Problem, "description": "there is no such thing"},
    409: {"model": messages.Problem, "description": "not now"},
    413: {"model": messages.Problem, "description": "too long"},
    422: {"model": messages.Problem, "description": "the request does not have the described form"},
    421: {"model": messages.Problem, "description": "the server does not answer to this name"},
    429: {"model": messages.Problem, "description": "too much for one visitor; the header Retry-After says how long"},
    500: {"model": messages.Problem, "description": "a mistake of the server"},
    503: {"model": messages.Problem, "description": "the server is full, or cannot reach its store right now"},
}


def create_app(
    store: MatchStore | None = None,
    limits: Limits | None = None,
    runs: Path | None = None,
    results: Path | None = None,
    admin_token: str | None = None,
) -> FastAPI:
    """The web app over a store of matches; `runs` is the folder of training runs, `results` the arena's store. For who
    shows the `admin_token` limits do not hold, and every job and match can be stopped."""
    limits = limits or Limits()
    hall = Hall(store or MatchStore(), limits)
    admin = digest(admin_token) if admin_token else None
    runs = runs or Path("runs")
    services = Services(
        hall,
        Seating(hall),
        Reviews(hall),
        Jobs(results, limits),
        Pictures(hall),
        Profiles(hall),
        Networks(hall, runs),
        runs,
        admin,
    )

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        await services.close()

    app = FastAPI(
        title="Spielwerk",
        version=versions()["spielwerk"],
        description="Games, agents, matches, records, hints, reviews, tournaments and learning curves. Seats are held "
        "by tokens (header X-Seat-Token) that are told once, when somebody sits down, and so are evaluations and "
        "tournaments (X-Job-Token), when somebody starts them. Who runs the server has a token too (X-Admin-Token): "
        "limits do not hold then, and everything can be stopped. Words are in the language that "
        "the header Accept-Language or the query parameter `language` names, as far as it is spoken here (en, de). "
        "Boards are drawn and pieces named as the header X-Looks or the query parameter `looks` says "
        "(`jass.deck=swiss`, several with commas); GET /api/games lists the looks of every game.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        responses=PROBLEMS,
    )
    app.state.services = services
    app.add_middleware(Guard, limits=limits, admin=admin)
    app.add_middleware(Speaking)
    app.add_exception_handler(SpielwerkError, refuse)
    app.add_exception_handler(RequestValidationError, misunderstood)
    app.add_exception_handler(sqlite3.Error, not_now)
    app.add_exception_handler(404, nothing_there)
    for subject in (games, matches, records, profiles, networks, arena, learning, live, pages):
        app.include_router(subject.router)
    app.mount("/static", pages.files, name="static")
    return app


async def refuse(request: Request, problem: Exception) -> JSONResponse:
    """A mistake in what was asked, in one sentence."""
    headers = retry_after(problem.seconds) if isinstance(problem, Wait) else None
    return JSONResponse({"detail": told(problem)}, status_code(problem), headers)


async def misunderstood(request: Request, problem: Exception) -> JSONResponse:
    """Where a request does not have the described form. What was sent is not repeated: it may hold what JSON cannot."""
    assert isinstance(problem, RequestValidationError)
    kept = [{"type": one["type"], "loc": one["loc"], "msg": one["msg"]} for one in problem.errors()]
    return JSONResponse({"detail": kept}, 422)


async def not_now(request: Request, problem: Exception) -> JSONResponse:
    log.error("%s: %s", request.url.path, problem)
    return JSONResponse({"detail": say(UNWRITTEN)}, 503)


async def nothing_there(request: Request, problem: Exception) -> Response:
    if request.url.path.startswith("/api/"):
        return JSONResponse({"detail": say("there is nothing here")}, 404)
    return pages.no_page()
