"""Games, agents and evaluations by name, from entry points (`spielwerk.games`, `spielwerk.agents`,
`spielwerk.evaluations`), and folders of models (`spielwerk.models`), ours and a third party's alike.

Listing reads names only; a game or agent is imported when it is asked for. `register()` adds one for this process,
for notebooks and tests.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from spielwerk.core.agent import DEEPEST, Agent, parse_spec, too_deep
from spielwerk.core.errors import SpielwerkError, UnknownName
from spielwerk.core.evaluation import Evaluation
from spielwerk.core.game import Game
from spielwerk.core.words import say

OURS = "spielwerk.models"

_registered: dict[str, dict[str, Any]] = {
    "spielwerk.games": {},
    "spielwerk.agents": {},
    "spielwerk.evaluations": {},
    "spielwerk.learners": {},
    "spielwerk.solvers": {},
    "spielwerk.benchmarks": {},
    "spielwerk.checkers": {},
    "spielwerk.data": {},
    "spielwerk.studies": {},
}


@cache
def _entry_points(group: str) -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=group)}


def _names(group: str) -> list[str]:
    return sorted({*_entry_points(group), *_registered[group]})


def _find(group: str, kind: str, name: str) -> Any:
    if name in _registered[group]:
        return _registered[group][name]
    point = _entry_points(group).get(name)
    if point is None:
        raise UnknownName(say(kind), name, _names(group))
    try:
        return point.load()
    except ModuleNotFoundError as problem:
        if not _is_of(problem.name, point):
            phrase = "{kind} '{name}' needs a package that is not installed: {problem}"
            raise SpielwerkError(say(phrase, kind=say(kind), name=name, problem=problem)) from problem
        raise _broken(kind, name, point, problem) from problem
    except Exception as problem:  # whatever a third party's module raises
        raise _broken(kind, name, point, problem) from problem


def _is_of(module: str | None, point: EntryPoint) -> bool:
    """Whether a module belongs to the package of an entry point."""
    return (module or "").partition(".")[0] == point.module.partition(".")[0]


def _broken(kind: str, name: str, point: EntryPoint, problem: Exception) -> SpielwerkError:
    phrase = "{kind} '{name}' ({place} of the package {package}) cannot be loaded: {problem}"
    package = point.dist.name if point.dist else point.module
    described = f"{type(problem).__name__}: {problem}"
    return SpielwerkError(say(phrase, kind=say(kind), name=name, place=point.value, package=package, problem=described))


def register(thing: type[Game] | type[Agent]) -> None:
    """Make a game or agent class known by its name in this process."""
    if issubclass(thing, Game):
        _registered["spielwerk.games"][thing.spec.id] = thing
    else:
        _registered["spielwerk.agents"][thing.name] = thing


def unregister(thing: type[Game] | type[Agent]) -> None:
    if issubclass(thing, Game):
        _registered["spielwerk.games"].pop(thing.spec.id, None)
    else:
        _registered["spielwerk.agents"].pop(thing.name, None)


def everywhere(game: Game, agents: Iterable[Agent]) -> bool:
    """Whether another process finds all of these by name (what was only registered here it does not)."""
    known_agents = _entry_points("spielwerk.agents")
    return game.spec.id in _entry_points("spielwerk.games") and all(agent.name in known_agents for agent in agents)


def game_names() -> list[str]:
    """The games that can be played."""
    return _names("spielwerk.games")


def agent_names() -> list[str]:
    """The agents that can be written, by name."""
    return _names("spielwerk.agents")


def game_classes(complain: Callable[[str], None]) -> dict[str, type[Game]]:
    """All games that can be loaded; `complain` is told of each that cannot. One bad plug-in stops no other."""
    found = {}
    for name in game_names():
        try:
            found[name] = game_class(name)
        except SpielwerkError as problem:
            complain(str(problem))
    return found


def game_class(name: str) -> type[Game]:
    found: type[Game] = _find("spielwerk.games", "game", name)
    return found


def agent_class(name: str) -> type[Agent]:
    found: type[Agent] = _find("spielwerk.agents", "agent", name)
    return found


def game(name: str, seats: int | None = None, variant: str | None = None) -> Game:
    """A table of the named game."""
    return game_class(name)(seats, variant)


def variant_now(name: str, variant: str, edition: int) -> str:
    """What a variant of the named game is called now that was written down in an earlier edition of the rules."""
    return game_class(name).recorded_variant(variant, edition)


def agent(spec: str | Agent) -> Agent:
    """The agent written as `name:key=value,…`."""
    return _agent(spec, depth=0)


def _agent(spec: str | Agent, depth: int) -> Agent:
    """An agent that is inside `depth` others."""
    if isinstance(spec, Agent):
        return spec
    if depth > DEEPEST:
        raise too_deep(spec)
    name, options = parse_spec(spec)
    return agent_class(name).build(options, partial(_agent, depth=depth + 1))


def evaluation_names() -> list[str]:
    return _names("spielwerk.evaluations")


def evaluation(text: str, game: Game) -> Evaluation:
    """The evaluation written as `name` or `name@source` (a file or folder with its parameters), for `game`."""
    name, _, source = text.partition("@")
    made: Evaluation = _find("spielwerk.evaluations", "evaluation", name)(game, source or None)
    return made


def learner_names() -> list[str]:
    return _names("spielwerk.learners")


def learner_class(name: str) -> Any:
    """The class of a learner (see learn.run)."""
    return _find("spielwerk.learners", "learner", name)


def solver(name: str) -> Any:
    """The solver of a game: a function (game, question, report) -> dict of what it found."""
    return _find("spielwerk.solvers", "game with a solver", name)


def checker(name: str) -> Any:
    """What reads and checks logs of a game: a function (data of a file) -> Checked (see core.checking)."""
    return _find("spielwerk.checkers", "game with a log format of its own", name)


def data_names() -> list[str]:
    """The games that keep matches to learn from in a form of their own."""
    return _names("spielwerk.data")


def data(name: str) -> Any:
    """What makes and reads such matches: a `GameData` (see learn.data)."""
    return _find("spielwerk.data", "game with data of its own", name)


def benchmark_names() -> list[str]:
    """The games that have comparisons of their own for `bench`."""
    return _names("spielwerk.benchmarks")


def benchmark(name: str) -> Any:
    """The comparisons of a game: a function (game, seconds) -> list of figures (see arena.bench)."""
    return _find("spielwerk.benchmarks", "game with comparisons", name)


def study_names() -> list[str]:
    """The papers whose tables and figures can be repeated."""
    return _names("spielwerk.studies")


def study(name: str) -> Any:
    """A paper: a `Study` that lists its tables and figures (see studies)."""
    return _find("spielwerk.studies", "study", name)


@cache
def model_folders() -> tuple[Path, ...]:
    """The folders of models that installed packages ship, ours first. An entry point names the package that is one."""
    found: list[Path] = []
    for point in sorted(entry_points(group="spielwerk.models"), key=lambda point: (point.value != OURS, point.value)):
        with suppress(ImportError):  # a package that is half gone takes nobody else's models away
            package = find_spec(point.module)
            found += map(Path, (package and package.submodule_search_locations) or ())
    return tuple(found)
