"""The learning curves."""

from fastapi import APIRouter

from spielwerk.web import messages
from spielwerk.web.learning import learning_runs
from spielwerk.web.routes.common import Here

router = APIRouter(tags=["learning"])


@router.get("/api/runs")
async def all_runs(here: Here) -> list[messages.LearningRun]:
    """The learning curves of the run folders on this machine."""
    return await here.hall.work(learning_runs, here.runs)
