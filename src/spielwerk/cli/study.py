"""spielwerk study: repeat the tables and figures of a paper."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from spielwerk.cli.app import app, console
from spielwerk.cli.progress import progress


@app.command()
def study(
    name: Annotated[str | None, typer.Argument(help="the study; without it all are listed")] = None,
    scale: Annotated[str, typer.Option(help="quick = minutes, full = what the paper did")] = "quick",
    out: Annotated[Path | None, typer.Option(help="folder for pictures and results [studies/NAME-SCALE]")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Repeat a table or figure of a paper: the published numbers beside ours, with pictures."""
    from spielwerk.core import registry
    from spielwerk.core.errors import SpielwerkError

    if name is None:
        for known in registry.study_names():
            about = (registry.study(known).__doc__ or "").strip().splitlines()
            console.print(Text.assemble((known, "bold"), f"  {about[0] if about else ''}"))
        return
    chosen = registry.study(name)
    if scale not in ("quick", "full"):
        raise SpielwerkError(f"the scale of a study is quick or full, not '{scale}'")
    folder = out or Path("studies") / f"{name}-{scale}"
    folder.mkdir(parents=True, exist_ok=True)
    with progress(f"study {name}, {scale}") as report:
        found: dict[str, Any] = chosen(report, folder, scale)
    (folder / "results.json").write_text(json.dumps(found, indent=2))
    if as_json:
        console.print_json(json.dumps(found))
        return
    for title, value in found.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            _show_table(title, value)
        else:
            console.print(f"{title}: {value}", soft_wrap=True)
    console.print(f"folder: {folder}")


def _show_table(title: str, rows: list[dict[str, Any]]) -> None:
    table = Table(*rows[0], title=title, title_justify="left", box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(_shown(value) for value in row.values()))
    console.print(table)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return "" if value is None else str(value)
