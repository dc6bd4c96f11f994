"""The conformance suite finds what it is there for: games and agents with one fault each."""

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

from spielwerk import Agent, Decision, Encoding, testing
from spielwerk.core.agent import Policy
from spielwerk.core.kernel.contract import legal
from spielwerk.core.linker import kernel
from spielwerk.testing import agents
from tiny_games import Claim, CompiledClaim, Whisper, claim_legal, whisper_hide


@kernel
def falling_legal(s, seat, out):
    for number in range(3):
        out[number] = 2 - number
    return 3


@kernel
def skewed_outcomes(s, ids, probs):
    for value in range(3):
        ids[value] = value + 1
        probs[value] = 0.5 if value == 0 else 0.25
    return 3


@kernel
def too_many_outcomes(s, ids, probs):
    for value in range(3):
        ids[value] = value + 1
        probs[value] = 0.5
    return 3


@kernel
def endless_score(s, out):
    for seat in range(3):
        out[seat] = np.inf


@kernel
def four_actors(s):
    if s.value > 0:
        return 15  # four seats at a table of three
    if s.rounds == 0:
        return -1
    return 0


@kernel
def forgetful_imagine(s, seat, rng):
    for card in range(6):
        if s.hands[1 - seat, card] == 2:
            s.hands[1 - seat, card] = 0


@kernel
def generous_imagine(s, seat, rng):
    for card in range(6):
        if s.hands[1 - seat, card] == 2:
            s.hands[1 - seat, card] = 1
            s.hands[seat, card] = 1


@kernel
def two_faced_hide(s, seat):
    whisper_hide(s, seat)
    s.tricks += 1


@kernel
def wandering_apply(s, joint):
    s.points[3] += 1  # there are three seats
    s.value = 0
    s.rounds -= 1


@kernel
def boasting_legal(s, seat, out):
    return claim_legal(s, seat, out) + 1


@kernel
def swelling_score(s, out):
    s.rounds = 300


@kernel
def few_features(s, seat, out):
    out[0] = 1.0


@kernel
def many_features(s, seat, out):
    for place in range(3):
        out[place] = 1.0


def broken(kind, spec=None, **functions):
    """The game with other functions, or other declared facts."""
    given = SimpleNamespace(**{**vars(kind.kernel), **functions})
    return type("Broken", (kind,), {"kernel": given, "spec": replace(kind.spec, **(spec or {}))})()


class BlankPicture(Claim):
    def svg(self, view):
        return '<svg xmlns="http://www.w3.org/2000/svg"></svg>'


class WideEncoding(Claim):
    @property
    def encodings(self):
        return super().encodings | {"wide": Encoding(2, many_features)}


class ForgottenChance(Claim):
    def chance_apply(self, states, text):
        states["value"][0] = 1


@pytest.mark.parametrize(
    ("game", "said"),
    [
        (broken(Claim, legal=falling_legal), "not ascending"),
        (broken(Claim, outcomes=skewed_outcomes), "does not follow its probabilities"),
        (broken(Claim, outcomes=too_many_outcomes), "sum to 1.5"),
        (broken(Claim, score=endless_score), "not finite"),
        (broken(Claim, actors=four_actors), "seat beyond 3"),
        (broken(Claim, {"longest": 4}), "longer than the 4 events"),
        (broken(Claim, {"chance": False}), "declares none"),
        (broken(Claim, {"simultaneous": False}), "declares it never"),
        (broken(Claim, {"moves": ("one", "two", "two")}), "the same name"),
        (broken(Claim, {"keys": {"x": "four"}}), "'x' is to play 'four', which is no move"),
        (broken(Claim, {"swipes": {"up": "four"}}), "'up' is to play 'four', which is no move"),
        (broken(Claim, {"swipes": {"north": "one"}}), "fingers swipe up, down, left or right"),
        (broken(Claim, {"ladder": (("easy", "ntuple"),)}), "the easy agent ntuple cannot play it"),
        (broken(Claim, {"features": 2}, features=few_features), "missing or not finite"),
        (broken(Claim, {"features": 2}, features=many_features), r"many_features fails at \S+test_testing.py:\d+"),
        (broken(CompiledClaim, {"widest": 2}), r"claim_legal fails at \S+tiny_games.py:\d+.*widest=2"),
        (broken(CompiledClaim, apply=wandering_apply), r"wandering_apply fails at \S+test_testing.py:\d+"),
        (broken(CompiledClaim, legal=boasting_legal), "4 legal actions, widest is 3"),
        (broken(CompiledClaim, score=swelling_score), "swelling_score fails at .* out of bounds for int8"),
        (broken(Whisper, {"hidden": False}), "declared open"),
        (broken(Whisper, imagine=forgetful_imagine), "imagines somebody must decide and cannot"),
        (broken(Whisper, imagine=generous_imagine), "does not fit what it sees"),
        (broken(Whisper, hide=two_faced_hide), "hiding twice"),
        (BlankPicture(), "offers the actions"),
        (ForgottenChance(), "does not replay"),
        (WideEncoding(), r"many_features fails at \S+test_testing.py:\d+"),
    ],
)
def test_a_fault_of_a_game_is_found(game, said):
    with pytest.raises(AssertionError, match=said):
        for seed in range(3):
            testing.check_game(game, seed)


@dataclass(frozen=True)
class Faulty(Agent):
    """Has one fault."""

    name: ClassVar[str] = "faulty"
    fault: str
    calls: ClassVar[itertools.count] = itertools.count()

    def why_not(self, game):
        return "no" if self.fault == "curt" else None

    def decide(self, view, budget, rng):
        legal = view.legal
        if self.fault == "illegal":
            return Decision(99)
        if self.fault == "fickle":
            return Decision(legal[next(self.calls) % len(legal)])
        if self.fault == "meddling":
            view.state["value"][0] = 3
        values = (1.0,) if self.fault == "short" else (2.0,) * len(legal)
        return Decision(legal[0], values=values, unit="win" if self.fault == "sure" else "worth")


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("illegal", "illegal action 99"),
        ("fickle", "otherwise with the same seed"),
        ("meddling", "changed the view"),
        ("short", "wrong length"),
        ("sure", "chances"),
        ("curt", "without a reason"),
    ],
)
def test_a_fault_of_an_agent_is_found(fault, said):
    with pytest.raises(AssertionError, match=said):
        testing.check_agent(Faulty(fault), Claim(), seed=1)


@kernel
def first_policy(s, seat, weights, scratch, rng):
    legal(s, seat, scratch.actions)
    return scratch.actions[0]


@kernel
def last_policy(s, seat, weights, scratch, rng):
    return scratch.actions[legal(s, seat, scratch.actions) - 1]


@kernel
def copying_policy(s, seat, weights, scratch, rng):
    """Names what the seat before has just named at the same moment."""
    return scratch.joint[seat - 1] if seat > 0 else 0


@kernel
def remembering_policy(s, seat, weights, scratch, rng):
    """Plays the other's lowest card if it is its own too, as the work space still has it."""
    for card in range(6):
        if scratch.states[0].hands[1 - seat, card] == 1:
            return first_policy(s, seat, weights, scratch, rng)
    return last_policy(s, seat, weights, scratch, rng)


@kernel
def meddling_policy(s, seat, weights, scratch, rng):
    s.points[seat] += 1
    return first_policy(s, seat, weights, scratch, rng)


@kernel
def illegal_policy(s, seat, weights, scratch, rng):
    return 5


@dataclass(frozen=True)
class Ruled(Agent):
    """Plays the first legal action, and has a policy that may do otherwise."""

    name: ClassVar[str] = "ruled"
    rule: Callable

    def decide(self, view, budget, rng):
        return Decision(view.legal[0])

    def policy(self, game):
        return Policy(self.rule, np.zeros(1))


@pytest.mark.parametrize(
    ("rule", "kind", "said"),
    [
        (last_policy, Claim, "compiled policy plays Claim differently"),
        (copying_policy, Claim, "policy of ruled knows what seat 1 cannot know"),
        (remembering_policy, Whisper, "policy of ruled knows what seat . cannot know"),
        (meddling_policy, Claim, "policy of ruled changes the state"),
        (illegal_policy, Claim, "policy of ruled plays the illegal action 5"),
    ],
)
def test_a_fault_of_a_policy_is_found(rule, kind, said):
    with pytest.raises(AssertionError, match=said):
        testing.check_agent(Ruled(rule), kind(), seed=1, seconds=None)


def test_a_policy_without_a_fault_is_fine():
    testing.check_agent(Ruled(first_policy), Claim(), seed=1, seconds=None)
    testing.check_agent(Ruled(first_policy), Whisper(), seed=1, seconds=None)


@dataclass(frozen=True)
class Slow(Agent):
    """Does not look at its budget."""

    name: ClassVar[str] = "slow"

    def decide(self, view, budget, rng):
        time.sleep(0.1)
        return Decision(view.legal[0])


def test_an_agent_that_does_not_keep_to_its_time_is_found():
    with pytest.raises(AssertionError, match=r"slow takes 0\.\d+ s .* when it is given 0.001 s"):
        testing.check_time(Slow(), Claim(), seed=1, seconds=0.001, decisions=2, grace=0.01)
    testing.check_time(Slow(), Claim(), seed=1, seconds=0.05, decisions=2)


def test_check_agent_looks_at_the_time(monkeypatch):
    asked = []
    monkeypatch.setattr(agents, "check_time", lambda *given: asked.append(given[-1]))
    testing.check_agent(Faulty("none"), Claim(), seed=1, seconds=0.25)
    testing.check_agent(Faulty("none"), Claim(), seed=1, seconds=None)
    assert asked == [0.25]


def test_without_a_fault_nothing_is_found():
    testing.check_agent(Faulty("none"), Claim(), seed=1)
    testing.check_game(broken(Claim), seed=1)
    testing.check_game(broken(Whisper), seed=1)
