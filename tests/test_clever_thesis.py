"""The thesis' environment of Ganz schön clever: its numbers of actions, its observations, its rewards."""

import gymnasium
import numpy as np
import pytest

import spielwerk.bridges  # noqa: F401  (registers the environments)
from spielwerk.agents.random import RandomAgent
from spielwerk.arena.evaluate import evaluate
from spielwerk.bridges.clever_thesis import ACTIONS, NOTHING_FITS, ONCE_MORE, PASS, REROLL, CleverThesisEnv
from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError
from spielwerk.games.clever.kernel import terms

pytestmark = pytest.mark.xdist_group("clever")


def played(env, seed, rng):
    """A random match: (observation, mask, action, reward) per step, and the last info."""
    steps = []
    observation, info = env.reset(seed=seed)
    over = False
    while not over:
        mask = env.action_masks()
        action = int(rng.choice(np.flatnonzero(mask)))
        seen = observation
        observation, reward, over, _, info = env.step(action)
        steps.append((seen, mask, action, reward))
    return steps, observation, info


def test_what_is_seen_at_the_beginning():
    env = gymnasium.make("spielwerk/clever-thesis-v0").unwrapped
    seen, info = env.reset(seed=3)
    assert seen.shape == (85,) and info["action_mask"].shape == (ACTIONS,)
    assert seen[:16].tolist() == [3, 6, 5, 0, 2, 1, 0, 5, 1, 0, 2, 4, 0, 3, 4, 6]
    assert seen[16:28].tolist() == [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    assert not seen[28:61].any()
    assert all(1 <= number <= 6 for number in seen[61:67]) and not seen[67:73].any()
    assert seen[73:].tolist() == [6, 1, 0, 1, 0, *[0] * 7], "six rounds, the first roll, no +1, the re-roll of round 1"
    white, blue = seen[61], seen[63]
    assert info["action_mask"][16 + int(white + blue) - 1] == 1, "the blue die crosses the sum"
    assert info["action_mask"][39] == info["action_mask"][61 + 39] == 1, "orange takes anything"
    assert info["action_mask"][REROLL] == 1 and info["action_mask"][ONCE_MORE:REROLL].sum() == 0


def test_what_is_seen_follows_the_sheet():
    """In random matches: rounds and rolls count as in the thesis, cells and dice are those of the state."""
    env, rng = CleverThesisEnv(), np.random.default_rng(1)
    rounds, rolls, invalid = set(), set(), 0
    for seed in range(20):
        observation, _ = env.reset(seed=seed)
        over = False
        while not over:
            state = env.seating.position.state[0]
            assert observation in env.observation_space
            assert (observation[:16] == 0).sum() == bin(int(state["yellow"][0])).count("1")
            assert (observation[16:28] == 0).sum() == bin(int(state["blue"][0])).count("1")
            assert observation[28:39].sum() == state["green"][0]
            assert observation[39:50].tolist() == state["orange"][0].tolist()
            assert observation[50:61].tolist() == state["purple"][0].tolist()
            assert observation[61:67].tolist() == state["dice"].tolist()
            assert (observation[75], observation[76], observation[77]) == (
                state["extras"][0], state["rerolls"][0], state["foxes"][0],
            )  # fmt: skip
            if state["phase"] == terms.PICK:
                assert (observation[73], observation[74]) == (7 - state["rounds"], 1 + state["rolls"])
            assert bool(observation[78:].any()) == bool(state["owed"][0].any())
            rounds.add(observation[73])
            rolls.add(observation[74])
            invalid += observation[67:73].sum()
            action = int(rng.choice(np.flatnonzero(env.action_masks())))
            observation, _, over, _, _ = env.step(action)
        assert observation[73] == 0
    assert rounds == {1, 2, 3, 4, 5, 6} and rolls == {1, 2, 3} and invalid > 0


def test_rewards_are_points_foxes_come_last_and_a_forced_no_op_costs_one():
    env, rng = CleverThesisEnv(), np.random.default_rng(2)
    foxes = forced = passed = 0
    for seed in range(150):
        steps, _, info = played(env, seed, rng)
        no_ops = sum(action == NOTHING_FITS for _, _, action, _ in steps)
        assert sum(reward for *_, reward in steps) == info["points"][0] - no_ops
        for _, mask, action, reward in steps[:-1]:
            if action == NOTHING_FITS:
                assert reward == -1 and mask.sum() == 1
            elif action in (PASS, REROLL):
                assert reward == 0
            else:
                assert 0 <= reward <= 20
        forced += no_ops
        passed += sum(action == PASS for _, _, action, _ in steps)
        last = env.seating.position.state[0]
        foxes += int(last["foxes"][0]) > 0
    assert forced > 0 and passed > 0 and foxes > 0
    assert env.action_masks().sum() == 0


def test_every_action_of_ours_has_its_number():
    """Masks have as many actions as are legal, but for numbers that are owed to orange at once."""
    env, rng, seen = CleverThesisEnv(), np.random.default_rng(5), set()
    for seed in range(60):
        env.reset(seed=seed)
        over = False
        while not over:
            legal, mask = env.seating.position.legal(0), np.flatnonzero(env.action_masks())
            doubled = sum(terms.BONUS_IN_ORANGE <= action < terms.BONUS_IN_PURPLE for action in legal)
            assert len(mask) == len(legal) - max(doubled - 1, 0)
            action = int(rng.choice(mask))
            seen.add(action // 61)
            _, _, over, _, info = env.step(action)
            assert not info["illegal"]
    assert seen == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("matches", [1000, pytest.param(6000, marks=pytest.mark.slow)])
def test_random_play_is_that_of_the_variant(matches):
    env, rng = CleverThesisEnv(), np.random.default_rng(4)
    scores = [played(env, seed, rng)[2]["points"][0] for seed in range(matches)]
    ours = evaluate("clever", RandomAgent(), seats=1, variant="thesis", games=4 * matches, seed=9)
    assert np.mean(scores) == pytest.approx(ours.mean, abs=4.5 * ours.sd / np.sqrt(matches))
    assert np.std(scores) == pytest.approx(ours.sd, rel=0.15)


def test_illegal_actions():
    env = CleverThesisEnv(illegal="raise")
    env.reset(seed=1)
    with pytest.raises(SpielwerkError, match=r"action 245 is not possible now; possible are \d+"):
        env.step(PASS)
    env = CleverThesisEnv(illegal="penalty", penalty=2.0)
    before, _ = env.reset(seed=1)
    after, reward, over, _, info = env.step(NOTHING_FITS)
    assert (reward, over, info["illegal"]) == (-2.0, False, True) and (before == after).all()
    env = CleverThesisEnv()
    env.reset(seed=1)
    assert env.step(NOTHING_FITS)[4]["illegal"]
    with pytest.raises(SpielwerkError, match="take variant=thesis"):
        CleverThesisEnv(variant="official")


def test_gymnasium_and_stable_baselines_accept_it():
    from gymnasium.utils.env_checker import check_env
    from stable_baselines3.common.env_checker import check_env as check_for_sb3

    check_env(gymnasium.make("spielwerk/clever-thesis-v0").unwrapped, skip_render_check=True)
    check_for_sb3(CleverThesisEnv(), warn=False)


def test_maskable_ppo_learns_on_it():
    from sb3_contrib import MaskablePPO

    model = MaskablePPO("MlpPolicy", CleverThesisEnv(), n_steps=64, batch_size=32, n_epochs=1, seed=1, device="cpu")
    model.learn(128)
    env = CleverThesisEnv()
    observation, _ = env.reset(seed=1)
    action, _ = model.predict(observation, action_masks=env.action_masks())
    assert env.action_masks()[action]


def test_the_generic_environment_takes_variants_and_encodings():
    env = gymnasium.make("spielwerk/clever-v0", seats=1, variant="thesis", encoding="thesis")
    seen, info = env.reset(seed=3)
    other, _ = CleverThesisEnv().reset(seed=3)
    assert (seen == other).all() and info["action_mask"].shape == (terms.ACTIONS,)
    yellow = gymnasium.make("spielwerk/clever-v0", seats=1, variant="yellow,yellow_dice=4", encoding="thesis")
    assert yellow.reset(seed=1)[0].shape == (85,)
    assert registry.game("clever", 1, "official").encodings["thesis"].size == 85
