"""Determinized search for Schieber Jass, compiled: sampled worlds, every legal action tried in each of them.

A world is a deal of the hidden cards that agrees with all that the seat knows. In every world every legal action is
played and the deal is then finished: by four players who see only what their seats may know (so that nobody is assumed
to play with open cards), rule players or a network, and, once few enough tricks are left, by the exact solver. It does
not know Slalom, which is played to the end, and so is a deal in which somebody may still claim the match: who does
counts as if it took all that was left. The average lead over the worlds decides. After a push the partner chooses the
mode in each world, knowing its own hand only. An evaluation may judge the deals after so many full tricks instead, when
the seat that searches is to play: others do not know its hand, and would judge the same of good and bad ones.

Worlds are equally likely, or as likely as a network holds it that the others would have chosen and played as they did
(see `believe`). The opponents may be of another kind than we are, whom a second network imitates: then the kind is a
part of the world that is drawn and believed, and they finish the deal as their kind does.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.instructions import stopped
from spielwerk.core.kernel.contract import apply, evaluate, imagine, legal, policy
from spielwerk.core.kernel.rng import uniform
from spielwerk.core.linker import kernel, outlined, stub
from spielwerk.games.jass.kernel.features import nearest_mode
from spielwerk.games.jass.kernel.solve import solve_state
from spielwerk.games.jass.kernel.table import (
    CARD_POINTS,
    CLAIM,
    FIRST_MODE,
    FIRST_SLALOM,
    LAST_TRICK,
    NO_TRUMP,
    OBEABE,
    OVER,
    PLAY,
    PUSH,
    clear_table,
    deal_factor,
    first_mode,
)
from spielwerk.games.jass.kernel.weis import stoeck_to_come

NEVER = 99  # tricks: no evaluation judges before the end of the deal
TABLE, WORLD, PROPOSED, BEFORE = 0, 1, 2, 3  # places among the states of a search
STATES = 4
WARM_UP = 8  # times as many worlds are proposed before the first is believed
FAR = 32_767  # a target that nobody reaches
LIKELY, SEEN, PLAYED, DRAWN, STRANGE, WORLDS, STRANGE_WORLDS = 0, 1, 2, 3, 4, 5, 6  # places in Belief.facts
FACTS = 7
NOBODY = -1  # team


class Finish(NamedTuple):
    """How imagined deals are finished."""

    exact: int  # so many last tricks are solved
    tricks: int  # so many tricks are played before the evaluation judges, the one on the table first; NEVER = all
    in_points: bool  # the evaluation counts points, not a lead squeezed into [0, 1]
    play: Any  # weights of the policy that plays the cards, and chooses the mode after a push
    strangers: Any  # the same of opponents of another kind


class Belief(NamedTuple):
    """How worlds are drawn, and the one that is believed in now."""

    strength: float  # how much it counts what the others did; 0 = all worlds are alike
    proposals: int  # worlds that are proposed for each that is played
    network: Any  # weights of what says how likely an action is
    share: float  # how likely it is, before they have done anything, that the opponents are of the other kind
    strangers: Any  # weights of what says how likely an action of theirs is
    facts: NDArray[np.float64]  # [FACTS] how likely the others' actions are in the present world, as a log; 1 = there
    # is one; 1 = it has been played; how many different ones there were, one after the other; 1 = the opponents are of
    # the other kind in it; how many worlds were counted, a repeated one each time; in how many of them they were
    leads: NDArray[np.float64]  # [widest] what every action led to in the present world


class Sums(NamedTuple):
    """What was found, per action."""

    leads: NDArray[np.float64]  # [widest]
    squares: NDArray[np.float64]  # [widest]
    gaps: NDArray[np.float64]  # [widest, widest] by how much the first led to more than the second, in the same worlds
    square_gaps: NDArray[np.float64]  # [widest, widest] the squares of that
    visits: NDArray[np.int64]  # [widest]


@stub
def log_chance(s, seat, action, weights, scratch):
    """How likely it is that `seat` does this, of all that it may do, as a log."""


@stub
def strangers_log_chance(s, seat, action, weights, scratch):
    """The same for a seat of the other kind."""


@stub
def strangers_policy(s, seat, weights, scratch, rng):
    """What a seat of the other kind does."""


@kernel
def all_alike(s, seat, action, weights, scratch):
    return 0.0


@kernel
def nothing(s, seat, weights, scratch, rng):
    """What strangers do where there are none."""
    return 0


@kernel
def finish_deal(states, i, seat, strangers, finish, memory, leaf):
    """The lead of team 0 at the end of the deal, everything included. `strangers`: the team of the other kind."""
    s = states[i]
    scratch = leaf.scratch
    judged_at = s.tricks + finish.tricks
    while s.phase == PLAY:
        if s.in_trick == 0 and s.tricks >= 9 - finish.exact and not s.slalom and not may_be_claimed(s):
            memory.age[0] += 1
            rest = deal_factor(s) * solve_state(s, 0, memory) + stoeck_to_come(s)
            return np.float64(s.gained[0] - s.gained[1] + rest)
        if s.tricks >= judged_at and s.turn == seat:
            evaluate(states, i, leaf)
            return lead_in(leaf.value, finish.in_points, leaf.scale)
        if s.turn & 1 == strangers:
            scratch.joint[s.turn] = strangers_policy(s, s.turn, finish.strangers, scratch, leaf.rng)
        else:
            scratch.joint[s.turn] = policy(s, s.turn, finish.play, scratch, leaf.rng)
        apply(s, scratch.joint)
    lead = s.gained[0] - s.gained[1]
    if s.phase == OVER and s.rules & CLAIM:
        if s.points[0] >= s.target:
            lead += points_left_in_deal(s)
        elif s.points[1] >= s.target:
            lead -= points_left_in_deal(s)
    return np.float64(lead)


@kernel
def points_left_in_deal(s):
    """What the cards that are left bring, and the last trick."""
    return deal_factor(s) * (CARD_POINTS + LAST_TRICK - np.int64(s.taken[0]) - np.int64(s.taken[1]))


@kernel
def may_be_claimed(s):
    """Whether a team may reach the target before the deal ends."""
    if not s.rules & CLAIM:
        return False
    most = points_left_in_deal(s) + deal_factor(s) * np.int64(s.bonus) + abs(stoeck_to_come(s))
    return s.points[0] + most >= s.target or s.points[1] + most >= s.target


@kernel
def lead_in(value, in_points, scale):
    """The lead of team 0 that worths stand for (see core.kernel.objective)."""
    if in_points:
        return scale * (value[0] - value[1])
    share = 2.0 * value[0] - 1.0
    return scale * share / (1.0 - abs(share))


@outlined
def how_likely(root, states, seat, strangers, belief, scratch, least):
    """The log of how likely the others would have chosen and played as they did, if the proposed world were true and
    the team `strangers` of the other kind. It stops where it falls below `least`: further decisions make it no
    likelier."""
    s, true, world = states[BEFORE], root[0], states[PROPOSED]
    states[BEFORE] = root[0]
    clear_table(s)
    s.in_trick, s.pot, s.best = 0, 0, -1
    s.points[0], s.points[1], s.target = 0, 0, FAR
    for other in range(4):
        s.hands[other] = world.hands[other] | true.played[other]
        s.called[other] = true.called[other]  # so nobody is asked again; that it was announced says no more than that
    total = 0.0
    cards = 4 * true.tricks + true.in_trick
    done = -1 - np.int64(true.pushed) if true.mode >= 0 else -np.int64(true.pushed)
    while done < cards:
        if done >= 0:
            action = np.int64(true.history[done])
        elif true.pushed and not s.pushed:
            action = np.int64(PUSH)
        elif true.slalom:
            action = FIRST_SLALOM + first_mode(true) - OBEABE
        else:
            action = FIRST_MODE + nearest_mode(true.mode)
        if s.turn != seat and legal(s, s.turn, scratch.actions) > 1:
            if s.turn & 1 == strangers:
                total += strangers_log_chance(s, s.turn, action, belief.strangers, scratch)
            else:
                total += log_chance(s, s.turn, action, belief.network, scratch)
            if total < least:
                return total
        scratch.trial[s.turn] = action
        apply(s, scratch.trial)
        if done == -1 and true.mode == NO_TRUMP:
            s.mode = true.mode
        done += 1
    return total


@kernel
def drawn_kind(belief, rng):
    """1 = the opponents are of the other kind, as often as that is likely before they have done anything."""
    return 1.0 if belief.share > 0.0 and uniform(rng) < belief.share else 0.0


@kernel
def opponents_if(strange, seat):
    """The team of the other kind."""
    return 1 - (seat & 1) if strange else NOBODY


@kernel
def believe(root, states, seat, belief, scratch, rng):
    """Draw the next world, as likely as what the others did there (to the power of `strength`). Worlds that agree with
    the cards are proposed and taken or not, so that in the long run each comes as often as it is likely (Metropolis et
    al. 1953, with independent proposals). When the sign comes, the first proposal is enough."""
    facts = belief.facts
    proposals = belief.proposals if facts[SEEN] else WARM_UP * belief.proposals
    for _ in range(proposals):
        states[PROPOSED] = root[0]
        imagine(states[PROPOSED], seat, rng)
        strange = drawn_kind(belief, rng)
        least = facts[LIKELY] + math.log(1.0 - uniform(rng)) / belief.strength if facts[SEEN] else -math.inf
        likely = how_likely(root, states, seat, opponents_if(strange, seat), belief, scratch, least)
        if likely >= least:
            facts[LIKELY], facts[SEEN], facts[PLAYED], facts[STRANGE] = likely, 1.0, 0.0, strange
            states[WORLD] = states[PROPOSED]
        if stopped(scratch.sign):
            return


@kernel
def lead_after(action, states, seat, strangers, finish, memory, leaf):
    """The lead of the seat's team if it does this in the present world."""
    scratch = leaf.scratch
    states[TABLE] = states[WORLD]
    scratch.joint[seat] = action
    apply(states[TABLE], scratch.joint)
    if action == PUSH:
        partner = (seat + 2) & 3
        scratch.joint[partner] = policy(states[TABLE], partner, finish.play, scratch, leaf.rng)
        apply(states[TABLE], scratch.joint)
    lead = finish_deal(states, TABLE, seat, strangers, finish, memory, leaf)
    return lead if seat & 1 == 0 else -lead


@kernel
def compare(root, states, seat, worlds, tried, finish, belief, memory, leaf, sums):
    """Add what every action that is still tried leads to, over `worlds` worlds. A world that the sign cuts short does
    not count, unless it is the first."""
    scratch, rng, facts = leaf.scratch, leaf.rng, belief.facts
    count = legal(root[0], seat, scratch.actions)
    for _ in range(worlds):
        if belief.strength > 0.0:
            if facts[PLAYED] or not facts[SEEN]:  # else one was drawn and then the time was up
                believe(root, states, seat, belief, scratch, rng)
        else:
            states[WORLD] = root[0]
            imagine(states[WORLD], seat, rng)
            facts[PLAYED], facts[STRANGE] = 0.0, drawn_kind(belief, rng)
        known = count
        if not facts[PLAYED]:
            known = play_world(root, states, seat, tried, count, finish, belief, memory, leaf)
            if known < count and (facts[DRAWN] > 0.0 or known == 0):
                return
            facts[DRAWN] += 1.0
            facts[PLAYED] = 1.0 if known == count else 0.0
        facts[WORLDS] += 1.0
        facts[STRANGE_WORLDS] += facts[STRANGE]
        for i in range(known):
            if tried[i]:
                lead = belief.leads[i]
                sums.leads[i] += lead
                sums.squares[i] += lead * lead
                sums.visits[i] += 1
                for j in range(known):
                    if tried[j]:
                        gap = lead - belief.leads[j]
                        sums.gaps[i, j] += gap
                        sums.square_gaps[i, j] += gap * gap
        if known < count:
            return


@kernel
def play_world(root, states, seat, tried, count, finish, belief, memory, leaf):
    """Try the actions in the present world; returns how many of the list came to their end before the sign, all that
    are not tried included."""
    scratch = leaf.scratch
    strangers = opponents_if(belief.facts[STRANGE], seat)
    for i in range(count):
        if tried[i]:
            legal(root[0], seat, scratch.actions)
            belief.leads[i] = lead_after(scratch.actions[i], states, seat, strangers, finish, memory, leaf)
            if stopped(scratch.sign):
                return i
    return count
