"""What every game must hold: its declared facts, its rules, its records, its chance and its features."""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from typing import Any

import numpy as np
from scipy.special import gammaincc

from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel import entry
from spielwerk.core.kernel.rng import pick, spawn
from spielwerk.core.linker import specialise
from spielwerk.core.match import Record, record_of, replay
from spielwerk.core.position import View
from spielwerk.core.running import run
from spielwerk.testing.bounds import check_bounds
from spielwerk.testing.hidden import check_hidden, check_views
from spielwerk.testing.moments import check_moments
from spielwerk.testing.pictures import check_pictures, check_pieces
from spielwerk.testing.profiles import check_profile
from spielwerk.testing.walks import must, random_walk
from spielwerk.testing.words import check_words

MOST_ACTIONS = 2**15  # actions are stored as int16


def check_game(game: Game, seed: int = 0, most: int = 400) -> None:
    """All checks of a game on random matches from `seed`; at most `most` positions each."""
    check_spec(game)
    check_bounds(game, seed, most)
    check_rules(game, seed)
    check_records(game, seed)
    check_outcomes(game, seed, most)
    check_views(game, seed, most)
    check_hidden(game, seed, most)
    check_features(game, seed, most)
    check_pictures(game, seed, most)
    check_words(game, seed, most)
    check_pieces(game, seed, most)
    check_moments(game, seed, min(most, 100))
    check_profile(game, seed)


def check_spec(game: Game) -> None:
    """The declared facts fit together."""
    spec = game.spec
    assert len(set(spec.moves)) == spec.actions, f"{spec.title}: two actions have the same name"
    assert spec.actions <= MOST_ACTIONS, f"{spec.title}: records have room for {MOST_ACTIONS} actions"
    assert 1 <= spec.widest <= spec.actions, f"{spec.title}: widest is out of range"
    assert spec.objective in ("points", "win", "margin"), f"{spec.title}: unknown objective {spec.objective}"
    for name in spec.variants:
        again = type(game)(game.seats, name)
        assert again.variant == name, f"{spec.title}: variant {name} is written {again.variant}"
    for action, move in enumerate(spec.moves):
        assert game.action(move) == action, f"{spec.title}: '{move}' is not read back"
    for key, move in (*spec.keys.items(), *spec.swipes.items()):
        assert move in spec.moves, f"{spec.title}: '{key}' is to play '{move}', which is no move"
    assert set(spec.swipes) <= {"up", "down", "left", "right"}, f"{spec.title}: fingers swipe up, down, left or right"
    assert not spec.idle or spec.idle in spec.moves, f"{spec.title}: who is idle plays '{spec.idle}', which is no move"
    for rung in spec.ladder:
        reason = registry.agent(rung.agent).why_not(type(game)())
        assert reason is None, f"{spec.title}: the {rung.strength} agent {rung.agent} cannot play it: {reason}"


def check_rules(game: Game, seed: int) -> None:
    """Legal ids ascending, unique, in range; copies independent; chance only when nobody decides; the match ends."""
    spec = game.spec
    events = 0
    rng = spawn(seed, 98)
    position = game.opening(seed)
    while not position.over:
        events += 1
        must(events <= spec.longest, position, f"longer than the {spec.longest} events that it declares")
        if position.actor_set == 0:
            must(spec.chance, position, "chance acts in a game that declares none")
            must(position.actors == (), position, "a seat decides while chance acts")
            position.roll()
            continue
        actors = position.actors
        must(len(actors) == 1 or spec.simultaneous, position, "several seats decide in a game that declares it never")
        must(position.actor_set < 1 << game.seats, position, f"actors name a seat beyond {game.seats}")
        moves: dict[int, int | str] = {}
        for seat in actors:
            legal = position.legal(seat)
            must(0 < len(legal) <= spec.widest, position, f"seat {seat} has {len(legal)} legal actions")
            must(list(legal) == sorted(set(legal)), position, f"legal actions {legal} are not ascending and unique")
            must(legal[0] >= 0 and legal[-1] < spec.actions, position, f"legal actions {legal} are out of range")
            moves[seat] = legal[pick(rng, len(legal))]
        before = position.state.tobytes()
        twin = position.copy()
        twin.play(moves)
        must(position.state.tobytes() == before, position, "playing on a copy changed the original")
        position.apply(moves)
    must(len(position.score) == game.seats, position, "there is not one score per seat")
    must(all(np.isfinite(position.score)), position, f"scores {position.score} are not finite")


def check_records(game: Game, seed: int) -> None:
    """Record, JSON and replay reproduce a match byte for byte."""
    from spielwerk.agents.random import RandomAgent

    agents = [RandomAgent()] * game.seats
    played = run(game, agents, seed)
    record = record_of(game, ["random"] * game.seats, seed, played.log)
    again = Record.from_json(record.to_json())
    assert again == record, f"{game.spec.title}: the record changes on its way through JSON"
    try:
        last = replay(again, game)[-1]
    except SpielwerkError as problem:
        raise AssertionError(f"{game.spec.title}: the record of a match does not replay: {problem}") from problem
    must(last.state.tobytes() == played.final.tobytes(), last, "the replay ends in other bytes than the match")
    must(last.score == played.scores, last, f"the replay scores {last.score}, the match {played.scores}")


def check_outcomes(game: Game, seed: int, most: int = 400, draws: int = 4000) -> None:
    """Enumerated outcomes sum to 1, lead to different states, and occur as often as they claim. An event may have none
    that are listed, where there are too many."""
    if not game.spec.outcomes:
        return
    ids, probs = np.zeros(game.spec.outcomes, np.int64), np.zeros(game.spec.outcomes)
    position, rng, tested, events = game.opening(seed), spawn(seed, 97), 0, 0
    while not position.over and tested < 3 and events < most:
        events += 1
        if position.actor_set:
            position.apply({seat: position.legal(seat)[0] for seat in position.actors})
            continue
        count = game.call(entry.outcomes_at, position.state, ids, probs)
        must(0 <= count <= game.spec.outcomes, position, f"{count} outcomes are listed")
        if count == 0:  # too many to be listed
            position.roll()
            continue
        must(abs(probs[:count].sum() - 1) < 1e-9, position, f"the probabilities sum to {probs[:count].sum()}")
        expected: dict[bytes, float] = {}
        for outcome, probability in zip(ids[:count], probs[:count], strict=True):
            trial = position.state.copy()
            game.call(entry.happen_at, trial, outcome)
            must(trial.tobytes() not in expected, position, f"outcome {outcome} is listed twice")
            expected[trial.tobytes()] = float(probability)
        if events % 7 == 1:
            seen: Counter[bytes] = Counter()
            for _ in range(draws):
                trial = position.state.copy()
                game.call(entry.chance_at, trial, rng)
                seen[trial.tobytes()] += 1
            must(set(seen) <= set(expected), position, "chance did something that outcomes does not list")
            surprise = sum((seen[state] - draws * p) ** 2 / (draws * p) for state, p in expected.items())
            chance_of_that = gammaincc(max(len(expected) - 1, 1) / 2, surprise / 2)
            must(
                chance_of_that > 1e-6, position, f"chance does not follow its probabilities (p = {chance_of_that:.1e})"
            )
            tested += 1
        position.roll()


def check_features(game: Game, seed: int, most: int = 400) -> None:
    """Every encoding has the declared length, is finite, and tells no more than the seat knows."""
    for name, encoding in game.encodings.items():
        write = specialise(entry.features_at, game, features=encoding.function)

        def features(view: View, name: str = name, size: int = encoding.size, write: Any = write) -> bytes:
            out = np.full(size + 1, np.nan, np.float32)
            write(view.state, view.seat, out)
            must(np.isnan(out[-1]), view, f"more than the {size} features that the encoding {name} declares")
            must(bool(np.isfinite(out[:-1]).all()), view, f"features of seat {view.seat} are missing or not finite")
            return out.tobytes()

        for number, position in enumerate(random_walk(game, seed, most)):
            for seat in range(game.seats):
                view = position.view(seat)
                elsewhere = view.imagine(spawn(seed, 4, number, seat)).view(seat)
                must(features(elsewhere) == features(view), position, f"features tell seat {seat} what it cannot know")


def walk_digest(game: Game, seed: int, most: int) -> str:
    """A fingerprint of the positions of a random walk."""
    seen = hashlib.sha256()
    for position in random_walk(game, seed, most):
        seen.update(np.ascontiguousarray(position.state).tobytes())
        seen.update(repr((position.actor_set, position.score, [position.legal(s) for s in position.actors])).encode())
    return seen.hexdigest()


def check_interpreted(game: Game, seed: int, most: int = 40) -> None:
    """Compiled and interpreted rules agree (the interpreted ones run in a process of their own)."""
    code = (
        "import sys; from spielwerk import game, testing; "
        "name, seats, variant, seed, most = sys.argv[1:]; "
        "print(testing.walk_digest(game(name, int(seats), variant), int(seed), int(most)))"
    )
    arguments = [game.spec.id, str(game.seats), game.variant, str(seed), str(most)]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{game.spec.title} does not run interpreted:\n{done.stderr}"
    assert done.stdout.strip() == walk_digest(game, seed, most), (
        f"{game.spec.title}: compiled and interpreted rules differ"
    )
