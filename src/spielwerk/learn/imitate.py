"""imitate: learn to decide as another agent does, or as somebody did in records.

Supervised learning. The data are decisions of a teacher, made in compiled code where it has a compiled policy, else by
workers (see `gather`), or read from records. The network learns to name the teacher's action, and in a second head what
came of it. Matches that are held out decide when to stop (early stopping by the validation loss), and played matches
decide which network is kept: `model.npz` is the best in play, `validation.npz` the one with the lowest loss. With
`kept=loss` both are the latter, for whoever wants a likeness rather than a strong player.

What it cannot do: be better than its teacher but by luck. And where the teacher knows more than the encoding shows,
some of its decisions cannot be foretold.

A run is resumed exactly: the order of the rows and what dropout leaves out follow from the seed and the step.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core import registry
from spielwerk.core.agent import Agent
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import pick, seed_of, spawn
from spielwerk.core.models import write_arrays
from spielwerk.core.ranges import SHARE, Range
from spielwerk.envs.task import action_range
from spielwerk.learn.decisions import Batch, Decisions, Rows, Split, split
from spielwerk.learn.gather import Gathering, Source, Target, data_seed
from spielwerk.learn.netlearner import (
    NetLearner,
    NetRun,
    begun_with,
    device_of,
    optimiser_of,
    restore_training,
    torch_threads,
    training_arrays,
    unit_of,
)
from spielwerk.learn.run import Curve, Limits, Report, RunFolder
from spielwerk.learn.words import say
from spielwerk.nets.description import Head, Unit
from spielwerk.nets.network import encode

if TYPE_CHECKING:
    import torch


MAKING = 0.2  # of the progress that is reported: making the data
COMPILED, ASKED = 200_000, 10_000  # decisions to learn from by default, of teachers with and without a compiled policy
STEPS = 4000  # of a run by default, at least
MOST_VALIDATED = 50_000  # rows of validation that every test looks at; the report at the end looks at all
SAVE_SECONDS, TELL_SECONDS = 60.0, 1.0  # between two checkpoints, and between two lines of progress
ORDER, DROPPED, LOOKS, THINNED = 0x4F52, 0x4452, 0x4C4F, 0x5448  # streams below the seed of a run
SUMS = ("choices", "right", "right_unmasked", "right_all", "right_all_unmasked", "squares")
FRESH = {"loss": 0.0, "losses": 0, "seen": 0} | dict.fromkeys(SUMS, 0.0)  # since a test
WARM_UP = 0.2  # share of a run in which the rate of one cycle rises


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
            unit_of(game) if self.unit == "auto" else self.unit,
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

    def looks(self, game: Game) -> list["Look"]:
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


class Training:
    """One run, from its data to its network."""

    def __init__(
        self, learner: Imitate, game: Game, folder: RunFolder, limits: Limits, source: Source, decisions: Decisions
    ) -> None:
        from spielwerk.nets.module import NetworkModule

        self.learner, self.limits, self.decisions = learner, limits, decisions
        self.run = NetRun(learner, game, folder, limits)
        self.split: Split = self._thinned(learner.split(decisions), game)
        self.unit: Unit = source.unit
        self.scale = self._scale()
        heads = {"policy": Head(source.actions, first=source.first)}
        if learner.value_weight:
            heads["value"] = Head(1, unit=self.unit, scale=self.scale)
        network = begun_with(folder, lambda: learner.first_network(game, learner.describe(game, heads), limits.seed))
        self.device = device_of(limits.device)
        self.module: NetworkModule = NetworkModule(network).to(self.device)
        self.optimiser: Any = optimiser_of(learner.optimiser, self.module, learner.learning_rate, learner.weight_decay)
        self.looks = learner.looks(game)
        self.steps_per_epoch = -(-len(self.split.training) // learner.batch)
        self.steps = self.steps_per_epoch * (learner.epochs or max(4, -(-STEPS // self.steps_per_epoch)))
        self.steps = min(self.steps, learner.steps or self.steps)

    def _thinned(self, whole: Split, game: Game) -> Split:
        """Some actions are learned less often; validation stays as it is."""
        shares = self.learner.shares_kept(game)
        if not shares:
            return whole
        actions = self.decisions.arrays["action"][whole.training]
        drawn = np.random.default_rng(seed_of(spawn(self.limits.seed, THINNED))).random(len(actions))
        kept = np.ones(len(actions))
        for action, share in shares.items():
            kept[actions == action] = share
        training = whole.training[drawn < kept]
        if not len(training):
            raise SpielwerkError(say("thinned={thinned} leaves nothing to learn", thinned=self.learner.thinned))
        return whole._replace(training=training)

    def _scale(self) -> float:
        """Values are learned in shares of their spread in training."""
        if self.unit == "win":
            return 1.0
        worth = self.decisions.arrays["worth"][self.split.training].astype(np.float64)
        spread = float(np.nanstd(worth)) if np.isfinite(worth).any() else 0.0
        return float(np.float32(spread)) if spread > 0.0 else 1.0

    def go_on(self, report: Report) -> None:
        run, counters = self.run, self.run.counters
        try:
            kept = run.restore()
            counters = run.counters
            if kept is None:
                counters |= {"step": 0, "lowest": math.inf, "waited": 0, "ended": False} | FRESH
                self._log_data()
                self._test(report)
            else:
                counters |= FRESH | counters  # an older version counted less
                restore_training(kept, self.module, self.optimiser)
            saved = told = monotonic()
            while not self.is_over:
                if self.limits.reached:
                    run.judge_where_it_stops(
                        lambda: encode(self.module.network()), lambda: self._rank(self._validated())
                    )
                    self._save()
                    return
                self._learn()
                if self._is_test(counters["step"]):
                    self._test(report)
                    saved = told = monotonic()
                if monotonic() - saved >= SAVE_SECONDS:
                    self._save()
                    saved = monotonic()
                if monotonic() - told >= TELL_SECONDS:
                    self._tell(report)
                    told = monotonic()
            self._conclude()
        finally:
            run.close()

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to learn."""
        counters = self.run.counters
        return bool(counters["step"] >= self.steps or counters["ended"])

    def _is_test(self, step: int) -> bool:
        tests = self.learner.tests
        return step * tests // self.steps > (step - 1) * tests // self.steps

    def _save(self) -> None:
        self.run.save(training_arrays(self.module, self.optimiser))

    # --- a step ------------------------------------------------------------------------------------------------------

    def _learn(self) -> None:
        import torch

        counters, learner = self.run.counters, self.learner
        step = counters["step"]
        for group in self.optimiser.param_groups:
            group["lr"] = learner.learning_rate * rate_at(step / self.steps, learner.schedule)
        torch.manual_seed(seed_of(spawn(self.limits.seed, DROPPED, step)))
        self.module.train()
        batch = self._looked_at(self.decisions.batch(self._rows(step)), step)
        loss, logits = self._losses(batch)
        self.run.require_finite(loss.item())
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        counters["step"] = step + 1
        counters["loss"] += loss.item()
        counters["losses"] += 1
        counters["seen"] += len(batch.action)
        for name, figure in self._figures(logits.detach(), batch).items():
            counters[name] += figure

    def _looked_at(self, batch: Batch, step: int) -> Batch:
        """A batch in one of its looks, all of which are as likely."""
        look = pick(spawn(self.limits.seed, LOOKS, step), len(self.looks) + 1)
        return self.looks[look].of(batch) if look < len(self.looks) else batch

    def _rows(self, step: int) -> Rows:
        """The decisions of a step: every epoch goes through all of them in another order."""
        epoch, place = divmod(step, self.steps_per_epoch)
        if getattr(self, "_epoch", None) != epoch:
            self._epoch = epoch
            order = np.random.default_rng(seed_of(spawn(self.limits.seed, ORDER, epoch)))
            self._order = order.permutation(self.split.training)
        size = self.learner.batch
        return self._order[place * size : (place + 1) * size]

    def _losses(self, batch: Batch) -> tuple["torch.Tensor", "torch.Tensor"]:
        """The loss of a batch, and the logits of its policy."""
        import torch
        from torch.nn import functional

        from spielwerk.nets.module import masked

        def there(array: Any) -> torch.Tensor:
            return torch.from_numpy(array).to(self.device)

        answers = self.module(there(batch.inputs))
        logits, target = answers["policy"], there(batch.target)
        seen = masked(logits, there(batch.legal)) if self.learner.mask else logits
        if self.learner.loss == "mse_outputs":
            loss = functional.mse_loss(logits, target)
        elif self.learner.loss == "mse":
            loss = functional.mse_loss(torch.softmax(seen, dim=1), target)
        else:
            loss = functional.cross_entropy(seen, target)
        if "value" in answers:
            worth, said = there(batch.worth), answers["value"][:, 0]
            ended = torch.isfinite(worth)
            if ended.any():
                worth, said = worth[ended], said[ended]
                off = (
                    functional.binary_cross_entropy_with_logits(said, worth)
                    if self.unit == "win"
                    else functional.mse_loss(said, worth / self.scale)
                )
                loss = loss + self.learner.value_weight * off
        return loss, logits

    def _figures(self, logits: "torch.Tensor", batch: Batch) -> dict[str, float]:
        """Sums over a batch: decisions that are right with and without the mask, and the squared error of what the
        network says without it, probabilities or plain outputs."""
        import torch

        said = logits if self.learner.loss == "mse_outputs" else torch.softmax(logits, dim=1)
        off = (said - torch.from_numpy(batch.target).to(said.device)).square().mean(dim=1).sum()
        answers = logits.cpu().numpy()
        choice = batch.legal.sum(axis=1) > 1
        right = np.where(batch.legal, answers, -np.inf).argmax(axis=1) == batch.action
        unmasked = answers.argmax(axis=1) == batch.action
        return {
            "choices": float(choice.sum()),
            "right": float(right[choice].sum()),
            "right_unmasked": float(unmasked[choice].sum()),
            "right_all": float(right.sum()),
            "right_all_unmasked": float(unmasked.sum()),
            "squares": float(off),
        }

    # --- tests -------------------------------------------------------------------------------------------------------

    def validate(self, rows: Rows) -> dict[str, float]:
        """Loss and accuracy of real choices. A decision without a choice is right with the mask, so that the accuracy
        over all decisions counts the forced ones of held-out matches as right; without the mask it is known only if
        they are rows, too."""
        import torch

        self.module.eval()
        total, sums = 0.0, dict.fromkeys(SUMS, 0.0)
        with torch.no_grad():
            for batch in self.decisions.batches(rows, 4096):
                loss, logits = self._losses(batch)
                total += loss.item() * len(batch.action)
                for name, figure in self._figures(logits, batch).items():
                    sums[name] += figure
        forced = self.split.forced * len(rows) / max(self._held_out_rows, 1)
        return {
            "validation_loss": total / len(rows),
            "validation_mse": sums["squares"] / len(rows),
            "accuracy": sums["right"] / max(sums["choices"], 1.0),
            "accuracy_unmasked": sums["right_unmasked"] / max(sums["choices"], 1.0),
            "accuracy_all": (sums["right_all"] + forced) / (len(rows) + forced),
        } | ({"accuracy_all_unmasked": sums["right_all_unmasked"] / len(rows)} if self.learner.forced else {})

    def _validated(self) -> dict[str, float]:
        return self.validate(self.split.validation[:MOST_VALIDATED])

    def _rank(self, found: dict[str, float]) -> float | None:
        """What decides which network is kept, the more the better; None = the figure of the held-out matches."""
        return -found["validation_loss"] if self.learner.kept == "loss" else None

    @property
    def _held_out_rows(self) -> int:
        split = self.split
        return len(split.validation) + (split.duplicates if split.unseen else 0)

    def _test(self, report: Report) -> None:
        counters, learner = self.run.counters, self.learner
        step = counters["step"]
        found = self._validated()
        self.run.require_finite(found["validation_loss"])
        epoch = step / self.steps_per_epoch
        learned = {"loss": found["validation_loss"]}
        if counters["losses"]:
            seen = counters["seen"]
            learned = {
                "loss": counters["loss"] / counters["losses"],
                "mse": counters["squares"] / seen,
                "training_accuracy": counters["right"] / max(counters["choices"], 1.0),
                "training_accuracy_unmasked": counters["right_unmasked"] / max(counters["choices"], 1.0),
            } | ({"training_accuracy_all_unmasked": counters["right_all_unmasked"] / seen} if learner.forced else {})
        network = self.module.network()
        tested = self.run.test(network, self._rank(found), epoch=epoch, **learned, **found)
        counters |= FRESH | {"waited": counters["waited"] + 1}
        if found["validation_loss"] < counters["lowest"]:
            counters |= {"lowest": found["validation_loss"], "waited": 0}
            write_arrays(self.run.folder.path / "validation.npz", encode(network))
        counters["ended"] = 0 < learner.patience <= counters["waited"]
        self._save()
        phrase = "epoch {epoch}: accuracy {accuracy}, held-out matches {held_out} {measure}"
        figures = {"epoch": f"{epoch:.1f}", "accuracy": f"{found['accuracy']:.3f}", "held_out": f"{tested.figure:.4g}"}
        done = 1.0 if counters["ended"] else self._done
        report(MAKING + (1.0 - MAKING) * done, say(phrase, **figures, measure=tested.measure))

    def _tell(self, report: Report) -> None:
        counters = self.run.counters
        epoch, loss = counters["step"] / self.steps_per_epoch, counters["loss"] / max(counters["losses"], 1)
        line = say("epoch {epoch}: loss {loss}", epoch=f"{epoch:.2f}", loss=f"{loss:.4f}")
        report(MAKING + (1.0 - MAKING) * self._done, line)

    @property
    def _done(self) -> float:
        return float(self.run.counters["step"] / self.steps)

    # --- what is said of the run -------------------------------------------------------------------------------------

    def _log_data(self) -> None:
        split, decisions = self.split, self.decisions
        self.run.folder.log(
            step=0,
            matches=decisions.matches,
            decisions=len(decisions),
            forced=int(decisions.arrays["forced"].sum()),
            training=len(split.training),
            validation=len(split.validation),
            duplicates=split.duplicates,
            unseen=split.unseen,
        )

    def _conclude(self) -> None:
        """The figures of the network that is kept, over all of validation."""
        step = self.run.counters["step"]
        best = self.run.best_network()
        if best is None or any("kept_accuracy" in row for row in self.run.folder.rows()):
            return
        self.module.load(best)
        found = self.validate(self.split.validation)
        self.run.folder.log(step=step, **{f"kept_{name}": value for name, value in found.items()})


class Look(NamedTuple):
    """A symmetry, for the actions that are learned."""

    inputs: NDArray[np.int64]
    actions: NDArray[np.int64]  # which action comes to a place
    places: NDArray[np.int64]  # the place that an action comes to

    def of(self, batch: Batch) -> Batch:
        legal, target = batch.legal[:, self.actions], batch.target[:, self.actions]
        return Batch(batch.inputs[:, self.inputs], legal, target, self.places[batch.action], batch.worth)


def rate_at(done: float, schedule: Literal["one_cycle", "cosine", "constant"]) -> float:
    """The share of the learning rate at some place of a run, from 0 to 1. One cycle: Smith and Topin (2017)."""
    if schedule == "constant":
        return 1.0
    if schedule == "one_cycle":
        if done < WARM_UP:
            return 0.04 + 0.48 * (1.0 - math.cos(math.pi * done / WARM_UP))
        done = (done - WARM_UP) / (1.0 - WARM_UP)
    return 0.5 * (1.0 + math.cos(math.pi * done))
