"""Playing many matches and keeping them: what evaluations and tournaments have in common.

A run that is resumed does not play again what it holds, and nothing at all if it was finished.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from spielwerk.arena.store import Store
from spielwerk.arena.workers import Backend, Rate, Task, check_tasks, play_all
from spielwerk.core.clock import Budget, StopSign
from spielwerk.core.game import Game
from spielwerk.core.running import Played

Report = Callable[[float, str], None]


class Conditions(NamedTuple):
    """How matches are played and where they are kept; none of it changes what comes out."""

    workers: int = 1
    backend: Backend = "auto"
    store: Store | None = None
    resume: bool = False
    report: Report = lambda done, line: None
    watch: Callable[[dict[int, Played], int | None], None] = lambda played, run: None
    """Is given the matches by number, which become more and more, and the run's number, before the first is played."""
    sign: StopSign | None = None
    """Whoever sets it ends the run with Stopped; what was played is kept."""


def play_and_keep(
    kind: str,
    config: Mapping[str, Any],
    game: Game,
    tasks: Sequence[Task],
    budget: Budget | None,
    conditions: Conditions,
    line: Callable[[Task, Played], str] = lambda task, match: "",
) -> tuple[dict[int, Played], int | None]:
    """All matches by number, and the run's number in the store. `config` says what is played; only a run with the same
    is resumed. `line` is told every match and says how it goes."""
    check_tasks(game, tasks, conditions.workers, conditions.backend)  # a run that cannot be played is not begun
    store = conditions.store
    config = {**config, "thinking": None if budget is None else repr(budget)}
    played: dict[int, Played] = {}
    run = None
    if store is not None:
        run = store.same(kind, config) if conditions.resume else None
        if run is None:
            run = store.begin(kind, config)
        else:
            played = store.matches(run, game)
    for task in tasks:
        if task.number in played:
            line(task, played[task.number])
    conditions.watch(played, run)
    rate = Rate()
    left = [task for task in tasks if task.number not in played]
    how = conditions.workers, conditions.backend
    for task, match in play_all(game, left, *how, budget, config["opening"], conditions.sign):
        played[task.number] = match
        if store is not None and run is not None:
            store.add(run, task.number, [agent.spec for agent in task.agents], match)
        conditions.report(len(played) / len(tasks), rate.line(line(task, match)))
    return played, run
