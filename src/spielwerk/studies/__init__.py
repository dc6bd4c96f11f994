"""Studies: the tables and figures of papers, repeated, with the published numbers beside ours. One module per paper.

A paper is a `Study`, registered with one line in the entry point group `spielwerk.studies`:

    [project.entry-points."spielwerk.studies"]
    kutsch = "spielwerk.studies.kutsch:STUDY"

It lists its parts, each a table or figure. A part is a function `(report, out, scale) -> dict`: `report(share, line)`
tells how far it is, pictures go into the folder `out`, and scale is "quick" (minutes, to see that the shape is right)
or "full" (what the paper did). The command line prints the dict: a list of dicts is a table, anything else a line. The
first line of the function's docstring is shown in the list of studies.

A part may also take `agents` (specs in one text) and `records` (a folder) to look at; the command line has options of
these names.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError, UnknownName

Part = Callable[..., dict[str, Any]]


@dataclass(frozen=True)
class Study:
    """A paper that can be repeated."""

    title: str  # author (year), title
    source: str  # where it was published
    parts: Mapping[str, Part]  # name such as "table-1" -> function, in the order of the paper


def study(name: str) -> Study:
    """The paper of this name."""
    found = registry.study(name)
    if not isinstance(found, Study):
        raise SpielwerkError(f"the study '{name}' is no spielwerk.studies.Study; register one that lists its parts")
    return found


def part(name: str) -> Part:
    """The table or figure written as PAPER-PART, for example kutsch-table-1."""
    papers = [paper for paper in registry.study_names() if name.startswith(f"{paper}-")]
    if not papers:
        raise UnknownName("study", name, registry.study_names())
    paper = max(papers, key=len)
    wanted, parts = name.removeprefix(f"{paper}-"), study(paper).parts
    if wanted not in parts:
        raise UnknownName(f"table or figure of {paper}", wanted, parts)
    return parts[wanted]
