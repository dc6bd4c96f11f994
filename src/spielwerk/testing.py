"""The conformance suite: what every game and every agent must hold, as functions that anybody can call in a test.

    from spielwerk import testing
    testing.check_game(MyGame(), seed=1)
    testing.check_agent(my_agent, MyGame(), seed=1)

Every function raises AssertionError with the position drawn above the reason. `check_game` runs all checks of a game.
"""

import ast
import hashlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from scipy.special import gammaincc

from spielwerk.core import registry
from spielwerk.core.agent import Agent
from spielwerk.core.clock import Budget
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import SPECTATOR, Game, Position, View
from spielwerk.core.kernel import entry
from spielwerk.core.kernel.rng import Rng, below, spawn
from spielwerk.core.match import Record, play, record_of, replay
from spielwerk.core.running import run
from spielwerk.core.words import Words, catalogue, overheard, places, speaking

MOST_ACTIONS = 2**15  # actions are stored as int16
UNITS = ("points", "lead", "win", "margin", "worth")  # of the values of a decision


def pick(rng: Rng, count: int) -> int:
    """A random whole number 0 … count-1."""
    with np.errstate(over="ignore"):
        return int(below(rng, count))


def random_walk(game: Game, seed: int, most: int | None = None) -> Iterator[Position]:
    """The positions of a random match in which somebody decides, and the last one; changed in place between yields."""
    rng = spawn(seed, 99)
    position = game.new(seed)
    for _ in range(game.spec.longest if most is None else most):
        yield position
        if position.over:
            return
        moves: dict[int, int | str] = {}
        for seat in position.actors:
            legal = position.legal(seat)
            moves[seat] = legal[pick(rng, len(legal))]
        position.play(moves)


def must(holds: bool, position: Position | View, reason: str) -> None:
    if not holds:
        raise AssertionError(f"\n{position.text}\n{position.game.spec.title}: {reason}")


# --- games -----------------------------------------------------------------------------------------------------------


def check_game(game: Game, seed: int = 0, most: int = 400) -> None:
    """All checks of a game on random matches from `seed`; at most `most` positions each."""
    check_spec(game)
    check_rules(game, seed)
    check_records(game, seed)
    check_outcomes(game, seed, most)
    check_views(game, seed, most)
    check_features(game, seed, most)
    check_pictures(game, seed, most)
    check_words(game, seed, most)
    check_pieces(game, seed, most)


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
    for strength, written in spec.ladder:
        reason = registry.agent(written).why_not(type(game)())
        assert reason is None, f"{spec.title}: the {strength} agent {written} cannot play it: {reason}"


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
    """Enumerated outcomes sum to 1, lead to different states, and occur as often as they claim."""
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
        must(0 < count <= game.spec.outcomes, position, f"{count} outcomes are listed")
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


def check_views(game: Game, seed: int, most: int = 400) -> None:
    """A view hides once and for all, keeps what the seat may do, and what is imagined from it looks the same again and
    can be played on."""
    for number, position in enumerate(random_walk(game, seed, most)):
        for seat in (*range(game.seats), SPECTATOR):
            view = position.view(seat)
            twice = view.state.copy()
            game.call(entry.hide_at, twice, seat)
            must(twice.tobytes() == view.state.tobytes(), position, f"hiding twice from seat {seat} changes the view")
            must(view.actor_set == position.actor_set, position, f"seat {seat} sees other actors")
            must(view.score == position.score, position, f"seat {seat} sees another score")
            if seat == SPECTATOR:
                continue
            must(view.legal == position.legal(seat), position, f"seat {seat} sees other legal actions than it has")
            imagined = view.imagine(spawn(seed, number, seat))
            must(
                imagined.view(seat).state.tobytes() == view.state.tobytes(),
                position,
                f"what seat {seat} imagines does not fit what it sees",
            )
            if game.spec.hidden and number % 5 == 0:
                check_goes_on(imagined, spawn(seed, 3, number, seat), f"in what seat {seat} imagines")
            if not game.spec.hidden:
                must(view.state.tobytes() == position.state.tobytes(), position, "a view hides what is declared open")


def check_goes_on(position: Position, rng: Rng, where: str, most: int = 12) -> None:
    """Whoever must decide can, for some moves."""
    for _ in range(most):
        legal = {seat: position.legal(seat) for seat in position.actors}
        must(all(legal.values()), position, f"{where} somebody must decide and cannot")
        if position.over:
            return
        position.play({seat: actions[pick(rng, len(actions))] for seat, actions in legal.items()})


def check_features(game: Game, seed: int, most: int = 400) -> None:
    """The input of a network has the declared length, is finite, and tells no more than the seat knows."""
    if not game.features:
        return

    def features(view: View) -> bytes:
        out = np.full(game.features + 1, np.nan)
        game.call(entry.features_at, view.state, view.seat, out)
        must(np.isnan(out[-1]), view, f"more than the {game.features} features that it declares")
        must(bool(np.isfinite(out[:-1]).all()), view, f"features of seat {view.seat} are missing or not finite")
        return out.tobytes()

    for number, position in enumerate(random_walk(game, seed, most)):
        for seat in range(game.seats):
            view = position.view(seat)
            elsewhere = view.imagine(spawn(seed, 4, number, seat)).view(seat)
            must(features(elsewhere) == features(view), position, f"features tell seat {seat} what it cannot know")


def check_pictures(game: Game, seed: int, most: int = 400, every: int = 5) -> None:
    """Text and SVG can be drawn of every position; every legal action is in the SVG exactly once."""
    for number, position in enumerate(random_walk(game, seed, most)):
        if number % every and not position.over:
            continue
        for seat in (*range(game.seats), SPECTATOR):
            view = position.view(seat)
            must(bool(view.text.strip()), position, f"the text picture for seat {seat} is empty")
            root = ElementTree.fromstring(view.svg)
            drawn = [int(element.attrib["data-action"]) for element in root.iter() if "data-action" in element.attrib]
            must(
                sorted(drawn) == list(view.legal),
                position,
                f"the SVG for seat {seat} offers the actions {sorted(drawn)}, legal are {view.legal}",
            )


def piece_names(svg: str) -> list[str]:
    """The pieces of a picture (`data-piece`), which glide from one picture to the next."""
    return [
        element.attrib["data-piece"] for element in ElementTree.fromstring(svg).iter() if "data-piece" in element.attrib
    ]


def check_pieces(game: Game, seed: int, most: int = 400) -> None:
    """Pieces have different names; where they came from names pieces of both pictures; and neither names nor pictures
    tell more than the seat knows: they are the same whatever is hidden from it."""
    for number, position in enumerate(random_walk(game, seed, min(most, 60))):
        if position.over:
            return
        seats = (*range(game.seats), SPECTATOR)
        before = {seat: position.view(seat) for seat in seats}
        after = position.copy()
        after.play({seat: position.legal(seat)[0] for seat in position.actors})
        for seat, view in before.items():
            old, later = piece_names(view.svg), after.view(seat)
            new, came = piece_names(later.svg), game.came_from(view, later)
            must(len(old) == len(set(old)), position, f"two pieces of the picture for seat {seat} have the same name")
            must(set(came) <= set(new), position, f"{set(came) - set(new)} came from somewhere but are not there")
            sources = {name for names in came.values() for name in names}
            must(sources <= set(old), position, f"pieces came from {sources - set(old)}, which were not there")
            if game.spec.hidden and seat != SPECTATOR:
                elsewhere = view.imagine(spawn(seed, 6, number, seat)).view(seat)
                must(elsewhere.svg == view.svg, position, f"the picture for seat {seat} shows what it cannot know")


def check_words(game: Game, seed: int, most: int = 400, every: int = 5) -> None:
    """A game that ships another language speaks it throughout: whatever people read in a random match is translated."""
    check_catalogues(game.say)
    for language in game.say.languages:
        with speaking(language), overheard() as heard:
            spoken_facts(game)
            spoken_match(game, seed, most, every)
        missing = sorted(phrase for phrase, known in heard.items() if not known)
        assert not missing, f"{game.spec.title}: words.{language}.toml lacks {missing}"


def spoken_facts(game: Game) -> list[str]:
    """Title, options, variants, strengths and moves in the language that is spoken."""
    spec = game.spec
    texts = [game.title, *map(game.say, (spec.summary, *(word for word, _ in spec.ladder)))]
    texts += [text for option in spec.options for text in (game.option_name(option.name), game.say(option.help))]
    texts += [game.variant_name(variant) for variant in spec.variants]
    return texts + [game.move_name(action) for action in range(spec.actions)]


def spoken_match(game: Game, seed: int, most: int, every: int = 1) -> list[str]:
    """What everybody hears and sees in a random match: events, text pictures and SVGs."""
    position, rng, texts = game.opening(seed), spawn(seed, 96), []
    for number in range(most):
        if not number % every or position.over:
            views = [position.view(seat) for seat in (*range(game.seats), SPECTATOR)]
            texts += [picture for view in views for picture in (view.text, view.svg)]
        if position.over:
            break
        if position.actor_set == 0:
            event = position.roll_noted()
            texts += [game.heard(event, seat) or "" for seat in (*range(game.seats), SPECTATOR)]
            continue
        legal = {seat: position.legal(seat) for seat in position.actors}
        position.apply({seat: actions[pick(rng, len(actions))] for seat, actions in legal.items()})
    return texts


def check_catalogues(words: Words) -> None:
    """Every catalogue of a folder translates each phrase that the folder's modules say, with the same places."""
    for language in words.languages:
        folder = words.folders[0]
        known = catalogue(folder, language)
        for phrase, translated in known.items():
            same = places(phrase) == places(translated)
            assert same, f"{folder.name}/words.{language}.toml: '{phrase}' and '{translated}' have different places"
        everywhere = set().union(*(catalogue(each, language) for each in words.folders))
        missing = sorted(phrases_in(folder) - everywhere)
        assert not missing, f"{folder.name}/words.{language}.toml lacks {missing}"


def phrases_in(folder: Path) -> set[str]:
    """The phrases that the modules of a folder say: `say("…")`, or `phrase = "…"` before it."""
    found: set[str] = set()
    for file in folder.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            written: ast.expr | None = None
            if isinstance(node, ast.Call) and node.args:
                called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                written = node.args[0] if called == "say" else None
            elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "phrase":
                written = node.value
            arms = (written.body, written.orelse) if isinstance(written, ast.IfExp) else (written,)
            found |= {arm.value for arm in arms if isinstance(arm, ast.Constant) and isinstance(arm.value, str)}
    return found


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


# --- agents ----------------------------------------------------------------------------------------------------------


def check_agent(agent: Agent, game: Game, seed: int = 0, most: int = 12) -> None:
    """The agent decides legally, explains itself in the right shape, repeats itself, and cannot see what is hidden."""
    if agent.why_not(game):
        reason = agent.why_not(game)
        assert reason and len(reason.split()) >= 2, f"{agent.name} refuses {game.spec.title} without a reason"
        return
    for number, position in enumerate(random_walk(game, seed, most)):
        for seat in position.actors:
            view = position.view(seat)
            before = view.state.tobytes()
            decision = agent.decide(view, Budget(), spawn(seed, number, seat))
            must(view.state.tobytes() == before, position, f"{agent.name} changed the view that it was given")
            must(decision.action in view.legal, position, f"{agent.name} played the illegal action {decision.action}")
            for name in ("values", "visits", "error"):
                given = getattr(decision, name)
                must(
                    given is None or len(given) == len(view.legal), position, f"{agent.name}: {name} has a wrong length"
                )
            must(decision.unit in UNITS, position, f"{agent.name}: unit {decision.unit}")
            if decision.unit == "win" and decision.values is not None:
                chances = [value for value in decision.values if np.isfinite(value)]
                must(
                    all(-1e-9 <= chance <= 1 + 1e-9 for chance in chances), position, f"{agent.name}: chances {chances}"
                )
            again = agent.decide(position.view(seat), Budget(), spawn(seed, number, seat))
            must(again.action == decision.action, position, f"{agent.name} decides otherwise with the same seed")
            if game.spec.hidden:
                elsewhere = view.imagine(spawn(seed, 5, number, seat)).view(seat)
                there = agent.decide(elsewhere, Budget(), spawn(seed, number, seat))
                must(there.action == decision.action, position, f"{agent.name} knows what seat {seat} cannot know")


def check_match(agent: Agent, game: Game, seed: int = 0) -> None:
    """A whole match with the agent on every seat, played twice, and its record replays."""
    if agent.why_not(game):
        return
    record = play(game, [agent] * game.seats, seed)
    assert record == play(game, [agent] * game.seats, seed), f"{agent.name}: the same seed gave another match"
    assert replay(record, game)[-1].over, f"{agent.name}: the match of {game.spec.title} did not end"


def check_policy(agent: Agent, game: Game, seed: int = 0) -> None:
    """Whole matches in compiled code are the matches that the agent plays decision by decision."""
    if agent.why_not(game) or agent.policy(game) is None:
        return
    fast = run(game, [agent] * game.seats, seed)
    slow = run(game, [agent] * game.seats, seed, Budget())
    assert list(fast.log) == list(slow.log), f"{agent.name}: its compiled policy plays {game.spec.title} differently"
