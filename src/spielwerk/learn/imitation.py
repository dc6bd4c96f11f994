"""Training by `imitate`: steps of the optimiser, validation, held-out matches, and what is kept.

A run is resumed exactly: the order of the rows and what dropout leaves out follow from the seed and the step.
"""

import math
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import pick, seed_of, spawn
from spielwerk.core.models import write_arrays
from spielwerk.learn.decisions import Batch, Decisions, Rows, Split
from spielwerk.learn.gather import Source
from spielwerk.learn.netlearner import (
    NetRun,
    begun_with,
    device_of,
    optimiser_of,
    restore_training,
    training_arrays,
)
from spielwerk.learn.run import Limits, Report, RunFolder
from spielwerk.learn.schedule import rate_at
from spielwerk.learn.words import say
from spielwerk.nets.description import Unit
from spielwerk.nets.network import encode

if TYPE_CHECKING:
    import torch

    from spielwerk.learn.imitate import Imitate

MAKING = 0.2  # of the progress that is reported: making the data
STEPS = 4000  # of a run by default, at least
MOST_VALIDATED = 50_000  # rows of validation that every test looks at; the report at the end looks at all
SAVE_SECONDS, TELL_SECONDS = 60.0, 1.0  # between two checkpoints, and between two lines of progress
ORDER, DROPPED, LOOKS, THINNED = 0x4F52, 0x4452, 0x4C4F, 0x5448  # streams below the seed of a run
SUMS = ("choices", "right", "right_unmasked", "right_all", "right_all_unmasked", "squares")
FRESH = {"loss": 0.0, "losses": 0, "seen": 0} | dict.fromkeys(SUMS, 0.0)  # since a test


class Training:
    """One run, from its data to its network. `judge_stops`: who is told to stop says what was reached there, and keeps
    that network if it is the best so far; else a run ends the same however often it is stopped."""

    def __init__(
        self,
        learner: "Imitate",
        game: Game,
        folder: RunFolder,
        limits: Limits,
        source: Source,
        decisions: Decisions,
        judge_stops: bool = True,
    ) -> None:
        from spielwerk.nets.module import NetworkModule

        self.learner, self.limits, self.decisions, self.judge_stops = learner, limits, decisions, judge_stops
        self._epoch, self._order = -1, np.zeros(0, np.int64)
        self.run = NetRun(learner, game, folder, limits)
        self.split: Split = self._thinned(learner.split(decisions), game)
        self.unit: Unit = source.unit
        self.scale = self._scale()
        wanted = learner.describe(game, learner.heads(game, self.scale))
        network = begun_with(folder, lambda: learner.first_network(game, wanted, limits.seed))
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
                    if self.judge_stops:
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
        if self._epoch != epoch:
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
