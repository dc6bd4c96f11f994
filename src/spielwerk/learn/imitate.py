"""imitate: learn to decide as another agent does, or as somebody did in records.

Supervised learning. The data are decisions of a teacher, made in compiled code where it has a compiled policy, else by
workers (see `gather`), or read from records. The network learns to name the teacher's action, and in a second head what
came of it. Matches that are held out decide when to stop (early stopping by the validation loss), and played matches
decide which network is kept: `model.npz` is the best in play, `validation.npz` the one with the lowest loss. With
`kept=loss` both are the latter, for whoever wants a likeness rather than a strong player.

What it cannot do: be better than its teacher but by luck. And where the teacher knows more than the encoding shows,
some of its decisions cannot be foretold.

`imitation` has how it is trained.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np

from spielwerk.core import registry
from spielwerk.core.agent import Agent
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.ranges import SHARE, Range
from spielwerk.envs.task import action_range
from spielwerk.learn.decisions import Decisions, Look, Split, split
from spielwerk.learn.gather import Gathering, Source, Target, data_seed
from spielwerk.learn.imitation import MAKING, Training
from spielwerk.learn.netlearner import NetLearner, torch_threads, unit_of
from spielwerk.learn.run import Curve, Limits, Report, RunFolder
from spielwerk.learn.words import say
from spielwerk.nets.description import Head, Unit

COMPILED, ASKED = 200_000, 10_000  # decisions to learn from by default, of teachers with and without a compiled policy


@dataclass(frozen=True)
class Imitate(NetLearner):
    """Supervised learning from the decisions of an agent, or from records."""

    name: ClassVar[str] = "imitate"
    presets: ClassVar[dict[str, dict[str, str]]] = {
        "thesis-186": {
            "teacher": "rules", "encoding": "186", "actions": "0-35", "otherwise": "rules", "games": "130000",
            "noise": "0", "network": "560-1680-180", "value_weight": "0", "mask": "false", "batch": "1024",
            "epochs": "4", "tests": "8",
        }
    }  # fmt: skip

    teacher: Annotated[
        Agent | None,
        "who is imitated; none = the strongest agent of the game's ladder with a compiled policy, or mctse",
    ] = None
    opponents: Annotated[
        tuple[Agent, ...], "agents on the seats of other teams, drawn for every match; none = teacher"
    ] = ()
    noise: Annotated[
        float, SHARE, "share of the teacher's moves that are played at random; what is learned stays the teacher's"
    ] = 0.05
    records: Annotated[
        str | None,
        "record of a match, folder of records, or folder of 'spielwerk data', to learn from instead of a teacher",
    ] = None
    imitated: Annotated[str | None, "agent in the records whose seats are imitated, as they name it; none = all"] = None
    games: Annotated[int | None, Range(1, 1_000_000_000), "matches to learn from; none = see decisions"] = None
    decisions: Annotated[
        int | None,
        Range(1, 1_000_000_000),
        "decisions to learn from unless games is given; none = 200,000, or 10,000 without a compiled policy",
    ] = None
    validation: Annotated[float, Range(0.001, 0.9), "share of the matches that are held out for validation"] = 0.1
    validate_seen: Annotated[bool, "validation counts decisions that training shows, too, as they come"] = False
    actions: Annotated[str, "ids of the actions that are learned, as 0-35; other decisions are left out"] = "all"
    otherwise: Annotated[Agent | None, "agent for decisions that are not learned; none = any action"] = None
    forced: Annotated[bool, "learn decisions without a choice, too"] = False
    thinned: Annotated[
        str, "actions of which only a share is learned, as 42*0.5 for half of the decisions for action 42; none = all"
    ] = "none"
    target: Annotated[Target, "what the policy learns: the action, or the visits or values of a search"] = "action"
    temperature: Annotated[float, Range(1e-6, 1e6), "target=values: of the softmax, in the unit of the values"] = 1.0
    value_weight: Annotated[float, Range(0, 1000), "weight of the value in the loss; 0 = no value is learned"] = 0.25
    unit: Annotated[
        Literal["auto", "points", "lead", "win"], "of the value; auto = what the game's agents maximise"
    ] = "auto"
    loss: Annotated[
        Literal["cross_entropy", "mse", "mse_outputs"],
        "of the policy; mse is between probabilities, mse_outputs between the plain answers and 0 or 1",
    ] = "cross_entropy"
    mask: Annotated[bool, "illegal actions have probability 0 in the loss; false = legality is learned, too"] = True
    optimiser: Annotated[Literal["adamw", "adam", "sgd"], "who changes the weights"] = "adamw"
    weight_decay: Annotated[float, Range(0, 10), "pull of the weights towards 0"] = 0.01
    batch: Annotated[int, Range(1, 1_000_000), "decisions per step"] = 256
    epochs: Annotated[
        int | None,
        Range(1, 100_000),
        "how often all decisions are learned from, at most; none = 4 times, or as often as 4,000 steps take",
    ] = None
    symmetries: Annotated[
        bool, "learn decisions in all their looks, as with suits exchanged, where the game knows some"
    ] = False
    steps: Annotated[
        int | None, Range(1, 1_000_000_000), "steps of the optimiser at most, however many epochs; none = any number"
    ] = None
    schedule: Annotated[
        Literal["one_cycle", "cosine", "constant"],
        "of the learning rate: one_cycle rises to it and falls to 0, cosine only falls",
    ] = "one_cycle"
    tests: Annotated[int, Range(1, 10_000), "validations with held-out matches during the run"] = 10
    kept: Annotated[
        Literal["play", "loss"], "the network that is kept: the best in held-out matches, or by its validation loss"
    ] = "play"
    patience: Annotated[int, Range(0, 10_000), "tests without a lower validation loss that end the run; 0 = none"] = 3

    def why_not(self, game: Game) -> str | None:
        problem = super().why_not(game)
        if problem:
            return problem
        try:
            self._known_actions(game)
            for agent in (self.teacher, self.otherwise, *self.opponents):
                if agent is not None:
                    agent.require(game)
            if self.records is not None and not Path(self.records).exists():
                raise SpielwerkError(say("records={path}: there is no such file or folder", path=self.records))
            if self.records is not None and self.target != "action":
                raise SpielwerkError(say("records say no visits or values; take target=action"))
            if self.loss == "mse_outputs" and self.mask:
                raise SpielwerkError(say("loss=mse_outputs knows no mask; take mask=false"))
            self.looks(game)
            self.shares_kept(game)
        except SpielwerkError as trouble:
            return str(trouble)
        return None

    def player(self, model: object) -> str:
        rest = f",otherwise=({self.otherwise.spec})" if self.otherwise else ""
        return super().player(model) + rest

    def heads(self, game: Game, scale: float = 1.0) -> dict[str, Head]:
        """What the network answers. `scale`: points that a value of 1 means."""
        first, count = self._known_actions(game)
        heads = {"policy": Head(count, first=first)}
        if self.value_weight:
            heads["value"] = Head(1, unit=self.unit_for(game), scale=scale)
        return heads

    def unit_for(self, game: Game) -> Unit:
        return unit_of(game) if self.unit == "auto" else self.unit

    # --- data --------------------------------------------------------------------------------------------------------

    def source(self, game: Game, seed: int) -> Source:
        first, count = self._known_actions(game)
        teacher = self.teacher or strongest(game)
        return Source(
            teacher.spec,
            tuple(agent.spec for agent in self.opponents),
            self.noise,
            self.encoding_of(game)[0],
            first,
            count,
            self.unit_for(game),
            self.target,
            self.temperature,
            data_seed(seed),
            self.forced,
        )

    def _known_actions(self, game: Game) -> tuple[int, int]:
        """The first action that is learned, and how many."""
        found = action_range(self.actions, game.last_action + 1)
        if found is None:
            phrase = "{learner}: actions={actions}: write the first and the last id, as 0-{last}, or all"
            raise SpielwerkError(say(phrase, learner=self.name, actions=self.actions, last=game.last_action))
        return found[0], found[1] - found[0] + 1

    def shares_kept(self, game: Game) -> dict[int, float]:
        """The actions of which only a share is learned, counted from the first that is learned."""
        first, count = self._known_actions(game)
        found = {}
        for part in self.thinned.split("+") if self.thinned != "none" else []:
            action, star, share = part.partition("*")
            try:
                kept = float(share)
            except ValueError:
                kept = -1.0
            if not (star and action.isdecimal() and 0 <= int(action) - first < count and 0.0 <= kept <= 1.0):
                phrase = "{learner}: thinned={thinned}: write an action that is learned and a share, as {example}"
                example = f"{first + count - 1}*0.5"
                raise SpielwerkError(say(phrase, learner=self.name, thinned=self.thinned, example=example))
            found[int(action) - first] = kept
        return found

    def looks(self, game: Game) -> list[Look]:
        """Other looks of the decisions that are learned."""
        if not self.symmetries:
            return []
        first, count = self._known_actions(game)
        found = []
        for symmetry in game.symmetries(self.encoding_of(game)[0]):
            actions = symmetry.actions[first : first + count] - first
            if sorted(actions) == list(range(count)):
                found.append(Look(symmetry.inputs, actions, np.argsort(actions)))
        if not found:
            phrase = "nothing is known to be alike with this encoding and these actions; take symmetries=false"
            raise SpielwerkError(say(phrase))
        return found

    def split(self, decisions: Decisions) -> Split:
        return split(decisions, self.validation, self.validate_seen)

    def _gathered(self, game: Game, run: RunFolder, source: Source, limits: Limits, report: Report) -> int | None:
        """The number of shards of data; None if time was up before all were made."""
        decisions = self.decisions or (COMPILED if source.compiled(game) else ASKED)

        def share_of_all(done: float, line: str) -> None:
            report(MAKING * done, line)

        gathering = Gathering(game, source, run.path / "data", self.games, decisions, limits, share_of_all)
        if self.records is not None:
            where = Path(self.records)
            own = game.spec.id in registry.data_names() and registry.data(game.spec.id).is_folder(where)
            return gathering.from_data(where, self.imitated) if own else gathering.from_records(where, self.imitated)
        return gathering.from_matches()

    # --- training ----------------------------------------------------------------------------------------------------

    def train(self, game: Game, run: RunFolder, limits: Limits, report: Report) -> None:
        source = self.source(game, limits.seed)
        shards = self._gathered(game, run, source, limits, report)
        if shards is None:
            return
        decisions = Decisions.load(run.path / "data", shards, self.encoding_of(game)[1].size, source.actions)
        if not len(decisions.arrays["match"]):
            phrase = "there is no choice to learn from in {source}"
            raise SpielwerkError(say(phrase, source=self.imitated or self.records or source.teacher))
        with torch_threads(self.torch_threads):
            Training(self, game, run, limits, source, decisions).go_on(report)

    def curve(self, run: RunFolder) -> Curve:
        rows = [row for row in run.rows() if "validation_loss" in row and row["step"] > 0]
        steps = [float(row["epoch"]) for row in rows]
        names = {"loss": say("training loss"), "validation_loss": say("validation loss"), "accuracy": say("accuracy")}
        lines = [(label, steps, [float(row[name]) for row in rows]) for name, label in names.items()]
        return say("epoch"), say("loss, accuracy"), lines


def strongest(game: Game) -> Agent:
    """The strongest agent of the game's ladder that has a quick compiled policy, or a small search."""
    for rung in reversed(game.spec.ladder):
        agent = registry.agent(rung.agent)
        rule = agent.policy(game) if agent.why_not(game) is None else None
        if rule is not None and not rule.searches and agent.name != "random":
            return agent
    return registry.agent("mctse:iterations=200")
