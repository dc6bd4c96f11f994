"""cmaes: tune the parameters of an agent's evaluation with CMA-ES (Hansen 2016), as Kutsch (2017, 7.1.2) did; or any
numbers among the agent's options, within their ranges.

Fitness of a member is its mean over some matches, or with opponents its share of the wins; all members of a generation
play the same seeds, and against opponents every seed on every seat. The best fitness
of a run is the highest of many noisy figures and therefore too high: measure the winner again on fresh seeds.

A run is resumed by telling a fresh optimiser with the same seed all fitness values again, so that nothing but numbers
is stored; members of a half-finished generation are not played twice.
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from spielwerk.arena.statistics import win_shares
from spielwerk.arena.workers import Task, match_seed, play_all
from spielwerk.core import registry
from spielwerk.core.agent import Agent, OptionHelp, option_help
from spielwerk.core.errors import BadJson, SpielwerkError
from spielwerk.core.evaluation import Parameter
from spielwerk.core.files import from_own_json, write_atomically
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import seed_of, spawn
from spielwerk.core.ranges import Range
from spielwerk.learn.run import Curve, Learner, Limits, Report, RunFolder
from spielwerk.learn.words import say

MEAN = "mean of {games} {games:match|matches}"


class _Member(msgspec.Struct):
    """A line of members.jsonl: somebody who has been played."""

    generation: int
    member: int
    mean: float


@dataclass(frozen=True)
class CmaEs(Learner):
    """CMA-ES over the parameters of an agent's evaluation."""

    name: ClassVar[str] = "cmaes"

    tuned: Annotated[Agent, "the agent whose evaluation is tuned, e.g. (mctse:evaluation=kutsch)"]
    population: Annotated[int, Range(2, 10_000), "members per generation"] = 12
    games: Annotated[
        int, Range(1, 10_000_000), "matches per member; against opponents so many more that every seat has as many"
    ] = 25
    generations: Annotated[int, Range(1, 1_000_000), "number of generations"] = 20
    sigma: Annotated[float, Range(1e-6, 10), "first step width, as a share of each parameter's range"] = 0.3
    start: Annotated[Literal["middle", "default"], "where the search starts in the parameters' ranges"] = "middle"
    options: Annotated[str, "numbers among the agent's options that are tuned instead, as in depth/margin"] = ""
    opponents: Annotated[
        tuple[Agent, ...], "who sits on the other seats, in turn; none = the agent plays on all seats"
    ] = ()

    def why_not(self, game: Game) -> str | None:
        if self.opponents and game.seats == 1:
            return say("with one seat there are no opponents")
        for opponent in self.opponents:
            reason = opponent.why_not(game)
            if reason:
                return f"{opponent.name}: {reason}"
        if self.options:
            if len(self._options()) < 2:
                return say("CMA-ES tunes two numbers or more; name another one")
            return self.tuned.why_not(game)
        name = getattr(self.tuned, "evaluation", None)
        if name is None:
            return say("{agent} has no evaluation", agent=self.tuned.name)
        if not registry.evaluation(name, game).parameters:
            return say("the evaluation '{name}' has no parameters to tune", name=name)
        return self.tuned.why_not(game)

    def train(self, game: Game, run: RunFolder, limits: Limits, report: Report) -> None:
        import cma

        parameters = self._parameters(game)
        middle = [0.5 if self.start == "middle" else _to_unit(p, p.default) for p in parameters]
        options = {
            "popsize": self.population,
            "bounds": [0.0, 1.0],
            "seed": seed_of(spawn(limits.seed, 0)) % (2**31 - 1) + 1,
            "verbose": -9,
        }
        strategy = cma.CMAEvolutionStrategy(middle, self.sigma, options)
        fitness = self._known(run)
        for generation in range(self.generations):
            members = strategy.ask()
            values = []
            for number, member in enumerate(members):
                done = (generation + number / len(members)) / self.generations
                found = fitness.get((generation, number))
                if found is None:
                    if limits.reached:
                        return
                    phrase = "generation {generation}, member {member}"
                    report(done, say(phrase, generation=generation + 1, member=number + 1))
                    found = self._play(game, run, parameters, member, generation, number, limits)
                values.append(found)
            strategy.tell(members, [-value for value in values])
            if generation >= len(run.rows()):
                best = max(range(len(values)), key=values.__getitem__)
                run.log(generation=generation + 1, mean=sum(values) / len(values), best=values[best], member=best)
                self._keep_best(run, parameters, members[best], values[best])

    def agent(self, run: RunFolder) -> str:
        """The tuned agent with the parameters of the best member."""
        return self._with(run.path / "best.json").spec

    def curve(self, run: RunFolder) -> Curve:
        rows = run.rows()
        xs = [row["generation"] for row in rows]
        phrase = "share of the wins in {games} {games:match|matches}" if self.opponents else MEAN
        return say("generation"), say(phrase, games=self.games), [
            (say("best member"), xs, [row["best"] for row in rows]),
            (say("mean of the generation"), xs, [row["mean"] for row in rows]),
        ]  # fmt: skip

    # --- parts -------------------------------------------------------------------------------------------------------

    @property
    def _evaluation(self) -> str:
        return str(getattr(self.tuned, "evaluation", ""))

    def _options(self) -> list[OptionHelp]:
        """The options that are tuned."""
        known = option_help(type(self.tuned))
        found = [known.get(name.strip()) for name in self.options.split("/")]
        fit = [option for option in found if option and option.range and option.type in (int, float)]
        if len(fit) < len(found) or len({option.name for option in fit}) < len(fit):
            possible = [option.name for option in known.values() if option.range and option.type in (int, float)]
            phrase = "cmaes: options={given} must name numbers that {agent} takes, each once: {possible}"
            given, agent = self.options, self.tuned.name
            raise SpielwerkError(say(phrase, given=given, agent=agent, possible="/".join(possible) or say("none")))
        return fit

    def _parameters(self, game: Game) -> tuple[Parameter, ...]:
        if not self.options:
            return registry.evaluation(self._evaluation, game).parameters
        return tuple(
            Parameter(option.name, getattr(self.tuned, option.name), option.range.low, option.range.high, option.help)
            for option in self._options()
            if option.range
        )

    def _with(self, file: Path) -> Agent:
        if self.options:
            values = from_own_json(file.read_bytes(), dict[str, float])
            whole = {option.name for option in self._options() if option.type is int}
            given = {name: round(value) if name in whole else float(f"{value:.4g}") for name, value in values.items()}
            return replace(self.tuned, **given)
        name = self._evaluation.partition("@")[0]
        return replace(self.tuned, evaluation=f"{name}@{file}")  # type: ignore[call-arg]

    def _play(
        self,
        game: Game,
        run: RunFolder,
        parameters: tuple[Parameter, ...],
        member: Any,
        generation: int,
        number: int,
        limits: Limits,
    ) -> float:
        folder = run.path / "members"
        folder.mkdir(exist_ok=True)
        file = folder / f"{generation + 1:04}-{number + 1:03}.json"
        write_atomically(file, json.dumps(_values(parameters, member), indent=1).encode())
        agent = self._with(file)
        below = seed_of(spawn(limits.seed, 1, generation))
        if self.opponents:
            scores = self._wins(game, agent, below, limits.threads)
        else:
            line_up = (agent,) * game.seats
            tasks = [Task(n, match_seed(below, n), line_up) for n in range(self.games)]
            scores = [match.scores[0] for _, match in play_all(game, tasks, limits.threads)]
        mean = sum(scores) / len(scores)
        with (run.path / "members.jsonl").open("a") as log:
            log.write(json.dumps({"generation": generation, "member": number, "mean": mean}) + "\n")
        return mean

    def _wins(self, game: Game, agent: Agent, seed: int, threads: int) -> list[float]:
        """The member's share of the win of each match; it sits on every seat in turn, with the same dice and cards."""
        seats, teams = game.seats, game.teams
        tasks = []
        for n in range(-(-self.games // seats) * seats):
            group, own = divmod(n, seats)
            opponent = self.opponents[group % len(self.opponents)]
            line_up = tuple(agent if teams[seat] == teams[own] else opponent for seat in range(seats))
            tasks.append(Task(n, match_seed(seed, group), line_up))
        played = play_all(game, tasks, threads)
        return [win_shares(match.results, teams)[task.number % seats] for task, match in played]

    def _known(self, run: RunFolder) -> dict[tuple[int, int], float]:
        """The members that were played before the run was stopped."""
        file = run.path / "members.jsonl"
        known: dict[tuple[int, int], float] = {}
        for line in file.read_bytes().splitlines() if file.exists() else []:
            try:
                row = from_own_json(line, _Member)
            except BadJson:  # the line that a kill cut off
                break
            known[row.generation, row.member] = row.mean
        return known

    def _keep_best(self, run: RunFolder, parameters: tuple[Parameter, ...], member: Any, value: float) -> None:
        if value >= max(row["best"] for row in run.rows() if "best" in row):
            write_atomically(run.path / "best.json", json.dumps(_values(parameters, member), indent=1).encode())


def _to_unit(parameter: Parameter, value: float) -> float:
    return (value - parameter.low) / (parameter.high - parameter.low)


def _values(parameters: tuple[Parameter, ...], member: Any) -> dict[str, float]:
    """A point of the unit cube as named parameters."""
    return {p.name: p.low + float(x) * (p.high - p.low) for p, x in zip(parameters, member, strict=True)}
