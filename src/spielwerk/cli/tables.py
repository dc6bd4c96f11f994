"""Results with several parts, as tables."""

from collections.abc import Mapping
from typing import Any

from rich.table import Table

from spielwerk.cli.app import console


def print_parts(found: Mapping[str, Any]) -> None:
    """Lists of rows become tables, everything else a line."""
    for title, value in found.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            _show_table(title, value)
        else:
            console.print(f"{title}: {value}", soft_wrap=True)


def _show_table(title: str, rows: list[dict[str, Any]]) -> None:
    table = Table(*rows[0], title=title, title_justify="left", box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(_shown(value) for value in row.values()))
    console.print(table)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return "" if value is None else str(value)
