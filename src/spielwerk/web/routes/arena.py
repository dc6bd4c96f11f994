"""The arena: evaluations and tournaments."""

from typing import Annotated

from fastapi import APIRouter, Path

from spielwerk.core import registry
from spielwerk.web import messages
from spielwerk.web.errors import Forbidden
from spielwerk.web.jobs import named_agents
from spielwerk.web.language import say
from spielwerk.web.limits import Limits
from spielwerk.web.routes.common import Here, JobToken, known_game

router = APIRouter(tags=["arena"])


@router.post("/api/evaluations", status_code=201)
async def new_evaluation(wanted: messages.NewEvaluation, here: Here) -> messages.StartedJob:
    """Start an evaluation. The answer holds the token that stops it."""
    check_agents(wanted, here.hall.limits)
    return await here.hall.work(here.jobs.start, wanted)


@router.post("/api/tournaments", status_code=201)
async def new_tournament(wanted: messages.NewTournament, here: Here) -> messages.StartedJob:
    """Start a tournament. The answer holds the token that stops it."""
    check_agents(wanted, here.hall.limits)
    return await here.hall.work(here.jobs.start, wanted)


@router.get("/api/jobs")
async def all_jobs(here: Here) -> list[messages.Job]:
    """Evaluations and tournaments of this server and of the arena's store."""
    return await here.hall.work(here.jobs.all)


@router.get("/api/jobs/{job}")
async def one_job(job: str, here: Here) -> messages.Job:
    return await here.hall.work(here.jobs.find, job)


@router.post("/api/jobs/{job}/stop")
async def stop_job(job: str, here: Here, token: JobToken = None) -> messages.Job:
    """Stop what one has started: at once if it waits, after the match that is being played if it runs."""
    return await here.hall.work(here.jobs.stop, job, token)


@router.post("/api/jobs/{job}/go-on")
async def go_on_with_job(job: str, here: Here, token: JobToken = None) -> messages.StartedJob:
    """Go on with what was stopped, or interrupted because the server ended; the matches that were played count.
    What nobody holds belongs from then on to the one who goes on with it."""
    check_agents(await here.hall.work(here.jobs.wanted, job), here.hall.limits)
    return await here.hall.work(here.jobs.go_on, job, token)


@router.post("/api/jobs/{job}/matches/{number}", status_code=201)
async def job_match(job: str, number: Annotated[int, Path(ge=0)], here: Here) -> messages.Started:
    """Make one match of an evaluation or tournament replayable."""
    return await here.seating.upload(await here.hall.work(here.jobs.record, job, number))


def check_agents(wanted: messages.NewEvaluation | messages.NewTournament, limits: Limits) -> None:
    ladder = {rung.agent for rung in registry.game_class(known_game(wanted.game)).spec.ladder}
    if not limits.any_agent and not set(named_agents(wanted)) <= ladder:
        phrase = "this server lets only these agents play: {allowed}"
        raise Forbidden(say(phrase, allowed=", ".join(sorted(ladder))))
