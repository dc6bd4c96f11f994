"""The pages: one HTML file for all of them, whose scripts draw what the address names."""

from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles

STATIC = Path(__file__).parent.parent / "static"
PAGES = (
    "/",
    "/watch",
    "/replay",
    "/arena",
    "/learning",
    "/rules/{game}",
    "/look/{game}",
    "/analysis/{game}",
    "/table/{match}",
    "/replay/{match}",
    "/join/{match}",
)

router = APIRouter(include_in_schema=False)
files = StaticFiles(directory=STATIC)


async def page() -> FileResponse:
    return FileResponse(STATIC / "index.html", headers={"cache-control": "no-cache"})


for path in PAGES:
    router.add_api_route(path, page)


def no_page() -> FileResponse:
    """The page that says that there is nothing here."""
    return FileResponse(STATIC / "index.html", 404)
