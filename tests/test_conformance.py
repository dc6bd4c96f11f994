"""Every registered game and agent is here because it is registered."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spielwerk import testing
from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError
from tiny_games import Claim, CompiledClaim, CompiledHush, CompiledWhisper, Hush, Whisper

TINY = [Whisper, Claim, Hush]
COMPILED = [CompiledWhisper, CompiledClaim, CompiledHush]
REGISTERED = registry.game_names()

# an agent per name, small enough for tests; an agent without an entry is tried with its defaults
SMALL = {
    "mc": "mc:iterations=5,rollout_depth=10",
    "mcts": "mcts:iterations=30,rollout_depth=10,tree_depth=4",
    "mctse": "mctse:iterations=30,rollout_depth=10",
    "ismcts": "ismcts:iterations=30",
    "expectimax": "expectimax:depth=1,samples=2,worlds=2",
    "blunder": "blunder:agent=(greedy),share=0.3",
    "territory": "territory:leaves=20",
    "vote": "vote:agents=(random)*3+(mc:iterations=2,rollout_depth=5)*2",
}


# a table per game, small enough for tests; other games are tried as they are usually played
TABLES = {"speed": "small"}


def small_agent(name):
    try:
        return registry.agent(SMALL.get(name, name))
    except SpielwerkError as problem:
        pytest.skip(f"{name} is not here: {problem}")


def tables():
    """Every registered game with its fewest and its most seats, and every variant once."""
    for name in REGISTERED:
        spec = registry.game_class(name).spec
        yield pytest.param(name, min(spec.seats), None, id=f"{name}-{min(spec.seats)}")
        if len(spec.seats) > 1:
            yield pytest.param(name, max(spec.seats), None, id=f"{name}-{max(spec.seats)}")
        for variant in list(spec.variants)[1:]:
            yield pytest.param(name, spec.seats[0], variant, id=f"{name}-{variant}")


@pytest.mark.parametrize("kind", COMPILED)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=10, deadline=None)
def test_tiny_games(kind, seed):
    testing.check_game(kind(), seed)


@pytest.mark.parametrize("kind", TINY)
def test_tiny_games_in_plain_python(kind):
    testing.check_game(kind(), seed=3)


@pytest.mark.parametrize(("name", "seats", "variant"), list(tables()))
@given(seed=st.integers(0, 2**32))
@settings(max_examples=2, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_registered_games(name, seats, variant, seed):
    testing.check_game(registry.game(name, seats, variant), seed, most=60)


@pytest.mark.parametrize("name", REGISTERED)
def test_compiled_and_interpreted_rules_agree(name):
    testing.check_interpreted(registry.game(name), seed=3)


@pytest.mark.parametrize("agent", registry.agent_names())
@pytest.mark.parametrize("kind", TINY)
def test_every_agent_on_tiny_games(kind, agent):
    testing.check_agent(small_agent(agent), kind(), seed=4)
    testing.check_match(small_agent(agent), kind(), seed=5)


@pytest.mark.parametrize("agent", registry.agent_names())
@pytest.mark.parametrize("name", REGISTERED)
def test_every_agent_on_registered_games(name, agent):
    testing.check_agent(small_agent(agent), registry.game(name, variant=TABLES.get(name)), seed=4, most=4)
