"""Who plays the matches of an evaluation or a tournament: threads, processes of this machine, or a Ray cluster.

A crew is given calls, says which are finished, and hands out their results. Processes and clusters get names and give
back plain data, never compiled functions. A crew that is left lets go of what it still works on.
"""

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from concurrent.futures import FIRST_COMPLETED, Executor, ThreadPoolExecutor, wait
from contextlib import redirect_stdout
from typing import Any, Literal

from spielwerk.arena.words import say
from spielwerk.core.errors import SpielwerkError

Backend = Literal["auto", "threads", "processes", "ray"]
RETRIES = 3  # of a task whose worker died


class Crew(ABC):
    at_once: int  # calls that are given before one has finished

    @abstractmethod
    def give(self, function: Callable[..., Any], *args: Any) -> Any:
        """A call that somebody makes soon; returns what `finished` and `result` know it by."""

    @abstractmethod
    def finished(self, calls: Collection[Any], seconds: float) -> set[Any]:
        """The calls that have finished; waits for one, but no longer than so many seconds."""

    @abstractmethod
    def result(self, call: Any) -> Any: ...

    @abstractmethod
    def leave(self, calls: Collection[Any]) -> None:
        """Nobody waits for these calls any more."""


class Pool(Crew):
    """Threads or processes of this machine."""

    def __init__(self, pool: Executor, workers: int) -> None:
        self.pool, self.at_once = pool, 2 * workers  # nobody waits for the next call

    def give(self, function: Callable[..., Any], *args: Any) -> Any:
        return self.pool.submit(function, *args)

    def finished(self, calls: Collection[Any], seconds: float) -> set[Any]:
        return wait(calls, seconds, FIRST_COMPLETED).done

    def result(self, call: Any) -> Any:
        return call.result()

    def leave(self, calls: Collection[Any]) -> None:
        self.pool.shutdown(cancel_futures=True)


class Processes(Pool):
    """Processes that are kept for the next time, unless they are still busy."""

    def __init__(self, workers: int) -> None:
        from joblib.externals.loky import get_reusable_executor

        super().__init__(get_reusable_executor(workers), workers)

    def leave(self, calls: Collection[Any]) -> None:
        if calls:
            self.pool.shutdown(kill_workers=True)  # type: ignore[call-arg]


class Cluster(Crew):
    """Tasks of Ray: one that was running where a worker died is run again elsewhere."""

    def __init__(self, workers: int) -> None:
        self.ray = require_ray()
        self.at_once = workers
        self._remote: dict[Callable[..., Any], Any] = {}
        if not self.ray.is_initialized():
            self._begin(workers)

    def _begin(self, workers: int) -> None:
        """Join the cluster that RAY_ADDRESS names, else begin one on this machine. What Ray and its workers print must
        not mix with results."""
        own = {"address": "local", "num_cpus": workers, "include_dashboard": False}
        with redirect_stdout(sys.stderr):
            self.ray.init(log_to_driver=False, logging_level="error", **({} if os.environ.get("RAY_ADDRESS") else own))

    def give(self, function: Callable[..., Any], *args: Any) -> Any:
        if function not in self._remote:
            self._remote[function] = self.ray.remote(max_retries=RETRIES)(function)
        return self._remote[function].remote(*args)

    def finished(self, calls: Collection[Any], seconds: float) -> set[Any]:
        return set(self.ray.wait(list(calls), num_returns=1, timeout=seconds)[0])

    def result(self, call: Any) -> Any:
        from ray.exceptions import RayError, RayTaskError

        try:
            return self.ray.get(call)
        except RayTaskError as problem:
            raise problem.cause from problem  # as it was raised there
        except RayError as problem:
            phrase = "the cluster lost a match, also when it was played again: {problem}"
            raise SpielwerkError(say(phrase, problem=type(problem).__name__)) from problem

    def leave(self, calls: Collection[Any]) -> None:
        for call in calls:
            self.ray.cancel(call, force=True)


def crew_of(backend: Backend, workers: int) -> Crew:
    if backend == "threads":
        return Pool(ThreadPoolExecutor(workers, thread_name_prefix="match"), workers)
    return Cluster(workers) if backend == "ray" else Processes(workers)


def require_ray() -> Any:
    try:
        import ray
    except ImportError:
        phrase = "the backend ray needs the extra 'cluster': pip install spielwerk[cluster]"
        raise SpielwerkError(say(phrase)) from None
    return ray
