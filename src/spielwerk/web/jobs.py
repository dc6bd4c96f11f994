"""Evaluations and tournaments that are started from the browser: one after the other, in a thread of their own.

Results go to the arena's store, so that what was played on the command line is seen here too, and the other way round.
"""

import contextvars
import math
import queue
import secrets
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import msgspec

from spielwerk.arena.evaluate import evaluate
from spielwerk.arena.store import Run, Store
from spielwerk.arena.tournament import tournament
from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.match import Record
from spielwerk.web import messages
from spielwerk.web.language import say
from spielwerk.web.session import Missing, TooMuch

STORED = "run-"  # ids of runs in the arena's store begin so
MOST_LISTED = 40
Report = Callable[[float, str], None]


class Stopped(Exception):
    """Somebody stopped the job."""


class Jobs:
    def __init__(self, path: Path | None, most: int) -> None:
        self.path, self.most = path, most
        self._jobs: dict[str, messages.Job] = {}
        self._stopped: set[str] = set()
        self._queue: queue.Queue[tuple[str, Callable[[Store, Report], Any]] | None] = queue.Queue()
        self._thread: threading.Thread | None = None

    # --- starting ---------------------------------------------------------------------------------------------------

    def evaluation(self, wanted: messages.NewEvaluation) -> messages.Job:
        game = registry.game(wanted.game, wanted.seats, wanted.variant)
        opponents = wanted.opponents if game.seats > 1 else None
        for spec in (wanted.agent, opponents):
            if spec:
                registry.agent(spec).require(game)

        def work(store: Store, report: Report) -> Any:
            return evaluate(
                game,
                wanted.agent,
                opponents=opponents,
                games=wanted.games,
                seed=wanted.seed,
                backend="threads",
                store=store,
                report=report,
            )

        against = f" – {opponents}" if opponents else ""
        return self._add("evaluation", game, wanted.agent + against, work)

    def tournament(self, wanted: messages.NewTournament) -> messages.Job:
        game = registry.game(wanted.game, wanted.seats, wanted.variant)
        agents = [registry.agent(spec) for spec in wanted.agents]
        for agent in agents:
            agent.require(game)
        if len(set(agents)) < len(agents):
            raise SpielwerkError(say("the agents of a tournament are all different; leave the repeated one out"))

        def work(store: Store, report: Report) -> Any:
            return tournament(
                game, agents, rounds=wanted.rounds, seed=wanted.seed, backend="threads", store=store, report=report
            )

        return self._add("tournament", game, " · ".join(agent.spec for agent in agents), work)

    def _add(
        self, kind: Literal["evaluation", "tournament"], game: Game, title: str, work: Callable[[Store, Report], Any]
    ) -> messages.Job:
        if sum(job.state in ("waiting", "running") for job in self._jobs.values()) >= self.most:
            raise TooMuch(say("enough evaluations and tournaments wait already; stop one or come back later"))
        job = messages.Job(
            id=secrets.token_urlsafe(9),
            kind=kind,
            title=title,
            game=game.spec.id,
            state="waiting",
            done=0.0,
            line="",
            created=time.time(),
        )
        self._jobs[job.id] = job
        context = contextvars.copy_context()  # it reports in the language of whoever started it
        self._queue.put((job.id, lambda store, report: context.run(work, store, report)))
        if self._thread is None:
            self._thread = threading.Thread(target=self._work_on, name="arena", daemon=True)
            self._thread.start()
        return job

    def _work_on(self) -> None:
        while True:
            item = self._queue.get()
            if item is None:
                return
            name, work = item
            job = self._jobs[name]

            def report(done: float, line: str, job: messages.Job = job) -> None:
                job.done, job.line = min(done, 0.999), line  # 1 = the result is there
                if job.id in self._stopped:
                    raise Stopped

            try:
                report(0.0, "")
                job.state = "running"
                with Store(self.path) as store:
                    result = work(store, report)
                job.result = plain(msgspec.to_builtins(result))
                job.done, job.state = 1.0, "done"
            except Stopped:
                job.state = "stopped"
            except Exception as problem:
                job.state, job.problem = "failed", str(problem) or type(problem).__name__

    # --- looking ----------------------------------------------------------------------------------------------------

    def all(self) -> list[messages.Job]:
        """Jobs of this server and finished runs of the store, the newest first."""
        found = list(self._jobs.values())
        known = {job.result.get("run") for job in found if job.result}
        with Store(self.path) as store:
            runs = store.runs()[-4 * MOST_LISTED :]
        found += [_stored_job(run) for run in runs if run.finished and run.summary and run.id not in known]
        return sorted(found, key=lambda job: -job.created)[:MOST_LISTED]

    def find(self, name: str) -> messages.Job:
        if name in self._jobs:
            return self._jobs[name]
        if name.startswith(STORED):
            with Store(self.path) as store:
                for run in store.runs():
                    if f"{STORED}{run.id}" == name and run.summary:
                        return _stored_job(run)
        raise Missing(say("there is no such evaluation or tournament"))

    def stop(self, name: str) -> messages.Job:
        job = self.find(name)
        self._stopped.add(name)
        return job

    def record(self, name: str, number: int) -> Record:
        """The record of one match of a finished evaluation or tournament."""
        job = self.find(name)
        run = (job.result or {}).get("run")
        if run is None:
            raise Missing(say("matches can be replayed when all are played"))
        with Store(self.path) as store:
            return store.record(run, number)

    def close(self) -> None:
        self._stopped.update(self._jobs)
        self._queue.put(None)


def _stored_job(run: Run) -> messages.Job:
    config = run.config
    evaluation = run.kind == "evaluate"
    title = str(config.get("agent")) if evaluation else " · ".join(map(str, config.get("agents", [])))
    if config.get("opponents"):
        title += f" – {config['opponents']}"
    return messages.Job(
        id=f"{STORED}{run.id}",
        kind="evaluation" if evaluation else "tournament",
        title=title,
        game=str(config.get("game", "")),
        state="done",
        done=1.0,
        line="",
        created=run.started,
        result=plain({**(run.summary or {}), "run": run.id}),
    )


def plain(value: Any) -> Any:
    """The same without numbers that JSON does not know."""
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
