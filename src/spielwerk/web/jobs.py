"""Evaluations and tournaments that are started from the browser: one after the other, in a thread of their own.

Results go to the arena's store, so that what was played on the command line is seen here too, and the other way round.
While one runs, it shows how it stands. What was stopped, or interrupted because the server ended, is in the store as
far as it came, and can go on from there. Who starts one gets a token, without which it is neither stopped nor gone on
with; what was interrupted, or begun on the command line, belongs to whoever goes on with it.
"""

import contextvars
import logging
import math
import queue
import secrets
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from spielwerk.arena import evaluate as evaluations
from spielwerk.arena import tournament as tournaments
from spielwerk.arena.store import Run, Store
from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.match import Record
from spielwerk.web import messages
from spielwerk.web.errors import Conflict, Forbidden, Missing, TooMuch
from spielwerk.web.language import say
from spielwerk.web.store import digest, new_token, opens

STORED = "run-"  # ids of runs in the arena's store begin so
MOST_LISTED = 40
Report = Callable[[float, str], None]
Standing = Callable[[], Any]  # how a job stands; None: nothing has been played yet
Live = Callable[[Standing], None]
Wanted = messages.NewEvaluation | messages.NewTournament
Work = Callable[..., Any]  # an evaluation or tournament; where to keep it and whom to tell is still to be said

log = logging.getLogger("spielwerk.web")


class Stopped(Exception):
    """Somebody stopped the job."""


class Jobs:
    def __init__(self, path: Path | None, most: int) -> None:
        self.path, self.most = path, most
        self._jobs: dict[str, messages.Job] = {}
        self._wanted: dict[str, Wanted] = {}
        self._controls: dict[str, str] = {}  # digests of the tokens of who started them
        self._stopped: set[str] = set()
        self._turning = threading.Lock()  # of a job from waiting to what comes next
        self._queue: queue.Queue[tuple[str, Work] | None] = queue.Queue()
        self._thread: threading.Thread | None = None
        self._standings: dict[str, Standing] = {}  # of the jobs that run
        self._runs: dict[str, int | None] = {}  # their numbers in the store
        self._interim: dict[str, tuple[float, Any]] = {}  # how much has been played, and how it stands

    # --- starting ---------------------------------------------------------------------------------------------------

    def start(self, wanted: Wanted) -> messages.StartedJob:
        return self._add(secrets.token_urlsafe(9), wanted)

    def go_on(self, name: str, token: str | None) -> messages.StartedJob:
        """Go on with what was stopped or interrupted, or failed; the matches that were played count."""
        old = self.find(name)
        self._require_starter(name, token)
        if old.state not in ("stopped", "interrupted", "failed"):
            raise Conflict(say("only what was stopped or interrupted can go on"))
        return self._add(name, self.wanted(name), old)

    def _add(self, name: str, wanted: Wanted, old: messages.Job | None = None) -> messages.StartedJob:
        """A job that waits for its turn; `old` is what it goes on with."""
        title, game, work = _planned(wanted)
        if sum(job.state in ("waiting", "running") for job in self._jobs.values()) >= self.most:
            raise TooMuch(say("enough evaluations and tournaments wait already; stop one or come back later"))
        job = messages.Job(
            id=name,
            kind="evaluation" if isinstance(wanted, messages.NewEvaluation) else "tournament",
            title=title,
            game=game.spec.id,
            state="waiting",
            done=old.done if old else 0.0,
            line="",
            created=time.time(),
            held=True,
            result=old.result if old else None,
        )
        self._make_room()
        token = None if name in self._controls else new_token()
        if token is not None:
            self._controls[name] = digest(token)
        self._jobs[name], self._wanted[name] = job, wanted
        self._stopped.discard(name)
        context = contextvars.copy_context()  # it reports in the language of whoever started it
        self._queue.put((name, partial(context.run, work, resume=old is not None)))
        if self._thread is None:
            self._thread = threading.Thread(target=self._work_on, name="arena", daemon=True)
            self._thread.start()
        return messages.StartedJob(**dict(job), token=token)

    def _require_starter(self, name: str, token: str | None) -> None:
        control = self._controls.get(name)
        if control is not None and not opens(token, control):
            raise Forbidden(say("only who started an evaluation or a tournament may stop it or go on with it"))

    def _make_room(self) -> None:
        """What ended long ago is forgotten here; the arena's store has it."""
        ended = [name for name, job in self._jobs.items() if job.state in ("done", "failed", "stopped")]
        for name in ended[: max(len(self._jobs) - MOST_LISTED, 0)]:
            for known in (self._jobs, self._wanted, self._interim, self._controls, self._runs):
                known.pop(name, None)

    def _work_on(self) -> None:
        while True:
            item = self._queue.get()
            if item is None:
                return
            name, work = item
            with self._turning:
                job = self._jobs.get(name)
                if job is None or job.state != "waiting" or name in self._stopped:  # before it began
                    continue
                job.state = "running"

            def report(done: float, line: str, job: messages.Job = job) -> None:
                stopped = job.id in self._stopped  # asked first: who sees a match counted stops only after the next
                job.done, job.line = min(done, 0.999), line  # 1 = the result is there
                if stopped:
                    raise Stopped

            def live(standing: Standing, run: int | None, name: str = name) -> None:
                self._standings[name], self._runs[name] = standing, run

            change: dict[str, Any]
            try:
                with Store(self.path) as store:
                    result = work(backend="threads", store=store, report=report, live=live)
                change = {"state": "done", "done": 1.0, "result": plain(msgspec.to_builtins(result))}
            except Stopped:
                self._look(job)
                change = {"state": "stopped"}
            except Exception as problem:
                log.exception("%s %s cannot go on", job.kind, job.title)
                change = {"state": "failed", "problem": str(problem) or type(problem).__name__}
            self._jobs[name] = job.model_copy(update=change)  # at once: nobody sees half of it
            self._standings.pop(name, None)

    # --- looking ----------------------------------------------------------------------------------------------------

    def all(self) -> list[messages.Job]:
        """Jobs of this server and runs of the store, the newest first. How an interrupted run stands is only told when
        it is asked for by itself."""
        found = list(self._jobs.values())
        known = set(self._runs.values())
        with Store(self.path) as store:
            runs = store.runs()[-4 * MOST_LISTED :]
        found += [_stored_job(run) for run in runs if run.id not in known and f"{STORED}{run.id}" not in self._jobs]
        return sorted(found, key=lambda job: -job.created)[:MOST_LISTED]

    def find(self, name: str) -> messages.Job:
        job = self._jobs.get(name)
        if job is None:
            run = self._run(name)
            job = _stored_job(run)
            if job.state == "interrupted":
                job.result = self._known(job, partial(self._stored_standing, run))
        elif job.state in ("running", "stopping"):
            self._look(job)
        return job

    def _look(self, job: messages.Job) -> None:
        """Bring up to date how a job stands that runs."""
        standing = self._standings.get(job.id)
        if standing is not None:
            job.result = self._known(job, standing) or job.result

    def _known(self, job: messages.Job, standing: Standing) -> Any:
        """How a job stands; worked out anew only when more has been played."""
        done = job.done  # before the standing, which may know of more matches but never of fewer
        if self._interim.get(job.id, (0.0, None))[0] != done:
            found = standing()
            self._interim[job.id] = done, None if found is None else plain(msgspec.to_builtins(found))
        return self._interim.get(job.id, (0.0, None))[1]

    def _stored_standing(self, run: Run) -> Any:
        with Store(self.path) as store:
            return (evaluations if run.kind == "evaluate" else tournaments).so_far(store, run)

    def wanted(self, name: str) -> Wanted:
        """What was wanted when a job was begun."""
        return self._wanted.get(name) or _wanted(self._run(name))

    def _run(self, name: str) -> Run:
        """The run of the store that a job's name stands for."""
        if name.startswith(STORED):
            with Store(self.path) as store:
                for run in store.runs():
                    if f"{STORED}{run.id}" == name:
                        return run
        raise Missing(say("there is no such evaluation or tournament"))

    def stop(self, name: str, token: str | None) -> messages.Job:
        """Stop a job: at once if it waits, after the match that is being played if it runs."""
        job = self.find(name)
        self._require_starter(name, token)
        with self._turning:
            if job.state == "waiting":
                job.state = "stopped"
            elif job.state == "running":
                job.state = "stopping"
                self._stopped.add(name)
        return job

    def record(self, name: str, number: int) -> Record:
        """The record of one match of an evaluation or tournament."""
        job = self.find(name)
        run = (job.result or {}).get("run")
        if run is None:
            raise Missing(say("no match has been played yet"))
        with Store(self.path) as store:
            return store.record(run, number)

    def close(self) -> None:
        self._stopped.update(self._jobs)
        self._queue.put(None)


def _planned(wanted: Wanted) -> tuple[str, Game, Work]:
    """The title of a job, its game, and what is to be done."""
    game = registry.game(wanted.game, wanted.seats, wanted.variant)
    agents = [registry.agent(spec) for spec in named_agents(wanted)]
    for agent in agents:
        agent.require(game)
    if isinstance(wanted, messages.NewTournament):
        if len(set(agents)) < len(agents):
            raise SpielwerkError(say("the agents of a tournament are all different; leave the repeated one out"))
        title = " · ".join(agent.spec for agent in agents)
        cup = partial(tournaments.tournament, game, agents, rounds=wanted.rounds)
        return title, game, partial(cup, seed=wanted.seed, opening=wanted.opening)
    opponents = wanted.opponents if game.seats > 1 else None
    title = wanted.agent + (f" – {opponents}" if opponents else "")
    work = partial(evaluations.evaluate, game, wanted.agent, opponents=opponents, games=wanted.games)
    return title, game, partial(work, seed=wanted.seed, opening=wanted.opening)


def named_agents(wanted: Wanted) -> list[str]:
    """The agents that somebody wrote down."""
    if isinstance(wanted, messages.NewTournament):
        return wanted.agents
    return [spec for spec in (wanted.agent, wanted.opponents) if spec]


def _wanted(run: Run) -> Wanted:
    """What was wanted when a run of the store was begun."""
    if run.problem:
        raise Conflict(say("this run is damaged: {problem}", problem=run.problem))
    config = dict(run.config)
    if config.pop("thinking", None) is not None:
        raise Conflict(say("this was begun on the command line with a time limit; go on there, with --resume"))
    kind: type[Wanted] = messages.NewEvaluation if run.kind == "evaluate" else messages.NewTournament
    return kind.model_validate(config)


def _total(run: Run) -> int:
    """How many matches a run has when it is finished."""
    if run.kind == "evaluate":
        return int(run.config["games"])
    game = registry.game(run.config["game"], run.config["seats"], run.config["variant"])
    players = [registry.agent(spec) for spec in run.config["agents"]]
    return len(tournaments.schedule(game, players, 1, 0)[0]) * int(run.config["rounds"])


def _stored_job(run: Run) -> messages.Job:
    config = run.config
    evaluation = run.kind == "evaluate"
    title = str(config.get("agent")) if evaluation else " · ".join(map(str, config.get("agents", [])))
    if config.get("opponents"):
        title += f" – {config['opponents']}"
    finished = bool(run.finished and run.summary)
    return messages.Job(
        id=f"{STORED}{run.id}",
        kind="evaluation" if evaluation else "tournament",
        title=title,
        game=str(config.get("game", "")),
        state="failed" if run.problem else "done" if finished else "interrupted",
        problem=run.problem or None,
        done=1.0 if finished else _share(run),
        line="",
        created=run.started,
        result=plain({**(run.summary or {}), "run": run.id}) if finished else None,
    )


def _share(run: Run) -> float:
    """How much of an unfinished run has been played; 0 if its game or agents are not known here."""
    try:
        return min(run.matches / _total(run), 0.999)
    except (SpielwerkError, KeyError):
        return 0.0


def plain(value: Any) -> Any:
    """The same without numbers that JSON does not know."""
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
