"""The ladders of strength: declared, measured, told to people; and the agents that err."""

from collections import Counter

import numpy as np
import pytest

import spielwerk as sw
from spielwerk import testing
from spielwerk.arena.ladder import Step, climb, kind_of
from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.running import run, run_many
from spielwerk.core.words import speaking
from spielwerk.games.jass.cards import CARDS

GAMES = ("2048", "qwixx", "jass", "clever")


@pytest.mark.parametrize("game", GAMES)
def test_every_rung_is_measured_and_none_is_a_random_player(game):
    ladder = registry.game_class(game).spec.ladder
    assert 4 <= len(ladder) <= 6
    for rung in ladder:
        assert rung.measured is not None and 0.0 < rung.error < abs(rung.measured), rung
        assert sw.agent(rung.agent).name != "random"
    assert [rung.strength for rung in ladder][::4] == ["beginner", "strongest"]


@pytest.mark.parametrize("game", GAMES)
def test_the_steps_of_a_ladder_are_about_equal(game):
    """By the declared figures: the largest step is at most twice the smallest (the first is from random moves)."""
    figures = np.array([rung.measured for rung in registry.game_class(game).spec.ladder])
    if kind_of(game) == "points":
        steps = np.diff(np.log(figures))
    else:
        steps = figures[1:] - (50.0 if kind_of(game) == "wins" else 0.0)
    assert steps.min() > 0 and steps.max() <= 2 * steps.min(), steps


TABLES = ["schieber-1000", "schieber,target=1000", "multipliers,undeufe_factor=4", "server,slalom=1", "server,deals=4"]


@pytest.mark.parametrize("variant", [*registry.game_class("jass").spec.variants, *TABLES])
def test_every_rung_of_jass_plays_at_every_table(variant):
    """Also where no network is shipped for just these rules."""
    table = sw.game("jass", variant=variant)
    for rung in table.spec.ladder:
        assert sw.agent(rung.agent).why_not(table) is None, rung


def test_a_pair_is_a_rung_without_a_measure():
    spec = sw.Spec(
        "x", "X", "x", (2,), ("a",), 1, 1, 1.0, ladder=(("easy", "random"), sw.Rung("hard", "mc", 61.5, 2.0))
    )
    assert spec.ladder == (sw.Rung("easy", "random"), sw.Rung("hard", "mc", 61.5, 2.0))

    class Other(sw.Game):
        pass

    Other.spec = spec
    assert Other.strength_measured(0) == ""
    assert Other.strength_measured(1) == "wins 61.5 ± 2.0 % against 'easy'"
    with speaking("de"):
        assert Other.strength_measured(1) == "gewinnt 61,5 ± 2,0 % gegen «leicht»"


def test_measures_are_told_in_the_units_of_the_game():
    told = {name: registry.game_class(name).strength_measured(4) for name in GAMES}
    assert told["2048"] == "323,939 ± 13,416 points on average"
    assert told["qwixx"].startswith("wins ") and told["qwixx"].endswith(" % against 'hard'")
    assert told["jass"].endswith("points per deal more than 'hard'")
    with speaking("de"):
        assert registry.game_class("2048").strength_measured(4) == "im Mittel 323.939 ± 13.416 Punkte"
        assert registry.game_class("jass").strength_measured(0).endswith("mehr als «zufällige Züge»")


def test_climbing_measures_what_each_kind_of_game_counts():
    """Few matches: what is tested are units and opponents, not strengths."""
    first = next(climb("qwixx", games=40, slow=2))
    assert first.below == "random" and 90.0 < first.figure <= 100.0 and first.higher
    first = next(climb("jass", games=200, slow=2))
    assert first.below == "random" and 10.0 < first.figure < 90.0 and first.higher
    steps = climb("2048", games=30, slow=2)
    assert (first := next(steps)).below is None and 1000.0 < first.figure < 12_000.0
    assert next(steps).figure > first.figure


def test_a_step_tells_whether_the_declared_figure_may_be_true():
    def step(declared):
        return Step("easy", "random", None, 10.0, 1.0, declared, 1.0, True, 0.0)

    assert step(None).as_declared and step(11.5).as_declared and not step(12.5).as_declared


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_every_rung_is_better_than_the_one_below(game):
    for step in climb(game, games=2000, slow=8 if game == "2048" else 60):
        assert step.higher or (step.strength == "strongest" and step.figure > 0), step


# --- agents that err -------------------------------------------------------------------------------------------------


def test_blunders_come_as_often_as_said():
    game, agent = sw.game("2048"), sw.agent("blunder:agent=(greedy),share=0.25")
    rng, position = sw.spawn(4), sw.game("2048").new(3)
    seen = Counter("blunder" in agent.decide(position.view(0), sw.Budget(), rng).notes for _ in range(2000))
    assert 430 < seen[True] < 570
    assert agent.spec == "blunder:agent=(greedy),share=0.25" and sw.agent(agent.spec) == agent
    assert sw.agent("blunder:agent=(dmcts)").why_not(game) == sw.agent("dmcts").why_not(game)
    with pytest.raises(SpielwerkError, match="share goes from 0 to 1"):
        sw.agent("blunder:agent=(greedy),share=1.5")


def test_an_agent_that_never_blunders_is_the_agent_and_one_that_always_does_is_random():
    game = sw.game("2048")
    seeds = list(range(20))
    never, always = (sw.agent(f"blunder:agent=(ntuple),share={share}") for share in (0.0, 1.0))
    means = [np.mean([played.scores[0] for played in run_many(game, [agent], seeds)])
             for agent in (sw.agent("ntuple"), never, always, sw.agent("random"))]  # fmt: skip
    assert means[1] > 20 * means[2] and 0.5 < means[0] / means[1] < 2.0 and 0.5 < means[2] / means[3] < 2.0


@pytest.mark.parametrize(
    ("game", "agent"),
    [("2048", "blunder:agent=(ntuple),share=0.1"), ("jass", "blunder:agent=(rules),share=0.3"),
     ("jass", "rules:error=60"), ("qwixx", "blunder:agent=(gap)")],
)  # fmt: skip
def test_agents_that_err_play_alike_compiled_and_not(game, agent):
    table, player = sw.game(game, variant="schieber-deal" if game == "jass" else None), sw.agent(agent)
    assert player.policy(table) is not None
    testing.check_agent(player, table, seed=2)


def test_a_blunder_of_an_agent_without_policy_has_none():
    game = sw.game("2048", variant="2x2")
    agent = sw.agent("blunder:agent=(mc:iterations=5),share=0.5")
    assert agent.policy(game) is None and run(game, [agent], 1).scores[0] > 0


def test_errors_of_the_jass_rules_are_small_ones_and_cost_points():
    """With an error of 15 points no card is thrown away that is much better than another."""
    game = sw.game("jass", variant="server-deal")
    assert sw.agent("rules:error=0") == sw.agent("rules")
    better = sw.evaluate("jass", "rules", variant="server-deal", opponents="rules:error=100", games=400, seed=1)
    beginner = sw.evaluate("jass", "rules:error=100", variant="server-deal", opponents="random", games=400, seed=1)
    assert better.mean > 85 and beginner.mean > 85
    position = game.opening()
    position.happen(" | ".join(" ".join(CARDS[9 * suit : 9 * suit + 9]) for suit in range(4)))
    for seed in range(20):  # nine trumps: nobody takes another mode for better
        action = sw.agent("rules:error=15").decide(position.view(0), sw.Budget(), sw.spawn(seed)).action
        assert game.spec.moves[action] == "hearts"
    with pytest.raises(SpielwerkError, match="error goes from 0"):
        sw.agent("rules:error=-1")
