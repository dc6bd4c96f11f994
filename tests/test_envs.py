"""Environments: the libraries' own checkers for all games, one trajectory for one seed, rewards, illegal actions."""

import doctest
import pickle
import re
import subprocess
import sys
from copy import deepcopy
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import VecMonitor

import spielwerk.bridges as bridges
from spielwerk import testing
from spielwerk.agents.random import RandomAgent
from spielwerk.bridges import Batch, GameAECEnv, GameEnv, GameParallelEnv, GameVecEnv, GameVectorEnv, Mirror
from spielwerk.core import registry
from spielwerk.core.clock import Budget
from spielwerk.core.errors import IllegalMove, SpielwerkError, Unfit, UnknownName
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.match import play, replay
from spielwerk.core.running import run
from spielwerk.envs.picture import pixels
from spielwerk.envs.task import match_seed
from spielwerk.nets.description import Dense, Description, Head, Relu
from spielwerk.nets.network import fresh
from tiny_games import Claim, Hush, Nim, Whisper

TINY = (Claim, Whisper, Hush, Nim)
DOCS = Path(__file__).parent.parent / "docs" / "environments.md"


# --- all games ---


@pytest.mark.parametrize("game", [*registry.game_names(), *TINY], ids=str)
def test_the_environments_of_a_game_hold(game):
    testing.check_environments(registry.game(game) if isinstance(game, str) else game(), seed=4)


@pytest.mark.parametrize(
    ("game", "options"),
    [
        (Claim, {"opponents": ["greedy", "random"], "objective": "margin", "scale": "game"}),
        (Claim, {"opponents": "greedy", "objective": "points", "reward": "end", "illegal": "end"}),
        (Hush, {"illegal": "penalty", "penalty": 2.0}),
        (Whisper, {"ask_forced": False}),
        (Nim, {"encoding": "bits", "objective": "win", "scale": 2.0}),
        ("jass", {"actions": "0-35", "otherwise": "rules", "opponents": "random", "ask_forced": False}),
        ("jass", {"actions": "36-42", "opponents": ["random", "rules", "random"], "seat": "rotate"}),
    ],
)
def test_every_option_gives_the_same_trajectories(game, options):
    table = registry.game(game, variant="server-deal") if isinstance(game, str) else game()
    testing.check_trajectories(table, seed=2**63 + 11, steps=80, **options)


def test_a_difference_is_found(monkeypatch):
    monkeypatch.setattr("spielwerk.envs.seating.Seating.share", lambda self, seat: 0.5)
    with pytest.raises(AssertionError, match="differs from that of the single environment"):
        testing.check_trajectories(Nim(), seed=1)


# --- the batch ---


@pytest.mark.parametrize("game", [Claim, Whisper, Hush])
def test_a_learner_that_is_always_illegal_plays_the_matches_of_play(game):
    """A random action in its place comes from the stream of its seat: that of a random agent there."""
    batch = Batch(game(), 4, seed=20, seat="rotate")
    batch.reset()
    ended = 0
    while ended < 12:
        batch.step(np.full(4, -1))
        for row in np.flatnonzero(batch.ended):
            ended += 1
            played = run(game(), [RandomAgent()] * batch.game.seats, int(batch.final_seeds[row]))
            assert batch.final_scores[row].tolist() == list(played.scores)


def test_the_seeds_and_seats_of_the_matches():
    batch = Batch(Claim(), 5, seed=7, seat="rotate")
    batch.reset()
    assert batch.seeds.tolist() == [7, 8, 9, 10, 11]
    assert batch.seats.tolist() == [1, 2, 0, 1, 2]
    batch.reset()
    assert batch.seeds.tolist() == [match_seed(7 + row, 1) for row in range(5)]
    assert batch.seats.tolist() == [2, 0, 1, 2, 0]
    assert max(match_seed(seed, 3) for seed in range(1000)) < 2**53
    batch.reset([3, -1, 2**64 + 5, 0, 1])
    assert batch.seeds.tolist() == [3, 2**64 - 1, 5, 0, 1]


@pytest.mark.parametrize("reward", ["steps", "end"])
@pytest.mark.parametrize(
    ("objective", "wanted"),
    [
        ("points", lambda points, seat, share: points[seat]),
        ("margin", lambda points, seat, share: points[seat] - max(np.delete(points, seat))),
        ("win", lambda points, seat, share: share),
    ],
)
def test_the_rewards_of_a_match_sum_up(objective, reward, wanted):
    batch = Batch(Claim(), 8, seat="rotate", objective=objective, reward=reward, scale=3.0)
    batch.reset()
    totals, matches, earlier = np.zeros(8), 0, 0.0
    for _ in range(30):
        batch.step(batch.random_actions())
        totals += batch.rewards
        earlier += np.abs(batch.rewards[~batch.ended]).sum()
        for row in np.flatnonzero(batch.ended):
            points, share = batch.final_scores[row], batch.final_shares[row]
            assert totals[row] == pytest.approx(wanted(points, batch.final_seats[row], share) / 3, abs=1e-5)
            totals[row] = 0.0
            matches += 1
    assert matches == 80
    assert (earlier > 0) == (reward == "steps" and objective != "win")


def test_forced_moves_are_asked_unless_they_are_not_wanted():
    asked, skipped = Batch(Whisper(), 6), Batch(Whisper(), 6, ask_forced=False)
    fewest = []
    for batch in (asked, skipped):
        batch.reset()
        seen = []
        for _ in range(12):
            seen.append(batch.masks.sum(axis=1).min())
            batch.step(batch.random_actions())
        fewest.append(min(seen))
    assert fewest == [1, 2]


def test_somebody_else_decides_where_the_learner_is_not_asked():
    """Cards are the learner's, modes those of `rules`: as in a match in which the rule player chooses the mode."""
    game = registry.game("jass", variant="server-deal")
    options = {"seat": 0, "opponents": "rules", "actions": "0-35", "otherwise": "rules"}
    batch = Batch(game, 8, seed=3, **options)
    batch.reset()
    for row in range(8):
        assert np.flatnonzero(batch.masks[row]).max() < 36
        position = game.new(int(batch.seeds[row]))
        while position.state["mode"][0] < 0:
            seat = position.actors[0]
            decision = registry.agent("rules").decide(position.view(seat), Budget(), spawn(1))
            position.play({seat: decision.action})
        assert batch.rows.states["mode"][row] == position.state["mode"][0]
    modes = Batch(game, 8, seed=3, seat=0, opponents="rules", actions="36-42")
    modes.reset()
    assert all(np.flatnonzero(mask).min() >= 36 for mask in modes.masks)
    modes.step(modes.masks.argmax(axis=1))
    assert modes.ended.all()  # a deal has one such choice for seat 0, cards are played at random


def test_a_batch_refuses_what_it_cannot_do():
    claim = Claim()
    with pytest.raises(Unfit, match=r"mc has no compiled policy for Claim.*single environment"):
        Batch(claim, 2, opponents="mc:iterations=10")
    with pytest.raises(UnknownName, match="'opponent'"):
        Batch(claim, 2, opponent="random")
    with pytest.raises(SpielwerkError, match="seat takes one of 0 … 2, rotate, not '3'"):
        Batch(claim, 2, seat=3)
    with pytest.raises(SpielwerkError, match="2 other seats need as many opponents, not 1"):
        Batch(claim, 2, opponents=["random"])
    with pytest.raises(SpielwerkError, match="scale takes one of a number above 0, game, not '0'"):
        Batch(claim, 2, scale=0)
    with pytest.raises(SpielwerkError, match="penalty takes one of any number, not 'nan'"):
        Batch(claim, 2, penalty=float("nan"))
    with pytest.raises(SpielwerkError, match="illegal takes one of random, end, penalty, raise, not 'ignore'"):
        Batch(claim, 2, illegal="ignore")
    with pytest.raises(UnknownName, match="encoding of claim 'stats'"):
        Batch(claim, 2, encoding="stats")
    batch = Batch(claim, 2)
    with pytest.raises(SpielwerkError, match="call reset first"):
        batch.step([0, 0])
    batch.reset()
    with pytest.raises(SpielwerkError, match=r"2 matches need as many actions, .* not int64\[3\]"):
        batch.step([0, 0, 0])
    with pytest.raises(SpielwerkError, match="as many seeds, not 1"):
        batch.reset([1])
    with pytest.raises(SpielwerkError, match="another batch"):
        Batch(claim, 3).restore(batch.arrays())
    with pytest.raises(SpielwerkError, match="at least one match"):
        Batch(claim, 0)


def test_a_learner_who_never_has_a_choice_is_told():
    class Bound(Claim):
        """Everybody must name the number one."""

    Bound.kernel = type("kernel", (), {**vars(Claim.kernel), "legal": staticmethod(only_one)})
    for made in (lambda: Batch(Bound(), 1, ask_forced=False), lambda: GameEnv(Bound(), ask_forced=False)):
        with pytest.raises(SpielwerkError, match="the learner is never asked"):
            made().reset(seed=1)


def only_one(s, seat, out):
    out[0] = 0
    return 1


# --- illegal actions ---


def two_rows(illegal):
    """A batch of two rows, an illegal action for the first and a legal one for the second, and what was seen before."""
    batch = Batch(Whisper(), 2, seed=1, illegal=illegal, penalty=5.0)
    batch.reset()
    wrong = int(np.flatnonzero(~batch.masks[0])[0])
    right = int(np.flatnonzero(batch.masks[1])[0])
    before = batch.observations.copy()
    return batch, np.array([wrong, right]), before


def test_an_illegal_action_is_replaced_by_a_random_one():
    batch, actions, before = two_rows("random")
    batch.step(actions)
    assert batch.illegal.tolist() == [True, False]
    assert (batch.observations[0] != before[0]).any()
    assert batch.rewards.tolist() == [0.0, 0.0]


def test_an_illegal_action_ends_the_match():
    batch, actions, _ = two_rows("end")
    batch.step(actions)
    assert batch.ended.tolist() == [True, False]
    assert batch.rewards.tolist() == [-5.0, 0.0]
    assert batch.seeds.tolist() == [match_seed(1, 1), 2]


def test_an_illegal_action_only_costs():
    batch, actions, before = two_rows("penalty")
    batch.step(actions)
    assert batch.rewards.tolist() == [-5.0, 0.0]
    assert not batch.ended.any()
    assert (batch.observations[0] == before[0]).all()


def test_an_illegal_action_is_an_error_if_that_is_wanted():
    batch, actions, before = two_rows("raise")
    with pytest.raises(IllegalMove, match="Whisper: seat 1 may not play 'card"):
        batch.step(actions)
    assert (batch.observations == before).all()
    with pytest.raises(IllegalMove, match="may not play '99'"):
        batch.step([99, actions[1]])
    env = GameEnv(Whisper(), illegal="raise")
    env.reset(seed=1)
    with pytest.raises(IllegalMove, match="Whisper: seat 1"):
        env.step(actions[0])


# --- gymnasium ---


def test_every_game_is_registered():
    assert {f"spielwerk/{name}-v0" for name in registry.game_names()} <= set(gymnasium.registry)
    env = gymnasium.make("spielwerk/2048-v0", variant="2x2", render_mode="ansi")
    _, info = env.reset(seed=1)
    assert info["action_mask"].dtype == np.int8
    assert env.unwrapped.action_masks().tolist() == (info["action_mask"] == 1).tolist()
    assert env.render().count("|") == 6


def test_a_game_that_is_registered_later_gets_its_environment():
    registry.register(Nim)
    try:
        assert "spielwerk/nim-v0" in bridges.register_environments()
        env = gymnasium.make("spielwerk/nim-v0", opponents="greedy", seat=1)
        assert env.reset(seed=1)[1]["seat"] == 1
        vector = gymnasium.make_vec("spielwerk/nim-v0", num_envs=3, opponents="greedy")
        assert isinstance(vector.unwrapped, GameVectorEnv)
        assert vector.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
        assert vector.reset(seed=1)[0].shape == (3, *env.observation_space.shape)
    finally:
        registry.unregister(Nim)
        gymnasium.registry.pop("spielwerk/nim-v0")


def test_the_vector_environment_says_what_gymnasiums_own_says():
    ours = GameVectorEnv(Claim(), 3)
    theirs = SyncVectorEnv([lambda: GameEnv(Claim())] * 3, autoreset_mode=AutoresetMode.SAME_STEP)
    assert_same(*(env.reset(seed=5) for env in (ours, theirs)))
    infos = []
    for actions in ([0, 1, 2], [2, 2, 1], [1, 0, 1], [0, 0, 0]):
        answers = [env.step(np.array(actions)) for env in (ours, theirs)]
        own, other = answers[0][4], answers[1][4]
        infos.append(own)
        if "final_info" in other:  # there a new match begins without a last action
            assert other.pop("_illegal", None) is None and other.pop("illegal", None) is None
            own.pop("_illegal"), own.pop("illegal")
        assert_same(*answers)
    assert ["final_obs" in info for info in infos] == [False, False, True, False]


def assert_same(one, two):
    """Equal through all dicts and tuples; what a row does not have is not looked at."""
    if isinstance(one, dict):
        assert set(one) == set(two)
        for key in one:
            mask = one.get(f"_{key}")
            if isinstance(one[key], dict) or mask is None:
                assert_same(one[key], two[key])
            else:
                assert (mask == two[f"_{key}"]).all()
                assert_same(list(one[key][mask]), list(two[key][mask]))
    elif isinstance(one, tuple | list):
        assert len(one) == len(two)
        for left, right in zip(one, two, strict=True):
            assert_same(left, right)
    else:
        assert np.array_equal(one, two)


def test_arrays_are_the_users_own_unless_copies_are_not_wanted():
    for copy in (True, False):
        env = GameVectorEnv(Claim(), 2, copy=copy)
        observations, _ = env.reset(seed=1)
        before = observations.copy()
        env.step(np.array([0, 1]))
        assert (observations == before).all() == copy


def test_any_agent_plays_in_the_single_environment():
    env = GameEnv(Nim(), opponents="mc:iterations=8", seat=1)
    _, info = env.reset(seed=3)
    over = False
    while not over:
        _, reward, over, _, info = env.step(np.flatnonzero(info["action_mask"])[0])
    assert reward == info["win"]
    record = env.record()
    assert record.header.agents == ["mc:iterations=8", "learner"]
    assert replay(record, Nim())[-1].over
    with pytest.raises(SpielwerkError, match="call reset for the next"):
        env.step(0)


def test_the_match_of_an_environment_is_that_of_play():
    env = GameEnv(Claim(), opponents="greedy", seat=2)
    env.reset(seed=12)
    while not env.step(-1)[2]:
        pass
    agents = [*[registry.agent("greedy")] * 2, RandomAgent()]
    assert env.record().events == play(Claim(), agents, seed=12).events


def test_a_match_that_is_not_over_has_no_record():
    env = GameEnv(Nim(), illegal="end")
    with pytest.raises(SpielwerkError, match="no match has begun"):
        env.record()
    env.reset(seed=1)
    assert env.step(99)[2]
    with pytest.raises(SpielwerkError, match="not over"):
        env.record()


def test_numbers_are_seen_in_the_picture():
    position = registry.game("2048").new(3)
    drawn, without = pixels(position.svg), pixels(re.sub(r"<text.*?</text>", "", position.svg))
    assert drawn.shape == without.shape
    assert (drawn != without).sum() > 500
    with pytest.raises(UnknownName, match="render_mode 'human'"):
        GameEnv(Nim(), render_mode="human")


def test_bridges_need_no_gymnasium():
    code = (
        "import sys; sys.modules['gymnasium'] = None; "
        "import spielwerk.bridges as b; assert b.bridged() == ['jass', 'speed']; b.Batch\n"
        "try: b.GameEnv\nexcept Exception as e: print(e)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "pip install 'spielwerk[learn]'" in done.stdout


# --- stable-baselines3 ---


def test_maskable_ppo_learns_on_the_vec_env(monkeypatch):
    import torch

    torch.set_num_threads(1)
    env = GameVecEnv(Nim(), 8, opponents="random", seat="rotate")
    assert is_masking_supported(env) and is_masking_supported(VecMonitor(env))
    model = MaskablePPO("MlpPolicy", VecMonitor(env), n_steps=16, batch_size=64, n_epochs=1, seed=3, device="cpu")
    model.learn(256)
    assert len(model.ep_info_buffer) > 10
    assert env.batch.illegal.sum() == 0
    again = MaskablePPO("MlpPolicy", GameVecEnv(Nim(), 8, seat="rotate"), n_steps=16, batch_size=64, n_epochs=1, seed=3)
    again.learn(256)
    for name, weights in model.get_parameters()["policy"].items():
        assert torch.equal(weights, again.get_parameters()["policy"][name])


def test_the_vec_env_tells_how_matches_ended():
    env = GameVecEnv(Nim(), 4, seed=5)
    first = env.reset()
    assert get_action_masks(env).shape == (4, 9)
    assert env.env_method("action_masks", indices=[1, 2]).shape == (2, 9)
    kept, ended = first.copy(), 0
    for _ in range(8):
        masks = get_action_masks(env)
        _, rewards, dones, infos = env.step(masks.argmax(axis=1))
        for row in np.flatnonzero(dones):
            ended += 1
            assert infos[row]["TimeLimit.truncated"] is False
            assert infos[row]["terminal_observation"].shape == first[row].shape
            assert infos[row]["win"] == rewards[row] and sum(infos[row]["points"]) == 1
    assert ended > 0
    assert (first == kept).all()
    env.seed(5)
    assert (env.reset() == first).all()
    assert env.get_attr("count") == [4] * 4
    assert not env.has_attr("nothing")


# --- pettingzoo ---


def test_seats_that_decide_together_do_not_see_each_other():
    env = GameAECEnv(Claim())
    env.reset(seed=1)
    unseen = env.observe("seat_1")["observation"]
    for name, action in (("seat_0", 2), ("seat_1", 1), ("seat_2", 0)):
        assert env.agent_selection == name
        if name != "seat_0":
            assert (env.observe("seat_1")["observation"] == unseen).all()
        env.step(action)
    assert (env.observe("seat_1")["observation"] != unseen).any()


@pytest.mark.parametrize("game", [Claim, Hush, Nim])
def test_both_environments_play_the_same_match(game):
    one, two = GameAECEnv(game(), objective="points"), GameParallelEnv(game(), objective="points")
    one.reset(seed=9)
    told, _ = two.reset(seed=9)
    totals = dict.fromkeys(one.possible_agents, 0.0)
    sums = dict.fromkeys(one.possible_agents, 0.0)
    while two.agents:
        actions = {name: int(np.argmax(told[name]["action_mask"])) for name in two.agents}
        for name in [name for name in two.agents if told[name]["action_mask"].any()]:
            assert one.agent_selection == name
            one.step(actions[name])
            for each, reward in one.rewards.items():
                totals[each] += reward
        told, rewards, ended, _, _ = two.step(actions)
        for each, reward in rewards.items():
            sums[each] += reward
    assert all(ended.values()) and all(one.terminations.values())
    assert totals == sums
    assert one.record().events == two.record().events
    assert list(totals.values()) == one.record().result.scores


def test_illegal_actions_of_all_seats():
    env = GameAECEnv(Nim(), illegal="penalty", penalty=3.0)
    env.reset(seed=1)
    env.step(99)
    assert env.agent_selection == "seat_0" and env.rewards["seat_0"] == -3.0
    env = GameAECEnv(Nim(), illegal="end")
    env.reset(seed=1)
    env.step(99)
    assert all(env.terminations.values()) and env.infos["seat_0"] == {"illegal": True}
    parallel = GameParallelEnv(Nim(), illegal="end")
    parallel.reset(seed=1)
    _, rewards, ended, _, _ = parallel.step({"seat_0": 99})
    assert rewards == {"seat_0": -1.0, "seat_1": 0.0} and all(ended.values()) and not parallel.agents
    with pytest.raises(SpielwerkError, match="asks all seats, so it takes no opponents"):
        GameParallelEnv(Nim(), opponents="random")
    raising = GameParallelEnv(Nim(), illegal="raise")
    raising.reset(seed=1)
    with pytest.raises(IllegalMove, match="seat 1 may not play"):
        raising.step({"seat_0": 99})


# --- self-play ---


def small_network(game, seed):
    name, encoding = next(iter(game.encodings.items()))
    heads = {"policy": Head(game.spec.actions)}
    return fresh(Description(game.spec.id, name, encoding.size, heads, (Dense(8), Relu()), seats=game.seats), seed)


def test_opponents_play_by_refreshed_weights():
    game = Hush()
    first, second = small_network(game, 1), small_network(game, 2)
    mirror = Mirror(first, temperature=0.2)
    testing.check_trajectories(game, seed=1, steps=12, opponents=[mirror, "random"])
    batch, other = Batch(game, 8, opponents=mirror, threads=2), Batch(game, 8, opponents=Mirror(second, None, 0.2))
    before = {name: array.copy() for name, array in first.arrays.items()}
    mirror.refresh(second)
    for each in (batch, other):
        each.reset()
        for _ in range(6):
            each.step(each.random_actions())
    assert (batch.observations == other.observations).all() and (batch.rewards == other.rewards).all()
    assert all((first.arrays[name] == array).all() for name, array in before.items())
    with pytest.raises(SpielwerkError, match="same shape"):
        wide = Description("hush", first.description.encoding, first.description.inputs, first.description.heads)
        mirror.refresh(fresh(wide, 1))


# --- documentation ---


def test_the_examples_of_the_documentation_run():
    example = doctest.DocTestParser().get_doctest(DOCS.read_text(), {}, "environments", str(DOCS), 0)
    assert len(example.examples) >= 20
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(example)
    assert runner.summarize().failed == 0


# --- bad input ---


def test_what_is_no_action_is_told():
    env = GameEnv(Nim())
    env.reset(seed=1)
    for wrong in (2.5, np.nan, None, [1], "1"):
        with pytest.raises(SpielwerkError, match="whole number"):
            env.step(wrong)
    many = GameVectorEnv(Nim(), 4)
    many.reset(seed=1)
    for wrong in (np.zeros((4, 1), np.int64), np.zeros(4), np.zeros(3, np.int64)):
        with pytest.raises(SpielwerkError, match=re.escape(f"not {wrong.dtype}{list(wrong.shape)}")):
            many.step(wrong)


def test_what_is_called_too_early_or_too_late_is_told():
    env = GameEnv(Nim())
    with pytest.raises(SpielwerkError, match="no match has begun"):
        env.step(0)
    _, info = env.reset(seed=1)
    over = False
    while not over:
        _, _, over, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
    with pytest.raises(SpielwerkError, match="the match is over"):
        env.step(0)
    turns = GameAECEnv(Nim())
    for call in (turns.last, lambda: turns.step(0), lambda: GameParallelEnv(Nim()).step({"seat_0": 0})):
        with pytest.raises(SpielwerkError, match="no match has begun"):
            call()
    turns.reset(seed=1)
    with pytest.raises(UnknownName, match="seat_9"):
        turns.observe("seat_9")
    with pytest.raises(SpielwerkError, match="seat_0 must decide"):
        turns.step(None)
    together = GameParallelEnv(Nim())
    together.reset(seed=1)
    with pytest.raises(SpielwerkError, match="seat_0 must decide"):
        together.step({})
    with pytest.raises(UnknownName, match="nobody"):
        together.step({"seat_0": 0, "nobody": 0})


@pytest.mark.parametrize("game", ["2048", "leduc", Claim])
def test_a_copy_of_an_environment_goes_on_alike(game):
    if isinstance(game, str) and game not in registry.game_names():
        pytest.skip("examples/plugin is not installed")
    env = GameEnv(game if isinstance(game, str) else game())
    _, info = env.reset(seed=3)
    env.step(int(np.flatnonzero(info["action_mask"])[0]))
    for other in (deepcopy(env), pickle.loads(pickle.dumps(env))):
        mask = env.action_masks()
        assert np.array_equal(mask, other.action_masks())
    action = int(np.flatnonzero(mask)[0])
    one, two = env.step(action), other.step(action)
    assert np.array_equal(one[0], two[0]) and one[1:4] == two[1:4]


def test_options_that_cannot_be_are_told():
    with pytest.raises(UnknownName, match="nope"):
        Batch(registry.game("2048"), 1, opponents="nope")
    with pytest.raises(SpielwerkError, match="ask_forced takes one of True, False"):
        GameEnv("2048", ask_forced="no")
    with pytest.raises(SpielwerkError, match="a variant is written"):
        gymnasium.make("spielwerk/jass-v0", variant={"target": 1})
    with pytest.raises(SpielwerkError, match="not drawn"):
        gymnasium.make_vec("spielwerk/2048-v0", 2, vectorization_mode="vector_entry_point", render_mode="ansi")


def test_all_that_is_offered_can_be_imported():
    names: dict[str, object] = {}
    exec("from spielwerk.bridges import *", names)
    assert names["GameEnv"] is GameEnv and names["Batch"] is Batch
