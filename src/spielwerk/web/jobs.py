"""Evaluations and tournaments that are started from the browser: one after the other, in a thread of their own.

Whose turn it is goes round among the visitors, so that nobody waits because another has started many. Results go to the
arena's store, so that what was played on the command line is seen here too, and the other way round. While one runs, it
shows how it stands. What was stopped, by somebody or because its time was up, or interrupted because the server ended,
is in the store as far as it came, and can go on from there. Who starts one gets a token, without which it is neither
stopped nor gone on with, except by who runs the server; what was interrupted, or begun on the command line, belongs to
whoever goes on with it.
"""

import contextvars
import logging
import math
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from spielwerk.arena import evaluate as evaluations
from spielwerk.arena import tournament as tournaments
from spielwerk.arena.store import Run, Store
from spielwerk.core.clock import Stopped, StopSign
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.match import Record
from spielwerk.core.words import number
from spielwerk.web import messages
from spielwerk.web.errors import Conflict, Forbidden, Missing, TooMuch, Wait, whole_seconds
from spielwerk.web.language import say
from spielwerk.web.limits import Limits, Turns, Visitor
from spielwerk.web.planning import STORED, Plan, Wanted, plain, planned, stored_job, wanted_by
from spielwerk.web.store import digest, new_token, opens

MOST_LISTED = 40
A_WHILE = 60.0  # seconds to wait where nobody knows better
Standing = Callable[[], Any]  # how a job stands; None: nothing has been played yet

log = logging.getLogger("spielwerk.web")


@dataclass
class Entry:
    """A job that this server was asked for."""

    shown: messages.Job
    wanted: Wanted
    plan: Plan
    owner: str  # address of who started it
    control: str  # digest of the token of who started it
    resume: bool
    seconds: float  # that it may run
    context: contextvars.Context  # it reports in the language of whoever started it
    began: float | None = None  # when it began to run
    sign: StopSign = field(default_factory=StopSign)  # set when somebody stops it, or its time is up
    late: bool = False  # its time is up
    run: int | None = None  # its number in the store
    standing: Standing | None = None  # while it runs
    interim: tuple[float, Any] = (0.0, None)  # how much has been played, and how it stood then

    @property
    def busy(self) -> bool:
        return self.shown.state in ("waiting", "running", "stopping")


class Jobs:
    def __init__(self, path: Path | None, limits: Limits) -> None:
        self.path, self.limits = path, limits
        self._entries: dict[str, Entry] = {}
        self._waiting: Turns[str] = Turns()
        self._changed = threading.Condition()  # of what waits, and of a job from waiting to what comes next
        self._thread: threading.Thread | None = None
        self._closed = False
        self._interim: dict[str, tuple[float, Any]] = {}  # of interrupted runs: matches, and how it stood then

    # --- starting ---------------------------------------------------------------------------------------------------

    def start(self, wanted: Wanted, visitor: Visitor) -> messages.StartedJob:
        return self._add(secrets.token_urlsafe(9), wanted, visitor)

    def go_on(self, name: str, token: str | None, visitor: Visitor) -> messages.StartedJob:
        """Go on with what was stopped or interrupted, or failed; the matches that were played count."""
        old = self.find(name)
        self._require_starter(name, token, visitor)
        if old.state not in ("stopped", "interrupted", "failed"):
            raise Conflict(say("only what was stopped or interrupted can go on"))
        return self._add(name, self.wanted(name), visitor, old)

    def _add(self, name: str, wanted: Wanted, visitor: Visitor, old: messages.Job | None = None) -> messages.StartedJob:
        """A job that waits for its turn; `old` is what it goes on with."""
        plan = planned(wanted)
        if plan.matches > self.limits.job_matches and not visitor.in_charge:
            phrase = "{wanted} matches are too many: on this server an evaluation or tournament has {most} at most"
            raise SpielwerkError(say(phrase, wanted=number(plan.matches), most=number(self.limits.job_matches)))
        shown = messages.Job(
            id=name,
            kind="evaluation" if isinstance(wanted, messages.NewEvaluation) else "tournament",
            title=plan.title,
            game=plan.game.spec.id,
            state="waiting",
            done=old.done if old else 0.0,
            line="",
            created=time.time(),
            held=True,
            result=old.result if old else None,
        )
        with self._changed:
            self._require_room(visitor)
            self._make_room()
            before = self._entries.get(name)
            token = None if before else new_token()
            self._entries[name] = Entry(
                shown,
                wanted,
                plan,
                visitor.address,
                before.control if before else digest(token or ""),
                old is not None,
                math.inf if visitor.in_charge else self.limits.job_seconds,
                contextvars.copy_context(),
                run=before.run if before else None,
            )
            self._waiting.put(visitor.address, name)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work_on, name="arena", daemon=True)
                self._thread.start()
            self._changed.notify()
        return messages.StartedJob(**dict(shown), token=token)

    def _require_room(self, visitor: Visitor) -> None:
        if visitor.in_charge:
            return
        busy = [entry for entry in self._entries.values() if entry.busy]
        own = [entry for entry in busy if entry.owner == visitor.address]
        if len(own) >= self.limits.jobs_each:
            wait = self._wait(own)
            phrase = (
                "you have {count} evaluations and tournaments that wait or run, and more are not possible; stop one, "
                "or wait about {seconds} s"
            )
            raise Wait(say(phrase, count=len(own), seconds=whole_seconds(wait)), wait)
        if len(busy) >= self.limits.jobs:
            raise TooMuch(say("enough evaluations and tournaments wait already; stop one or come back later"))

    def _wait(self, own: list[Entry]) -> float:
        """About how many seconds it takes until one of these jobs has ended."""
        running = next((entry for entry in own if entry.began is not None), None)
        if running is None or running.began is None:
            return A_WHILE
        spent, done = time.monotonic() - running.began, running.shown.done
        left = running.seconds - spent
        if done > 0:
            left = min(left, spent * (1 - done) / done)
        return left if math.isfinite(left) else A_WHILE

    def _require_starter(self, name: str, token: str | None, visitor: Visitor) -> None:
        entry = self._entries.get(name)
        if entry is not None and not visitor.in_charge and not opens(token, entry.control):
            raise Forbidden(say("only who started an evaluation or a tournament may stop it or go on with it"))

    def _make_room(self) -> None:
        """What ended long ago is forgotten here; the arena's store has it."""
        ended = [name for name, entry in self._entries.items() if not entry.busy]
        for name in ended[: max(len(self._entries) - MOST_LISTED, 0)]:
            del self._entries[name]

    # --- running ----------------------------------------------------------------------------------------------------

    def _work_on(self) -> None:
        while (entry := self._next()) is not None:
            timer = threading.Timer(min(entry.seconds, threading.TIMEOUT_MAX), self._time_is_up, (entry,))
            timer.daemon = True
            timer.start()
            try:
                change = self._play(entry)
            finally:
                timer.cancel()
            entry.shown = entry.shown.model_copy(update=change)  # at once: nobody sees half of it
            entry.standing = None

    def _next(self) -> Entry | None:
        """The job whose turn it is, when there is one; None when the server ends."""
        with self._changed:
            while not self._closed:
                name = self._waiting.take()
                if name is None:
                    self._changed.wait()
                    continue
                entry = self._entries.get(name)
                if entry is not None and entry.shown.state == "waiting":  # nobody has stopped it
                    entry.shown.state, entry.began = "running", time.monotonic()
                    return entry
        return None

    def _play(self, entry: Entry) -> dict[str, Any]:
        """Run a job; returns what has changed with its end."""
        job = entry.shown

        def report(done: float, line: str) -> None:
            job.done, job.line = min(done, 0.999), line  # 1 = the result is there

        def live(standing: Standing, run: int | None) -> None:
            entry.standing, entry.run = standing, run

        try:
            with Store(self.path) as store:
                work = partial(entry.plan.work, resume=entry.resume, store=store, report=report, live=live)
                result = entry.context.run(work, backend="threads", sign=entry.sign)
            return {"state": "done", "done": 1.0, "result": plain(msgspec.to_builtins(result))}
        except Stopped:
            self._look(entry)
            problem = entry.context.run(self._out_of_time) if entry.late else None
            return {"state": "stopped", "problem": problem}
        except Exception as problem:
            log.exception("%s %s cannot go on", job.kind, job.title)
            return {"state": "failed", "problem": str(problem) or type(problem).__name__}

    def _time_is_up(self, entry: Entry) -> None:
        with self._changed:
            entry.late = True
            entry.shown.state = "stopping"
            self._halt(entry)

    def _halt(self, entry: Entry) -> None:
        """Stop a job that runs."""
        entry.sign.set()

    def _out_of_time(self) -> str:
        phrase = (
            "stopped after {seconds} s, the most that this server gives to one evaluation or tournament; what was "
            "played is kept, and it can go on when it is its turn again"
        )
        return say(phrase, seconds=number(self.limits.job_seconds))

    # --- looking ----------------------------------------------------------------------------------------------------

    def all(self) -> list[messages.Job]:
        """Jobs of this server and runs of the store, the newest first. How an interrupted run stands is only told when
        it is asked for by itself."""
        entries = list(self._entries.values())
        known = {entry.run for entry in entries}
        names = {entry.shown.id for entry in entries}
        with Store(self.path) as store:
            runs = store.runs()[-4 * MOST_LISTED :]
        found = [entry.shown for entry in entries]
        found += [stored_job(run) for run in runs if run.id not in known and f"{STORED}{run.id}" not in names]
        return sorted(found, key=lambda job: -job.created)[:MOST_LISTED]

    def find(self, name: str) -> messages.Job:
        entry = self._entries.get(name)
        if entry is not None:
            if entry.shown.state in ("running", "stopping"):
                self._look(entry)
            return entry.shown
        run = self._run(name)
        job = stored_job(run)
        if job.state == "interrupted":
            if self._interim.get(name, (0.0, None))[0] != job.done:
                self._interim[name] = job.done, _figures(self._stored_standing(run))
            job.result = self._interim.get(name, (0.0, None))[1]
        return job

    def _look(self, entry: Entry) -> None:
        """Bring up to date how a job stands that runs; worked out anew only when more has been played."""
        standing, done = entry.standing, entry.shown.done  # the standing may know of more matches but never of fewer
        if standing is not None and entry.interim[0] != done:
            entry.interim = done, _figures(standing())
        entry.shown.result = entry.interim[1] or entry.shown.result

    def _stored_standing(self, run: Run) -> Any:
        with Store(self.path) as store:
            return (evaluations if run.kind == "evaluate" else tournaments).so_far(store, run)

    def wanted(self, name: str) -> Wanted:
        """What was wanted when a job was begun."""
        entry = self._entries.get(name)
        return entry.wanted if entry else wanted_by(self._run(name))

    def _run(self, name: str) -> Run:
        """The run of the store that a job's name stands for."""
        if name.startswith(STORED):
            with Store(self.path) as store:
                for run in store.runs():
                    if f"{STORED}{run.id}" == name:
                        return run
        raise Missing(say("there is no such evaluation or tournament"))

    def stop(self, name: str, token: str | None, visitor: Visitor) -> messages.Job:
        """Stop a job; the match that is being played is not kept."""
        job = self.find(name)
        self._require_starter(name, token, visitor)
        with self._changed:
            entry = self._entries.get(name)
            if entry is not None and job.state == "waiting":
                job.state = "stopped"
            elif entry is not None and job.state == "running":
                job.state = "stopping"
                self._halt(entry)
        return job

    def record(self, name: str, number: int) -> Record:
        """The record of one match of an evaluation or tournament."""
        job = self.find(name)
        run = (job.result or {}).get("run")
        if run is None:
            raise Missing(say("no match has been played yet"))
        with Store(self.path) as store:
            try:
                return store.record(run, number)
            except SpielwerkError as problem:  # which names the file; visitors need not know where it is
                log.warning("match %d of %s: %s", number, name, problem)
                raise Missing(say("there is no such match")) from None

    def close(self) -> None:
        with self._changed:
            self._closed = True
            for entry in self._entries.values():
                self._halt(entry)
            self._changed.notify_all()


def _figures(standing: Any) -> Any:
    return None if standing is None else plain(msgspec.to_builtins(standing))
