"""spielwerk study: repeat the tables and figures of a paper."""

import json
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from spielwerk.cli.app import app, console
from spielwerk.cli.options import AsJson
from spielwerk.cli.progress import progress
from spielwerk.cli.tables import print_parts

if TYPE_CHECKING:
    from spielwerk.studies import Study


@app.command()
def study(
    name: Annotated[str | None, typer.Argument(help="PAPER or PAPER-PART; without a part the parts are listed")] = None,
    part: Annotated[str | None, typer.Argument(help="the table or figure of the paper, for example table-1")] = None,
    scale: Annotated[str, typer.Option(help="quick = minutes, full = what the paper did")] = "quick",
    out: Annotated[Path | None, typer.Option(help="folder for pictures and results [studies/NAME-SCALE]")] = None,
    agents: Annotated[str | None, typer.Option(help="agents to look at, where a part takes any: SPEC,SPEC,…")] = None,
    records: Annotated[Path | None, typer.Option(help="folder of records to look at, where a part takes one")] = None,
    as_json: AsJson = False,
) -> None:
    """Repeat a table or figure of a paper: the published numbers beside ours, with pictures."""
    from spielwerk import studies
    from spielwerk.core import registry
    from spielwerk.core.errors import SpielwerkError

    papers = registry.study_names()
    if part is None and (name is None or name in papers):
        for paper in papers if name is None else [name]:
            _list_parts(paper, studies.study(paper))
        return
    if part is not None:
        studies.study(str(name))
        name = f"{name}-{part}"
    chosen = studies.part(str(name))
    if scale not in ("quick", "full"):
        raise SpielwerkError(f"the scale of a study is quick or full, not '{scale}'")
    asked = {name: value for name, value in (("agents", agents), ("records", records)) if value is not None}
    for option in asked:
        if option not in signature(chosen).parameters:
            raise SpielwerkError(f"{name} takes no --{option}; leave it out")
    folder = out or Path("studies") / f"{name}-{scale}"
    folder.mkdir(parents=True, exist_ok=True)
    with progress(f"study {name}, {scale}") as report:
        found: dict[str, Any] = chosen(report, folder, scale, **asked)
    (folder / "results.json").write_text(json.dumps(found, indent=2))
    if as_json:
        console.print_json(json.dumps(found))
        return
    print_parts(found)
    console.print(f"folder: {folder}")


def _list_parts(paper: str, study: "Study") -> None:
    console.print(f"{study.title} ({study.source})", highlight=False)
    for name, part in study.parts.items():
        about = (part.__doc__ or "").strip().splitlines()
        console.print(Text.assemble("  ", (f"{paper}-{name}", "bold"), f"  {about[0] if about else ''}"))
