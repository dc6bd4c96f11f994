"""Where decisions to learn from come from: matches of a teacher, or records of matches.

Where everybody at the table has a compiled policy, whole matches run in compiled code; else agents are asked decision
by decision. Matches are made in shards, on threads, processes or a cluster. A match is a function of its seed, and a
shard of its matches, so that the data are the same whoever made them. A shard is written when it is complete: who goes
on after a kill makes the others only.

The teacher's moves are played at random now and then (`noise`), so that positions after mistakes occur as well. What is
learned there is still the teacher's move.
"""

import hashlib
import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial, reduce
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.arena.statistics import win_shares
from spielwerk.arena.workers import match_seed
from spielwerk.core import registry
from spielwerk.core.agent import Agent, Decision
from spielwerk.core.clock import Budget
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.files import from_own_json, write_atomically
from spielwerk.core.game import Game
from spielwerk.core.kernel import entry
from spielwerk.core.kernel.contract import Room
from spielwerk.core.kernel.loops import Seating, rules_of
from spielwerk.core.kernel.rng import fraction, pick, seed_of, spawn
from spielwerk.core.linker import specialise
from spielwerk.core.match import Record, positions, table_of
from spielwerk.core.position import Position, View
from spielwerk.learn.decisions import Shard, joined, keep_shard, packed, shard_file
from spielwerk.learn.kernel.decisions import NOISE, Sheet, Wish, decisions_loop
from spielwerk.learn.run import Limits, Report
from spielwerk.learn.shards import ShardMaker, all_there, backend_for, clear_rests
from spielwerk.learn.words import say
from spielwerk.nets.description import Unit
from spielwerk.search.net_model import UNITS_OF_VALUES

DATA, LINE_UP = 0x4441, 0x4C49  # streams below the seed of a run: of the matches, and of who sits where in each
COMPILED_ROWS, ASKED_ROWS, RECORDS = 20_000, 400, 200  # what a shard holds, about: decisions, or records
IDLE = 1000  # matches without a choice after which nobody waits for one
SHEET = 4096  # rows that compiled code fills before they are packed
Target = Literal["action", "visits", "values"]


class Source(NamedTuple):
    """Who decides, and what is written of it. Plain data: another process makes the same of it."""

    teacher: str
    opponents: tuple[str, ...]
    noise: float
    encoding: str
    first: int  # of the actions that are learned
    actions: int  # how many
    unit: Unit
    target: Target
    temperature: float  # of a softmax of values
    seed: int
    forced: bool = False  # whether decisions without a choice are written, too

    def line_up(self, game: Game, seed: int) -> list[int]:
        """For every seat of a match 0 for the teacher, or the number of its opponent. The teacher has one team."""
        if not self.opponents or game.seats == 1:
            return [0] * game.seats
        rng = spawn(seed, LINE_UP)
        own = game.teams[pick(rng, game.seats)]
        return [0 if team == own else 1 + pick(rng, len(self.opponents)) for team in game.teams]

    @property
    def agents(self) -> list[Agent]:
        """The teacher, then the opponents."""
        return [registry.agent(spec) for spec in (self.teacher, *self.opponents)]

    def compiled(self, game: Game) -> bool:
        """Whether whole matches run in compiled code: everybody can, and nobody asks for more than the action."""
        return self.target == "action" and all(agent.policy(game) is not None for agent in self.agents)


# --- shards ----------------------------------------------------------------------------------------------------------


def make_shard(game: Game, source: Source, first: int, count: int) -> dict[str, NDArray[Any]]:
    """The decisions of `count` matches from number `first` on."""
    seeds = [match_seed(source.seed, number) for number in range(first, first + count)]
    shard = _compiled(game, source, seeds) if source.compiled(game) else _asked(game, source, seeds)
    shard["match"] += first
    return shard | {"matches": np.array([first, count], np.int64)}


def make_shard_by_name(
    game_id: str, seats: int, variant: str, source: Sequence[Any], first: int, count: int
) -> dict[str, NDArray[Any]]:
    """In a worker process: names come in, plain data goes out."""
    return make_shard(registry.game(game_id, seats, variant), Source(*source), first, count)


def _compiled(game: Game, source: Source, seeds: Sequence[int]) -> dict[str, NDArray[Any]]:
    policies = [policy for agent in source.agents if (policy := agent.policy(game)) is not None]
    rule, weights = rules_of(policies)
    encoding = game.encodings[source.encoding]
    loop = specialise(decisions_loop, game, rule=rule, features=encoding.function)
    keys = np.array([seed % 2**64 for seed in seeds], np.uint64)
    states = game.states(len(seeds))
    start = game.opening().state[0]
    slots = np.array([source.line_up(game, seed) for seed in seeds], np.int64)
    rngs, rng, noise_rng = np.zeros((game.seats, 1), np.uint64), np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    room = reduce(Room.and_for, (policy.room for policy in policies))
    seating = Seating(slots, weights, game.scratch(room), game.states(1), rng, rngs)
    wish = Wish(source.first, source.noise, UNITS_OF_VALUES[source.unit], source.forced)
    sheet = new_sheet(SHEET, len(seeds), encoding.size, source.actions)
    parts: list[Shard] = []
    done = 0
    while done < len(seeds):
        states[done:] = start
        upto = int(loop(states, keys, done, seating, wish, noise_rng, sheet))
        filled = int(sheet.lengths[done:upto].sum())
        if upto == done:
            sheet = new_sheet(int(sheet.lengths[done]), len(seeds), encoding.size, source.actions, sheet.forced)
            continue
        parts.append(rows_of(sheet, filled))
        done = upto
    return joined(parts) | {"forced": sheet.forced.copy()}


def rows_of(sheet: Sheet, filled: int) -> dict[str, NDArray[Any]]:
    """The rows that compiled code has filled, packed, without what is known of whole matches."""
    return packed(sheet.inputs[:filled]) | {
        "legal": np.packbits(sheet.legal[:filled], axis=1),
        "action": sheet.action[:filled].astype(np.int16),
        "shares": np.zeros(0, np.float32),
        "seat": sheet.seat[:filled].astype(np.uint8),
        "match": sheet.match[:filled].copy(),
        "worth": sheet.worth[:filled].astype(np.float32),
    }


def new_sheet(rows: int, matches: int, inputs: int, actions: int, forced: NDArray[np.int64] | None = None) -> Sheet:
    return Sheet(
        np.zeros((rows, inputs), np.float32),
        np.zeros((rows, actions), np.uint8),
        np.zeros(rows, np.int64),
        np.zeros(rows, np.int64),
        np.zeros(rows, np.int64),
        np.zeros(rows, np.float64),
        np.zeros(matches, np.int64) if forced is None else forced,
        np.zeros(matches, np.int64),
    )


def _asked(game: Game, source: Source, seeds: Sequence[int]) -> dict[str, NDArray[Any]]:
    """The same, with agents that are asked decision by decision."""
    agents, notes = source.agents, Notes(game, source)
    for seed in seeds:
        who = source.line_up(game, seed)
        position = game.opening(seed)
        rngs, noise = [spawn(seed, 1 + seat) for seat in range(game.seats)], spawn(seed, NOISE)
        while not position.settle().over:
            moves: dict[int, int | str] = {}
            for seat in position.actors:
                view = position.view(seat)
                legal = view.legal
                decision = Decision(legal[0])
                if len(legal) > 1:
                    decision = agents[who[seat]].decide(view, Budget(), rngs[seat])
                moves[seat] = decision.action
                if who[seat] == 0:
                    notes.write(position, view, decision)
                    if len(legal) > 1 and source.noise > 0.0 and fraction(noise) < source.noise:
                        moves[seat] = legal[pick(noise, len(legal))]
            position.apply(moves)
        notes.end_match(position)
    return notes.shard()


@dataclass
class Notes:
    """Decisions that are written down one by one."""

    game: Game
    source: Source
    rows: list[dict[str, Any]] = field(default_factory=list)
    forced: list[int] = field(default_factory=lambda: [0])
    begun: int = 0  # the first row of the match that goes on

    def __post_init__(self) -> None:
        self.encoding = self.game.encodings[self.source.encoding]
        self.features = specialise(entry.features_at, self.game, features=self.encoding.function)

    def write(self, position: Position, view: View, decision: Decision) -> None:
        source, legal = self.source, view.legal
        if not 0 <= decision.action - source.first < source.actions:
            return
        if len(legal) == 1 and not source.forced:
            self.forced[-1] += 1
            return
        inputs = np.zeros(self.encoding.size, np.float32)
        self.features(view.state, view.seat, inputs)
        mask = np.zeros(source.actions, bool)
        known = [i for i, action in enumerate(legal) if 0 <= action - source.first < source.actions]
        mask[[legal[i] - source.first for i in known]] = True
        row = {"inputs": inputs, "legal": mask, "action": decision.action - source.first, "seat": view.seat}
        row["match"] = len(self.forced) - 1
        row["worth"] = standing(position, view.seat, source.unit)
        searched = source.target != "action"
        row["shares"] = (shares(decision, source)[known] if len(legal) > 1 else np.ones(1)) if searched else np.zeros(0)
        self.rows.append(row)

    def end_match(self, final: Position | None) -> None:
        """None: it did not end, so nobody knows what came of it."""
        unit = self.source.unit
        wins = win_shares(final.result, final.teams) if final is not None and unit == "win" else []
        for row in self.rows[self.begun :]:
            if final is None:
                row["worth"] = np.nan
            elif unit == "win":
                row["worth"] = wins[row["seat"]]
            else:
                row["worth"] = standing(final, row["seat"], unit) - row["worth"]
        self.begun = len(self.rows)
        self.forced.append(0)

    def shard(self) -> dict[str, NDArray[Any]]:
        rows, kinds = self.rows, {"action": np.int16, "seat": np.uint8, "match": np.int64, "worth": np.float32}
        inputs = np.array([row["inputs"] for row in rows], np.float32).reshape(len(rows), self.encoding.size)
        legal = np.array([row["legal"] for row in rows], bool).reshape(len(rows), self.source.actions)
        spread = [np.zeros(0), *(row["shares"] for row in rows)]
        return (
            packed(inputs)
            | {"legal": np.packbits(legal, axis=1), "shares": np.concatenate(spread).astype(np.float32)}
            | {name: np.array([row[name] for row in rows], kind) for name, kind in kinds.items()}
            | {"forced": np.array(self.forced[:-1], np.int64)}
        )


def standing(position: Position | View, seat: int, unit: Unit) -> float:
    """The points of a seat, or its lead over the best other team."""
    score, teams = position.score, position.game.teams
    others = [points for points, team in zip(score, teams, strict=True) if team != teams[seat]]
    return score[seat] if unit == "points" or not others else score[seat] - max(others)


def shares(decision: Decision, source: Source) -> NDArray[np.float64]:
    """How likely every legal action should be: by visits, or by a softmax of values."""
    found = decision.visits if source.target == "visits" else decision.values
    if found is None:
        phrase = "{teacher} does not say the {target} of its decisions; take target=action"
        raise SpielwerkError(say(phrase, teacher=source.teacher, target=source.target))
    numbers = np.array(found, np.float64)
    if source.target == "values":
        numbers = np.exp((numbers - np.nanmax(numbers)) / source.temperature)
        numbers[np.isnan(numbers)] = 0.0  # what was never tried
    likely: NDArray[np.float64] = numbers / numbers.sum()
    return likely


# --- all of them -----------------------------------------------------------------------------------------------------


@dataclass
class Plan:
    """How matches are dealt out to shards; kept in data/plan.json."""

    size: int  # matches per shard
    shards: int | None = None  # how many there are; None: not all have been made
    origin: str = ""  # a digest of the names of the records

    @staticmethod
    def of(folder: Path) -> "Plan | None":
        file = folder / "plan.json"
        return from_own_json(file.read_bytes(), Plan) if file.exists() else None

    def keep(self, folder: Path) -> None:
        write_atomically(folder / "plan.json", json.dumps(vars(self)).encode())


@dataclass(frozen=True)
class Gathering:
    """Fills a folder with shards until there are enough."""

    game: Game
    source: Source
    folder: Path
    games: int | None  # matches; None: as many as `decisions` take
    decisions: int
    limits: Limits
    report: Report  # (share that is done, line)

    def from_matches(self) -> int | None:
        """How many shards there are then; None if time was up before."""
        self.folder.mkdir(exist_ok=True)
        plan = Plan.of(self.folder)
        if plan is None:
            plan = self._planned()
            plan.keep(self.folder)
        if plan.shards is not None and all_there(self.folder, plan.shards):
            return plan.shards
        made = self._made(plan)
        if made is not None:
            plan.shards = made
            plan.keep(self.folder)
        return made

    def _planned(self) -> Plan:
        """Shards are made as large as the first match suggests. It is also made here so that compiled code is in its
        cache before other processes look for it."""
        probe = make_shard(self.game, self.source, 0, 1)
        rows = COMPILED_ROWS if self.source.compiled(self.game) else ASKED_ROWS
        size = max(1, rows // max(len(probe["action"]), 1))
        return Plan(min(size, self.games) if self.games else size)

    def _made(self, plan: Plan) -> int | None:
        total = made = 0
        with closing(self._maker(plan).made()) as shards:
            for shard in shards:
                total, made = total + len(shard["action"]), made + 1
                matches = made * plan.size
                done = matches / self.games if self.games else total / self.decisions
                phrase = "{decisions} {decisions:decision|decisions} of {matches} {matches:match|matches}"
                self.report(min(done, 1.0), say(phrase, decisions=total, matches=min(matches, self.games or matches)))
                if done >= 1.0:
                    return made
                if total == 0 and matches >= IDLE:
                    phrase = (
                        "{teacher} had nothing to decide in {matches} {matches:match|matches}; "
                        "choose other actions to learn"
                    )
                    raise SpielwerkError(say(phrase, teacher=self.source.teacher, matches=matches))
        return None

    def _maker(self, plan: Plan) -> ShardMaker:
        game, source = self.game, self.source
        names = game.spec.id, game.seats, game.variant, tuple(source)
        here = partial(make_shard, game, source)
        elsewhere = make_shard_by_name, names
        backend = backend_for(game, source.agents, self.limits, source.compiled(game))
        return ShardMaker(self.folder, plan.size, self.games, here, elsewhere, self.limits, backend)

    # --- records -----------------------------------------------------------------------------------------------------

    def from_data(self, where: Path, imitated: str | None) -> int | None:
        """The decisions in a folder of the game's own form; None if time was up before."""
        self.folder.mkdir(exist_ok=True)
        plan = Plan.of(self.folder) or Plan(0)
        if plan.shards is not None and all_there(self.folder, plan.shards):
            return plan.shards
        clear_rests(self.folder)
        made = decisions = 0
        for shard in registry.data(self.game.spec.id).decisions(where, self.game, self.source, imitated, self.games):
            if self.limits.reached:
                return None
            keep_shard(self.folder, made, shard)
            made, decisions = made + 1, decisions + len(shard["action"])
            self.report(0.5, say("{decisions} {decisions:decision|decisions}", decisions=decisions))
        if decisions == 0:
            raise SpielwerkError(say("there is no choice to learn from in {source}", source=imitated or where))
        plan.shards = made
        plan.keep(self.folder)
        return made

    def from_records(self, where: Path, imitated: str | None) -> int | None:
        """The decisions in records, all or only those of the seats of one agent; None if time was up before."""
        self.folder.mkdir(exist_ok=True)
        plan = Plan.of(self.folder)
        if plan is not None and plan.shards is not None and all_there(self.folder, plan.shards):
            return plan.shards
        files = sorted(where.glob("*.json")) if where.is_dir() else [where]
        files = files[: self.games]
        if not files:
            raise SpielwerkError(say("there is no record (*.json) in {folder}", folder=where))
        origin = hashlib.sha256("\n".join(map(str, files)).encode()).hexdigest()[:16]
        if plan is not None and plan.origin != origin:
            phrase = "there are other records in {folder} now than when the run began; begin another run"
            raise SpielwerkError(say(phrase, folder=where))
        plan = Plan(RECORDS, origin=origin)
        plan.keep(self.folder)
        clear_rests(self.folder)
        shards = -(-len(files) // plan.size)
        for number in range(shards):
            if self.limits.reached:
                return None
            if not shard_file(self.folder, number).exists():
                part = files[number * plan.size : (number + 1) * plan.size]
                keep_shard(self.folder, number, self._of_records(part, number * plan.size, imitated))
            done = min((number + 1) * plan.size, len(files))
            phrase = "{records} {records:record|records} of {all}"
            self.report(done / len(files), say(phrase, records=done, all=len(files)))
        plan.shards = shards
        plan.keep(self.folder)
        return shards

    def _of_records(self, files: Sequence[Path], first: int, imitated: str | None) -> dict[str, NDArray[Any]]:
        notes = Notes(self.game, self.source)
        for file in files:
            try:
                self._note_record(Record.load(file), notes, imitated)
            except SpielwerkError as problem:
                raise SpielwerkError(say("{file}: {problem}", file=file, problem=problem)) from problem
        shard = notes.shard()
        shard["match"] += first
        return shard | {"matches": np.array([first, len(files)], np.int64)}

    def _note_record(self, record: Record, notes: Notes, imitated: str | None) -> None:
        game, header = self.game, record.header
        table = table_of(header)
        if (table.spec.id, table.seats, table.variant) != (game.spec.id, game.seats, game.variant):
            phrase = "a record of {found}, not of {wanted}; leave it out, or learn that game"
            found, wanted = (f"{t.spec.id} ({t.seats}, {t.variant})" for t in (table, game))
            raise SpielwerkError(say(phrase, found=found, wanted=wanted))
        last = None
        for position, event in zip(positions(game, record), [*record.events, ""], strict=True):
            last = position
            if isinstance(event, str):
                continue
            for written, move in event.items():
                seat = int(written)
                if imitated is None or header.agents[seat] == imitated:
                    notes.write(position, position.view(seat), Decision(game.action(move)))
        ended = last is not None and last.over and record.result is not None and record.result.forfeit is None
        notes.end_match(last if ended else None)


def data_seed(seed: int) -> int:
    """The seed below which the matches of a run are played."""
    return seed_of(spawn(seed, DATA)) >> 11
