"""spielwerk serve: the web app."""

from pathlib import Path
from typing import Annotated

import typer

from spielwerk.cli.app import app, console
from spielwerk.cli.options import whole


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="address to listen on; 0.0.0.0 for all of the network")] = "127.0.0.1",
    port: Annotated[int, whole("port; 0 = any that is free", 0, 65535)] = 2048,
    store: Annotated[Path | None, typer.Option(help="file of matches; default in the user's data folder")] = None,
    runs: Annotated[Path, typer.Option(help="folder of training runs")] = Path("runs"),
    results: Annotated[Path | None, typer.Option(help="the arena's store; default in the user's data folder")] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="name under which others reach the server; may be repeated")
    ] = None,
    trusted_proxy: Annotated[
        list[str] | None, typer.Option(help="address of a reverse proxy whose X-Forwarded-For counts; may be repeated")
    ] = None,
    admin_token: Annotated[
        str | None,
        typer.Option(
            help="what proves that somebody runs the server and may stop everything; also $SPIELWERK_ADMIN_TOKEN, "
            "which other users of the machine do not see; without one a new one is shown if others reach the server"
        ),
    ] = None,
) -> None:
    """Play in the browser: every game against every agent, with hints, review and replay."""
    from spielwerk.core.errors import SpielwerkError

    try:
        from spielwerk.web.server import Files, opening, run
    except ModuleNotFoundError as problem:
        raise SpielwerkError(f"the web app needs {problem.name}: pip install 'spielwerk[web]'") from None

    def tell(address: str) -> None:
        console.print(f"{'Whoever runs it opens' if '#admin=' in address else 'Spielwerk is at'} {address}")

    run(
        host,
        port,
        Files(store, runs, results),
        tell=tell,
        opened=opening(allow_host or [], trusted_proxy or [], admin_token),
    )
