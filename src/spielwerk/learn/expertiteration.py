"""expertiteration: a search labels positions, a network learns them, and the search gets stronger by the network.

Anthony, Tian and Barber (2017). In the first generation `teacher` plays and is imitated, a search without a network. In
every later one it is `search`, which uses the network of the generation before: it plays the imagined deals, judges
leaves or is the prior, as `search` says where it stands ({model}). A network learns the decisions of the last few
generations together, beginning with the one before.

What is kept is the best network in held-out matches of the networks themselves, without a search. Whether the search
gets stronger too, say matches between `search` with one generation and with another: generation-N/model.npz are kept.

A run can be killed at any moment; every generation is a run of `imitate` in a folder of its own.
"""

from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, ClassVar

from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import seed_of, spawn
from spielwerk.core.models import read_arrays, write_arrays
from spielwerk.core.ranges import Range
from spielwerk.learn.decisions import Decisions
from spielwerk.learn.gather import Source
from spielwerk.learn.imitate import Imitate
from spielwerk.learn.imitation import Training
from spielwerk.learn.netlearner import NetRun, held_out_curve, torch_threads
from spielwerk.learn.run import Curve, Limits, Report, RunFolder
from spielwerk.learn.words import say
from spielwerk.nets.network import encode, fresh

MODEL = "{model}"
GENERATION = 0x4745  # the stream of the seeds of generations


@dataclass(frozen=True)
class ExpertIteration(Imitate):
    """A search labels positions, a network learns them, the search gets stronger by the network, and so on."""

    name: ClassVar[str] = "expertiteration"
    presets: ClassVar[dict[str, dict[str, str]]] = {
        "jass": {
            "teacher": "dmcts:worlds=100", "search": "dmcts:worlds=60,playouts=(net:model={model})",
            "target": "values", "temperature": "5", "symmetries": "true", "network": "512-256", "games": "8000",
            "batch": "1024", "epochs": "8", "test_opponents": "rules", "generations": "3",
        }
    }  # fmt: skip

    search: Annotated[
        str, "who is imitated from the second generation on, with {model} where the last network goes"
    ] = "mctse:iterations=200,selection=puct,evaluation=net@{model}"
    generations: Annotated[int, Range(1, 1000), "how often a network is learned"] = 3
    remembered: Annotated[int, Range(1, 1000), "generations whose decisions are learned together"] = 2

    def why_not(self, game: Game) -> str | None:
        problem = super().why_not(game)
        if problem:
            return problem
        if self.records is not None:
            return say("a search labels the positions, so there are no records; take imitate to learn from records")
        if MODEL not in self.search:
            phrase = "search={search} does not say where the network goes; write {model} there"
            return say(phrase, search=self.search, model=MODEL)
        try:
            with TemporaryDirectory() as folder:  # a network that has learned nothing stands for those to come
                model = Path(folder) / "model.npz"
                write_arrays(model, encode(fresh(self.describe(game, self.heads(game)), 0)))
                registry.agent(self.search.replace(MODEL, str(model))).require(game)
        except SpielwerkError as trouble:
            return str(trouble)
        return None

    def train(self, game: Game, run: RunFolder, limits: Limits, report: Report) -> None:
        if set(",()") & set(str(run.path.resolve())):
            phrase = "{folder}: a path with a comma or a parenthesis does not fit into search; choose another folder"
            raise SpielwerkError(say(phrase, folder=run.path))
        whole = NetRun(self, game, run, limits)
        whole.counters = {"step": 0}
        whole.restore()
        try:
            for number in range(self.generations):
                if whole.counters["step"] > number:
                    continue
                if not self._generation(game, run, number, limits, _part(report, number, self.generations)):
                    return
                network = read_arrays(_folder(run, number) / "model.npz")
                whole.counters["step"] = number + 1
                whole.judge(network, **self._figures(run, number))
                whole.save({})
        finally:
            whole.close()

    def _generation(self, game: Game, run: RunFolder, number: int, limits: Limits, report: Report) -> bool:
        """Let the search of a generation play, and learn from it; False if time was up before."""
        folder = RunFolder(_folder(run, number))
        folder.path.mkdir(exist_ok=True)
        ours = Limits(limits.ends, limits.threads, _seed(limits, number), limits.device, limits.backend)
        source = self._source_of(game, run, number, ours)
        shards = self._gathered(game, folder, source, ours, report)
        if shards is None:
            return False
        first = max(0, number + 1 - self.remembered)
        parts = [(_folder(run, earlier) / "data", self._shards(run, earlier)) for earlier in range(first, number + 1)]
        decisions = Decisions.load_all(parts, self.encoding_of(game)[1].size, source.actions)
        with torch_threads(self.torch_threads):
            training = Training(self._pupil(run, number), game, folder, ours, source, decisions, judge_stops=False)
            training.go_on(report)
        return training.is_over

    def _source_of(self, game: Game, run: RunFolder, number: int, limits: Limits) -> Source:
        source = self.source(game, limits.seed)
        if number == 0:
            return source
        model = _folder(run, number - 1) / "model.npz"
        return source._replace(teacher=registry.agent(self.search.replace(MODEL, str(model.resolve()))).spec)

    def _pupil(self, run: RunFolder, number: int) -> Imitate:
        """The learner of one generation: all our options, beginning with the network before."""
        options = {field.name: getattr(self, field.name) for field in fields(Imitate)}
        if number > 0:
            options["warm_start"] = str(_folder(run, number - 1) / "model.npz")
        return Imitate(**options)

    def _shards(self, run: RunFolder, number: int) -> int:
        return len(list((_folder(run, number) / "data").glob("[0-9]*.npz")))

    def _figures(self, run: RunFolder, number: int) -> dict[str, float]:
        """What the learner of a generation said of its network at the end."""
        rows = [row for row in RunFolder(_folder(run, number)).rows() if "kept_accuracy" in row]
        return {"accuracy": rows[-1]["kept_accuracy"], "loss": rows[-1]["kept_validation_loss"]} if rows else {}

    def curve(self, run: RunFolder) -> Curve:
        _, measure, lines = held_out_curve(run)
        return say("generation"), measure, lines


def _folder(run: RunFolder, number: int) -> Path:
    return run.path / f"generation-{number}"


def _seed(limits: Limits, number: int) -> int:
    return seed_of(spawn(limits.seed, GENERATION, number)) >> 11


def _part(report: Report, number: int, count: int) -> Report:
    def told(done: float, line: str) -> None:
        phrase = "generation {number}: {line}"
        report((number + done) / count, say(phrase, number=number, line=line))

    return told
