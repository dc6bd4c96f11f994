"""The arena: evaluations and tournaments."""

from typing import Annotated

from fastapi import APIRouter, Path

from spielwerk.core import registry
from spielwerk.web import messages
from spielwerk.web.errors import Forbidden
from spielwerk.web.language import say
from spielwerk.web.limits import Limits, Visitor
from spielwerk.web.planning import Wanted, named_agents
from spielwerk.web.routes.common import Here, JobToken, Who, known_game

router = APIRouter(tags=["arena"])

JobId = Annotated[str, Path(max_length=40, description="id of an evaluation or tournament")]
MatchNumber = Annotated[int, Path(ge=0, le=messages.MOST_MATCHES, description="number of the match, from 0")]


@router.post("/api/evaluations", status_code=201)
async def new_evaluation(wanted: messages.NewEvaluation, here: Here, who: Who) -> messages.StartedJob:
    """Start an evaluation. The answer holds the token that stops it."""
    check_agents(wanted, here.hall.limits, who)
    return await here.hall.work(here.jobs.start, wanted, who)


@router.post("/api/tournaments", status_code=201)
async def new_tournament(wanted: messages.NewTournament, here: Here, who: Who) -> messages.StartedJob:
    """Start a tournament. The answer holds the token that stops it."""
    check_agents(wanted, here.hall.limits, who)
    return await here.hall.work(here.jobs.start, wanted, who)


@router.get("/api/jobs")
async def all_jobs(here: Here) -> list[messages.Job]:
    """Evaluations and tournaments of this server and of the arena's store."""
    return await here.hall.work(here.jobs.all)


@router.get("/api/jobs/{job}")
async def one_job(job: JobId, here: Here) -> messages.Job:
    return await here.hall.work(here.jobs.find, job)


@router.post("/api/jobs/{job}/stop")
async def stop_job(job: JobId, here: Here, who: Who, token: JobToken = None) -> messages.Job:
    """Stop what one has started: at once if it waits, after the match that is being played if it runs."""
    return await here.hall.work(here.jobs.stop, job, token, who)


@router.post("/api/jobs/{job}/go-on")
async def go_on_with_job(job: JobId, here: Here, who: Who, token: JobToken = None) -> messages.StartedJob:
    """Go on with what was stopped, or interrupted because the server ended; the matches that were played count.
    What nobody holds belongs from then on to the one who goes on with it."""
    check_agents(await here.hall.work(here.jobs.wanted, job), here.hall.limits, who)
    return await here.hall.work(here.jobs.go_on, job, token, who)


@router.post("/api/jobs/{job}/matches/{number}", status_code=201)
async def job_match(job: JobId, number: MatchNumber, here: Here, who: Who) -> messages.Started:
    """Make one match of an evaluation or tournament replayable."""
    return await here.seating.upload(await here.hall.work(here.jobs.record, job, number), who)


def check_agents(wanted: Wanted, limits: Limits, who: Visitor) -> None:
    ladder = {rung.agent for rung in registry.game_class(known_game(wanted.game)).spec.ladder}
    if not (limits.any_agent or who.in_charge) and not set(named_agents(wanted)) <= ladder:
        phrase = "this server lets only these agents play: {allowed}"
        raise Forbidden(say(phrase, allowed=", ".join(sorted(ladder))))
